"""Going on with a conversation, in each of its forms, on the real CLI: the model's requests show what it knows."""

import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, say
from bascule.errors import ResumeFailed, SessionInUse, StartFailed
from bascule.events import Complete, SessionStatus
from bascule.session.session import Session
from tests.live.stage import Stage, said, seen


class Earlier(NamedTuple):
    """A conversation of two turns."""

    id: str
    first: Complete
    second: Complete


@asynccontextmanager
async def earlier(stage: Stage) -> AsyncIterator[tuple[ScriptedModel, Earlier]]:
    """A model that has had one."""
    async with ScriptedModel(Script(*(say(f"answer {number}") for number in range(1, 9)))) as model:
        async with stage.session(model) as session:
            first, second = await said(session, "Remember 12."), await said(session, "Remember 77.")
            await session.idle()
            conversation = Earlier(str(session.cli_session_id), first, second)
        yield model, conversation


async def status(session: Session) -> str:
    return (await seen(session, SessionStatus)).session_status


def known(model: ScriptedModel) -> list[str]:
    """Which of the numbers the model was asked with last."""
    asked = json.dumps(model.asked[-1].body["messages"])
    return [number for number in ("12", "77") if f"Remember {number}." in asked]


@pytest.mark.parametrize("by", ["id", "file"])
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
async def test_S35_a_conversation_is_gone_on_with_by_id_or_file_from_any_workspace(
    stage: Stage, tmp_path: Path, by: str, *, elsewhere: bool
) -> None:
    async with earlier(stage) as (model, before):
        (file,) = stage.config.glob(f"projects/*/{before.id}.jsonl")
        cwd = tmp_path / "elsewhere" if elsewhere else stage.workspace
        cwd.mkdir(exist_ok=True)
        async with stage.session(model, cwd=cwd, resume=before.id if by == "id" else str(file)) as session:
            assert (await said(session, "And now?")).outcome == "success"
            assert await status(session) == "resumed"
            assert str(session.id) == str(session.cli_session_id) == before.id
        assert known(model) == ["12", "77"]


async def test_a_fork_goes_on_in_a_copy(stage: Stage) -> None:
    async with earlier(stage) as (model, before):
        async with stage.session(model, resume=before.id, fork=True) as session:
            await said(session, "And now?")
            assert await status(session) == "forked"
            assert session.cli_session_id not in (None, before.id)
        assert known(model) == ["12", "77"]
        assert len(list(stage.config.glob("projects/*/*.jsonl"))) == 2


async def test_a_conversation_is_gone_on_with_at_an_earlier_message(stage: Stage) -> None:
    async with earlier(stage) as (model, before):
        async with stage.session(model, resume=before.id, resume_at=before.first.last_message_uuid) as session:
            await said(session, "And now?")
        assert known(model) == ["12"]
        nobody = str(uuid.uuid4())
        with pytest.raises(ResumeFailed, match=f"resume_at is '{nobody}'") as failed:
            async with stage.session(model, resume=before.id, resume_at=nobody):
                pytest.fail("the session must not open")
        assert failed.value.reason == "message"


async def test_the_newest_conversation_of_the_workspace_is_gone_on_with_and_owned(stage: Stage) -> None:
    async with earlier(stage) as (model, before):
        async with stage.session(model, continue_last=True) as session:
            assert str(session.id) == before.id
            with pytest.raises(SessionInUse, match="open in another session"):
                async with stage.session(model, resume=before.id):
                    pytest.fail("the session must not open")
            await said(session, "And now?")
            assert await status(session) == "resumed"
        assert known(model) == ["12", "77"]


async def test_where_there_is_nothing_to_continue_a_new_conversation_says_so(stage: Stage, tmp_path: Path) -> None:
    async with earlier(stage) as (model, before):
        empty = tmp_path / "empty"
        empty.mkdir()
        async with stage.session(model, cwd=empty, continue_last=True) as session:
            await said(session, "And now?")
            assert await status(session) == "new"
            assert session.cli_session_id != before.id
        assert known(model) == []


async def test_a_new_conversation_has_the_id_that_was_wanted_once(stage: Stage) -> None:
    wanted = str(uuid.uuid4())
    async with ScriptedModel(Script(say("one"), say("two"))) as model:
        async with stage.session(model, session_id=wanted) as session:
            await said(session, "Hi")
            assert session.cli_session_id == wanted
        with pytest.raises(StartFailed, match="already in use"):
            async with stage.session(model, session_id=wanted):
                pytest.fail("the session must not open")


@pytest.mark.parametrize("resume", ["00000000-0000-4000-8000-000000000000", "/nowhere/at/all.jsonl", "no such title"])
async def test_F38_what_is_not_there_is_never_an_empty_conversation(stage: Stage, resume: str) -> None:
    with pytest.raises(ResumeFailed, match=f"resume is '{resume}'") as failed:
        async with stage.play(say("never said"), resume=resume):
            pytest.fail("the session must not open")
    assert failed.value.reason == "missing"


async def test_a_file_in_which_nothing_was_said_is_told_from_one_that_is_not_there(stage: Stage) -> None:
    async with earlier(stage) as (model, before):
        (file,) = stage.config.glob(f"projects/*/{before.id}.jsonl")
        empty = file.with_name(f"{uuid.uuid4()}.jsonl")
        empty.write_text(json.dumps({"type": "custom-title", "customTitle": "x", "sessionId": empty.stem}) + "\n")
        with pytest.raises(ResumeFailed, match="nothing was said") as failed:
            async with stage.session(model, resume=empty.stem):
                pytest.fail("the session must not open")
        assert failed.value.reason == "empty"


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
async def test_L57_a_conversation_is_gone_on_with_by_its_title_and_owned(
    stage: Stage, tmp_path: Path, *, elsewhere: bool
) -> None:
    async with earlier(stage) as (model, before):
        async with stage.session(model, resume=before.id) as session:
            await session.cli.rename("My title")
            await said(session, "Go on.")
        cwd = tmp_path / "elsewhere" if elsewhere else stage.workspace
        cwd.mkdir(exist_ok=True)
        async with stage.session(model, cwd=cwd, resume=" my TITLE ") as session:
            assert str(session.id) == before.id
            for again in (before.id, "My title"):
                with pytest.raises(SessionInUse):
                    async with stage.session(model, resume=again):
                        pytest.fail("the session must not open")
            await said(session, "And now?")
            assert str(session.cli_session_id) == before.id
        assert known(model) == ["12", "77"]


async def test_a_copy_of_a_file_is_gone_on_with_in_a_fork_and_in_no_other_way(stage: Stage, tmp_path: Path) -> None:
    """The CLI would take it, and write into a file beside it what nobody finds by the id."""
    async with earlier(stage) as (model, before):
        (file,) = stage.config.glob(f"projects/*/{before.id}.jsonl")
        copy = tmp_path / "copy.jsonl"
        copy.write_bytes(file.read_bytes())
        with pytest.raises(ResumeFailed, match=f"a copy of the conversation {before.id}") as failed:
            async with stage.session(model, resume=str(copy)):
                pytest.fail("the session must not open")
        assert failed.value.reason == "copy"
        async with stage.session(model, resume=str(copy), fork=True) as session:
            await said(session, "And now?")
            assert session.cli_session_id not in (None, before.id)
        assert known(model) == ["12", "77"]
        async with stage.session(model, resume=session.cli_session_id) as again:
            await said(again, "And then?")
        assert known(model) == ["12", "77"]


async def test_L58_F35_a_conversation_that_ends_in_a_call_without_a_result_answers_all_the_same(stage: Stage) -> None:
    """What left empty answers once: both versions mend it, each in its way."""
    async with earlier(stage) as (model, before):
        (file,) = stage.config.glob(f"projects/*/{before.id}.jsonl")
        entries = [json.loads(line) for line in file.read_text().splitlines()]
        last = next(entry for entry in reversed(entries) if entry["type"] == "assistant")
        block = {"type": "tool_use", "id": "toolu_lost", "name": "Bash", "input": {"command": "make"}}
        message = {**last["message"], "id": "msg_lost", "content": [block], "stop_reason": "tool_use"}
        lost: dict[str, Any] = {**last, "uuid": str(uuid.uuid4()), "parentUuid": last["uuid"], "message": message}
        with file.open("a") as end:
            end.write(json.dumps(lost) + "\n")
        async with stage.session(model, resume=before.id) as session:
            complete = await said(session, "And now?")
            assert (complete.outcome, bool(complete.text)) == ("success", True)
        assert known(model) == ["12", "77"]


async def test_a_conversation_that_was_cleared_is_still_there(stage: Stage) -> None:
    async with earlier(stage) as (model, before):
        async with stage.session(model, resume=before.id) as session:
            await said(session, "/clear")
            await said(session, "And now?")
            assert session.cli_session_id != before.id
            assert str(session.id) == before.id
        assert known(model) == []
        async with stage.session(model, resume=before.id) as session:
            await said(session, "And now?")
        assert known(model) == ["12", "77"]
