"""The keeper as a process, spoken to by hand: what it says and takes, and what it does for its CLI and its host."""

import json
import os
import resource
import signal
from pathlib import Path
from typing import Any

import pytest

from bascule.keeper import keeper
from bascule.recording import Exit, Failed, exit_of, note_of
from bascule.transport import census
from bascule.transport.ends import Limits
from bascule.transport.keeper import KeeperAddress
from bascule.transport.keeperpipe import VERSION
from bascule.transport.launch import Launch
from tests.keeper.place import Place, exists, mode, resident_kb, shown, size, talk
from tests.transport.programs import ECHO, RING, Bell, alive, gone, lines, program

STUBBORN = """
    import signal, sys
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("ready")
    while True:
        signal.pause()
"""


def entry(direction: str, line: str | None = None) -> Any:
    """Whether a line of the keeper is such an entry."""
    return lambda told: told.get("dir") == direction and line in (None, told["line"])


def test_both_sides_speak_the_same_version_and_look_for_the_same_mark() -> None:
    assert keeper.VERSION == VERSION
    assert keeper.MARK == census.MARK


async def test_it_says_who_it_is(place: Place) -> None:
    address = await place.spawn(ECHO)
    async with talk(address) as client:
        hello = await client.line()
    assert hello["shut"] is False
    assert hello["hello"] == place.told()
    assert (hello["hello"]["pid"], hello["hello"]["exit"]) == (address.pid, None)


async def test_who_attaches_gets_the_past_then_the_marker_then_what_comes(place: Place) -> None:
    address = await place.spawn(ECHO)
    async with talk(address) as client:
        await client.line()
        client.say({"attach": 1})
        assert [await client.line() for _ in range(3)] == [
            {"attached": 2},
            {"t": place.recorded()[1].t, "dir": "env", "line": '["BASCULE_PROCESS","PATH"]'},
            {"live": 2},
        ]
        client.say({"write": [["note", "mind"], ["in", "one"]], "key": None})
        told = await client.until(entry("out"))
    assert [(each.get("dir"), each.get("written")) for each in told] == [
        ("note", None),
        ("in", None),
        (None, 3),
        ("out", None),
    ]


@pytest.mark.parametrize("known", [3, -1, 10**30])
async def test_a_line_that_was_never_recorded_cannot_be_attached_to(place: Place, known: int) -> None:
    async with talk(await place.spawn(ECHO)) as client:
        assert await client.answer({"attach": known}, "refused") == {"refused": "attach", "lines": 2}
        assert (await client.answer({"attach": 2}, "attached"))["attached"] == 2


async def test_nobody_attaches_twice(place: Place) -> None:
    async with talk(await place.spawn(ECHO)) as client:
        await client.answer({"attach": 0}, "live")
        assert (await client.answer({"attach": 0}, "refused"))["refused"] == "attach"


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        [],
        "attach",
        {},
        {"attatch": 1},
        {"close": "now"},
        {"signal": 1.5},
        {"end": False},
        {"write": [["in", "two\nlines"]]},
        {"write": [["out", "not yours"]]},
        {"write": [["in", 5]]},
        {"write": [["in"]]},
        {"write": [["in", "\ud83d"]]},
        {"write": [["in", "x"]], "key": 5},
        {"write": [["in", "x"]], "key": ["k"]},
    ],
    ids=json.dumps,
)
async def test_what_cannot_be_understood_is_refused_and_does_no_harm(place: Place, wrong: object) -> None:
    async with talk(await place.spawn(ECHO)) as client:
        assert (await client.answer(wrong, "refused"))["refused"] == "malformed"
        assert await client.answer({"write": [["in", "one"]], "key": "k"}, "written") == {
            "written": 3,
            "room": True,
            "key": "k",
        }
    assert lines(place.recorded(), "in") == ["one"]


async def test_what_is_no_json_is_refused(place: Place) -> None:
    async with talk(await place.spawn(ECHO)) as client:
        client.send(b"\xff{[\n" + b"[" * 100_000 + b"\n")
        refused = await client.until(lambda told: "refused" in told)
        refused += await client.until(lambda told: "refused" in told)
    assert refused[1:] == [{"refused": "malformed"}] * 2


async def test_a_key_is_written_once_whoever_writes_it(place: Place) -> None:
    address = await place.spawn(ECHO)
    async with talk(address) as first, talk(address) as second:
        assert (await first.answer({"write": [["note", "a"], ["in", "one"]], "key": "k"}, "written"))["written"] == 3
        for client in (first, second):
            refused = await client.answer({"write": [["in", "two"]], "key": "k"}, "refused")
            assert refused == {"refused": "duplicate", "at": 3, "key": "k"}
    assert lines(place.recorded(), "in") == ["one"]


async def test_notes_are_taken_until_the_exit_and_lines_until_the_end(place: Place) -> None:
    source = """
        import sys
        for line in sys.stdin: pass
        print("eof")
        input_closed = sys.stdin.close()
        import signal
        signal.pause()
    """
    async with talk(await place.spawn(source)) as client:
        await client.answer({"attach": 0}, "live")
        assert (await client.answer({"end": True}, "shut")) == {"shut": True}
        assert (await client.answer({"write": [["in", "x"]]}, "refused"))["refused"] == "closed"
        assert (await client.answer({"write": [["note", "x"]]}, "written"))["room"] is True
        client.say({"signal": signal.SIGKILL})
        *_, last = await client.until(entry("exit"))
    assert exit_of(last["line"]) == Exit(signal="SIGKILL")


async def test_signals_go_to_the_cli_alone_and_unknown_ones_nowhere(place: Place, bell: Bell) -> None:
    source = (
        RING
        + """
    import signal
    signal.signal(signal.SIGUSR1, lambda *_: ring("usr1"))
    ring("ready")
    while True:
        signal.pause()
    """
    )
    async with talk(await place.spawn(source)) as client:
        assert await bell.rung() == "ready"
        for number in (4711, 10**30, -1, signal.SIGUSR1):
            client.say({"signal": number})
        assert await bell.rung() == "usr1"


async def test_its_state_can_be_asked(place: Place) -> None:
    async with talk(await place.spawn(ECHO)) as client:
        status = (await client.answer({"status": True}, "status"))["status"]
    recorded = size(place.folder() / "recording.jsonl")
    assert status == {"lines": 2, "bytes": recorded, "lost": 0, "clients": 1, "waiting": 0}


@pytest.mark.parametrize(
    ("source", "how"),
    [
        ("raise SystemExit(3)", Exit(code=3)),
        ("import os; os.kill(os.getpid(), 15)", Exit(signal="SIGTERM")),
        ("import os; os.kill(os.getpid(), 10)", Exit(signal="SIG10")),
    ],
)
async def test_the_end_is_recorded_with_the_last_words(place: Place, source: str, how: Exit) -> None:
    address = await place.spawn(f"import sys; print('no such model', file=sys.stderr); {source}")
    await gone(address.pid)
    *_, err, last = place.recorded()
    assert (err.dir, err.line) == ("err", "no such model")
    assert exit_of(last.line) == how
    assert json.loads(last.line)["stderr"] == "no such model"
    assert place.told()["exit"] == {"code": how.code, "signal": how.signal}


async def test_it_ends_with_the_cli_and_leaves_no_socket(place: Place) -> None:
    address = await place.spawn("raise SystemExit(0)")
    await gone(address.pid)
    assert not exists(address.socket)


async def test_who_is_attached_reads_to_the_end_though_slowly(place: Place) -> None:
    address = await place.spawn("import sys; sys.stdin.readline(); print(*range(50_000), sep='\\n')")
    async with talk(address) as client:
        await client.answer({"attach": 0}, "live")
        client.say({"write": [["in", "go"]]})
        await gone(address.cli)
        told = await client.until(lambda line: "closed" in line)
        assert await client.line() is None
    assert [each["line"] for each in told if each.get("dir") == "out"] == [str(n) for n in range(50_000)]
    await gone(address.pid)


async def test_one_that_never_reads_holds_up_neither_the_cli_nor_others(place: Place, bell: Bell) -> None:
    source = (
        RING
        + """
    import sys
    sys.stdin.readline()
    sys.stdout.reconfigure(write_through=False, line_buffering=False)
    for n in range(200_000): sys.stdout.write(f"{n} of what nobody reads, for as long as it takes\\n")
    sys.stdout.flush()
    ring("done")
    sys.stdin.readline()
    """
    )
    address = await place.spawn(source)
    async with talk(address) as idle, talk(address) as busy:
        idle.say({"attach": 0})
        await busy.answer({"write": [["in", "go"]]}, "written")
        assert await bell.rung() == "done"
        status = (await busy.answer({"status": True}, "status"))["status"]
        while status["lines"] < 200_003:
            status = (await busy.answer({"status": True}, "status"))["status"]
        assert resident_kb(address.pid) < 14_000
        busy.say({"end": True})
        told = await idle.until(entry("exit"))
    assert sum(entry("out")(each) for each in told) == 200_000


async def test_a_cli_that_reads_nothing_makes_writers_wait(place: Place, bell: Bell) -> None:
    source = (
        RING
        + """
    import sys, socket
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind("go")
        ring("ready")
        told.recv(1)
    for line in sys.stdin: pass
    """
    )
    address = await place.spawn(source)
    async with talk(address) as client:
        assert await bell.rung() == "ready"
        long = {"write": [["in", "x" * 10_000_000]], "key": None}
        written = [(await client.answer(long, "key")) for _ in range(7)]
        assert [each["written"] for each in written] == list(range(3, 10))
        assert not any(each["room"] for each in written)
        assert await client.answer(long, "key") == {"refused": "full", "key": None}
        assert (await client.answer({"write": [["note", "x"]], "key": None}, "key"))["room"] is False
        bell.tell("go")
        assert await client.until(lambda told: "room" in told)
        assert (await client.answer({"write": [["in", "x"]], "key": None}, "key"))["room"] is True


async def test_a_full_disk_stops_the_recording_and_nothing_else(place: Place) -> None:
    address = await place.spawn(ECHO)
    full = size(place.folder() / "recording.jsonl") + 10
    async with talk(address) as client:
        await client.answer({"attach": 2}, "live")
        resource.prlimit(address.pid, resource.RLIMIT_FSIZE, (full, resource.RLIM_INFINITY))
        client.say({"write": [["note", "n"], ["in", "one"]], "key": "k"})
        told = await client.until(lambda line: line.get("lost") == 3)
        kept = [line["unkept"] for line in told if "unkept" in line]
        assert [(each["dir"], each["line"]) for each in kept] == [("note", "n"), ("in", "one"), ("out", "echo one")]
        assert {"written": None, "room": True, "key": "k"} in told
        assert (await client.answer({"write": [["in", "x"]], "key": "k"}, "refused"))["refused"] == "duplicate"
        resource.prlimit(address.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        client.say({"write": [["in", "two"]]})
        told = await client.until(entry("out", "echo two"))
    note = note_of(told[0]["line"])
    assert isinstance(note, Failed)
    assert note.message == "3 entries of this session were not recorded: File too large"
    assert [(each.dir, each.line) for each in place.recorded()[3:]] == [("in", "two"), ("out", "echo two")]


async def test_a_recording_that_somebody_cuts_is_gone_on_with_and_who_is_attached_hears_on(place: Place) -> None:
    address = await place.spawn(ECHO)
    path = place.folder() / "recording.jsonl"
    async with talk(address) as client:
        await client.answer({"attach": 2}, "live")
        for word in ("one", "two"):
            client.say({"write": [["in", word]]})
            await client.until(entry("out", f"echo {word}"))
        os.truncate(path, sum(map(len, path.read_bytes().splitlines(keepends=True)[:2])))
        client.say({"write": [["in", "three"]]})
        await client.until(entry("out", "echo three"))
    async with talk(address) as other:
        assert (await other.answer({"attach": 5}, "refused"))["lines"] == 4
        other.say({"attach": 0})
        told = await other.until(lambda line: "live" in line)
        assert [each["line"] for each in told if each.get("dir") in ("in", "out")] == ["three", "echo three"]


async def test_L63_close_is_polite_first_and_then_not(place: Place) -> None:
    source = """
        import signal
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        print("ready")
        signal.sigwait([signal.SIGTERM])
        print("session file written")
        raise SystemExit(143)
    """
    async with talk(await place.spawn(source, limits=Limits())) as client:
        client.say({"attach": 0})
        await client.until(entry("out", "ready"))
        assert await client.answer({"close": 0.05}, "closed") == {"closed": {"code": 143, "signal": None}}
    assert lines(place.recorded()) == ["ready", "session file written"]


async def test_S7_a_cli_that_ignores_all_is_killed(place: Place) -> None:
    address = await place.spawn(STUBBORN)
    async with talk(address) as client:
        client.say({"attach": 0})
        await client.until(entry("out", "ready"))
        assert (await client.answer({"close": 0.05}, "closed"))["closed"]["signal"] == "SIGKILL"
    assert not alive(address.cli)


async def test_a_second_close_can_only_hurry(place: Place) -> None:
    address = await place.spawn(STUBBORN)
    async with talk(address) as patient, talk(address) as hurried:
        patient.say({"attach": 0})
        await patient.until(entry("out", "ready"))
        patient.say({"close": 600})
        await patient.until(lambda line: "shut" in line)
        hurried.say({"close": 0})
        hurried.say({"close": 600})
        assert (await patient.until(lambda line: "closed" in line))[-1]["closed"]["signal"] == "SIGKILL"


FAMILY = (
    RING
    + """
    import os, signal, subprocess, sys, time
    nothing = subprocess.DEVNULL
    own_session = dict(start_new_session=True, stdin=nothing, stdout=nothing, stderr=nothing)
    plain = subprocess.Popen(["/bin/sleep", "600"], **own_session)
    cleared = subprocess.Popen(["/bin/sleep", "600"], env={}, **own_session)
    deaf = subprocess.Popen([sys.executable, "-c", '''if True:
        import signal, sys, socket
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bell: bell.sendto(b"deaf", "bell")
        signal.pause()
    '''], **own_session)
    daemon, told = os.pipe()
    if os.fork() == 0:
        os.setsid()
        inner = subprocess.Popen(["/bin/sleep", "600"], env={}, **own_session)
        os.write(told, str(inner.pid).encode())
        os._exit(0)
    os.wait()
    ring(" ".join(map(str, [plain.pid, cleared.pid, deaf.pid, int(os.read(daemon, 20))])))
    sys.stdin.read()
"""
)


async def family(place: Place, bell: Bell) -> tuple[KeeperAddress, list[int]]:
    """A CLI with children that left its session, and one that nobody's environment or parent gives away."""
    address = await place.spawn(FAMILY)
    words = {await bell.rung(), await bell.rung()} - {"deaf"}
    children = list(map(int, words.pop().split()))
    assert all(map(alive, children))
    return address, children


async def test_L56_S38_all_that_the_cli_started_is_ended_with_it(place: Place, bell: Bell) -> None:
    address, children = await family(place, bell)
    async with talk(address) as client:
        assert (await client.answer({"close": 5}, "closed"))["closed"] == {"code": 0, "signal": None}
    assert not any(map(alive, children))


async def test_a_cli_that_is_killed_leaves_nothing_either(place: Place, bell: Bell) -> None:
    address, children = await family(place, bell)
    os.kill(address.cli, signal.SIGKILL)
    await gone(address.pid)
    assert not any(map(alive, children))
    assert exit_of(place.recorded()[-1].line) == Exit(signal="SIGKILL")


async def test_L47_a_child_that_holds_stdout_open_does_not_delay_the_exit_for_ever(place: Place) -> None:
    source = """
        import os, signal
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                signal.pause()
        print("last words")
        os._exit(2)
    """
    address = await place.spawn(source)
    await gone(address.pid)
    assert [each.dir for each in place.recorded()] == ["argv", "env", "out", "exit"]


async def test_the_signals_of_a_terminal_do_not_concern_it(place: Place) -> None:
    address = await place.spawn(ECHO)
    async with talk(address) as client:
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXFSZ):
            os.kill(address.pid, number)
        client.say({"attach": 0})
        client.say({"write": [["in", "one"]]})
        assert await client.until(entry("out", "echo one"))


async def test_it_belongs_to_no_terminal_and_to_no_parent(place: Place) -> None:
    address = await place.spawn(ECHO)
    row, cli = census.proc_row(address.pid), census.proc_row(address.cli)
    assert row is not None
    assert cli is not None
    assert row.parent != os.getpid()
    assert row.group != os.getsid(0)
    assert (cli.parent, cli.group) == (address.pid, address.cli)


async def test_the_system_asks_it_to_end_and_the_cli_may_finish(place: Place) -> None:
    address = await place.spawn("import sys; sys.stdin.read(); print('session file written')")
    os.kill(address.pid, signal.SIGTERM)
    await gone(address.pid)
    assert lines(place.recorded()) == ["session file written"]
    assert exit_of(place.recorded()[-1].line) == Exit(code=0)


async def test_the_cli_is_started_as_without_a_keeper(place: Place) -> None:
    """Signals at their defaults, the starter's umask, the folder it was given, and no file but its three."""
    source = """
        import os
        from pathlib import Path
        status = Path("/proc/self/status").read_text()
        print(*[row.split()[1] for row in status.splitlines() if row.startswith(("SigIgn", "SigBlk"))])
        print(oct(os.umask(0)), os.getcwd())
        print(len([name for name in os.listdir("/proc/self/fd") if int(name) > 3]))
    """
    before = os.umask(0o027)
    try:
        address = await place.spawn(program(place.here, source))
    finally:
        os.umask(before)
    await gone(address.pid)
    masks, *rest = lines(place.recorded())
    # Signals from 32 on are the C library's own, and it ignores one in a process that has used some of its parts.
    blocked, ignored = (int(mask, 16) & (1 << 31) - 1 for mask in masks.split())
    assert (blocked, ignored) == (0, 1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1)
    assert rest == [f"0o27 {place.here}", "0"]


async def test_it_stays_in_no_folder_and_holds_no_pipe_of_its_starter(place: Place) -> None:
    address = await place.spawn(ECHO)
    proc = Path("/proc") / str(address.pid)
    assert (proc / "cwd").readlink() == Path("/")
    assert [(proc / "fd" / str(number)).readlink() for number in range(3)] == [
        Path("/dev/null"),
        Path("/dev/null"),
        place.folder() / "keeper.log",
    ]


async def test_no_secret_is_where_others_can_read_it(place: Place) -> None:
    launch = program(place.here, ECHO)
    secret = Launch((*launch.argv, "--api-key=sk-secret"), {**launch.env, "TOKEN": "sk-secret"}, launch.cwd)
    address = await place.spawn(secret)
    assert b"sk-secret" in shown(address.cli, "environ")
    assert b"sk-secret" not in shown(address.pid, "cmdline") + shown(address.pid, "environ")
    assert not [file for file in place.files() if b"sk-secret" in file.read_bytes()]


async def test_only_the_owner_can_reach_it(place: Place) -> None:
    before = os.umask(0)
    try:
        address = await place.spawn(ECHO)
    finally:
        os.umask(before)
    socket = Path(address.socket)
    assert {mode(socket), *map(mode, place.files())} == {0o600}
    assert {mode(place.folder()), mode(socket.parent)} == {0o700}


async def test_it_is_small(place: Place) -> None:
    address = await place.spawn(ECHO)
    assert resident_kb(address.pid) <= 12 * 1024
