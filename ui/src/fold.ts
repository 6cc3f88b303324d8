// Events to what a reader sees: the twin of src/bascule/view/fold.py, function by function, on the same golden files.
// Total: any event, in any order, twice or never, gives a view.

import * as calls from "./fold/calls";
import * as now from "./fold/now";
import { EMPTY } from "./fold/place";
import * as turns from "./fold/turns";
import type { AnyEvent, AskItem, GrantedItem, Item, Status, View } from "./protocol.gen";

export { EMPTY };

/** What changes the queue changes nothing here: the hub keeps it, and who shows it asks for it. */
type Shown = Exclude<AnyEvent["type"], "queue_changed">;
type Folds = { readonly [T in Shown]: (view: View, event: Extract<AnyEvent, { type: T }>) => View };

const FOLDS: Folds = {
  session_status: now.sessionStatus,
  available_commands: (view, event) => ({ ...view, commands: event.available_commands }),
  prompt_accepted: turns.prompt,
  turn_started: turns.turn,
  message_chunk: turns.text,
  reasoning: turns.thought,
  tool_call: calls.call,
  tool_update: calls.update,
  permission_request: calls.request,
  permission_resolved: calls.resolved,
  permission_cancelled: calls.cancelled,
  policy_decided: calls.judged,
  grant_given: calls.granted,
  grant_ended: calls.grantOver,
  mode_changed: now.mode,
  model_changed: now.model,
  context_window: now.context,
  todos: (view, event) => ({ ...view, todos: event.items }),
  task_started: now.task,
  task_progress: now.taskWentOn,
  task_ended: now.taskOver,
  rate_limit: turns.limit,
  retrying: turns.retry,
  compaction: turns.compaction,
  hook: now.hook,
  complete: turns.complete,
  error: now.error,
  session_asleep: now.asleep,
  session_ended: now.ended,
  notice: now.notice,
  unrecognised: now.unknown,
};

/** `view` after one more event; a lasting one that it has seen changes nothing, and neither does one of a newer hub. */
export function fold(view: View, event: AnyEvent): View {
  return foldAll(view, [event]);
}

/** `view` after all of them, whose items are copied once: the time grows with the items and the events. */
export function foldAll(view: View, events: readonly AnyEvent[]): View {
  const draft = { ...view, items: [...view.items] };
  const folded = events.reduce(after, draft);
  return folded === draft ? view : folded;
}

/** Here and below the items are our own, and are changed where they are: a view that was gone on from is of no use. */
function after(draft: View, event: AnyEvent): View {
  if (event.seq !== null && event.seq <= draft.seq) return draft;
  const seen = event.seq === null ? draft : { ...draft, seq: event.seq };
  const folds = FOLDS[event.type as Shown] as ((view: View, event: AnyEvent) => View) | undefined;
  return folds === undefined ? seen : folds(seen, event);
}

/** What the session does now, in one word; what a person can do something about comes first. */
export function statusOf(view: View): Status {
  if (openAsks(view).length > 0) return "waiting";
  if (view.limited_until !== null) return "limited";
  if (view.running === 0) return view.resting;
  if ("retry" in view.open) return "retrying";
  return "compaction" in view.open ? "compacting" : "running";
}

/** Asks that wait, the oldest first. */
export function openAsks(view: View): readonly AskItem[] {
  return placed(view.open, view.items).filter((item) => item.kind === "ask");
}

/** Grants that hold, the oldest first. */
export function heldGrants(view: View): readonly GrantedItem[] {
  return placed(view.grants, view.items).filter((item) => item.kind === "grant");
}

function placed(places: Readonly<Record<string, number>>, items: readonly Item[]): Item[] {
  return Object.values(places).flatMap((place) => items[place] ?? []);
}
