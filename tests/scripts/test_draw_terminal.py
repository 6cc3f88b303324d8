"""The picture of the terminal holds what the terminal showed."""

import re

from bascule.events import Notice
from scripts.draw_terminal import CELL, drawn, elsewhere


def texts(picture: str) -> list[tuple[float, str]]:
    """Where each text begins, in characters, and what it says."""
    found = re.findall(r'<text class="bascule-r\d+" x="([\d.]+)"[^>]*>([^<]+)</text>', picture)
    return [(float(x) / CELL, text.replace("&#160;", " ").rstrip()) for x, text in found if text.strip("&#160;\n")]


def test_each_text_stands_where_it_stood() -> None:
    picture = drawn(["\x1b[1my\x1b[0m\u00a0allow", "  \x1b[31m- old\x1b[0m"])
    assert texts(picture) == [(0, "y"), (2, "allow"), (2, "- old")]


def test_the_picture_needs_nothing_from_elsewhere() -> None:
    assert re.findall(r"https?://[^\"]+", drawn(["x"])) == ["http://www.w3.org/2000/svg"]


def test_the_temporary_workspace_is_not_shown() -> None:
    event = Notice(level="info", text="in /tmp/x/basket")
    assert elsewhere(event, "/tmp/x/basket") == Notice(level="info", text="in ~/basket")
