"""The recording file of one session: appended to, and read back from there instead of being held in memory.

The format is that of ``bascule.recording``. Lines are numbered from 1 over the whole file, whichever process wrote
them. A disk that is full costs entries and nothing else: they are counted, and the file says so once there is room
again.
"""

from __future__ import annotations

import array
import json
import os
import time
from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring_ascii

EVERY = 256
"""For one line in so many it is remembered where it begins."""
AT_ONCE = 64 * 1024
HEAD = 64
"""Bytes in which the time and the direction of an entry stand."""


def encoded(t: float, direction: str, line: str) -> bytes:
    """An entry as ``bascule.recording.encode`` writes it; ``json.dumps`` would make an encoder for each."""
    return f'{{"t":{t!r},"dir":"{direction}","line":{encode_basestring_ascii(line)}}}\n'.encode("ascii")


class Record:
    """What was recorded. ``began_at``: UTC seconds of ``t = 0``, which an earlier process may have set."""

    def __init__(self, path: str, began_at: float) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        os.fchmod(self._file, 0o600)
        self.size = 0
        """Bytes, always whole lines."""
        self.lines = 0
        self.lost = 0
        """Entries that found no room since the last that did."""
        self._why = ""
        self._starts = array.array("Q", [0])
        self._last = 0
        self._survey()
        heads = [os.pread(self._file, HEAD, at) for at in (self._last, self.size)]
        self._ahead = max(time.time() - began_at, *map(_time, heads)) - time.monotonic()
        self._mend(heads)

    @property
    def now(self) -> float:
        """Seconds since the recording began; never goes back, whatever the system's clock does."""
        return round(time.monotonic() + self._ahead, 6)

    def append(self, t: float, entries: Iterable[tuple[str, str]]) -> int | None:
        """Write ``entries``, all or none; the number of the first, or None where there was no room for them."""
        pieces = [encoded(t, *entry) for entry in entries]
        told = [encoded(t, "note", self._loss())] if self.lost else []
        try:
            self._write([*told, *pieces])
        except OSError as exc:
            os.ftruncate(self._file, self.size)
            self.lost += len(pieces)
            self._why = exc.strerror or str(exc)
            return None
        self.lost = 0
        return self.lines - len(pieces) + 1

    def was_cut(self) -> bool:
        """Whether somebody made the file shorter since it was looked at last. Whole lines that are left are counted
        anew, and gone on with."""
        if os.fstat(self._file).st_size >= self.size:
            return False
        self.size = self.lines = self._last = 0
        self._starts = array.array("Q", [0])
        self._survey()
        os.ftruncate(self._file, self.size)
        return True

    def start_of(self, known: int) -> int:
        """Where what follows the first ``known`` lines begins."""
        at, skip = self._starts[known // EVERY], known % EVERY
        while skip and (chunk := self.read(at, AT_ONCE)):
            here = min(skip, chunk.count(b"\n"))
            end = len(chunk) if here < skip else _end_of(chunk, here)
            at, skip = at + end, skip - here
        return at

    def close(self) -> None:
        """Let go of the file; a keeper holds it as long as it lives."""
        os.close(self._file)

    def read(self, at: int, limit: int) -> bytes:
        """At most ``limit`` bytes from ``at``."""
        return os.pread(self._file, limit, at)

    def _survey(self) -> None:
        """Count what earlier processes left, up to the last newline."""
        at = 0
        while chunk := self.read(at, 16 * AT_ONCE):
            end = 0
            while end := chunk.find(b"\n", end) + 1:
                self._count(at + end)
            at += len(chunk)

    def _mend(self, heads: Sequence[bytes]) -> None:
        """End a line that was cut off, and a process whose end nobody saw."""
        last, torn = heads
        told = [b"\n"] if torn else []
        if (last or torn) and (torn or b'"dir":"exit"' not in last):
            told.append(encoded(self.now, "exit", '{"code":null,"signal":null}'))
        if torn:
            self.size = os.fstat(self._file).st_size
        self._write(told)

    def _write(self, pieces: Sequence[bytes]) -> None:
        data = memoryview(b"".join(pieces))
        while data:
            data = data[os.write(self._file, data) :]
        for piece in pieces:
            self._count(self.size + len(piece))

    def _count(self, end: int) -> None:
        self._last, self.size = self.size, end
        self.lines += 1
        if self.lines % EVERY == 0:
            self._starts.append(end)

    def _loss(self) -> str:
        """A ``Failed`` note of ``bascule.recording``."""
        told = f"{self.lost} entries of this session were not recorded: {self._why}"
        hint = "the session went on; what is missing here was told to whoever was attached"
        return json.dumps({"note": "failed", "kind": "recording", "message": told, "hint": hint})


def _end_of(chunk: bytes, count: int) -> int:
    end = 0
    for _ in range(count):
        end = chunk.index(b"\n", end) + 1
    return end


def _time(head: bytes) -> float:
    """The time of the entry that begins so; 0 for what is none."""
    try:
        return float(head.removeprefix(b'{"t":').partition(b",")[0])
    except ValueError:
        return 0.0
