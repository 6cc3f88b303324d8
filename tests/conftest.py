"""What every test may ask for: the pinned Claude Code CLI and an environment that is clean for it.

A test that asks for `claude_cli` is live, runs once for each tested version, and has a minute instead of the 20 s
of the others, since a CLI start alone takes seconds on a busy machine.
"""

import os
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PINS = tomllib.loads((ROOT / "requirements" / "claude-code.toml").read_text())
CLI_VERSIONS: tuple[str, ...] = tuple(row["number"] for row in PINS["version"])
LIVE_TIMEOUT_S = 60
NOBODY_LISTENS = "http://127.0.0.1:9"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the live tests, so that none runs among the fast ones because its author forgot the mark."""
    for item in items:
        asks_for_cli = "claude_cli" in getattr(item, "fixturenames", ())
        if asks_for_cli or item.get_closest_marker("smoke"):
            item.add_marker(pytest.mark.live)
        if item.get_closest_marker("live") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LIVE_TIMEOUT_S))


def _version_param(number: str) -> object:
    marks = () if number == CLI_VERSIONS[0] else (pytest.mark.older,)
    return pytest.param(number, id=number, marks=marks)


@pytest.fixture(scope="session", params=[_version_param(number) for number in CLI_VERSIONS])
def cli_version(request: pytest.FixtureRequest) -> str:
    """The number of a tested CLI version, the newest first."""
    return str(request.param)


@pytest.fixture(scope="session")
def claude_cli(cli_version: str) -> Path:
    """The pinned CLI of this version. Without it the test is skipped, and on CI it fails."""
    path = ROOT / ".venv" / "cli" / cli_version / "claude"
    if path.is_file():
        return path
    why = f"Claude Code {cli_version} is not at {path}: run `make setup-all`"
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


@pytest.fixture
def clean_env(tmp_path: Path) -> dict[str, str]:
    """The whole environment for a real CLI: a home of its own, a dummy key, no traffic but to this machine.

    Nobody listens at its `ANTHROPIC_BASE_URL`; a test with a scripted model puts the model's address there.
    """
    home = tmp_path / "home"
    config = home / ".claude"
    config.mkdir(parents=True)
    return {
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(config),
        "PATH": os.defpath,
        "ANTHROPIC_BASE_URL": NOBODY_LISTENS,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }
