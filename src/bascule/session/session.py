"""One live session: events out, commands in. What a surface, a hub or a program speaks to.

It puts together the line to the CLI (``line.py``), who may do what (``gate.py``, ``asks.py``), the prompts that are on
their way (``prompts.py``) and how a turn is stopped (``stopping.py``); ``opening.py`` opens it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from functools import partial
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from bascule.commands import (
    AnyCommand,
    AttachmentData,
    Decision,
    Receipt,
    Taken,
)
from bascule.errors import BasculeError, LocalProtocolError, OptionError, SessionClosed
from bascule.events import AnyEvent, Complete, PermissionRequest, PermissionResolved, SessionStatus, TurnStarted
from bascule.ids import CliSessionId, CommandId, GrantId, PendingId, PromptId, SessionId
from bascule.policy.grants import granted
from bascule.protocol.handshake import Welcome
from bascule.recording import Asked, Ending, Noticed, Prompted, Slept
from bascule.session import rewinding, stopping
from bascule.session.arrivals import Arrivals
from bascule.session.attachments import Attachments, Packed
from bascule.session.checks import prompt_id_of
from bascule.session.commanded import carry_out
from bascule.session.gate import Gate
from bascule.session.held import Held
from bascule.session.keeping import keep
from bascule.session.line import Line, Listener
from bascule.session.past import Past
from bascule.session.plan import Rearm
from bascule.session.prompts import Handles, PromptHandle
from bascule.session.requests import Cli
from bascule.session.served import Served
from bascule.session.stopping import Patience
from bascule.session.vetting import vet_running
from bascule.session.watchdog import Watchdog
from bascule.transcript.prompts import State
from bascule.wire.answers import Rewound
from bascule.wire.messages import Priority, compacting, user_prompt
from bascule.wire.permissions import MODES
from bascule.wire.requests import SetModel as SetModelRequest
from bascule.wire.requests import SetPermissionMode

When: TypeAlias = Literal["now", "queue", "steer"]

PRIORITIES: Final[dict[When, Priority]] = {"now": "now", "steer": "next", "queue": "later"}
IDLE_S: Final = 0.3
"""The CLI says that it is idle a few ms after the last result; later than this, work goes on in the background."""
RECEIPTS: Final = 1024
"""Receipts that are remembered, for commands that come twice."""


class Session:
    """A conversation with one CLI process. Made by ``open_session``; usable from any task of its event loop."""

    def __init__(
        self,
        id: SessionId,
        line: Line,
        gate: Gate,
        attachments: Attachments,
        tasks: asyncio.TaskGroup,
        *,
        grace_s: float,
        patience: Patience,
        rearms_plan: bool,
        tools: Served,
        structured: bool,
        verbatim: bool,
        watchdog: Watchdog,
        arrivals: Arrivals,
    ) -> None:
        self.id = id
        """Our id of the session; in each of its events."""
        self._line = line
        self._gate = gate
        self._attachments = attachments
        self._tasks = tasks
        self._grace_s = grace_s
        self._patience = patience
        self._tools = tools
        self._verbatim = verbatim
        self._watchdog = watchdog
        self._arrivals = arrivals
        self._handles = Handles(line.journal, partial(stopping.taken_back, line), structured=structured)
        self._rearm = Rearm(line, self._spawn, self.close) if rearms_plan else None
        self._turn: tuple[PromptId, ...] = ()
        self.cli = Cli(line, tools, self._refuse_when_closed)
        """The CLI, to be asked and told beside the conversation."""
        self.welcome = Welcome()
        """What the CLI said of itself when the session began."""
        self._receipts: dict[CommandId, asyncio.Task[Receipt]] = {}
        self._closing = False

    @property
    def cli_session_id(self) -> CliSessionId | None:
        """The CLI's id of the conversation, to resume it by; None before the first turn."""
        return self._line.fold.cli_session_id

    @property
    def ended(self) -> bool:
        """Whether the process is gone."""
        return self._line.over

    def events(self, after: int = 0) -> AsyncIterator[AnyEvent]:
        """As ``Conversation.events``: all lasting events with ``seq > after``, then what happens, until the end."""
        return self._line.journal.read(after)

    @property
    def last_seq(self) -> int:
        """The number of the newest lasting event; ``events(after=last_seq)`` gives what happens from now on."""
        return self._line.journal.last

    @property
    def quiet_s(self) -> float:
        """For how long the CLI has said nothing of the conversation; while a person is asked that is no wonder."""
        return asyncio.get_running_loop().time() - self._line.heard_at

    @property
    def at_rest(self) -> bool:
        """Whether nothing runs and nothing is owed, but for shells in the background."""
        return not self._handles.open and self._line.fold.idle

    async def stirs(self) -> None:
        """Returns when more of the CLI was read, or the session has ended; no event tells of all that."""
        await self._line.stirs()

    async def idle(self, *, shells: bool = False) -> None:
        """Wait until nothing runs and nothing is owed, background agents included.

        A turn's ``Complete`` is not that: the CLI may go on by itself (15_bg_agent). With ``shells`` commands in the
        background are waited for too, and the turn that each end begins; one that serves never ends, and the session's
        end stops it. Raises ``ProcessLost``, or the ``TurnTimedOut`` of a limit, when the process ended before: what
        was owed will never come.
        """
        if not await self._line.until(lambda: self.at_rest and not (shells and self._line.fold.tasks_running)):
            raise self._watchdog.error() or self._line.loss()

    async def prompt(
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
    ) -> PromptHandle:
        """Write a prompt; await the handle for the ``Complete`` of its turn.

        ``when`` matters only while a turn runs: into it, after it, or in its place (see ``commands.Prompt``). Without
        ``query`` the model is told and not asked: it reads the prompt with the next one, and the turn ends at once.
        ``with_reason``: it is told first why a person denied its last call and stopped it, if one did.
        ``prompt_id``: a new UUID of the caller's. Raises ``SessionClosed`` when the session has ended,
        ``LocalProtocolError`` for an id that was used before, ``OptionError`` for one that is no UUID and for an
        attachment that cannot be sent.
        """
        prompt_id = prompt_id_of(prompt_id)
        text = self._gate.asks.with_reason(text) if with_reason else text
        packed = Packed(text, ())
        if attachments:
            packed = await asyncio.to_thread(self._attachments.pack, text, tuple(attachments))
        if not self._line.fold.turn_running:
            await self._tools.up_to_date()
        running = self._line.fold.turn_running
        note = Prompted(
            prompt_id=prompt_id,
            text=text,
            attachments=tuple(msgspec.to_builtins(packed.attachments)),
            by=by,
            surface=surface,
            disposition="sent" if not running else "queued" if when == "queue" else "steered",
        )
        prompt = user_prompt(
            packed.content, uuid=prompt_id, priority=PRIORITIES[when], should_query=query, verbatim=self._verbatim
        )
        self._refuse_when_closed()
        if (arrived := self._arrivals.look()) is not None:
            raise SessionClosed(arrived)
        self._gate.late_rules.look()
        if not self._line.prompt(prompt, note):
            raise SessionClosed("the CLI takes no more prompts: open the session again with resume")
        self._gate.asks.untold = None
        handle = self._handles.add(prompt_id)
        await self._line.drain()
        return handle

    async def interrupt(self, *, drop_queued: bool = False) -> Taken:
        """Stop the running turn; what the receipt calls ``still_queued`` runs next. Nothing to stop is no mistake.

        Returns when the CLI has acknowledged it, or has not in time (``Taken.acknowledged``). If the turn goes on all
        the same, it is stopped by stronger means (see ``stopping.see_through``), in the end by ending the process.
        Raises ``SessionClosed``, ``ProcessLost``.
        """
        self._refuse_when_closed()
        meant = self._meant()
        waiting = tuple(prompt_id for prompt_id in self._handles.open if prompt_id not in meant)
        try:
            still_queued = await stopping.interrupt(self._line, self._patience, drop=waiting if drop_queued else ())
        except TimeoutError:
            self._spawn(stopping.force(self._line, self._patience, self._line.fold.turn), name="force")
            return Taken(acknowledged=False)
        self._spawn(stopping.see_through(self._line, self._patience, lost=still_queued & meant), name="see through")
        return Taken(still_queued=tuple(prompt_id for prompt_id in waiting if prompt_id in still_queued))

    async def decide(
        self,
        pending_id: PendingId,
        decision: Decision,
        *,
        input_hash: str | None = None,
        by: str | None = None,
        surface: str | None = None,
    ) -> Receipt:
        """Answer an ask; see ``Asks.decide``. The first one wins, and ``Taken`` means written to the CLI."""
        receipt = await self._gate.asks.decide(pending_id, decision, input_hash=input_hash, by=by, surface=surface)
        await self._line.drain()
        return receipt

    def remark(self, text: str, *, level: Literal["info", "notice", "warning"] = "notice") -> None:
        """Put a line of ours into the record, which everybody sees as a ``notice``; nothing when it is over."""
        self._line.note(Noticed(level=level, text=text))

    async def set_mode(self, mode: str, *, by: str | None = None, surface: str | None = None) -> None:
        """Change the CLI's permission mode. Raises ``OptionError`` for a mode that is none, which 2.1.197 would
        acknowledge, ``RequestFailed`` for one that this process may not enter, ``SessionClosed``."""
        if mode not in MODES:
            raise OptionError(f"mode is {mode!r}: the CLI knows {', '.join(MODES)}")
        self._refuse_when_closed()
        await self._line.request(
            SetPermissionMode(mode=mode), note=lambda request_id: Asked(request_id=request_id, by=by, surface=surface)
        )
        self._gate.granted.overstays = False

    async def set_model(self, model: str | None, *, by: str | None = None, surface: str | None = None) -> None:
        """Change the model; None: the default one. A name that does not exist fails at the next turn, not here."""
        self._refuse_when_closed()
        await self._line.request(
            SetModelRequest(model=model), note=lambda request_id: Asked(request_id=request_id, by=by, surface=surface)
        )

    @property
    def grants(self) -> tuple[Held, ...]:
        """What was allowed beyond one call in this session and still holds, the oldest first."""
        return self._gate.granted.held

    async def trust(
        self, rule: str | None = None, *, minutes: float = 15, by: str | None = None, surface: str | None = None
    ) -> GrantId:
        """Ask less for ``minutes``: about what ``rule`` covers, or, None, about edits in the workspace. It ends by
        itself, and ``grant_ended`` tells how many calls it covered.

        Raises ``OptionError`` for a time or a rule that is none, and while the session plans; ``SessionClosed``.
        """
        self._refuse_when_closed()
        return await self._gate.granted.trust(rule, minutes=minutes, by=by, surface=surface)

    async def allow(
        self,
        rule: str,
        *,
        scope: Literal["session", "project", "user"] = "session",
        until: int | None = None,
        by: str | None = None,
        surface: str | None = None,
    ) -> GrantId:
        """Allow what ``rule`` covers from now on, to its end (UTC ms) or with its scope. Raises ``OptionError`` for a
        rule that is none, and where nobody keeps one for so long (``Options.keep_grant``); ``SessionClosed``."""
        self._refuse_when_closed()
        return await self._gate.give(granted(rule, scope=scope, by=by, until=until), by=by, surface=surface)

    async def revoke(self, grant_id: GrantId, *, by: str | None = None) -> bool:
        """Take a grant back; False when there is none of that id any more. Raises ``SessionClosed``."""
        self._refuse_when_closed()
        return await self._gate.revoke(grant_id, by=by)

    async def rewind(self, prompt_id: PromptId, *, dry_run: bool = False) -> Rewound:
        """Put back the files that were edited since ``prompt_id``, and delete those that were made; needs
        ``Options.checkpoints``. What a shell command changed stays, and the conversation goes on as it was.

        ``dry_run`` only tells what it would do. Figures are of the rewind: a line that it puts back is an insertion.
        Raises ``RequestFailed`` for a prompt that nothing is kept for, ``LocalProtocolError`` while the
        agent is at work, ``SessionClosed``.
        """
        self._refuse_when_closed()
        if not self.at_rest:
            raise LocalProtocolError("the agent is at work, and changes files: await idle(), then rewind")
        return await rewinding.rewind(self._line, prompt_id, dry_run=dry_run)

    async def compact(
        self, instructions: str = "", *, by: str | None = None, surface: str | None = None
    ) -> PromptHandle:
        """Have the conversation put together in fewer words, after the running turn. Raises as ``prompt``, and
        ``LocalProtocolError`` where prompts are said as they stand (``Options.verbatim_prompts``)."""
        if self._verbatim:
            raise LocalProtocolError("prompts are said as they stand here: the model would only be told /compact")
        return await self.prompt(compacting(instructions), when="queue", by=by, surface=surface)

    async def end(self) -> None:
        """End the session: running work may come to its end for ``grace_s``, then it is stopped. Twice is once."""
        self._closing = True
        await self._line.until(lambda: self.at_rest or bool(self._line.fold.open_asks), within_s=self._grace_s)
        await self.close()

    async def detach(self) -> None:
        """Leave the session, and the CLI as it is: turns run on, asks stay open there, and nothing is written to it.

        What waits here raises ``SessionClosed``. Of use where somebody else keeps the process (``rejoin``); that of
        ``open_session`` ends with its block. Nothing when the process has ended.
        """
        self._closing = True
        await self._line.leave()

    async def checkpoint(self) -> bytes:
        """The session as it is now, for ``keeping.restored``: who comes back to it goes on from here.

        Raises ``LocalProtocolError`` where nobody keeps a recording of it.
        """
        return keep(await self._line.between(), self._line.fold, self._line.past)

    def goes_on(self, past: Past) -> None:
        """Take over from another host, before anything is read: with what it knew, and a handle for each prompt."""
        self.welcome = past.welcome or self.welcome
        self._turn = past.turn.prompt_ids if past.turn is not None else ()
        self._handles.goes_on(self._line.fold.prompts, past.complete)
        self._gate.goes_on(past)
        self._watchdog.goes_on(past)
        self._tools.goes_on(past)
        if self._rearm is not None:
            self._rearm.goes_on(past.approved)

    @property
    def asks(self) -> tuple[PermissionRequest, ...]:
        """What waits for an answer of a person's, the oldest first."""
        return tuple(self._line.fold.open_asks.values())

    def handle(self, prompt_id: PromptId) -> PromptHandle | None:
        """The handle of a prompt on its way, whoever sent it; None when it was settled, or never sent."""
        return self._handles.get(prompt_id)

    async def close(self) -> None:
        """Stop the running turn, let the CLI write its session file, stop whatever it started; in bounded time."""
        await self._close(Ending(cause="ended"))

    async def sleep(self, *, idle_s: float) -> None:
        """End the process of a session at rest, which ``Options.resume`` wakes; ``session_asleep`` tells of it.

        Raises ``LocalProtocolError`` while something runs or is owed, ``SessionClosed``.
        """
        self._refuse_when_closed()
        if not self.at_rest:
            raise LocalProtocolError("the agent is at work: await idle(), then let it sleep")
        await self._close(Slept(idle_s=idle_s))

    async def _close(self, why: Ending | Slept) -> None:
        self._closing = True
        if self._line.left:
            return
        if not self._line.over:
            self._line.note(why)
        at_work = self._line.fold.turn_running or bool(self._handles.open)
        if at_work or not await self._line.until(lambda: self.at_rest, within_s=IDLE_S):
            await self._contained(stopping.interrupt(self._line, self._patience))
        # With its stdin closed the CLI gets no answer from us, and its model goes on without (09_eof_while_asking).
        stopped = await self._line.until(lambda: not self._line.fold.turn_running, within_s=self._patience.signal_s)
        await self._line.close(grace_s=self._grace_s if stopped else 0)

    async def send(self, command: AnyCommand) -> Receipt:
        """As ``Conversation.send``. A cancelled sender undoes nothing; sending the command again tells how it went."""
        task = self._receipts.get(command.command_id)
        if task is None:
            if self._line.over:
                return await carry_out(self, command)
            task = self._tasks.create_task(carry_out(self, command), name=f"bascule {type(command).__name__}")
            self._receipts[command.command_id] = task
            for old in list(self._receipts)[:-RECEIPTS]:
                del self._receipts[old]
        return await asyncio.shield(task)

    async def watch(self) -> None:
        """See to it that the limits are kept, until the process has ended."""
        await self._watchdog.run(self._meant, self.close)

    def listener(self) -> Listener:
        """What the line is to tell this session of."""
        return Listener(
            happened=self._happened,
            requested=self._gate.requested,
            withdrawn=self._gate.withdrawn,
            caught_up=self._look,
            ended=self._ended,
        )

    def _happened(self, event: AnyEvent) -> None:
        self._watchdog.happened(event)
        if event.seq is None:
            return  # most events are deltas, and only the watchdog looks at what passes
        self._gate.happened(event)
        if self._rearm is not None:
            self._rearm.happened(event)
        match event:
            case SessionStatus(cli_version=told) if self.welcome.version is None:
                self.welcome = replace(self.welcome, version=told)
                if not vet_running(self._line, told):
                    self._spawn(self.close(), name="end of a refused version")
            case PermissionResolved(pending_id=ask, outcome="denied_stop") if self._gate.asks.of_agent(ask):
                # In the CLI it ends the subagent alone, and the turn goes on (2.1.332, 2.1.197).
                self._spawn(self.interrupt(), name="deny and stop")
            case TurnStarted(prompt_ids=prompt_ids):
                self._turn = prompt_ids
            case Complete():
                self._turn = ()
                self._handles.turn_ended(event, self._line.fold.prompts, self._watchdog.error(event))

    def _look(self) -> None:
        if self._handles.open:
            self._handles.look(self._line.fold.prompts)

    def _ended(self) -> None:
        self._line.log.info("the session has ended")
        self._gate.ended()
        self._look()
        self._handles.lose(self._watchdog.error() or self._line.loss())
        self._watchdog.ended()

    def _meant(self) -> frozenset[PromptId]:
        """The prompts whose turn an interrupt is meant to stop: of the running one, or the one that is about to run."""
        if not self._line.fold.turn_running:
            return frozenset(self._handles.open[:1])
        states = self._line.fold.prompts
        return frozenset((*self._turn, *(i for i in self._handles.open if states.get(i) is State.RUNNING)))

    def _refuse_when_closed(self) -> None:
        if self._closing or self._line.over:
            raise SessionClosed("the session has ended: open it again with resume")

    def _spawn(self, work: Coroutine[Any, Any, object], *, name: str) -> None:
        self._tasks.create_task(self._contained(work), name=f"bascule {name}")

    async def _contained(self, work: Coroutine[Any, Any, object]) -> None:
        """Work whose failure means only that the CLI is gone, or hangs, which shows elsewhere."""
        try:
            await work
        except (BasculeError, TimeoutError) as exc:
            self._line.log.info("a stop went without the CLI's word: %r", exc)
