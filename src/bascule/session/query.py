"""One prompt, one run: for those who need no conversation. The process is gone when it is over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Any, NamedTuple

import msgspec

from bascule.aio.beside import beside
from bascule.commands import AttachmentData
from bascule.errors import LocalProtocolError, StructuredOutputMissing
from bascule.events import AnyEvent, Complete
from bascule.session.opening import open_session
from bascule.session.options import Options
from bascule.session.prompts import PromptHandle
from bascule.session.proving import Prove
from bascule.session.session import Session


def query(
    prompt: str,
    options: Options | None = None,
    *,
    attachments: Sequence[AttachmentData] = (),
    prove: Prove | None = None,
) -> Query:
    """As ``bascule.proven.query``; ``prove`` as for ``open_session``."""
    return Query(open_session(unattended(options or Options()), prove=prove), prompt, attachments)


async def run(
    prompt: str,
    options: Options | None = None,
    *,
    attachments: Sequence[AttachmentData] = (),
    prove: Prove | None = None,
) -> Complete:
    """As ``bascule.proven.run``; ``prove`` as for ``open_session``."""
    async with aclosing(query(prompt, options, attachments=attachments, prove=prove)) as events:
        async for _ in events:
            pass
    return events.complete


class Query:
    """The events of one run, for one reader. The session is opened with the first event and ended with the last.

    Raises what ``open_session`` and a ``PromptHandle`` raise, ``ProcessLost`` and ``StructuredOutputMissing`` after the
    last event. Whoever may leave early puts ``contextlib.aclosing`` around it, and the process is gone after that.
    """

    def __init__(
        self, session: AbstractAsyncContextManager[Session], prompt: str, attachments: Sequence[AttachmentData] = ()
    ) -> None:
        self._complete: Complete | None = None
        self._events = self._run(_Run(session, prompt, tuple(attachments)))

    @property
    def complete(self) -> Complete:
        """The end of the last turn so far; the last with structured output where there is any.

        After the last event that is the result of the run; a turn that only the end of the session provoked, as 2.1.197
        does when it stops a shell, is none. Raises ``LocalProtocolError`` before a turn has ended.
        """
        if self._complete is None:
            raise LocalProtocolError("no turn has ended yet: read the events first")
        return self._complete

    def __aiter__(self) -> AsyncIterator[AnyEvent]:
        return self

    async def __anext__(self) -> AnyEvent:
        return await anext(self._events)

    async def aclose(self) -> None:
        """End the run, wherever it is; returns when the process is gone. Twice is once."""
        await self._events.aclose()

    async def _run(self, run: _Run) -> AsyncGenerator[AnyEvent, None]:
        begun: asyncio.Future[_Begun] = asyncio.get_running_loop().create_future()
        rested: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        async with beside(run.drive(begun, rested), name="bascule query") as driving:
            either: set[asyncio.Future[Any]] = {driving, begun}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not begun.done():
                await driving
            session, handle = begun.result()
            async for event in session.events():
                over = rested.done() and (event.seq or 0) > rested.result()
                if isinstance(event, Complete) and not over:
                    self._note(event)
                yield event
            await driving
            await self._settle(handle)

    def _note(self, complete: Complete) -> None:
        if complete.structured is not None or self._complete is None or self._complete.structured is None:
            self._complete = complete

    async def _settle(self, handle: PromptHandle) -> None:
        try:
            await handle
        except StructuredOutputMissing:
            if self.complete.structured is None:
                raise


class _Begun(NamedTuple):
    session: Session
    handle: PromptHandle


class _Run(NamedTuple):
    """What is run."""

    session: AbstractAsyncContextManager[Session]
    prompt: str
    attachments: tuple[AttachmentData, ...]

    async def drive(self, begun: asyncio.Future[_Begun], rested: asyncio.Future[int]) -> None:
        """Open the session, prompt, and end it when it is at rest; ``rested``: the last event by then."""
        async with self.session as session:
            begun.set_result(_Begun(session, await session.prompt(self.prompt, attachments=self.attachments)))
            await session.idle()
            rested.set_result(session.last_seq)


def unattended(options: Options) -> Options:
    """``options`` for a run that no person can answer in: a program answers, or what would ask is denied."""
    return options if options.on_ask is not None else msgspec.structs.replace(options, attended=False)
