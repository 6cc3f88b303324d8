"""A session is opened with a program that is found, started, owned and recorded; or it is said why not."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bascule import recording
from bascule.commands import AllowOnce, ApprovePlan, Taken
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, respond, say, turn
from bascule.errors import CliNotFound, OptionError, ResumeFailed, SessionInUse, StartFailed, StartTimedOut
from bascule.events import AnyEvent, PermissionRequest, SessionEnded, SessionStatus, ToolUpdate
from bascule.session.opening import open_session
from bascule.session.options import Options
from bascule.session.session import Session
from bascule.session.watch import Limits
from bascule.testing.fake_cli import install
from bascule.transcript.fold import Fold
from tests.session.live import seen

SECRET = "sk-ant-api03-0123456789abcdef"
NOWHERE = "00000000-0000-4000-8000-000000000000"


class Workplace:
    """A workspace, the fake CLI, and a home for it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.cli = install(root)
        self.workspace = root / "work"
        self.workspace.mkdir()

    @asynccontextmanager
    async def session(self, *turns: Any, **options: Any) -> AsyncIterator[Session]:
        async with ScriptedModel(Script(*turns)) as model:
            env = {"HOME": str(self.root), "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "dummy"}
            given = {"cwd": self.workspace, "cli": self.cli, "env": env, "stop_git_check": False, **options}
            async with open_session(Options(**given)) as session:
                yield session

    def program(self, text: str) -> Path:
        """Something in the CLI's place."""
        path = self.root / "program"
        path.write_text(f"#!{sys.executable}\n{text}")
        path.chmod(0o755)
        return path


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return Workplace(tmp_path)


def entries(path: Path) -> list[recording.Entry]:
    read = recording.read(path.read_bytes().splitlines(keepends=True))
    return [entry for entry in read if isinstance(entry, recording.Entry)]


async def test_a_session_is_a_process_that_is_gone_after_it(workplace: Workplace) -> None:
    async with workplace.session(say("Hello.")) as session:
        complete = await (await session.prompt("Hi"))
        assert (complete.outcome, complete.text) == ("success", "Hello.")
        assert str(session.id) == session.cli_session_id
        assert session.welcome.version is not None
    ended = [event async for event in session.events() if isinstance(event, SessionEnded)]
    assert [(end.cause, end.exit_code) for end in ended] == [("ended", 0)]


async def test_what_is_recorded_tells_the_same_events_and_is_its_owners_alone(workplace: Workplace) -> None:
    record = workplace.root / "session.jsonl"
    async with workplace.session(turn(call("Bash", command="touch made"), say("Done.")), record=record) as session:
        handle = await session.prompt("Make it")
        ask = await seen(session, PermissionRequest)
        await session.decide(ask.pending_id, AllowOnce())
        await handle
    lived: list[AnyEvent] = [event async for event in session.events()]
    fold = Fold(session.id)
    told = [event for entry in entries(record) for event in fold.feed(entry)]
    assert [event for event in told if event.seq is not None] == lived
    assert record.stat().st_mode & 0o777 == 0o600


async def test_what_looks_like_a_secret_can_be_kept_out_of_the_recording(workplace: Workplace) -> None:
    raw, redacted = workplace.root / "raw.jsonl", workplace.root / "redacted.jsonl"
    for record, hides in ((raw, False), (redacted, True)):
        async with workplace.session(say("Noted."), record=record, redact=hides) as session:
            await (await session.prompt(f"The key is {SECRET}"))
    assert SECRET in raw.read_text()
    assert SECRET not in redacted.read_text()


async def test_S33_secrets_of_servers_lie_in_a_file_only_while_the_session_lives(workplace: Workplace) -> None:
    program = workplace.program(
        "import json, sys\n"
        "name = next(word.partition('=')[2] for word in sys.argv if word.startswith('--mcp-config='))\n"
        "print(json.dumps({'name': name, 'held': open(name).read()}), file=sys.stderr)\n"
        "sys.exit(3)\n"
    )
    servers = {"toy": {"command": "toy", "env": {"TOKEN": SECRET}}}
    with pytest.raises(StartFailed) as failed:
        async with workplace.session(cli=program, mcp_servers=servers):
            pytest.fail("the session must not open")
    told = json.loads(failed.value.stderr_tail)
    assert SECRET in told["held"]
    assert not (workplace.root / told["name"]).exists()
    assert SECRET not in str(failed.value.argv)
    assert failed.value.process_exit_code == 3


async def test_L57_F36_a_conversation_has_one_owner_at_a_time(workplace: Workplace) -> None:
    async with workplace.session(say("Hello."), say("Again.")) as session:
        await (await session.prompt("Hi"))
        conversation = session.cli_session_id
        with pytest.raises(SessionInUse, match="open in another session"):
            async with workplace.session(resume=conversation):
                pytest.fail("the session must not open")
    async with workplace.session(say("Again."), resume=conversation) as session:
        await (await session.prompt("Hi again"))
        assert (await seen(session, SessionStatus)).session_status == "resumed"


async def test_L59_a_conversation_that_was_busy_is_as_good_as_before(workplace: Workplace) -> None:
    async with workplace.session(say("Hello.")) as session:
        await (await session.prompt("Hi"))
        conversation = session.cli_session_id
        for _ in range(3):
            with pytest.raises(SessionInUse, match="open in another session"):
                async with workplace.session(resume=conversation):
                    pytest.fail("the session must not open")
    remembers = turn(respond(lambda asked: say("You said Hi." if "Hi" in str(asked.messages) else "Who are you?")))
    async with workplace.session(remembers, resume=conversation) as session:
        assert (await (await session.prompt("What did I say?"))).text == "You said Hi."


async def test_L64_a_session_left_at_the_gate_of_its_plan_leaves_nothing_to_the_next(workplace: Workplace) -> None:
    plan = turn(call("ExitPlanMode", plan="1. Make it"), say("Planned."))
    async with workplace.session(plan, policy="plan") as session:
        await session.prompt("Plan it")
        assert (await seen(session, PermissionRequest)).ask == "plan"
    async with workplace.session(plan, policy="plan", resume=session.cli_session_id) as again:
        handle = await again.prompt("Plan it again")
        ask = await seen(again, PermissionRequest)
        assert await again.decide(ask.pending_id, ApprovePlan()) == Taken()
        complete = await handle
    assert (complete.outcome, complete.text, complete.permission_denials) == ("success", "Planned.", ())


async def test_the_newest_conversation_is_found_and_owned(workplace: Workplace) -> None:
    async with workplace.session(say("Hello.")) as first:
        await (await first.prompt("Hi"))
    async with workplace.session(say("Again."), continue_last=True) as second:
        assert second.id == first.id
        await (await second.prompt("Hi again"))


async def test_F38_a_conversation_that_is_not_there_is_told_with_what_was_started(workplace: Workplace) -> None:
    with pytest.raises(ResumeFailed, match="No conversation found") as failed:
        async with workplace.session(say("never said"), resume=NOWHERE):
            pytest.fail("the session must not open")
    assert f"--resume={NOWHERE}" in failed.value.argv
    assert (failed.value.reason, f"resume is '{NOWHERE}'" in str(failed.value)) == ("missing", True)


async def test_L57_a_title_of_a_conversation_that_is_open_is_refused(workplace: Workplace) -> None:
    async with workplace.session(say("Hello.")) as session:
        await (await session.prompt("Hi"))
    (path,) = workplace.root.rglob(f"{session.cli_session_id}.jsonl")
    with path.open("a") as end:
        end.write('{"type":"custom-title","customTitle":"My title"}\n')
    async with workplace.session(say("Again."), resume="My title") as session:
        assert str(session.id) == path.stem
        for again in ("my title", str(path), path.stem):
            with pytest.raises(SessionInUse, match="open in another session"):
                async with workplace.session(resume=again):
                    pytest.fail("the session must not open")
        assert (await (await session.prompt("And now?"))).text == "Again."


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("import signal\nsignal.pause()\n", "spawn"),
        ("import signal, sys\nprint('a plugin is slow', file=sys.stderr, flush=True)\nsignal.pause()\n", "initialize"),
    ],
)
async def test_S26_a_start_that_hangs_is_given_up(workplace: Workplace, text: str, limit: str) -> None:
    limits = Limits(spawn_s=0.2, initialize_s=10) if limit == "spawn" else Limits(spawn_s=10, initialize_s=0.05)
    with pytest.raises(StartTimedOut) as late:
        async with workplace.session(cli=workplace.program(text), limits=limits, grace_s=0):
            pytest.fail("the session must not open")
    assert late.value.limit == limit
    assert late.value.stderr_tail == ("a plugin is slow" if limit == "initialize" else "")


async def test_what_cannot_be_is_said_before_anything_starts(workplace: Workplace) -> None:
    with pytest.raises(OptionError, match="is no folder"):
        async with workplace.session(cwd=workplace.root / "nowhere"):
            pytest.fail("the session must not open")
    with pytest.raises(CliNotFound):
        async with workplace.session(cli=workplace.root / "nothing"):
            pytest.fail("the session must not open")


async def test_a_program_that_is_none_is_told_as_that(workplace: Workplace) -> None:
    program = workplace.root / "program"
    program.write_text("no program")
    program.chmod(0o755)
    with pytest.raises(StartFailed, match="is no program for this machine"):
        async with workplace.session(cli=program):
            pytest.fail("the session must not open")


async def test_two_errors_at_once_are_both_told(workplace: Workplace) -> None:
    """One is raised as it is; two keep their group, since neither is to be lost."""

    async def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ExceptionGroup) as group:
        async with workplace.session(say("Hello.")), asyncio.TaskGroup() as tasks:
            tasks.create_task(fail(), name="one")
            tasks.create_task(fail(), name="two")
    assert len(group.value.exceptions) == 2


async def test_L71_sessions_beside_each_other_are_each_their_own(workplace: Workplace) -> None:
    async def run(name: str) -> str | None:
        made = turn(call("Bash", command=f"touch {name}"), say(name))
        async with workplace.session(made, policy="acceptEdits") as session:
            complete = await (await session.prompt("Make it"))
            assert (await seen(session, ToolUpdate)).tool_status == "complete"
            return complete.text

    names = ["one", "two", "three"]
    assert await asyncio.gather(*map(run, names)) == names
    assert sorted(path.name for path in workplace.workspace.iterdir()) == sorted(names)
