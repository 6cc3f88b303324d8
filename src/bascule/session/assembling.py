"""Puts a session together: its parts, the tasks in which they live, and what happens when it is left.

Which process it drives, and whether that process is new, is not decided here (``opening.py``, ``rejoining.py``).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bascule.aio.finish import finish
from bascule.aio.unwrapped import only_error
from bascule.ids import SessionId
from bascule.session.admission import accept_always, own_places, rule_files
from bascule.session.arrivals import Arrivals
from bascule.session.attachments import Attachments
from bascule.session.emulated import Emulated, Facts
from bascule.session.facts import ground
from bascule.session.gate import Gate, Rulings
from bascule.session.git import GIT_S, GitCheck
from bascule.session.hooks import UserHook
from bascule.session.line import Line
from bascule.session.options import Options, environment_of, mode_of, policy_of
from bascule.session.resuming import conversation
from bascule.session.rulebook import Rulebook
from bascule.session.served import Served, served
from bascule.session.session import Session
from bascule.session.watchdog import Watchdog


class Parts(NamedTuple):
    """Of one session."""

    line: Line
    gate: Gate
    tools: Served
    emulated: Emulated
    session: Session
    tasks: asyncio.TaskGroup
    arrivals: Arrivals

    def listen(self) -> None:
        """Begin to read what the CLI says."""
        self.line.start(self.tasks, self.session.listener(), name=f"bascule reader {self.session.id}")

    def watch(self) -> None:
        """Begin to look after the limits, and after tools that change."""
        self.gate.run_beside(self.tools.watch(), name="tools")
        self.gate.run_beside(self._guard(), name="arrivals")
        self.tasks.create_task(self.session.watch(), name=f"bascule watchdog {self.session.id}")

    async def _guard(self) -> None:
        """End the session when the workspace brings what nobody has accepted."""
        await self.arrivals.come()
        self.tasks.create_task(self.session.close(), name=f"bascule end of an altered workspace {self.session.id}")


@asynccontextmanager
async def assembled(line: Line, session_id: SessionId, options: Options, *, leaves: bool) -> AsyncIterator[Parts]:
    """The parts of a session over ``line``, which nobody reads yet.

    At the end of the block the session is closed; or, with ``leaves``, the process is left running unless it has ended.
    """
    with only_error(), served(line, session_id, options.tool_servers, options.sdk_servers) as tools:
        async with asyncio.TaskGroup() as tasks:
            parts = _put_together(line, session_id, options, tools, tasks)
            try:
                yield parts
            finally:
                await finish(parts.session.detach() if leaves else parts.session.close())
                if not line.left:
                    await finish(parts.emulated.end())


def _put_together(
    line: Line, session_id: SessionId, options: Options, tools: Served, tasks: asyncio.TaskGroup
) -> Parts:
    env = environment_of(options)
    here = ground(options.cwd, env, own_places(options))
    check = _git_check(here.workspace, env, options)
    emulated = Emulated(options.hooks, _facts(options), line)
    arrivals = Arrivals(options, env, lambda: line.argv, line.note)
    gate = Gate(line, _rulings(options, check, tools, arrivals), here, tasks, emulated)
    if check is not None:
        gate.run_beside(check.begin(), name="git")
    session = Session(
        session_id,
        line,
        gate,
        Attachments(Path(options.cwd), session_id),
        tasks,
        grace_s=options.grace_s,
        patience=options.patience,
        rearms_plan=policy_of(options).rearms_plan,
        tools=tools,
        structured=options.json_schema is not None,
        verbatim=options.verbatim_prompts,
        watchdog=Watchdog(line, options.limits, options.patience),
        arrivals=arrivals,
    )
    return Parts(line, gate, tools, emulated, session, tasks, arrivals)


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


def _git_check(workspace: str, env: Mapping[str, str], options: Options) -> GitCheck | None:
    wanted = policy_of(options).checks_git if options.stop_git_check is None else options.stop_git_check
    return GitCheck(workspace, env, pushed=wanted == "pushed") if wanted else None


def _rulings(options: Options, check: GitCheck | None, tools: Served, arrivals: Arrivals) -> Rulings:
    ours = () if check is None else (UserHook(event="Stop", function=check, timeout_s=2 * GIT_S),)
    return Rulings(
        policy=policy_of(options),
        attended=options.attended,
        on_ask=options.on_ask,
        ask_timeout_s=options.ask_timeout_s,
        hooks=(*options.hooks, *ours),
        keep_grant=options.keep_grant,
        kept_grants=options.kept_grants,
        book=Rulebook(rule_files(options), barred=arrivals.look),
        accept=partial(accept_always, options),
        sdk_servers=tools.serves,
        dialog_kinds=frozenset(options.dialog_kinds),
    )
