"""A supervised session is proven, and refused with a CLI that does not ask."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, say
from bascule.doctor.proof import Proof, ensure_proven, proof_of, prove
from bascule.doctor.receipts import Receipts, subject
from bascule.errors import CliNotFound, CliVersionRefused, StartFailed
from bascule.testing.fake_cli import VERSIONS, install
from tests.doctor.broken import asks_nobody, denies_all
from tests.doctor.programs import program

ENV = {"PATH": os.defpath}


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_cli_that_asks_is_proven(version: str, tmp_path: Path) -> None:
    proof = await prove(install(tmp_path, version=version))
    assert proof.verdict == "holds", proof.why


async def test_F12_a_cli_that_asks_nobody_is_found_out(tmp_path: Path) -> None:
    assert await prove(asks_nobody(tmp_path)) == Proof("fails", "wrote what nobody had allowed")


async def test_a_cli_that_denies_by_itself_does_not_ask(tmp_path: Path) -> None:
    proof = await prove(denies_all(tmp_path))
    assert proof == Proof("fails", "asked 0 times where two calls needed leave")


async def test_a_cli_that_does_not_start_raises_as_a_session_would(tmp_path: Path) -> None:
    with pytest.raises(StartFailed, match="it is broken"):
        await prove(program(tmp_path, "echo it is broken >&2; exit 1"))


async def test_a_cli_that_hangs_proves_nothing_in_time(tmp_path: Path) -> None:
    proof = await prove(program(tmp_path, "cat >/dev/null"), within_s=0.2)
    assert proof == Proof("unknown", "did not finish two short turns within 0.2 s")


async def test_what_is_no_program_raises(tmp_path: Path) -> None:
    with pytest.raises(CliNotFound):
        await prove(tmp_path / "claude")


async def test_a_cli_that_speaks_to_another_model_proves_nothing(tmp_path: Path) -> None:
    """A wrapper that names a model of its own, as companies have them."""
    async with ScriptedModel(Script(otherwise=[say("I am another.")])) as other:
        starter = program(tmp_path, f'ANTHROPIC_BASE_URL={other.url} exec "{install(folder(tmp_path))}" "$@"')
        proof = await prove(starter)
        assert other.asked
    assert proof.verdict == "unknown"
    assert "another model than the scripted one" in proof.why


def folder(parent: Path) -> Path:
    """A folder for the real program behind a starter."""
    (parent / "behind").mkdir()
    return parent / "behind"


async def test_a_proof_is_made_once_for_each_cli(tmp_path: Path) -> None:
    cli, receipts = install(tmp_path), Receipts(tmp_path / "state")
    first, second = [await ensure_proven(cli, ENV, receipts) for _ in range(2)]
    assert (first.verdict, second) == ("holds", Proof("holds", "was proven before"))
    install(tmp_path, version="2.1.197")
    third = await ensure_proven(cli, ENV, receipts)
    assert third == first, "an update is another CLI"


async def test_a_cli_that_asks_nobody_is_refused_each_time(tmp_path: Path) -> None:
    cli, receipts = asks_nobody(tmp_path), Receipts(tmp_path / "state")
    for doubt_passes in (False, True):
        with pytest.raises(CliVersionRefused, match="wrote what nobody had allowed") as caught:
            await ensure_proven(cli, ENV, receipts, doubt_passes=doubt_passes)
        assert caught.value.version == "2.1.332"
        assert "bascule doctor" in str(caught.value)
        assert str(cli) in str(caught.value)


async def test_doubt_refuses_unless_a_person_says_that_it_may_pass(tmp_path: Path) -> None:
    cli, receipts = program(tmp_path, DIES_LATER), Receipts(tmp_path / "state")
    with pytest.raises(CliVersionRefused, match=r"could not be tested whether .* --unproven"):
        await ensure_proven(cli, ENV, receipts)
    assert (await ensure_proven(cli, ENV, receipts, doubt_passes=True)).verdict == "unknown"
    assert not receipts.has(subject(cli, "2.1.9"))


DIES_LATER = """
test "$1" = --version && echo "2.1.9 (Claude Code)" && exit
read line
id=$(expr "$line" : '.*"request_id":"\\([^"]*\\)"')
echo '{"type":"control_response","response":{"subtype":"success","request_id":"'$id'"}}'
read line
"""
"""Shakes hands, and ends with the first prompt."""


async def test_a_cli_that_tells_no_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CliVersionRefused, match="does not tell a version"):
        await ensure_proven(program(tmp_path, "echo hello"), ENV, Receipts(tmp_path / "state"))


async def test_a_starter_that_chooses_another_cli_by_the_folder_proves_nothing(tmp_path: Path) -> None:
    """As the shims of version managers do: what was tested is not what would run."""
    receipts = Receipts(tmp_path / "state")
    cli, old = starter(tmp_path, 'case "$PWD" in */old) exec {old} "$@";; *) exec {new} "$@";; esac')
    assert (await ensure_proven(cli, ENV, receipts, cwd=tmp_path)).verdict == "holds"
    with pytest.raises(CliVersionRefused, match=r"2\.1\.197 .* it was 2\.1\.332 in the test \(does a starter choose"):
        await ensure_proven(cli, ENV, receipts, cwd=old)
    assert not receipts.has(subject(cli, "2.1.197"))


async def test_a_starter_that_chooses_another_cli_by_a_variable_proves_nothing(tmp_path: Path) -> None:
    cli, _ = starter(tmp_path, 'if [ -n "$OLD" ]; then exec {old} "$@"; else exec {new} "$@"; fi')
    with pytest.raises(CliVersionRefused, match=r"it was 2\.1\.332 in the test"):
        await ensure_proven(cli, {**ENV, "OLD": "1"}, Receipts(tmp_path / "state"))


def starter(parent: Path, text: str) -> tuple[Path, Path]:
    """A starter of the fake's versions, and the folder of the older."""
    paths = {}
    for name, version in {"old": "2.1.197", "new": "2.1.332"}.items():
        (parent / name).mkdir()
        paths[name] = install(parent / name, version=version)
    return program(parent, text.format(**paths)), parent / "old"


@pytest.fixture
def no_temporary_folder(tmp_path: Path) -> Iterator[None]:
    """As when the TMPDIR of a running process is gone."""
    usual, tempfile.tempdir = tempfile.tempdir, str(tmp_path / "gone")
    yield
    tempfile.tempdir = usual


@pytest.mark.usefixtures("no_temporary_folder")
async def test_without_a_temporary_folder_nothing_can_be_proven(tmp_path: Path) -> None:
    cli, receipts = install(tmp_path), Receipts(tmp_path / "state")
    with pytest.raises(CliVersionRefused, match="was given no place for a test"):
        await ensure_proven(cli, ENV, receipts)
    assert (await ensure_proven(cli, ENV, receipts, doubt_passes=True)).verdict == "unknown"


async def test_a_cli_that_is_gone_proves_nothing(tmp_path: Path) -> None:
    proof = await proof_of(tmp_path / "claude", "2.1.332", Receipts(tmp_path / "state"))
    assert proof.verdict == "unknown"
    assert "could not be looked at" in proof.why
