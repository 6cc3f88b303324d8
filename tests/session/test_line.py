"""What was read at once: which of its events are stored and told together, and which each at its place."""

import asyncio
import io
import json
from collections.abc import Sequence
from typing import Any

import pytest

from bascule.events import AnyEvent
from bascule.hub.recorded import AtRest
from bascule.ids import SessionId
from bascule.recording import Entry, encode
from bascule.session.journal import Journal
from bascule.session.line import AT_ONCE, TELLING, Line, Listener
from bascule.transcript.fold import Fold
from tests.transport.programs import steps
from tests.wire.recorded import scenario

S = SessionId("s")
SCENARIOS = ["2.1.332/05_parallel_tools", "2.1.332/15_bg_agent"]


class Counted(Journal):
    """Remembers what was stored and told at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.stored: list[tuple[int, ...]] = []
        self.published: list[int] = []

    async def store(self, events: Sequence[AnyEvent], *, line: int) -> None:
        await super().store(events, line=line)
        assert line == events[-1].line
        self.stored.append(tuple(event.line for event in events))

    def publish(self, events: Sequence[AnyEvent], *, chars: int = 0) -> None:
        super().publish(events, chars=chars)
        self.published.append(len(events))


def recorded(name: str) -> list[Entry]:
    return [Entry(float(number), "out", line) for number, line in enumerate(scenario(name, "out"))]


def one_by_one(entries: list[Entry]) -> tuple[list[AnyEvent], dict[int, int]]:
    """The events as each line makes them, and the number of the newest after each line."""
    fold, events, last = Fold(S), [], {}
    for number, entry in enumerate(entries, 1):
        events += fold.feed(entry)
        last[number] = fold.last_seq
    return [*events, *fold.end()], last


async def heard(entries: list[Entry], journal: Counted, happened: Any) -> Line:
    """A line that read all of it at once."""
    line = Line(AtRest(io.BytesIO(b"".join(map(encode, entries))), 0), Fold(S), S, journal=journal)
    nothing: Any = lambda *_: None  # noqa: E731
    await line.listen(
        Listener(
            happened=lambda event: happened(line, event),
            requested=nothing,
            withdrawn=nothing,
            caught_up=nothing,
            ended=nothing,
        )
    )
    return line


@pytest.mark.parametrize("name", SCENARIOS)
async def test_lines_that_only_tell_are_stored_together_and_told_in_order(name: str) -> None:
    entries, journal, told = recorded(name), Counted(), []
    await heard(entries, journal, lambda _, event: told.append(event))
    events, _ = one_by_one(entries)
    assert told == events
    assert len(journal.stored) < len({event.line for event in events if event.seq is not None})
    assert max(map(len, journal.stored)) <= AT_ONCE


@pytest.mark.parametrize("name", SCENARIOS)
async def test_an_event_that_is_acted_on_is_told_when_the_fold_stands_at_its_line(name: str) -> None:
    entries = recorded(name)
    _, last = one_by_one(entries)
    acted_on = []

    def happened(line: Line, event: AnyEvent) -> None:
        if type(event) not in TELLING and (event.seq or 0) <= last[event.line]:  # not of the end, which no line makes
            acted_on.append(event)
            assert line.fold.last_seq == last[event.line]

    await heard(entries, Counted(), happened)
    assert acted_on


async def test_very_many_lines_do_not_wait_for_each_other() -> None:
    piece = next(line for line in scenario(SCENARIOS[0], "out") if '"text_delta"' in line)
    lines = [Entry(0.0, "out", piece)] * (3 * AT_ONCE)
    published = Counted()
    await heard(lines, published, lambda *_: None)
    assert max(published.published) == AT_ONCE
    assert sum(published.published) == len(one_by_one(lines)[0])


class OneByOne(AtRest):
    """Gives one entry at a time, and never lets anybody else come first."""

    def __init__(self, entries: list[Entry]) -> None:
        super().__init__(io.BytesIO(), 0)
        self._entries = entries

    async def read(self) -> tuple[Entry, ...]:
        self.line += 1
        return tuple(self._entries[self.line - 1 : self.line])


class Held(Counted):
    """Stores nothing before it may."""

    def __init__(self) -> None:
        super().__init__()
        self.waits, self.may = asyncio.Event(), asyncio.Event()

    async def store(self, events: Sequence[AnyEvent], *, line: int) -> None:
        self.waits.set()
        await self.may.wait()
        await super().store(events, line=line)


async def test_a_checkpoint_counts_no_line_that_was_read_and_not_yet_folded() -> None:
    whole = next(line for line in scenario(SCENARIOS[0], "out") if '"assistant"' in line and '"type":"text"' in line)
    name = json.loads(whole)["message"]["id"]
    pipe = OneByOne([Entry(0.0, "out", whole.replace(name, f"msg_{number}")) for number in range(3)])
    journal = Held()
    line = Line(pipe, Fold(S), S, journal=journal)
    nothing: Any = lambda *_: None  # noqa: E731

    async def checkpoint() -> tuple[int, int]:
        return await line.between(), journal.stored[-1][-1]

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(line.listen(Listener(nothing, nothing, nothing, nothing, nothing)), name="listens")
        await journal.waits.wait()
        asked = tasks.create_task(checkpoint(), name="keeps")
        await steps(1)
        journal.may.set()
    at, folded = asked.result()
    assert (at, folded) == (1, 1)
