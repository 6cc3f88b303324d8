"""What the tests of the keeper share with those of the pipe through one."""

from tests.transport.conftest import bell, place

__all__ = ["bell", "place"]
