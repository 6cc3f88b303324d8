// Calls, the asks about them, and what was allowed for longer.

import type {
  AskItem,
  GrantEndedEvent,
  GrantGivenEvent,
  PermissionCancelledEvent,
  PermissionRequestEvent,
  PermissionResolvedEvent,
  PolicyDecidedEvent,
  ToolCallEvent,
  ToolUpdateEvent,
  View,
} from "../protocol.gen";
import { add, base, close, found, isOf, open, row, set, without } from "./place";
import { waited } from "./turns";

export function call(view: View, event: ToolCallEvent): View {
  return open(waited(view, event), {
    kind: "call",
    ...base(`call:${event.tool_call_id}`, event),
    tool_call_id: event.tool_call_id,
    tool_name: event.tool_name,
    title: event.tool_title,
    status: event.tool_status,
    payload: event.normalized,
    elapsed_s: null,
    ended_at: null,
    verdict: null,
  });
}

export function update(view: View, event: ToolUpdateEvent): View {
  const key = `call:${event.tool_call_id}`;
  const it = found(view, "call", key);
  if (it === null) return unseen(view, event);
  const done = event.tool_status !== "running";
  const placed = set(view, it.place, {
    ...it.item,
    status: event.tool_status,
    payload: event.normalized,
    elapsed_s: event.elapsed_s ?? it.item.elapsed_s,
    ended_at: done ? event.at : null,
  });
  return done ? close(placed, key) : placed;
}

/** The end of a call that began before what is in view; that it goes on shows nothing. */
function unseen(view: View, event: ToolUpdateEvent): View {
  if (event.tool_status === "running") return view;
  return add(view, {
    kind: "call",
    ...base(`call:${event.tool_call_id}`, event),
    tool_call_id: event.tool_call_id,
    tool_name: "",
    title: "",
    status: event.tool_status,
    payload: event.normalized,
    elapsed_s: event.elapsed_s,
    ended_at: event.at,
    verdict: null,
  });
}

export function request(view: View, event: PermissionRequestEvent): View {
  const it = event.tool_call_id === null ? null : found(view, "call", `call:${event.tool_call_id}`);
  return open(view, {
    kind: "ask",
    ...base(`ask:${event.pending_id}`, event),
    parent: it?.item.parent ?? null,
    request: event,
    answer: null,
    cancelled: null,
    ended_at: null,
  });
}

export function resolved(view: View, event: PermissionResolvedEvent): View {
  const { outcome, at, by, surface, reason, rule, scope, edited, waited_ms, choosable } = event;
  const answer = { outcome, at, by, surface, reason, rule, scope, edited, waited_ms, choosable };
  return over(view, event, { answer });
}

export function cancelled(view: View, event: PermissionCancelledEvent): View {
  return over(view, event, { cancelled: event.cause });
}

function over(
  view: View,
  event: PermissionResolvedEvent | PermissionCancelledEvent,
  how: Partial<Pick<AskItem, "answer" | "cancelled">>,
): View {
  const key = `ask:${event.pending_id}`;
  const it = found(view, "ask", key);
  return it === null ? view : close(set(view, it.place, { ...it.item, ...how, ended_at: event.at }), key);
}

export function judged(view: View, event: PolicyDecidedEvent): View {
  const verdict = { verdict: event.verdict, rule: event.rule, reason: event.reason };
  const it = event.tool_call_id === null ? null : found(view, "call", `call:${event.tool_call_id}`);
  if (it === null) return add(view, { kind: "judged", ...row("judged", event), verdict });
  return set(view, it.place, { ...it.item, verdict });
}

export function granted(view: View, event: GrantGivenEvent): View {
  const after = add(view, {
    kind: "grant",
    ...row("grant", event),
    grant: event,
    ended: null,
    ended_at: null,
    ended_by: null,
    covered: 0,
  });
  return { ...after, grants: { ...after.grants, [event.grant_id]: after.items.length - 1 } };
}

export function grantOver(view: View, event: GrantEndedEvent): View {
  const place = view.grants[event.grant_id];
  const item = place === undefined ? undefined : view.items[place];
  if (place === undefined || !isOf(item, "grant")) return view;
  const ended = { ...item, ended: event.cause, ended_at: event.at, ended_by: event.by, covered: event.covered };
  return { ...set(view, place, ended), grants: without(view.grants, event.grant_id) };
}
