// Items and their places: how a view gets one more, changes one, and knows which may still change.

import type { AnyEvent, Item, View } from "../protocol.gen";

export type Of<K extends Item["kind"]> = Extract<Item, { kind: K }>;
export type Found<K extends Item["kind"]> = { readonly place: number; readonly item: Of<K> } | null;

export const EMPTY: View = {
  items: [],
  open: {},
  seq: 0,
  running: 0,
  running_since: null,
  resting: "starting",
  limited_until: null,
  cli_session_id: null,
  cli_version: null,
  cwd: null,
  model: null,
  mode: null,
  requested_mode: null,
  mcp_servers: [],
  commands: [],
  context: null,
  todos: [],
  tasks: [],
  grants: {},
  cost_usd: null,
};

export function add(view: View, item: Item): View {
  (view.items as Item[]).push(item);
  return { ...view };
}

/** One that may still change; `name`: of that kind there is one at a time. */
export function open(view: View, item: Item, name: string = item.key): View {
  const after = add(view, item);
  return { ...after, open: { ...after.open, [name]: after.items.length - 1 } };
}

export function close(view: View, key: string): View {
  return { ...view, open: without(view.open, key) };
}

export function set(view: View, place: number, item: Item): View {
  (view.items as Item[])[place] = item;
  return { ...view };
}

export function found<K extends Item["kind"]>(view: View, kind: K, key: string): Found<K> {
  const place = view.open[key];
  const item = place === undefined ? undefined : view.items[place];
  return place !== undefined && isOf(item, kind) ? { place, item } : null;
}

export function isOf<K extends Item["kind"]>(item: Item | undefined, kind: K): item is Of<K> {
  return item?.kind === kind;
}

export function without<T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== key));
}

type Base = Pick<Item, "key" | "at" | "turn" | "parent">;

/** What all items have, for an item of this event. */
export function base(key: string, event: AnyEvent): Base {
  const parent = "parent_tool_call_id" in event ? event.parent_tool_call_id : null;
  return { key, at: event.at, turn: event.turn, parent };
}

/** The same for an item of its own, which has no name but its number. */
export function row(name: string, event: AnyEvent): Base {
  return base(`${name}:${event.seq ?? "None"}`, event);
}

export function kept(item: Item): Base {
  return { key: item.key, at: item.at, turn: item.turn, parent: item.parent };
}
