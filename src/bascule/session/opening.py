"""Opens a session: finds the CLI, starts it, shakes hands, and gives it back when it is ready, or says why not."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Literal

from bascule.errors import OptionError, ProcessLost, RequestFailed, ResumeFailed, StartFailed, StartTimedOut
from bascule.ids import SessionId
from bascule.protocol.handshake import Welcome, hello, welcome
from bascule.recording import Began, Noticed, redact
from bascule.session import skills
from bascule.session.admission import admitted
from bascule.session.assembling import Parts, assembled
from bascule.session.emulated import Opening
from bascule.session.files import look, settings_file
from bascule.session.heeding import heed
from bascule.session.journal import JournalPort
from bascule.session.keeping import Kept
from bascule.session.line import Line
from bascule.session.mcp import config_files
from bascule.session.options import Options, arguments, environment_of, mode_of, refuse_root
from bascule.session.ownership import owned, owners_folder
from bascule.session.proving import Prove, compare, proven
from bascule.session.resuming import conversation, refusal, settled
from bascule.session.session import Session
from bascule.session.starts import STARTS
from bascule.session.vetting import vet
from bascule.session.watch import Limits
from bascule.transcript.fold import Fold
from bascule.transport.argv import argv
from bascule.transport.launch import Launch
from bascule.transport.locate import find_cli, here
from bascule.transport.pipe import Pipe
from bascule.transport.process import open_process
from bascule.transport.tap import Sink, Tap, recording_file
from bascule.wire.control import Succeeded
from bascule.wire.initialize import Initialize


@asynccontextmanager
async def open_session(options: Options, *, prove: Prove | None = None) -> AsyncIterator[Session]:
    """A live session, ready for its first prompt; it is ended when the block is left, in bounded time.

    ``prove`` is asked before the start where bascule governs. Raises as ``bascule.proven.open_session`` does.
    """
    env = environment_of(options)
    cwd = _workspace(options)
    look(options)
    admission = await asyncio.to_thread(admitted, options, env)
    env = environment_of(admission.options)
    options = await asyncio.to_thread(settled, admission.options, env)
    refuse_root(arguments(options), env, euid=os.geteuid())
    cli = find_cli(here(), explicit=None if options.cli is None else str(options.cli))
    version = await proven(prove, options, cli, env, cwd)
    async with AsyncExitStack() as stack:
        stack.enter_context(owned(conversation(options), owners_folder()))
        sink = None if options.record is None else stack.enter_context(recording_file(Path(options.record)))
        configs = stack.enter_context(config_files(options.mcp_servers))
        settings = stack.enter_context(settings_file(options))
        started = await stack.enter_async_context(STARTS.place())
        asked = arguments(options, mcp_configs=configs, settings=settings)
        launch = Launch((str(cli), *argv(asked)), env, str(cwd))
        began_at = time.time()
        pipe: Pipe = await stack.enter_async_context(open_process(launch))
        if sink is not None:
            pipe = Tap(pipe, _redacting(sink) if options.redact else sink)
        session = await stack.enter_async_context(
            session_over(pipe, options, began_at=began_at, cli=str(cli), notice=admission.notice)
        )
        compare(version, session.welcome.version)
        started()
        yield session


def _redacting(sink: Sink) -> Sink:
    return lambda entries: sink(tuple(map(redact, entries)))


@asynccontextmanager
async def session_over(
    pipe: Pipe,
    options: Options,
    *,
    began_at: float,
    cli: str | None = None,
    notice: str | None = None,
    kept: Kept | None = None,
    journal: JournalPort | None = None,
    leaves: bool = False,
) -> AsyncIterator[Session]:
    """A session over a pipe whose process was started with ``options``, and was told nothing yet.

    ``began_at``: UTC seconds of the recording's ``t = 0``. ``notice``: what is to be said before all else. ``kept``:
    the same session up to the end of the process before this one. ``journal``: where its events go. The pipe is closed
    with the session; with ``leaves`` it is not, and the process goes on. Raises ``StartFailed`` and ``ResumeFailed`` as
    ``open_session`` does.
    """
    session_id = options.id or SessionId(conversation(options) or str(uuid.uuid4()))
    fold = Fold(session_id, began_at=int(began_at * 1000)) if kept is None else kept.fold
    line = Line(pipe, fold, session_id, past=kept and kept.past, journal=journal)
    async with assembled(line, session_id, options, leaves=leaves) as parts:
        if kept is not None:
            parts.gate.remembers(kept.past, began_in=mode_of(options))
        parts.listen()
        line.note(began(session_id, options, began_at, cli))
        if notice is not None:
            line.note(Noticed(level="notice", text=notice))
        await begin(parts, options)
        yield parts.session


async def begin(parts: Parts, options: Options) -> None:
    """Make a session ready whose process was told nothing yet, and is listened to."""
    line, session = parts.line, parts.session
    wanted = await parts.emulated.begin()
    told = await greeted(line, options, line.request(_hello(parts, options, wanted), within_s=None))
    session.welcome = told
    await demand_gate(parts, told)
    heed(line, options, told)
    vet(line, told.version)
    parts.tools.begun(told.manifests_taken)
    parts.watch()
    line.log.info("the session has begun, with Claude Code %s", told.version or "of an older kind")
    if wanted.first_prompt is not None:
        await session.prompt(wanted.first_prompt, surface="hook")


def _hello(parts: Parts, options: Options, wanted: Opening) -> Initialize:
    # The CLI takes the text of the handshake in place of that of its command line, so it is given both.
    context = "\n\n".join(filter(None, (options.append_system_prompt, wanted.context)))
    return hello(
        parts.gate.hooks(),
        agents=options.agents,
        sdk_servers=parts.tools.serves,
        sdk_manifests=parts.tools.manifests(),
        append_system_prompt=context if wanted.context else None,
        json_schema=options.json_schema,
        title=wanted.title or options.title,
        dialog_kinds=options.dialog_kinds,
        skills=options.skills,
        tool_aliases=options.tool_aliases,
        plan_mode_instructions=options.plan_mode_instructions,
        system_prompt_snapshot=options.system_prompt_snapshot,
        exclude_dynamic_sections=options.exclude_dynamic_sections,
        forward_subagent_text=options.forward_subagent_text,
        per_task_stop=options.interrupt_spares_agents,
    )


async def greeted(line: Line, options: Options, answer: Awaitable[Succeeded]) -> Welcome:
    """What the CLI says to the handshake. Raises ``StartFailed``, and its kinds, where it says nothing of use."""
    try:
        async with line.unless_silent(options.limits.spawn_s, options.limits.initialize_s):
            return welcome(await answer)
    except RequestFailed as exc:
        raise StartFailed(f"the CLI refused the handshake: {exc}", **line.last_words()) from exc
    except TimeoutError:
        raise _too_slow(line, options.limits, "initialize" if line.has_spoken else "spawn") from None
    except ProcessLost as exc:
        raise await asyncio.to_thread(_not_started, line, options, exc) from None


async def demand_gate(parts: Parts, told: Welcome, *, hooked: bool = True) -> None:
    """A policy that the CLI does not ask governs nothing. One that tells nothing of hooks was tested (2.1.197).

    ``hooked``: the policy's hook was registered, if it was to be. Where neither policy nor rule has a say, nothing is
    demanded, until a rule does.
    """
    if not parts.gate.has_a_say:
        parts.gate.late_rules.may_come(hooked=hooked and told.hooks_applied is not False, version=told.version)
        return
    if told.hooks_applied is False:
        raise StartFailed(
            "the CLI did not take the hook by which the policy decides: use a version that bascule was tested with,"
            " or a policy under which the CLI governs",
            **parts.line.last_words(),
        )
    await skills.hold_back(parts.line, told.version)


def _too_slow(line: Line, limits: Limits, limit: Literal["spawn", "initialize"]) -> StartTimedOut:
    seconds = limits.initialize_s if limit == "initialize" else limits.spawn_s
    return StartTimedOut(
        f"the CLI said nothing for {seconds:g} s: give it more time with limits.{limit}_s, or run it by hand",
        limit=limit,
        argv=line.argv,
        stderr_tail=line.fold.stderr_tail,
    )


def _not_started(line: Line, options: Options, loss: ProcessLost) -> StartFailed:
    """A resume that failed says so in a result without an ``init`` (12_resume_stale); any other start on stderr."""
    words = line.last_words()
    if line.farewell is not None and line.farewell.cause == "resume_failed":
        what, reason = refusal(options, environment_of(options), words["stderr_tail"])
        return ResumeFailed(what, reason=reason, **words)
    return StartFailed(f"the CLI ended before it was ready (exit code {loss.process_exit_code})", **words)


def began(session_id: SessionId, options: Options, began_at: float, cli: str | None) -> Began:
    """The note that says whose session a process is."""
    return Began(
        session=session_id,
        at=int(began_at * 1000),
        cwd=str(Path(options.cwd).absolute()),
        policy=options.policy,
        mode=mode_of(options),
        cli_path=cli,
        ask_timeout_s=options.ask_timeout_s,
    )


def _workspace(options: Options) -> Path:
    path = Path(options.cwd).absolute()
    if not path.is_dir():
        raise OptionError(f"cwd is {path}, which is no folder: make it, or name another")
    return path
