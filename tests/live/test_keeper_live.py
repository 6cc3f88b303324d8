"""The real CLI behind a keeper: who started it is killed in mid-turn with an ask open, and the turn ends all the same.

The test's own process stands for the one that was started again.
"""

import asyncio
import json
import os
import signal
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.demo.workspace import Workspace, make_workspace
from bascule.recording import Entry, Exit
from bascule.transport.argv import Arguments, argv
from bascule.transport.census import MARK
from bascule.transport.environment import environment
from bascule.transport.keeper import address_of, attach, find_keepers
from bascule.transport.keeperpipe import KeeperPipe, Refused, Written
from bascule.transport.launch import Launch
from tests.keeper.place import Place
from tests.transport.programs import alive, gone, lines, program, read_all, running_with

STARTER = """
    import asyncio, json, sys
    from pathlib import Path
    import msgspec
    from bascule.transport.keeper import attach, spawn_keeper
    from bascule.transport.launch import Launch

    async def main():
        folder, prompt = Path(sys.argv[1]), sys.argv[2]
        await spawn_keeper(msgspec.json.decode(sys.stdin.read(), type=Launch), folder, session_id="one")
        async with attach(folder) as pipe:
            pipe.write(("note", "the prompt of the first"), ("in", prompt))
            while entries := await pipe.read():
                if any(entry.dir == "out" and '"can_use_tool"' in entry.line for entry in entries):
                    print(pipe.line, flush=True)

    asyncio.run(main())
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path)


@pytest.fixture
def launch(claude_cli: Path, workspace: Workspace, model: ScriptedModel) -> Launch:
    """The CLI on the scripted model."""
    env = environment({}, given=workspace.environment(model.url))
    return Launch((str(claude_cli), *argv(Arguments())), env, str(workspace.project))


@pytest.fixture
def model() -> Any:
    """It asks for a tool, and then ends the turn."""
    with ScriptedModel(Script(turn(call("Bash", command="touch made"), say("Made.")))) as model:
        yield model


def prompt(text: str) -> str:
    """The line of a prompt."""
    return json.dumps({"type": "user", "message": {"role": "user", "content": text}, "uuid": str(uuid.uuid4())})


def messages(entries: list[Entry], kind: str) -> list[dict[str, Any]]:
    """What the CLI said of that type."""
    return [message for line in lines(entries) if (message := json.loads(line))["type"] == kind]


def allowed(request: dict[str, Any]) -> str:
    """The line of an answer that allows."""
    answer = {"behavior": "allow", "updatedInput": request["request"]["input"]}
    response = {"subtype": "success", "request_id": request["request_id"], "response": answer}
    return json.dumps({"type": "control_response", "response": response})


@asynccontextmanager
async def started(place: Place, launch: Launch) -> AsyncIterator[int]:
    """A program that starts the session and says the prompt, killed where the block ends; gives the line of the ask."""
    starter = program(place.here, STARTER, name="starter")
    process = await asyncio.create_subprocess_exec(
        *starter.argv,
        *(str(place.folder()), prompt("go")),
        stdin=-1,
        stdout=-1,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(msgspec.json.encode(launch))
    process.stdin.write_eof()
    try:
        yield int(await process.stdout.readline())
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def until(pipe: KeeperPipe, kind: str) -> list[Entry]:
    """What comes up to a message of that type."""
    seen: list[Entry] = []
    while entries := await pipe.read():
        seen += entries
        if messages(seen, kind):
            return seen
    raise AssertionError(f"the CLI ended without a {kind}")


@pytest.mark.smoke
async def test_a_turn_survives_the_death_of_who_started_it(
    tmp_path: Path, launch: Launch, workspace: Workspace
) -> None:
    place = Place(tmp_path)
    try:
        async with started(place, launch) as asked_at:
            (address,) = find_keepers(place.state).living
        assert alive(address.cli)
        async with attach(place.folder()) as whole, attach(place.folder(), after=asked_at) as last:
            seen = await until(whole, "control_request")
            (request,) = messages(seen, "control_request")
            assert request["request"]["subtype"] == "can_use_tool"
            assert asked_at <= whole.history_until <= last.history_until  # The CLI may write between the two.
            assert isinstance(await last.send(("note", "by the second"), ("in", allowed(request))), Written)
            assert isinstance(await whole.send(("note", "too late"), ("in", allowed(request))), Refused)
            tail = await until(last, "result")
            assert messages(tail, "result")[-1]["result"] == "Made."
            assert (workspace.project / "made").exists()
            seen += await until(whole, "result")
            assert await last.close() == Exit(code=0)
            seen += await read_all(whole)
            tail += await read_all(last)
        await gone(address.pid)
        assert seen == place.recorded()
        assert tail == seen[asked_at:]
        assert len([line for line in lines(seen, "in") if "control_response" in line]) == 1
        assert lines(seen, "note") == ["the prompt of the first", "by the second"]
        assert running_with(f"{MARK}={address.mark}") == []
        assert address_of(place.folder()).exit == Exit(code=0)
    finally:
        place.clear()


async def test_the_cli_ends_when_its_keeper_is_killed(tmp_path: Path, launch: Launch) -> None:
    place = Place(tmp_path)
    try:
        async with started(place, launch):
            (address,) = find_keepers(place.state).living
            os.kill(address.pid, signal.SIGKILL)
            await gone(address.pid)
            await gone(address.cli)
        assert running_with(f"{MARK}={address.mark}") == []
        assert find_keepers(place.state).living == ()
    finally:
        place.clear()
