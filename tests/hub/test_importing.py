"""A conversation that was begun without a hub is found, taken over once, and gone on with."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bascule.commands import Archive, Import, Prompt, Receipt, Refused, Start, Taken
from bascule.conversation import PastConversation
from bascule.events import (
    AnyEvent,
    Complete,
    Error,
    MessageChunk,
    Notice,
    PromptAccepted,
    SessionAsleep,
    ToolCall,
)
from bascule.hub.hub import Hub
from bascule.ids import CliSessionId, SessionId
from bascule.session.options import Options
from bascule.session.ownership import owned, owners_folder
from tests.history.shelf import Shelf, call, jsonl, number, prompt, reply, result
from tests.hub.far import House, until
from tests.hub.troubled import FullStore
from tests.transport.programs import steps

ID = number(1)


class Desk:
    """A house, and the folder of the CLI that it looks into."""

    def __init__(self, folder: Path) -> None:
        self.store = FullStore()
        self.shelf = Shelf(folder / "config")
        self.workspace = folder / "shop"
        self.workspace.mkdir()
        options = Options(stop_git_check=False, env={"CLAUDE_CONFIG_DIR": str(self.shelf.config)})
        self.house = House(options=options, store=self.store)

    def put(self, *more: dict[str, Any], text: str = "Mend it") -> Path:
        """A conversation in the workspace."""
        cwd = str(self.workspace)
        path = self.shelf.make(
            prompt("a", None, text, cwd=cwd, sessionId=ID),
            call("b", "a", "t1", cwd=cwd, sessionId=ID),
            result("c", "b", "t1", cwd=cwd, sessionId=ID),
            reply("d", "c", "Mended.", cwd=cwd, sessionId=ID),
            *more,
            cwd=cwd,
        )
        assert path.stem == ID
        return path

    async def take(self, hub: Hub, **given: Any) -> Receipt:
        """Import it."""
        named = given or {"cli_session_id": CliSessionId(ID)}
        return await hub.send(Import(command_id=self.house.id(), **named))


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "own"))
    return Desk(tmp_path)


def session_of(receipt: Receipt) -> SessionId:
    assert isinstance(receipt, Taken)
    assert receipt.session is not None
    return receipt.session


async def one_of(hub: Hub) -> PastConversation:
    """The only one in the list."""
    page = await hub.past()
    assert page.after is None
    (one,) = page.conversations
    return one


async def what_happened(hub: Hub, session: SessionId) -> tuple[AnyEvent, ...]:
    return await hub.window(session)


async def test_conversations_of_all_folders_are_listed_with_what_is_known(desk: Desk) -> None:
    path = desk.put({"type": "custom-title", "customTitle": "The fence"})
    async with desk.house.hub() as hub:
        one = await one_of(hub)
        assert (one.id, one.title, one.first_prompt, one.cwd) == (ID, "The fence", "Mend it", str(desk.workspace))
        assert (one.messages, one.bytes, one.damaged, one.branch) == (4, path.stat().st_size, False, "main")
        assert (one.session, one.pid) == (None, None)
        assert (await hub.past(words="house")).conversations == ()


async def test_it_becomes_a_session_that_sleeps_and_shows_what_was_said(desk: Desk) -> None:
    desk.put()
    async with desk.house.hub() as hub:
        session = session_of(await desk.take(hub))
        assert desk.house.processes.begun_with == []
        facts = hub.live(session).facts()
        assert (facts.status, facts.title, facts.turns) == ("asleep", "Mend it", 1)
        assert (facts.cwd, facts.cli_session_id) == (str(desk.workspace), ID)
        events = await what_happened(hub, session)
        assert [type(event) for event in events if isinstance(event, PromptAccepted | ToolCall | MessageChunk)] == [
            PromptAccepted,
            ToolCall,
            MessageChunk,
        ]
        assert isinstance(events[-1], SessionAsleep)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert (await one_of(hub)).session == session


async def test_its_first_prompt_goes_on_with_the_conversation(desk: Desk) -> None:
    desk.put()
    async with desk.house.hub() as hub:
        session = session_of(await desk.take(hub))
        said = await hub.send(Prompt(command_id=desk.house.id(), session=session, text="And now?"))
        await until(hub, "running", of=session)
        assert [options.resume for options in desk.house.processes.begun_with] == [ID]
        assert isinstance(said, Taken)
        desk.house.processes.of(session).turn(said.prompt_id or "")
        await until(hub, "idle", of=session)
        ends = [event for event in await what_happened(hub, session) if isinstance(event, Complete)]
        assert [(end.turn, end.outcome) for end in ends] == [(1, "success"), (2, "success")]


async def test_L58_one_that_comes_back_empty_is_quarantined(desk: Desk) -> None:
    desk.put()
    async with desk.house.hub() as hub:
        session = session_of(await desk.take(hub))
        said = await hub.send(Prompt(command_id=desk.house.id(), session=session, text="And now?"))
        await until(hub, "running", of=session)
        assert isinstance(said, Taken)
        far = desk.house.processes.of(session)
        far.begins(said.prompt_id or "")
        far.result(said.prompt_id or "", num_turns=0, result="")
        await until(hub, "quarantined", of=session)
        assert "resume_empty" in [one.kind for one in await what_happened(hub, session) if isinstance(one, Error)]


async def test_it_is_taken_over_once_whoever_asks_and_however_often(desk: Desk) -> None:
    desk.put()
    async with desk.house.hub() as hub:
        command = Import(command_id=desk.house.id(), cli_session_id=CliSessionId(ID))
        receipts = await asyncio.gather(hub.send(command), hub.send(command), desk.take(hub), desk.take(hub))
        assert len(set(map(session_of, receipts))) == 1
        assert len(await hub.sessions()) == 1
    async with desk.house.hub() as hub:
        assert await hub.send(command) == receipts[0]
        assert await desk.take(hub) == receipts[0]


async def test_a_session_that_goes_on_with_it_already_is_given(desk: Desk) -> None:
    desk.put()
    async with desk.house.hub() as hub:
        mine = Start(command_id=desk.house.id(), session=SessionId("mine"), cwd=str(desk.workspace), resume=ID.upper())
        copy = replace(mine, command_id=desk.house.id(), session=SessionId("copy"), fork=True)
        await hub.send(mine)
        await hub.send(copy)
        assert (await one_of(hub)).session == "mine"
        assert await desk.take(hub) == Taken(session=SessionId("mine"))


async def test_one_that_is_archived_is_put_back(desk: Desk) -> None:
    desk.put()
    async with desk.house.hub() as hub:
        session = session_of(await desk.take(hub))
        await hub.send(Archive(command_id=desk.house.id(), session=session))
        assert await hub.sessions() == ()
        assert await desk.take(hub) == Taken(session=session)
        assert [one.id for one in await hub.sessions()] == [session]


async def test_a_hub_that_died_before_it_told_tells_when_it_comes_back(desk: Desk) -> None:
    desk.put()
    async with desk.house.hub() as hub:
        session = session_of(await desk.take(hub))
        told, row = await what_happened(hub, session), hub.live(session).row
    await desk.house.store.forget_session(session)
    await desk.house.store.put_session(replace(row, keeper={"since": 1}, spec={}))
    async with desk.house.hub() as hub:
        await hub.live(session).ready()
        assert await what_happened(hub, session) == told


async def test_it_is_named_by_the_path_of_its_file_as_well(desk: Desk) -> None:
    path = desk.put()
    async with desk.house.hub() as hub:
        assert session_of(await desk.take(hub, path=str(path))) == session_of(await desk.take(hub))


async def test_it_goes_on_in_another_workspace_if_that_is_wanted(desk: Desk, tmp_path: Path) -> None:
    desk.put()
    async with desk.house.hub() as hub:
        session = session_of(await desk.take(hub, cli_session_id=CliSessionId(ID), cwd=str(tmp_path)))
        assert hub.live(session).row.cwd == str(tmp_path)


async def test_a_damaged_file_is_read_as_far_as_it_goes_and_its_lines_are_named(desk: Desk) -> None:
    path = desk.put()
    with path.open("ab") as file:
        file.write(b"nonsense\n" + jsonl([prompt("e", "d", "Go on", sessionId=ID)]) + b'{"type":"assist')
    async with desk.house.hub() as hub:
        assert (await one_of(hub)).damaged
        events = await what_happened(hub, session_of(await desk.take(hub)))
        assert [one.text for one in events if isinstance(one, PromptAccepted)] == ["Mend it", "Go on"]
        (warning,) = [one.text for one in events if isinstance(one, Notice) and one.level == "warning"]
        assert warning.endswith("line 5, 7")


async def refusal(desk: Desk, **given: Any) -> str:
    """Why nothing came of an import."""
    async with desk.house.hub() as hub:
        receipt = await desk.take(hub, **given)
        assert isinstance(receipt, Refused)
        assert await hub.sessions(archived=True) == ()
        return receipt.reason


async def test_L57_one_that_another_session_owns_is_refused(desk: Desk) -> None:
    desk.put()
    with owned(ID, owners_folder()):
        assert f"open in another session (process {os.getpid()})" in await refusal(desk)
    async with desk.house.hub() as hub:
        session_of(await desk.take(hub))
        with owned(ID, owners_folder()):  # an import lets go of it: the process of the first prompt owns it
            assert hub.lives()


async def test_L57_one_that_a_cli_has_open_is_told_and_refused(desk: Desk) -> None:
    desk.put()
    folder = desk.shelf.config / "sessions"
    folder.mkdir()
    (folder / "1.json").write_text(json.dumps({"pid": os.getpid(), "sessionId": ID}))
    async with desk.house.hub() as hub:
        assert (await one_of(hub)).pid == os.getpid()
    assert f"open in process {os.getpid()}" in await refusal(desk)


async def test_what_is_no_conversation_is_refused(desk: Desk, tmp_path: Path) -> None:
    desk.put()
    side = desk.shelf.make(prompt("x", None, "sub", isSidechain=True))
    assert "there is no conversation" in await refusal(desk, cli_session_id=CliSessionId(number(99)))
    assert "there is no conversation" in await refusal(desk, cli_session_id=CliSessionId("../../etc/passwd"))
    assert "nothing was said in it" in await refusal(desk, cli_session_id=CliSessionId(side.stem))
    assert "is no session file" in await refusal(desk, path=str(tmp_path / "agent-1.jsonl"))
    assert "by cli_session_id or by path" in await refusal(desk, cwd=str(tmp_path))
    assert "not by both" in await refusal(desk, cli_session_id=CliSessionId(ID), path="/x")


async def test_a_file_from_elsewhere_is_refused(desk: Desk, tmp_path: Path) -> None:
    path = desk.put()
    elsewhere = tmp_path / path.name
    elsewhere.write_bytes(path.read_bytes())
    assert "not where Claude Code goes on" in await refusal(desk, path=str(elsewhere))
    assert "not where Claude Code goes on" in await refusal(desk, path=str(tmp_path / "nowhere" / path.name))


async def test_a_copy_under_another_name_is_refused(desk: Desk) -> None:
    desk.put()
    copy = desk.shelf.make(prompt("a", None, "Mend it", cwd=str(desk.workspace), sessionId=ID))
    assert f"is a copy of the conversation {ID}" in await refusal(desk, cli_session_id=CliSessionId(copy.stem))


async def test_a_workspace_that_is_not_there_is_refused(desk: Desk) -> None:
    desk.put()
    desk.workspace.rmdir()
    assert "which is no folder: make it, or name another" in await refusal(desk)


async def test_a_conversation_without_a_workspace_needs_one_named(desk: Desk, tmp_path: Path) -> None:
    made = prompt("a", None, "Hi", sessionId=ID)
    del made["cwd"]
    desk.shelf.make(made)
    assert "does not say in which folder it was" in await refusal(desk)
    async with desk.house.hub() as hub:
        await desk.take(hub, cli_session_id=CliSessionId(ID), cwd=str(tmp_path))
        await steps(3)
        assert len(await hub.sessions()) == 1


async def test_an_import_that_finds_no_room_leaves_nothing(desk: Desk) -> None:
    desk.put()
    desk.store.full_for = {"put_session"}
    assert "disk is full" in await refusal(desk)
    assert await desk.house.processes.recorded() == {}
    desk.store.full_for = set()
    async with desk.house.hub() as hub:
        session_of(await desk.take(hub))


async def test_one_whose_recording_was_removed_is_imported_anew(desk: Desk) -> None:
    desk.put()
    async with desk.house.hub() as hub:
        first = session_of(await desk.take(hub))
        await hub.live(first).change(recording_gone=True)
        second = session_of(await desk.take(hub))
        assert second != first
