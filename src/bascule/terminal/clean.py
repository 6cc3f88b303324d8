"""Foreign text made harmless: what the model, a tool or a file says may not steer the terminal.

Everything that comes from outside passes through `plain` or, where a person decides over it, through `exact`, before it
becomes a span. Nothing here knows styles or widths.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_SEQUENCE: Final = re.compile(
    r"\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC: titles, links, clipboards
    r"|\x1b[PX^_][^\x1b\x9c]*(?:\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, movements, modes
    r"|\x1b[ -/]*[0-~]?"  # the two-byte rest
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_STEERS: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_UNSEEN: Final = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200c\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164"
    "\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_PICTURE: Final = "\u2190-\u2bff\u3030\u303d\U0001f000-\U0001faff"
_DIRECTION: Final = re.compile(f"[{_STEERS}]")
_HIDDEN: Final = re.compile(
    f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_STEERS}{_UNSEEN}\ud800-\udfff]"
    f"|(?<![{_PICTURE}])\ufe0f|(?<![{_PICTURE}\ufe0f])\u200d"  # what joins pictures belongs to them
)

TAB: Final = "    "


def plain(text: str) -> str:
    """`text` to be read: no escape sequence, no control character but the newline, no override of the direction.

    Of a line that was written over with carriage returns, as progress bars do, the last writing is kept.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\t", TAB)
    if "\r" in text:
        text = "\n".join(_last_writing(line) for line in text.split("\n"))
    return _SURROGATE.sub("\ufffd", _DIRECTION.sub("", _CONTROL.sub("", text)))


def _last_writing(line: str) -> str:
    return next((part for part in reversed(line.split("\r")) if part), "")


def exact(text: str) -> list[tuple[str, bool]]:
    """`text` to be decided over, in stretches; True: a chip such as `U+202E` in place of what would not be seen.

    Nothing is left out: what a terminal would obey, reorder or hide is named. Newlines stay, tabs become blanks.
    """
    stretches: list[tuple[str, bool]] = []
    at = 0
    text = text.replace("\t", TAB)
    for match in _HIDDEN.finditer(text):
        stretches += [(text[at : match.start()], False), (f"U+{ord(match[0]):04X}", True)]
        at = match.end()
    stretches.append((text[at:], False))
    return [(part, chip) for part, chip in stretches if part]


def one_line(text: str) -> str:
    """The first line of `text` that says something, harmless."""
    return next((line.strip() for line in plain(text).split("\n") if line.strip()), "")


def cells(text: str) -> int:
    """Columns that `text` takes on a terminal: two for wide characters, none for those that join the one before."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(char: str) -> int:
    if char.isascii():
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
