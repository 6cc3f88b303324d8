"""What somebody on the machine, or in a session, finds of a running server's secrets: nothing that helps him."""

import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.demo.workspace import clean_environment
from bascule.store.sqlite import open_store
from tests.cli.server import Machine, Server

SECRET = "hunter2-and-some-more-letters"
KEY = "sk-ant-api03-" + "A1b2C3d4" * 8
ASKS = turn(call("Bash", command="touch made"), say("Made."))


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with ScriptedModel(Script(ASKS, ASKS)) as model:
        secrets = {"AWS_SECRET_ACCESS_KEY": SECRET, "OPENAI_API_KEY": SECRET, "ANTHROPIC_API_KEY": KEY}
        machine = Machine(tmp_path, {**clean_environment(model.url, tmp_path / "home"), **secrets})
        yield machine
        machine.clear()


def start(machine: Machine) -> dict[str, Any]:
    return {"type": "start", "command_id": "c1", "session": "a", "cwd": str(machine.workspace), "prompt": f"go {KEY}"}


async def started(server: Server, machine: Machine, **options: object) -> None:
    """A session that asks."""
    receipt = await server.send(**start(machine), options=options)
    assert receipt["session"] == "a", receipt
    await server.ask()


def deaf_to_servers(cli: Path) -> Path:
    """A CLI that takes servers of tools, and has none of them."""
    path = cli.with_name("deaf")
    drop = "[word for word in sys.argv[1:] if not word.startswith('--mcp-config')]"
    path.write_text(f"#!{sys.executable}\nimport subprocess, sys\nsys.exit(subprocess.call([{str(cli)!r}, *{drop}]))\n")
    path.chmod(0o755)
    return path


def files_below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def said(pid: int, what: str) -> bytes:
    return Path("/proc", str(pid), what).read_bytes()


async def test_secrets_of_servers_stand_in_no_command_line_and_in_files_of_their_owner(machine: Machine) -> None:
    server_of_tools = {"command": "true", "env": {"TOKEN": SECRET}}
    machine.cli = deaf_to_servers(machine.cli)
    async with machine.serving() as server:
        await started(server, machine, mcp_servers={"tools": server_of_tools})
        (keeper,) = machine.keepers().living
        for pid in (server.process.pid, keeper.pid, keeper.cli):
            assert SECRET.encode() not in said(pid, "cmdline")
        assert SECRET.encode() not in said(keeper.pid, "environ")
        holders = [path for path in files_below(machine.state) if SECRET.encode() in path.read_bytes()]
        assert "mcp.json" in {path.name for path in holders}
        assert {stat.S_IMODE(path.stat().st_mode) for path in holders} == {0o600}
    assert SECRET not in machine.said


async def test_all_that_a_server_keeps_is_its_owners_alone(machine: Machine) -> None:
    async with machine.serving() as server:
        await started(server, machine)
        below = [path for path in machine.state.rglob("*") if not path.is_symlink()]
        assert {path.name for path in below} >= {"recording.jsonl", "bascule.db", "hub.json", "keeper.json", "run"}
        assert [path for path in (machine.state, *below) if path.stat().st_mode & 0o077] == []


async def test_no_file_holds_a_key_but_the_one_that_is_left_for_the_owners_programs(machine: Machine) -> None:
    async with machine.serving() as server:
        made = await server.post("/api/tokens", {"role": "approver", "label": "Ben"})
        printed = server.url.partition("#token=")[2]
        assert len(made["token"]) >= 32
        assert made["token"] != printed
        for secret, where in ((made["token"], set()), (printed, set()), (server.token, {"hub.json"})):
            held = {path.name for path in files_below(machine.home) if secret.encode() in path.read_bytes()}
            assert held == where
    assert not (machine.state / "hub.json").exists()
    assert made["token"] not in machine.said


async def test_a_token_that_was_printed_opens_nothing_once_its_server_has_ended_and_none_is_used_twice(
    machine: Machine,
) -> None:
    async with machine.serving() as first:
        old = first.url.partition("#token=")[2]
        assert await first.status_with(old) == 200
    async with machine.serving() as second:
        assert second.url.partition("#token=")[2] != old
        assert await second.status_with(old) == 401


async def test_L112_a_session_gets_no_variable_that_is_not_on_the_list(machine: Machine) -> None:
    async with machine.serving(api_key=False) as server:
        await started(server, machine)
        (keeper,) = machine.keepers().living
        environ = said(keeper.cli, "environ")
        assert b"ANTHROPIC_BASE_URL=" in environ
        for secret in (SECRET, KEY):
            assert secret.encode() not in environ
        assert not [
            word for word in said(keeper.pid, "environ").split(b"\0") if word and not word.startswith(b"MALLOC")
        ]


async def test_what_leaves_the_server_bears_no_secret_though_the_recording_is_raw(machine: Machine) -> None:
    async with machine.serving() as server:
        await started(server, machine)
        raw = machine.state / "sessions" / "a" / "recording.jsonl"
        assert KEY in raw.read_text()
        for path in ("recording", "export?form=markdown", "export?form=json"):
            told = await server.text(f"/api/sessions/a/{path}")
            assert "go " in told, path
            assert KEY not in told, path


async def test_logins_keys_and_decisions_are_on_record_with_who_it_was(machine: Machine) -> None:
    async with machine.serving() as server:
        token = server.url.partition("#token=")[2]
        await server.post("/login", {"token": token, "label": "phone"})
        await server.post("/api/tokens", {"role": "viewer", "label": "Ben"})
        await started(server, machine)
        pending = (await server.ask())["request"]["pending_id"]
        decide = {"type": "decide", "command_id": "c2", "session": "a", "pending_id": pending}
        await server.send(**decide, decision={"verb": "deny"})
    store = await open_store(machine.state / "bascule.db")
    rows = await store.audit()
    await store.close()
    assert {"login", "key_made", "decide", "start"} <= {row.what for row in rows}
    decided = next(row for row in rows if row.what == "decide")
    assert (decided.session, bool(decided.who), "deny" in (decided.detail or "")) == ("a", True, True)
    assert not [row for row in rows if token in str(row)]


async def test_a_session_cannot_be_had_to_write_over_the_store(machine: Machine) -> None:
    """Not even where a rule allows it, and the store lies in the workspace."""
    rules = machine.home / ".config" / "bascule"
    rules.mkdir(parents=True)
    (rules / "rules.toml").write_text('[[rule]]\naction = "allow"\ntool = "Bash"\nmatch = "touch *"\n')
    async with machine.serving("--store", str(machine.workspace / "other")) as server:
        await server.send(**start(machine))
        assert (await server.end_of_turn("a"))["outcome"] == "success"
        assert (machine.workspace / "made").exists()
    store = machine.workspace / "made"
    store.unlink()
    machine.clear()
    shutil.rmtree(machine.state / "sessions")
    async with machine.serving("--store", str(store)) as server:
        await started(server, machine)
        assert (await server.ask())["request"]["title"] == "touch made"
