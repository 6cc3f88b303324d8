"""Each benchmark still runs, once and small, so that none rots; what it measures then means nothing."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench.figures import Figure, Limit

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.stem.removeprefix("bench_") for path in (ROOT / "bench").glob("bench_*.py"))

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="the fake CLI is compiled: install a C compiler"),
    pytest.mark.timeout(60),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_measures_us_and_writes_what_it_prints(name: str, tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    command = [sys.executable, "-m", "bench", name, "--short", "--json", str(results)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(results.read_text())["figures"]
    assert figures != []
    for figure in figures:
        assert figure["what"] in done.stdout
        assert figure["samples"]["ours"] != []
        assert None not in figure["samples"]["ours"]


def counted(ours: float, *, counts: bool) -> Figure:
    return Figure(number="P10", what="events lost", unit="", ours=ours, must=(Limit(),), counts=counts)


def test_a_loss_is_wrong_and_a_time_is_not() -> None:
    assert counted(1, counts=True).is_wrong
    assert not counted(0, counts=True).is_wrong
    assert not counted(1, counts=False).is_wrong
