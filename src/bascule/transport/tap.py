"""A pipe that keeps what goes through it, and the file that it is kept in.

A full disk ends the recording, never the session, and a note says so where everybody sees it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

from bascule.errors import RecordingError
from bascule.recording import Entry, Failed, encode, note
from bascule.transport.pipe import Pipe, Through

Sink: TypeAlias = Callable[[Sequence[Entry]], None]
"""Keeps entries; raises ``OSError`` when it cannot."""

_ONLY_OWNER: Final = 0o600


class Tap(Through):
    """A ``Pipe`` that gives each entry to ``sink`` before it gives it on. What is not read is not kept."""

    def __init__(self, pipe: Pipe, sink: Sink) -> None:
        super().__init__(pipe)
        self._sink: Sink | None = sink

    async def read(self) -> tuple[Entry, ...]:
        """As ``Pipe.read``; once the sink fails, a ``Failed`` note goes first and nothing is kept from then on."""
        entries = await self._pipe.read()
        if self._sink is None or not entries:
            return entries
        try:
            self._sink(entries)
        except OSError as exc:
            self._sink = None
            return (Entry(entries[0].t, "note", note(_failed(exc))), *entries)
        return entries


def _failed(exc: OSError) -> Failed:
    return Failed(
        kind="recording",
        message=f"the recording ends here: {exc.strerror or exc}",
        hint="the session goes on; free some space or name another file before the next one",
    )


@contextmanager
def recording_file(path: Path) -> Iterator[Sink]:
    """A sink that appends to ``path``, readable by its owner only; raw, nothing is redacted.

    A last line that a crash has cut off is ended first, so that no entry is joined to it. Each call writes at once, so
    that what was kept survives us. Raises ``RecordingError`` when the file cannot be opened, or be kept from
    others.
    """
    file = _opened(path)
    try:
        torn = os.fstat(file).st_size > 0 and os.pread(file, 1, os.fstat(file).st_size - 1) != b"\n"
        if torn:
            _write(file, b"\n")
        yield lambda entries: _write(file, b"".join(map(encode, entries)))
    finally:
        os.close(file)


def _opened(path: Path) -> int:
    """A file that was there before may be open to all; a device or a pipe is whoever made it."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, _ONLY_OWNER)
    except OSError as exc:
        raise RecordingError(f"{path} cannot be written ({exc.strerror}): name another file", str(path)) from exc
    try:
        if stat.S_ISREG(os.fstat(file).st_mode):
            os.fchmod(file, _ONLY_OWNER)
    except OSError as exc:
        os.close(file)
        raise RecordingError(f"{path} belongs to somebody else: name another file", str(path)) from exc
    return file


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
