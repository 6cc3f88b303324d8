"""The library without ``await``, for scripts and notebooks: the same verbs, each of which waits.

A session lives on an event loop in a thread of its own, so it can be used from any thread, and also where a loop runs
already. Callbacks, hooks and tools of yours run in that thread, where nothing here can be waited for: such a call
raises ``LocalProtocolError``. Ctrl-C stops the wait, and ends what a ``with`` holds. What is open when the program
ends, is closed then.
"""

from __future__ import annotations

import asyncio
import concurrent.futures.thread  # noqa: F401 - threads are refused at its exit, which must come after ours
import contextlib
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Any, Final, Generic, Literal, TypeVar

from bascule import proven
from bascule.aio.loop_thread import Bell, LoopThread, insist
from bascule.commands import AnyCommand, AttachmentData, Decision, Receipt, Taken
from bascule.events import AnyEvent, Complete
from bascule.ids import CliSessionId, GrantId, PendingId, PromptId, SessionId
from bascule.session import query as one_shot
from bascule.session import session as live
from bascule.session.held import Held
from bascule.session.options import Options
from bascule.session.prompts import PromptHandle
from bascule.session.session import When
from bascule.wire.answers import Rewound

T = TypeVar("T")

_THREAD: Final = "bascule blocking"

EXIT_S: Final = 15.0
"""How long the end of the program waits for what is open: a callback that never returns may hold it up."""


def open_session(options: Options | None = None) -> Session:
    """A live session, ready for its first prompt. Use it in a ``with``, or ``close`` it, as you would a file.

    Raises as ``bascule.open_session`` does.
    """
    return Session(proven.open_session(options or Options()))


def run(
    prompt: str,
    options: Options | None = None,
    *,
    attachments: Sequence[AttachmentData] = (),
    timeout_s: float | None = None,
) -> Complete:
    """Run ``prompt`` in a session of its own, as ``bascule.run`` does. After ``timeout_s`` it raises ``TimeoutError``,
    and the process is gone as well."""
    with contextlib.closing(LoopThread(_THREAD)) as loop:
        return loop.call(proven.run(prompt, options, attachments=attachments), timeout_s=timeout_s)


def query(prompt: str, options: Options | None = None, *, attachments: Sequence[AttachmentData] = ()) -> Query:
    """Run ``prompt`` in a session of its own and tell its events, as ``bascule.query`` does."""
    return Query(proven.query(prompt, options, attachments=attachments))


class Query:
    """The events of one run. When the iteration ends, however it ends, the process is gone."""

    def __init__(self, events: one_shot.Query) -> None:
        self._query = events
        self._events = self._run()

    @property
    def complete(self) -> Complete:
        """As ``bascule.Query.complete``."""
        return self._query.complete

    def __iter__(self) -> Iterator[AnyEvent]:
        return self._events

    def close(self) -> None:
        """End the run, wherever it is. Twice is once."""
        self._events.close()

    def _run(self) -> Generator[AnyEvent, None, None]:
        with contextlib.closing(_Held(aclosing(self._query))) as held:
            yield from held.loop.iterate(self._query)


class Turn:
    """A prompt on its way: iterate over what happens until its turn is over, or wait for its ``result``."""

    def __init__(self, handle: PromptHandle, loop: LoopThread) -> None:
        self.prompt_id: PromptId = handle.prompt_id
        self._handle = handle
        self._loop = loop

    @property
    def done(self) -> bool:
        """Whether it is settled."""
        return self._handle.done

    def __iter__(self) -> Iterator[AnyEvent]:
        """As ``PromptHandle.events``. What waits for an answer can be decided in the loop."""
        return self._loop.iterate(self._handle.events())

    def cancel(self) -> bool:
        """Take the prompt back, if it waits; False: it runs, or has been answered."""
        return self._loop.call(self._handle.cancel())

    def result(self, *, timeout_s: float | None = None) -> Complete:
        """The end of its turn. Raises what awaiting a ``PromptHandle`` raises, and ``TimeoutError``."""
        return self._loop.call(_awaited(self._handle), timeout_s=timeout_s)


class Session:
    """A live session. Made by ``open_session``; what its methods do and raise stands at ``bascule.Session``."""

    def __init__(self, session: AbstractAsyncContextManager[live.Session]) -> None:
        self._held = _Held(session)
        self._live = self._held.value
        self._loop = self._held.loop
        self.id: SessionId = self._live.id
        """Our id of the session; in each of its events."""

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the session, in bounded time, and its thread with it. Twice is once."""
        self._held.close()

    @property
    def cli_session_id(self) -> CliSessionId | None:
        """The CLI's id of the conversation, to resume it by; None before the first turn."""
        return self._live.cli_session_id

    @property
    def ended(self) -> bool:
        """Whether the process is gone."""
        return self._live.ended

    @property
    def quiet_s(self) -> float:
        """For how long the CLI has said nothing of the conversation."""
        return self._loop.call(_quiet_s(self._live))

    def events(self, after: int = 0) -> Iterator[AnyEvent]:
        """All lasting events with ``seq > after``, then what happens, until the session ends."""
        return self._loop.iterate(self._live.events(after))

    def prompt(
        self,
        text: str,
        *,
        attachments: Sequence[AttachmentData] = (),
        when: When = "steer",
        query: bool = True,
        with_reason: bool = False,
        prompt_id: PromptId | None = None,
        by: str | None = None,
        surface: str | None = None,
    ) -> Turn:
        """Write a prompt; iterate over what comes back for its events."""
        work = self._live.prompt(
            text,
            attachments=attachments,
            when=when,
            query=query,
            with_reason=with_reason,
            prompt_id=prompt_id,
            by=by,
            surface=surface,
        )
        return Turn(self._loop.call(work), self._loop)

    def decide(
        self,
        pending_id: PendingId,
        decision: Decision,
        *,
        input_hash: str | None = None,
        by: str | None = None,
        surface: str | None = None,
    ) -> Receipt:
        """Answer an ask."""
        work = self._live.decide(pending_id, decision, input_hash=input_hash, by=by, surface=surface)
        return self._loop.call(work)

    def interrupt(self, *, drop_queued: bool = False) -> Taken:
        """Stop the running turn."""
        return self._loop.call(self._live.interrupt(drop_queued=drop_queued))

    def idle(self, *, shells: bool = False, timeout_s: float | None = None) -> None:
        """Wait until nothing runs and nothing is owed, with ``shells`` also by shells in the background. Raises
        ``TimeoutError``."""
        self._loop.call(self._live.idle(shells=shells), timeout_s=timeout_s)

    def set_mode(self, mode: str, *, by: str | None = None, surface: str | None = None) -> None:
        """Change the CLI's permission mode."""
        self._loop.call(self._live.set_mode(mode, by=by, surface=surface))

    def trust(
        self, rule: str | None = None, *, minutes: float = 15, by: str | None = None, surface: str | None = None
    ) -> GrantId:
        """Ask less for ``minutes``: about what ``rule`` covers, or, None, about edits in the workspace."""
        return self._loop.call(self._live.trust(rule, minutes=minutes, by=by, surface=surface))

    def allow(
        self,
        rule: str,
        *,
        scope: Literal["session", "project", "user"] = "session",
        until: int | None = None,
        by: str | None = None,
        surface: str | None = None,
    ) -> GrantId:
        """Allow what ``rule`` covers from now on, to its end (UTC ms) or with its scope."""
        return self._loop.call(self._live.allow(rule, scope=scope, until=until, by=by, surface=surface))

    def revoke(self, grant_id: GrantId, *, by: str | None = None) -> bool:
        """Take a grant back; False when there is none of that id any more."""
        return self._loop.call(self._live.revoke(grant_id, by=by))

    @property
    def grants(self) -> tuple[Held, ...]:
        """What was allowed beyond one call in this session and still holds, the oldest first."""
        return self._live.grants

    def set_model(self, model: str | None, *, by: str | None = None, surface: str | None = None) -> None:
        """Change the model; None: the default one."""
        self._loop.call(self._live.set_model(model, by=by, surface=surface))

    def compact(self, instructions: str = "", *, by: str | None = None, surface: str | None = None) -> Turn:
        """Have the conversation put together in fewer words."""
        return Turn(self._loop.call(self._live.compact(instructions, by=by, surface=surface)), self._loop)

    def rewind(self, prompt_id: PromptId, *, dry_run: bool = False) -> Rewound:
        """Put files back as they were before a prompt."""
        return self._loop.call(self._live.rewind(prompt_id, dry_run=dry_run))

    def end(self) -> None:
        """End the session, but let running work come to its end for ``Options.grace_s``; then ``close`` it."""
        self._loop.call(self._live.end())

    def send(self, command: AnyCommand) -> Receipt:
        """Carry a command out."""
        return self._loop.call(self._live.send(command))

    def call(self, work: Callable[[live.Session], Coroutine[Any, Any, T]], *, timeout_s: float | None = None) -> T:
        """What has no method here: ``session.call(lambda live: live.cli.context_usage())``."""
        return self._loop.call(work(self._live), timeout_s=timeout_s)


class _Held(Generic[T]):
    """A context that is entered on a loop of its own, and left there by the task that entered it."""

    value: T
    """What it gave."""

    def __init__(self, context: AbstractAsyncContextManager[T]) -> None:
        self.loop = LoopThread(_THREAD)
        self.owner = threading.current_thread()
        self._leave = asyncio.Event()
        entered, given = Bell(), list[T]()
        # It gets no method of ours: that would keep who is forgotten.
        self.holding = self.loop.start(_hold(context, entered, given, self._leave, self.loop.stop))
        try:
            entered.wait()
            if not given:
                self.holding.result()
            (self.value,) = given
        except BaseException:
            self.holding.cancel()
            self.loop.close()
            raise
        _OPEN.add(self)

    def __del__(self) -> None:
        if not self.holding.over.rung:
            self.leave()
            warnings.warn(f"{self.value!r} was not closed", ResourceWarning, source=self, stacklevel=1)

    def leave(self) -> None:
        """Let the context be left, without waiting for it."""
        self.loop.soon(self._leave.set)

    def close(self) -> None:
        """Leave the context, and end its loop. Raises what leaving it raises. Twice is once."""
        if sys.is_finalizing():  # Daemons stand still from now on, and the CLI ends when its stdin does.
            return
        self.loop.check()
        self.leave()
        try:
            insist(self.holding.result)
        finally:
            self.loop.close()


_OPEN: Final[weakref.WeakSet[_Held[Any]]] = weakref.WeakSet()


def _leave_open() -> None:
    """Leave what is open at the end of the main thread, but for what a thread still works with."""
    main = threading.main_thread()
    forgotten = [held for held in tuple(_OPEN) if held.owner is main or not held.owner.is_alive()]
    for held in forgotten:
        held.leave()
    until = time.monotonic() + EXIT_S
    for held in forgotten:
        held.holding.over.wait(until - time.monotonic())


# Not ``atexit``: asyncio gets no threads any more by then, and needs them to end what the CLI started.
threading._register_atexit(_leave_open)  # type: ignore[attr-defined]


async def _hold(
    context: AbstractAsyncContextManager[T],
    entered: Bell,
    given: list[T],
    leave: asyncio.Event,
    stop: Callable[[], None],
) -> None:
    try:
        async with context as value:
            given.append(value)
            entered.ring()
            await leave.wait()
    finally:
        entered.ring()
        stop()


async def _quiet_s(session: live.Session) -> float:
    return session.quiet_s


async def _awaited(handle: PromptHandle) -> Complete:
    return await handle
