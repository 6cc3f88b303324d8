"""A session in one word, from its events."""

from typing import Any

import pytest
from msgspec.structs import replace

from bascule import events as ev
from bascule.errors import HubFull
from bascule.hub.admission import SPARE_MB, Admission, free_mb
from bascule.hub.sketch import Sketch, sketched
from bascule.hub.watching import SILENCE_S, TOOL_S, stalled
from bascule.ids import PendingId, PromptId, SessionId
from bascule.payload import ShellExec

R1, R2 = PendingId("r1"), PendingId("r2")
BEGUN = ev.TurnStarted(cause="prompt")
DONE = ev.Complete(outcome="success", cost_usd=0.25)


def after(*events: ev.AnyEvent) -> Sketch:
    sketch = Sketch()
    for number, event in enumerate(events, 1):
        sketch = sketched(sketch, replace(event, seq=number, at=number * 1000))
    return sketch


def ask(pending_id: PendingId = R1, kind: Any = "tool") -> ev.AnyEvent:
    return ev.PermissionRequest(
        pending_id=pending_id,
        ask=kind,
        tool_name="Bash",
        title="t",
        normalized=ShellExec(command="x"),
        input={},
        input_hash="h",
    )


def resolved(pending_id: PendingId = R1) -> ev.AnyEvent:
    return ev.PermissionResolved(pending_id=pending_id, outcome="allowed", waited_ms=1)


def status(**more: Any) -> ev.AnyEvent:
    return ev.SessionStatus(cli_session_id="c", session_status="new", **more)  # type: ignore[arg-type]


RETRY = ev.Retrying(attempt=1, max_retries=10, delay_ms=1500, error="overloaded")
LIMIT = ev.RateLimit(rate_limit_message="m", status="rejected", resets_at=99, waiting=True)


@pytest.mark.parametrize(
    ("events", "word"),
    [
        ((), "idle"),
        ((BEGUN,), "running"),
        ((BEGUN, DONE), "idle"),
        ((BEGUN, ask()), "waiting"),
        ((BEGUN, ask(), resolved()), "running"),
        ((BEGUN, ask(), ev.PermissionCancelled(pending_id=R1, cause="withdrawn")), "running"),
        ((BEGUN, RETRY), "retrying"),
        ((BEGUN, RETRY, ev.MessageChunk(item="m", text="x")), "running"),
        ((BEGUN, RETRY, DONE), "idle"),
        ((BEGUN, ev.Compaction(phase="started")), "compacting"),
        ((BEGUN, ev.Compaction(phase="started"), ev.Compaction(phase="finished")), "running"),
        ((BEGUN, LIMIT), "limited"),
        ((BEGUN, LIMIT, DONE), "limited"),
        ((BEGUN, LIMIT, DONE, BEGUN), "running"),
        ((BEGUN, ev.SessionEnded(cause="crashed")), "lost"),
        ((ev.SessionEnded(cause="ended"),), "ended"),
        ((ev.SessionAsleep(idle_s=600),), "asleep"),
        ((ev.SessionAsleep(idle_s=600), status()), "idle"),
        ((BEGUN, ask(), ev.SessionEnded(cause="killed")), "lost"),
    ],
)
def test_the_status_in_one_word(events: tuple[ev.AnyEvent, ...], word: str) -> None:
    assert after(*events).status == word


def test_what_goes_on_by_itself_says_when() -> None:
    assert after(BEGUN, RETRY).until == 3500
    assert after(BEGUN, LIMIT).until == 99_000
    assert after(BEGUN).until is None


def test_the_time_of_a_status_is_that_of_its_beginning() -> None:
    sketch = after(BEGUN, ev.MessageChunk(item="m", text="x"), ask(), ask(R2), resolved())
    assert (sketch.status, sketch.since) == ("waiting", 3000)


def test_facts_gather() -> None:
    sketch = after(
        ev.PromptAccepted(prompt_id=PromptId("p"), text="  Mend   the basket\nplease"),
        status(model="opus", permission_mode="default"),
        BEGUN,
        ev.TaskStarted(task_id="t1", kind="local_agent", title="a"),
        ev.TaskStarted(task_id="t2", kind="local_agent", title="b", background=False),
        DONE,
        ev.TaskEnded(task_id="t1", kind="local_agent", title="a"),
        BEGUN,
        ev.Complete(outcome="lost"),
        BEGUN,
        DONE,
        ev.ModeChanged(mode="plan"),
        ev.ModelChanged(model="haiku"),
        ev.PromptAccepted(prompt_id=PromptId("q"), text="Another"),
    )
    assert (sketch.title, sketch.model, sketch.mode, sketch.turns) == ("Mend the basket", "haiku", "plan", 3)
    assert (sketch.cost_usd, sketch.tasks, sketch.cli_session_id, sketch.seq) == (0.5, frozenset(), "c", 14)


def test_a_long_title_is_cut_and_an_event_that_was_seen_changes_nothing() -> None:
    sketch = after(ev.PromptAccepted(prompt_id=PromptId("p"), text="word " * 40))
    assert len(sketch.title) <= 80
    assert sketch.title.endswith("…")
    assert sketched(sketch, replace(BEGUN, seq=1)) == sketch
    assert sketched(sketch, ev.MessageChunk(item="m", text="x", partial=True)) == sketch


def test_L69_a_start_is_refused_that_the_machine_has_no_room_for() -> None:
    free = [5000]
    places = Admission(free_mb=lambda: free[0], reserve_mb=1000)
    places.take(SessionId("a"))
    places.take(SessionId("a"))
    free[0] = 2 * 1000 + SPARE_MB
    places.take(SessionId("b"))
    with pytest.raises(HubFull, match="end one"):
        places.take(SessionId("c"))
    places.settled(SessionId("a"))
    places.settled(SessionId("b"))
    places.take(SessionId("c"))
    assert places.live == 3
    places.leave(SessionId("c"))
    places.leave(SessionId("c"))
    assert places.live == 2


def test_one_session_may_always_live_and_never_more_than_the_limit() -> None:
    places = Admission(free_mb=lambda: 1, max_live=1)
    places.take(SessionId("a"))
    with pytest.raises(HubFull, match="max_live"):
        places.take(SessionId("b"))
    unknown = Admission(free_mb=lambda: None)
    unknown.take(SessionId("a"))
    unknown.take(SessionId("b"))


@pytest.mark.parametrize(
    ("text", "free"),
    [("MemTotal: 9 kB\nMemAvailable:    2048000 kB\n", 2000), ("", None), ("MemAvailable: x kB", None)],
)
def test_what_is_free_is_read_off_the_system(text: str, free: int | None) -> None:
    assert free_mb(text) == free


def test_F49_a_session_that_waits_for_a_person_never_stalls() -> None:
    assert stalled(after(BEGUN, ask()), now=10**12, heard_at=0, in_tool=False) is None
    assert stalled(after(BEGUN, DONE), now=10**12, heard_at=0, in_tool=False) is None


def test_L74_a_reason_holds_for_its_time_and_L75_not_for_ever() -> None:
    running, late = after(BEGUN), round(SILENCE_S * 1000) + 1
    assert stalled(running, now=late - 2, heard_at=0, in_tool=False) is None
    found = stalled(running, now=late, heard_at=0, in_tool=False)
    assert found is not None
    assert found.why == "nothing explains it"
    assert stalled(running, now=late, heard_at=0, in_tool=True) is None
    assert stalled(running, now=round(TOOL_S * 1000) + 1, heard_at=0, in_tool=True) is not None
    retrying = after(BEGUN, RETRY)
    assert stalled(retrying, now=late, heard_at=0, in_tool=False) is None
    overdue = stalled(retrying, now=3_600_000, heard_at=0, in_tool=False)
    assert overdue is not None
    assert "retrying" in overdue.why
    assert stalled(after(BEGUN, ev.Compaction(phase="started")), now=late, heard_at=0, in_tool=False) is None
