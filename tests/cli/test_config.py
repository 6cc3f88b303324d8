"""`bascule config`, and a run that obeys what is configured."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from bascule.demo.script import Script, call, say, turn
from bascule.testing.fake_cli import install
from scripts.write_config_reference import PAGE, page
from tests.cli.bench import Bench, bench
from tests.cli.command import Ran, bascule

USERS = """\
[claude]
model = "opus"
effort = "high"

[projects."my app"]
path = "~/app"
"""
THEIRS = """\
[claude]
model = "haiku"
cli = "/evil"

[policy]
default = "plan"
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    configure(tmp_path / "home", tmp_path / "work")
    return tmp_path / "work"


def configure(home: Path, work: Path) -> None:
    for path, text in ((home / ".config" / "bascule" / "config.toml", USERS), (work / ".bascule/config.toml", THEIRS)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def config(work: Path, *args: str, **env: str) -> Ran:
    home = {"HOME": str(work.parent / "home"), "XDG_STATE_HOME": str(work.parent / "state")}
    return bascule("config", *args, env={**home, **env}, cwd=work)


def test_what_holds_is_shown_as_a_file_that_would_say_the_same_with_its_origins(work: Path) -> None:
    ran = config(work, "show", BASCULE_HUB_PORT="0")
    assert (ran.code, ran.err) == (0, "")
    said = tomllib.loads(ran.out)
    assert (said["claude"]["model"], said["policy"]["default"], said["hub"]["port"]) == ("opus", "plan", 0)
    assert said["projects"] == {"my app": {"path": "~/app"}}
    rows = [" ".join(row.split()) for row in ran.out.splitlines()]
    assert f'model = "opus" # user: {work.parent}/home/.config/bascule/config.toml:2:1' in rows
    assert f'default = "plan" # project: {work}/.bascule/config.toml:6:1' in rows
    assert "port = 0 # environment: BASCULE_HUB_PORT" in rows
    assert "outline_min_chars = 200 # default" in rows
    assert "# preamble is not set" in rows
    assert rows[-2:] == [
        f"# {work}/.bascule/config.toml:2:1: claude.model is left out: it counts once the file is accepted"
        " (bascule trust)",
        f"# {work}/.bascule/config.toml:3:1: claude.cli is left out: it counts in your own configuration only",
    ]


def test_a_program_reads_the_same(work: Path) -> None:
    said = json.loads(config(work, "show", "--json", "--trust", "all").out)
    assert said["settings"]["claude.model"] == {
        "value": "haiku",
        "from": "project",
        "place": f"{work}/.bascule/config.toml:2:1",
    }
    assert said["settings"]["claude.preamble"] == {"value": None, "from": "default", "place": None}
    assert [(one["key"], one["why"]) for one in said["left_out"]] == [("claude.cli", "yours alone")]


def test_what_is_right_is_checked_and_counted(work: Path) -> None:
    ran = config(work, "check", BASCULE_CLAUDE_EFFORT="low")
    assert ran.code == 0
    assert ran.out.splitlines()[:3] == [
        f"{work.parent}/home/.config/bascule/config.toml: 2 settings hold",
        f"{work}/.bascule/config.toml: 1 setting holds",
        "environment: BASCULE_CLAUDE_EFFORT",
    ]
    (work / ".bascule" / "config.toml").unlink()
    assert f"{work}/.bascule/config.toml: not there" in config(work, "check").out


def test_a_call_is_explained_by_the_policy_that_is_configured(work: Path) -> None:
    home = {"HOME": str(work.parent / "home"), "XDG_STATE_HOME": str(work.parent / "state")}
    assert "policy plan, workspace" in bascule("policy", "explain", "touch x", env=home, cwd=work).out
    ran = bascule("policy", "explain", "touch x", "--policy", "rules", env=home, cwd=work)
    assert "policy rules, workspace" in ran.out


def test_the_cli_that_is_configured_is_examined(work: Path) -> None:
    home = {"HOME": str(work.parent / "home"), "BASCULE_CLAUDE_CLI": str(work / "none")}
    ran = bascule("doctor", "--quick", env=home, cwd=work)
    assert str(work / "none") in "".join(ran.out.split())


def test_a_program_is_told_of_a_mistake_in_its_last_line(work: Path) -> None:
    (work / ".bascule" / "config.toml").write_text("[claud]\n")
    ran = bascule("run", "--json", "hi", env={"HOME": str(work.parent / "home")}, cwd=work)
    assert (ran.code, json.loads(ran.out)["code"]) == (2, 2)
    assert "there is no section 'claud'" in json.loads(ran.out)["error"]


@pytest.mark.parametrize("command", [["config", "check"], ["config", "show"], ["run", "hi"]])
def test_a_mistake_is_told_with_its_place_and_exits_2(command: list[str], work: Path) -> None:
    path = work / ".bascule" / "config.toml"
    path.write_text('[claude]\nmodle = "x"\n')
    ran = bascule(*command, env={"HOME": str(work.parent / "home")}, cwd=work)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"bascule: {path}:2:1: there is no key 'modle' in [claude]; the nearest one is 'model'\n"


def test_what_is_only_wrong_together_is_checked_too(work: Path) -> None:
    ran = config(work, "check", BASCULE_HUB_TLS_CERT="/cert")
    assert ran.code == 2
    assert "belong together" in ran.err


def test_the_reference_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m scripts.write_config_reference"


def test_the_reference_says_something_of_every_key() -> None:
    rows = [[cell.strip() for cell in row.split(" | ")] for row in page().splitlines() if row.startswith("| `")]
    assert len(rows) > 30
    assert [row for row in rows if not row[3]] == []


MAKE = call("Bash", command="touch made", description="make")


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Bench]:
    """A run that makes a file, on the fake CLI."""
    (tmp_path / "fake").mkdir()
    script = Script(*(turn(MAKE, say("Done.")) for _ in range(3)))
    with bench(script, install(tmp_path / "fake"), tmp_path) as given:
        yield given


def launched(at: Bench, record: Path, *args: str) -> list[str]:
    """The command line of Claude Code in a run."""
    done = at.run("run", "--unproven", "--record", str(record), *args, "go")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    [argv] = [json.loads(line["line"]) for line in lines if line.get("dir") == "argv"]
    return [str(word) for word in argv]


def test_a_run_obeys_what_is_configured_and_its_own_line_before_that(at: Bench, tmp_path: Path) -> None:
    users = Path(at.env["HOME"]) / ".config" / "bascule" / "config.toml"
    users.parent.mkdir(parents=True)
    users.write_text('[claude]\nmodel = "opus"\neffort = "high"\npreamble = "Be brief."\n[policy]\ndefault = "rules"\n')
    assert {"--model=opus", "--effort=high"} <= set(launched(at, tmp_path / "first"))
    assert "--model=haiku" in launched(at, tmp_path / "second", "--model", "haiku")


def test_a_run_says_what_its_workspace_cannot_say(at: Bench, tmp_path: Path) -> None:
    (at.project / ".bascule").mkdir()
    (at.project / ".bascule" / "config.toml").write_text(THEIRS)
    done = at.run("run", "--unproven", "go")
    assert "claude.model (counts once it is accepted: bascule trust); claude.cli (counts in your own" in done.stderr
    assert at.run("trust", "--accept").returncode == 0
    argv = launched(at, tmp_path / "record")
    assert "--model=haiku" in argv
    assert "--permission-mode=plan" in argv
    assert "/evil" not in argv[0]


def test_a_person_who_accepts_a_configuration_has_it_at_once(at: Bench, tmp_path: Path) -> None:
    (at.project / ".bascule").mkdir()
    (at.project / ".bascule" / "config.toml").write_text('[claude]\nmodel = "haiku"\n')
    with at.on_screen("run", "--unproven", "--record", str(tmp_path / "record"), "go") as screen:
        screen.until("Accept it [a], start without it [w], or stop here [q]?")
        assert screen.sees("settings of its own: until they are accepted")
        screen.types("a\n")
        screen.until("y allow once")
        assert "--model=haiku" in (tmp_path / "record").read_text()
        screen.types("\x03\x03")
