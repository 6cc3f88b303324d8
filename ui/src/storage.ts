// What outlives the page: drafts, the theme, and commands that the hub has not answered.

import type { Sent, State } from "./state";

const KEY = "bascule";

type Kept = Pick<State, "drafts" | "theme" | "diffs" | "sent">;

export function kept(): Partial<Kept> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof found === "object" && found !== null ? (found as Partial<Kept>) : {};
  } catch {
    return {};
  }
}

export function keep({ drafts, theme, diffs, sent }: State): void {
  const open = Object.fromEntries(Object.entries(sent).filter(([, one]) => waits(one)));
  try {
    localStorage.setItem(KEY, JSON.stringify({ drafts, theme, diffs, sent: open }));
  } catch {
    // A full or forbidden storage loses a draft on reload, and nothing else.
  }
}

/** Leaving the page takes back what was held for a change of mind: the ask stays open. */
export function forget(state: State): void {
  keep({ ...state, sent: Object.fromEntries(Object.entries(state.sent).filter(([, one]) => one.heldUntil === null)) });
}

const waits = (one: Sent): boolean => one.receipt === null && one.problem === null && one.heldUntil === null;
