"""The names that `how-to/coming-from-claude-agent-sdk.md` gives for those of the SDK are bascule's."""

import re

import pytest

import bascule
from tests.docs import pages
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "how-to" / "coming-from-claude-agent-sdk.md"
(NAMES,) = pages.tables(PAGE)


def is_ours(name: str) -> bool:
    """Whether the name is public, or that of an option."""
    owner, _, rest = name.removesuffix("()").partition(".")
    if owner in bascule.Options.__struct_fields__ or owner in bascule.events.ToolUpdate.__struct_fields__:
        return True
    return owner in bascule.__all__ and (not rest or hasattr(getattr(bascule, owner), rest))


@pytest.mark.parametrize("row", NAMES[1:], ids=lambda row: row[0][:40])
def test_a_name_of_ours_is_one(row: list[str]) -> None:
    words = [word for word in re.findall(r"`([^`]+)`", row[1]) if "=" not in word]
    assert [word for word in words if not is_ours(word)] == []


def test_a_name_that_is_gone_is_seen() -> None:
    assert [is_ours(name) for name in ("events.Complete", "events.Nothing", "Nobody", "cli", "run()")] == [
        True,
        False,
        False,
        True,
        True,
    ]
