"""A hub whose processes stand behind keepers: it is killed, and nobody loses anything by it."""

import asyncio
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvloop

from bascule.commands import AllowOnce, Decide, Prompt, Start, Taken
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.demo.workspace import clean_environment
from bascule.errors import RecordingGone, StoreError
from bascule.events import Complete, Error, PermissionRequest, SessionAsleep, SessionEnded
from bascule.hub.keepers import MADE_BY
from bascule.hub.live import now_ms
from bascule.hub.pruning import prune
from bascule.hub.retention import DAY_MS, Limits
from bascule.ids import CommandId, SessionId
from bascule.store.rows import Checkpoint
from bascule.store.sqlite import open_store
from bascule.testing.fake_cli import install
from bascule.transport.keeper import find_keepers
from tests.hub.far import seen, until
from tests.hub.outlived import Client, Home, killed, once_each
from tests.keeper.place import cut_off
from tests.transport.programs import gone, program, running_with, steps

A = SessionId("a")
ASKS = turn(call("Bash", command="touch made"), say("Made."))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    home = Home(tmp_path)
    yield home
    home.clear()


def told(home: Home, model: ScriptedModel, **settings: object) -> None:
    (home.folder / "home").mkdir()
    home.settle(cli=install(home.folder), env=clean_environment(model.url, home.folder / "home"), **settings)


async def test_a_hub_is_killed_in_mid_turn_and_the_next_one_goes_on(home: Home) -> None:
    client = Client(["a", "b", "c"])
    with ScriptedModel(Script(ASKS, ASKS, ASKS)) as model:
        told(home, model)
        async with killed(home, client, prompt="go", kind=PermissionRequest):
            pass
        async with home.hub() as hub:
            asks = await hub.asks()
            assert sorted(ask.session for ask in asks) == ["a", "b", "c"]
            for ask in asks:
                decide = Decide(
                    command_id=CommandId(f"allow {ask.session}"),
                    session=ask.session,
                    pending_id=ask.request.pending_id,
                    decision=AllowOnce(),
                )
                assert await hub.send(decide) == Taken()
            for name in client.seen:
                await client.follow(hub, name, Complete)
                events = client.seen[name]
                assert once_each(events)
                assert isinstance(events[-1], Complete)
                assert events[-1].outcome == "success"
                assert tuple(events) == await hub.store.events(SessionId(name))
    assert len(find_keepers(home.state).living) == 3


async def test_a_second_hub_on_the_same_store_is_refused_and_the_first_goes_on(home: Home) -> None:
    with ScriptedModel(Script(turn(say("One.")))) as model:
        told(home, model)
        async with home.hub() as hub:
            with pytest.raises(StoreError, match="another hub uses"):
                async with home.hub():
                    pass
            await hub.send(Start(command_id=CommandId("s"), session=A, cwd=str(home.workspace), prompt="go"))
            assert (await seen(hub, Complete, of=A)).outcome == "success"


async def test_what_prevents_a_session_from_beginning_is_told_in_it(home: Home) -> None:
    rules = home.folder / "config" / "bascule" / "rules.toml"
    rules.parent.mkdir(parents=True)
    rules.write_text("[[rule]]\n")
    with ScriptedModel(Script()) as model:
        told(home, model)
        async with home.hub() as hub:
            await hub.send(Start(command_id=CommandId("s"), session=A, cwd=str(home.workspace), prompt="go"))
            error = await seen(hub, Error, of=A)
            assert (error.kind, "rules.toml:1:1" in error.message) == ("start_failed", True)
            assert find_keepers(home.state).living == ()


async def test_a_session_sleeps_and_wakes_in_the_same_recording(home: Home) -> None:
    with ScriptedModel(Script(turn(say("One.")), turn(say("Two.")))) as model:
        told(home, model, idle_sleep_s=0.0, look_every_s=0.05)
        client = Client(["a"])
        async with killed(home, client, prompt="go", kind=SessionAsleep):
            pass
        async with home.hub() as hub:
            again = Prompt(command_id=CommandId("again"), session=A, text="Again")
            assert isinstance(await hub.send(again), Taken)
            await client.follow(hub, "a", SessionAsleep)
            events = client.seen["a"]
            assert once_each(events)
            assert [event.text for event in events if isinstance(event, Complete)] == ["One.", "Two."]
            assert tuple(events) == await hub.store.events(A)
            await hub.live(A).put_down()
        assert find_keepers(home.state).living == ()


async def test_a_keeper_is_killed_with_its_hub_and_the_next_prompt_resumes(home: Home) -> None:
    with ScriptedModel(Script(turn(say("One.")), ASKS, turn(say("Three.")))) as model:
        told(home, model)
        client = Client(["a"])
        async with killed(home, client, prompt="go", kind=Complete):
            (keeper,) = find_keepers(home.state).living
            os.kill(keeper.pid, signal.SIGKILL)
        await gone(keeper.pid)
        await gone(keeper.cli)
        async with home.hub() as hub:
            await client.follow(hub, "a", SessionEnded)
            await until(hub, "lost", of=A)
            again = Prompt(command_id=CommandId("again"), session=A, text="Again")
            await hub.send(again)
            await client.follow(hub, "a", PermissionRequest)
            assert once_each(client.seen["a"])
            assert tuple(client.seen["a"]) == await hub.store.events(A)
            await seen(hub, PermissionRequest, of=A)


async def test_without_its_recording_a_session_numbers_nothing_twice(home: Home) -> None:
    with ScriptedModel(Script(turn(say("One.")))) as model:
        told(home, model, idle_sleep_s=0.0, look_every_s=0.05)
        client = Client(["a"])
        async with killed(home, client, prompt="go", kind=SessionAsleep):
            pass
        async with home.hub() as hub:
            while hub.is_busy(A):
                await steps(1)
            assert (await hub.processes.recorded())[A] > 0
            shutil.rmtree(hub.processes.recording(A).parent)
            before = await hub.store.events(A)
            await hub.send(Prompt(command_id=CommandId("again"), session=A, text="Again"))
            while not hub.live(A).spec.holds_queue:
                await steps(1)
            while hub.live(A).has_process:
                await steps(1)
            assert await hub.store.events(A) == before
            assert not hub.processes.recording(A).exists()
            with pytest.raises(RecordingGone, match="fork the session"):
                async with hub.processes.open(hub.live(A).row, hub.live(A).journal):
                    pass


async def test_a_session_that_slept_too_long_leaves_nothing_on_the_disk(home: Home) -> None:
    with ScriptedModel(Script(turn(say("One.")))) as model:
        told(home, model, idle_sleep_s=0.0, look_every_s=0.05)
        client = Client(["a"])
        async with killed(home, client, prompt="go", kind=SessionAsleep):
            pass
        async with home.hub() as hub:
            while hub.is_busy(A):
                await steps(1)
            (gone,) = await prune(hub, Limits(keep_days=90), now=now_ms() + 91 * DAY_MS)
            assert (gone.what, gone.recorded > 0) == ("session", True)
            assert list((home.state / "sessions").iterdir()) == []
            assert await hub.store.check() == ()


@pytest.mark.parametrize(
    ("made_by", "body"),
    [("bascule 0.0.1, Python 3.11", b"of a form that nobody knows any more"), (MADE_BY, b"damaged"), (MADE_BY, b"")],
    ids=["of another version", "damaged", "empty"],
)
async def test_a_checkpoint_that_cannot_be_read_costs_time_only(home: Home, made_by: str, body: bytes) -> None:
    with ScriptedModel(Script(ASKS)) as model:
        told(home, model)
        client = Client(["a"])
        async with killed(home, client, prompt="go", kind=PermissionRequest):
            pass
        store = await open_store(home.state / "hub.db")
        await store.put_checkpoint(A, Checkpoint(3, made_by, body))
        await store.close()
        async with home.hub() as hub:
            (ask,) = await hub.asks()
            allow = Decide(
                command_id=CommandId("allow"), session=A, pending_id=ask.request.pending_id, decision=AllowOnce()
            )
            assert await hub.send(allow) == Taken()
            await client.follow(hub, "a", Complete)
            assert once_each(client.seen["a"])
            assert tuple(client.seen["a"]) == await hub.store.events(A)


async def test_a_keeper_whose_socket_is_gone_is_ended_and_its_session_too(home: Home) -> None:
    with ScriptedModel(Script(ASKS, turn(say("Two.")))) as model:
        told(home, model)
        client = Client(["a"])
        async with killed(home, client, prompt="go", kind=PermissionRequest):
            (keeper,) = find_keepers(home.state).living
            cut_off(keeper)
        async with home.hub() as hub:
            await client.follow(hub, "a", SessionEnded)
            await gone(keeper.pid)
            await gone(keeper.cli)
            await until(hub, "ended", of=A)
            assert await hub.asks() == ()
            again = Prompt(command_id=CommandId("again"), session=A, text="Again")
            await hub.send(again)
            await client.follow(hub, "a", Complete)
            assert once_each(client.seen["a"])
            assert tuple(client.seen["a"]) == await hub.store.events(A)


def test_a_keeper_is_begun_from_the_loop_of_a_server_too(home: Home) -> None:
    async def begun() -> str:
        async with home.hub() as hub:
            await hub.send(Start(command_id=CommandId("s"), session=A, cwd=str(home.workspace), prompt="go"))
            return (await seen(hub, Complete, of=A)).outcome

    with (
        ScriptedModel(Script(turn(say("One.")))) as model,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        told(home, model)
        assert runner.run(begun()) == "success"


STUBBORN = """
    import signal, subprocess, sys
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.run([CLI, *sys.argv[1:]])
    signal.pause()
"""


async def test_what_the_cli_of_a_killed_keeper_left_is_ended_while_the_hub_lives(home: Home) -> None:
    with ScriptedModel(Script(turn(say("One.")))) as model:
        told(home, model)
        cli = program(home.folder, STUBBORN.replace("CLI", repr(str(home.folder / "claude"))), name="stubborn")
        home.settle(cli=Path(cli.argv[0]), env=clean_environment(model.url, home.folder / "home"))
        async with home.hub() as hub:
            await hub.send(Start(command_id=CommandId("a"), session=A, cwd=str(home.workspace), prompt="go"))
            await seen(hub, Complete, of=A)
            (keeper,) = find_keepers(home.state).living
            os.kill(keeper.pid, signal.SIGKILL)
            await seen(hub, SessionEnded, of=A)
            await gone(keeper.cli)
            await until(hub, "lost", of=A)
            assert running_with(f"BASCULE_PROCESS={keeper.mark}") == []
