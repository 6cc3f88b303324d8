"""The fake CLI and the real one, through the same scenarios with the same assertions.

What the fake gets wrong, no test that uses it can find: so each of its behaviours is claimed here of both. Where the
versions of the CLI differ, a test says which does what. The newest fake runs among the fast tests; the older one only
beside the real CLIs.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bascule.testing.fake_cli import NEWEST
from tests.live.conformance.stage import Stage
from tests.testing.driven import measured


@pytest.fixture
def stage(cli: Path, clean_env: dict[str, str], tmp_path: Path) -> Iterator[Stage]:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    stage = Stage(cli, {**clean_env, **measured()}, workspace)
    yield stage
    for model in stage.models:
        model.stop()


@pytest.fixture
def newer(cli_version: str) -> bool:
    """The newest of the tested versions."""
    return cli_version == NEWEST
