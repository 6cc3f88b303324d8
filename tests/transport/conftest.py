"""What the tests of processes share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.keeper.place import Place
from tests.transport.programs import Bell


@pytest.fixture
def bell(tmp_path: Path) -> Iterator[Bell]:
    """What a program in `tmp_path` may ring."""
    bell = Bell(tmp_path)
    yield bell
    bell.close()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Where keepers live; none outlives the test."""
    place = Place(tmp_path)
    yield place
    place.clear()
