"""What only a store on a disk can do, and what can happen to it."""

import asyncio
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bascule.errors import StoreError
from bascule.ids import SessionId
from bascule.store.sqlite import open_store
from tests.disk import full_disk
from tests.store.test_store import A, B, asked, row, said

CRASH = """
import asyncio, os, sys
from pathlib import Path
from bascule.store.sqlite import open_store
from tests.store.test_store import A, row, said

async def main():
    store = await open_store(Path(sys.argv[1]))
    await store.put_session(row(A))
    for number in range(1, 1000):
        await store.append(A, number, [said(str(number), number)])
        print(number, flush=True)

asyncio.run(main())
"""


async def test_what_was_kept_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "state" / "bascule.db"
    store = await open_store(path)
    await store.put_session(row(A))
    await store.append(A, 1, [asked(1)])
    epoch = store.epoch
    await store.close()
    await store.close()
    store = await open_store(path)
    assert store.epoch == epoch
    assert await store.events(A) == (asked(1),)
    await store.close()


async def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "bascule.db"
    before = os.umask(0)
    store = await open_store(path)
    os.umask(before)
    await store.put_session(row(A))
    modes = {file.name: file.stat().st_mode & 0o077 for file in path.parent.iterdir()}
    assert path.parent.stat().st_mode & 0o077 == 0
    assert set(modes.values()) == {0}
    await store.close()


async def test_a_second_hub_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "bascule.db"
    first = await open_store(path)
    with pytest.raises(StoreError, match="another hub uses"):
        await open_store(path)
    await first.close()
    await (await open_store(path)).close()


async def test_what_was_acknowledged_outlives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "bascule.db"
    root = Path(__file__).parents[2]
    hub = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CRASH, path, stdout=asyncio.subprocess.PIPE, cwd=root
    )
    assert hub.stdout is not None
    told = 0
    while told < 50:
        told = int(await hub.stdout.readline())
    hub.kill()
    last = max([told, *map(int, (await hub.stdout.read()).split())])
    await hub.wait()
    store = await open_store(path)
    kept = await store.last_seq(A)
    assert kept >= last
    assert [event.seq for event in await store.events(A)] == list(range(1, kept + 1))
    assert await store.check() == ()
    await store.close()


async def test_a_store_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "bascule.db"
    await (await open_store(path)).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 999")
    db.close()
    with pytest.raises(StoreError, match="newer bascule"):
        await open_store(path)


async def test_what_is_no_store_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "bascule.db"
    path.write_text("not a database, and rather long for a header of one" * 100)
    with pytest.raises(StoreError, match="is no store"):
        await open_store(path)
    assert path.read_text().startswith("not a database")


async def test_a_backup_is_a_store_and_is_made_while_it_is_written(tmp_path: Path) -> None:
    store = await open_store(tmp_path / "bascule.db")
    await store.put_session(row(A))
    await store.append(A, 1, [said("One", 1)])
    copy = tmp_path / "copy.db"
    await asyncio.gather(store.backup(copy), *(store.append(A, n, [said("x", n)]) for n in range(2, 50)))
    assert copy.stat().st_mode & 0o077 == 0
    with pytest.raises(StoreError, match="is there already"):
        await store.backup(copy)
    with pytest.raises(StoreError, match="cannot be written"):
        await store.backup(tmp_path / "nowhere" / "copy.db")
    await store.close()
    again = await open_store(copy)
    assert (await again.events(A))[0] == said("One", 1)
    assert await again.check() == ()
    await again.close()


async def test_a_full_disk_refuses_what_comes_and_keeps_what_came(tmp_path: Path) -> None:
    store = await open_store(tmp_path / "bascule.db")
    await store.put_session(row(A))
    await store.append(A, 1, [said("One", 1)])
    largest = await asyncio.to_thread(lambda: max(file.stat().st_size for file in tmp_path.iterdir()))
    with full_disk(largest), pytest.raises(StoreError, match="cannot be written"):
        for number in range(2, 500):
            await store.append(A, number, [said("x" * 10_000, number)])
    with full_disk(), pytest.raises(StoreError, match="cannot be written"):
        await store.touch()
    kept = await store.last_seq(A)
    await store.append(A, kept + 1, [said("After", kept + 1)])
    assert [event.seq for event in await store.events(A)] == list(range(1, kept + 2))
    await store.close()


async def test_a_write_waits_for_another_program_that_writes_and_reads_go_on(tmp_path: Path) -> None:
    store = await open_store(tmp_path / "bascule.db")
    try:
        await store.put_session(row(A))
        with closing(sqlite3.connect(tmp_path / "bascule.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            writing = asyncio.ensure_future(store.append(A, 1, [said("Hello", 1)]))
            assert await store.events(A) == ()
            assert await store.session(A) == row(A)
            assert not writing.done()
            other.execute("ROLLBACK")
        await writing
        assert await store.last_seq(A) == 1
    finally:
        await store.close()


async def test_gaps_and_damage_are_found(tmp_path: Path) -> None:
    path = tmp_path / "bascule.db"
    store = await open_store(path)
    await store.put_session(row(A))
    await store.append(A, 1, [said("One", 1), said("Two", 2), said("Three", 3)])
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM events WHERE seq = 2")
        db.execute("INSERT INTO prompts (session, prompt_id) VALUES ('gone', 'p')")
    db.close()
    problems = await store.check()
    assert [(problem.what, problem.session) for problem in problems] == [
        ("a row of prompts belongs to no session", None),
        ("events are missing", A),
    ]
    await store.close()


async def test_one_that_fails_takes_nothing_of_the_others_with_it(tmp_path: Path) -> None:
    store = await open_store(tmp_path / "bascule.db")
    await store.put_session(row(A))
    await store.put_session(row(B))
    done = await asyncio.gather(
        store.append(A, 1, [said("One", 1)]),
        store.append(SessionId("none"), 1, [said("Nowhere", 1)]),
        store.append(B, 1, [said("Two", 1, session=B)]),
        return_exceptions=True,
    )
    assert [isinstance(one, StoreError) for one in done] == [False, True, False]
    assert len(await store.events_of_all()) == 2
    await store.close()


async def test_a_mistake_of_ours_answers_its_one_call(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = await open_store(tmp_path / "bascule.db")
    await store.put_session(row(A))
    with pytest.raises(AttributeError):
        await store.append(A, 1, [None])  # type: ignore[list-item]
    assert "a job of the store failed" in caplog.text
    await store.append(A, 1, [said("One", 1)])
    assert await store.last_seq(A) == 1
    await store.close()


PASSER_BY = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    print(db.execute("SELECT count(*) FROM events").fetchone()[0])
db.close()
"""


async def test_a_program_that_opens_it_and_leaves_does_not_take_the_log_along(tmp_path: Path) -> None:
    path = tmp_path / "bascule.db"
    store = await open_store(path)
    await store.put_session(row(A))
    counted = []
    for number in range(1, 4):
        await store.append(A, number, [said(str(number), number)])
        assert len(await store.events(A)) == number
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", PASSER_BY, str(path), stdout=-1)
        counted.append(int((await process.communicate())[0]))
    assert counted == [1, 2, 3]
    await store.close()
    store = await open_store(path)
    assert len(await store.events(A)) == 3
    await store.close()
