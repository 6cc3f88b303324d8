"""The fake as a program: what it is started with, and what it plays by itself."""

import json
import subprocess
from pathlib import Path

import pytest

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.testing.fake_cli import VERSIONS, install
from tests.testing.driven import Driven, Line, measured, shapes


@pytest.fixture
def env(clean_env: dict[str, str]) -> dict[str, str]:
    return {**clean_env, **measured()}


def ended(cli: Path, env: dict[str, str], *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([cli, *argv], env=env, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("version", VERSIONS)
def test_it_tells_its_version(tmp_path: Path, env: dict[str, str], version: str) -> None:
    assert ended(install(tmp_path, version=version), env, "--version").stdout == f"{version} (Claude Code)\n"


def test_a_version_that_it_cannot_be_is_refused(tmp_path: Path, env: dict[str, str]) -> None:
    run = ended(install(tmp_path, version="1.0.0"), env, "--version")
    assert (run.returncode, run.stdout) == (1, "")
    assert "2.1.332, 2.1.197" in run.stderr


def test_it_plays_a_script_file_without_a_model(tmp_path: Path, env: dict[str, str]) -> None:
    script = tmp_path / "script.toml"
    script.write_text('[[turn]]\nstep = ["Hello from a file."]\n')
    with Driven(install(tmp_path, script=script), env, tmp_path) as cli:
        assert cli.turn("hi")["result"] == "Hello from a file."
        assert cli.end() == 0


def test_a_script_that_says_nothing_is_refused(tmp_path: Path, env: dict[str, str]) -> None:
    run = ended(install(tmp_path, script=tmp_path / "nowhere.toml"), env, "--version")
    assert run.returncode == 1
    assert "BASCULE_FAKE_SCRIPT" in run.stderr


@pytest.mark.parametrize("version", VERSIONS)
def test_the_model_is_out_of_reach(tmp_path: Path, env: dict[str, str], version: str) -> None:
    env["CLAUDE_CODE_MAX_RETRIES"] = "1"
    with Driven(install(tmp_path, version=version), env, tmp_path) as cli:
        result = cli.turn("hi")
        assert (result["is_error"], result["api_error_status"]) == (True, None)
        [retry] = [line for line in cli.lines if line.get("subtype") == "api_retry"]
        assert (retry["error_status"], retry["error"]) == (None, "unknown")
        assert cli.end() == 1


def drive(cli: Driven, prompt: str) -> Line:
    cli.prompt(prompt)
    return cli.result()


def test_what_is_not_played_is_refused_in_words(tmp_path: Path, env: dict[str, str]) -> None:
    script = Script(turn(call("Bash", command="make", run_in_background=True), say("I see.")))
    with ScriptedModel(script) as model:
        env["ANTHROPIC_BASE_URL"] = model.url
        with Driven(install(tmp_path), env, tmp_path, mode="bypassPermissions") as cli:
            refused = cli.request("initialize", sdkMcpServers=["calc"])
            assert "fake claude: initialize.sdkMcpServers is not played" in refused["error"]
            drive(cli, "make")
            assert "fake claude: background commands are not played" in json.dumps(cli.lines)


def test_a_command_has_its_time(tmp_path: Path, env: dict[str, str]) -> None:
    script = Script(turn(call("Bash", command="sleep 61", timeout=200), say("Too long.")))
    with ScriptedModel(script) as model:
        env["ANTHROPIC_BASE_URL"] = model.url
        with Driven(install(tmp_path), env, tmp_path, mode="bypassPermissions") as cli:
            assert drive(cli, "wait")["result"] == "Too long."
            assert "the command's time was over" in json.dumps(cli.lines)


def test_nothing_is_kept_where_nothing_is_to_be_kept(tmp_path: Path, env: dict[str, str]) -> None:
    with ScriptedModel(Script(say("One."))) as model:
        env["ANTHROPIC_BASE_URL"] = model.url
        with Driven(install(tmp_path), env, tmp_path, "--no-session-persistence") as cli:
            session_id = drive(cli, "hi")["session_id"]
        with Driven(install(tmp_path), env, tmp_path, f"--resume={session_id}") as cli:
            assert cli.result()["subtype"] == "error_during_execution"


def test_the_last_session_is_continued(tmp_path: Path, env: dict[str, str]) -> None:
    with ScriptedModel(Script(say("One."), say("Two."), say("Three."))) as model:
        env["ANTHROPIC_BASE_URL"] = model.url
        with Driven(install(tmp_path), env, tmp_path, "--continue") as cli:
            first = drive(cli, "hi")["session_id"]
        with Driven(install(tmp_path), env, tmp_path, "--continue") as cli:
            assert drive(cli, "and")["session_id"] == first
        [kept] = Path(env["CLAUDE_CONFIG_DIR"], "projects").rglob("*.jsonl")
        with Driven(install(tmp_path), env, tmp_path, f"--resume={kept}") as cli:
            assert drive(cli, "so")["session_id"] == first


@pytest.mark.parametrize("name", ["", "not-a-uuid"])
def test_a_title_that_no_session_has_is_refused(tmp_path: Path, env: dict[str, str], name: str) -> None:
    with Driven(install(tmp_path), env, tmp_path, f"--resume={name}") as cli:
        [error] = cli.result()["errors"]
        assert error.startswith("Error: --resume requires a valid session ID or session title")
        assert cli.exit_code() == 1


def test_an_unknown_message_cannot_be_resumed_at(tmp_path: Path, env: dict[str, str]) -> None:
    with ScriptedModel(Script(say("One."))) as model:
        env["ANTHROPIC_BASE_URL"] = model.url
        with Driven(install(tmp_path), env, tmp_path) as cli:
            session_id = drive(cli, "hi")["session_id"]
        with Driven(install(tmp_path), env, tmp_path, f"--resume={session_id}", "--resume-session-at=x") as cli:
            assert cli.result()["errors"] == ["No message found with message.uuid of: x"]


def test_a_session_can_be_ended_by_request(tmp_path: Path, env: dict[str, str]) -> None:
    with Driven(install(tmp_path), env, tmp_path) as cli:
        cli.send("end_session", "bye")
        assert cli.exit_code() == 0
        assert shapes(cli.lines) == ["control_response"]
