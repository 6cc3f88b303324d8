// Prompts, turns, what is said and thought in them, and what makes them wait.

import type {
  CompactionEvent,
  CompactionItem,
  CompleteEvent,
  MessageChunkEvent,
  PromptAcceptedEvent,
  RateLimitEvent,
  ReasoningEvent,
  RetryItem,
  RetryingEvent,
  TextItem,
  ThoughtItem,
  TurnStartedEvent,
  View,
} from "../protocol.gen";
import { add, base, close, type Found, found, kept, open, row, set } from "./place";

type Said = TextItem | ThoughtItem;

export function prompt(view: View, event: PromptAcceptedEvent): View {
  return open(view, {
    kind: "prompt",
    ...base(`prompt:${event.prompt_id}`, event),
    prompt_id: event.prompt_id,
    text: event.text,
    attachments: event.attachments,
    by: event.by,
    surface: event.surface,
    disposition: event.disposition,
    state: "waiting",
  });
}

export function turn(view: View, event: TurnStartedEvent): View {
  const begun: View = { ...view, running: event.turn, running_since: event.at, resting: "idle", limited_until: null };
  return event.prompt_ids.reduce((after, id) => {
    const it = found(after, "prompt", `prompt:${id}`);
    return it === null ? after : set(after, it.place, { ...it.item, state: "running", turn: event.turn });
  }, begun);
}

export function complete(view: View, event: CompleteEvent): View {
  const heard = close(waited(view, event), "compaction");
  const done = event.prompt_ids.reduce((after, id) => settled(after, `prompt:${id}`, event), heard);
  const ended = add(spoken(done, event.at, false), {
    kind: "turn",
    ...base(`turn:${event.turn}`, event),
    outcome: event.outcome,
    cost_usd: event.cost_usd,
    duration_ms: event.duration_ms,
    rounds: event.num_turns,
    input_tokens: event.input_tokens,
    output_tokens: event.output_tokens,
    cache_read_tokens: event.cache_read_tokens,
    cache_creation_tokens: event.cache_creation_tokens,
    models: event.models,
    denied: event.permission_denials.length,
    structured: event.structured,
  });
  const cost = event.cost_usd === null ? view.cost_usd : (view.cost_usd ?? 0) + event.cost_usd;
  return { ...ended, running: 0, running_since: null, cost_usd: cost };
}

function settled(view: View, key: string, event: CompleteEvent): View {
  const it = found(view, "prompt", key);
  if (it === null) return view;
  return close(set(view, it.place, { ...it.item, state: "done", turn: event.turn }), key);
}

/** No more comes of texts that were cut; `nested`: of those of subagents neither. */
export function spoken(view: View, at: number, nested: boolean): View {
  return Object.entries(view.open).reduce((after, [key, place]) => {
    const item = after.items[place];
    if (item?.kind !== "text" && item?.kind !== "thought") return after;
    return nested || item.parent === null ? close(set(after, place, whole(item, at)), key) : after;
  }, view);
}

function whole(item: Said, at: number): Said {
  return item.kind === "text" ? { ...item, partial: false } : { ...item, partial: false, ended_at: at };
}

export function text(view: View, event: MessageChunkEvent): View {
  const key = `text:${event.item}`;
  const it = found(view, "text", key);
  const before = it !== null && event.partial ? it.item.text : "";
  const item: TextItem = {
    kind: "text",
    ...(it === null ? base(key, event) : kept(it.item)),
    text: before + event.text,
    partial: event.partial,
  };
  return chunk(view, it, item, event);
}

export function thought(view: View, event: ReasoningEvent): View {
  const key = `thought:${event.item}`;
  const it = found(view, "thought", key);
  const before = it !== null && event.partial ? it.item.text : "";
  const item: ThoughtItem = {
    kind: "thought",
    ...(it === null ? base(key, event) : kept(it.item)),
    text: before + event.reasoning_text,
    partial: event.partial,
    ended_at: it === null || event.partial ? null : event.at,
  };
  return chunk(view, it, item, event);
}

function chunk(view: View, it: Found<"text" | "thought">, item: Said, event: MessageChunkEvent | ReasoningEvent): View {
  const heard = waited(view, event);
  if (it === null) return event.partial ? open(heard, item) : add(heard, item);
  const placed = set(heard, it.place, item);
  return event.partial ? placed : close(placed, item.key);
}

export function retry(view: View, event: RetryingEvent): View {
  const it = found(view, "retry", "retry");
  const item: RetryItem = {
    kind: "retry",
    ...(it === null ? base(`retry:${event.line}`, event) : kept(it.item)),
    attempt: event.attempt,
    max_retries: event.max_retries,
    until: event.at + Math.trunc(event.delay_ms),
    error_status: event.error_status,
    error: event.error,
    ended_at: null,
  };
  return it === null ? open(view, item, "retry") : set(view, it.place, item);
}

/** Something came of it: whatever was tried again went on. */
export function waited(view: View, event: { readonly at: number }): View {
  const it = found(view, "retry", "retry");
  return it === null ? view : close(set(view, it.place, { ...it.item, ended_at: event.at }), "retry");
}

export function compaction(view: View, event: CompactionEvent): View {
  const it = found(view, "compaction", "compaction");
  const over = event.phase !== "started";
  const item: CompactionItem = {
    kind: "compaction",
    ...(it === null ? row("compaction", event) : kept(it.item)),
    phase: event.phase,
    trigger: event.trigger ?? it?.item.trigger ?? null,
    pre_tokens: event.pre_tokens,
    post_tokens: event.post_tokens,
    ended_at: over ? event.at : null,
  };
  if (it !== null) return set(over ? close(view, "compaction") : view, it.place, item);
  return over ? add(view, item) : open(view, item, "compaction");
}

export function limit(view: View, event: RateLimitEvent): View {
  const until = event.waiting && event.resets_at !== null ? event.resets_at * 1000 : null;
  const after = { ...view, limited_until: until };
  if (event.status === "allowed" && view.limited_until === null) return after;
  return add(after, {
    kind: "limit",
    ...row("limit", event),
    message: event.rate_limit_message,
    status: event.status,
    window: event.window,
    utilization: event.utilization,
    resets_at: event.resets_at,
    waiting: event.waiting,
  });
}
