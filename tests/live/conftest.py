"""What the live tests need: a stage, a home of hubs, and for those that the fake CLI plays as well, either CLI."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bascule.testing.fake_cli import install
from tests.conftest import CLI_VERSIONS
from tests.hub.outlived import Home
from tests.live.stage import Stage


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is older is live, the fake too."""
    for item in items:
        if item.get_closest_marker("older"):
            item.add_marker(pytest.mark.live)


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.live)])
def cli(request: pytest.FixtureRequest, cli_version: str, tmp_path: Path) -> Path:
    """The fake and the real CLI of one version."""
    if request.param == "real":
        return Path(request.getfixturevalue("claude_cli"))
    folder = tmp_path / "fake"
    folder.mkdir()
    return install(folder, version=cli_version)


@pytest.fixture
def stage(claude_cli: Path, cli_version: str, clean_env: dict[str, str], tmp_path: Path) -> Stage:
    workspace = tmp_path / "work"
    workspace.mkdir()
    return Stage(claude_cli, clean_env, workspace, newer=cli_version == CLI_VERSIONS[0])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """Of a hub whose keepers may outlive it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "hub").mkdir()
    home = Home(tmp_path / "hub")
    yield home
    home.clear()
