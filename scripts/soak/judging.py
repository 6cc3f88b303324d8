"""What came of it: what the client saw beside what is stored, and that beside the recordings folded anew."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from bascule.events import (
    AnyEvent,
    Complete,
    PermissionCancelled,
    PermissionRequest,
    PermissionResolved,
    PolicyDecided,
    TurnStarted,
    from_json,
    to_json,
)
from bascule.ids import SessionId
from bascule.recording import Entry, read
from bascule.store.rows import SessionRow
from bascule.store.sqlite import open_store
from bascule.store.store import Store
from bascule.transcript.fold import Fold
from scripts.soak.client import Client, count

WRONG: Final = (
    "events lost", "events doubled", "events renumbered", "events not as recorded", "turns without an end", "asks lost",
    "asks ended twice", "answers doubled", "prompts lost", "prompts said twice", "allowed without cause",
    "receipts that differ", "positions out of order", "commands without receipt", "second hubs that were let in",
    "hubs that died by themselves", "bugs told of in the log", "processes left over", "file descriptors kept",
    "memory kept",
)  # fmt: skip
"""What must be 0."""
SHOWN: Final = 3
"""Events of a kind that are printed where something is wrong."""


async def judged(client: Client) -> Counter[str]:
    """The counts, of which those of ``WRONG`` must be 0."""
    counts = client.counts
    store = await open_store(client.house.state / "hub.db")
    try:
        for row in await store.sessions(archived=True):
            await _judge(client, store, row)
    finally:
        await store.close()
    counts.update(client.house.faults())
    counts["positions out of order"] = sum(a >= b for a, b in pairwise(client.positions))
    counts["commands without receipt"] = len(client.waiting)
    counts["processes left over"] = len(client.house.left_over())
    counts["bugs told of in the log"] = _bugs(client.house.folder / "hub.log")
    return counts


async def _judge(client: Client, store: Store, row: SessionRow) -> None:
    counts = client.counts
    stored = await store.events(row.id, limit=max(1, await store.last_seq(row.id)))
    counts["sessions"] += 1
    counts["events"] += len(stored)
    counts["turns"] += (turns := count(list(stored), Complete))
    counts["turns on the real CLI"] += turns if row.id in client.house.real else 0
    compare(client, row.id, list(stored))
    recording = Recording(client.house.recording(row.id))
    queued = {str(waits.prompt.prompt_id) for waits in await store.queue(row.id)}
    counts["prompts said"] += len(recording.prompts)
    counts["prompts said twice"] += sum(times - 1 for times in recording.prompts.values())
    counts["answers doubled"] += recording.answered_twice
    if recording.tells_loss:
        counts["sessions whose recording tells of a loss"] += 1
        return
    if row.id not in client.full:
        lost = _taken(client, row.id) - recording.prompts.keys() - queued
        counts["prompts lost"] += len(lost)
        if lost:
            print(f"{row.id}: neither said nor waiting: {lost}", *map(to_json, stored[-12:]), sep="\n", file=sys.stderr)
    refold(client, row, recording, list(stored))


def compare(client: Client, name: str, stored: list[AnyEvent]) -> None:
    """What the client saw of a session with what is stored of it."""
    counts = client.counts
    seen = Counter(event.seq for event in client.seen[name])
    lost = [event.seq for event in stored if event.seq not in seen]
    doubled = [seq for seq, times in seen.items() for _ in range(times - 1)]
    counts["events lost"] += len(lost)
    counts["events doubled"] += len(doubled)
    if lost or doubled:
        print(f"{name}: not seen {lost}, seen again {doubled}, of {len(stored)}", file=sys.stderr)
    counts["events renumbered"] += [event.seq for event in stored] != list(range(1, len(stored) + 1))
    if count(stored, TurnStarted) != count(stored, Complete):
        counts["turns without an end"] += 1
        print(name, *map(to_json, stored[-12:]), sep="\n", file=sys.stderr)
    _compare_asks(client, name, stored)


def _compare_asks(client: Client, name: str, stored: list[AnyEvent]) -> None:
    counts = client.counts
    ends = Counter(event.pending_id for event in stored if isinstance(event, PermissionResolved | PermissionCancelled))
    asked = [event.pending_id for event in stored if isinstance(event, PermissionRequest)]
    counts["asks lost"] += sum(ends[pending_id] == 0 for pending_id in asked)
    counts["asks ended twice"] += sum(ends[pending_id] > asked.count(pending_id) for pending_id in set(asked))
    for event in stored:
        match event:
            case PermissionResolved(outcome="allowed", by=by, pending_id=pending_id):
                counts["allowed without cause"] += by != "Anna" or not _won(client, f"Anna {name} {pending_id}")
            case PolicyDecided(verdict="allow"):
                counts["allowed without cause"] += 1


def _won(client: Client, command: str) -> bool:
    """Whether that command, or one that repeats it, was told that it was taken."""
    receipts = (receipt for known, receipt in client.receipts.items() if f"{known} ".startswith(f"{command} "))
    return any('"taken"' in receipt for receipt in receipts)


def _taken(client: Client, session: SessionId) -> set[str]:
    """The prompts of a session that its client was promised."""
    told = (json.loads(client.receipts[one]) for one in client.prompts[session] if one in client.receipts)
    return {receipt["prompt_id"] for receipt in told if receipt["receipt"] == "taken" and receipt.get("prompt_id")}


class Recording:
    """What one tells beside events."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.prompts: Counter[str] = Counter()
        self.answered_twice = 0
        self.tells_loss = False
        answers: Counter[str] = Counter()
        for entry in self.entries():
            if entry.dir == "argv":
                answers = Counter()
            elif entry.dir == "note":
                self.tells_loss = self.tells_loss or '"kind":"recording"' in entry.line.replace(" ", "")
            elif entry.dir == "in":
                self._said(json.loads(entry.line), answers)

    def _said(self, message: dict[str, Any], answers: Counter[str]) -> None:
        if message.get("type") == "user":
            self.prompts[message["uuid"]] += 1
        elif message.get("type") == "control_response":
            request = message["response"]["request_id"]
            self.answered_twice += answers[request] > 0
            answers[request] += 1

    def entries(self) -> Iterator[Entry]:
        """All that can be read."""
        if self._path.exists():
            with self._path.open("rb") as file:
                yield from (entry for entry in read(file) if isinstance(entry, Entry))


def refold(client: Client, row: SessionRow, recording: Recording, stored: list[AnyEvent]) -> None:
    """The same events are made of the recording: so a loss is seen that left no gap in the numbers."""
    fold = Fold(row.id, began_at=row.created_at)
    told = [event for entry in recording.entries() for event in fold.feed(entry) if event.seq is not None]
    due, kept = Counter(to_json(from_json(to_json(event))) for event in told), Counter(map(to_json, stored))
    differ = max((due - kept).total(), (kept - due).total())
    if differ and row.id in client.full:
        client.counts["sessions whose keeper died while its disk was full"] += 1
        return
    client.counts["events not as recorded"] += differ
    for what, which in (("not stored", due - kept), ("not recorded", kept - due)):
        for event in list(which)[:SHOWN]:
            print(row.id, what, event, file=sys.stderr)


def _bugs(log: Path) -> int:
    return sum("Traceback" in line for line in log.read_text().splitlines()) if log.exists() else 0
