"""Which conversation is meant, from the files that lie there."""

import os
import uuid
from pathlib import Path
from typing import Any

import pytest

from bascule.session.options import Options
from bascule.session.resuming import conversation, settled
from bascule.transport.projects import folder_name

FIRST, SECOND, THIRD = (f"{number}0000000-0000-4000-8000-000000000000" for number in (1, 2, 3))
PROMPT = '{"type":"user","message":{"role":"user","content":"Hi"}}\n'
TITLE = '{"type":"custom-title","customTitle":"x"}\n'


class Disk:
    """A workspace, another one, and where the CLI keeps their conversations."""

    def __init__(self, root: Path) -> None:
        self.config = root / "home" / ".claude"
        self.workspace = root / "work"
        self.other = root / "other"
        for folder in (self.workspace, self.other):
            folder.mkdir()
        self._age = 0

    def holds(self, session: str, text: str = PROMPT, *, workspace: Path | None = None) -> Path:
        """A session file; each is newer than those before."""
        folder = self.config / "projects" / folder_name(os.path.realpath(workspace or self.workspace))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{session}.jsonl"
        path.write_text(text)
        self._age += 1
        os.utime(path, (self._age, self._age))
        return path

    def settled(self, **options: Any) -> Options:
        return settled(Options(cwd=self.workspace, **options), {"HOME": str(self.config.parent)})


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


def test_a_new_conversation_gets_an_id_before_it_begins(disk: Disk) -> None:
    options = disk.settled()
    assert uuid.UUID(options.session_id or "").version == 4
    assert conversation(options) == options.session_id
    assert disk.settled(session_id=FIRST).session_id == FIRST


def test_a_conversation_of_the_workspace_is_resumed_by_its_id(disk: Disk) -> None:
    disk.holds(FIRST)
    disk.holds(FIRST, workspace=disk.other)
    options = disk.settled(resume=FIRST)
    assert (options.resume, options.session_id, conversation(options)) == (FIRST, None, FIRST)


def test_S35_F40_a_conversation_of_another_workspace_is_resumed_by_its_file(disk: Disk) -> None:
    path = disk.holds(FIRST, workspace=disk.other)
    options = disk.settled(resume=FIRST.upper())
    assert options.resume == str(path)
    assert conversation(options) == FIRST


def test_a_conversation_that_is_nowhere_is_left_to_the_cli_to_miss(disk: Disk) -> None:
    assert disk.settled(resume=FIRST).resume == FIRST
    assert disk.settled(resume="a title").resume == "a title"


def test_a_file_tells_its_conversation_by_its_name(disk: Disk) -> None:
    path = disk.holds(FIRST)
    assert conversation(disk.settled(resume=str(path))) == FIRST
    assert conversation(disk.settled(resume="/tmp/copy.jsonl")) is None


def test_a_fork_has_an_id_of_its_own(disk: Disk) -> None:
    disk.holds(FIRST)
    options = disk.settled(resume=FIRST, fork=True)
    assert options.resume == FIRST
    assert conversation(options) not in (None, FIRST)


def test_the_newest_conversation_of_the_workspace_is_gone_on_with(disk: Disk) -> None:
    disk.holds(FIRST)
    disk.holds(SECOND)
    disk.holds(THIRD, workspace=disk.other)
    options = disk.settled(continue_last=True)
    assert (options.resume, options.continue_last, options.session_id) == (SECOND, False, None)


def test_a_file_without_a_prompt_is_no_conversation_to_go_on_with(disk: Disk) -> None:
    disk.holds(FIRST)
    disk.holds(SECOND, TITLE)
    disk.holds(THIRD).chmod(0)
    expected = FIRST if os.geteuid() else THIRD  # root may read what nobody may
    assert disk.settled(continue_last=True).resume == expected


@pytest.mark.parametrize("fork", [False, True])
def test_where_there_is_nothing_to_go_on_with_a_conversation_begins(disk: Disk, *, fork: bool) -> None:
    disk.holds(THIRD, workspace=disk.other)
    options = disk.settled(continue_last=True, fork=fork)
    assert (options.resume, options.continue_last, options.fork) == (None, False, False)
    assert options.session_id is not None


def test_the_cli_is_asked_where_it_keeps_them(disk: Disk, tmp_path: Path) -> None:
    disk.holds(FIRST)
    elsewhere = {"HOME": str(disk.config.parent), "CLAUDE_CONFIG_DIR": str(tmp_path / "nowhere")}
    assert settled(Options(cwd=disk.workspace, continue_last=True), elsewhere).resume is None
