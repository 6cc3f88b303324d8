"""What waits for one reader, for any order of events and any pace."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from bascule.conversation import Placed
from bascule.events import (
    AnyEvent,
    Complete,
    MessageChunk,
    Notice,
    QueueChanged,
    Reasoning,
    TaskEnded,
    TaskProgress,
    ToolUpdate,
    is_passing,
)
from bascule.ids import SessionId
from bascule.payload import Misc
from bascule.web.frames import Written
from bascule.web.outgoing import FRAME_BYTES, ROOM_BYTES, ROOM_EVENTS, Outgoing

FRAME_S = 1 / 30


def outgoing(*, all_sessions: bool = False) -> Outgoing:
    return Outgoing(Written(), frame_s=FRAME_S, all_sessions=all_sessions)


def taken(out: Outgoing) -> list[Any]:
    """All that can be sent now."""
    found: list[Any] = []
    while not out.is_empty:
        frame = json.loads(out.take())
        found += frame["events"] if frame["type"] == "events" else frame["placed"]
    return found


def delta(text: str, item: str = "m", **more: Any) -> MessageChunk:
    return MessageChunk(item=item, text=text, partial=True, after=more.pop("after", 0), **more)


def lasting(seq: int, event: AnyEvent | None = None) -> AnyEvent:
    return replace(event or Notice(level="info", text="n"), seq=seq)


def test_a_first_delta_goes_at_once_and_the_next_ones_together() -> None:
    out = outgoing()
    for n, text in enumerate("abcd"):
        out.put(delta(text), n * 0.001)
    assert [event["text"] for event in taken(out)] == ["a"]
    assert out.due() == FRAME_S
    out.release(FRAME_S - 0.001)
    assert out.is_empty
    out.release(FRAME_S)
    assert [event["text"] for event in taken(out)] == ["bcd"]
    assert (out.due(), out.is_done) == (None, True)


def test_the_whole_makes_what_is_held_needless() -> None:
    out = outgoing()
    out.put(delta("a"), 0)
    out.put(delta("b"), 0)
    out.put(Reasoning(item="r", reasoning_text="x", partial=True, after=0), 0)
    out.put(Reasoning(item="r", reasoning_text="y", partial=True, after=0), 0)
    out.put(lasting(1, MessageChunk(item="m", text="ab")), 0)
    out.release(1)
    assert [(event["type"], event.get("text", event.get("reasoning_text"))) for event in taken(out)] == [
        ("message_chunk", "a"),
        ("reasoning", "x"),
        ("message_chunk", "ab"),
        ("reasoning", "y"),
    ]


def test_a_held_delta_says_what_it_stands_behind() -> None:
    out = outgoing()
    out.put(delta("a", after=4), 0)
    out.put(delta("b", after=4), 0)
    out.put(lasting(5), 0)
    out.release(1)
    assert [(event["seq"], event["after"]) for event in taken(out)] == [(None, 4), (5, None), (None, 5)]


def test_of_a_progress_the_newest_is_told_and_none_after_the_end() -> None:
    out = outgoing()
    progress = TaskProgress(task_id="t", kind="k", title="1", after=0)
    for title in "123":
        out.put(replace(progress, title=title), 0)
    running = ToolUpdate(tool_call_id="c", tool_status="running", normalized=Misc(label="x"), after=0)
    out.put(running, 0)
    out.put(replace(running, elapsed_s=9.0), 0)
    for queued in (1, 2, 3):
        out.put(QueueChanged(queued=queued, held=False, after=0), 0)
    out.release(1)
    told = taken(out)
    assert [event["title"] for event in told if event["type"] == "task_progress"] == ["1", "3"]
    assert [event["elapsed_s"] for event in told if event["type"] == "tool_update"] == [None, 9.0]
    assert [event["queued"] for event in told if event["type"] == "queue_changed"] == [1, 3]
    out.put(progress, 2)
    out.put(progress, 2)
    out.put(lasting(1, TaskEnded(task_id="t", kind="k", title="1")), 2)
    out.release(9)
    assert [event["type"] for event in taken(out)] == ["task_progress", "task_ended"]


def test_it_is_full_by_number_or_by_size_until_some_is_taken() -> None:
    many, large = outgoing(), outgoing()
    full = []
    for seq in range(ROOM_EVENTS):
        many.put(lasting(seq + 1), 0)
        full.append(many.is_full)
    many.take()
    assert [*full, many.is_full] == [False] * (ROOM_EVENTS - 1) + [True, False]
    large.put(lasting(1, Notice(level="info", text="x" * ROOM_BYTES)), 0)
    full = [large.is_full]
    assert len(large.take()) > FRAME_BYTES
    assert [*full, large.is_full] == [True, False]


def test_positions_stand_beside_events_of_all_sessions() -> None:
    out = outgoing(all_sessions=True)
    out.put(Placed(7, lasting(1)), 0)
    out.put(Placed(None, delta("a")), 0)
    assert [(each["position"], each["event"]["type"]) for each in taken(out)] == [
        (7, "notice"),
        (None, "message_chunk"),
    ]


def test_readers_share_what_was_written_and_it_is_bounded() -> None:
    written = Written(limit_bytes=1_000)
    events = [lasting(seq) for seq in range(1, 50)]
    first = [written.json(event) for event in events]
    assert written.json(events[-1]) is first[-1]
    assert written.json(events[0]) is not first[0]
    assert written.json(events[0]) == first[0]


STEPS = st.sampled_from(["delta m", "delta n", "whole m", "notice", "complete", "wait", "take"])


class Told:
    """What was put for a reader, and what he got."""

    def __init__(self) -> None:
        self.out = outgoing(all_sessions=True)
        self.now = 0.0
        self.put: list[AnyEvent] = []
        self.got: list[Any] = []
        self._seqs = {"x": 0, "y": 0}

    def step(self, step: str, name: str) -> None:
        if step == "wait":
            self.now += 0.02
            self.out.release(self.now)
        elif step == "take":
            self.got += [each["event"] for each in taken(self.out)]
        else:
            self._happen(self._event(step, SessionId(name)))

    def _event(self, step: str, session: SessionId) -> AnyEvent:
        match step.split():
            case ["delta", item]:
                return delta(f"{len(self.put)},", item, session=session, after=self._seqs[session])
            case ["whole", item]:
                return MessageChunk(item=item, text="whole", session=session)
            case ["complete"]:
                return Complete(outcome="success", session=session)
        return Notice(level="info", text="n", session=session)

    def _happen(self, event: AnyEvent) -> None:
        if not is_passing(event):
            self._seqs[event.session] += 1
            event = lasting(self._seqs[event.session], event)
        self.put.append(event)
        self.out.put(Placed(len(self.put) if event.seq else None, event), self.now)


@given(st.lists(st.tuples(STEPS, st.sampled_from("xy")), max_size=60))
def test_whatever_comes_lasting_events_stay_whole_and_in_order(steps: list[tuple[str, str]]) -> None:
    """And of an item's text nothing is lost or doubled before its whole."""
    told = Told()
    for step, name in steps:
        told.step(step, name)
    told.out.release(told.now + 1)
    told.step("take", "x")
    assert told.out.is_done
    assert [(e["session"], e["seq"]) for e in told.got if e["seq"]] == [(e.session, e.seq) for e in told.put if e.seq]
    for name in "xy":
        got, last = [event for event in told.got if event["session"] == name], 0
        for event in got:
            assert event["after"] in (None, last)
            last = event["seq"] or last
        for item in "mn":
            check_text([event for event in told.put if event.session == name], got, item)


def check_text(put: list[AnyEvent], got: list[Any], item: str) -> None:
    """What an item said since its last whole: all of it, in order, each piece once."""
    said, heard = "", ""
    for event in put:
        if isinstance(event, MessageChunk) and event.item == item:
            said = said + event.text if event.partial else ""
    for told in got:
        if told["type"] == "message_chunk" and told["item"] == item:
            heard = heard + told["text"] if told["partial"] else ""
    assert heard == said
