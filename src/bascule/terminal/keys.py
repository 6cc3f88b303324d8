"""What a terminal sends, as keys: a decoder from bytes, without a terminal and without a clock.

Bracketed paste comes as one key, so that a pasted newline is no Enter; reports of the focus come as keys too.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

import msgspec

ESCAPE_WAIT_S: Final = 0.05
"""How long a lone escape byte may be the beginning of a sequence: the rest comes in the same write, or never."""


class Key(msgspec.Struct, frozen=True):
    """One press. `name` is `char` and `paste` for what is text, else what stands on the key."""

    name: str
    text: str = ""


FOCUS: Final = Key("focus")
BLUR: Final = Key("blur")

_CONTROLS: Final[dict[str, str]] = {
    "\r": "enter", "\n": "newline", "\t": "tab", "\x7f": "backspace", "\x08": "backspace", "\x00": "ctrl-space",
    **{chr(code): f"ctrl-{chr(code + 96)}" for code in range(1, 27) if chr(code) not in "\r\n\t\x08"},
}  # fmt: skip
_FINALS: Final[dict[str, str]] = {
    "A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end", "Z": "shift-tab",
    "I": "focus", "O": "blur",
}  # fmt: skip
_NUMBERS: Final[dict[str, str]] = {
    "1": "home",
    "3": "delete",
    "4": "end",
    "5": "page-up",
    "6": "page-down",
    "7": "home",
}
_MODIFIERS: Final[dict[str, str]] = {"3": "alt-", "5": "ctrl-", "2": "shift-"}
_ENTERS: Final = frozenset(("13;2u", "13;3u", "13;5u", "27;2;13~", "27;5;13~"))
"""Enter with a modifier, where a terminal tells it from Enter."""
_PASTE: Final = "\x1b[200~"
_PASTED: Final = "\x1b[201~"
_SEQUENCE: Final = re.compile(r"\x1b(?:\[(?P<csi>[0-?]*[ -/]*[@-~])|O(?P<ss3>[@-~])|(?P<alt>[^\[O\x1b]))")
_WHOLE: Final = re.compile(r"([0-9;]*)([@-~])")


class Decoder:
    """Bytes in, keys out, however the bytes are cut."""

    def __init__(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    @property
    def waits(self) -> bool:
        """Whether an escape byte waits for what it begins."""
        return self._rest.startswith("\x1b") and not self._rest.startswith(_PASTE)

    def feed(self, data: bytes) -> list[Key]:
        """The keys that `data` completes."""
        self._rest += self._utf8.decode(data)
        keys: list[Key] = []
        while self._rest:
            key, used = self._next()
            if not used:
                break
            self._rest = self._rest[used:]
            keys += [key] if key else []
        return keys

    def flush(self) -> list[Key]:
        """Nothing followed: what waits was the escape key, and the rest was typed after it."""
        if not self.waits:
            return []
        rest, self._rest = self._rest[1:], ""
        return [Key("escape"), *self.feed(rest.encode("utf-8", "replace"))]

    def _next(self) -> tuple[Key | None, int]:
        """The first key and the characters it took; 0 of them: it is not whole yet."""
        if self._rest.startswith(_PASTE):
            end = self._rest.find(_PASTED)
            text = self._rest[len(_PASTE) : end].replace("\r\n", "\n").replace("\r", "\n")
            return (None, 0) if end < 0 else (Key("paste", text), end + len(_PASTED))
        if self._rest[0] != "\x1b":
            char = self._rest[0]
            return Key(_CONTROLS[char]) if char in _CONTROLS else Key("char", char) if char >= " " else None, 1
        if self._rest.startswith("\x1b\x1b"):
            return Key("escape"), 1
        match = _SEQUENCE.match(self._rest)
        return (_named(match), match.end()) if match else (None, 0)


def _named(match: re.Match[str]) -> Key | None:
    if alt := match["alt"]:
        return Key("newline") if alt in "\r\n" else Key(f"alt-{_CONTROLS.get(alt, alt)}")
    if match["ss3"]:
        return _key(_FINALS.get(match["ss3"]))
    return _csi(match["csi"])


def _csi(sequence: str) -> Key | None:
    if sequence in _ENTERS:
        return Key("newline")
    match = _WHOLE.fullmatch(sequence)
    if match is None:
        return None
    number, _, modifier = match[1].partition(";")
    name = _NUMBERS.get(number) if match[2] == "~" else _FINALS.get(match[2])
    return _key(name and _MODIFIERS.get(modifier, "") + name)


def _key(name: str | None) -> Key | None:
    return Key(name) if name else None
