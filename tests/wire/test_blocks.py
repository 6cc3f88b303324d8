"""What a block of an unknown kind still tells."""

from typing import Any

import pytest

from bascule.wire.blocks import UnknownBlock


@pytest.mark.parametrize(("raw", "tag"), [({"type": "x"}, "x"), ({"type": 5}, None), ({}, None), ("bare", None)])
def test_an_unknown_block_says_what_it_is_called(raw: Any, tag: str | None) -> None:
    assert UnknownBlock(raw).tag == tag
