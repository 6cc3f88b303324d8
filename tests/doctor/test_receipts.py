"""What was proven is remembered, for this very CLI and by nobody else's word."""

import os
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from bascule.doctor.receipts import Receipts, Subject, subject
from tests.disk import full_disk

PROVEN = Subject("/usr/bin/claude", "2.1.332", "/opt/claude", 9, 17, 18, 400)


def test_what_was_proven_is_remembered_by_its_owner_only(tmp_path: Path) -> None:
    receipts = Receipts(tmp_path / "state")
    assert not receipts.has(PROVEN)
    assert receipts.keep(PROVEN)
    assert Receipts(tmp_path / "state").has(PROVEN)
    folder = tmp_path / "state" / "proofs"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()] == [0o600]
    assert receipts.keep(PROVEN), "twice is once"


@pytest.mark.parametrize(
    "other",
    [
        replace(PROVEN, path="/usr/bin/other"),
        replace(PROVEN, version="2.1.333"),
        replace(PROVEN, real="/opt/other"),
        replace(PROVEN, inode=10),
        replace(PROVEN, written_ns=18),
        replace(PROVEN, changed_ns=19),
        replace(PROVEN, size=401),
    ],
)
def test_another_path_version_or_file_is_another_cli(tmp_path: Path, other: Subject) -> None:
    receipts = Receipts(tmp_path)
    receipts.keep(PROVEN)
    assert not receipts.has(other)


@pytest.mark.parametrize(("text", "version"), [(b"\x7fELF", "2.1.332"), (b"#!/bin/sh", None), (b"", "2.1.332")])
def test_a_program_need_not_be_asked_for_its_version_and_a_script_must(
    tmp_path: Path, text: bytes, version: str | None
) -> None:
    cli, receipts = tmp_path / "claude", Receipts(tmp_path / "state")
    cli.write_bytes(text)
    assert receipts.version_of(cli) is None
    receipts.keep(subject(cli, "2.1.332"))
    assert receipts.version_of(cli) == version
    assert receipts.has(subject(cli, "2.1.332"))
    assert not receipts.has(subject(cli, "2.1.333"))
    cli.write_bytes(text + b" changed")
    assert receipts.version_of(cli) is None


def test_a_script_may_be_proven_by_several_versions(tmp_path: Path) -> None:
    cli, receipts = tmp_path / "claude", Receipts(tmp_path / "state")
    cli.write_text("#!/bin/sh")
    for version in ("2.1.197", "2.1.332"):
        receipts.keep(subject(cli, version))
    assert receipts.has(subject(cli, "2.1.197"))
    assert receipts.has(subject(cli, "2.1.332"))


def test_a_program_that_is_gone_has_no_receipt(tmp_path: Path) -> None:
    assert Receipts(tmp_path).version_of(tmp_path / "claude") is None


@pytest.mark.parametrize("written", ["", "{}", '{"path": "/usr/bin/claude"}', "[]"])
def test_a_receipt_that_says_something_else_is_none(tmp_path: Path, written: str) -> None:
    receipts = Receipts(tmp_path)
    receipts.keep(PROVEN)
    (file,) = (tmp_path / "proofs").iterdir()
    file.write_text(written)
    assert not receipts.has(PROVEN)


def test_a_receipt_that_others_may_write_is_none(tmp_path: Path) -> None:
    receipts = Receipts(tmp_path)
    receipts.keep(PROVEN)
    (file,) = (tmp_path / "proofs").iterdir()
    file.chmod(0o666)
    assert not receipts.has(PROVEN)


def test_a_receipt_that_is_a_link_is_none_and_is_not_written_through(tmp_path: Path) -> None:
    receipts, elsewhere = Receipts(tmp_path), tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs" / PROVEN.key).symlink_to(elsewhere)
    assert not receipts.has(PROVEN)
    assert not receipts.keep(PROVEN)
    assert elsewhere.read_text() == "mine"


def test_where_nothing_can_be_written_nothing_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "proofs").write_text("a file in the way")
    receipts = Receipts(tmp_path)
    assert not receipts.keep(PROVEN)
    assert not receipts.has(PROVEN)


def test_a_receipt_that_was_taken_away_is_none(tmp_path: Path) -> None:
    receipts = Receipts(tmp_path)
    assert receipts.forget(PROVEN), "there was none"
    receipts.keep(PROVEN)
    assert receipts.forget(PROVEN)
    assert not receipts.has(PROVEN)


def test_a_full_disk_keeps_no_receipt(tmp_path: Path) -> None:
    with full_disk():
        assert not Receipts(tmp_path).keep(PROVEN)


def test_a_file_that_was_set_back_in_time_is_another(tmp_path: Path) -> None:
    cli = tmp_path / "claude"
    cli.write_text("1")
    before = subject(cli, "1.0.0")
    cli.unlink()
    cli.write_text("2")
    os.utime(cli, ns=(before.written_ns, before.written_ns))
    assert subject(cli, "1.0.0").written_ns == before.written_ns
    assert subject(cli, "1.0.0") != before


def test_a_cli_is_known_by_the_file_behind_its_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "claude"
    real.write_text("1")
    link.symlink_to(real)
    before = subject(link, "1.0.0")
    os.utime(real, ns=(5, 5))
    assert subject(link, "1.0.0") != before
    assert subject(link, "1.0.0").path == str(link)
