"""A missing CLI is said, never passed over; a live test is live whether or not its author said so."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
ONE_LIVE_TEST = "def test_it_runs(claude_cli):\n    assert claude_cli.is_file()\n"


@pytest.fixture
def tree(pytester: pytest.Pytester) -> pytest.Pytester:
    """A checkout without a CLI, with our conftest, one live test and the same strictness."""
    for name in ("requirements/claude-code.toml", "tests/conftest.py"):
        copy = pytester.path / name
        copy.parent.mkdir()
        copy.write_text((ROOT / name).read_text())
    (pytester.path / "tests" / "test_live.py").write_text(ONE_LIVE_TEST)
    markers = "live: x\n smoke: x\n older: x\n timeout: x"
    pytester.makeini(f"[pytest]\naddopts = --strict-markers -p no:asyncio -p no:cacheprovider\nmarkers =\n {markers}\n")
    return pytester


def test_without_the_cli_a_live_test_is_skipped_at_a_desk(
    tree: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    result = tree.runpytest("-rs", "-m", "not older")
    result.assert_outcomes(skipped=1, deselected=1)
    result.stdout.fnmatch_lines(["*Claude Code * is not at *: run `make setup-all`*"])


def test_without_the_cli_a_live_test_fails_on_ci(tree: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    tree.runpytest().assert_outcomes(errors=2)


def test_asking_for_the_cli_makes_a_test_live(tree: pytest.Pytester) -> None:
    tree.runpytest("-m", "not live").assert_outcomes(deselected=2)
