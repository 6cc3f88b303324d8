"""Each claim that `explanation/references.md` checks is shown by a recording or a live test, and each answer by code.

That the names lead somewhere is for the tests of all pages: links in `test_pages.py`, recordings in the house rules.
"""

import re

import pytest

from tests.docs import pages
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "explanation" / "references.md"
SAID, DONE = "it says", "it did"
RECORDING = re.compile(r"`\d\d_\w+`")

CLAIMS = [row for table in pages.tables(PAGE) for row in table[1:] if table[0][0] == SAID]
DEEDS = [row for table in pages.tables(PAGE) for row in table[1:] if table[0][0] == DONE]


def shown_by(cell: str) -> list[str]:
    """The recordings that a cell names, and the tests with the real CLI that it links to."""
    live = [link for link in pages.links_of(cell) if "/live/" in link or "_live.py" in link]
    return [*RECORDING.findall(cell), *live]


def test_every_description_has_its_table() -> None:
    assert [(table[0][0], len(table) > 8) for table in pages.tables(PAGE)] == [
        (SAID, True),
        (DONE, True),
        (SAID, True),
        (SAID, True),
    ]


@pytest.mark.parametrize("row", CLAIMS, ids=lambda row: row[0][:40])
def test_what_the_cli_does_is_recorded_or_tried(row: list[str]) -> None:
    _, does, _ = row
    assert shown_by(does)


@pytest.mark.parametrize("row", [*CLAIMS, *DEEDS], ids=lambda row: row[0][:40])
def test_what_bascule_does_is_held_by_code(row: list[str]) -> None:
    *_, ours = row
    assert [link for link in pages.links_of(ours) if link.partition("#")[0].endswith(".py")]


def test_words_alone_show_nothing() -> None:
    assert shown_by("**Yes**, [see](../index.md) `initialize`.") == []
