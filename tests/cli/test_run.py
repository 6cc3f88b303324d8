"""`bascule run` and `bascule demo` as processes, on the fake CLI: what is printed, pressed and exited with."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from bascule.demo.script import Script, call, fail, say, turn, wait
from bascule.testing.fake_cli import install
from tests.cli.bench import READ_S, Bench, Screen, bench

NO_SESSION = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    """The fake CLI."""
    folder = tmp_path / "fake"
    folder.mkdir()
    return install(folder)


def touch(name: str = "made.txt") -> Any:
    return call("Bash", command=f"touch {name}", description="make a file")


def on_bench(fake: Path, *turns: Any, **more: Any) -> AbstractContextManager[Bench]:
    return bench(Script(*map(turn_of, turns), **more), fake, fake.parent.parent)


def turn_of(steps: Any) -> Any:
    return turn(*steps) if isinstance(steps, tuple) else turn(steps)


def allows(screen: Screen) -> None:
    screen.until("y allow once")
    while not screen.sees("Allowed once", "Sending"):
        screen.types("y")
        screen.waits(READ_S)
    screen.until("✓ Allowed once")


def test_a_run_prints_the_conversation_and_where_to_go_on(fake: Path) -> None:
    with on_bench(fake, say("Hello **you**.")) as at:
        done = at.run("run", "hi")
    assert done.returncode == 0
    assert done.stdout.startswith("» hi\n")
    assert "\nHello **you**.\n" in done.stdout
    assert done.stderr.startswith("To go on: claude --resume ")


def test_prompts_are_said_in_turn(fake: Path) -> None:
    with on_bench(fake, say("one"), say("two"), say("three")) as at:
        (at.project / "third.md").write_text("the third")
        done = at.run("run", "the first", "-", "--file", "third.md", stdin="the second")
    assert [row for row in done.stdout.splitlines() if row.startswith("»")] == [
        "» the first",
        "» the second",
        "» the third",
    ]


@pytest.mark.parametrize(("strict", "code"), [([], 0), (["--strict"], 5)])
def test_where_nobody_watches_what_asks_is_denied(strict: list[str], code: int, fake: Path) -> None:
    with on_bench(fake, (touch(), say("So not."))) as at:
        done = at.run("run", *strict, "make a file")
        assert (done.returncode, (at.project / "made.txt").exists()) == (code, False)
    assert done.stderr.startswith(
        "bascule: 1 ask was denied since nobody could answer; --answers or --allow RULE would"
    )
    assert "· denied" in done.stdout


def test_L43_a_question_that_nobody_can_answer_is_denied_and_counted_too(fake: Path) -> None:
    options = [{"label": label, "description": label} for label in ("A", "B")]
    which = {"question": "Which?", "header": "Which", "multiSelect": False, "options": options}
    with on_bench(fake, (call("AskUserQuestion", questions=[which]), touch(), say("I took A."))) as at:
        done = at.run("run", "--strict", "make a file")
    assert done.returncode == 5
    assert done.stderr.startswith("bascule: 2 asks were denied since nobody could answer")
    assert "use your judgement and state your assumption" in done.stdout


def test_answers_are_taken_in_order_and_then_denied(fake: Path) -> None:
    with on_bench(fake, (touch("a"), say("x"), touch("b"), say("y"), touch("c"), say("z"))) as at:
        done = at.run("run", "--answers", "allow,deny:not that", "go")
        assert (done.returncode, (at.project / "a").exists(), (at.project / "b").exists()) == (0, True, False)
    assert "⊘ Denied: not that" in done.stdout
    assert "⊘ Denied: no answer left" in done.stdout


def test_a_rule_lets_pass_what_it_covers(fake: Path) -> None:
    with on_bench(fake, (touch("ruled"), say("x"))) as at:
        assert at.run("run", "--strict", "--allow", "Bash(touch ruled)", "go").returncode == 0
        assert (at.project / "ruled").exists()


def test_json_is_events_and_the_exit_code_last(fake: Path, tmp_path: Path) -> None:
    with on_bench(fake, (touch(), say("So not."))) as at:
        done = at.run("run", "--json", "--strict", "--record", str(tmp_path / "record"), "go")
        again = at.run("replay", "--json", str(tmp_path / "record"))
    *lines, last = map(json.loads, done.stdout.splitlines())
    assert last == {
        "type": "exit", "code": 5, "error": None, "unanswered": 1, "cli_session_id": last["cli_session_id"],
    }  # fmt: skip
    assert [line["seq"] for line in lines if line["seq"]] == list(range(1, lines[-1]["seq"] + 1))
    assert [line for line in lines if line["seq"]] == [
        line for line in map(json.loads, again.stdout.splitlines()) if line["seq"]
    ]


def test_a_recording_is_for_its_owner_and_holds_no_secret(fake: Path, tmp_path: Path) -> None:
    record = tmp_path / "record"
    with on_bench(fake, say("I keep it to myself.")) as at:
        done = at.run("run", "--record", str(record), "the key is sk-ant-api03-abcdefghijklmnop")
    assert (done.returncode, record.stat().st_mode & 0o777) == (0, 0o600)
    assert "sk-ant" not in record.read_text()
    assert "the key is [redacted]" in record.read_text()


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_failed_turn_is_told_with_its_code(as_json: list[str], fake: Path) -> None:
    with on_bench(fake, fail(400)) as at:
        done = at.run("run", *as_json, "go")
    assert done.returncode == 1


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_conversation_that_is_not_there_is_an_error(as_json: list[str], fake: Path) -> None:
    with on_bench(fake, say("never")) as at:
        done = at.run("run", *as_json, "--resume", NO_SESSION, "go")
        assert (done.returncode, at.model.left) == (4, 1)
    assert done.stderr.startswith(f"bascule: resume is '{NO_SESSION}': there is no such conversation; `claude")
    if as_json:
        (last,) = map(json.loads, done.stdout.splitlines())
        assert (last["type"], last["code"]) == ("exit", 4)


def test_a_cli_that_dies_at_the_start_is_told_with_its_last_words(fake: Path) -> None:
    told = "test \"$1\" = --version && echo '2.1.332 (Claude Code)' && exit"
    fake.write_text(f"#!/bin/sh\n{told}\necho 'no such library' >&2\nexit 9\n")
    with on_bench(fake, say("never")) as at:
        done = at.run("run", "go")
    assert (done.returncode, done.stdout) == (4, "")
    assert "no such library" in done.stderr


@pytest.mark.parametrize("where", [[], ["--json"]])
def test_without_a_prompt_and_without_a_person_there_is_nothing_to_do(where: list[str], fake: Path) -> None:
    with on_bench(fake, say("never")) as at:
        done = at.run("run", *where, stdin=" ")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "standard input is empty" in done.stderr


def test_a_person_at_a_terminal_allows_and_leaves(fake: Path) -> None:
    with on_bench(fake, (say("I make it."), touch(), say("**Done.**"))) as at:
        with at.on_screen("run", "make a file") as screen:
            allows(screen)
            screen.until("Enter sends")
            screen.types("\x04")
            assert screen.ends() == 0
            said = screen.said()
        assert (at.project / "made.txt").exists()
    assert said.count("Done.") == said.count("I make it.") == 1
    assert said[-1].startswith("To go on: claude --resume ")


def test_answers_at_a_terminal_need_nobody(fake: Path) -> None:
    with on_bench(fake, (touch(), say("**Done.**"))) as at, at.on_screen("run", "--answers", "allow", "go") as screen:
        assert screen.ends() == 0
        assert "Done." in screen.said()


def test_json_at_a_terminal_needs_a_prompt(fake: Path) -> None:
    with on_bench(fake, say("never")) as at, at.on_screen("run", "--json") as screen:
        assert screen.ends() == 2
        assert screen.said()[0].startswith("bascule: there is no prompt")


def test_a_terminal_that_can_draw_nothing_asks_nobody(fake: Path) -> None:
    with on_bench(fake, (touch(), say("So not."))) as at, at.on_screen("run", "go", TERM="dumb") as screen:
        assert screen.ends() == 0
        assert any("1 ask was denied since nobody could answer" in row for row in screen.said())


@pytest.fixture
def slow(fake: Path) -> Iterator[Bench]:
    """A turn that takes long."""
    with on_bench(fake, say("word " * 500), delay_s=0.02) as at:
        yield at


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_a_run_cleanly(number: signal.Signals, slow: Bench) -> None:
    with slow.started("run", "--json", "go") as (process, out):
        while b'"message_chunk"' not in (line := out.readline()):
            assert line
        process.send_signal(number)
        rest = out.read().splitlines()
        assert (process.wait(15), json.loads(rest[-1])["code"]) == (130, 130)


def test_L18_a_reader_that_leaves_ends_the_run_without_an_error(slow: Bench) -> None:
    with slow.started("run", "go") as (process, out):
        out.readline()
        out.close()
        assert process.wait(15) == 130


def test_the_time_of_a_run_is_limited(slow: Bench) -> None:
    assert slow.run("run", "--max-seconds", "1", "go").returncode == 6


def test_the_time_of_a_turn_is_limited(slow: Bench) -> None:
    done = slow.run("run", "--turn-seconds", "1", "go")
    assert done.returncode == 6
    assert "the turn took more than 1 s" in done.stdout + done.stderr


@pytest.mark.parametrize(("prompts", "code"), [(["go"], 6), (["go", "go on"], 0)])
def test_silence_is_limited_and_a_good_turn_after_it_makes_up_for_it(prompts: list[str], code: int, fake: Path) -> None:
    with on_bench(fake, (wait("silent"), say("late")), say("Hello.")) as at:
        done = at.run("run", "--json", "--silence-seconds", "1", *prompts)
    assert (done.returncode, json.loads(done.stdout.splitlines()[-1])["code"]) == (code, code)
    assert "nothing was heard for 1 s" in done.stdout


def test_ctrl_c_interrupts_and_twice_ends(slow: Bench) -> None:
    with slow.on_screen("run", "go") as screen:
        screen.until("Working")
        screen.until("word")
        screen.types("\x03")
        screen.until("■ interrupted")
        screen.types("\x03")
        assert screen.ends() == 130


def test_ctrl_z_gives_the_terminal_back_and_takes_it_again(slow: Bench) -> None:
    with slow.on_screen("run", "go") as screen:
        screen.until("word")
        screen.types("\x1a")
        _, status = os.waitpid(screen.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        screen.waits(0.2)
        assert screen.modes() == {"25"}
        screen.process.send_signal(signal.SIGCONT)
        screen.until("Working")
        screen.types("\x03")
        screen.until("■ interrupted")
        screen.types("\x04")
        assert screen.ends() == 130


def test_mcp_servers_are_read_from_a_file(fake: Path) -> None:
    with on_bench(fake, say("hello")) as at:
        (at.project / "mcp.json").write_text('{"mcpServers": {"toy": "not an object"}}')
        done = at.run("run", "--mcp-config", "mcp.json", "go")
    assert done.returncode == 2
    assert "is not of the form" in done.stderr
