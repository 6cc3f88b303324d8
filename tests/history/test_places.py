"""Where session files lie, and what is not taken for one."""

import os
from pathlib import Path

import pytest

from bascule.errors import HistoryError
from bascule.history import places
from tests.history.shelf import CWD, Shelf, number


@pytest.mark.parametrize(
    ("cwd", "folder"),
    [
        ("/home/ada/shop", "-home-ada-shop"),
        ("/srv/my work.space_2", "-srv-my-work-space-2"),
        ("/emo \U0001f600 日本 é", "-emo--------"),
        ("/e\u0301", "-e-"),
        ("/" + "a" * 300, "-" + "a" * 199),
    ],
)
def test_a_folder_is_named_as_both_versions_name_it(cwd: str, folder: str) -> None:
    assert places.folder_name(cwd) == folder


def test_a_long_path_belongs_to_a_folder_whose_hash_is_not_known() -> None:
    cwd = "/" + "a" * 300
    assert places.belongs(cwd, "-" + "a" * 199 + "-8oq05y")
    assert not places.belongs(cwd, "-" + "a" * 198)
    assert not places.belongs("/home/ada", "-home-ada-shop")


def test_the_configuration_is_looked_for_as_the_cli_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert places.config_folder() == Path("/home/ada/.claude")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/etc/claude")
    assert places.config_folder() == Path("/etc/claude")
    assert places.config_folder("~/other") == Path("/home/ada/other")


def test_F42_a_subagents_file_is_no_session_file() -> None:
    assert places.is_session_file(f"{number(1)}.jsonl")
    for name in ("agent-a12.jsonl", number(1), f"{number(1)}.jsonl.part", f".{number(1)}.jsonl", "x/../y.jsonl"):
        assert not places.is_session_file(name)


def test_only_plain_files_of_a_folder_are_listed(shelf: Shelf) -> None:
    path = shelf.write(b"{}\n")
    (path.parent / f"{number(98)}.jsonl").mkdir()
    (path.parent / f"{number(99)}.jsonl").symlink_to(path)
    assert [entry.path for entry in places.session_files(path.parent)] == [str(path)]
    assert places.session_files(path.parent / "nowhere") == []


def test_projects_that_are_not_there_hold_nothing(shelf: Shelf) -> None:
    assert places.project_folders(shelf.config) == []
    shelf.folder()
    (shelf.config / "projects" / "a-file").touch()
    assert places.project_folders(shelf.config) == [shelf.folder()]
    assert places.project_folders(shelf.config, CWD) == [shelf.folder()]
    assert places.project_folders(shelf.config, "/home") == []


def test_a_path_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="no session file"):
        places.id_of(tmp_path / "notes.jsonl")
    assert places.id_of(tmp_path / f"{number(1)}.jsonl") == number(1)


def test_what_is_no_plain_file_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name, why in (("link", "opened"), ("folder", "plain"), ("pipe", "plain"), ("none", "No such file")):
        with pytest.raises(HistoryError, match=why) as failed, places.opened(tmp_path / name):
            pass
        assert failed.value.path == str(tmp_path / name)


def test_a_plain_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    with places.opened(tmp_path / "file") as file:
        assert file.read() == b"text"
