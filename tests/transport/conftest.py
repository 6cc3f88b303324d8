"""What the tests of processes share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.transport.programs import Bell


@pytest.fixture
def bell(tmp_path: Path) -> Iterator[Bell]:
    """What a program in `tmp_path` may ring."""
    bell = Bell(tmp_path)
    yield bell
    bell.close()
