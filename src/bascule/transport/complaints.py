"""What a process writes to stderr: lines of bounded length, and the last of them for error messages."""

from __future__ import annotations

from collections import deque
from typing import Final

LINE_BYTES: Final = 64 * 1024
"""What is kept of a line; a program that writes no newline must not fill our memory."""
TAIL_LINES: Final = 40
TAIL_CHARACTERS: Final = 4096
CUT: Final = " … (cut)"


class Complaints:
    """Cuts stderr into lines and remembers its end. Lines that are too long lose their rest and say so."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._cut = False
        self._last: deque[str] = deque(maxlen=TAIL_LINES)

    @property
    def tail(self) -> str:
        """The last lines, at most ``TAIL_CHARACTERS`` of them."""
        return "\n".join(self._last)[-TAIL_CHARACTERS:]

    def feed(self, chunk: bytes) -> list[str]:
        """The lines that ``chunk`` ends, in order, each without its newline."""
        first, *later = chunk.split(b"\n")
        self._append(first)
        lines = []
        for piece in later:
            lines.append(self._end_line())
            self._append(piece)
        return lines

    def finish(self) -> list[str]:
        """The last line, if it had no newline; nothing when called again."""
        return [self._end_line()] if self._line else []

    def _append(self, piece: bytes) -> None:
        room = LINE_BYTES - len(self._line)
        self._cut = self._cut or len(piece) > room
        self._line += piece[:room]

    def _end_line(self) -> str:
        text = bytes(self._line).removesuffix(b"\r").decode("utf-8", "surrogateescape") + CUT * self._cut
        self._line.clear()
        self._cut = False
        self._last.append(text)
        return text
