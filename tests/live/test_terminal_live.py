"""The terminal on the real CLI: what a person sees and presses, and what a machine gets."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bascule.demo.script import Script, call, fail, say, turn
from bascule.demo.tour import OPTIONS, QUESTION
from tests.cli.bench import READ_S, Screen, bench

NO_SESSION = "00000000-0000-4000-8000-000000000000"


def touch(name: str = "made.txt") -> Any:
    return call("Bash", command=f"touch {name}", description="make a file")


def ask() -> Any:
    options = [{"label": label, "description": text} for label, text in OPTIONS.items()]
    question = {"question": QUESTION, "header": "Coupons", "multiSelect": False, "options": options}
    return call("AskUserQuestion", questions=[question])


def last_line(out: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def working_in(folder: Path) -> list[str]:
    """Command lines of the processes that work in a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").readlink().is_relative_to(folder):
                found.append((entry / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def says_yes(screen: Screen) -> None:
    """Presses `y` until it counts: a card that has just appeared takes no key."""
    screen.until("y allow once")
    while not screen.sees("Allowed once", "Sending"):
        screen.types("y")
        screen.waits(READ_S)
    screen.until("✓ Allowed once")


@pytest.mark.smoke
def test_the_demo_plays_by_itself_where_there_is_no_terminal(claude_cli: Path, tmp_path: Path) -> None:
    record = tmp_path / "demo.jsonl"
    argv = [sys.executable, "-m", "bascule.cli.main", "demo", "--cli", str(claude_cli), "--record", str(record)]
    env = {"PATH": os.defpath, "HOME": str(tmp_path)}
    done = subprocess.run(
        argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env, timeout=50, check=False
    )
    assert (done.returncode, done.stderr) == (0, f"To see it again: bascule replay {record}\n")
    assert done.stdout.count("**All tests pass.**") == 2
    assert "+    return amount - amount * percent / 100" in done.stdout
    again = subprocess.run([*argv[:3], "replay", str(record)], capture_output=True, text=True, timeout=20, check=True)
    assert done.stdout.startswith(again.stdout.rstrip("\n"))
    assert record.stat().st_mode & 0o777 == 0o600


@pytest.mark.smoke
def test_a_person_talks_allows_and_leaves(claude_cli: Path, tmp_path: Path) -> None:
    script = Script(turn(say("I make it."), touch(), say("**Done.**")), turn(say("Hello **you**.")))
    with bench(script, claude_cli, tmp_path) as at:
        with at.on_screen("run", "make a file") as screen:
            screen.until("y allow once")
            screen.types("\r")
            says_yes(screen)
            screen.until("Enter sends")
            screen.types("and hello\r")
            screen.until("Hello you.")
            screen.until("Enter sends")
            screen.types("\x04")
            assert screen.ends() == 0
            said = screen.said()
        assert (at.project / "made.txt").exists()
    assert [row for row in said if row.startswith(("»", "┃ R", "┃   ", "✓ A", "✓ $"))] == [
        "» make a file", "┃ Run a command", "┃   touch made.txt", "✓ Allowed once", "✓ $ touch made.txt", "» and hello",
    ]  # fmt: skip
    assert said.count("Done.") == said.count("Hello you.") == 1
    assert re.fullmatch(r"To go on: claude --resume [0-9a-f-]{36}", said[-1])
    assert working_in(tmp_path) == []


def test_a_person_denies_answers_and_edits(claude_cli: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/third/edited/ "$1"\n')
    editor.chmod(0o700)
    script = Script(
        turn(touch("first.txt"), say("Then another."), ask(), say("I see."), touch("third.txt"), say("Done."))
    )
    with bench(script, claude_cli, tmp_path, EDITOR=str(editor)) as at:
        with at.on_screen("run", "go") as screen:
            screen.until("y allow once")
            screen.presses_until("d", "Why not?")
            screen.types("not that one\r")
            screen.until("⊘ Denied: not that one")
            screen.until("0 own words")
            screen.presses_until("2", "Chosen: One after the other")
            screen.types("\r")
            screen.until("✓ Answered")
            screen.until("third.txt")
            screen.presses_until("e", "Edited by you")
            says_yes(screen)
            screen.until("Enter sends")
            screen.types("\x04")
            assert screen.ends() == 0
            seen = "\n".join(screen.seen())
        assert sorted(path.name for path in at.project.glob("*.txt")) == ["edited.txt"]
    assert f"{QUESTION} → One after the other" in seen
    assert "✓ Allowed once, as edited" in seen


def test_always_is_not_asked_again(claude_cli: Path, tmp_path: Path) -> None:
    script = Script(turn(touch("one.txt"), say("Again."), touch("one.txt"), say("Done.")))
    with bench(script, claude_cli, tmp_path) as at, at.on_screen("run", "go") as screen:
        screen.until("y allow once")
        screen.presses_until("A", "Allow, and remember this rule")
        screen.waits(READ_S)
        screen.types("\r")
        screen.until("✓ Allowed always: ")
        screen.until("Enter sends")
        screen.types("\x04")
        assert screen.ends() == 0
        assert sum(row == "┃ Run a command" for row in screen.seen()) == 1
        assert sum(row == "✓ $ touch one.txt" for row in screen.seen()) == 2


def test_ctrl_c_interrupts_and_twice_ends(claude_cli: Path, tmp_path: Path) -> None:
    endless = call("Bash", command="tail -f /dev/null", description="wait")
    with bench(Script(turn(endless), turn(endless)), claude_cli, tmp_path) as at:
        with at.on_screen("run", "--allow", "Bash(tail -f /dev/null)", "go") as screen:
            screen.until("◌ $ tail")
            screen.types("\x03")
            screen.until("■ interrupted")
            screen.until("Enter sends")
            screen.types("again\r")
            screen.until("◌ $ tail")
            screen.types("\x03")
            screen.until("■ interrupted", times=2)
            screen.types("\x03")
            assert screen.ends() == 130
        assert working_in(tmp_path) == []


def test_ctrl_c_before_an_ask_denies_and_stops_in_sixty_columns(claude_cli: Path, tmp_path: Path) -> None:
    long = "A line that is longer than sixty columns, so that it must go on in the next row of the terminal."
    with bench(Script(turn(say(long), touch())), claude_cli, tmp_path) as at:
        with at.on_screen("run", "x", columns=60) as screen:
            screen.until("y allow once")
            screen.types("\x03")
            screen.until("⊘ Denied, and the turn stopped")
            screen.until("■ interrupted")
            screen.types("\x04")
            assert screen.ends() == 130
        assert not (at.project / "made.txt").exists()


def test_where_nobody_watches_calls_are_denied_and_counted(claude_cli: Path, tmp_path: Path) -> None:
    script = Script(turn(touch(), say("I could not.")), turn(touch(), say("I could not.")))
    with bench(script, claude_cli, tmp_path) as at:
        done = at.run("run", "make a file")
        assert (done.returncode, "⊘" in done.stdout, "\x1b" in done.stdout) == (0, True, False)
        assert done.stderr.startswith("bascule: 1 ask was denied since nobody could answer")
        assert at.run("run", "--strict", "-", stdin="make a file").returncode == 5
        assert not (at.project / "made.txt").exists()


def test_rules_and_answers_let_a_run_work_alone(claude_cli: Path, tmp_path: Path) -> None:
    script = Script(turn(touch("ruled.txt"), touch("answered.txt"), ask(), say("Done.")))
    with bench(script, claude_cli, tmp_path) as at:
        given = ["--allow", "Bash(touch ruled.txt)", "--answers", "allow,answer:3", "--strict"]
        done = at.run("run", *given, "go")
        assert (done.returncode, sorted(path.name for path in at.project.glob("*.txt"))) == (
            0, ["answered.txt", "ruled.txt"],
        )  # fmt: skip
        assert f"{QUESTION} → No coupons" in done.stdout


@pytest.mark.smoke
def test_json_is_events_and_a_last_line(claude_cli: Path, tmp_path: Path) -> None:
    with bench(Script(turn(touch(), say("I could not."))), claude_cli, tmp_path) as at:
        record = tmp_path / "record.jsonl"
        done = at.run("run", "--json", "--strict", "--record", str(record), "go")
        live = [line for line in done.stdout.splitlines()[:-1] if json.loads(line)["seq"]]
        again = [
            line for line in at.run("replay", "--json", str(record)).stdout.splitlines() if json.loads(line)["seq"]
        ]
    last = last_line(done.stdout)
    assert (done.returncode, last["type"], last["code"], last["unanswered"]) == (5, "exit", 5, 1)
    assert live == again
    assert [json.loads(line)["type"] for line in live][-2:] == ["complete", "session_ended"]


@pytest.mark.parametrize(
    ("script", "args", "code"),
    [
        (Script(turn(fail(400))), [], 1),
        (Script(turn(touch(), say("more"), touch(), say("done"))), ["--max-turns", "1"], 6),
        (Script(turn(say("slow " * 200)), delay_s=0.05), ["--max-seconds", "1.5"], 6),
    ],
    ids=["an API error", "rounds", "time"],
)
def test_how_a_turn_ended_is_the_exit_code(
    script: Script, args: list[str], code: int, claude_cli: Path, tmp_path: Path
) -> None:
    with bench(script, claude_cli, tmp_path) as at:
        done = at.run("run", "--json", *args, "go")
        assert (done.returncode, last_line(done.stdout)["code"]) == (code, code)
        assert working_in(tmp_path) == []


def test_a_conversation_that_is_not_there_is_an_error_and_no_empty_one(claude_cli: Path, tmp_path: Path) -> None:
    with bench(Script(turn(say("never"))), claude_cli, tmp_path) as at:
        done = at.run("run", "--resume", NO_SESSION, "go")
        assert (done.returncode, done.stdout) == (4, "")
        assert done.stderr.startswith(f"bascule: resume is '{NO_SESSION}': there is no such conversation; `claude")
        assert f"No conversation found with session ID: {NO_SESSION}" in done.stderr
        assert at.model.left == 1


def test_a_conversation_goes_on(claude_cli: Path, tmp_path: Path) -> None:
    with bench(Script(turn(say("one")), turn(say("two"))), claude_cli, tmp_path) as at:
        first = at.run("run", "go")
        resumed = at.run("run", "--resume", first.stderr.split()[-1], "on")
    assert (resumed.returncode, "\ntwo\n" in resumed.stdout, " · resumed · " in resumed.stdout) == (0, True, True)


def test_a_reader_that_leaves_ends_the_run(claude_cli: Path, tmp_path: Path) -> None:
    with bench(Script(turn(say("word " * 400)), delay_s=0.02), claude_cli, tmp_path) as at:
        with at.started("run", "--json", "go") as (process, out):
            out.readline()
            out.close()
            assert process.wait(20) == 130
        assert working_in(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_a_run_cleanly(number: signal.Signals, claude_cli: Path, tmp_path: Path) -> None:
    with bench(Script(turn(say("word " * 400)), delay_s=0.02), claude_cli, tmp_path) as at:
        with at.started("run", "--json", "go") as (process, out):
            while b'"message_chunk"' not in (line := out.readline()):
                assert line
            process.send_signal(number)
            rest = out.read().decode()
            assert (process.wait(20), last_line(rest)["code"]) == (130, 130)
        assert working_in(tmp_path) == []
