"""Single readings of the fold, where no golden recording shows them."""

import base64
import json
from typing import Any

import pytest

from bascule import events, recording
from bascule.events import Complete, Notice, PromptAccepted, SessionEnded, TurnStarted, Unrecognised
from bascule.ids import CliSessionId, GrantId, PendingId, PromptId, SessionId
from bascule.payload import ShellExec, ShowPlan
from bascule.transcript import Fold, PromptState
from tests.transcript.lines import Told

TEXT = {"type": "text", "text": "hello"}


def test_the_first_note_names_session_start_mode_and_deadline() -> None:
    told = Told()
    told.note(recording.Began(session=SessionId("mine"), at=1_000_000, mode="plan", cwd="/w", ask_timeout_s=60))
    told.prompt()
    told.init(cwd=None)
    told.asks()
    status = told.one(events.SessionStatus)
    assert (status.session, status.requested_mode, status.permission_mode) == ("mine", "plan", "default")
    assert told.one(PromptAccepted).at == 1_000_000 + 300
    assert told.one(events.PermissionRequest).expires_at == 1_000_000 + 500 + 60_000


def test_a_queued_prompt_is_told_once_with_its_author() -> None:
    told = Told()
    told.note(
        recording.Prompted(prompt_id=PromptId("p1"), text="later", by="Anna", surface="web", disposition="queued")
    )
    told.note(recording.Prompted(prompt_id=PromptId("p1"), by="Anna", surface="web"))
    told.prompt("later")
    accepted = told.one(PromptAccepted)
    assert (accepted.text, accepted.by, accepted.surface, accepted.disposition) == ("later", "Anna", "web", "queued")
    assert told.one(TurnStarted).prompt_ids == ("p1",)


def test_attachments_are_told_as_noted() -> None:
    told = Told()
    attachment = {"id": "a", "name": "x.png", "media_type": "image/png", "bytes": 1, "sha256": "0", "as": "file"}
    told.note(recording.Prompted(prompt_id=PromptId("p1"), attachments=(attachment,)))
    told.prompt()
    assert told.one(PromptAccepted).attachments[0].name == "x.png"


def test_an_unreadable_note_of_attachments_loses_no_prompt() -> None:
    told = Told()
    told.note(recording.Prompted(prompt_id=PromptId("p1"), attachments=({"id": 7},)))
    told.prompt()
    assert told.one(PromptAccepted).attachments == ()


@pytest.mark.parametrize(("data", "size"), [(base64.b64encode(b"png!").decode(), 4), ("%%%", 0)])
def test_an_image_of_a_foreign_recording_is_told_from_its_block(data: str, size: int) -> None:
    told = Told()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    told.ours("user", uuid="p1", message={"role": "user", "content": [image, TEXT]})
    accepted = told.one(PromptAccepted)
    assert accepted.text == "hello"
    assert [(a.name, a.media_type, a.bytes, a.sent_as) for a in accepted.attachments] == [
        ("image-1", "image/png", size, "block")
    ]


def test_who_decided_comes_from_the_note() -> None:
    told = Told()
    told.prompt()
    told.calls()
    told.asks()
    told.note(recording.Decided(pending_id=PendingId("r1"), outcome="allowed", by="Anna", surface="web", edited=True))
    told.answers({"behavior": "allow", "updatedInput": {"command": "pwd"}})
    resolved = told.one(events.PermissionResolved)
    assert (resolved.by, resolved.surface, resolved.edited, resolved.waited_ms) == ("Anna", "web", True, 200)


def test_a_policy_that_answers_an_ask_is_named() -> None:
    told = Told()
    told.asks()
    told.note(recording.Judged(pending_id=PendingId("r1"), verdict="deny", rule="unattended", reason="nobody"))
    told.answers({"behavior": "deny", "message": "nobody"})
    resolved = told.one(events.PermissionResolved)
    assert (resolved.outcome, resolved.by, resolved.rule, resolved.reason) == (
        "denied",
        "policy",
        "unattended",
        "nobody",
    )


def test_a_policy_that_answers_a_hook_is_told_and_its_denial_marks_the_call() -> None:
    told = Told()
    told.prompt()
    told.calls()
    hook = {"subtype": "hook_callback", "callback_id": "h", "input": {}, "tool_use_id": "t1"}
    told.out("control_request", request_id="h1", request=hook)
    told.note(recording.Judged(tool_call_id="t1", verdict="deny", rule="plan", reason="plan first"))
    told.answers({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}, "h1")
    told.tool_result(is_error=True)
    decided = told.one(events.PolicyDecided)
    assert (decided.verdict, decided.rule, decided.tool_call_id) == ("deny", "plan", "t1")
    assert told.one(events.ToolUpdate).tool_status == "denied"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({"decision": "block", "reason": "no"}, "denied"),
        ({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}, "error"),
        ({"hookSpecificOutput": {"hookEventName": "PostToolUse"}}, "error"),
        ("nonsense", "error"),
        (None, "error"),
    ],
)
def test_a_hook_of_others_denies_only_in_a_shape_that_the_cli_takes(answer: Any, status: str) -> None:
    told = Told()
    told.prompt()
    told.calls()
    hook = {"subtype": "hook_callback", "callback_id": "h", "input": {}, "tool_use_id": "t1"}
    told.out("control_request", request_id="h1", request=hook)
    told.answers(answer, "h1")
    told.tool_result(is_error=True)
    assert told.one(events.ToolUpdate).tool_status == status


def test_an_allow_by_policy_is_told_and_an_ask_is_not() -> None:
    told = Told()
    told.note(recording.Judged(tool_call_id="t1", verdict="ask", rule="default"))
    told.note(recording.Judged(tool_call_id="t1", verdict="allow", rule="safe list"))
    assert told.one(events.PolicyDecided).verdict == "allow"


def test_an_expired_ask_is_cancelled_as_expired() -> None:
    told = Told()
    told.asks()
    told.note(recording.Expired(pending_id=PendingId("r1")))
    told.answers({"behavior": "deny", "message": "time is over"})
    assert told.one(events.PermissionCancelled).cause == "expired"


def test_notices_and_failures_of_ours_are_told() -> None:
    told = Told()
    told.note(recording.Noticed(level="info", text="hello"))
    told.note(recording.Failed(kind="store", message="disk full", hint="make room"))
    told.line("note", "free text")
    assert told.one(Notice).text == "hello"
    assert (told.one(events.Error).kind, told.one(events.Error).hint) == ("store", "make room")


@pytest.mark.parametrize(
    ("damaged", "told"),
    [((), None), ((3, 7), "line 3, 7"), (tuple(range(1, 31)), "19, 20 and 10 more")],
)
def test_what_was_imported_is_told_as_such_with_its_damaged_lines(damaged: tuple[int, ...], told: str | None) -> None:
    heard = Told()
    heard.note(recording.Imported(cli_session_id=CliSessionId("c"), path="/c.jsonl", damaged=damaged))
    source, *damage = heard.all(Notice)
    assert (source.level, source.text.endswith("/c.jsonl")) == ("info", True)
    assert [(one.level, one.text.endswith(str(told))) for one in damage] == [("warning", True)] * bool(damaged)


def test_a_grant_is_told_from_its_beginning_to_its_end() -> None:
    told = Told()
    granted = recording.Granted(
        grant_id=GrantId("g1"), rules=("Edit",), scope="session", cause="trust", edits=True, by="Anna", until=5
    )
    told.note(granted)
    told.note(recording.GrantOver(grant_id=GrantId("g1"), cause="expired", covered=2))
    given, ended = told.one(events.GrantGiven), told.one(events.GrantEnded)
    assert (given.rules, given.cause, given.edits, given.by, given.until) == (("Edit",), "trust", True, "Anna", 5)
    assert (ended.grant_id, ended.cause, ended.covered) == ("g1", "expired", 2)


def test_a_process_that_was_put_to_sleep_is_asleep_and_wakes() -> None:
    told = Told()
    told.init()
    told.note(recording.Slept(idle_s=600))
    told.line("exit", '{"code":0,"signal":null}')
    assert told.one(events.SessionAsleep).idle_s == 600
    assert told.all(SessionEnded) == []
    told.line("argv", json.dumps(["--resume=c1"]))
    told.init()
    assert [s.session_status for s in told.all(events.SessionStatus)] == ["new", "resumed"]


@pytest.mark.parametrize(
    ("argv", "status"),
    [(["--resume=x", "--fork-session"], "forked"), (["--continue"], "resumed"), (["-p"], "new"), ("no list", "new")],
)
def test_the_first_init_tells_how_the_process_opened(argv: Any, status: str) -> None:
    told = Told(json.dumps(argv))
    told.init()
    assert told.one(events.SessionStatus).session_status == status


RESUMED = '["-p", "--resume=x"]'


def test_L58_F35_a_resume_that_comes_back_empty_has_failed() -> None:
    told = Told(RESUMED)
    told.prompt()
    told.init()
    told.result(num_turns=0, result="", total_cost_usd=0)
    assert told.one(events.Error).kind == "resume_empty"
    assert told.one(Complete).outcome == "error"


@pytest.mark.parametrize(
    ("argv", "prompt", "result"),
    [
        ('["-p"]', {}, {"num_turns": 0, "result": ""}),
        (RESUMED, {"text": "/clear"}, {"num_turns": 0, "result": ""}),
        (RESUMED, {"shouldQuery": False}, {"num_turns": 0, "result": ""}),
        (RESUMED, {}, {"num_turns": 0, "result": "blocked by a hook"}),
        (RESUMED, {}, {"num_turns": 1, "result": ""}),
    ],
    ids=["new", "a command", "told only", "blocked", "an empty answer"],
)
def test_a_turn_without_words_is_no_failed_resume_where_that_has_a_reason(
    argv: str, prompt: dict[str, Any], result: dict[str, Any]
) -> None:
    told = Told(argv)
    told.prompt(**prompt)
    told.init()
    told.result(**result)
    assert told.all(events.Error) == []
    assert told.one(Complete).outcome == "success"


def test_a_resumed_session_that_has_answered_is_not_empty_later() -> None:
    told = Told(RESUMED)
    told.prompt()
    told.init()
    told.result()
    told.prompt(uuid="p2")
    told.result(num_turns=0, result="")
    assert [complete.outcome for complete in told.all(Complete)] == ["success", "success"]


def test_L68_an_end_that_we_asked_for_is_no_crash() -> None:
    told = Told()
    told.init()
    told.note(recording.Ending(cause="killed"))
    told.line("exit", '{"code":null,"signal":"SIGKILL"}')
    assert told.one(SessionEnded).cause == "killed"


def test_a_process_that_dies_before_its_first_turn_failed_to_start() -> None:
    told = Told()
    told.line("err", "error: unknown option '--wat'")
    told.line("exit", '{"code":1,"signal":null}')
    assert told.one(events.Error).kind == "start_failed"
    assert told.one(events.Error).message == "error: unknown option '--wat'"
    assert told.one(SessionEnded).cause == "start_failed"


def test_a_silent_start_failure_says_what_to_do() -> None:
    told = Told()
    told.line("exit", '{"code":3,"signal":null}')
    error = told.one(events.Error)
    assert "exit code 3" in error.message
    assert error.hint


def test_stderr_that_is_no_text_makes_events_that_can_be_written() -> None:
    told = Told()
    told.init()
    told.line("err", "panic: \udcff")
    told.line("exit", '{"code":3}')
    assert told.one(SessionEnded).stderr_tail == "panic: \ufffd"
    assert [events.from_json(events.to_json(event)) for event in told.events] == told.events


def test_stderr_keeps_its_last_lines_only() -> None:
    told = Told()
    for number in range(100):
        told.line("err", f"line {number}")
    assert told.fold.stderr_tail.splitlines()[0] == "line 80"
    assert told.fold.stderr_tail.endswith("line 99")


def test_facts_of_the_session_can_be_asked_for() -> None:
    told = Told()
    assert (told.fold.idle, told.fold.turn_running, told.fold.turn, told.fold.cli_session_id) == (True, False, 0, None)
    told.prompt()
    told.init()
    told.asks()
    assert (told.fold.idle, told.fold.turn_running, told.fold.turn, told.fold.cli_session_id) == (False, True, 1, "c1")
    assert list(told.fold.open_asks) == ["r1"]
    assert told.fold.prompts == {"p1": PromptState.RUNNING}
    told.result()
    assert told.fold.idle
    assert told.fold.prompts == {"p1": PromptState.SETTLED}
    assert told.fold.last_seq == told.events[-1].seq


def test_numbers_go_on_behind_what_was_told_before() -> None:
    told = Told()
    told.fold.number_after(7)
    told.prompt()
    first = told.events[0].seq
    told.fold.number_after(3)
    told.init()
    assert first == 8
    assert [event.seq for event in told.events if event.seq] == list(range(8, told.fold.last_seq + 1))


def test_idle_is_what_the_cli_says_it_is() -> None:
    told = Told()
    told.system("session_state_changed", state="running")
    assert not told.fold.idle
    told.system("session_state_changed", state="idle")
    assert told.fold.idle


def test_idle_waits_for_a_subagent_although_the_cli_says_that_it_is_idle() -> None:
    """15_bg_agent, CLI 2.1.197; a shell may never end, and is waited for by who wants that."""
    told = Told()
    told.system("task_started", task_id="a1", task_type="local_agent")
    told.system("task_started", task_id="b1", task_type="local_bash")
    told.system("session_state_changed", state="idle")
    assert not told.fold.idle
    told.system("task_updated", task_id="a1", patch={"status": "completed"})
    told.system("session_state_changed", state="running")
    told.system("task_notification", task_id="a1", status="completed", usage={"duration_ms": 5, "tool_uses": 1})
    assert not told.fold.idle
    told.init()
    told.result(origin={"kind": "task-notification"})
    told.system("session_state_changed", state="idle")
    assert (told.fold.idle, told.fold.tasks_running) == (True, True)
    ended = told.one(events.TaskEnded)
    assert ended.usage is not None
    assert (ended.task_id, ended.usage.duration_ms) == ("a1", 5)


def test_a_compaction_that_waited_is_answered_by_what_it_printed() -> None:
    """19_compact, CLI 2.1.197: no echo names it, and B was written when it ran already."""
    told = Told()
    told.prompt(uuid="p1")
    told.init()
    told.out("user", uuid="p1", isReplay=True, message={"role": "user", "content": "hi"})
    told.prompt("/compact", uuid="p2", priority="later")
    told.says({"type": "text", "text": "Hello."})
    told.result()
    told.prompt(uuid="p3")
    told.init()
    printed = "<local-command-stdout>Compacted </local-command-stdout>"
    told.out("user", uuid="x", isReplay=True, message={"role": "user", "content": printed})
    told.result(num_turns=0)
    assert [complete.prompt_ids for complete in told.all(events.Complete)] == [("p1",), ("p2",)]


def test_a_prompt_that_was_cut_and_not_told_is_owed_no_more_when_the_cli_rests() -> None:
    told = Told()
    told.prompt(uuid="p1")
    told.init()
    told.prompt(uuid="p2", priority="later")
    told.prompt(uuid="p3")
    told.out("user", uuid="p1", isReplay=True, message={"role": "user", "content": "hi"})
    told.result()
    told.init()
    told.result()
    told.init()
    told.out("user", uuid="p3", isReplay=True, message={"role": "user", "content": "hi"})
    told.result()
    told.system("session_state_changed", state="idle")
    assert told.fold.prompts["p2"] is PromptState.DROPPED  # type: ignore[index]
    assert told.one(events.Notice).text.endswith("p2")


def test_a_hook_is_open_from_its_call_to_its_answer() -> None:
    told = Told()
    hook = {"subtype": "hook_callback", "callback_id": "h", "input": {}, "tool_use_id": "t1"}
    told.out("control_request", request_id="h1", request=hook)
    assert told.fold.hook_open
    told.answers({}, "h1")
    assert not told.fold.hook_open


def test_L4_an_unknown_frame_is_told_and_loses_nothing() -> None:
    told = Told()
    told.out("brand_new", subtype="thing")
    told.line("out", "no json at all")
    assert [(u.message_type, u.subtype) for u in told.all(Unrecognised)] == [("brand_new", "thing"), ("?", None)]


def test_server_tools_are_calls_too() -> None:
    told = Told()
    told.prompt()
    told.says({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}})
    told.says({"type": "web_search_tool_result", "tool_use_id": "s1", "content": []})
    assert told.one(events.ToolCall).tool_call_id == "s1"
    assert told.one(events.ToolUpdate).tool_status == "complete"


def test_a_call_that_is_repeated_is_told_once() -> None:
    told = Told()
    told.prompt()
    told.calls()
    told.calls()
    assert len(told.all(events.ToolCall)) == 1


def test_a_result_for_no_call_is_no_news() -> None:
    told = Told()
    assert told.tool_result("never") == []


def test_an_api_error_that_the_turn_outlives_is_a_warning() -> None:
    told = Told()
    told.prompt()
    told.says({"type": "text", "text": "API Error: Connection lost"}, id="e", error="server_error")
    told.says(TEXT)
    assert told.one(Notice).text == "API Error: Connection lost"
    told.says({"type": "text", "text": "API Error: again"}, id="e2", error="server_error")
    told.result()
    assert [n.text for n in told.all(Notice)] == ["API Error: Connection lost", "API Error: again"]
    assert told.one(Complete).outcome == "success"


def test_L67_the_result_text_is_shown_when_nothing_else_was() -> None:
    told = Told()
    told.prompt()
    told.result(result="the answer")
    told.prompt(uuid="p2")
    told.says(TEXT)
    told.result(result="hello")
    assert [(c.item, c.text) for c in told.all(events.MessageChunk)] == [("result:1", "the answer"), ("msg:0", "hello")]


def test_a_heartbeat_of_a_running_call_passes() -> None:
    told = Told()
    told.prompt()
    told.calls()
    told.out("tool_progress", tool_use_id="t1", tool_name="Bash", elapsed_time_seconds=30)
    told.out("tool_progress", tool_use_id="hook-PreToolUse-t1-heartbeat-1", parent_tool_use_id="t1")
    told.out("tool_progress", tool_use_id="t1", tool_name="Bash")
    assert [(u.elapsed_s, u.seq) for u in told.all(events.ToolUpdate)] == [(30.0, None), (None, None)]


def test_L5_rate_limits_are_told_once_per_window_and_status() -> None:
    told = Told()
    warned = {"status": "allowed_warning", "rateLimitType": "five_hour", "utilization": 0.9, "resetsAt": 7}
    told.out("rate_limit_event", rate_limit_info=warned)
    told.out("rate_limit_event", rate_limit_info=warned)
    told.out("rate_limit_event", rate_limit_info={"status": "rejected", "rateLimitType": "five_hour"})
    told.out("rate_limit_event", rate_limit_info={"status": "rejected", "isUsingOverage": True})
    told.out("rate_limit_event", rate_limit_info={"status": "of a later version"})
    limits = told.all(events.RateLimit)
    assert [(r.status, r.window, r.waiting) for r in limits] == [
        ("allowed_warning", "five_hour", False),
        ("rejected", "five_hour", True),
        ("rejected", None, False),
    ]
    assert (limits[0].resets_at, limits[0].utilization) == (7, 0.9)


def test_compaction_is_told_once_per_phase() -> None:
    told = Told()
    told.prompt("/compact")
    for _ in range(3):
        told.system("status", status="compacting")
    told.system("status", status=None, compact_result="failed", compact_error="too short")
    told.system("status", status="compacting")
    told.system("compact_boundary", compact_metadata={"trigger": "auto", "pre_tokens": 9, "post_tokens": 4})
    assert [c.phase for c in told.all(events.Compaction)] == ["started", "failed", "started", "finished"]
    assert told.one(events.ContextWindow).context_window_used == 4


def test_a_boundary_without_tokens_tells_no_context() -> None:
    told = Told()
    told.system("compact_boundary", compact_metadata={"trigger": "auto"})
    assert told.all(events.ContextWindow) == []


def test_a_reset_conversation_starts_its_costs_and_uuids_anew() -> None:
    told = Told()
    told.prompt()
    told.says(TEXT, uuid="u1")
    told.result(total_cost_usd=0.5)
    assert told.all(Complete)[0].last_message_uuid == "u1"
    told.out("conversation_reset", new_conversation_id="c2", trigger="clear")
    told.prompt(uuid="p2")
    told.result(total_cost_usd=0.1)
    assert (told.all(Complete)[1].cost_usd, told.all(Complete)[1].last_message_uuid) == (0.1, None)


@pytest.mark.parametrize(
    ("subtype", "fields", "level"),
    [
        ("informational", {"content": "x", "level": "suggestion"}, "info"),
        ("informational", {"content": "x", "level": "warning"}, "warning"),
        ("notification", {"text": "x", "priority": "low"}, "info"),
        ("notification", {"text": "x", "priority": "immediate"}, "notice"),
        ("notification", {"text": "x · ctrl+o to see", "priority": "high"}, "notice"),
        ("model_fallback", {"original_model": "a", "fallback_model": "b"}, "warning"),
        ("model_refusal_fallback", {"content": "x"}, "warning"),
        ("model_refusal_no_fallback", {"content": "x"}, "warning"),
        ("session_writes_lost", {"error_code": "ENOSPC", "lost": ["transcript"]}, "warning"),
    ],
)
def test_banners_are_notices(subtype: str, fields: dict[str, Any], level: str) -> None:
    told = Told()
    told.system(subtype, **fields)
    notice = told.one(Notice)
    assert notice.level == level
    assert "ctrl+o" not in notice.text


@pytest.mark.parametrize(
    "subtype", ["informational", "notification", "local_command_output", "model_refusal_no_fallback"]
)
def test_an_empty_banner_is_no_news(subtype: str) -> None:
    told = Told()
    assert told.system(subtype) == []


@pytest.mark.parametrize(("server", "who"), [("toy", "toy"), (None, "an MCP server")])
def test_a_form_that_was_filled_in_elsewhere_is_a_notice(server: str | None, who: str) -> None:
    told = Told()
    told.system("elicitation_complete", mcp_server_name=server, elicitation_id="e1")
    assert told.one(Notice).text == f"{who} has what it asked for"


def test_output_of_a_local_command_is_text() -> None:
    told = Told()
    told.prompt("/cost")
    told.system("local_command_output", content="$0")
    told.result(num_turns=0, result="$0")
    assert [c.text for c in told.all(events.MessageChunk)] == ["$0"]


def test_a_synthetic_message_to_the_model_is_a_short_notice() -> None:
    told = Told()
    told.prompt()
    told.out("user", message={"role": "user", "content": "Stop hook feedback:\n" + "x" * 300}, isSynthetic=True)
    told.out(
        "user", message={"role": "user", "content": [{"type": "image", "source": {"type": "url"}}]}, isSynthetic=True
    )
    assert told.one(Notice).text == "Stop hook feedback: " + "x" * 179 + "…"


def test_a_lifecycle_without_an_id_is_no_news() -> None:
    told = Told()
    assert told.out("command_lifecycle", state="started") == []


def test_S31_a_denial_by_the_cli_is_on_the_record() -> None:
    told = Told()
    told.prompt()
    told.calls()
    told.system("permission_denied", tool_name="Bash", tool_use_id="t1", decision_reason_type="mode", message="no")
    told.tool_result(is_error=True)
    assert told.one(events.PolicyDecided).rule == "the CLI: mode"
    assert told.one(events.ToolUpdate).tool_status == "denied"


def test_an_ask_of_a_subagent_outlives_the_turn() -> None:
    told = Told()
    told.prompt()
    told.asks("r1", "t1")
    told.asks("r2", "t2", agent_id="a1")
    told.result()
    assert [c.pending_id for c in told.all(events.PermissionCancelled)] == ["r1"]
    assert list(told.fold.open_asks) == ["r2"]


def test_F10_asks_that_initialize_brings_back_are_told_once() -> None:
    told = Told()
    told.asks("r1")
    told.requests("initialize")
    asked = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t9"}
    pending = [{"type": "control_request", "request_id": i, "request": asked} for i in ("r1", "r2")]
    told.answered({}, pending_permission_requests=pending)
    assert [r.pending_id for r in told.all(events.PermissionRequest)] == ["r1", "r2"]


def test_a_dialog_can_be_dismissed_or_completed() -> None:
    told = Told()
    dialog = {"subtype": "request_user_dialog", "dialog_kind": "new_thing", "payload": {"a": 1}}
    for request, answer in (("d1", {"behavior": "cancelled"}), ("d2", {"behavior": "completed", "result": 1})):
        told.out("control_request", request_id=request, request=dialog)
        told.answers(answer, request)
    assert [r.ask for r in told.all(events.PermissionRequest)] == ["dialog", "dialog"]
    assert [r.outcome for r in told.all(events.PermissionResolved)] == ["denied", "answered"]


def test_an_ask_tells_all_that_the_cli_says_about_it() -> None:
    told = Told()
    told.asks(
        decision_reason="a rule wants it asked",
        decision_reason_type="rule",
        matched_ask_rule={"source": "projectSettings", "tool_name": "Bash", "rule_content": "git push *"},
        blocked_path="/etc/hosts",
        mcp_server={"name": "toy", "source": "dynamic"},
        requires_user_interaction=True,
        default_to_no=True,
    )
    ask = told.one(events.PermissionRequest)
    assert (ask.reason, ask.reason_type) == ("a rule wants it asked", "rule")
    assert (ask.matched_rule, ask.blocked_path, ask.mcp_server) == ("Bash(git push *)", "/etc/hosts", "toy")
    assert (ask.needs_person, ask.default_no) == (True, True)


@pytest.mark.parametrize("matched", [None, {}, {"source": "projectSettings"}])
def test_an_ask_tells_no_more_than_the_cli_says_about_it(matched: Any) -> None:
    told = Told()
    told.asks(matched_ask_rule=matched)
    ask = told.one(events.PermissionRequest)
    assert (ask.reason_type, ask.matched_rule, ask.blocked_path, ask.mcp_server) == (None, None, None, None)
    assert (ask.needs_person, ask.default_no) == (False, False)


@pytest.mark.parametrize("tool", ["ExitPlanMode", "AskUserQuestion"])
def test_a_plan_and_a_question_need_a_person_whatever_the_cli_says(tool: str) -> None:
    told = Told()
    told.asks(name=tool, input={})
    assert told.one(events.PermissionRequest).needs_person


def test_the_clis_own_suggestion_can_be_handed_back() -> None:
    told = Told()
    rules = {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "ls"}], "behavior": "allow"}
    mode = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
    told.asks("r1", permission_suggestions=[rules | {"destination": "localSettings"}, mode])
    told.asks("r2", permission_suggestions=[rules], suppress_always_allow_rule=True)
    first, second = told.all(events.PermissionRequest)
    theirs = [s for s in first.suggestions if s.source == "cli"]
    assert [(s.rule, s.scope) for s in theirs] == [("Bash(ls)", "local")]
    assert theirs[0].update["destination"] == "localSettings"
    assert second.suggestions == ()


def test_a_mode_acknowledged_is_told_with_who_wanted_it() -> None:
    told = Told()
    told.init()
    told.note(recording.Asked(request_id="q1", by="Anna"))
    told.requests("set_permission_mode", mode="plan")
    told.answered({"mode": "plan"})
    told.system("status", status=None, permissionMode="plan")
    changed = told.one(events.ModeChanged)
    assert (changed.mode, changed.by) == ("plan", "Anna")


def test_a_model_acknowledged_before_any_init_is_told() -> None:
    told = Told()
    told.requests("set_model", model="haiku")
    told.out(
        "user", isReplay=True, message={"role": "user", "content": "<local-command-stdout>Set</local-command-stdout>"}
    )
    told.answered()
    told.requests("set_permission_mode", "q2", mode="plan")
    told.answered({}, "q2")
    assert told.one(events.ModelChanged).model == "haiku"
    assert told.one(events.ModeChanged).mode == "plan"
    assert told.all(events.MessageChunk) == []


def test_a_request_that_fails_changes_nothing() -> None:
    told = Told()
    told.requests("set_permission_mode", mode="wat")
    failed = {"subtype": "error", "request_id": "q1", "error": "no such mode"}
    assert told.out("control_response", response=failed) == []
    assert told.answered({"mode": "plan"}) == []


def test_a_prompt_that_the_cli_took_back_is_told_and_owed_no_more() -> None:
    """The answer is all that 2.1.197 says about it; 2.1.332 tells its ``command_lifecycle`` as well."""
    told = Told()
    told.prompt(uuid="p1")
    told.init()
    told.prompt(uuid="p2", priority="later")
    told.requests("cancel_async_message", message_uuid="p2")
    told.answered({"cancelled": True})
    assert told.fold.prompts[PromptId("p2")] is PromptState.DROPPED
    assert "p2" in told.one(events.Notice).text
    told.result()
    assert told.fold.idle
    assert told.one(events.Complete).prompt_ids == ("p1",)


def test_a_prompt_that_could_not_be_taken_back_is_where_it_was() -> None:
    told = Told()
    told.prompt(uuid="p1")
    told.init()
    told.requests("cancel_async_message", message_uuid="p1")
    assert told.answered({"cancelled": False}) == []
    assert told.fold.prompts[PromptId("p1")] is PromptState.RUNNING


def test_the_only_prompt_taken_back_before_it_ran_ends_its_turn_without_a_result() -> None:
    told = Told()
    told.prompt(uuid="p1")
    told.requests("cancel_async_message", message_uuid="p1")
    told.answered({"cancelled": True})
    assert told.one(events.Complete).outcome == "interrupted"
    assert told.fold.idle


def test_L10_an_init_with_a_new_fact_is_told_as_changed() -> None:
    told = Told()
    told.init(slash_commands=["a"])
    told.init(slash_commands=["a"])
    told.init(slash_commands=["a", "b"], tools=["Read"])
    assert [s.session_status for s in told.all(events.SessionStatus)] == ["new", "changed"]
    assert [len(c.available_commands) for c in told.all(events.AvailableCommands)] == [1, 2]


def test_L79_a_server_that_is_not_ready_yet_is_a_fact_and_each_fact_is_told_once() -> None:
    told = Told()
    for status in ("pending", "pending", "failed", "failed", "failed"):
        told.init(mcp_servers=[{"name": "toy", "status": status}])
        told.result()
    states = [[server.status for server in event.mcp_servers] for event in told.all(events.SessionStatus)]
    assert states == [["pending"], ["failed"]]
    assert told.all(events.Notice) + told.all(events.Error) == []


def test_the_fold_may_be_given_a_decoded_line() -> None:
    from bascule.recording import Entry
    from bascule.wire.codec import decode

    line = json.dumps({"type": "system", "subtype": "informational", "content": "x"})
    fold = Fold(SessionId("s"))
    (event,) = fold.feed(Entry(0.0, "out", "unread"), decode(line))
    assert isinstance(event, Notice)
    assert fold.feed(Entry(0.0, "in", "unread"), decode('{"type":"keep_alive"}')) == []


def test_a_stream_event_of_a_subagent_is_no_news() -> None:
    told = Told()
    assert told.out("stream_event", parent_tool_use_id="t1", event={"type": "ping"}) == []


def test_L12_a_result_that_tells_of_nothing_makes_no_event() -> None:
    told = Told()
    assert told.result(num_turns=0, origin={"kind": "task-notification"}) == []


def test_a_change_of_model_after_init_is_no_second_status() -> None:
    told = Told()
    told.init()
    told.requests("set_model", model="n")
    told.answered({"model": "n"})
    told.requests("set_model", "q2", model=None)
    told.answered(None, "q2")
    told.init(model="n")
    assert told.one(events.ModelChanged).model == "n"
    assert len(told.all(events.SessionStatus)) == 1


def test_an_edited_call_ends_as_what_ran() -> None:
    told = Told()
    told.prompt()
    told.calls()
    told.asks()
    told.answers({"behavior": "allow", "updatedInput": {"command": "pwd"}})
    told.tool_result(content="/w", tool_use_result={"stdout": "/w", "stderr": ""})
    asked, ran = told.one(events.ToolCall).normalized, told.one(events.ToolUpdate).normalized
    assert isinstance(asked, ShellExec)
    assert isinstance(ran, ShellExec)
    assert (asked.command, ran.command) == ("ls", "pwd")
    assert told.one(events.PermissionResolved).edited


def test_a_call_that_a_hook_edited_ends_as_what_ran() -> None:
    told = Told()
    told.prompt()
    told.calls()
    hook = {"subtype": "hook_callback", "callback_id": "h", "input": {}, "tool_use_id": "t1"}
    told.out("control_request", request_id="h1", request=hook)
    changed = {"permissionDecision": "allow", "updatedInput": {"command": "pwd"}}
    told.answers({"hookSpecificOutput": {"hookEventName": "PreToolUse"} | changed}, "h1")
    told.tool_result()
    ran = told.one(events.ToolUpdate).normalized
    assert isinstance(ran, ShellExec)
    assert ran.command == "pwd"


@pytest.mark.parametrize("answer", [{"permissionDecision": "deny"}, {"updatedInput": {"command": "pwd"}}])
def test_what_is_said_of_a_call_that_is_over_changes_nothing(answer: dict[str, Any]) -> None:
    told = Told()
    told.calls()
    hook = {"subtype": "hook_callback", "callback_id": "h", "input": {}, "tool_use_id": "t1"}
    told.out("control_request", request_id="h1", request=hook)
    told.tool_result()
    told.answers({"hookSpecificOutput": {"hookEventName": "PreToolUse", **answer}}, "h1")
    told.calls()
    ended = told.one(events.ToolUpdate)
    assert (command_of(ended), ended.tool_status) == ("ls", "complete")


def test_S39_what_was_denied_before_its_call_was_told_of_is_denied() -> None:
    """2.1.197 calls the hook first, and then shows the call of a subagent that the turn waits for."""
    told = Told()
    told.note(recording.Judged(tool_call_id="t1", verdict="deny", rule="no", reason="not that"))
    told.answers({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}, "h1")
    told.calls(parent="a1")
    assert told.one(events.ToolCall).tool_status == "running"
    told.tool_result(is_error=True)
    assert told.one(events.ToolUpdate).tool_status == "denied"


def test_what_was_edited_before_its_call_was_told_of_ends_as_what_ran() -> None:
    told = Told()
    told.asks()
    told.answers({"behavior": "allow", "updatedInput": {"command": "pwd"}})
    told.calls()
    told.tool_result()
    assert command_of(told.one(events.ToolCall)) == "ls"
    assert command_of(told.one(events.ToolUpdate)) == "pwd"


def command_of(event: events.ToolCall | events.ToolUpdate) -> str:
    assert isinstance(event.normalized, ShellExec)
    return event.normalized.command


@pytest.mark.parametrize(("asked", "shown"), [({}, "from the call"), ({"plan": "from the ask"}, "from the ask")])
def test_the_plan_of_an_ask_is_its_own_or_the_calls(asked: dict[str, Any], shown: str) -> None:
    told = Told()
    told.prompt()
    told.calls(name="ExitPlanMode", plan="from the call")
    told.asks(name="ExitPlanMode", input=asked)
    plan = told.one(events.PermissionRequest).normalized
    assert isinstance(plan, ShowPlan)
    assert plan.plan == shown
