"""Many sessions on the fake CLI, while hubs, keepers and CLIs are killed at random; then counts what came of it.

    python -m scripts.soak --sessions 100 --seconds 300 --seed 7

The hub is a process of its own, and this one is its client: it comes back to each hub with the position that it has,
sends what was not answered again, answers each ask twice at once, and in the end compares what it saw with the store
and with the recordings. Exit code 1 where anything was lost, doubled or allowed without cause.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec

from bascule.commands import AllowOnce, Decide, Deny, End, Fresh, HoldQueue, Prompt, Start, hub_command, to_json
from bascule.demo.model import ScriptedModel
from bascule.demo.script import Script, call, say, turn
from bascule.demo.workspace import clean_environment
from bascule.events import (
    AnyEvent,
    Complete,
    Error,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    PolicyDecided,
    SessionEnded,
    TurnStarted,
    from_json,
)
from bascule.events import to_json as event_json
from bascule.hub.hub import open_hub
from bascule.hub.keepers import Keepers
from bascule.hub.settings import Settings
from bascule.ids import CommandId, SessionId
from bascule.recording import Entry, read
from bascule.session.options import Options
from bascule.store.sqlite import open_store
from bascule.testing.fake_cli import install
from bascule.transport.census import MARK
from bascule.transport.keeper import find_keepers

TURNS: Final = 20_000
TURN: Final = turn(call("Bash", command="touch made"), say("Done."))
PATIENCE_S: Final = 120.0
"""For everything to come to rest, once nothing is killed any more."""
LIMIT: Final = 2**26


# The hub, in a process of its own.


async def serve(folder: Path) -> None:
    """A hub that takes commands on stdin, and tells events of all sessions and receipts on stdout."""
    told = json.loads((folder / "told.json").read_text())
    options = Options(cli=told["cli"], env=told["env"], unproven=True, trust="all", stop_git_check=False)
    settings = Settings(options=options, memory_reserve_mb=30, look_every_s=0.5, idle_sleep_s=told["idle_s"])
    store = await open_store(folder / "state" / "hub.db")
    lines = asyncio.StreamReader(limit=LIMIT)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    after = int(await lines.readuntil(b"\n"))
    try:
        keepers = Keepers(store, folder / "state", settings)
        async with open_hub(store, keepers, settings) as hub, asyncio.TaskGroup() as tasks:
            tasks.create_task(_tell(hub.all_events(after)), name="tell")
            while True:
                tasks.create_task(_carry_out(hub, await lines.readuntil(b"\n")), name="command")
    finally:
        await store.close()


async def _tell(events: Any) -> None:
    async for placed in events:
        if placed.position is not None:
            print(f"{placed.position}\t{event_json(placed.event).decode()}", flush=True)


async def _carry_out(hub: Any, line: bytes) -> None:
    command = hub_command(line)
    receipt = await hub.send(command)
    print(f"receipt\t{command.command_id}\t{msgspec.json.encode(receipt).decode()}", flush=True)


# Its client, who kills it.


class Soak:
    """What is sent, what is seen, and what is killed."""

    def __init__(self, folder: Path, sessions: int, seed: int) -> None:
        self.folder = folder
        self.random = random.Random(seed)
        self.names = [f"s{number}" for number in range(sessions)]
        self.counts: Counter[str] = Counter()
        self.seen: defaultdict[str, list[AnyEvent]] = defaultdict(list)
        self.positions: list[int] = []
        self.waiting: dict[CommandId, Any] = {}
        """Commands that have no receipt."""
        self.receipts: dict[CommandId, str] = {}
        self.goes_on = True
        self.memory: list[int] = []
        self.files: list[int] = []
        self._numbers = iter(range(10**9))
        self._hub: asyncio.subprocess.Process | None = None

    def send(self, kind: type[Any], session: str, *, name: str | None = None, **more: Any) -> None:
        """Send a command until it is answered."""
        command_id = CommandId(name or f"{kind.__name__} {next(self._numbers)}")
        if command_id not in self.receipts:
            self.waiting[command_id] = kind(command_id=command_id, session=SessionId(session), **more)
            self._write(self.waiting[command_id])

    def _write(self, command: Any) -> None:
        if self._hub is not None and self._hub.stdin is not None:
            self._hub.stdin.write(to_json(command) + b"\n")

    @asynccontextmanager
    async def hub(self) -> AsyncIterator[asyncio.subprocess.Process]:
        """A hub, killed where the block ends."""
        self._hub = hub = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "scripts.soak", "--hub", str(self.folder), stdin=-1, stdout=-1, limit=LIMIT
        )
        assert hub.stdin is not None
        hub.stdin.write(f"{self.positions[-1] if self.positions else 0}\n".encode())
        for command in self.waiting.values():
            self._write(command)
        try:
            async with asyncio.TaskGroup() as tasks:
                reading = tasks.create_task(self._read(hub), name="read")
                yield hub
                hub.kill()
                reading.cancel()
        finally:
            with suppress(ProcessLookupError):
                hub.kill()
            await hub.wait()
            self._hub = None

    async def _read(self, hub: asyncio.subprocess.Process) -> None:
        assert hub.stdout is not None
        while line := await hub.stdout.readline():
            number, _, rest = line.decode().partition("\t")
            if number == "receipt":
                command_id, _, receipt = rest.partition("\t")
                self._answered(CommandId(command_id), receipt.strip())
            else:
                self.positions.append(int(number))
                event = from_json(rest)
                self.seen[event.session].append(event)
                self._react(event)

    def _answered(self, command_id: CommandId, receipt: str) -> None:
        known = self.receipts.setdefault(command_id, receipt)
        self.counts["receipts that differ"] += known != receipt
        self.waiting.pop(command_id, None)

    def _react(self, event: AnyEvent) -> None:
        session = event.session
        match event:
            case PermissionRequest(pending_id=pending_id):
                self.counts["asks"] += 1
                for name, decision in self.random.sample([("Anna", AllowOnce()), ("Ben", Deny())], 2):
                    self.send(
                        Decide, session, name=f"{name} {pending_id}", pending_id=pending_id, decision=decision, by=name
                    )
            case Complete() if self.goes_on:
                self.send(Prompt, session, text="go", when=self.random.choice(("queue", "steer")))
            case SessionEnded(cause=cause) if cause != "ended":
                self.send(HoldQueue, session, hold=False)
            case Error(kind="resume_failed" | "resume_empty"):
                self.counts["quarantines"] += 1
                self.send(Fresh, session)
                self.send(Prompt, session, text="go on")

    async def through(self, seconds: float) -> None:
        """Sessions at work, and something killed now and then."""
        end = time.monotonic() + seconds
        for name in self.names:
            self.send(Start, name, name=f"start {name}", cwd=str(self.folder / "work"), prompt="go")
        while time.monotonic() < end:
            async with self.hub() as hub:
                await asyncio.sleep(self.random.uniform(1.0, 4.0))
                for _ in range(self.random.randint(0, 2)):
                    self._kill_one()
                    await asyncio.sleep(self.random.uniform(0.0, 1.0))
                self._measure(hub.pid)
            self.counts["hubs killed"] += 1
        self.goes_on = False
        async with self.hub() as hub:
            await self._rest()
            self._measure(hub.pid)
            for name in self.names:
                self.send(End, name)
            await self._until(lambda: not self.waiting)

    def _kill_one(self) -> None:
        living = find_keepers(self.folder / "state").living
        if not living:
            return
        keeper = self.random.choice(living)
        what, pid = self.random.choice((("keepers killed", keeper.pid), ("CLIs killed", keeper.cli)))
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            self.counts[what] += 1

    def _measure(self, pid: int) -> None:
        with suppress(OSError):
            self.files.append(len(list(Path(f"/proc/{pid}/fd").iterdir())))
            status = Path(f"/proc/{pid}/status").read_text()
            self.memory.append(next(int(row.split()[1]) for row in status.splitlines() if row.startswith("VmRSS")))

    async def _rest(self) -> None:
        """Returns when every prompt was said and every turn has ended."""
        quiet = 0
        before = -1
        deadline = time.monotonic() + PATIENCE_S
        while quiet < 8 and time.monotonic() < deadline:
            await asyncio.sleep(0.5)
            still = len(self.positions) == before and not self.waiting and not self._running()
            quiet, before = quiet + 1 if still else 0, len(self.positions)

    def _running(self) -> bool:
        return any(_count(events, TurnStarted) != _count(events, Complete) for events in self.seen.values())

    async def _until(self, happened: Any) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                while not happened():  # noqa: ASYNC110
                    await asyncio.sleep(0.05)

    # What came of it.

    async def judged(self) -> dict[str, int]:
        """The counts, of which those of ``WRONG`` must be 0."""
        store = await open_store(self.folder / "state" / "hub.db")
        try:
            for name in self.names:
                await self._compare(name, await self._stored(store, SessionId(name)))
                self._look_at_recording(name)
        finally:
            await store.close()
        self.counts["positions out of order"] = sum(a >= b for a, b in pairwise(self.positions))
        self.counts["commands without receipt"] = len(self.waiting)
        self.counts["processes left over"] = self._left_over()
        return dict(self.counts)

    async def _stored(self, store: Any, session: SessionId) -> list[AnyEvent]:
        events: list[AnyEvent] = []
        while page := await store.events(session, after=len(events)):
            events += page
        return events

    async def _compare(self, name: str, stored: list[AnyEvent]) -> None:
        seen = Counter(event.seq for event in self.seen[name])
        self.counts["sessions"] += 1
        self.counts["events"] += len(stored)
        self.counts["turns"] += _count(stored, Complete)
        self.counts["events lost"] += sum(event.seq not in seen for event in stored)
        self.counts["events doubled"] += sum(seen.values()) - len(seen)
        self.counts["events renumbered"] += [event.seq for event in stored] != list(range(1, len(stored) + 1))
        if _count(stored, TurnStarted) != _count(stored, Complete):
            self.counts["turns without an end"] += 1
            print(name, *map(event_json, stored[-12:]), sep="\n", file=sys.stderr)
        self._compare_asks(stored)

    def _compare_asks(self, stored: list[AnyEvent]) -> None:
        ends = Counter(
            event.pending_id for event in stored if isinstance(event, PermissionResolved | PermissionCancelled)
        )
        asked = [event.pending_id for event in stored if isinstance(event, PermissionRequest)]
        self.counts["asks lost"] += sum(ends[pending_id] == 0 for pending_id in asked)
        self.counts["asks ended twice"] += sum(ends[pending_id] > 1 for pending_id in asked)
        for event in stored:
            match event:
                case PermissionResolved(outcome="allowed", by=by) if by != "Anna":
                    self.counts["allowed without cause"] += 1
                case PermissionResolved(outcome="allowed", pending_id=pending_id):
                    won = '"taken"' in self.receipts.get(CommandId(f"Anna {pending_id}"), "")
                    self.counts["allowed without cause"] += not won
                case PolicyDecided(verdict="allow"):
                    self.counts["allowed without cause"] += 1

    def _look_at_recording(self, name: str) -> None:
        answers: Counter[str] = Counter()
        prompts: Counter[str] = Counter()
        for process in _processes(self.folder / "state" / "sessions" / name / "recording.jsonl"):
            answers = Counter()
            for message in process:
                if message.get("type") == "control_response":
                    answers[message["response"]["request_id"]] += 1
                elif message.get("type") == "user":
                    prompts[message["uuid"]] += 1
            self.counts["answers doubled"] += sum(count - 1 for count in answers.values())
        self.counts["prompts said"] += len(prompts)
        self.counts["prompts said twice"] += sum(count - 1 for count in prompts.values())

    def _left_over(self) -> int:
        found = find_keepers(self.folder / "state")
        marks = {f"{MARK}={one.mark}".encode() for one in (*found.living, *found.dead)}
        left = 0
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                left += entry.name.isdecimal() and not marks.isdisjoint((entry / "environ").read_bytes().split(b"\0"))
        return left + len(found.living)


WRONG: Final = (
    "events lost", "events doubled", "events renumbered", "turns without an end", "asks lost", "asks ended twice",
    "answers doubled", "prompts said twice", "allowed without cause", "receipts that differ", "positions out of order",
    "commands without receipt", "processes left over",
)  # fmt: skip


def _count(events: list[AnyEvent], kind: type[AnyEvent]) -> int:
    return sum(isinstance(event, kind) for event in events)


def _processes(path: Path) -> Iterator[list[dict[str, Any]]]:
    """What was said to each process in turn."""
    said: list[dict[str, Any]] = []
    with path.open("rb") as file:
        for entry in read(file):
            if isinstance(entry, Entry) and entry.dir == "argv":
                yield said
                said = []
            elif isinstance(entry, Entry) and entry.dir == "in":
                said.append(json.loads(entry.line))
    yield said


async def soak(sessions: int, seconds: float, seed: int) -> tuple[dict[str, int], Soak]:
    """The counts of one soak, and what it saw."""
    with tempfile.TemporaryDirectory(prefix="bascule-soak-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        for needed in ("work", "home", "bin"):
            (folder / needed).mkdir()
        with ScriptedModel(Script(*[TURN] * TURNS)) as model:
            env = clean_environment(model.url, folder / "home")
            told = {"cli": str(install(folder / "bin")), "env": env, "idle_s": 3.0}
            (folder / "told.json").write_text(json.dumps(told))
            soaking = Soak(folder, sessions, seed)
            await soaking.through(seconds)
            return await soaking.judged(), soaking


def main() -> int:
    """Print the counts; 1 where one is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hub", metavar="FOLDER", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.hub:
        asyncio.run(serve(Path(args.hub)))
        return 0
    counts, soaking = asyncio.run(soak(args.sessions, args.seconds, args.seed))
    for name in sorted(counts, key=lambda name: (name in WRONG, name)):
        print(f"{counts[name]:>8}  {name}{'  <-- must be 0' if name in WRONG and counts[name] else ''}")
    for what, figures in (("open files", soaking.files), ("KB resident", soaking.memory)):
        print(f"{what} of the first hub and of the last: {figures[0]}, {figures[-1]}")
    return int(any(counts.get(name, 0) for name in WRONG))


if __name__ == "__main__":
    sys.exit(main())
