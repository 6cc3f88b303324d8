// Conversations that Claude Code keeps, as they are looked for page by page. Pure.

import type { PastConversation, PastPage } from "./protocol.gen";

export interface Past {
  readonly words: string;
  readonly found: readonly PastConversation[];
  /** What the next page begins after; null: there is none, or the first has not come. */
  readonly after: string | null;
  readonly phase: "loading" | "live" | "failed";
  readonly problem: string | null;
}

/** They are asked for: anew when the words are others, else behind those that are there. */
export function lookedFor(past: Past | null, words: string, more: boolean): Past {
  const kept = more ? past : null;
  return { words, found: kept?.found ?? [], after: kept?.after ?? null, phase: "loading", problem: null };
}

/** A page came. One that began elsewhere, or was looked for by other words, is of no use any more. */
export function pageCame(past: Past | null, words: string, began: string | null, page: PastPage): Past | null {
  if (past === null || past.words !== words || past.after !== began || past.phase !== "loading") return past;
  const known = new Set(past.found.map((one) => one.id));
  const found = [...past.found, ...page.conversations.filter((one) => !known.has(one.id))];
  return { ...past, found, after: page.after, phase: "live" };
}

export function pageFailed(past: Past | null, words: string, problem: string): Past | null {
  return past === null || past.words !== words ? past : { ...past, phase: "failed", problem };
}
