"""Opens a session: finds the CLI, starts it, shakes hands, and gives it back when it is ready, or says why not."""

from __future__ import annotations

import asyncio
import logging
import os
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

from bascule.aio.finish import finish
from bascule.errors import OptionError, ProcessLost, RequestFailed, ResumeFailed, StartFailed
from bascule.ids import SessionId
from bascule.protocol.handshake import Welcome, hello, welcome
from bascule.recording import Began
from bascule.session.facts import ground
from bascule.session.gate import Gate, Rulings
from bascule.session.line import Line
from bascule.session.options import Options, arguments, environment_of, policy_of, refuse_root
from bascule.session.session import Session
from bascule.transcript.fold import Fold
from bascule.transport.argv import argv
from bascule.transport.launch import Launch
from bascule.transport.locate import find_cli, here
from bascule.transport.pipe import Pipe
from bascule.transport.process import open_process
from bascule.transport.tap import Tap, recording_file

log = logging.getLogger("bascule.session")


@asynccontextmanager
async def open_session(options: Options) -> AsyncIterator[Session]:
    """A live session, ready for its first prompt; it is ended when the block is left, in bounded time.

    Raises ``OptionError`` and ``CliNotFound`` before anything was started, ``StartFailed`` when the CLI ended before it
    was ready, ``ResumeFailed`` when the conversation to resume is not there.
    """
    env = environment_of(options)
    cwd = _workspace(options)
    asked = arguments(options)
    refuse_root(asked, env, euid=os.geteuid())
    cli = find_cli(here(), explicit=None if options.cli is None else str(options.cli))
    with ExitStack() as files:
        sink = files.enter_context(recording_file(Path(options.record))) if options.record is not None else None
        launch = Launch((str(cli), *argv(asked)), env, str(cwd))
        began_at = time.time()
        async with open_process(launch) as pipe:
            tapped = pipe if sink is None else Tap(pipe, sink)
            async with session_over(tapped, options, began_at=began_at, cli=str(cli)) as session:
                yield session


@asynccontextmanager
async def session_over(
    pipe: Pipe, options: Options, *, began_at: float, cli: str | None = None
) -> AsyncIterator[Session]:
    """A session over a pipe whose process was started with ``options`` at ``began_at`` (UTC, seconds).

    The pipe is closed with the session. Raises ``StartFailed`` and ``ResumeFailed`` as ``open_session`` does.
    """
    session_id = options.id or SessionId(options.session_id or options.resume or str(uuid.uuid4()))
    line = Line(pipe, Fold(session_id, began_at=int(began_at * 1000)))
    with _only_error():
        async with asyncio.TaskGroup() as tasks:
            gate = Gate(line, _rulings(options), ground(options.cwd, environment_of(options)), tasks)
            session = Session(session_id, line, gate, tasks, grace_s=options.grace_s)
            tasks.create_task(line.listen(session.listener()), name=f"bascule reader {session_id}")
            try:
                line.note(_began(session_id, options, began_at, cli))
                await _shake_hands(line, gate, options)
                yield session
            finally:
                await finish(session.close())


async def _shake_hands(line: Line, gate: Gate, options: Options) -> Welcome:
    request = hello(gate.hooks(), agents=options.agents, json_schema=options.json_schema)
    try:
        return welcome(await line.request(request, within_s=options.start_s))
    except RequestFailed as exc:
        raise StartFailed(f"the CLI refused the handshake: {exc}") from exc
    except TimeoutError:
        raise StartFailed(
            f"the CLI said nothing for {options.start_s:g} s: give it more time with start_s, or run it by hand",
            stderr_tail=line.fold.stderr_tail,
        ) from None
    except ProcessLost as exc:
        raise _not_started(line, exc) from None


def _not_started(line: Line, loss: ProcessLost) -> StartFailed:
    """A resume that failed says so in a result without an ``init`` (12_resume_stale); any other start on stderr."""
    resume_failed = line.farewell is not None and line.farewell.cause == "resume_failed"
    kind = ResumeFailed if resume_failed else StartFailed
    what = "the conversation to resume is not there" if resume_failed else "the CLI ended before it was ready"
    return kind(
        f"{what}: exit code {loss.process_exit_code}",
        exit_code=loss.process_exit_code,
        signal=loss.signal,
        stderr_tail=loss.stderr_tail,
    )


def _began(session_id: SessionId, options: Options, began_at: float, cli: str | None) -> Began:
    return Began(
        session=session_id,
        at=int(began_at * 1000),
        cwd=str(Path(options.cwd).absolute()),
        policy=options.policy,
        mode=options.mode or policy_of(options).mode,
        cli_path=cli,
        ask_timeout_s=options.ask_timeout_s,
    )


def _rulings(options: Options) -> Rulings:
    return Rulings(
        policy=policy_of(options),
        attended=options.attended,
        on_ask=options.on_ask,
        ask_timeout_s=options.ask_timeout_s,
        hooks=options.hooks,
        keep_grant=options.keep_grant,
    )


def _workspace(options: Options) -> Path:
    path = Path(options.cwd).absolute()
    if not path.is_dir():
        raise OptionError(f"cwd is {path}, which is no folder: make it, or name another")
    return path


@contextmanager
def _only_error() -> Iterator[None]:
    """What was raised inside a TaskGroup, without the group around it when it is one."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        raise error from error.__cause__
