"""Files as they were: what the CLI is asked, and when."""

from typing import Any

import pytest

from bascule.commands import PutBack, Refused, Rewind, Taken
from bascule.errors import LocalProtocolError, RequestFailed, SessionClosed
from bascule.ids import CommandId, PromptId
from bascule.session.options import Options, environment_of
from bascule.wire.answers import Rewound
from tests.session.far_end import FarEnd
from tests.session.live import live

P = PromptId("11111111-1111-4111-8111-111111111112")
TRIAL = {"canRewind": True, "filesChanged": ["/w/a.txt"], "insertions": 1, "deletions": 2}


class Keeper(FarEnd):
    """A CLI that keeps files, and answers as 2.1.332 does."""

    trial: dict[str, Any] = TRIAL

    def _body(self, subtype: str, request: dict[str, Any]) -> dict[str, Any] | None:
        if subtype == "rewind_files":
            return self.trial if request.get("dry_run") else {"canRewind": True, "skippedLinks": 0}
        return super()._body(subtype, request)


def asked(far: FarEnd) -> list[tuple[str, bool]]:
    return [(each["user_message_id"], each.get("dry_run", False)) for each in far.requests("rewind_files")]


async def test_a_trial_tells_what_would_change() -> None:
    far = Keeper()
    async with live(far, checkpoints=True) as session:
        told = await session.rewind(P, dry_run=True)
    assert told == Rewound(can_rewind=True, files_changed=("/w/a.txt",), insertions=1, deletions=2)
    assert asked(far) == [(P, True)]


async def test_a_rewind_tells_what_it_changed() -> None:
    far = Keeper()
    async with live(far, checkpoints=True) as session:
        told = await session.rewind(P)
    assert (told.files_changed, told.insertions, told.deletions, told.skipped_links) == (("/w/a.txt",), 1, 2, 0)
    assert asked(far) == [(P, True), (P, False)]


@pytest.mark.parametrize("error", ["No file checkpoint found for this message.", None])
async def test_a_prompt_that_nothing_is_kept_for_is_an_error_and_nothing_changes(error: str | None) -> None:
    far = Keeper()
    far.trial = {"canRewind": False, "error": error}
    async with live(far) as session:
        with pytest.raises(RequestFailed, match=error or "it gave no reason"):
            await session.rewind(P)
    assert asked(far) == [(P, True)]


async def test_a_command_is_answered_with_what_it_would_do_and_what_it_did() -> None:
    far = Keeper()
    figures = PutBack(files=("/w/a.txt",), insertions=1, deletions=2)
    async with live(far, checkpoints=True) as session:
        for number, dry_run in enumerate((True, False)):
            command = Rewind(command_id=CommandId(str(number)), at=P, dry_run=dry_run)
            assert await session.send(command) == Taken(put_back=figures)
        far.trial = {"canRewind": False, "error": "No file checkpoint found for this message."}
        refused = await session.send(Rewind(command_id=CommandId("2"), at=P))
    assert isinstance(refused, Refused)
    assert "No file checkpoint" in refused.reason
    assert asked(far) == [(P, True), (P, True), (P, False), (P, True)]


async def test_nothing_is_put_back_while_a_turn_runs() -> None:
    far = Keeper()
    async with live(far) as session:
        handle = await session.prompt("Hi")
        with pytest.raises(LocalProtocolError, match=r"await idle\(\)"):
            await session.rewind(P)
        far.turn(handle.prompt_id)
        await session.idle()
    assert asked(far) == []
    with pytest.raises(SessionClosed):
        await session.rewind(P)


def test_checkpoints_are_a_matter_of_the_environment() -> None:
    name = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"
    assert environment_of(Options(checkpoints=True, env={name: "false"}))[name] == "true"
    assert name not in environment_of(Options())
