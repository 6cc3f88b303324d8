"""The CLI's version: asked for, judged by a table."""

import os
from pathlib import Path

import pytest

from bascule.errors import CliNotFound, CliVersionRefused
from bascule.transport.version import KNOWN_BROKEN, TESTED, Broken, Version, ask, judged, parsed
from tests.transport.programs import program, running_with

ENV = {"PATH": os.defpath}


@pytest.mark.parametrize(
    ("answer", "version"),
    [
        ("2.1.332 (Claude Code)\n", Version(2, 1, 332)),
        ("v2.1.332", Version(2, 1, 332)),
        ("2.1.332-beta.1 (Claude Code)", Version(2, 1, 332)),
        ("a warning\n2.1.197 (Claude Code)", Version(2, 1, 197)),
        ("", None),
        ("Claude Code", None),
        ("2.1", None),
        ("2.1.3.4", None),
        ("node 18.2.0", None),
        ("\uff12.\uff11.\uff13", None),
    ],
)
def test_a_version_is_read_from_the_answer(answer: str, version: Version | None) -> None:
    assert parsed(answer) == version


def test_a_tested_version_needs_no_warning() -> None:
    for version in (*TESTED, Version(2, 1, 200)):
        assert judged(version).warning is None


@pytest.mark.parametrize(("version", "word"), [(Version(2, 1, 196), "older"), (Version(3, 0, 0), "newer")])
def test_a_version_outside_the_tested_range_is_warned_of(version: Version, word: str) -> None:
    warning = judged(version).warning
    assert warning is not None
    assert f"Claude Code {version} is {word}" in warning


def test_a_broken_version_is_refused_with_the_reason() -> None:
    broken = [Broken(Version(2, 1, 200), Version(2, 1, 202), "asks nobody")]
    for patch in (200, 202):
        with pytest.raises(CliVersionRefused, match=rf"2\.1\.{patch} asks nobody") as caught:
            judged(Version(2, 1, patch), broken=broken)
        assert caught.value.version == f"2.1.{patch}"
    assert judged(Version(2, 1, 203), broken=broken).warning is None


def test_no_tested_version_is_known_to_be_broken() -> None:
    for version in TESTED:
        assert judged(version, broken=KNOWN_BROKEN).version == version


async def test_the_program_is_asked(tmp_path: Path) -> None:
    launch = program(tmp_path, "import sys; print(sys.argv[1] == '--version' and '2.1.332 (Claude Code)')")
    assert await ask(Path(launch.argv[0]), ENV) == Version(2, 1, 332)


async def test_the_program_is_asked_in_the_folder_that_was_named(tmp_path: Path) -> None:
    launch = program(tmp_path, "import os; print(f'2.1.{len(os.listdir())}')")
    (tmp_path / "there").mkdir()
    assert await ask(Path(launch.argv[0]), ENV, cwd=tmp_path / "there") == Version(2, 1, 0)
    assert await ask(Path(launch.argv[0]), ENV) > Version(2, 1, 0)


async def test_a_program_that_tells_no_version_is_refused_with_its_words(tmp_path: Path) -> None:
    launch = program(tmp_path, "import sys; sys.exit('I am something else')")
    with pytest.raises(CliVersionRefused, match="I am something else"):
        await ask(Path(launch.argv[0]), ENV)


async def test_a_program_that_does_not_answer_is_refused_and_ended(tmp_path: Path) -> None:
    launch = program(tmp_path, "import signal; signal.pause()")
    with pytest.raises(CliVersionRefused, match=r"within 0\.05 s"):
        await ask(Path(launch.argv[0]), {**ENV, "CASE": str(tmp_path)}, answer_s=0.05)
    assert not running_with(f"CASE={tmp_path}")


async def test_a_file_that_is_gone_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(CliNotFound):
        await ask(tmp_path / "claude", ENV)
