"""`bascule serve` as a process: what keeps it from serving, and what outlives it."""

import os
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.demo.workspace import clean_environment
from bascule.store.sqlite import open_store
from bascule.web.serving import listen
from bascule.web.settings import Settings
from tests.cli.server import Machine
from tests.store.test_store import A, row
from tests.transport.programs import alive

ASKS = turn(call("Bash", command="touch made"), say("Made."))


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with ScriptedModel(Script(ASKS)) as model:
        machine = Machine(tmp_path, clean_environment(model.url, tmp_path / "home"))
        yield machine
        machine.clear()


async def test_a_second_server_on_the_same_store_is_refused_and_the_first_goes_on(machine: Machine) -> None:
    async with machine.serving() as first:
        second = await machine.refused("--port", "0")
        assert second.code == 2
        assert "another hub uses" in second.err
        assert "end it first, or name another store" in second.err
        assert (await first.get("/api/health"))["status"] == "ok"
        async with machine.serving("--store", str(machine.home / "other.db")) as other:
            assert await other.get("/api/sessions") == []


async def test_L90_a_port_in_use_is_said_with_what_to_do_and_ends_no_other_server(machine: Machine) -> None:
    listening, settings = listen(Settings(port=0))
    with listening:
        refused = await machine.refused("--port", str(settings.port))
    assert refused.code == 2
    assert f"127.0.0.1:{settings.port} is in use, maybe by another bascule serve" in refused.err
    assert "choose another --port, or 0 for a free one" in refused.err
    assert "Traceback" not in refused.err


async def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(machine: Machine) -> None:
    async with machine.serving():
        pass
    path = machine.state / "bascule.db"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 9999")
    db.close()
    before = path.read_bytes()
    refused = await machine.refused("--port", "0")
    assert refused.code == 2
    assert "a newer bascule wrote this store (schema 9999" in refused.err
    assert "use that version, or a backup" in refused.err
    assert path.read_bytes() == before


async def test_what_is_no_store_is_refused_and_left_as_it_is(machine: Machine) -> None:
    path = machine.home / "notes.txt"
    path.write_text("not a store, but long enough to be taken for one. " * 50)
    refused = await machine.refused("--port", "0", "--store", str(path))
    assert (refused.code, "is no store" in refused.err) == (2, True)
    assert path.read_text().startswith("not a store")


async def test_what_a_server_removes_is_said_where_a_journal_reads_it(machine: Machine) -> None:
    async with machine.serving():
        pass
    store = await open_store(machine.state / "bascule.db")
    await store.put_session(row(A, updated_at=1))
    await store.close()
    async with machine.serving() as server:
        while await server.get("/api/sessions"):
            pass
    assert machine.said.startswith("bascule: the session a is removed, 0.0 MB: nothing happened in it for ")
    assert machine.said.count("\n") == 1


async def test_a_restart_by_a_service_manager_leaves_keepers_and_asks_as_they_are(machine: Machine) -> None:
    """As `systemctl restart` under `KillMode=process`: SIGTERM to the main process alone, then a new one."""
    async with machine.serving() as first:
        start = {"type": "start", "command_id": "c1", "session": "a", "cwd": str(machine.workspace), "prompt": "go"}
        await first.send(**start)
        asked = await first.ask()
        (keeper,) = machine.keepers().living
        assert os.getsid(keeper.pid) != os.getsid(first.process.pid)
        first.process.send_signal(signal.SIGTERM)
        assert await first.process.wait() == 0
    assert alive(keeper.pid)
    assert alive(keeper.cli)
    async with machine.serving() as second:
        assert machine.keepers().living == (keeper,)
        again = await second.ask()
        assert again["request"] == asked["request"]
        pending = again["request"]["pending_id"]
        decide = {"type": "decide", "command_id": "c2", "session": "a", "pending_id": pending}
        await second.send(**decide, decision={"verb": "allow_once"})
        assert (await second.end_of_turn("a"))["outcome"] == "success"
        events = (await second.get("/api/sessions/a/events"))["events"]
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        assert (machine.workspace / "made").exists()
