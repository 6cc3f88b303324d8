// The transcript as rows: the tree of calls laid flat, what is closed left out, quiet reading put together.

import type { AskItem, CallItem, Item, View } from "../protocol.gen";

export type Row =
  | { readonly is: "item"; readonly key: string; readonly item: Item; readonly depth: number; readonly open: boolean; readonly inside: number; readonly live: string | null; readonly ask: AskItem | null }
  | { readonly is: "group"; readonly key: string; readonly calls: readonly CallItem[]; readonly depth: number; readonly open: boolean };

/** Whether they show the same: rows are made anew, what they show is not. */
export function isSame(a: Row, b: Row): boolean {
  if (a.is !== b.is || a.open !== b.open || a.depth !== b.depth) return false;
  if (a.is === "group") return b.is === "group" && a.calls.length === b.calls.length && a.calls.every((call, at) => call === b.calls[at]);
  return b.is === "item" && a.item === b.item && a.inside === b.inside && a.live === b.live && a.ask === b.ask;
}

/** What the reader opened or closed by hand, by key. */
export type Opened = Readonly<Record<string, boolean>>;

const DEEPEST = 4;
const QUIET = new Set(["read_file", "code_search"]);

/** `goal`: the key of an item that is looked for: what it lies in is opened. */
export function rowsOf(view: View, opened: Opened, goal: string | null = null): readonly Row[] {
  const calls = new Set(view.items.flatMap((item) => (item.kind === "call" ? [item.tool_call_id] : [])));
  const below = new Map<string | null, Item[]>();
  const asks = new Map<string, AskItem>();
  for (const item of view.items) {
    if (item.kind === "ask" && item.request.tool_call_id !== null && calls.has(item.request.tool_call_id)) asks.set(item.request.tool_call_id, item);
    const parent = item.parent !== null && calls.has(item.parent) ? item.parent : null;
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [item]);
    else siblings.push(item);
  }
  const rows: Row[] = [];
  walk(null, 0, { below, asks, opened: { ...around(view, goal), ...opened }, rows, goal });
  return rows;
}

function around(view: View, goal: string | null): Opened {
  const calls = new Map(view.items.flatMap((item) => (item.kind === "call" ? [[item.tool_call_id, item] as const] : [])));
  let at = goal === null ? undefined : view.items.find((item) => item.key === goal);
  const open: Record<string, boolean> = at?.kind === "call" ? { [at.key]: true } : {};
  while (at !== undefined && at.parent !== null) {
    at = calls.get(at.parent);
    if (at === undefined || open[at.key] === true) break;
    open[at.key] = true;
  }
  return open;
}

interface Walk {
  readonly goal: string | null;
  readonly below: ReadonlyMap<string | null, readonly Item[]>;
  readonly asks: ReadonlyMap<string, AskItem>;
  readonly opened: Opened;
  readonly rows: Row[];
}

function walk(parent: string | null, depth: number, at: Walk): void {
  let quiet: CallItem[] = [];
  const flush = () => {
    if (quiet.length > 1) group(quiet, depth, at);
    else for (const call of quiet) one(call, depth, at);
    quiet = [];
  };
  for (const item of at.below.get(parent) ?? []) {
    if (isQuiet(item, at.asks)) quiet.push(item);
    else {
      flush();
      one(item, depth, at);
    }
  }
  flush();
}

function isQuiet(item: Item, asks: ReadonlyMap<string, AskItem>): item is CallItem {
  return item.kind === "call" && item.status === "complete" && QUIET.has(item.payload.kind) && !asks.has(item.tool_call_id);
}

function group(calls: readonly CallItem[], depth: number, at: Walk): void {
  const key = `group:${calls[0]?.key ?? ""}`;
  const open = at.opened[key] ?? calls.some((call) => call.key === at.goal);
  at.rows.push({ is: "group", key, calls, depth, open });
  if (open) for (const call of calls) one(call, depth + 1, at);
}

function one(item: Item, depth: number, at: Walk): void {
  if (isHidden(item, at.asks)) return;
  const inside = item.kind === "call" ? (at.below.get(item.tool_call_id) ?? []) : [];
  const open = at.opened[item.key] ?? opensItself(item, depth);
  const ask = item.kind === "call" ? (at.asks.get(item.tool_call_id) ?? null) : null;
  at.rows.push({ is: "item", key: item.key, item, depth, open, inside: countCalls(inside), live: liveLine(inside), ask });
  if (open && item.kind === "call" && inside.length > 0) walk(item.tool_call_id, depth + 1, at);
}

/** What another row tells already: an open ask its call's, a subagent's good end its own. */
function isHidden(item: Item, asks: ReadonlyMap<string, AskItem>): boolean {
  if (item.kind === "ask") return item.ended_at === null && asks.has(item.request.tool_call_id ?? "");
  return item.kind === "task" && item.task.tool_call_id !== null && item.outcome === "completed";
}

function opensItself(item: Item, depth: number): boolean {
  if (item.kind !== "call") return false;
  if (item.payload.kind === "subagent_task") return item.status === "running" && depth < DEEPEST;
  return item.status === "error" || (item.payload.kind === "modify_file" && item.status === "complete") || item.payload.kind === "show_plan";
}

const countCalls = (items: readonly Item[]) => items.filter((item) => item.kind === "call").length;

function liveLine(items: readonly Item[]): string | null {
  const running = items.findLast((item) => item.kind === "call" && item.status === "running");
  return running?.kind === "call" ? running.title : null;
}
