// What outlives the page: drafts, the theme, and commands that the hub has not answered.

import type { Sent, State } from "./state";

const KEY = "bascule";

type Kept = Pick<State, "drafts" | "theme" | "diffs" | "letters" | "sent">;

export function kept(): Partial<Kept> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof found === "object" && found !== null ? (found as Partial<Kept>) : {};
  } catch {
    return {};
  }
}

export function keep({ drafts, theme, letters, diffs, sent }: State): void {
  const open = Object.fromEntries(Object.entries(sent).filter(([, one]) => waits(one)));
  if (stored({ drafts, theme, letters, diffs, sent: open })) return;
  // With pictures it can be too much for a browser; a forbidden storage loses a draft on reload, and nothing else.
  stored({ drafts, theme, letters, diffs, sent: Object.fromEntries(Object.entries(open).filter(([, one]) => !isLarge(one))) });
}

function stored(what: Kept): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(what));
    return true;
  } catch {
    return false;
  }
}

const isLarge = ({ command }: Sent): boolean => command.type === "prompt" && (command.attachments ?? []).length > 0;

/** Leaving the page takes back what was held for a change of mind: the ask stays open. */
export function forget(state: State): void {
  keep({ ...state, sent: Object.fromEntries(Object.entries(state.sent).filter(([, one]) => one.heldUntil === null)) });
}

const waits = (one: Sent): boolean => one.receipt === null && one.problem === null && one.heldUntil === null;
