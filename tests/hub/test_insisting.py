"""What must not be left undone is tried until the store does it, and nothing else is."""

import pytest

from bascule.errors import OptionError, StoreError
from bascule.hub.insisting import insist


class Work:
    """Fails in these ways, one after the other, and is done then."""

    def __init__(self, *errors: Exception) -> None:
        self._errors = list(errors)

    async def __call__(self) -> str:
        if self._errors:
            raise self._errors.pop(0)
        return "done"


async def test_it_is_done_as_soon_as_the_store_does_it(caplog: pytest.LogCaptureFixture) -> None:
    assert await insist(Work(StoreError("the disk is full")), "the row of s") == "done"
    assert caplog.messages == ["the row of s: waits for the store: the disk is full"]


async def test_what_is_no_trouble_of_the_store_is_raised_at_once() -> None:
    with pytest.raises(OptionError, match="no such session"):
        await insist(Work(OptionError("no such session")), "the row of s")
