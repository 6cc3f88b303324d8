"""`bascule demo` on the fake CLI: it plays by itself where nobody is, and shows what it left."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from bascule.cli.demo import brought
from bascule.cli.demo_web import SESSIONS
from bascule.demo.tour import PROMPTS
from bascule.testing.fake_cli import install
from tests.cli.bench import on_screen
from tests.cli.command import bascule, measured


class Stage(NamedTuple):
    """Where the demo is played."""

    cli: str
    env: Mapping[str, str]
    temporary: Path
    """Its temporary files: only a recording may be left here."""


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    env = {**measured(), "PATH": os.defpath, "HOME": str(tmp_path), "TMPDIR": str(temporary)}
    return Stage(str(install(tmp_path)), env, temporary)


def left(stage: Stage) -> list[str]:
    return [path.suffix for path in stage.temporary.iterdir() if path.is_file() or path.name.startswith("bascule-demo")]


def test_it_plays_by_itself_where_nobody_is(stage: Stage) -> None:
    ran = bascule("demo", "--cli", stage.cli, env=stage.env)
    assert ran.code == 0, ran.err
    assert [row[2:] for row in ran.out.splitlines() if row.startswith("» ")] == list(PROMPTS)
    assert ran.out.count("**All tests pass.**") == 2
    assert "+    return amount - amount * percent / 100" in ran.out
    record = ran.err.removeprefix("To see it again: bascule replay ").strip()
    again = bascule("replay", record)
    assert ran.out.startswith(again.out.rstrip("\n"))
    assert left(stage) == [".jsonl"]


def test_what_is_denied_is_not_done(stage: Stage, tmp_path: Path) -> None:
    record = str(tmp_path / "record.jsonl")
    ran = bascule(
        "demo", "--cli", stage.cli, "--record", record, "--answers", "deny:leave it", "Fix the bug", env=stage.env
    )
    assert (ran.code, ran.err) == (0, f"To see it again: bascule replay {record}\n")
    assert "You said: “leave it”." in ran.out
    assert ran.out.endswith("\nNothing was changed.\n")
    assert left(stage) == []


def test_json_is_events_and_nothing_else(stage: Stage) -> None:
    ran = bascule("demo", "--cli", stage.cli, "--json", PROMPTS[0], env=stage.env)
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert (lines[0]["seq"], lines[-1]["type"], lines[-1]["code"]) == (1, "exit", 0)


def test_without_a_cli_nothing_is_left(stage: Stage) -> None:
    ran = bascule("demo", "--cli", "/no/such/claude", env=stage.env)
    assert (ran.code, ran.out, ran.err.count("\n")) == (3, "", 1)
    assert left(stage) == []


def test_a_person_takes_the_prompts_that_are_offered(stage: Stage, tmp_path: Path) -> None:
    with on_screen(["demo", "--cli", stage.cli], env=stage.env, cwd=tmp_path) as screen:
        screen.until(f"{PROMPTS[0]}  (Tab)")
        screen.types("\t\r")
        screen.until("Say fix the bug")
        screen.until(f"{PROMPTS[1]}  (Tab)")
        screen.types("\x04")
        assert screen.ends() == 0
        said = screen.said()
    assert said[0].startswith("This is the real Claude Code")
    assert "Nothing was changed." in said


def test_the_newest_cli_beside_this_python_is_found(tmp_path: Path) -> None:
    assert brought(tmp_path) is None
    for version in ("2.1.9", "2.1.197", "2.1.20"):
        (tmp_path / "cli" / version).mkdir(parents=True)
        (tmp_path / "cli" / version / "claude").touch()
    assert brought(tmp_path) == tmp_path / "cli" / "2.1.197" / "claude"


def test_the_demo_runs_without_git(stage: Stage, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "env", "python3"):
        (programs / name).symlink_to(sys.executable if name == "python3" else f"/bin/{name}")
    argv = [sys.executable, "-m", "bascule.cli.main", "demo", "--cli", stage.cli, PROMPTS[0]]
    env = {**stage.env, "PATH": str(programs)}
    done = subprocess.run(
        argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env, timeout=30, check=False
    )
    assert (done.returncode, "workspace holds now" in done.stdout) == (0, False)


async def test_in_a_browser_sessions_wait_for_each_kind_of_answer_and_nothing_is_left(stage: Stage) -> None:
    argv = (sys.executable, "-m", "bascule.cli.main", "demo", "--web", "--cli", stage.cli)
    env = {**stage.env, "PYTHONPATH": os.pathsep.join(["src", *sys.path])}
    process = await asyncio.create_subprocess_exec(*argv, env=env, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    address, _, token = (await process.stdout.readline()).decode().strip().partition("/#token=")
    async with httpx.AsyncClient(base_url=address, headers={"Authorization": f"Bearer {token}"}) as client:
        while len(asks := (await client.get("/api/asks")).json()) < len(SESSIONS) - 1:
            assert process.returncode is None
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0
    kinds = {ask["request"]["normalized"]["kind"] for ask in asks}
    assert kinds >= {"modify_file", "shell_exec", "ask_user", "show_plan"}
    assert left(stage) == []
