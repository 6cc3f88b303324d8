"""Bytes to lines. What a line means is decided in ``wire/``.

A line ends at the byte ``\\n`` and at nothing else: the CLI writes U+0085 raw inside its JSON, where ``str.splitlines``
would cut. There is no limit: the CLI echoes what it was sent, and 60 MB in one line were seen.
"""

from __future__ import annotations

from typing import Final

BOM: Final = b"\xef\xbb\xbf"


class Framing:
    """Cuts a stream into lines, however it was cut into chunks. One for each stream.

    A line is given without its ``\\n`` or ``\\r\\n``, blank ones too; a byte order mark is dropped where the stream
    begins. Bytes that are no UTF-8 become lone surrogates (``surrogateescape``), so that the line can be written back
    as it was.
    """

    def __init__(self) -> None:
        self._begun = False
        self._pieces: list[bytes] = []

    def feed(self, chunk: bytes) -> list[str]:
        """The lines that ``chunk`` ends, in order. Only the chunk is searched: a long line costs linear time."""
        first, *later = chunk.split(b"\n")
        self._pieces.append(first)
        if not later:
            return []
        *lines, begun = b"".join(self._pieces), *later
        self._pieces = [begun]
        return self._texts(lines)

    def finish(self) -> list[str]:
        """The last line, if the stream ended without a newline; nothing when called again."""
        last = b"".join(self._pieces)
        self._pieces = []
        return self._texts([last]) if last else []

    def _texts(self, lines: list[bytes]) -> list[str]:
        if not self._begun:
            self._begun = True
            lines[0] = lines[0].removeprefix(BOM)
        return [line.removesuffix(b"\r").decode("utf-8", "surrogateescape") for line in lines]
