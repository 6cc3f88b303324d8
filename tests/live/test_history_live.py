"""Session files and the real CLI: what it wrote is read, what is written for it is resumed, what it loses is found.

The model's side shows what a resume went on from: the conversation that it was asked with.
"""

import asyncio
import os
import re
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.errors import HistoryError, ProcessLost, ResumeFailed, SessionInUse
from bascule.events import PermissionRequest
from bascule.history import (
    Prompt,
    Reply,
    check,
    delete,
    find,
    fork,
    read,
    rename,
    repair,
    search,
    sessions,
    subagents,
    tag,
)
from bascule.history.live import running
from bascule.session.opening import open_session
from bascule.session.options import Options
from bascule.session.ownership import owned, owners_folder

RUN_S = 30
POLL_S = 0.02


class Desk:
    """A CLI, a workspace, and what was said there."""

    def __init__(self, cli: Path, env: dict[str, str], workspace: Path) -> None:
        self.cli = cli
        self.env = env
        self.workspace = workspace
        self.config = Path(env["CLAUDE_CONFIG_DIR"])

    def ask(self, prompt: str, *turns: Any, resume: str | None = None, **more: Any) -> list[str]:
        """One prompt to a process of its own; the conversation that the model was asked with at last."""
        with ScriptedModel(Script(*turns)) as model:
            argv = [str(self.cli), "-p", prompt, "--permission-mode=bypassPermissions", "--output-format=json"]
            argv += [f"--resume={resume}"] if resume else []
            argv += [f"--{name.replace('_', '-')}={value}" for name, value in more.items() if name != "cwd"]
            done = subprocess.run(
                argv,
                cwd=more.get("cwd", self.workspace),
                env={**self.env, "ANTHROPIC_BASE_URL": model.url},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=RUN_S,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            return conversation(model)

    def newest(self) -> Path:
        """The session file that was written last."""
        return sessions(self.config, limit=1)[0].path

    async def written(self, words: str) -> Path:
        """The newest session file, when it says this: the CLI writes a moment after it spoke."""
        async with asyncio.timeout(RUN_S):
            while not (found := sessions(self.config, limit=1)) or words not in found[0].path.read_text():
                await asyncio.to_thread(select.select, (), (), (), POLL_S)
        return found[0].path

    def options(self, model: ScriptedModel, **more: Any) -> Options:
        env = {**self.env, "ANTHROPIC_BASE_URL": model.url}
        return Options(**{"cwd": self.workspace, "cli": self.cli, "env": env, "policy": "autonomous", **more})


def conversation(model: ScriptedModel) -> list[str]:
    """Texts, calls and results of the last request, in their order; what the CLI adds by itself is left out."""
    asked = model.asked[-1].body["messages"] if model.asked else []
    return [text for message in asked for text in _shown(message) if text]


def _shown(message: dict[str, Any]) -> Iterator[str]:
    content = message["content"]
    if message["role"] == "system":
        return
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        match block:
            case {"type": "text", "text": text}:
                yield re.sub(r"<system-reminder>.*?</system-reminder>", "", text, flags=re.DOTALL).strip()
            case {"type": "tool_use", "input": {"command": command}}:
                yield f"call {command}"
            case {"type": "tool_result", "content": told}:
                yield f"result {told}"


def read_back(path: Path) -> list[str]:
    return [item.text for item in read(path).items() if isinstance(item, Prompt | Reply)]


def bash(command: str) -> Any:
    return call("Bash", command=command, description="a test")


@pytest.fixture
def desk(claude_cli: Path, clean_env: dict[str, str], tmp_path: Path) -> Desk:
    workspace = tmp_path / "my work.space"
    workspace.mkdir()
    return Desk(claude_cli, clean_env, workspace)


TALK = ["First", "one", "Second", "call echo 2", "result 2", "two"]


@pytest.fixture
def talk(desk: Desk) -> Path:
    """The file of a conversation of two turns."""
    desk.ask("First", say("one"))
    path = desk.newest()
    desk.ask("Second", turn(bash("echo 2"), say("two")), resume=path.stem)
    return path


@pytest.mark.smoke
def test_what_the_cli_wrote_is_listed_read_and_whole(desk: Desk, talk: Path) -> None:
    (session,) = sessions(desk.config, desk.workspace)
    assert (session.path, session.cwd, session.first_prompt) == (talk, str(desk.workspace), "First")
    assert session.model is not None
    assert read_back(talk) == ["First", "one", "Second", "two"]
    assert check(talk) == ()
    (hit,) = search("two", desk.config)
    assert (hit.session, hit.where) == (session, "reply")


def test_S35_a_session_is_found_from_anywhere_and_resumed_where_it_lives(
    desk: Desk, talk: Path, cli_version: str, tmp_path: Path
) -> None:
    found = find(talk.stem, desk.config)
    assert found is not None
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if cli_version == "2.1.197":
        with pytest.raises(AssertionError, match="No conversation found"):
            desk.ask("Third", say("three"), resume=found.id, cwd=elsewhere)
    assert desk.ask("Third", say("three"), resume=found.id, cwd=found.cwd) == [*TALK, "Third"]


def test_a_title_of_ours_is_a_title_of_the_clis(desk: Desk, talk: Path) -> None:
    rename(talk, "Our title")
    tag(talk, "blue")
    assert desk.ask("Third", say("three"), resume="Our title") == [*TALK, "Third"]
    (session,) = sessions(desk.config)
    assert (session.path, session.title, session.tag) == (talk, "Our title", "blue")


async def test_a_title_of_the_clis_is_ours(desk: Desk) -> None:
    async with ScriptedModel(Script(say("one"), say("two"))) as model, open_session(desk.options(model)) as session:
        await (await session.prompt("First"))
        path = await desk.written('"one"')
        rename(path, "While it runs")
        await (await session.prompt("Second"))
    (stored,) = sessions(desk.config)
    assert stored.title == "While it runs"
    assert check(path) == ()


@pytest.mark.smoke
def test_a_fork_goes_on_by_itself(desk: Desk, talk: Path) -> None:
    copy = fork(talk)
    assert desk.ask("In the fork", say("forked"), resume=copy.id) == [*TALK, "In the fork"]
    assert read_back(talk) == ["First", "one", "Second", "two"]
    assert read_back(copy.path) == ["First", "one", "Second", "two", "In the fork", "forked"]


def test_a_fork_at_an_entry_goes_on_from_there(desk: Desk, talk: Path) -> None:
    one = next(item.uuid for item in read(talk).items() if isinstance(item, Reply))
    copy = fork(talk, at=one, title="Another way")
    assert desk.ask("Instead", say("other"), resume="Another way") == ["First", "one", "Instead"]
    assert read_back(copy.path) == ["First", "one", "Instead", "other"]


def test_a_fork_of_a_compacted_conversation_remembers_the_summary(desk: Desk, talk: Path) -> None:
    desk.ask("/compact", say("A summary of it."), resume=talk.stem)
    assert "Second" in read_back(talk)
    copy = fork(talk)
    before = desk.ask("On", say("on"), resume=talk.stem)
    assert desk.ask("On", say("on"), resume=copy.id) == before
    assert "First" not in before


def test_the_branch_that_is_read_is_the_one_that_is_resumed(desk: Desk, talk: Path) -> None:
    one = next(item.uuid for item in read(talk).items() if isinstance(item, Reply))
    desk.ask("Instead", say("other"), resume=talk.stem, resume_session_at=one)
    assert read_back(talk) == ["First", "one", "Instead", "other"]
    (left,) = read(talk).branches
    assert desk.ask("Third", say("three"), resume=talk.stem) == ["First", "one", "Instead", "other", "Third"]
    copy = fork(talk, at=left.leaf)
    assert desk.ask("Third", say("three"), resume=copy.id) == [*TALK, "Third"]


def test_L57_of_two_processes_on_one_session_one_is_gone_on_from(desk: Desk, talk: Path) -> None:
    lines = talk.read_bytes().splitlines(keepends=True)
    desk.ask("By one", say("a"), resume=talk.stem)
    mine = talk.read_bytes().splitlines(keepends=True)[len(lines) :]
    talk.write_bytes(b"".join(lines))
    desk.ask("By the other", say("b"), resume=talk.stem)
    theirs = talk.read_bytes().splitlines(keepends=True)[len(lines) :]
    talk.write_bytes(b"".join([*lines, *(line for pair in zip(mine, theirs, strict=False) for line in pair)]))
    kept = read_back(talk)
    lost = {"By one", "By the other"} - set(kept)
    assert len(lost) == 1
    assert [branch.entries > 1 for branch in read(talk).branches] == [True]
    went_on = desk.ask("On", say("on"), resume=talk.stem)
    assert [text for text in went_on if text.startswith("By ")] == [text for text in kept if text.startswith("By ")]


def glued(lines: list[bytes]) -> list[bytes]:
    at = _line_of(lines, b'"Second"')
    return [*lines[:at], lines[at][:200] + lines[at], *lines[at + 1 :]]


def padded(lines: list[bytes]) -> list[bytes]:
    at = _line_of(lines, b'"Second"')
    return [*lines[:at], b"\0" * 64 + lines[at], *lines[at + 1 :]]


def cut_off(lines: list[bytes]) -> list[bytes]:
    return lines[: _line_of(lines, b'"tool_use"') + 1]


def without_result(lines: list[bytes]) -> list[bytes]:
    return [line for line in lines if b'"tool_result"' not in line]


def _line_of(lines: list[bytes], words: bytes) -> int:
    return next(n for n, line in enumerate(lines) if words in line and b'"parentUuid"' in line)


@pytest.mark.parametrize(
    ("damage", "kind", "lost"),
    [
        (glued, "damaged_line", "Second"),
        (padded, "damaged_line", "Second"),
        (without_result, "call_without_result", "call echo 2"),
        (cut_off, "call_without_result", "call echo 2"),
    ],
)
def test_S36_what_the_cli_loses_of_a_damaged_file_is_in_its_repaired_copy(
    desk: Desk, talk: Path, cli_version: str, damage: Callable[[list[bytes]], list[bytes]], kind: str, lost: str
) -> None:
    talk.write_bytes(b"".join(damage(talk.read_bytes().splitlines(keepends=True))))
    damaged = talk.read_bytes()
    repaired = repair(talk)
    assert kind in {problem.kind for problem in repaired.problems}
    assert repaired.copy is not None
    assert talk.read_bytes() == damaged
    went_on = desk.ask("On", say("on"), resume=talk.stem)
    if damage is not cut_off or cli_version == "2.1.197":
        assert lost not in went_on
    mended = desk.ask("On", say("on"), resume=repaired.copy.id)
    assert lost in mended
    assert "call echo 2" in mended
    assert mended[mended.index("call echo 2") + 1].startswith("result")
    assert check(repaired.copy.path) == ()


def test_S36_two_calls_of_one_id_are_both_remembered(desk: Desk, talk: Path) -> None:
    desk.ask("Third", turn(bash("echo 3"), say("three")), resume=talk.stem)
    text = talk.read_text()
    first, second = dict.fromkeys(re.findall(r'"tool_use_id":"(\w+)"', text))
    talk.write_text(text.replace(second, first))
    damaged = desk.ask("On", say("on"), resume=talk.stem)
    assert "call echo 3" not in damaged
    repaired = repair(talk)
    assert repaired.copy is not None
    mended = desk.ask("On", say("on"), resume=repaired.copy.id)
    assert [text for text in mended if text[:4] in ("call", "resu")] == [
        "call echo 2",
        "result 2",
        "call echo 3",
        "result 3",
    ]


async def test_L58_a_session_that_was_killed_while_it_asked_is_repaired(desk: Desk) -> None:
    script = Script(turn(bash("touch asked"), say("never said")))
    async with ScriptedModel(script) as model, open_session(desk.options(model, policy="supervised")) as session:
        handle = await session.prompt("Touch it")
        async for event in session.events():
            if isinstance(event, PermissionRequest):
                break
        path = await desk.written('"tool_use"')
        pid = running(path.stem, desk.config)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(ProcessLost):
            await handle
    assert running(path.stem, desk.config) is None
    repaired = repair(path)
    assert repaired.copy is not None
    assert [problem.kind for problem in repaired.problems] == ["call_without_result"]
    mended = desk.ask("On", say("on"), resume=repaired.copy.id)
    assert mended[:2] == ["Touch it", "call touch asked"]
    assert mended[2].startswith("result The session ended")


async def test_a_session_is_deleted_when_it_has_ended(desk: Desk) -> None:
    script = Script(turn(call("Agent", description="d", prompt="Sub", subagent_type="general-purpose"), say("one")))
    async with ScriptedModel(script) as model:
        async with open_session(desk.options(model)) as session:
            await (await session.prompt("First"))
            await session.idle()
            path = await desk.written('"one"')
            with pytest.raises(SessionInUse):
                delete(path)
            with pytest.raises(SessionInUse, match="open in another session"):
                delete(path, own=lambda conversation: owned(conversation, owners_folder()))
        assert len(subagents(path)) == 1
        delete(path, own=lambda conversation: owned(conversation, owners_folder()))
        assert [found for found in desk.config.rglob("*") if path.stem in found.name] == []
        with pytest.raises(HistoryError):
            read(path)
        with pytest.raises(ResumeFailed):
            async with open_session(desk.options(model, resume=path.stem)):
                pass
