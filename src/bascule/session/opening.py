"""Opens a session: finds the CLI, starts it, shakes hands, and gives it back when it is ready, or says why not."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Literal

from bascule.aio.finish import finish
from bascule.errors import OptionError, ProcessLost, RequestFailed, ResumeFailed, StartFailed, StartTimedOut
from bascule.ids import SessionId
from bascule.protocol.handshake import Welcome, hello, welcome
from bascule.recording import Began, Noticed, redact
from bascule.session import skills
from bascule.session.admission import accept_always, admitted, own_places, rule_files
from bascule.session.attachments import Attachments
from bascule.session.emulated import Emulated, Facts, Opening
from bascule.session.facts import ground
from bascule.session.files import look, settings_file
from bascule.session.gate import POLICY_HOOK, Gate, Rulings
from bascule.session.git import GIT_S, GitCheck
from bascule.session.heeding import heed
from bascule.session.hooks import UserHook
from bascule.session.line import Line
from bascule.session.mcp import config_files
from bascule.session.options import Options, arguments, environment_of, mode_of, policy_of, refuse_root
from bascule.session.ownership import owned, owners_folder
from bascule.session.proving import Prove, compare, proven
from bascule.session.resuming import conversation, refusal, settled
from bascule.session.rulebook import Rulebook
from bascule.session.served import Served, served
from bascule.session.session import Session
from bascule.session.starts import STARTS
from bascule.session.vetting import vet
from bascule.session.watch import Limits
from bascule.session.watchdog import Watchdog
from bascule.transcript.fold import Fold
from bascule.transport.argv import argv
from bascule.transport.launch import Launch
from bascule.transport.locate import find_cli, here
from bascule.transport.pipe import Pipe
from bascule.transport.process import open_process
from bascule.transport.tap import Sink, Tap, recording_file


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
    pipe: Pipe, options: Options, *, began_at: float, cli: str | None = None, notice: str | None = None
) -> AsyncIterator[Session]:
    """A session over a pipe whose process was started with ``options`` at ``began_at`` (UTC, seconds).

    ``notice``: what is to be said before all else. The pipe is closed with the session. Raises ``StartFailed`` and
    ``ResumeFailed`` as ``open_session`` does.
    """
    session_id = options.id or SessionId(conversation(options) or str(uuid.uuid4()))
    line = Line(pipe, Fold(session_id, began_at=int(began_at * 1000)), session_id)
    with _only_error(), served(line, session_id, options.tool_servers, options.sdk_servers) as tools:
        async with asyncio.TaskGroup() as tasks:
            env = environment_of(options)
            here = ground(options.cwd, env, own_places(options))
            check = _git_check(here.workspace, env, options)
            emulated = Emulated(options.hooks, _facts(options), line)
            gate = Gate(line, _rulings(options, check, tools), here, tasks, emulated)
            if check is not None:
                gate.run_beside(check.begin(), name="git")
            attachments = Attachments(Path(options.cwd), session_id)
            session = Session(
                session_id,
                line,
                gate,
                attachments,
                tasks,
                grace_s=options.grace_s,
                patience=options.patience,
                rearms_plan=policy_of(options).rearms_plan,
                tools=tools,
                structured=options.json_schema is not None,
                verbatim=options.verbatim_prompts,
                watchdog=Watchdog(line, options.limits, options.patience),
            )
            tasks.create_task(line.listen(session.listener()), name=f"bascule reader {session_id}")
            try:
                line.note(_began(session_id, options, began_at, cli))
                if notice is not None:
                    line.note(Noticed(level="notice", text=notice))
                wanted = await emulated.begin()
                told = await _shake_hands(line, gate, tools, options, wanted)
                session.welcome = told
                _demand_gate(line, gate, told)
                if _gates(gate):
                    await skills.hold_back(line, told.version)
                heed(line, options, told)
                vet(line, told.version)
                tools.begun(told.manifests_taken)
                gate.run_beside(tools.watch(), name="tools")
                tasks.create_task(session.watch(), name=f"bascule watchdog {session_id}")
                line.log.info("the session has begun, with Claude Code %s", told.version or "of an older kind")
                if wanted.first_prompt is not None:
                    await session.prompt(wanted.first_prompt, surface="hook")
                yield session
            finally:
                await finish(session.close())
                await finish(emulated.end())


def _facts(options: Options) -> Facts:
    goes_on = options.resume is not None or options.continue_last
    return Facts(
        session_id=conversation(options),
        cwd=str(Path(options.cwd).absolute()),
        mode=mode_of(options),
        model=options.model,
        agent=options.agent,
        source="startup" if not goes_on else "fork" if options.fork else "resume",
        setup="maintenance" if "--maintenance" in options.extra_args else None,
    )


async def _shake_hands(line: Line, gate: Gate, tools: Served, options: Options, wanted: Opening) -> Welcome:
    # The CLI takes the text of the handshake in place of that of its command line, so it is given both.
    context = "\n\n".join(filter(None, (options.append_system_prompt, wanted.context)))
    request = hello(
        gate.hooks(),
        agents=options.agents,
        sdk_servers=tools.serves,
        sdk_manifests=tools.manifests(),
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
    try:
        async with line.unless_silent(options.limits.spawn_s, options.limits.initialize_s):
            return welcome(await line.request(request, within_s=None))
    except RequestFailed as exc:
        raise StartFailed(f"the CLI refused the handshake: {exc}", **line.last_words()) from exc
    except TimeoutError:
        raise _too_slow(line, options.limits, "initialize" if line.has_spoken else "spawn") from None
    except ProcessLost as exc:
        raise await asyncio.to_thread(_not_started, line, options, exc) from None


def _demand_gate(line: Line, gate: Gate, told: Welcome) -> None:
    """A policy that the CLI does not ask governs nothing. One that tells nothing of hooks was tested (2.1.197)."""
    if told.hooks_applied is False and _gates(gate):
        raise StartFailed(
            "the CLI did not take the hook by which the policy decides: use a version that bascule was tested with,"
            " or a policy under which the CLI governs",
            **line.last_words(),
        )


def _gates(gate: Gate) -> bool:
    """Whether a policy of ours has a say over what runs."""
    return any(hook.callback_id == POLICY_HOOK for hook in gate.hooks())


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


def _began(session_id: SessionId, options: Options, began_at: float, cli: str | None) -> Began:
    return Began(
        session=session_id,
        at=int(began_at * 1000),
        cwd=str(Path(options.cwd).absolute()),
        policy=options.policy,
        mode=mode_of(options),
        cli_path=cli,
        ask_timeout_s=options.ask_timeout_s,
    )


def _git_check(workspace: str, env: Mapping[str, str], options: Options) -> GitCheck | None:
    wanted = policy_of(options).checks_git if options.stop_git_check is None else options.stop_git_check
    return GitCheck(workspace, env, pushed=wanted == "pushed") if wanted else None


def _rulings(options: Options, check: GitCheck | None, tools: Served) -> Rulings:
    ours = () if check is None else (UserHook(event="Stop", function=check, timeout_s=2 * GIT_S),)
    return Rulings(
        policy=policy_of(options),
        attended=options.attended,
        on_ask=options.on_ask,
        ask_timeout_s=options.ask_timeout_s,
        hooks=(*options.hooks, *ours),
        keep_grant=options.keep_grant,
        kept_grants=options.kept_grants,
        book=Rulebook(rule_files(options)),
        accept=partial(accept_always, options),
        sdk_servers=tools.serves,
        dialog_kinds=frozenset(options.dialog_kinds),
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
