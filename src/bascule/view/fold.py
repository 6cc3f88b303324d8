"""Events to what a reader sees. ``fold`` is total: any event, in any order, twice or never, gives a view.

Each event that shows has one function here, listed in ``_FOLDS``. ``ui/src/fold.ts`` is the twin, function by function;
both are held to the same golden files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, Final, cast

from msgspec.structs import replace

from bascule import events as told
from bascule.events import AnyEvent, Event
from bascule.view import model
from bascule.view.model import Item, View


def fold(view: View, event: AnyEvent) -> View:
    """``view`` after one more event. A lasting event that it has seen changes nothing; deltas append to their item and
    its whole text takes their place; what nothing was known of before stands where it is first told of."""
    return fold_all(view, (event,))


def fold_all(view: View, events: Iterable[AnyEvent]) -> View:
    """``view`` after all of them, whose items are copied once: the time grows with the items and the events."""
    draft = replace(view, items=list(view.items))
    after = reduce(_after, events, draft)
    return view if after is draft else replace(after, items=tuple(after.items))


def _after(draft: View, event: AnyEvent) -> View:
    """Here and below the items are a list of our own, which ``_add`` and ``_set`` change where it is: a view that they
    were given is of no use any more. A view is the very same only when nothing of it changed."""
    if event.seq is not None and event.seq <= draft.seq:
        return draft
    seen = draft if event.seq is None else replace(draft, seq=event.seq)
    folds = _FOLDS.get(type(event))
    return seen if folds is None else folds(seen, event)


def _add(view: View, item: Item) -> View:
    cast("list[Item]", view.items).append(item)
    return replace(view)


def _open(view: View, item: Item, name: str | None = None) -> View:
    """One that may still change; ``name``: of that kind there is one at a time."""
    after = _add(view, item)
    return replace(after, open={**after.open, name or item.key: len(after.items) - 1})


def _close(view: View, key: str) -> View:
    return replace(view, open={other: place for other, place in view.open.items() if other != key})


def _set(view: View, place: int, item: Item) -> View:
    cast("list[Item]", view.items)[place] = item
    return replace(view)


def _found(view: View, key: str) -> tuple[int, Any] | None:
    place = view.open.get(key)
    return None if place is None else (place, view.items[place])


def _base(key: str, event: Event) -> dict[str, Any]:
    """What all items have, for an item of this event."""
    parent = getattr(event, "parent_tool_call_id", None)
    return {"key": key, "at": event.at, "turn": event.turn, "parent": parent}


def _row(name: str, event: Event) -> dict[str, Any]:
    """The same for an item of its own, which has no name but its number."""
    return _base(f"{name}:{event.seq}", event)


# Prompts and turns.


def _prompt(view: View, event: told.PromptAccepted) -> View:
    prompt = model.Prompt(
        **_base(f"prompt:{event.prompt_id}", event),
        prompt_id=event.prompt_id,
        text=event.text,
        attachments=event.attachments,
        by=event.by,
        surface=event.surface,
        disposition=event.disposition,
    )
    return _open(view, prompt)


def _turn(view: View, event: told.TurnStarted) -> View:
    after = replace(view, running=event.turn, running_since=event.at, resting="idle", limited_until=None)
    for prompt_id in event.prompt_ids:
        found = _found(after, f"prompt:{prompt_id}")
        if found is not None:
            after = _set(after, found[0], replace(found[1], state="running", turn=event.turn))
    return after


def _complete(view: View, event: told.Complete) -> View:
    after = _close(_waited(view, event), "compaction")
    for prompt_id in event.prompt_ids:
        after = _settled(after, f"prompt:{prompt_id}", event)
    end = model.TurnEnd(
        **_base(f"turn:{event.turn}", event),
        outcome=event.outcome,
        cost_usd=event.cost_usd,
        duration_ms=event.duration_ms,
        rounds=event.num_turns,
        input_tokens=event.input_tokens,
        output_tokens=event.output_tokens,
        cache_read_tokens=event.cache_read_tokens,
        cache_creation_tokens=event.cache_creation_tokens,
        models=event.models,
        denied=len(event.permission_denials),
        structured=event.structured,
    )
    cost = view.cost_usd if event.cost_usd is None else (view.cost_usd or 0.0) + event.cost_usd
    return replace(_add(_spoken(after, event, nested=False), end), running=0, running_since=None, cost_usd=cost)


def _settled(view: View, key: str, event: told.Complete) -> View:
    found = _found(view, key)
    if found is None:
        return view
    return _close(_set(view, found[0], replace(found[1], state="done", turn=event.turn)), key)


def _spoken(view: View, event: Event, *, nested: bool) -> View:
    """No more comes of texts that were cut; ``nested``: of those of subagents neither."""
    for key, place in view.open.items():
        item = view.items[place]
        if isinstance(item, model.Text | model.Thought) and (nested or item.parent is None):
            view = _close(_set(view, place, _whole(item, event.at)), key)
    return view


def _whole(item: model.Text | model.Thought, at: int) -> Item:
    if isinstance(item, model.Text):
        return replace(item, partial=False)
    return replace(item, partial=False, ended_at=at)


# What the model says and thinks.


def _text(view: View, event: told.MessageChunk) -> View:
    key = f"text:{event.item}"
    found = _found(view, key)
    before = found[1].text if found is not None and event.partial else ""
    base = _base(key, event) if found is None else _kept(found[1])
    return _chunk(view, found, model.Text(**base, text=before + event.text, partial=event.partial), event)


def _thought(view: View, event: told.Reasoning) -> View:
    key = f"thought:{event.item}"
    found = _found(view, key)
    before = found[1].text if found is not None and event.partial else ""
    base = _base(key, event) if found is None else _kept(found[1])
    thought = model.Thought(
        **base,
        text=before + event.reasoning_text,
        partial=event.partial,
        ended_at=None if found is None or event.partial else event.at,
    )
    return _chunk(view, found, thought, event)


def _kept(item: model.Shown) -> dict[str, Any]:
    return {"key": item.key, "at": item.at, "turn": item.turn, "parent": item.parent}


def _chunk(
    view: View,
    found: tuple[int, Any] | None,
    item: model.Text | model.Thought,
    event: told.MessageChunk | told.Reasoning,
) -> View:
    heard = _waited(view, event)
    if found is None:
        return _open(heard, item) if event.partial else _add(heard, item)
    placed = _set(heard, found[0], item)
    return placed if event.partial else _close(placed, item.key)


# Calls.


def _call(view: View, event: told.ToolCall) -> View:
    call = model.Call(
        **_base(f"call:{event.tool_call_id}", event),
        tool_call_id=event.tool_call_id,
        tool_name=event.tool_name,
        title=event.tool_title,
        status=event.tool_status,
        payload=event.normalized,
    )
    return _open(_waited(view, event), call)


def _update(view: View, event: told.ToolUpdate) -> View:
    key = f"call:{event.tool_call_id}"
    found = _found(view, key)
    if found is None:
        return _unseen(view, event)
    over = event.tool_status != "running"
    call = replace(
        found[1],
        status=event.tool_status,
        payload=event.normalized,
        elapsed_s=found[1].elapsed_s if event.elapsed_s is None else event.elapsed_s,
        ended_at=event.at if over else None,
    )
    placed = _set(view, found[0], call)
    return _close(placed, key) if over else placed


def _unseen(view: View, event: told.ToolUpdate) -> View:
    """The end of a call that began before what is in view; that it goes on shows nothing."""
    if event.tool_status == "running":
        return view
    call = model.Call(
        **_base(f"call:{event.tool_call_id}", event),
        tool_call_id=event.tool_call_id,
        tool_name="",
        title="",
        status=event.tool_status,
        payload=event.normalized,
        elapsed_s=event.elapsed_s,
        ended_at=event.at,
    )
    return _add(view, call)


# Decisions.


def _request(view: View, event: told.PermissionRequest) -> View:
    found = None if event.tool_call_id is None else _found(view, f"call:{event.tool_call_id}")
    base = _base(f"ask:{event.pending_id}", event) | {"parent": None if found is None else found[1].parent}
    return _open(view, model.Ask(**base, request=event))


def _resolved(view: View, event: told.PermissionResolved) -> View:
    answer = model.Answer(
        outcome=event.outcome,
        at=event.at,
        by=event.by,
        surface=event.surface,
        reason=event.reason,
        rule=event.rule,
        scope=event.scope,
        edited=event.edited,
        waited_ms=event.waited_ms,
        choosable=event.choosable,
    )
    return _ask_over(view, event, {"answer": answer})


def _cancelled(view: View, event: told.PermissionCancelled) -> View:
    return _ask_over(view, event, {"cancelled": event.cause})


def _ask_over(view: View, event: told.PermissionResolved | told.PermissionCancelled, how: dict[str, Any]) -> View:
    key = f"ask:{event.pending_id}"
    found = _found(view, key)
    if found is None:
        return view
    return _close(_set(view, found[0], replace(found[1], **how, ended_at=event.at)), key)


def _judged(view: View, event: told.PolicyDecided) -> View:
    verdict = model.Verdict(verdict=event.verdict, rule=event.rule, reason=event.reason)
    found = None if event.tool_call_id is None else _found(view, f"call:{event.tool_call_id}")
    if found is None:
        return _add(view, model.Judged(**_row("judged", event), verdict=verdict))
    return _set(view, found[0], replace(found[1], verdict=verdict))


def _granted(view: View, event: told.GrantGiven) -> View:
    granted = model.Granted(**_row("grant", event), grant=event)
    after = _add(view, granted)
    return replace(after, grants={**after.grants, event.grant_id: len(after.items) - 1})


def _grant_over(view: View, event: told.GrantEnded) -> View:
    place = view.grants.get(event.grant_id)
    if place is None:
        return view
    granted: Any = view.items[place]
    over = replace(granted, ended=event.cause, ended_at=event.at, ended_by=event.by, covered=event.covered)
    left = {other: at for other, at in view.grants.items() if other != event.grant_id}
    return replace(_set(view, place, over), grants=left)


# What makes a turn wait.


def _retry(view: View, event: told.Retrying) -> View:
    found = _found(view, "retry")
    retry = model.Retry(
        **(_base(f"retry:{event.line}", event) if found is None else _kept(found[1])),
        attempt=event.attempt,
        max_retries=event.max_retries,
        until=event.at + int(event.delay_ms),
        error_status=event.error_status,
        error=event.error,
    )
    return _open(view, retry, "retry") if found is None else _set(view, found[0], retry)


def _waited(view: View, event: Event) -> View:
    """Something came of it: whatever was tried again went on."""
    found = _found(view, "retry")
    if found is None:
        return view
    return _close(_set(view, found[0], replace(found[1], ended_at=event.at)), "retry")


def _compaction(view: View, event: told.Compaction) -> View:
    found = _found(view, "compaction")
    over = event.phase != "started"
    item = model.Compaction(
        **(_row("compaction", event) if found is None else _kept(found[1])),
        phase=event.phase,
        trigger=event.trigger or (found[1].trigger if found is not None else None),
        pre_tokens=event.pre_tokens,
        post_tokens=event.post_tokens,
        ended_at=event.at if over else None,
    )
    if found is not None:
        return _set(_close(view, "compaction") if over else view, found[0], item)
    return _add(view, item) if over else _open(view, item, "compaction")


def _limit(view: View, event: told.RateLimit) -> View:
    until = event.resets_at * 1000 if event.waiting and event.resets_at is not None else None
    after = replace(view, limited_until=until)
    if event.status == "allowed" and view.limited_until is None:
        return after
    limit = model.Limit(
        **_row("limit", event),
        message=event.rate_limit_message,
        status=event.status,
        window=event.window,
        utilization=event.utilization,
        resets_at=event.resets_at,
        waiting=event.waiting,
    )
    return _add(after, limit)


# What holds now.


def _status(view: View, event: told.SessionStatus) -> View:
    return replace(
        view,
        resting="idle",
        cli_session_id=event.cli_session_id,
        cli_version=event.cli_version or view.cli_version,
        cwd=event.cwd or view.cwd,
        model=event.model or view.model,
        mode=event.permission_mode or view.mode,
        requested_mode=event.requested_mode,
        mcp_servers=event.mcp_servers,
    )


def _commands(view: View, event: told.AvailableCommands) -> View:
    return replace(view, commands=event.available_commands)


def _mode(view: View, event: told.ModeChanged) -> View:
    if event.mode == view.mode:
        return view
    row = model.Change(**_row("mode", event), what="mode", value=event.mode, by=event.by)
    return replace(_add(view, row), mode=event.mode)


def _model(view: View, event: told.ModelChanged) -> View:
    if event.model == view.model:
        return view
    row = model.Change(**_row("model", event), what="model", value=event.model, by=event.by)
    return replace(_add(view, row), model=event.model)


def _context(view: View, event: told.ContextWindow) -> View:
    context = model.Context(
        used=event.context_window_used, size=event.context_window_size, remaining=event.context_window_remaining
    )
    return replace(view, context=context)


def _todos(view: View, event: told.Todos) -> View:
    return replace(view, todos=event.items)


# Work beside the turn.


def _task(view: View, event: told.TaskStarted) -> View:
    if event.background is False:
        return view
    task = model.Task(
        task_id=event.task_id,
        what=event.kind,
        title=event.title,
        tool_call_id=event.tool_call_id,
        started_at=event.at,
    )
    return replace(view, tasks=(*view.tasks, task))


def _task_went_on(view: View, event: told.TaskProgress) -> View:
    tasks = (replace(task, usage=event.usage) if task.task_id == event.task_id else task for task in view.tasks)
    return replace(view, tasks=tuple(tasks))


def _task_over(view: View, event: told.TaskEnded) -> View:
    task = next((task for task in view.tasks if task.task_id == event.task_id), None)
    if task is None:
        return view
    done = replace(task, usage=event.usage or task.usage)
    row = model.TaskDone(**_row("task", event), task=done, outcome=event.outcome)
    return replace(_add(view, row), tasks=tuple(other for other in view.tasks if other is not task))


# The rest of what is worth a line.


def _hook(view: View, event: told.Hook) -> View:
    if event.outcome == "started":
        return view
    row = model.Hooked(
        **_row("hook", event),
        hook_event=event.hook_event,
        name=event.name,
        outcome=event.outcome,
        output=event.output,
    )
    return _add(view, row)


def _error(view: View, event: told.Error) -> View:
    row = model.Failure(
        **_row("failure", event), what=event.kind, message=event.message, hint=event.hint, detail=event.detail
    )
    return _add(view, row)


def _notice(view: View, event: told.Notice) -> View:
    return _add(view, model.Notice(**_row("notice", event), level=event.level, text=event.text))


def _unknown(view: View, event: told.Unrecognised) -> View:
    row = model.Unknown(**_row("unknown", event), message_type=event.message_type, subtype=event.subtype)
    return _add(view, row)


def _asleep(view: View, event: told.SessionAsleep) -> View:
    return _stopped(_add(view, model.Asleep(**_row("asleep", event), idle_s=event.idle_s)), event, "asleep")


def _ended(view: View, event: told.SessionEnded) -> View:
    row = model.End(
        **_row("end", event),
        cause=event.cause,
        exit_code=event.exit_code,
        signal=event.signal,
        stderr_tail=event.stderr_tail,
    )
    return _stopped(_add(view, row), event, "ended" if event.cause == "ended" else "lost")


def _stopped(view: View, event: Event, resting: Any) -> View:
    """The process is gone, and with it what it was at. Calls and asks have events of their own for that."""
    after = _spoken(_waited(view, event), event, nested=True)
    return replace(_close(after, "compaction"), running=0, running_since=None, resting=resting, tasks=())


_FOLDS: Final[dict[type[Event], Callable[[View, Any], View]]] = {
    told.SessionStatus: _status,
    told.AvailableCommands: _commands,
    told.PromptAccepted: _prompt,
    told.TurnStarted: _turn,
    told.MessageChunk: _text,
    told.Reasoning: _thought,
    told.ToolCall: _call,
    told.ToolUpdate: _update,
    told.PermissionRequest: _request,
    told.PermissionResolved: _resolved,
    told.PermissionCancelled: _cancelled,
    told.PolicyDecided: _judged,
    told.GrantGiven: _granted,
    told.GrantEnded: _grant_over,
    told.ModeChanged: _mode,
    told.ModelChanged: _model,
    told.ContextWindow: _context,
    told.Todos: _todos,
    told.TaskStarted: _task,
    told.TaskProgress: _task_went_on,
    told.TaskEnded: _task_over,
    told.RateLimit: _limit,
    told.Retrying: _retry,
    told.Compaction: _compaction,
    told.Hook: _hook,
    told.Complete: _complete,
    told.Error: _error,
    told.SessionAsleep: _asleep,
    told.SessionEnded: _ended,
    told.Notice: _notice,
    told.Unrecognised: _unknown,
}
"""Every event there is."""
