"""What happened, counted."""

from bascule import events as ev
from bascule.hub.counting import Counts
from bascule.ids import PendingId


def test_turns_asks_money_and_tokens_are_counted() -> None:
    counts = Counts()
    opus = ev.ModelUsage(input_tokens=10, output_tokens=2, cache_read_tokens=5, cost_usd=0.25)
    haiku = ev.ModelUsage(input_tokens=1, cost_usd=0.5)
    for event in (
        ev.Complete(outcome="success", models={"opus": opus, "haiku": haiku}, cost_usd=0.75),
        ev.Complete(outcome="success", models={"opus": opus}, cost_usd=0.25),
        ev.Complete(outcome="lost"),
        ev.Complete(outcome="error", cost_usd=1.0, input_tokens=3),
        ev.PermissionResolved(pending_id=PendingId("a"), outcome="allowed", waited_ms=1),
        ev.PermissionCancelled(pending_id=PendingId("b"), cause="expired"),
        ev.Notice(level="info", text="x"),
    ):
        counts.add(event)
    assert dict(counts.turns) == {"success": 2, "lost": 1, "error": 1}
    assert dict(counts.asks) == {"allowed": 1, "expired": 1}
    assert dict(counts.cost_usd) == {"opus": 0.5, "haiku": 0.5, "unknown": 1.0}
    assert counts.tokens["opus", "input"] == 20
    assert counts.tokens["opus", "cache_read"] == 10
    assert counts.tokens["unknown", "input"] == 3
    assert dict(counts.events) == {"complete": 4, "permission_resolved": 1, "permission_cancelled": 1, "notice": 1}
