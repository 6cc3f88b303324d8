"""`bascule doctor` as a process, and `bascule run` with a Claude Code that does not ask."""

import json
from pathlib import Path

import pytest

from bascule.demo.script import Script, say
from bascule.testing.fake_cli import install
from tests.cli.bench import bench
from tests.cli.command import Ran, bascule
from tests.doctor.broken import asks_nobody
from tests.doctor.programs import program


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A home of its own."""
    (tmp_path / "home").mkdir()
    return {"HOME": str(tmp_path / "home"), "COLUMNS": "80"}


def test_a_fit_cli_is_said_to_be(tmp_path: Path, env: dict[str, str]) -> None:
    ran = bascule("doctor", "--quick", "--cli", str(install(tmp_path)), env=env)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Claude Code 2.1.332\n\n✓ found    ")
    assert "✓ asks     asked before it wrote a file and before it ran a command" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "\x1b" not in ran.out


def test_a_cli_that_asks_nobody_is_said_to_be_broken(tmp_path: Path, env: dict[str, str]) -> None:
    ran = bascule("doctor", "--cli", str(asks_nobody(tmp_path)), env=env)
    assert ran.code == 1
    assert "✗ asks     it wrote what nobody had allowed" in ran.out
    assert "→ start no session with it; install another version" in ran.out
    assert ran.out.endswith("Something is broken: see the lines with ✗.\n")


def test_without_a_cli_it_says_what_to_install(tmp_path: Path, env: dict[str, str]) -> None:
    ran = bascule("doctor", "--cli", str(tmp_path / "claude"), env=env)
    assert ran.code == 1
    assert "✗ found" in ran.out
    assert "install Claude Code" in ran.out


def test_a_program_reads_the_report_as_json(tmp_path: Path, env: dict[str, str]) -> None:
    ran = bascule("doctor", "--quick", "--json", "--cli", str(install(tmp_path, version="2.1.197")), env=env)
    report = json.loads(ran.out)
    assert (ran.code, report["code"], report["version"], report["differences"]) == (0, 0, "2.1.197", None)
    assert report["checks"][2] == {
        "name": "asks",
        "verdict": "good",
        "says": "asked before it wrote a file and before it ran a command, and kept to the answers",
        "advice": "",
    }


def run_with(cli: Path, tmp_path: Path, env: dict[str, str], *args: str) -> Ran:
    """A run in an empty workspace, with nobody at the keyboard."""
    (tmp_path / "work").mkdir()
    return bascule("run", "--cli", str(cli), *args, "do it", env=env, cwd=tmp_path / "work")


@pytest.mark.parametrize("more", [(), ("--policy", "plan", "--unproven")])
def test_F12_no_supervised_run_starts_with_a_cli_that_asks_nobody(
    tmp_path: Path, env: dict[str, str], more: tuple[str, ...]
) -> None:
    ran = run_with(asks_nobody(tmp_path), tmp_path, env, *more)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("bascule: in a test Claude Code 2.1.332 ")
    assert "wrote what nobody had allowed: no supervised session is started with it" in ran.err
    assert ran.err.count("\n") == 1
    assert list((tmp_path / "work").iterdir()) == []


def test_a_run_asks_for_the_version_where_it_will_be(tmp_path: Path, env: dict[str, str]) -> None:
    for name, version in {"old": "2.1.197", "new": "2.1.332"}.items():
        (tmp_path / name).mkdir()
        install(tmp_path / name, version=version)
    starter = f'case "$PWD" in */work) set old "$@";; *) set new "$@";; esac\nfake="{tmp_path}/$1/claude"; shift'
    ran = run_with(program(tmp_path, f'{starter}; exec "$fake" "$@"'), tmp_path, env)
    assert (ran.code, ran.out) == (3, "")
    assert "it could not be tested whether Claude Code 2.1.197" in ran.err
    assert "it was 2.1.332 in the test" in ran.err


def test_a_refusal_is_told_to_programs_too(tmp_path: Path, env: dict[str, str]) -> None:
    ran = run_with(asks_nobody(tmp_path), tmp_path, env, "--json")
    last = json.loads(ran.out)
    assert (ran.code, last["type"], last["code"]) == (3, "exit", 3)
    assert "wrote what nobody had allowed" in last["error"]


def test_where_the_cli_governs_nothing_has_to_be_proven(tmp_path: Path) -> None:
    (tmp_path / "fake").mkdir()
    with bench(Script(say("Hello.")), asks_nobody(tmp_path / "fake"), tmp_path) as at:
        ran = at.run("run", "--policy", "acceptEdits", "do it")
    assert ran.returncode == 0
    assert "Hello." in ran.stdout


def test_what_cannot_be_tested_starts_only_when_a_person_says_so(tmp_path: Path) -> None:
    """A starter that speaks to a model of its own, whatever it is told."""
    (tmp_path / "fake").mkdir()
    cli = install(tmp_path / "fake")
    with bench(Script(say("Hello."), otherwise=[say("What?")]), cli, tmp_path) as at:
        cli.write_text(cli.read_text().replace("exec", f"ANTHROPIC_BASE_URL={at.model.url} exec"))
        refused = at.run("run", "do it")
        started = at.run("run", "--unproven", "do it")
    assert refused.returncode == 3
    assert "it could not be tested whether Claude Code 2.1.332" in refused.stderr
    assert "start it untested with --unproven" in refused.stderr
    assert (started.returncode, "What?" in started.stdout) == (0, True)
    assert "nobody knows whether this Claude Code asks before it writes" in started.stderr


def test_a_cli_is_proven_once(tmp_path: Path) -> None:
    (tmp_path / "fake").mkdir()
    with bench(Script(say("One."), say("Two.")), install(tmp_path / "fake"), tmp_path) as at:
        for _ in range(2):
            assert at.run("run", "do it").returncode == 0
        (receipt,) = (Path(at.env["HOME"]) / ".local" / "state" / "bascule" / "proofs").iterdir()
        assert json.loads(receipt.read_text())["version"] == "2.1.332"
