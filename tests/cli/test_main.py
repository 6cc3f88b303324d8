"""The command line itself: what is wrong is said in one line that tells what to do."""

import argparse
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from bascule import errors
from bascule.cli.main import main, parser
from bascule.cli.run import options_of, refuse_root_in_words, tell_the_end
from bascule.cli.settings.command_line import given
from bascule.cli.settings.snapshot import snapshot
from bascule.events import Complete
from bascule.ids import CliSessionId
from bascule.session.options import Options
from bascule.terminal.tally import Tally
from bascule.testing.fake_cli import install
from tests.cli.command import bascule


def test_the_version_is_told() -> None:
    ran = bascule("--version")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("bascule 0.")


LOADED = """
import atexit, sys
from bascule.cli.main import main
atexit.register(lambda: print(*sorted(sys.modules), sep="\\n"))
main(["--version"])
"""


def test_the_version_loads_nothing_that_it_does_not_need() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, timeout=15, check=True)
    loaded = set(done.stdout.splitlines())
    assert "bascule.cli.main" in loaded
    assert not loaded & {"asyncio", "rich", "bascule.session", "bascule.terminal", "bascule.transcript"}


def test_without_a_command_the_help_is_shown() -> None:
    ran = bascule()
    assert ran.code == 2
    assert "run       " in ran.out


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (
            ["rum"],
            "bascule: argument COMMAND: invalid choice: 'rum'"
            " (choose from 'run', 'replay', 'demo', 'policy', 'trust', 'config', 'store', 'serve', 'ps', 'past',"
            " 'import', 'asks', 'decide', 'attach', 'token', 'doctor'). See: bascule --help",
        ),
        (["--colour"], "bascule: there is no option --colour: see bascule --help"),
        (["run", "--jsn"], "bascule: there is no option --jsn: did you mean --json?"),
        (["run", "--polcy=plan"], "bascule: there is no option --polcy=plan: did you mean --policy?"),
        (
            ["run", "--nonsense"],
            "bascule: there is no option --nonsense: see bascule run --help, or put -- before a prompt",
        ),
        (["run", "-x"], "bascule: there is no option -x: see bascule run --help, or put -- before a prompt"),
        (
            ["run", "a", "--strict", "b"],
            "bascule: 'b' stands alone: put the prompts side by side, each in quotes. See: bascule run --help",
        ),
        (["run", "--max-turns", "0"], "bascule: argument --max-turns: 0 is not above 0. See: bascule run --help"),
        (
            ["run", "--max-seconds", "soon"],
            "bascule: argument --max-seconds: invalid float value: 'soon'. See: bascule run --help",
        ),
        (["run", "--file"], "bascule: argument --file: expected one argument. See: bascule run --help"),
        (["replay"], "bascule: the following arguments are required: FILE. See: bascule replay --help"),
    ],
)
def test_wrong_usage_is_one_line(args: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(args) == 2
    assert capsys.readouterr() == ("", f"{line}\n")


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["run", "--json", "--nonsense"], "there is no option --nonsense: "),
        (["demo", "--json", "--nonsense"], "there is no option --nonsense: "),
        (["run", "--max-turns", "0", "--json"], "argument --max-turns: 0 is not above 0."),
    ],
)
def test_wrong_usage_is_the_last_json_line_too(args: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(args) == 2
    told = json.loads(capsys.readouterr().out)
    assert (told["type"], told["code"]) == ("exit", 2)
    assert told["error"].startswith(line)


def test_a_prompt_that_speaks_of_json_asks_for_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(["run", "--nonsense", "--", "--json"]) == 2
    assert capsys.readouterr().out == ""


def code_of(args: list[str]) -> int | str | None:
    """The exit code, whether it is returned or raised."""
    try:
        return main(args)
    except SystemExit as exc:
        return exc.code


def test_where_to_go_on_is_safe_to_paste(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally()
    tally.complete = Complete(outcome="success")
    tally.cli_session_id, tally.cwd = CliSessionId("x; rm -rf \x1b[2Jy"), "/w/\x1b]0;hi\x07my work"
    tell_the_end(tally)
    assert capsys.readouterr().err == "To go on: cd '/w/my work' && claude --resume 'x; rm -rf y'\n"


def test_root_is_refused_in_words_of_the_command_line() -> None:
    with pytest.raises(errors.OptionError, match=r"IS_SANDBOX=1 bascule run --pass-env IS_SANDBOX"):
        refuse_root_in_words(Options(policy="autonomous"), euid=0)
    refuse_root_in_words(Options(policy="autonomous"), euid=1000)
    refuse_root_in_words(Options(policy="autonomous", env={"IS_SANDBOX": "1"}), euid=0)


def test_L114_a_prompt_may_begin_with_a_dash() -> None:
    args = parser().parse_args(["run", "--json", "--", "-x is my prompt", "--and this"])
    assert args.prompts == ["-x is my prompt", "--and this"]


@pytest.fixture
def command() -> Iterator[ModuleType]:
    """A command of the test's own, in place of `replay`."""
    name = "bascule.cli.replay"
    before = sys.modules.get(name)
    sys.modules[name] = made = ModuleType(name)
    yield made
    del sys.modules[name]
    if before is not None:
        sys.modules[name] = before


def raising(error: BaseException) -> object:
    def run(args: argparse.Namespace) -> int:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "err"),
    [
        (errors.OptionError("x is wrong: do y"), 2, "bascule: x is wrong: do y\n"),
        (errors.CliNotFound("no CLI"), 3, "bascule: no CLI\n"),
        (
            errors.StartFailed("it ended", exit_code=1, stderr_tail="why\n\x1b[31mthis\n"),
            4,
            "bascule: it ended\n  │ why\n  │ this\n",
        ),
        (errors.ProcessLost("it is gone"), 7, "bascule: it is gone\n"),
        (KeyboardInterrupt(), 130, ""),
        (ValueError("odd"), 1, "bascule: a bug in bascule: ValueError: odd (BASCULE_DEBUG=1 shows where)\n"),
    ],
)
def test_a_failure_is_told_without_a_traceback(
    command: ModuleType, capsys: pytest.CaptureFixture[str], error: BaseException, code: int, err: str
) -> None:
    vars(command)["run"] = raising(error)
    assert main(["replay", "x"]) == code
    assert capsys.readouterr().err == err


def test_a_bug_of_ours_is_logged_with_its_traceback(command: ModuleType, caplog: pytest.LogCaptureFixture) -> None:
    vars(command)["run"] = raising(ValueError("odd"))
    with caplog.at_level(logging.ERROR, "bascule.cli"):
        assert main(["replay", "x"]) == 1
    assert "ValueError: odd" in caplog.text


@pytest.mark.parametrize(
    ("args", "code", "problem"),
    [
        (["--cwd", "{tmp}/gone"], 2, "cwd is {tmp}/gone, which is no folder"),
        (["--cli", "{tmp}/gone"], 3, "{tmp}/gone does not exist"),
        ([], 3, "there is no Claude Code in"),
        (["--mode", "wild"], 2, "mode is 'wild'"),
        (["--policy", "plam"], 2, "there is no policy 'plam'; did you mean 'plan'?"),
        (["--allow", "("], 2, ""),
        (["--answers", "yes"], 2, "--answers: 'yes' is no answer"),
        (["--mcp-config", "{tmp}/gone.json"], 2, "--mcp-config: {tmp}/gone.json cannot be read"),
        (["--mcp-config", "{tmp}/bad.json"], 2, "--mcp-config: {tmp}/bad.json is not of the form"),
        (["--record", "{tmp}/no/such/file"], 2, "{tmp}/no/such/file cannot be written"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_bad_input_to_run_is_one_line_with_a_code(
    tmp_path: Path,
    args: list[str],
    code: int,
    problem: str,
    as_json: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "bad.json").write_text('{"mcpServers": []}')
    monkeypatch.chdir(tmp_path)
    for name, value in {"PATH": os.defpath, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": "", "TMPDIR": ""}.items():
        monkeypatch.setenv(name, value)
    given = [arg.format(tmp=tmp_path) for arg in args]
    (tmp_path / "fake").mkdir()
    cli = ["--cli", str(install(tmp_path / "fake"))] if "--record" in given else []
    assert main(["run", *given, *cli, *(["--json"] if as_json else []), "hi"]) == code
    out, err = capsys.readouterr()
    assert problem.format(tmp=tmp_path) in err
    assert (err.startswith("bascule: "), err.count("\n")) == (True, 1)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["bad.json"]
    assert [json.loads(line)["code"] for line in out.splitlines()] == ([code] if as_json else [])


def test_a_named_variable_is_passed_on() -> None:
    args = parser().parse_args(["run", "--pass-env", "ANTHROPIC_BASE_URL", "--pass-env", "MINE", "hi"])
    config = snapshot(None, env={}, given=given(args)).config
    assert options_of(args, config, attended=False).pass_env == ("ANTHROPIC_BASE_URL", "MINE")
