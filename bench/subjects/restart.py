"""``restart``: a hub is killed while its sessions go on, and another one takes them over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bascule.events import AnyEvent, MessageChunk, from_json, to_json
from bascule.ids import SessionId
from bascule.recording import Entry, read
from bascule.store.sqlite import open_store
from bascule.transcript.fold import Fold
from bench.subjects.house import House, Hub, allow, until
from bench.subjects.reading import asked
from bench.subjects.run import Stopwatch, main

PACE: Final = "50"
"""Lines in a second of a session, once it has printed its burst."""


async def restart(
    *, folder: str, cli: str, sessions: int, asks: int, plain: str, asking: str, messages: int, burst: int, told: int
) -> dict[str, Any]:
    """Killed once all sessions have printed ``burst`` lines, with ``told`` messages in them, while the others go on at
    a pace. All will have said ``messages`` in the end; of the first ``asks`` sessions each asks after the burst."""
    house = House(folder=folder, cli=cli)
    names = [f"s{number}" for number in range(sessions)]
    env = {"BENCH_PACE": PACE, "BENCH_BURST": str(burst)}
    begin = {name: {**env, "BENCH_LINES": asking if number < asks else plain} for number, name in enumerate(names)}
    async with house.kept():
        async with house.hub(begin) as hub:
            await until(hub, lambda facts: facts["last_seq"] > told)
        watch = Stopwatch()
        async with house.hub({}, lives=names) as hub:
            attached_s = watch.read()["wall_s"]
            answered = await _answered(hub)
            await until(hub, lambda facts: facts["status"] == "idle")
        lost, doubled = await _checked(house, names, messages)
    return {"attached_s": attached_s, "unanswered": asks - answered, "lost": lost, "doubled": doubled}


async def _answered(hub: Hub) -> int:
    """How many asks are open, and take an answer."""
    receipts = [await allow(hub.address, ask) for ask in await asked(hub.address, "GET", "/api/asks")]
    return sum(receipt["receipt"] == "taken" for receipt in receipts)


async def _checked(house: House, names: list[str], messages: int) -> tuple[int, int]:
    """What the store has not of what the CLI said and the recordings tell, and what it has more than once."""
    store = await open_store(house.state / "hub.db")
    lost = doubled = 0
    for name in map(SessionId, names):
        row = await store.session(name)
        assert row is not None
        stored = await store.events(name, limit=await store.last_seq(name))
        told = _told(house.state / "sessions" / name / "recording.jsonl", Fold(name, began_at=row.created_at))
        kept, due = Counter(map(to_json, stored)), Counter(map(_stored, told))
        texts = {event.text.partition(" ")[0] for event in stored if isinstance(event, MessageChunk)}
        lost += (due - kept).total() + messages - len(texts)
        doubled += (kept - due).total()
    await store.close()
    return lost, doubled


def _told(recording: Path, fold: Fold) -> Iterator[AnyEvent]:
    """The events that are numbered, made anew of what was recorded."""
    with recording.open("rb") as file:
        for entry in read(file):
            assert isinstance(entry, Entry)
            yield from (event for event in fold.feed(entry) if event.seq is not None)


def _stored(event: AnyEvent) -> bytes:
    """As the store gives it back: a whole number where the CLI wrote one may have become a fraction."""
    return to_json(from_json(to_json(event)))


if __name__ == "__main__":
    main({"restart": restart})
