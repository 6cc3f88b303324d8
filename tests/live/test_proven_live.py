"""What the public way into a session proves of the real CLI, and what that costs."""

import time
from pathlib import Path

import pytest

from bascule import Options, open_session
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, say
from bascule.doctor.receipts import Receipts
from bascule.errors import CliVersionRefused
from tests.live.stage import Stage

RECEIPT_S = 0.01
"""For a receipt that is there; a start may cost no more than that on top of the CLI's own."""


@pytest.fixture
def receipts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Receipts:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Receipts(tmp_path / "state" / "bascule")


async def opened(stage: Stage, cli: Path) -> None:
    async with ScriptedModel(Script(say("Hello."))) as model:
        env = {**stage.env, "ANTHROPIC_BASE_URL": model.url}
        async with open_session(Options(cwd=stage.workspace, cli=cli, env=env)) as session:
            assert not session.ended


async def test_F12_the_cli_is_proven_once_and_then_known_by_its_file(
    stage: Stage, receipts: Receipts, cli_version: str
) -> None:
    assert receipts.version_of(stage.cli) is None
    await opened(stage, stage.cli)
    begun = time.perf_counter()
    assert receipts.version_of(stage.cli) == cli_version
    assert time.perf_counter() - begun < RECEIPT_S
    await opened(stage, stage.cli)


@pytest.mark.usefixtures("receipts")
async def test_another_version_behind_the_same_file_is_refused(stage: Stage, tmp_path: Path) -> None:
    """2.1.197 does not tell which it is before its first turn."""
    await opened(stage, stage.cli)
    (receipt,) = (tmp_path / "state" / "bascule" / "proofs").iterdir()
    receipt.write_text(receipt.read_text().replace('"version":"2.1.332"', '"version":"2.1.331"'))
    if stage.newer:
        with pytest.raises(CliVersionRefused, match=r"2\.1\.331 was shown to ask, and 2\.1\.332 was started"):
            await opened(stage, stage.cli)
    else:
        await opened(stage, stage.cli)
