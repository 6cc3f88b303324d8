// What the live region, the title and the favicon say of asks. Pure.

import { openAsks } from "./fold";
import type { OpenAsk } from "./protocol.gen";
import type { State } from "./state";
import { headingOf } from "./view/ask/props";

/** The words for asks that are new since `before`; empty: nothing to say. */
export function announced(before: State, after: State): string {
  const known = new Set(before.asks.map(idOf));
  const fresh = after.asks.filter((ask) => !known.has(idOf(ask)));
  return fresh.map(wordsOf).join(" ");
}

const idOf = (ask: OpenAsk): string => `${ask.session} ${ask.request.pending_id}`;

function wordsOf(ask: OpenAsk): string {
  const marks = [...new Set([...ask.request.marks, ...ask.request.parts.flatMap((part) => part.marks)].map((mark) => mark.mark))];
  const told = marks.length === 0 ? "" : ` Marks: ${marks.join(", ")}.`;
  return `${ask.title || "A session"} waits for you: ${headingOf(ask.request).toLowerCase()}.${told}`;
}

export function titleOf(state: State): string {
  const count = Math.max(state.asks.length, state.pane === null ? 0 : openAsks(state.pane.view).length);
  return count === 0 ? "bascule" : `(${count}) bascule`;
}
