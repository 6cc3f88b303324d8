"""The pipe through a keeper: what outlives whom, what a new attachment gets, and what a dead keeper left."""

import asyncio
import json
import os
import resource
import shutil
import signal
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bascule.errors import (
    BasculeError,
    CliNotFound,
    OptionError,
    ProcessLost,
    RecordingError,
    SessionInUse,
    StartFailed,
)
from bascule.ids import SessionId
from bascule.recording import Entry, Exit, exit_of
from bascule.transport.census import MARK, proc_row
from bascule.transport.ends import Limits
from bascule.transport.keeper import (
    KeeperAddress,
    Keepers,
    address_of,
    attach,
    end_orphans,
    end_unreachable,
    find_keepers,
    lives,
    spawn_keeper,
)
from bascule.transport.keeperpipe import KeeperPipe, Refused, Written
from bascule.transport.launch import Launch
from bascule.wire.codec import encode
from bascule.wire.control import succeeded
from tests.keeper.place import QUICK, Place, cut_off, exists
from tests.transport.programs import (
    ECHO,
    RING,
    Bell,
    alive,
    gone,
    lines,
    program,
    read_all,
    read_until,
    running_with,
    steps,
)

STUBBORN = """
    import signal
    print("ready")
    while True:
        signal.pause()
"""


async def until_echo(pipe: KeeperPipe, line: str) -> list[Entry]:
    """Say ``line``; what comes up to its echo."""
    assert pipe.write(("in", line))
    return await read_until(pipe, "out", f"echo {line}")


STARTER = """
    import asyncio, sys
    from pathlib import Path
    from bascule.transport.keeper import attach, spawn_keeper
    from bascule.transport.launch import Launch

    async def main():
        folder = Path(sys.argv[1])
        await spawn_keeper(Launch((sys.argv[2],), {"PATH": "/bin"}, "/"), folder, session_id="one")
        async with attach(folder) as pipe:
            pipe.write(("note", "by the first"), ("in", "one"))
            while entries := await pipe.read():
                if any(entry.line == "echo one" for entry in entries):
                    print("said", flush=True)

    asyncio.run(main())
"""


async def test_keeper_and_cli_outlive_who_started_them(place: Place) -> None:
    starter = program(place.here, STARTER, name="starter")
    cli = program(place.here, ECHO)
    process = await asyncio.create_subprocess_exec(
        *starter.argv, str(place.folder()), *cli.argv, stdout=-1, env={"PYTHONPATH": os.pathsep.join(sys.path)}
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"said\n"
    process.kill()
    await process.wait()
    async with attach(place.folder()) as pipe:
        seen = await read_until(pipe, "out", "echo one")
        assert pipe.line == pipe.history_until == 5
        seen += await until_echo(pipe, "two")
        assert await pipe.close() == Exit(code=0)
        seen += await read_all(pipe)
    assert [entry.dir for entry in seen] == ["argv", "env", "note", "in", "out", "in", "out", "exit"]
    assert seen == place.recorded()


POURING = """
    import sys
    for line in sys.stdin:
        sys.stdout.write("".join(f"{line.strip()}.{n}\\n" for n in range(500)))
        sys.stdout.flush()
"""


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(parts=st.lists(st.integers(0, 1200), min_size=1, max_size=6), again=st.floats(0, 1))
def test_whoever_leaves_and_comes_back_gets_every_line_once(
    tmp_path_factory: pytest.TempPathFactory, parts: list[int], again: float
) -> None:
    place = Place(tmp_path_factory.mktemp("place"))
    try:
        asyncio.run(check_leaving_and_coming_back(place, parts, again))
    finally:
        place.clear()


async def check_leaving_and_coming_back(place: Place, parts: list[int], again: float) -> None:
    """Attached anew after so many lines each time, while they pour in; at last once more from somewhere."""
    await place.spawn(POURING)
    seen: list[Entry] = []
    for part in parts:
        async with attach(place.folder(), after=len(seen)) as pipe:
            for turn in range(3):
                pipe.write(("in", f"{len(seen)}-{turn}"))
            until = len(seen) + part % 1500
            while len(seen) < until:
                seen += await pipe.read()
                assert pipe.line == len(seen)
    after = int(len(seen) * again)
    async with attach(place.folder(), after=len(seen)) as pipe, attach(place.folder(), after=after) as other:
        pipe.end()
        seen += await read_all(pipe)
        assert await read_all(other) == seen[after:]
    assert seen == place.recorded()
    assert len(lines(seen)) == 500 * len(lines(seen, "in")) == 1500 * len(parts)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tries=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 12)), max_size=8))
def test_whoever_dies_may_send_everything_again(
    tmp_path_factory: pytest.TempPathFactory, tries: list[tuple[int, int]]
) -> None:
    place = Place(tmp_path_factory.mktemp("place"))
    try:
        asyncio.run(check_sending_again(place, tries))
    finally:
        place.clear()


async def check_sending_again(place: Place, tries: list[tuple[int, int]]) -> None:
    """Eight answers. Each try sends those from one on, and leaves after a while without a word; the last stays."""
    await place.spawn(ECHO)
    answers = [answer(f"r{number}", "me") for number in range(8)]
    for first, turns in tries:
        async with attach(place.folder()) as pipe:
            for line in answers[first:]:
                pipe.write(("note", f"by {turns}"), ("in", line))
            await steps(turns)
    async with attach(place.folder()) as pipe:
        said = [await pipe.send(("note", "at last"), ("in", line)) for line in answers]
        pipe.end()
        seen = await read_all(pipe)
    assert sorted(lines(seen, "in")) == sorted(answers)
    assert sorted(lines(seen)) == sorted(f"echo {line}" for line in answers)
    assert len(lines(seen, "note")) == 8
    sent_before = {line for first, _ in tries for line in answers[first:]}
    assert [isinstance(each, Refused) for each in said] == [line in sent_before for line in answers]


@pytest.mark.parametrize("after", [1, 100, 700, 2500])
async def test_a_keeper_that_is_killed_at_work_leaves_a_recording_that_can_be_read(place: Place, after: int) -> None:
    address = await place.spawn(POURING)
    seen: list[Entry] = []
    async with attach(place.folder()) as pipe:
        for turn in range(10):
            pipe.write(("in", str(turn)))
        while len(seen) < after:
            seen += await pipe.read()
        os.kill(address.pid, signal.SIGKILL)
        seen += await read_all(pipe)
    await gone(address.pid)
    await place.spawn(ECHO)
    recorded = place.recorded()
    expected = [f"{turn}.{n}" for turn in range(10) for n in range(500)]
    said = lines(recorded)
    assert said == expected[: len(said)]
    assert [entry.dir for entry in recorded[-3:]] == ["exit", "argv", "env"]
    assert seen[:-1] == recorded[: len(seen) - 1]


async def test_several_clients_get_the_same_and_see_each_other(place: Place) -> None:
    await place.spawn(ECHO)
    async with attach(place.folder()) as one, attach(place.folder()) as two:
        assert one.write(("note", "by one"), ("in", "a"))
        assert two.write(("note", "by two"), ("in", "b"))
        await two.drain()
        one.end()
        seen = await read_all(one)
        assert seen == await read_all(two) == place.recorded()
    assert [seen[seen.index(note) + 1].dir for note in seen if note.dir == "note"] == ["in", "in"]


async def test_past_and_present_are_never_in_one_batch(place: Place) -> None:
    await place.spawn(ECHO)
    async with attach(place.folder()) as pipe:
        await until_echo(pipe, "one")
    async with attach(place.folder(), after=1) as pipe:
        assert isinstance(await pipe.send(("note", "n")), Written)
        assert pipe.history_until == 4
        assert [entry.line for entry in await pipe.read()][-2:] == ["one", "echo one"]
        assert pipe.line == 4
        assert [entry.line for entry in await pipe.read()] == ["n"]
        assert pipe.line == 5


async def test_who_was_told_the_line_has_its_entry(place: Place) -> None:
    await place.spawn(ECHO)
    async with attach(place.folder()) as pipe:
        assert await pipe.send(("note", "a"), ("in", "one")) == Written(3)
        assert [entry.dir for entry in await pipe.read()] == ["argv", "env"]
        assert [entry.line for entry in (await pipe.read())[:2]] == ["a", "one"]


def answer(request_id: str, by: str) -> str:
    """The line of an answer to the CLI."""
    return encode(succeeded(request_id, None)).decode().strip().replace("}}", f'}},"by":"{by}"}}')


async def test_a_request_is_answered_once_whoever_answers_how_often(place: Place) -> None:
    await place.spawn(ECHO)
    async with attach(place.folder()) as one, attach(place.folder()) as two:
        async with asyncio.TaskGroup() as group:
            first = group.create_task(one.send(("note", "n"), ("in", answer("r1", "one"))), name="one")
            second = group.create_task(two.send(("note", "n"), ("in", answer("r1", "two"))), name="two")
        said = {type(task.result()): task.result() for task in (first, second)}
        assert said == {Written: Written(3), Refused: Refused("duplicate", 3)}
        assert one.write(("in", answer("r1", "one again")))
        assert isinstance(await two.send(("in", answer("r2", "two"))), Written)
    async with attach(place.folder(), after=2) as pipe:
        assert await pipe.send(("in", answer("r1", "a new one"))) == Refused("duplicate", 3)
        assert isinstance(await pipe.send(("in", "x"), key="mine"), Written)
        assert isinstance(await pipe.send(("in", "x"), key="mine"), Refused)
    assert len([line for line in lines(place.recorded(), "in") if "r1" in line]) == 1


async def test_nothing_is_taken_once_anybody_has_closed_stdin(place: Place) -> None:
    source = "import sys, signal; sys.stdin.read(); print('eof'); signal.pause()"
    await place.spawn(source)
    async with attach(place.folder()) as one, attach(place.folder()) as two:
        one.end()
        await read_until(two, "out", "eof")
        await two.send(("note", "x"))
        assert not two.write(("in", "x"))
        await two.drain()
        assert await two.send(("in", "x")) == Refused("closed")
        assert two.write(("note", "y"))
    async with attach(place.folder()) as late:
        assert not late.write(("in", "x"))


async def test_drain_waits_until_the_cli_has_room(place: Place, bell: Bell) -> None:
    source = (
        RING
        + """
    import sys, socket
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind("go")
        ring("ready")
        told.recv(1)
    print(sum(map(len, sys.stdin)))
    """
    )
    await place.spawn(source)
    async with attach(place.folder()) as pipe, asyncio.TaskGroup() as group:
        assert await bell.rung() == "ready"
        pipe.write(("in", "x" * 3_000_000))
        drained = group.create_task(pipe.drain(), name="drain")
        assert await pipe.send(("note", "n")) == Written(4)
        assert not drained.done()
        bell.tell("go")
        await drained
        pipe.end()
        assert await read_until(pipe, "out", "3000001")


async def test_a_reader_that_is_behind_costs_nobody_memory_and_loses_nothing(place: Place) -> None:
    await place.spawn("import sys; sys.stdin.readline(); print(*('x' * 99 for n in range(20_000)), sep='\\n')")
    async with attach(place.folder(), limits=Limits(high_water=10_000)) as pipe:
        assert pipe.write(("in", "go"))
        async with attach(place.folder()) as other:
            await read_all(other)
        entries = await pipe.read()
        assert len(entries) < 20_000
        entries += tuple(await read_all(pipe))
    assert list(entries) == place.recorded()


async def test_what_was_not_read_can_be_read_after_closing(place: Place) -> None:
    await place.spawn(ECHO)
    async with attach(place.folder(), limits=Limits(high_water=10)) as pipe:
        for number in range(100):
            pipe.write(("in", str(number)))
        assert await pipe.close() == Exit(code=0)
        assert lines(await read_all(pipe)) == [f"echo {number}" for number in range(100)]


async def test_leaving_leaves_the_cli_alone(place: Place) -> None:
    address = await place.spawn(ECHO)
    async with attach(place.folder()) as pipe:
        await until_echo(pipe, "one")
    assert await pipe.read() == ()
    assert not pipe.write(("in", "two"))
    pipe.signal(signal.SIGKILL)
    pipe.end()
    assert await pipe.close() == Exit()
    assert alive(address.cli)
    assert lives(address)


async def test_a_full_disk_is_told_and_the_cli_goes_on(place: Place) -> None:
    address = await place.spawn(ECHO)
    async with attach(place.folder()) as pipe:
        await until_echo(pipe, "one")
        resource.prlimit(address.pid, resource.RLIMIT_FSIZE, (10, resource.RLIM_INFINITY))
        seen = await until_echo(pipe, "two")
        assert [entry.line for entry in seen] == ["two", "echo two"]
        assert await pipe.send(("note", "n")) == Written(None)
        assert (pipe.line, pipe.lost) == (4, 3)
        assert await pipe.close() == Exit(code=0)
        assert exit_of((await read_all(pipe))[-1].line) == Exit(code=0)
    assert lines(place.recorded()) == ["echo one"]


async def test_a_killed_keeper_takes_the_cli_along(place: Place) -> None:
    address = await place.spawn(ECHO)
    async with attach(place.folder()) as pipe:
        await until_echo(pipe, "one")
        os.kill(address.pid, signal.SIGKILL)
        assert exit_of((await read_all(pipe))[-1].line) == Exit()
        assert await pipe.send(("in", "two")) == Refused("lost")
        await pipe.drain()
        assert await pipe.close() == Exit()
    await gone(address.cli)
    assert find_keepers(place.state) == Keepers((), (address_of(place.folder()),))
    assert not exists(address.socket)


async def test_what_is_unanswered_when_the_keeper_dies_is_told_lost(place: Place) -> None:
    address = await place.spawn(ECHO)
    async with attach(place.folder()) as pipe, asyncio.TaskGroup() as group:
        os.kill(address.pid, signal.SIGSTOP)
        sent = group.create_task(pipe.send(("in", "one")), name="send")
        await steps(3)
        os.kill(address.pid, signal.SIGKILL)
    assert sent.result() == Refused("lost")


async def test_orphans_of_a_killed_keeper_are_found_by_their_mark(place: Place, bell: Bell) -> None:
    source = (
        RING
        + """
    import os, signal, subprocess
    child = subprocess.Popen(["/bin/sleep", "600"], start_new_session=True)
    ring(child.pid)
    while True:
        signal.pause()
    """
    )
    address = await place.spawn(source)
    child = int(await bell.rung())
    await end_orphans(address)
    assert alive(child)
    os.kill(address.pid, signal.SIGKILL)
    await gone(address.pid)
    assert alive(child)
    assert alive(address.cli)
    await end_orphans(address, term_s=0.1)
    assert not alive(child)
    assert not alive(address.cli)
    assert not exists(address.socket)
    await end_orphans(address)


async def test_a_number_that_was_used_again_is_no_keeper(place: Place) -> None:
    """The number of a process that lives, with its right birth or another one, but without the lock of the folder."""
    address = await place.spawn(ECHO)
    os.kill(address.pid, signal.SIGKILL)
    await gone(address.pid)
    me = proc_row(os.getpid())
    assert me is not None
    for born in (me.born, me.born + 1):
        told = msgspec.structs.replace(address, pid=os.getpid(), born=born)
        (place.folder() / "keeper.json").write_bytes(msgspec.json.encode(told))
        assert not lives(address_of(place.folder()))
    assert find_keepers(place.state).living == ()
    with pytest.raises(ProcessLost, match="is gone"):
        async with attach(place.folder()):
            pass


async def test_a_keeper_that_nobody_can_reach_is_ended_and_records_the_end(place: Place) -> None:
    address = await place.spawn(ECHO)
    await end_unreachable(address)
    assert lives(address)
    cut_off(address)
    await end_unreachable(address)
    assert not alive(address.pid)
    assert not alive(address.cli)
    assert place.recorded()[-1].dir == "exit"
    await end_unreachable(address)


async def test_one_that_nobody_can_reach_and_that_hangs_is_killed(place: Place) -> None:
    address = await place.spawn(ECHO)
    cut_off(address)
    os.kill(address.pid, signal.SIGSTOP)
    await end_unreachable(address, within_s=0)
    assert not alive(address.pid)
    assert not alive(address.cli)


async def test_living_and_dead_keepers_are_told_apart(place: Place) -> None:
    living, ended, killed = [await place.spawn(ECHO, name=name) for name in ("living", "ended", "killed")]
    os.kill(killed.pid, signal.SIGKILL)
    os.kill(ended.pid, signal.SIGTERM)
    for address in (ended, killed):
        await gone(address.pid)
    place.folder("empty").mkdir()
    place.folder("odd").mkdir()
    (place.folder("odd") / "keeper.json").write_text("{")
    found = find_keepers(place.state)
    assert found.living == (living,)
    assert [(address.session, address.exit) for address in found.dead] == [("ended", Exit(code=0)), ("killed", None)]


async def test_a_folder_has_one_keeper(place: Place) -> None:
    address = await place.spawn(ECHO)
    with pytest.raises(SessionInUse, match="is locked"):
        await place.spawn(ECHO)
    assert find_keepers(place.state).living == (address,)
    assert [entry.dir for entry in place.recorded()] == ["argv", "env"]


async def test_L57_F36_a_conversation_has_one_owner(place: Place, tmp_path: Path) -> None:
    lock = tmp_path / "conversation.lock"
    first = await place.spawn(ECHO, conversation_lock=lock)
    with pytest.raises(SessionInUse, match="another owner"):
        await place.spawn(ECHO, name="two", conversation_lock=lock)
    async with attach(place.folder()) as pipe:
        await pipe.close()
    await gone(first.pid)
    assert not exists(str(lock))
    await place.spawn(ECHO, name="two", conversation_lock=lock)


async def test_the_next_process_goes_on_with_the_recording(place: Place) -> None:
    began_at = 1_700_000_000.0
    first = await place.spawn(ECHO, began_at=began_at)
    async with attach(place.folder()) as pipe:
        await until_echo(pipe, "one")
        await pipe.close()
    await gone(first.pid)
    second = await place.spawn(ECHO, began_at=began_at)
    async with attach(place.folder()) as pipe:
        assert pipe.history_until == 7
        past = await pipe.read()
        assert [entry.dir for entry in past] == ["argv", "env", "in", "out", "exit", "argv", "env"]
        assert await until_echo(pipe, "two")
        os.kill(second.pid, signal.SIGKILL)
        await read_all(pipe)
    await gone(second.pid)
    third = await place.spawn(ECHO, began_at=began_at)
    recorded = place.recorded()
    assert [entry.dir for entry in recorded[7:]] == ["in", "out", "exit", "argv", "env"]
    assert exit_of(recorded[9].line) == Exit()
    assert [entry.t for entry in recorded] == sorted(entry.t for entry in recorded)
    assert recorded[0].t > 80_000_000
    assert (third.pid, third.mark) != (second.pid, second.mark)


async def test_a_damaged_line_is_counted_and_left_out(place: Place) -> None:
    folder = place.folder()
    folder.mkdir(parents=True)
    (folder / "recording.jsonl").write_bytes(b'{"t":1,"dir":"argv","line":"[]"}\n{"t":2,"dir":"who"}\n{"t":3,"di')
    await place.spawn(ECHO, began_at=0.0)
    async with attach(folder) as pipe:
        assert pipe.history_until == 6
        assert [entry.dir for entry in await pipe.read()] == ["argv", "exit", "argv", "env"]
        assert pipe.line == 6
    async with attach(folder, after=1) as pipe:
        assert [entry.dir for entry in await pipe.read()] == ["exit", "argv", "env"]


async def test_a_line_that_is_not_there_cannot_be_attached_to(place: Place) -> None:
    await place.spawn(ECHO)
    with pytest.raises(RecordingError, match="has 2 lines, not 3"):
        async with attach(place.folder(), after=3):
            pass


async def test_where_there_was_no_keeper_there_is_nothing_to_attach_to(place: Place) -> None:
    with pytest.raises(ProcessLost, match="no keeper was ever in"):
        async with attach(place.folder()):
            pass


async def test_what_goes_wrong_while_attached_is_not_the_keepers_fault(place: Place) -> None:
    await place.spawn(ECHO)
    with pytest.raises(FileNotFoundError, match="mine"):
        async with attach(place.folder()):
            raise FileNotFoundError("mine")


async def test_a_keeper_of_another_version_is_refused(place: Place) -> None:
    """As a later bascule's keeper would greet us."""
    address = await place.spawn(ECHO)

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello = {**json.loads(msgspec.json.encode(address)), "version": 2}
        writer.write(json.dumps({"hello": hello, "shut": False}).encode() + b"\n")
        await reader.read()
        writer.close()
        left.set()

    left = asyncio.Event()
    later = msgspec.structs.replace(address, socket=str(place.here / "later.sock"))
    (place.folder() / "keeper.json").write_bytes(msgspec.json.encode(later))
    async with await asyncio.start_unix_server(greet, later.socket):
        with pytest.raises(ProcessLost, match="speaks version 2"):
            async with attach(place.folder()):
                pass
        await left.wait()


async def test_a_keeper_that_dies_while_we_knock_is_gone(place: Place) -> None:
    address = await place.spawn(ECHO)
    os.kill(address.pid, signal.SIGSTOP)
    async with asyncio.TaskGroup() as group:
        opened = asyncio.Event()

        async def knock() -> ProcessLost:
            opened.set()
            with pytest.raises(ProcessLost) as raised:
                async with attach(place.folder()):
                    pass
            return raised.value

        knocking = group.create_task(knock(), name="knock")
        await opened.wait()
        await steps(20)
        os.kill(address.pid, signal.SIGKILL)
    assert "gone" in str(knocking.result())


async def test_a_keeper_that_hangs_is_not_waited_for(place: Place) -> None:
    address = await place.spawn(ECHO)
    os.kill(address.pid, signal.SIGSTOP)
    with pytest.raises(ProcessLost, match="does not answer"):
        async with attach(place.folder(), within_s=0.05):
            pass
    os.kill(address.pid, signal.SIGCONT)
    async with attach(place.folder()) as pipe:
        await until_echo(pipe, "one")


async def test_a_keeper_that_hangs_is_killed_when_it_is_to_close(place: Place) -> None:
    address = await place.spawn(ECHO)
    async with attach(place.folder(), limits=QUICK, within_s=1) as pipe:
        os.kill(address.pid, signal.SIGSTOP)
        assert await pipe.close(grace_s=0) == Exit()
        assert exit_of((await read_all(pipe))[-1].line) == Exit()
    assert not alive(address.pid)
    assert not alive(address.cli)


@pytest.mark.parametrize("length", [60, 200])
async def test_a_long_path_is_no_obstacle(tmp_path: Path, length: int) -> None:
    """An address of a socket holds 107 bytes."""
    here = tmp_path / ("p" * length)
    here.mkdir()
    place = Place(here)
    try:
        address = await place.spawn(ECHO)
        async with attach(place.folder()) as pipe:
            assert await until_echo(pipe, "one")
            await pipe.close()
        await gone(address.pid)
        assert not exists(address.socket)
    finally:
        place.clear()


async def refused(place: Place, launch: Launch) -> BasculeError:
    """What is raised, and that nothing is left."""
    with pytest.raises(BasculeError) as raised:
        await place.spawn(launch)
    assert find_keepers(place.state).living == ()
    assert list((place.state / "run").iterdir()) == []
    return raised.value


async def test_what_cannot_be_started_is_told_as_without_a_keeper(place: Place) -> None:
    cat = Launch(("/bin/cat",), {}, "/")
    bad = place.here / "bad"
    bad.write_text("no program")
    bad.chmod(0o755)
    replace = msgspec.structs.replace
    assert isinstance(await refused(place, replace(cat, argv=("/no/such",))), CliNotFound)
    assert "working directory" in str(await refused(place, replace(cat, cwd="/no/such")))
    assert "no program for this machine" in str(await refused(place, replace(cat, argv=(str(bad),))))
    assert isinstance(await refused(place, replace(cat, argv=("/bin/cat", "a\0b"))), OptionError)


async def test_a_folder_that_cannot_be_made_is_told(place: Place) -> None:
    place.state.write_text("a file")
    with pytest.raises(OptionError, match="XDG_STATE_HOME"):
        await place.spawn(ECHO)


async def test_a_place_where_nothing_can_be_recorded_is_told(place: Place) -> None:
    (place.folder() / "recording.jsonl").mkdir(parents=True)
    with pytest.raises(StartFailed, match=r"recording\.jsonl"):
        await place.spawn(ECHO)
    shutil.rmtree(place.folder() / "recording.jsonl")
    (place.folder() / "keeper.json").mkdir()
    with pytest.raises(StartFailed, match="Is a directory"):
        await place.spawn(Launch(("/bin/cat",), {"CASE": str(place.here)}, "/"))
    await gone_with(f"CASE={place.here}")


async def gone_with(variable: str) -> None:
    """Wait until no process has that in its environment."""
    for pid in running_with(variable):
        await gone(pid)


@pytest.mark.parametrize("after", [0, 1, 2, 3, 5, 8, 13, 21, 200])
async def test_a_cancelled_start_leaves_no_process(place: Place, after: int) -> None:
    launch = Launch(("/bin/cat",), {"CASE": str(place.here)}, "/")
    async with asyncio.TaskGroup() as group:
        task = group.create_task(place.spawn(launch), name="spawn")
        await steps(after)
        task.cancel()
    if task.cancelled():
        await gone_with(f"CASE={place.here}")
        for address in find_keepers(place.state).living:
            await gone(address.pid)
    assert task.done()
    assert bool(running_with(f"CASE={place.here}")) != task.cancelled()


async def test_spawning_needs_no_more_than_a_folder(tmp_path: Path) -> None:
    place = Place(tmp_path)
    address: KeeperAddress = await spawn_keeper(
        program(tmp_path, ECHO), place.folder("any name at all"), session_id=SessionId("s")
    )
    assert address == address_of(place.folder("any name at all"))
    assert running_with(f"{MARK}={address.mark}") == [address.cli]
    async with attach(place.folder("any name at all")) as pipe:
        await pipe.close()
    await gone(address.pid)
