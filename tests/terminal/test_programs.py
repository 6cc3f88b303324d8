"""The person's own programs: what they leave is taken, what goes wrong is told, no file stays behind."""

from pathlib import Path

import pytest

from bascule.errors import OptionError
from bascule.terminal.programs import Programs


def script(folder: Path, body: str) -> str:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o700)
    return str(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the programs' texts stand meanwhile: nothing may be left there."""
    made = tmp_path / "texts"
    made.mkdir()
    return made


def left(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_what_the_editor_leaves_is_taken(tmp_path: Path, folder: Path) -> None:
    editor = script(tmp_path, 'case "$1" in *.json) printf " and more" >>"$1";; esac')
    assert await Programs({"EDITOR": editor}, folder).edit("text", ".json") == "text and more"
    assert left(folder) == []


async def test_the_editor_may_have_arguments(tmp_path: Path, folder: Path) -> None:
    editor = script(tmp_path, 'printf "$1" >"$2"')
    assert await Programs({"VISUAL": f"{editor} 'two words'", "EDITOR": "false"}).edit("", ".md") == "two words"


async def test_the_file_is_only_for_its_owner(tmp_path: Path, folder: Path) -> None:
    editor = script(tmp_path, 'stat -c %a "$1" >"$1.mode" && mv "$1.mode" "$1"')
    assert await Programs({"EDITOR": editor}, folder).edit("", ".md") == "600\n"


async def test_an_editor_that_fails_changes_nothing(tmp_path: Path, folder: Path) -> None:
    editor = script(tmp_path, 'echo changed >"$1"; exit 3')
    with pytest.raises(OptionError, match="ended with 3, so nothing was taken from it"):
        await Programs({"EDITOR": editor}, folder).edit("text", ".json")
    assert left(folder) == []


async def test_an_editor_that_is_not_there_says_what_to_do(folder: Path) -> None:
    with pytest.raises(OptionError, match=r"the editor 'no-such-editor' cannot be started .*: set EDITOR"):
        await Programs({"EDITOR": "no-such-editor"}, folder).edit("text", ".json")
    assert left(folder) == []


async def test_a_pager_shows_the_text(tmp_path: Path, folder: Path) -> None:
    pager = script(tmp_path, f'cp "$1" {tmp_path}/seen')
    await Programs({"PAGER": pager}, folder).view("the whole")
    assert (tmp_path / "seen").read_text() == "the whole"
    assert left(folder) == []
