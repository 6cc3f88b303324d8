"""Where session files lie, and what is not taken for one."""

from pathlib import Path

import pytest

from bascule.transport import projects
from tests.history.shelf import CWD, Shelf, number


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "config")


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
    assert projects.folder_name(cwd) == folder


def test_a_long_path_belongs_to_a_folder_whose_hash_is_not_known() -> None:
    cwd = "/" + "a" * 300
    assert projects.belongs(cwd, "-" + "a" * 199 + "-8oq05y")
    assert not projects.belongs(cwd, "-" + "a" * 198)
    assert not projects.belongs("/home/ada", "-home-ada-shop")


def test_the_configuration_is_looked_for_as_the_cli_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert projects.config_folder() == Path("/home/ada/.claude")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/etc/claude")
    assert projects.config_folder() == Path("/etc/claude")
    assert projects.config_folder("~/other") == Path("/home/ada/other")


def test_F42_a_subagents_file_is_no_session_file() -> None:
    assert projects.is_session_file(f"{number(1)}.jsonl")
    for name in ("agent-a12.jsonl", number(1), f"{number(1)}.jsonl.part", f".{number(1)}.jsonl", "x/../y.jsonl"):
        assert not projects.is_session_file(name)


def test_only_plain_files_of_a_folder_are_listed(shelf: Shelf) -> None:
    path = shelf.write(b"{}\n")
    (path.parent / f"{number(98)}.jsonl").mkdir()
    (path.parent / f"{number(99)}.jsonl").symlink_to(path)
    assert [entry.path for entry in projects.session_files(path.parent)] == [str(path)]
    assert projects.session_files(path.parent / "nowhere") == []


def test_projects_that_are_not_there_hold_nothing(shelf: Shelf) -> None:
    assert projects.project_folders(shelf.config) == []
    shelf.folder()
    (shelf.config / "projects" / "a-file").touch()
    assert projects.project_folders(shelf.config) == [shelf.folder()]
    assert projects.project_folders(shelf.config, CWD) == [shelf.folder()]
    assert projects.project_folders(shelf.config, "/home") == []
