"""Comes back to a session whose CLI went on without us: after a crash of ours, an update, a restart.

There is no second handshake, and nobody is told what happened before as if it happened now. What the CLI waits for is
served again: an ask with the rest of its time, a hook by the rules of now, a call of a tool of ours once more, since
nobody knows how far it came.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bascule.errors import OptionError
from bascule.ids import SessionId
from bascule.session.assembling import Parts, assembled
from bascule.session.gate import POLICY_HOOK
from bascule.session.journal import JournalPort
from bascule.session.keeping import Kept
from bascule.session.line import Line
from bascule.session.opening import began, begin, demand_gate, greeted
from bascule.session.options import Options
from bascule.session.past import Hello
from bascule.session.resuming import conversation
from bascule.session.session import Session
from bascule.transcript.fold import Fold
from bascule.transport.pipe import RecordedPipe


@asynccontextmanager
async def rejoin(
    pipe: RecordedPipe,
    options: Options,
    *,
    kept: Kept | None = None,
    journal: JournalPort | None = None,
    prefix: str | None = None,
    began_at: float = 0.0,
    leaves: bool = True,
) -> AsyncIterator[Session]:
    """The session that goes on behind ``pipe``, with the options that it was opened with; of its own ``id``.

    ``kept``: what a checkpoint of it gave, up to the line that ``pipe`` begins after; None: ``pipe`` begins with the
    recording. Events of the past come into ``journal``. ``prefix`` begins the ids of our requests, and must not have
    been used on this process; None: a new one. ``began_at``: UTC seconds of the recording's ``t = 0``, for a session
    that was left before it could say so. When the block is left, the CLI goes on, unless the session was ended, or
    ``leaves`` is false.

    A session whose process has ended meanwhile is given too, and has ended. Raises ``OptionError`` for a policy that
    the process has no hook for, and ``StartFailed`` where the handshake was not over, and fails.
    """
    named = options.id or conversation(options)
    if named is None:
        raise OptionError("id is None: tell whose session it is")
    session_id = SessionId(named)
    line = Line(
        pipe,
        Fold(session_id, began_at=int(began_at * 1000)) if kept is None else kept.fold,
        session_id,
        past=kept and kept.past,
        journal=journal,
        prefix=prefix or f"bascule-{uuid.uuid4().hex[:8]}",
    )
    async with assembled(line, session_id, options, leaves=leaves) as parts:
        await line.recall(pipe)
        if line.past.hello is None:
            parts.listen()
            if not line.past.named:
                line.note(began(session_id, options, began_at, None))
            await begin(parts, options)
        else:
            await _go_on(parts, options, line.past.hello)
        yield parts.session


async def _go_on(parts: Parts, options: Options, hello: Hello) -> None:
    line, past = parts.line, parts.line.past
    hooked = POLICY_HOOK in hello.hooks
    if parts.gate.has_a_say and not hooked:
        raise OptionError(
            "this CLI was started under a policy by which it governs itself: start it anew to change that"
        )
    parts.session.goes_on(past)
    parts.emulated.goes_on()
    if past.farewell is not None:
        parts.listen()
        await line.until(lambda: line.over)
        return
    line.serve_again(parts.session.listener())
    asking = line.adopt(hello.request_id, "initialize") if past.welcome is None else None
    parts.listen()
    if asking is not None:
        parts.session.welcome = await greeted(line, options, line.answer_to(asking, within_s=None))
        parts.tools.begun(parts.session.welcome.manifests_taken)
    await demand_gate(parts, parts.session.welcome, hooked=hooked)
    parts.watch()
    line.log.info("the session goes on, with Claude Code %s", parts.session.welcome.version or "of an older kind")
