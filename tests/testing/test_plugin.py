"""The pytest plugin, as somebody else's test suite sees it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bascule.testing.plugin import real_cli
from bascule.transport.locate import Surroundings
from tests.testing.driven import measured

HEAD = """
import pytest
from bascule import commands, errors, events
from bascule.demo import call, say, turn, wait

async def allow(ask):
    return commands.AllowOnce()
"""

FAKE = """
async def test_a_call_runs(fake_cli):
    async with fake_cli.session(turn(call("Bash", command="touch made"), say("Done.")), on_ask=allow) as session:
        complete = await (await session.prompt("make"))
    assert complete.text == "Done."
    assert (fake_cli.workspace / "made").exists()
    assert fake_cli.model.asked[-1].results[0].failed is False

async def test_each_test_has_its_own(fake_cli):
    assert list(fake_cli.workspace.iterdir()) == []
    with pytest.raises(errors.LocalProtocolError):
        fake_cli.model

async def test_a_session_is_resumed(fake_cli):
    async with fake_cli.session(say("One.")) as session:
        await (await session.prompt("first"))
    async with fake_cli.session(say("Two."), resume=session.cli_session_id, env={"LANG": "C"}) as again:
        assert (await (await again.prompt("second"))).text == "Two."
    assert "first" in str(fake_cli.model.asked[0].messages)
"""

REPLAYED = """
async def drive(session, words="make"):
    complete = await (await session.prompt(words))
    await session.idle()
    return complete.text

async def test_a_recording_plays(fake_cli, replayed, tmp_path):
    path = tmp_path / "made.jsonl"
    script = turn(call("Bash", command="touch made"), say("Done."))
    async with fake_cli.session(script, on_ask=allow, record=path) as session:
        assert await drive(session) == "Done."
    async with replayed(path, on_ask=allow) as session:
        assert await drive(session) == "Done."

    with pytest.raises(errors.LocalProtocolError, match="written now"):
        async with replayed(path, on_ask=allow) as session:
            await drive(session, "make something else")
    with pytest.raises(errors.LocalProtocolError, match="recorded lines were not written"):
        async with replayed(path, on_ask=allow):
            pass

@pytest.mark.parametrize(("text", "why"), [("", "is empty"), ("no entry", "line 1")])
async def test_what_is_no_recording_is_refused(replayed, tmp_path, text, why):
    path = tmp_path / "odd.jsonl"
    path.write_text(text)
    with pytest.raises(errors.RecordingError, match=why):
        async with replayed(path):
            pass
    with pytest.raises(errors.RecordingError, match="cannot be read"):
        async with replayed(tmp_path / "nowhere.jsonl"):
            pass
"""

REAL = """
async def test_the_cli_is_scripted(scripted_cli):
    async with scripted_cli.session(say("Hello.")) as session:
        assert (await (await session.prompt("hi"))).text == "Hello."
"""


def run(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of pytest on a file with these tests, the plugin loaded as if it were installed."""
    (folder / "test_it.py").write_text(HEAD + text)
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-p", "no:bascule"]
    plugin = ["-p", "bascule.testing.plugin", "-o", "asyncio_mode=auto"]
    env = {"PATH": os.defpath, "HOME": str(folder), "TMPDIR": str(folder), **measured()}
    return subprocess.run(
        [*command, *plugin, *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("text", "passed"), [(FAKE, 3), (REPLAYED, 3)], ids=["fake_cli", "replayed"])
def test_fixtures_serve_tests_that_need_no_cli(tmp_path: Path, text: str, passed: int) -> None:
    ended = run(tmp_path, text)
    assert ended.returncode == 0, ended.stdout
    assert f"{passed} passed" in ended.stdout


def test_without_a_cli_a_test_that_needs_it_is_skipped(tmp_path: Path) -> None:
    nothing = Surroundings(path="", home=tmp_path, cwd=tmp_path, usual=())
    with pytest.raises(pytest.skip.Exception, match="no Claude Code here"):
        real_cli(None, nothing)


def test_a_cli_that_is_named_must_be_there(tmp_path: Path) -> None:
    ended = run(tmp_path, REAL, "--claude=/nowhere/claude")
    assert ended.returncode == 1
    assert "/nowhere/claude does not exist" in ended.stdout


def test_a_cli_that_is_named_is_driven(tmp_path: Path, claude_cli: Path) -> None:
    ended = run(tmp_path, REAL, f"--claude={claude_cli}")
    assert "1 passed" in ended.stdout, ended.stdout


def test_the_plugin_costs_a_run_without_it_nothing(tmp_path: Path) -> None:
    program = "import sys, bascule.testing.plugin; print(*sorted(name for name in sys.modules if 'bascule' in name))"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert told == ["bascule", "bascule.testing", "bascule.testing.plugin"]
