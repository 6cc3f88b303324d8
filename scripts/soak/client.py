"""Who uses the hub, and outlives it: sends each command until it has a receipt, keeps sessions at work, answers asks.

To every hub he comes back with the position that he has. Each ask is answered twice at once, by Anna, who allows, and
by Ben, who denies; some are answered too late, by Cleo, who must never get through.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from bascule.commands import AllowOnce, Decide, Deny, End, Fresh, HoldQueue, Interrupt, Prompt, Start, to_json
from bascule.events import (
    AnyEvent,
    Complete,
    Error,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    SessionEnded,
    TurnStarted,
    from_json,
)
from bascule.ids import CommandId, PendingId, SessionId
from bench.subjects.reading import Address
from scripts.soak.house import House
from scripts.soak.served import LIMIT

PATIENCE_S: Final = 150.0
"""For everything to come to rest, once nothing is done to it any more."""
LOOK_S: Final = 0.2
ASK_AGAIN_S: Final = 6.0
"""After which an ask that nobody could answer is answered again, with new commands."""
STUCK_S: Final = 15.0
"""After which a session that says nothing is ended by its user."""
QUIET: Final = 15
"""Looks at which nothing happened: then all is at rest."""
INTERRUPTS: Final = 0.1
LATE: Final = 0.2
"""Parts of the asks that are interrupted, and that are answered too late."""


class Hub(NamedTuple):
    """One that runs."""

    pid: int
    address: Address
    gone: asyncio.Event


class Client:
    """What is sent and what is seen. ``at_work``: how many sessions have a turn at once."""

    def __init__(self, house: House, *, seed: int, at_work: int) -> None:
        self.house = house
        self.random = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.seen: defaultdict[str, list[AnyEvent]] = defaultdict(list)
        self.positions: list[int] = []
        self.waiting: dict[CommandId, Any] = {}
        """Commands that have no receipt."""
        self.receipts: dict[CommandId, str] = {}
        self.prompts: defaultdict[str, list[CommandId]] = defaultdict(list)
        """By session: the commands that said something."""
        self.goes_on = True
        self.full: set[str] = set()
        """Sessions whose keeper found no room on the disk, and may have died before it could tell so."""
        self._at_work = at_work
        self._started: set[str] = set()
        self._busy: dict[str, float] = {}
        """Sessions that have something to do, and when anything was heard of each."""
        self._asks: dict[str, set[PendingId]] = defaultdict(set)
        self._again: list[CommandId] = []
        """Commands that the hub could not carry out just then."""
        self._ids = iter(range(10**9))
        self._process: asyncio.subprocess.Process | None = None

    @property
    def names(self) -> list[str]:
        """Of all sessions."""
        return [*self.house.names, *self.house.real]

    # The hub, and what is said to it.

    def send(self, kind: type[Any], session: str, *, name: str = "", **more: Any) -> None:
        """Send a command until it is answered."""
        command_id = CommandId(name or f"{kind.__name__} {next(self._ids)}")
        if kind in (Start, Prompt):
            self.prompts[session].append(command_id)
        if command_id not in self.receipts:
            self.waiting[command_id] = kind(command_id=command_id, session=SessionId(session), **more)
            self._write(self.waiting[command_id])

    def _write(self, command: Any) -> None:
        process = self._process
        if process is not None and process.stdin is not None and process.returncode is None:
            process.stdin.write(to_json(command) + b"\n")

    @asynccontextmanager
    async def hub(self) -> AsyncIterator[Hub]:
        """A hub, killed where the block ends."""
        process = await asyncio.create_subprocess_exec(*self.command, stdin=-1, stdout=-1, limit=LIMIT, env=self.env)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{self.positions[-1] if self.positions else 0}\n".encode())
        _, port, token = (await process.stdout.readline()).decode().strip().split("\t")
        self._process = process
        for command in self.waiting.values():
            self._write(command)
        hub = Hub(process.pid, Address(int(port), token), asyncio.Event())
        try:
            async with asyncio.TaskGroup() as tasks:
                work = [tasks.create_task(self._read(process.stdout, hub.gone)), tasks.create_task(self._look_after())]
                yield hub
                self.counts["hubs that died by themselves"] += hub.gone.is_set()
                for task in work:
                    task.cancel()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            self._process = None
            await process.wait()

    @property
    def command(self) -> list[str]:
        """What starts a hub."""
        return [sys.executable, "-m", "scripts.soak.served", str(self.house.folder)]

    @property
    def env(self) -> dict[str, str]:
        """What it is started with: nothing of it touches what its user has."""
        return {**os.environ, "XDG_STATE_HOME": str(self.house.folder / "home")}

    async def _read(self, lines: asyncio.StreamReader, gone: asyncio.Event) -> None:
        while line := await lines.readline():
            if not line.endswith(b"\n"):
                break
            first, _, rest = line.decode().partition("\t")
            command_id, _, told = rest.partition("\t")
            if first == "receipt":
                self._answered(CommandId(command_id), told.strip())
            elif first == "failed":
                self.counts["commands that waited for the store"] += 1
                self._again.append(CommandId(command_id))
            else:
                self.positions.append(int(first))
                event = from_json(rest)
                self.seen[event.session].append(event)
                self._react(event)
        gone.set()

    def _answered(self, command_id: CommandId, receipt: str) -> None:
        known = self.receipts.setdefault(command_id, receipt)
        self.counts["receipts that differ"] += known != receipt
        command = self.waiting.pop(command_id, None)
        if isinstance(command, End):
            self._busy.pop(command.session, None)
        if isinstance(command, Start | Prompt) and '"taken"' not in receipt:
            self._busy.pop(command.session, None)

    # What is done with what it says.

    def _react(self, event: AnyEvent) -> None:
        session = event.session
        if session in self._busy:
            self._busy[session] = time.monotonic()
        match event:
            case PermissionRequest(pending_id=pending_id):
                self.counts["asks"] += 1
                self._asks[session].add(pending_id)
                self._asked(session, pending_id)
            case PermissionResolved(pending_id=pending_id) | PermissionCancelled(pending_id=pending_id):
                self._asks[session].discard(pending_id)
                if self.random.random() < LATE:
                    self.counts["answers after the end of an ask"] += 1
                    self._decide(session, pending_id, "Cleo")
            case Complete() | SessionEnded():
                self._busy.pop(session, None)
            case Error(kind="start_failed"):
                self.counts["starts that were refused or failed"] += 1
                self._busy.pop(session, None)
            case Error(kind="resume_failed" | "resume_empty"):
                self.counts["quarantines"] += 1
                self.send(Fresh, session)
                self._busy.pop(session, None)

    def _asked(self, session: str, pending_id: PendingId) -> None:
        if self.goes_on and self.random.random() < INTERRUPTS:
            self.counts["turns interrupted in an ask"] += 1
            self.send(Interrupt, session)
            return
        self.counts["asks answered by two at once"] += 1
        for by in self.random.sample(("Anna", "Ben"), 2):
            self._decide(session, pending_id, by)

    def _decide(self, session: str, pending_id: PendingId, by: str, *, again: str = "") -> None:
        decision = Deny() if by == "Ben" else AllowOnce()
        self.send(
            Decide, session, name=f"{by} {session} {pending_id}{again}", pending_id=pending_id, decision=decision, by=by
        )

    async def _look_after(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            for command in [self.waiting[one] for one in self._again if one in self.waiting]:
                self._write(command)
            self._again.clear()
            if self.goes_on:
                self._give_work()
            for session, heard in list(self._busy.items()):
                self._mind(session, time.monotonic() - heard)

    def _give_work(self) -> None:
        resting = [name for name in self.names if name not in self._busy]
        idle = [name for name in resting if name not in self._started] or resting
        free = self._at_work - len(self._busy)
        for name in self.random.sample(idle, max(0, min(free, len(idle)))):
            self._busy[name] = time.monotonic()
            if name not in self._started:
                self._started.add(name)
                self.send(Start, name, cwd=str(self.house.work), options=self.house.options_of(name), prompt="go")
            else:
                self.send(HoldQueue, name, hold=False)
                self.send(Prompt, name, text="go", when=self.random.choice(("queue", "steer")))

    def _mind(self, session: str, silent_s: float) -> None:
        """What a person does whose session says nothing."""
        if self._asks[session] and silent_s > ASK_AGAIN_S and silent_s < STUCK_S:
            for pending_id in self._asks[session]:
                self._decide(session, pending_id, "Anna", again=f" {next(self._ids)}")
            self._busy[session] -= ASK_AGAIN_S  # the next look is that at a stuck one
        elif silent_s > STUCK_S:
            self.counts["silent sessions ended by their user"] += 1
            self._busy[session] = time.monotonic() + STUCK_S
            self.send(End, session)

    # Rest.

    async def rest(self) -> None:
        """Returns when every prompt was said and every turn has ended."""
        quiet, before = 0, -1
        deadline = time.monotonic() + PATIENCE_S
        while quiet < QUIET and time.monotonic() < deadline:
            await asyncio.sleep(LOOK_S)
            still = len(self.positions) == before and not self.waiting and not self._running()
            quiet, before = quiet + 1 if still else 0, len(self.positions)

    def _running(self) -> bool:
        running = [name for name, events in self.seen.items() if count(events, TurnStarted) != count(events, Complete)]
        for name in running:
            self._busy.setdefault(name, time.monotonic())
        return bool(running)

    async def until(self, happened: Callable[[], bool]) -> None:
        """Returns when it has, or will not."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                while not happened():  # noqa: ASYNC110
                    await asyncio.sleep(LOOK_S)

    async def end_all(self) -> None:
        """End every session."""
        for name in self._started:
            self.send(End, name)
        await self.until(lambda: not self.waiting)


def count(events: list[AnyEvent], kind: type[AnyEvent]) -> int:
    """How many are of that kind."""
    return sum(isinstance(event, kind) for event in events)


class Held(NamedTuple):
    """What a process holds."""

    files: int
    kb: int


def held(pid: int) -> Held:
    """Of the process ``pid``, now."""
    files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    status = Path(f"/proc/{pid}/status").read_text()
    return Held(files, int(status.partition("VmRSS:")[2].split()[0]))
