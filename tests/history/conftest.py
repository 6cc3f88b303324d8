"""A shelf for each test."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.history.shelf import VERSIONS, Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "config")


@pytest.fixture
def foreign_shelf() -> Iterator[Shelf]:
    """A shelf whose files can be read and folders not be changed, once `Shelf.close` was called; also by root."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        shelf = Shelf(Path(folder))
        yield shelf
        if os.getuid() == 0:
            os.seteuid(0)
        for path in (shelf.config, *shelf.config.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """Each CLI version whose files are kept."""
    return str(request.param)
