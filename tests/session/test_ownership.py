"""A conversation has one owner, a start has its turn, a file of secrets has an end."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bascule.errors import OptionError, SessionInUse
from bascule.session.mcp import config_files
from bascule.session.ownership import owned, owners_folder
from bascule.session.starts import Starts

ID = "11111111-1111-4111-8111-11111111111a"


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_L57_F36_the_second_owner_is_refused_and_told_what_to_do(tmp_path: Path) -> None:
    folder = tmp_path / "locks"
    with owned(ID, folder):
        with pytest.raises(SessionInUse, match=f"{ID} is open in another session") as refused, owned(ID, folder):
            pytest.fail("two owners")
        assert (refused.value.session, refused.value.pid) == (ID, os.getpid())
    with owned(ID.upper(), folder):
        assert names(folder) == [f"{ID}.lock"]
    assert names(folder) == []


def test_another_process_is_another_owner(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from bascule.session.ownership import owned\n"
        f"with owned({ID!r}, Path({str(tmp_path)!r})): print('mine', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"mine\n"
        with pytest.raises(SessionInUse) as refused, owned(ID, tmp_path):
            pytest.fail("two owners")
        assert refused.value.pid == other.pid
        other.kill()
        other.wait()
        with owned(ID, tmp_path):
            assert names(tmp_path) == [f"{ID}.lock"]


def test_F50_a_lock_that_a_crash_left_behind_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / f"{ID}.lock").write_text("4194304999")
    with owned(ID, tmp_path):
        assert (tmp_path / f"{ID}.lock").read_text() == str(os.getpid())


def test_an_owner_that_has_not_written_its_number_yet_owns_all_the_same(tmp_path: Path) -> None:
    with owned(ID, tmp_path):
        (tmp_path / f"{ID}.lock").write_text("")
        with pytest.raises(SessionInUse, match="in another session: end") as refused, owned(ID, tmp_path):
            pytest.fail("two owners")
        assert refused.value.pid is None


@pytest.mark.parametrize("name", [None, "a title of a conversation", "../../etc/passwd"])
def test_what_has_no_id_is_not_owned(tmp_path: Path, name: str | None) -> None:
    with owned(name, tmp_path / "locks"), owned(name, tmp_path / "locks"):
        assert not (tmp_path / "locks").exists()


def test_L60_a_folder_that_is_not_ours_is_not_used_and_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match="XDG_STATE_HOME"), owned(ID, tmp_path / "file" / "below"):
        pytest.fail("locked in a file")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(OptionError, match="not yours"), owned(ID, tmp_path / "link"):
        pytest.fail("locked behind a link")


def test_the_locks_are_this_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    monkeypatch.setenv("XDG_STATE_HOME", "/home/anna/state")
    assert owners_folder() == Path("/home/anna/state/bascule/owners")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/home/anna")
    assert owners_folder() == Path("/home/anna/.local/state/bascule/owners")


def test_servers_go_through_a_file_that_only_its_owner_reads() -> None:
    with config_files({"s": {"command": "c", "env": {"TOKEN": "secret"}}}) as (path,):
        assert Path(path).stat().st_mode & 0o777 == 0o600
        assert json.loads(Path(path).read_text()) == {"mcpServers": {"s": {"command": "c", "env": {"TOKEN": "secret"}}}}
    assert not Path(path).exists()
    with config_files({}) as none:
        assert none == ()


async def test_only_so_many_start_at_once() -> None:
    starts, inside = Starts(2), []

    async def start(name: str, go: asyncio.Event) -> None:
        async with starts.place() as started:
            inside.append(name)
            await go.wait()
            started()
            started()
            inside.remove(name)

    gates = [asyncio.Event() for _ in range(3)]
    async with asyncio.TaskGroup() as tasks:
        for name, gate in zip("abc", gates, strict=True):
            tasks.create_task(start(name, gate), name=name)
        await turns(5)
        assert inside == ["a", "b"]
        gates[0].set()
        await turns(5)
        assert inside == ["b", "c"]
        gates[1].set()
        gates[2].set()


async def test_a_start_that_fails_gives_its_place_back() -> None:
    starts, inside = Starts(1), []
    with pytest.raises(ZeroDivisionError):
        async with starts.place():
            raise ZeroDivisionError
    async with asyncio.timeout(1), starts.place() as started:
        started()
        async with starts.place():
            inside.append("both")
    assert inside


async def turns(number: int) -> None:
    """Let the other tasks run."""
    for _ in range(number):
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        loop.call_soon(turn.set_result, None)
        await turn
