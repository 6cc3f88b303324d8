"""A host dies at once, as by `kill -9`, and another takes its session over: on the real CLI, through a real keeper."""

import json
import sys
from asyncio import create_subprocess_exec, subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bascule.commands import AllowOnce, Taken
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn, wait
from bascule.events import AnyEvent, PermissionRequest, PermissionResolved, PolicyDecided
from bascule.mcp.tool import tool
from bascule.session.keeping import Kept, restored
from bascule.session.rejoining import rejoin
from bascule.session.session import Session
from bascule.transport.keeper import attach
from tests.keeper.place import Place
from tests.live.host import PROMPT, SESSION, options_of
from tests.live.stage import Stage, bash, seen

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Where the keeper lives; it does not outlive the test."""
    place = Place(tmp_path)
    yield place
    place.clear()


@tool(name="wait")
async def wait_no_more() -> str:
    """Waits."""
    return "waited"


class Scene:
    """Two hosts of one session."""

    def __init__(self, stage: Stage, model: ScriptedModel, folder: Path) -> None:
        self._folder = folder
        env = {**stage.env, "ANTHROPIC_BASE_URL": model.url}
        self._order = {"cli": str(stage.cli), "workspace": str(stage.workspace), "env": env, "folder": str(folder)}

    async def host(self, until: str, then: Callable[[], None] = lambda: None) -> None:
        """The first one, killed when it has said this, and something more has happened."""
        process = await create_subprocess_exec(
            sys.executable, "-m", "tests.live.host", cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(self._order).encode())
        process.stdin.close()
        try:
            while (said := await process.stdout.readline()) != f"{until}\n".encode():
                assert said, "the host ended by itself"
            then()
        finally:
            process.kill()
            await process.wait()

    async def recorded(self, word: str) -> None:
        """Returns when the CLI has said it, with whoever is its host."""
        async with attach(self._folder) as pipe:
            while entries := await pipe.read():
                if any(entry.dir == "out" and word in entry.line for entry in entries):
                    return
        raise AssertionError(f"the CLI ended and never said {word}")

    @asynccontextmanager
    async def back(self, kept: Kept | None = None) -> AsyncIterator[Session]:
        """The second one."""
        options = options_of(self._order, wait_no_more)
        async with (
            attach(self._folder, after=kept.line if kept else 0) as pipe,
            rejoin(pipe, options, kept=kept) as session,
        ):
            yield session

    async def ends_well(self, session: Session) -> list[AnyEvent]:
        """The turn of the prompt that the first host sent comes to its end; all events."""
        handle = session.handle(PROMPT)
        assert handle is not None
        assert (await handle).text == "Done."
        await session.end()
        return [event async for event in session.events()]


@asynccontextmanager
async def scene(stage: Stage, place: Place, *steps: Any) -> AsyncIterator[tuple[Scene, ScriptedModel]]:
    """Of a model that plays a turn of these steps."""
    async with ScriptedModel(Script(turn(*steps, say("Done.")))) as model:
        yield Scene(stage, model, place.folder(SESSION)), model


async def test_an_open_ask_outlives_the_host(stage: Stage, place: Place) -> None:
    async with scene(stage, place, bash("touch made")) as (play, _):
        await play.host(until="asking")
        async with play.back() as session:
            ask = await seen(session, PermissionRequest)
            assert await session.decide(ask.pending_id, AllowOnce(), by="Anna") == Taken()
            events = await play.ends_well(session)
    assert stage.path("made").exists()
    assert [event.by for event in events if isinstance(event, PermissionResolved)] == ["Anna"]
    assert [event.seq for event in events] == [*range(1, len(events) + 1)]


async def test_what_is_asked_while_nobody_is_there_waits_for_the_next_host(stage: Stage, place: Place) -> None:
    """The policy's hook is not answered, so the CLI has not even asked yet."""
    async with scene(stage, place, wait("gate"), bash("touch made")) as (play, model):
        await play.host(until="prompted", then=model.gate("gate").reached)
        model.gate("gate").open()
        await play.recorded('"hook_callback"')
        async with play.back() as session:
            ask = await seen(session, PermissionRequest)
            assert await session.decide(ask.pending_id, AllowOnce()) == Taken()
            await play.ends_well(session)
    assert stage.path("made").exists()


async def test_what_needs_no_person_is_decided_by_the_next_host(stage: Stage, place: Place) -> None:
    async with scene(stage, place, wait("gate"), bash("echo made")) as (play, model):
        await play.host(until="prompted", then=model.gate("gate").reached)
        model.gate("gate").open()
        await play.recorded('"hook_callback"')
        async with play.back() as session:
            events = await play.ends_well(session)
    assert "allow" in [event.verdict for event in events if isinstance(event, PolicyDecided)]


async def test_a_call_of_a_tool_of_ours_is_made_again(stage: Stage, place: Place) -> None:
    async with scene(stage, place, call("mcp__here__wait")) as (play, model):
        await play.host(until="called")
        async with play.back() as session:
            await play.ends_well(session)
        assert "waited" in str(model.asked[-1].body)


async def test_hosts_come_and_go_with_checkpoints(stage: Stage, place: Place) -> None:
    async with scene(stage, place, bash("touch made")) as (play, _):
        await play.host(until="asking")
        async with play.back() as session:
            kept = await session.checkpoint()
        async with play.back(restored(kept)) as session:
            (ask,) = session.asks
            assert await session.decide(ask.pending_id, AllowOnce()) == Taken()
            await play.ends_well(session)
    assert stage.path("made").exists()
