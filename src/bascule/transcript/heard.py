"""What the CLI said: one short reading for each kind of message, chosen by its class.

Nothing is decided here but which machine hears of it. A message that nobody reads makes no event; one that nobody knows
is told as ``unrecognised``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from bascule.events import (
    Compaction,
    Hook,
    MessageChunk,
    Notice,
    PolicyDecided,
    RateLimit,
    Retrying,
    Todos,
    Unrecognised,
)
from bascule.ids import PromptId
from bascule.tools.todos import todos_after
from bascule.transcript.calls import Move
from bascule.transcript.ending import result_came
from bascule.transcript.story import Story
from bascule.transcript.turn import Dropped
from bascule.wire import messages, prose, stream, system
from bascule.wire.answers import Initialized, Interrupted, MessageCancelled, ModelSet, ModeSet, read
from bascule.wire.blocks import McpToolUse, ServerResult, ServerToolUse, ToolResult, ToolUse
from bascule.wire.control import (
    CanUseTool,
    ControlCancel,
    ControlRequest,
    ControlResponse,
    Elicitation,
    HookCallback,
    Succeeded,
    UserDialog,
)
from bascule.wire.initialize import Initialize
from bascule.wire.requests import CancelAsyncMessage, Interrupt, SetModel, SetPermissionMode
from bascule.wire.result import Result
from bascule.wire.shape import Message, Unknown


def hear(story: Story, message: Message) -> None:
    """Read one line of the CLI's into the story."""
    if story.tasks.ending is not None:
        story.say(story.tasks.overdue(message))
    reading = _READINGS.get(type(message))
    if reading is not None:
        reading(story, message)


def _init(story: Story, message: system.Init) -> None:
    story.begin(story.turns.initialised(tuple(PromptId(i) for i in message.user_message_uuids)))
    story.context.model_is(message.model)
    story.say(story.standing.init(message))
    story.say(story.standing.mode_at_init(message.permission_mode))
    story.say(story.standing.command_names_are(message.slash_commands))


def _assistant(story: Story, message: messages.Assistant) -> None:
    parent = message.parent_tool_use_id
    if parent is None:
        story.turns.answered(by_model=not prose.is_synthetic(message))
        story.begin(story.turns.spoke())
        story.say(story.context.spoke(message))
        if message.error is not None:
            story.failure = message
            return
        _weathered(story)
        if not prose.is_synthetic(message):
            story.uuids.assistant(message.uuid)
    turn = story.calls.turn_of(parent)
    told = story.partials.whole(message)
    if parent is None:
        story.outline.wrote(told)
    story.say_all([*told], turn=turn)
    content = message.message.content
    for block in () if isinstance(content, str) else content:
        match block:
            case ToolUse() | ServerToolUse() | McpToolUse():
                _call(story, ToolUse(id=block.id, name=block.name, input=block.input), parent)
            case ServerResult():
                _tool_result(story, ToolResult(tool_use_id=block.tool_use_id, content=block.content), None, None)


def _weathered(story: Story) -> None:
    """An API error in mid-turn that the turn outlived (18_drop, 2.1.332): worth a line, no failure."""
    failure, story.failure = story.failure, None
    if failure is not None:
        story.say(Notice(level="warning", text=prose.text_of(failure.message.content)))


def _call(story: Story, block: ToolUse, parent: str | None) -> None:
    turn = story.calls.turn_of(parent) or story.turns.number
    story.say(story.calls.requested(block, parent=parent, turn=turn, cwd=story.standing.cwd), turn=turn)


def _stream(story: Story, message: stream.StreamEvent) -> None:
    if message.parent_tool_use_id is None:
        story.begin(story.turns.spoke())
        story.say(story.partials.streamed(message.event, message.api_message_id))


def _user(story: Story, message: messages.User) -> None:
    if message.is_replay:
        _echo(story, message)
        return
    metas = {meta.id: meta for meta in message.tool_result_meta}
    results = [block for block in message.message.content if isinstance(block, ToolResult)]
    for block in results:
        structured = message.tool_use_result if len(results) == 1 else None
        _tool_result(story, block, structured, metas.get(block.tool_use_id))
    if message.parent_tool_use_id is None and results:
        story.uuids.tool_result(message.uuid)
        story.turns.tool_ended(story.line)
    elif message.is_synthetic and not story.compacting:
        text = prose.text_of(message.message.content)
        story.say(Notice(level="info", text=_short(text)) if text else None)


def _echo(story: Story, message: messages.User) -> None:
    """Our own prompt comes back, or what a slash command printed (19_compact); ``set_model`` echoes one as well."""
    if message.uuid is not None:
        story.turns.echoed(PromptId(message.uuid))
    if any(isinstance(request, SetModel) for request, _ in story.requests.values()):
        return
    printed = prose.printed(prose.text_of(message.message.content))
    if printed:
        story.turns.answered(by_model=False)
        story.say(MessageChunk(item=f"command:{message.uuid or story.line}", text=printed))
        story.partials.shown = True


def _tool_result(story: Story, block: ToolResult, structured: Any, meta: messages.ToolResultMeta | None) -> None:
    interrupting = story.turns.interrupting or story.stopping
    ended = story.calls.ended(block, result=structured, meta=meta, interrupting=interrupting)
    if ended is None:
        return
    call, update = ended
    story.say_all([*story.asks.gone_with_call(block.tool_use_id)], turn=call.turn)
    story.say(update, turn=call.turn)
    if block.is_error:
        return
    todos = todos_after(story.todos, call.name, call.input, structured)
    if todos is not None and todos != story.todos:
        story.todos = todos
        story.say(Todos(items=todos), turn=call.turn)


def _tool_progress(story: Story, message: messages.ToolProgress) -> None:
    going_on = story.calls.progressed(message)
    if going_on is not None:
        story.say(going_on[1], turn=going_on[0].turn)


def _lifecycle(story: Story, message: messages.CommandLifecycle) -> None:
    if message.command_uuid is None:
        return
    by_wakeup = message.wakeup_source is not None
    _taken_back(story, story.turns.named(PromptId(message.command_uuid), message.state or "", by_wakeup=by_wakeup))


def _taken_back(story: Story, dropped: Dropped) -> None:
    """Prompts that will never run; when they were all that a turn was for, it ends here, without a result."""
    for prompt_id in dropped.prompt_ids:
        turn = story.turns.number if dropped.ended is not None else None
        story.say(Notice(level="notice", text=f"a prompt was taken back before it ran: {prompt_id}"), turn=turn)
    if dropped.ended is not None:
        result_came(story, None, dropped.ended)


def _result(story: Story, message: Result) -> None:
    began, ended = story.turns.result(message)
    if began is not None:
        story.turn_began(began, turn=story.turns.number)
    result_came(story, message, ended)


def _status(story: Story, message: system.Status) -> None:
    story.say(story.standing.mode_is(message.permission_mode))
    if message.status == "compacting" and not story.compacting:
        story.compacting = True
        story.say(Compaction(phase="started"))
    elif message.compact_result == "failed":
        story.compacting = False
        story.say(Compaction(phase="failed"))


def _compact_boundary(story: Story, message: system.CompactBoundary) -> None:
    metadata = message.compact_metadata
    story.say(
        Compaction(
            phase="finished",
            trigger=metadata.trigger,
            pre_tokens=metadata.pre_tokens,
            post_tokens=metadata.post_tokens,
        )
    )
    story.say(story.context.compacted(metadata.post_tokens))


def _reset(story: Story, _message: messages.ConversationReset) -> None:
    story.costs.conversation_reset()
    story.uuids.conversation_reset()
    story.say(Notice(level="info", text="the conversation starts anew"))


def _retry(story: Story, message: system.ApiRetry) -> None:
    story.say(
        Retrying(
            attempt=message.attempt or 1,
            max_retries=message.max_retries or 0,
            delay_ms=float(message.retry_delay_ms or 0),
            error_status=message.error_status,
            error=message.error or "unknown",
        )
    )


def _state(story: Story, message: system.SessionStateChanged) -> None:
    story.state = message.state
    if message.state == "idle":
        _taken_back(story, story.turns.rested())


def _task_started(story: Story, message: system.TaskStarted) -> None:
    story.say(story.tasks.started(message), turn=story.calls.turn_of(message.tool_use_id))


def _task_progress(story: Story, message: system.TaskProgress) -> None:
    story.say(story.tasks.progressed(message), turn=story.calls.turn_of(message.tool_use_id))


def _task_updated(story: Story, message: system.TaskUpdated) -> None:
    story.tasks.updated(message)


def _task_notified(story: Story, message: system.TaskNotification) -> None:
    story.turns.task_notified(background=story.tasks.in_background(message.task_id))
    call_id = message.tool_use_id or story.tasks.call_of(message.task_id)
    story.close_calls(story.calls.parent_ended(call_id))
    story.say(story.tasks.notified(message), turn=story.calls.turn_of(call_id))


def _rate_limit(story: Story, message: messages.RateLimitEvent) -> None:
    info = message.rate_limit_info
    status = _RATE_STATUSES.get(info.status or "")
    key = (info.rate_limit_type, status)
    if status is None or key == story.rate_limit:
        return
    story.rate_limit = key
    covered = bool(info.is_using_overage)
    story.say(
        RateLimit(
            rate_limit_message=f"{info.rate_limit_type or 'usage'} limit: {status}".replace("_", " "),
            status=status,
            window=info.rate_limit_type,
            utilization=None if info.utilization is None else float(info.utilization),
            resets_at=None if info.resets_at is None else round(info.resets_at),
            overage=info.overage_status,
            waiting=status == "rejected" and not covered,
        )
    )


_RATE_STATUSES: Final[dict[str, Literal["allowed", "allowed_warning", "rejected"]]] = {
    "allowed": "allowed",
    "allowed_warning": "allowed_warning",
    "rejected": "rejected",
}


def _denied(story: Story, message: system.PermissionDenied) -> None:
    story.calls.move(message.tool_use_id, Move.DENIED)
    story.say(
        PolicyDecided(
            tool_call_id=message.tool_use_id,
            verdict="deny",
            rule=f"the CLI: {message.decision_reason_type or 'its rules'}",
            reason=message.decision_reason or message.message or "",
        )
    )


_LEVELS: Final[dict[str, Literal["info", "notice", "warning"]]] = {"notice": "notice", "warning": "warning"}


def _informational(story: Story, message: system.Informational) -> None:
    if message.content:
        story.say(Notice(level=_LEVELS.get(message.level or "", "info"), text=message.content))


_OWN_KEY: Final = " · ctrl+o"
"""What follows names a key of the CLI's own screen (06_stop_block_once)."""


def _notification(story: Story, message: system.Notification) -> None:
    text = (message.text or "").partition(_OWN_KEY)[0]
    if text:
        urgent = message.priority in ("high", "immediate")
        story.say(Notice(level="notice" if urgent else "info", text=text))


def _printed(story: Story, message: system.LocalCommandOutput) -> None:
    if message.content:
        story.say(MessageChunk(item=f"command:{story.line}", text=message.content))
        story.partials.shown = True


def _elicited(story: Story, message: system.ElicitationComplete) -> None:
    """A form in the browser was filled in, whether or not it was answered here."""
    story.say(Notice(level="info", text=f"{message.mcp_server_name or 'an MCP server'} has what it asked for"))


def _commands(story: Story, message: system.CommandsChanged) -> None:
    story.say(story.standing.commands_are(message.commands))


def _fallback(story: Story, message: system.ModelFallback | system.ModelRefusalFallback) -> None:
    text = message.content or f"{message.original_model} gives way to {message.fallback_model}"
    story.say(Notice(level="warning", text=text))


def _refused(story: Story, message: system.ModelRefusalNoFallback) -> None:
    story.refused = True
    if message.content:
        story.say(Notice(level="warning", text=message.content))


def _hook_started(story: Story, message: system.HookStarted) -> None:
    story.say(Hook(hook_event=message.hook_event or "", name=message.hook_name or "", outcome="started"))


def _hook_response(story: Story, message: system.HookResponse) -> None:
    output = message.output or message.stdout or message.stderr or None
    outcome = message.outcome or "success"
    story.say(Hook(hook_event=message.hook_event or "", name=message.hook_name or "", outcome=outcome, output=output))


def _writes_lost(story: Story, message: system.SessionWritesLost) -> None:
    what = ", ".join(message.lost) or "the session"
    story.say(Notice(level="warning", text=f"the CLI could not write {what}: {message.error_code or 'unknown error'}"))


def _request(story: Story, message: ControlRequest) -> None:
    match message.request:
        case CanUseTool() | Elicitation() | UserDialog() as request:
            _ask(story, message.request_id, request)
        case HookCallback(tool_use_id=call_id):
            story.hooks[message.request_id] = call_id


def _ask(story: Story, request_id: str, request: CanUseTool | Elicitation | UserDialog) -> None:
    expires_at = None
    if story.ask_timeout_s is not None:
        expires_at = story.numbering.at(story.t + story.ask_timeout_s)
    call = None if isinstance(request, Elicitation) else story.calls.get(request.tool_use_id)
    opened = story.asks.opened(
        request_id,
        request,
        t=story.t,
        cwd=story.standing.cwd,
        call=call.payload if call else None,
        outline=story.outline.text,
        expires_at=expires_at,
    )
    if opened is not None:
        story.calls.move(opened.tool_call_id, Move.ASKED)
        story.say(opened)


def _cancel(story: Story, message: ControlCancel) -> None:
    story.hooks.pop(message.request_id, None)
    ask = story.asks.open.get(message.request_id)  # type: ignore[call-overload]
    if ask is not None:
        story.calls.move(ask.request.tool_call_id, Move.WITHDRAWN)
    interrupted = story.turns.interrupting or story.stopping
    story.say(story.asks.gone(message.request_id, "interrupted" if interrupted else "withdrawn"))


def _answer(story: Story, message: ControlResponse) -> None:
    """An answer to a request of ours. Others are echoes of our own answers (09_user_msg_while_asking)."""
    response = message.response
    request, by = story.requests.pop(response.request_id, (None, None))
    if request is None or not isinstance(response, Succeeded):
        return
    match request:
        case Initialize():
            answer = read(response.response, Initialized)
            story.say(story.standing.commands_are(answer.commands) if answer.commands else None)
        case SetPermissionMode(mode=mode):
            story.say(story.standing.mode_is(read(response.response, ModeSet).mode or mode, by))
        case SetModel(model=model):
            resolved = read(response.response, ModelSet).model or model
            story.context.model_is(resolved)
            story.say(story.standing.model_is(resolved, by))
        case Interrupt(cancel_queued=True):
            receipt = read(response.response, Interrupted)
            if receipt.still_queued is not None:  # 2.1.197 tells nothing, and drops nothing
                _taken_back(story, story.turns.queue_dropped(tuple(PromptId(i) for i in receipt.cancelled)))
        case CancelAsyncMessage(message_uuid=uuid) if read(response.response, MessageCancelled).cancelled:
            _taken_back(story, story.turns.taken_back(PromptId(uuid)))
    for pending in response.pending_permission_requests:
        _request(story, pending)


def _unknown(story: Story, message: Unknown) -> None:
    story.say(Unrecognised(message_type=message.type or "?", subtype=message.subtype))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199] + "…"


_READINGS: Final[dict[type, Callable[[Story, Any], None]]] = {
    system.Init: _init,
    messages.Assistant: _assistant,
    stream.StreamEvent: _stream,
    messages.User: _user,
    messages.ToolProgress: _tool_progress,
    messages.CommandLifecycle: _lifecycle,
    Result: _result,
    system.Status: _status,
    system.CompactBoundary: _compact_boundary,
    messages.ConversationReset: _reset,
    system.ApiRetry: _retry,
    system.SessionStateChanged: _state,
    system.TaskStarted: _task_started,
    system.TaskProgress: _task_progress,
    system.TaskUpdated: _task_updated,
    system.TaskNotification: _task_notified,
    messages.RateLimitEvent: _rate_limit,
    system.PermissionDenied: _denied,
    system.Informational: _informational,
    system.Notification: _notification,
    system.LocalCommandOutput: _printed,
    system.ElicitationComplete: _elicited,
    system.CommandsChanged: _commands,
    system.ModelFallback: _fallback,
    system.ModelRefusalFallback: _fallback,
    system.ModelRefusalNoFallback: _refused,
    system.HookStarted: _hook_started,
    system.HookResponse: _hook_response,
    system.SessionWritesLost: _writes_lost,
    ControlRequest: _request,
    ControlCancel: _cancel,
    ControlResponse: _answer,
    Unknown: _unknown,
}
