"""Which conversation is meant, from the files that lie there."""

import os
import uuid
from pathlib import Path
from typing import Any

import pytest

from bascule.errors import ResumeFailed
from bascule.session.options import Options
from bascule.session.resuming import conversation, refusal, settled
from bascule.transport.projects import folder_name

FIRST, SECOND, THIRD = (f"{number}0000000-0000-4000-8000-000000000000" for number in (1, 2, 3))
PROMPT = '{"type":"user","message":{"role":"user","content":"Hi"}}\n'
TITLE = '{"type":"custom-title","customTitle":"x"}\n'


def said(session: str) -> str:
    """A prompt of that conversation."""
    return PROMPT.replace("{", f'{{"sessionId":"{session}",', 1)


def called(title: str) -> str:
    """A conversation with that title."""
    return f'{PROMPT}{{"type":"custom-title","customTitle":"{title}"}}\n'


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

    @property
    def env(self) -> dict[str, str]:
        """The CLI's."""
        return {"HOME": str(self.config.parent)}

    def settled(self, **options: Any) -> Options:
        return settled(Options(cwd=self.workspace, **options), self.env)

    def refused(self, **options: Any) -> ResumeFailed:
        """Why there is nothing to start with."""
        with pytest.raises(ResumeFailed) as refused:
            self.settled(**options)
        return refused.value


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


def test_an_id_that_is_nowhere_is_left_to_the_cli_to_miss(disk: Disk) -> None:
    assert disk.settled(resume=f" {FIRST} ").resume == FIRST


@pytest.mark.parametrize("elsewhere", [False, True])
def test_L57_a_title_is_resumed_by_the_id_that_can_be_owned(disk: Disk, *, elsewhere: bool) -> None:
    path = disk.holds(FIRST, called("My title"), workspace=disk.other if elsewhere else None)
    disk.holds(SECOND, called("My title, too"))
    disk.holds(THIRD)
    options = disk.settled(resume=" my TITLE ")
    assert options.resume == (str(path) if elsewhere else FIRST)
    assert conversation(options) == FIRST
    fork = disk.settled(resume="My title", fork=True)
    assert (fork.resume, fork.session_id == FIRST) == (options.resume, False)


def test_a_title_means_the_workspaces_own_conversation_first(disk: Disk) -> None:
    disk.holds(FIRST, called("My title"))
    disk.holds(SECOND, called("My title"), workspace=disk.other)
    assert disk.settled(resume="My title").resume == FIRST


def test_a_title_of_several_names_them(disk: Disk) -> None:
    disk.holds(FIRST, called("My title"))
    disk.holds(SECOND, called("My title"))
    refused = disk.refused(resume="My title")
    assert refused.reason == "ambiguous"
    assert f"'My title', the title of 2 conversations: give the id of one of them: {SECOND}, {FIRST}" in str(refused)


@pytest.mark.parametrize(
    "resume", ["a title", "https://example.com/v1/session", "nowhere/x.jsonl", "x" * 300 + ".jsonl"]
)
def test_what_leads_nowhere_is_named_before_anything_starts(disk: Disk, resume: str) -> None:
    disk.holds(FIRST, called("My title"))
    refused = disk.refused(resume=resume)
    assert (refused.reason, refused.argv) == ("missing", ())
    assert resume in str(refused)


def test_the_clis_own_file_is_a_conversation(disk: Disk, tmp_path: Path) -> None:
    path = disk.holds(FIRST, said(FIRST))
    (tmp_path / "link.jsonl").symlink_to(path)
    for file in (str(path), os.path.relpath(path, disk.workspace), str(tmp_path / "link.jsonl")):
        options = disk.settled(resume=file)
        assert (options.resume, conversation(options)) == (str(path), FIRST)
    assert disk.settled(resume=str(disk.holds(SECOND, "{}"))).resume, "what stands in it is the CLI's to judge"


def test_the_clis_own_file_is_one_behind_links_as_well(disk: Disk, tmp_path: Path) -> None:
    path = disk.holds(FIRST, said(FIRST), workspace=disk.other)
    (tmp_path / "link").symlink_to(disk.config)
    options = Options(cwd=disk.workspace, resume=FIRST)
    assert settled(options, {"CLAUDE_CONFIG_DIR": str(tmp_path / "link")}).resume == str(path)


def test_L57_a_copy_is_gone_on_with_in_a_fork_only(disk: Disk, tmp_path: Path) -> None:
    copies = [tmp_path / "copy.jsonl", tmp_path / f"{SECOND}.jsonl", tmp_path / f"{FIRST}.jsonl"]
    for path in copies:
        path.write_text(said(FIRST))
    copies.append(disk.holds(SECOND, said(FIRST)))
    copies.append(disk.holds("odd", said(FIRST)))
    for path in copies:
        refused = disk.refused(resume=str(path))
        assert (refused.reason, f"{str(path)!r}, a copy of the conversation {FIRST}" in str(refused)) == ("copy", True)
        fork = disk.settled(resume=str(path), fork=True)
        assert fork.resume == str(path)
        assert conversation(fork) not in (None, FIRST, SECOND)


def test_a_copy_in_another_workspaces_folder_is_found_out_as_well(disk: Disk) -> None:
    """By the id it would be given as a file, and so go on with the other conversation."""
    disk.holds(SECOND, said(FIRST), workspace=disk.other)
    assert disk.refused(resume=SECOND).reason == "copy"


def test_a_file_without_a_conversation_says_so(disk: Disk, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("garbage\n")
    assert disk.refused(resume=str(tmp_path / "x.jsonl")).reason == "empty"


def test_a_file_that_cannot_be_read_says_so(disk: Disk, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").touch(mode=0)
    expected = "cannot be opened" if os.geteuid() else "nothing was said"  # root may read what nobody may
    assert expected in str(disk.refused(resume=str(tmp_path / "x.jsonl")))


def test_what_the_cli_refused_is_named_with_the_reason(disk: Disk) -> None:
    path = disk.holds(FIRST, TITLE)
    for options, said, reason, named in (
        (Options(resume=FIRST, resume_at="m1"), "No message found with message.uuid of: m1", "message", "'m1'"),
        (Options(resume=FIRST), f"No conversation found with session ID: {FIRST}", "empty", FIRST),
        (Options(resume=str(path)), "No conversation found with session ID: x", "empty", str(path)),
        (Options(resume=SECOND), f"No conversation found with session ID: {SECOND}", "missing", SECOND),
    ):
        message, why = refusal(options, disk.env, said)
        assert (why, named in message) == (reason, True)


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
