"""What the port keeps of a session, read in pages; and files on the disk, read without trusting them."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import islice
from typing import BinaryIO, Final, cast

from bascule import recording
from bascule.conversation import Conversations, SessionFacts
from bascule.errors import OptionError
from bascule.events import AnyEvent
from bascule.ids import SessionId
from bascule.web.problems import Refusal, not_found

PAGE: Final = 500
"""Events that are read at a time."""
LINES: Final = 200
"""Lines of a recording that are read at a time."""


async def facts_of(hub: Conversations, session: SessionId) -> SessionFacts:
    """The session. Raises ``Refusal`` (404) when there is none."""
    facts = await hub.session(session)
    if facts is None:
        raise not_found(f"there is no session {session}")
    return facts


async def between(hub: Conversations, facts: SessionFacts, after: int, limit: int) -> tuple[AnyEvent, ...]:
    """At most ``limit`` lasting events with ``seq > after``, in order. Numbers have no gaps, so a window holds them."""
    end = min(after + limit, facts.last_seq)
    return () if end <= after else await hub.window(facts.id, before=end + 1, limit=end - after)


async def pages(hub: Conversations, facts: SessionFacts) -> AsyncIterator[tuple[AnyEvent, ...]]:
    """All that had happened by the time of ``facts``."""
    after = 0
    while page := await between(hub, facts, after, PAGE):
        yield page
        after += len(page)


async def file_of(path: str, limit_bytes: int) -> bytes:
    """A plain file, whole. Raises ``Refusal``: 413 for one that is larger, also one that grows meanwhile, 404 for what
    is none."""
    return await asyncio.to_thread(_read_bounded, path, limit_bytes)


def _read_bounded(path: str, limit_bytes: int) -> bytes:
    """One descriptor for the look and the read; a link that was put in its place since is not followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as exc:
        raise not_found(f"it cannot be read: {exc.strerror}") from exc
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise not_found("it is no plain file")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(limit_bytes + 1)
    if len(data) > limit_bytes:
        raise Refusal(413, "too_large", f"it is larger than {limit_bytes} bytes")
    return data


async def recorded(path: str, *, raw: bool) -> AsyncIterator[bytes]:
    """The lines of a recording; unless ``raw`` without what looks like a secret, and without lines that are damaged.

    The file is open when this comes back. Raises ``OptionError`` when it cannot be read.
    """
    try:
        file = cast("BinaryIO", await asyncio.to_thread(open, path, "rb"))
    except OSError as exc:
        raise OptionError(f"its recording cannot be read: {exc.strerror}") from exc
    return _shown(file, _same if raw else _redacted)


async def _shown(file: BinaryIO, shown: Callable[[Iterator[bytes]], Iterator[bytes]]) -> AsyncIterator[bytes]:
    try:
        while piece := await asyncio.to_thread(_some, file, shown):
            yield piece
    finally:
        await asyncio.to_thread(file.close)


def _some(lines: Iterator[bytes], shown: Callable[[Iterator[bytes]], Iterator[bytes]]) -> bytes:
    """The next lines that leave something; empty at the end."""
    while taken := list(islice(lines, LINES)):
        if text := b"".join(shown(iter(taken))):
            return text
    return b""


def _same(lines: Iterator[bytes]) -> Iterator[bytes]:
    return lines


def _redacted(lines: Iterator[bytes]) -> Iterator[bytes]:
    for entry in recording.read(lines):
        if isinstance(entry, recording.Entry):
            yield recording.encode(recording.redact(entry))
