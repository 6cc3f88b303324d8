"""The programs of the pages, run as a reader would run them: without a CLI, or with the fake one."""

import os
from pathlib import Path

import pytest

from bascule.testing.fake_cli import install
from tests.docs import disk, library, moves, scenes, sessions
from tests.docs.pages import block, blocks
from tests.docs.running import run, with_recording
from tests.docs.scenes import Scene, check_scene, play

ENV = {"PATH": os.defpath}
SCENES = (*scenes.SCENES, *moves.SCENES, *disk.SCENES, *library.SCENES, *sessions.SCENES)
WITHOUT_CLI = {
    "replay.py",
    "share.py",
    "test_bill.py",
    "test_helper.py",
    "test_fake.py",
    "test_published.py",
    "faults.py",
}


def test_every_program_is_run_by_some_test() -> None:
    assert {shown.name for shown in blocks("python")} == WITHOUT_CLI | disk.WITHOUT_CLI | {
        scene.program for scene in SCENES
    }


def test_a_recording_is_folded_to_events(tmp_path: Path) -> None:
    with_recording("made.jsonl", tmp_path, "session.jsonl")
    ran = run(block("how-to/record-and-replay.md", "replay.py"), tmp_path, ENV)
    assert (ran.code, ran.out, ran.err) == (0, "allowed by api\nsuccess Made.\n", "")


def test_a_recording_is_shared_without_its_secrets(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "a" * 40
    (tmp_path / "session.jsonl").write_text(f'{{"t": 0, "dir": "err", "line": "key {secret}"}}\nnonsense\n')
    ran = run(block("how-to/record-and-replay.md", "share.py"), tmp_path, ENV)
    assert (ran.code, ran.err) == (0, "")
    assert (tmp_path / "shared.jsonl").read_text() == '{"t":0.0,"dir":"err","line":"key [redacted]"}\n'


def test_events_are_made_by_hand(tmp_path: Path) -> None:
    ran = run(block("how-to/test-your-own-code.md", "test_bill.py"), tmp_path, ENV)
    assert (ran.code, "1 passed" in ran.out) == (0, True), ran.out


def test_a_session_is_played_from_a_recording(tmp_path: Path) -> None:
    with_recording("made.jsonl", tmp_path, "made.jsonl")
    ran = run(block("how-to/test-your-own-code.md", "test_helper.py"), tmp_path, ENV)
    assert (ran.code, "1 passed" in ran.out) == (0, True), ran.out


def test_a_recording_finds_code_that_says_something_else(tmp_path: Path) -> None:
    with_recording("made.jsonl", tmp_path, "made.jsonl")
    program = block("how-to/test-your-own-code.md", "test_helper.py")
    ran = run(program._replace(text=program.text.replace('"Make a file"', '"Make two files"')), tmp_path, ENV)
    assert ran.code == 1
    assert "written then: " in ran.out


def test_a_recording_finds_code_that_says_less(tmp_path: Path) -> None:
    with_recording("made.jsonl", tmp_path, "made.jsonl")
    *before, last = (tmp_path / "made.jsonl").read_text().splitlines(keepends=True)
    more = '{"t": 0.7, "dir": "in", "line": "said then, and not now"}\n'
    (tmp_path / "made.jsonl").write_text("".join((*before, more, last)))
    ran = run(block("how-to/test-your-own-code.md", "test_helper.py"), tmp_path, ENV)
    assert ran.code == 1
    assert "assert ('said then, and not now',) == ()" in ran.out


def test_a_session_is_driven_with_a_fake_cli(tmp_path: Path) -> None:
    ran = run(block("how-to/test-your-own-code.md", "test_fake.py"), tmp_path, ENV)
    assert (ran.code, "1 passed" in ran.out) == (0, True), ran.out


def test_a_session_is_driven_with_a_fixture(tmp_path: Path) -> None:
    ran = run(block("reference/testing.md", "test_published.py"), tmp_path, ENV)
    assert (ran.code, "1 passed" in ran.out) == (0, True), ran.out


def test_faults_are_made(tmp_path: Path) -> None:
    ran = run(block("reference/testing.md", "faults.py"), tmp_path, ENV)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("the CLI process ended by SIGKILL")


@pytest.mark.parametrize("scene", [scene for scene in SCENES if scene.fake], ids=lambda scene: scene.program)
def test_a_program_of_the_pages_works_with_the_fake_cli(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "cli").mkdir()
    check_scene(scene, play(scene, install(tmp_path / "cli"), tmp_path))
