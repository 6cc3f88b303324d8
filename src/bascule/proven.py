"""The ways into a session, with a CLI that was shown to ask before it writes.

What ``bascule`` gives as ``open_session``, ``run`` and ``query``, and ``bascule.blocking`` builds upon: the rooms below
with the proof of ``bascule.doctor``. A proof is made once for a CLI, and takes a second or two; after that a receipt is
looked at, which takes less than a millisecond for a program, and one ``claude --version`` for a starter script, which
may choose another program each time.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

from bascule.commands import AttachmentData
from bascule.doctor.receipts import Receipts
from bascule.events import Complete
from bascule.session import opening
from bascule.session import query as one_shot
from bascule.session.options import Options
from bascule.session.query import Query
from bascule.session.session import Session
from bascule.transport.folders import state_folder


@asynccontextmanager
async def open_session(options: Options) -> AsyncIterator[Session]:
    """A live session, ready for its first prompt; it is ended when the block is left, in bounded time.

    Raises ``OptionError`` and ``CliNotFound`` before anything was started, ``CliVersionRefused`` when bascule governs
    and the CLI was not shown to ask (unless ``Options.unproven``), ``StartFailed`` when the CLI ended before it was
    ready, ``ResumeFailed`` when the conversation cannot be gone on with, ``SessionInUse`` when it is open elsewhere.
    """
    async with opening.open_session(options, prove=prove) as session:
        yield session


def query(prompt: str, options: Options | None = None, *, attachments: Sequence[AttachmentData] = ()) -> Query:
    """Run ``prompt`` in a session of its own: its events, until nothing runs and nothing is owed any more.

    Subagents in the background are waited for. A command in the background is not, for it may serve for ever, and the
    end of the session stops it: who wants to wait for one opens a session, and waits for ``idle(shells=True)``. There
    is nobody to ask: without ``options.on_ask`` what would ask is denied at once. See ``Query``.
    """
    return one_shot.query(prompt, options, attachments=attachments, prove=prove)


async def run(prompt: str, options: Options | None = None, *, attachments: Sequence[AttachmentData] = ()) -> Complete:
    """Run ``prompt`` in a session of its own, and give its end; ``query`` without the events.

    Raises what iterating a ``Query`` raises.
    """
    return await one_shot.run(prompt, options, attachments=attachments, prove=prove)


async def prove(cli: Path, env: Mapping[str, str], cwd: Path) -> str:
    """As ``session.proving.Prove``, for who puts a session together himself."""
    receipts = Receipts(state_folder(os.environ))
    if (version := await asyncio.to_thread(receipts.version_of, cli)) is not None:
        return version
    async with _ONE.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        # The scripted model and its server, which no session needs whose CLI has its receipt.
        proof = import_module("bascule.doctor.proof")
        shown: str = await proof.version_that_asks(cli, env, receipts, cwd=cwd)
        return shown


_ONE: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]] = WeakKeyDictionary()
"""One proof at a time: of many sessions that start at once the first makes it, and the others find its receipt."""
