"""One event, the lines that tell it."""

from typing import Any

import pytest

from bascule import events as ev
from bascule.events import AnyEvent
from bascule.ids import GrantId, PendingId, PromptId
from bascule.terminal.figures import clock
from bascule.terminal.notes import lines_of, settled, turn_line
from tests.terminal.examples import told

ASK = PendingId("a")
G1 = GrantId("g1")


def prompt(text: str, **more: Any) -> ev.PromptAccepted:
    return ev.PromptAccepted(prompt_id=PromptId("p"), text=text, **more)


ATTACHED = ev.Attachment(id="1", name="a.png", media_type="image/png", bytes=1234, sha256="", sent_as="block")


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (prompt("hi\nthere"), ["» hi", "  there"]),
        (prompt("hi", attachments=(ATTACHED,)), ["» hi", "  + a.png (1.2 k bytes)"]),
        (prompt("hi", disposition="steered"), ["» hi", "  goes into the running turn"]),
        (prompt("hi", disposition="queued"), ["» hi", "  waits its turn"]),
        (ev.TurnStarted(cause="prompt"), []),
        (ev.TurnStarted(cause="task"), ["↻ Claude goes on by itself: a background task ended"]),
        (ev.PolicyDecided(tool_call_id=None, verdict="allow", rule="r", reason=""), []),
        (ev.PolicyDecided(tool_call_id=None, verdict="deny", rule="r", reason="plan first"),
         ["⊘ Policy: plan first (r)"]),
        (ev.PolicyDecided(tool_call_id=None, verdict="deny", rule="nobody is watching",
                          reason="nobody is watching: no rule covers it"),
         ["⊘ Policy: nobody is watching: no rule covers it"]),
        (ev.ModeChanged(mode="plan"), ["Mode: plan"]),
        (ev.ModelChanged(model="opus"), ["Model: opus"]),
        (ev.GrantGiven(grant_id=G1, rules=("Edit", "Write"), scope="session", cause="trust", edits=True, until=0),
         [f"✓ Edits in the workspace run unasked until {clock(0)}"]),
        (ev.GrantGiven(grant_id=G1, rules=("Bash(make *)",), scope="session", cause="grant"),
         ["✓ Bash(make *) runs unasked"]),
        (ev.GrantGiven(grant_id=G1, rules=("Bash(make *)",), scope="session", cause="always"), []),
        (ev.GrantEnded(grant_id=G1, cause="expired", covered=1), ["⊘ A grant has ended · 1 call ran under it"]),
        (ev.GrantEnded(grant_id=G1, cause="revoked"), ["⊘ A grant has ended · 0 calls ran under it"]),
        (ev.GrantEnded(grant_id=G1, cause="mode"), []),
        (ev.RateLimit(rate_limit_message="fine", status="allowed"), []),
        (ev.RateLimit(rate_limit_message="Limit\nreached", status="rejected", utilization=0.97),
         ["⧗ Limit · 97 % used"]),
        (ev.Retrying(attempt=1, max_retries=10, delay_ms=1500, error_status=529, error="overloaded"),
         ["↻ Retrying: overloaded (HTTP 529) · again in 1.5 s, 1 of 10"]),
        (ev.Retrying(attempt=2, max_retries=10, delay_ms=1500, error="overloaded"), []),
        (ev.Compaction(phase="started"), []),
        (ev.Compaction(phase="finished", pre_tokens=150_000, post_tokens=12_000),
         ["✓ Conversation compacted · 150 k → 12 k tokens"]),
        (ev.Compaction(phase="finished"), ["✓ Conversation compacted"]),
        (ev.Compaction(phase="failed"), ["✗ The conversation could not be compacted"]),
        (ev.Hook(hook_event="Stop", name="lint", outcome="success"), []),
        (ev.Hook(hook_event="Stop", name="lint", outcome="error", output="boom\nmore"), ["✗ Hook lint failed: boom"]),
        (ev.TaskEnded(task_id="t", kind="local_bash", title="serve", outcome="completed"),
         ["✓ In the background: serve · completed"]),
        (ev.TaskEnded(task_id="t", kind="x", title="s", outcome="failed", usage=ev.TaskUsage(duration_ms=4_000)),
         ["✗ In the background: s · failed · 4.0 s"]),
        (ev.TaskEnded(task_id="t", kind="x", title="s"), ["✓ In the background: s · ended"]),
        (ev.SessionAsleep(idle_s=600), ["Claude Code sleeps after 10 m of idleness; a prompt wakes it."]),
        (ev.Error(kind="api", message="a\nb", hint="wait"), ["✗ a", "  b", "  wait"]),
        (ev.SessionEnded(cause="ended", exit_code=0), []),
        (ev.SessionEnded(cause="crashed", exit_code=3, stderr_tail="\x1b[31mboom\n\nend\n"),
         ["✗ Claude Code ended in the middle of its work · exit 3", "  │ boom", "  │ end"]),
        (ev.SessionEnded(cause="killed", signal="SIGKILL"), ["✗ Claude Code was stopped · SIGKILL"]),
        (ev.SessionEnded(cause="start_failed"), ["✗ Claude Code did not start · no code"]),
        (ev.Notice(level="info", text="one\ntwo"), ["· one", "  two"]),
        (ev.Notice(level="warning", text="careful"), ["! careful"]),
        (ev.Unrecognised(message_type="system", subtype="new"),
         ["· Claude Code said something that bascule does not know: system/new"]),
        (ev.Unrecognised(message_type="odd"), ["· Claude Code said something that bascule does not know: odd"]),
        (ev.AvailableCommands(available_commands=()), []),
    ],
)  # fmt: skip
def test_what_an_event_says(event: AnyEvent, lines: list[str]) -> None:
    assert told(list(lines_of(event))) == lines


def resolved(outcome: Any, **more: Any) -> ev.PermissionResolved:
    return ev.PermissionResolved(pending_id=ASK, outcome=outcome, **{"waited_ms": 0, **more})


@pytest.mark.parametrize(
    ("event", "ask", "text"),
    [
        (resolved("allowed"), "tool", "✓ Allowed once"),
        (resolved("allowed", edited=True), "tool", "✓ Allowed once, as edited"),
        (resolved("allowed_always", rule="Tool(x)"), "tool", "✓ Allowed always: Tool(x) (session)"),
        (resolved("allowed_always", rule="Tool(x)", scope="user"), "tool", "✓ Allowed always: Tool(x) (user)"),
        (resolved("denied", reason="no\nway"), "tool", "⊘ Denied: no"),
        (resolved("denied_stop"), "tool", "⊘ Denied, and the turn stopped"),
        (resolved("allowed"), "plan", "✓ Approved"),
        (resolved("denied"), "plan", "⊘ Not approved"),
        (resolved("answered"), "question", "✓ Answered"),
        (resolved("denied"), "question", "⊘ Skipped"),
        (resolved("denied"), "elicitation", "⊘ Declined"),
        (
            resolved("allowed", by="Anna", surface="web", waited_ms=38_000),
            "tool",
            "✓ Allowed once · by Anna (web) · after 38 s",
        ),
        (resolved("allowed", surface="terminal"), "tool", "✓ Allowed once"),
        (ev.PermissionCancelled(pending_id=ASK, cause="withdrawn"), "tool", "⊘ Claude Code needs no answer any more"),
        (ev.PermissionCancelled(pending_id=ASK, cause="expired"), "tool", "⊘ Denied: the time to answer was over"),
        (ev.PermissionCancelled(pending_id=ASK, cause="lost"), "tool", "⊘ Not answered: the session ended"),
        (
            ev.PermissionCancelled(pending_id=ASK, cause="interrupted"),
            "tool",
            "⊘ Not answered: the turn was interrupted",
        ),
    ],
)
def test_how_an_ask_ended(event: ev.PermissionResolved | ev.PermissionCancelled, ask: str, text: str) -> None:
    assert told([settled(event, ask, "")]) == [text]


def test_an_ask_is_named_where_it_is_not_plain_which() -> None:
    assert told([settled(resolved("denied"), "tool", "ls")]) == ["⊘ Denied · ls"]
    cancelled = ev.PermissionCancelled(pending_id=ASK, cause="lost")
    assert told([settled(cancelled, "tool", "ls")]) == ["⊘ Not answered: the session ended · ls"]


DONE = ev.Complete(
    outcome="success",
    duration_ms=1_200,
    cost_usd=0.0031,
    input_tokens=2_000,
    cache_read_tokens=10_000,
    output_tokens=300,
)


@pytest.mark.parametrize(
    ("complete", "text"),
    [
        (DONE, "✓ 1.2 s · $0.0031 · 12 k in / 300 out · 3 % of context"),
        (ev.Complete(outcome="error"), "✗ failed · 3 % of context"),
        (ev.Complete(outcome="interrupted", duration_ms=900), "■ interrupted · 0.9 s · 3 % of context"),
        (ev.Complete(outcome="max_turns"), "✗ stopped at the limit of rounds · 3 % of context"),
        (ev.Complete(outcome="budget"), "✗ stopped at the budget · 3 % of context"),
        (ev.Complete(outcome="success", permission_denials=(ev.Denial(tool_name="x", tool_call_id="1"),)),
         "✓ 3 % of context · 1 denied"),
    ],
)  # fmt: skip
def test_the_line_of_a_turn(complete: ev.Complete, text: str) -> None:
    context = ev.ContextWindow(context_window_used=6_000, context_window_size=200_000, context_efficiency=3.0)
    assert told([turn_line(complete, context)]) == [text]


@pytest.mark.parametrize("context", [None, ev.ContextWindow(context_window_used=6_000)])
def test_an_unknown_context_is_not_guessed(context: ev.ContextWindow | None) -> None:
    assert told([turn_line(ev.Complete(outcome="lost"), context)]) == ["↯ lost"]


def test_when_a_limit_ends_is_told() -> None:
    limit = ev.RateLimit(rate_limit_message="m", status="rejected", resets_at=1_700_000_000)
    assert told(list(lines_of(limit))) == [f"⧗ m · until {clock(1_700_000_000_000)}"]
