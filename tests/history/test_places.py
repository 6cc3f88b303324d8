"""What is not taken for a session file, and not opened."""

import os
from pathlib import Path

import pytest

from bascule.errors import HistoryError
from bascule.history import places
from tests.history.shelf import number


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
