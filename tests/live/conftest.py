"""The stage of the live tests."""

from pathlib import Path

import pytest

from tests.conftest import CLI_VERSIONS
from tests.live.stage import Stage


@pytest.fixture
def stage(claude_cli: Path, cli_version: str, clean_env: dict[str, str], tmp_path: Path) -> Stage:
    workspace = tmp_path / "work"
    workspace.mkdir()
    return Stage(claude_cli, clean_env, workspace, newer=cli_version == CLI_VERSIONS[0])
