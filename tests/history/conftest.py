"""A shelf for each test."""

from pathlib import Path

import pytest

from tests.history.shelf import VERSIONS, Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "config")


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """Each CLI version whose files are kept."""
    return str(request.param)
