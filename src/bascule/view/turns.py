"""Prompts, turns, what is said and thought in them, and what makes them wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from bascule import events as told
from bascule.events import Event
from bascule.view import model
from bascule.view.model import Item, View
from bascule.view.place import add, add_open, base, close, find, kept, put, row


def _prompt(view: View, event: told.PromptAccepted) -> View:
    prompt = model.Prompt(
        **base(f"prompt:{event.prompt_id}", event),
        prompt_id=event.prompt_id,
        text=event.text,
        attachments=event.attachments,
        by=event.by,
        surface=event.surface,
        disposition=event.disposition,
    )
    return add_open(view, prompt)


def _turn(view: View, event: told.TurnStarted) -> View:
    after = replace(view, running=event.turn, running_since=event.at, resting="idle", limited_until=None)
    for prompt_id in event.prompt_ids:
        found = find(after, f"prompt:{prompt_id}")
        if found is not None:
            after = put(after, found[0], replace(found[1], state="running", turn=event.turn))
    return after


def _complete(view: View, event: told.Complete) -> View:
    after = close(waited(view, event), "compaction")
    for prompt_id in event.prompt_ids:
        after = _settled(after, f"prompt:{prompt_id}", event)
    end = model.TurnEnd(
        **base(f"turn:{event.turn}", event),
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
    return replace(add(spoken(after, event, nested=False), end), running=0, running_since=None, cost_usd=cost)


def _settled(view: View, key: str, event: told.Complete) -> View:
    found = find(view, key)
    if found is None:
        return view
    return close(put(view, found[0], replace(found[1], state="done", turn=event.turn)), key)


def spoken(view: View, event: Event, *, nested: bool) -> View:
    """No more comes of texts that were cut; ``nested``: of those of subagents neither."""
    for key, place in view.open.items():
        item = view.items[place]
        if isinstance(item, model.Text | model.Thought) and (nested or item.parent is None):
            view = close(put(view, place, _whole(item, event.at)), key)
    return view


def _whole(item: model.Text | model.Thought, at: int) -> Item:
    if isinstance(item, model.Text):
        return replace(item, partial=False)
    return replace(item, partial=False, ended_at=at)


def _text(view: View, event: told.MessageChunk) -> View:
    key = f"text:{event.item}"
    found = find(view, key)
    before = found[1].text if found is not None and event.partial else ""
    shared = base(key, event) if found is None else kept(found[1])
    return _chunk(view, found, model.Text(**shared, text=before + event.text, partial=event.partial), event)


def _thought(view: View, event: told.Reasoning) -> View:
    key = f"thought:{event.item}"
    found = find(view, key)
    before = found[1].text if found is not None and event.partial else ""
    shared = base(key, event) if found is None else kept(found[1])
    thought = model.Thought(
        **shared,
        text=before + event.reasoning_text,
        partial=event.partial,
        ended_at=None if found is None or event.partial else event.at,
    )
    return _chunk(view, found, thought, event)


def _chunk(
    view: View,
    found: tuple[int, Any] | None,
    item: model.Text | model.Thought,
    event: told.MessageChunk | told.Reasoning,
) -> View:
    heard = waited(view, event)
    if found is None:
        return add_open(heard, item) if event.partial else add(heard, item)
    placed = put(heard, found[0], item)
    return placed if event.partial else close(placed, item.key)


def _retry(view: View, event: told.Retrying) -> View:
    found = find(view, "retry")
    retry = model.Retry(
        **(base(f"retry:{event.line}", event) if found is None else kept(found[1])),
        attempt=event.attempt,
        max_retries=event.max_retries,
        until=event.at + int(event.delay_ms),
        error_status=event.error_status,
        error=event.error,
    )
    return add_open(view, retry, "retry") if found is None else put(view, found[0], retry)


def waited(view: View, event: Event) -> View:
    """Something came of it: whatever was tried again went on."""
    found = find(view, "retry")
    if found is None:
        return view
    return close(put(view, found[0], replace(found[1], ended_at=event.at)), "retry")


def _compaction(view: View, event: told.Compaction) -> View:
    found = find(view, "compaction")
    over = event.phase != "started"
    item = model.Compaction(
        **(row("compaction", event) if found is None else kept(found[1])),
        phase=event.phase,
        trigger=event.trigger or (found[1].trigger if found is not None else None),
        pre_tokens=event.pre_tokens,
        post_tokens=event.post_tokens,
        ended_at=event.at if over else None,
    )
    if found is not None:
        return put(close(view, "compaction") if over else view, found[0], item)
    return add(view, item) if over else add_open(view, item, "compaction")


def _limit(view: View, event: told.RateLimit) -> View:
    until = event.resets_at * 1000 if event.waiting and event.resets_at is not None else None
    after = replace(view, limited_until=until)
    if event.status == "allowed" and view.limited_until is None:
        return after
    limit = model.Limit(
        **row("limit", event),
        message=event.rate_limit_message,
        status=event.status,
        window=event.window,
        utilization=event.utilization,
        resets_at=event.resets_at,
        waiting=event.waiting,
    )
    return add(after, limit)


FOLDS: Final[dict[type[Event], Callable[[View, Any], View]]] = {
    told.PromptAccepted: _prompt,
    told.TurnStarted: _turn,
    told.MessageChunk: _text,
    told.Reasoning: _thought,
    told.RateLimit: _limit,
    told.Retrying: _retry,
    told.Compaction: _compaction,
    told.Complete: _complete,
}
