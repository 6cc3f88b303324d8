"""What a hub keeps, looked at from a shell."""

import json
import re
import sqlite3
from pathlib import Path

import pytest

from bascule.cli.main import main
from bascule.commands import Prompt
from bascule.ids import CommandId
from bascule.store.sqlite import open_store
from tests.store.test_store import A, B, row, said


async def made(path: Path) -> None:
    store = await open_store(path)
    await store.put_session(row(A))
    await store.append(A, 1, [said("One", 1), said("Two", 2)])
    await store.close()


async def test_a_store_is_checked_and_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, copy = tmp_path / "bascule.db", tmp_path / "copy.db"
    await made(path)
    assert main(["store", "check", "--store", str(path)]) == 0
    assert "nothing is wrong" in capsys.readouterr().out
    assert main(["store", "backup", "--store", str(path), str(copy)]) == 0
    assert copy.stat().st_mode & 0o077 == 0
    assert main(["store", "check", "--store", str(copy), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == []
    assert main(["store", "backup", "--store", str(path), str(copy)]) == 2
    assert "is there already" in capsys.readouterr().err


async def test_a_store_is_looked_at_while_a_hub_has_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bascule.db"
    store = await open_store(path)
    await store.put_session(row(A))
    assert main(["store", "check", "--store", str(path)]) == 0
    assert main(["store", "backup", "--store", str(path), str(tmp_path / "copy.db")]) == 0
    await store.close()
    assert "copied" in capsys.readouterr().out


async def test_problems_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bascule.db"
    await made(path)
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM events WHERE seq = 1")
    db.close()
    assert main(["store", "check", "--store", str(path)]) == 1
    assert capsys.readouterr().out == "events are missing in a\n"


async def test_what_is_too_old_is_told_and_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path = tmp_path / "bascule.db"
    store = await open_store(path)
    await store.put_session(row(A, title="Long ago", updated_at=1))
    await store.put_session(row(B, title="Waits", updated_at=1))
    await store.enqueue(Prompt(command_id=CommandId("c"), session=B, text="Go"), at=1)
    recording = tmp_path / "bascule/sessions/a/recording.jsonl"
    recording.parent.mkdir(parents=True)
    recording.write_bytes(b"x" * 2_100_000)
    assert main(["store", "old", "--store", str(path)]) == 0
    told = capsys.readouterr().out
    assert re.fullmatch(r"a  session, 2.1 MB       Long ago: nothing happened in it for \d+ days .*\n", told)
    assert main(["store", "old", "--store", str(path), "--json"]) == 0
    assert [one["session"] for one in json.loads(capsys.readouterr().out)] == ["a"]
    monkeypatch.setenv("BASCULE_STORE_KEEP_DAYS", "0")
    assert main(["store", "old", "--store", str(path)]) == 0
    assert capsys.readouterr().out == "nothing is past keep_days and keep_recordings_mb\n"
    assert len(await store.sessions()) == 2
    await store.close()


def test_what_is_no_store_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bascule.db"
    assert main(["store", "check", "--store", str(path)]) == 2
    assert "there is no store at" in capsys.readouterr().err
    path.write_text("no store at all, but long enough to be one" * 50)
    assert main(["store", "check", "--store", str(path)]) == 2
    assert "cannot be read" in capsys.readouterr().err


async def test_the_store_that_is_configured_is_looked_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.db"
    await made(path)
    monkeypatch.setenv("BASCULE_STORE_PATH", str(path))
    assert main(["store", "check"]) == 0
    assert capsys.readouterr().out == f"{path}: nothing is wrong\n"
