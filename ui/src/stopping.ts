// How far a stop has come, from what is known of it; pure.

import type { AnyEvent } from "./protocol.gen";
import type { Sent, State } from "./state";

export type Stage = "saved" | "asked" | "heard" | "forced";

export interface Stopping {
  readonly stage: Stage;
  readonly forMs: number;
}

/** The last stop of the turn that runs; null: nobody asked for one, or it was refused. */
export function stoppingOf({ sent, link, now }: Pick<State, "sent" | "link" | "now">, session: string): Stopping | null {
  const last = Object.values(sent).findLast((one) => isStop(one, session));
  if (last === undefined || last.problem !== null) return null;
  const forMs = Math.max(0, now - last.at);
  if (last.receipt === null) return { stage: link.phase === "live" ? "asked" : "saved", forMs };
  if (last.receipt.receipt !== "taken") return null;
  return { stage: last.receipt.acknowledged === false ? "forced" : "heard", forMs };
}

/** Commands without the stops of turns that these events end. What was refused stays until it is read. */
export function stopped(sent: State["sent"], events: readonly AnyEvent[]): State["sent"] {
  const over = new Set(events.filter(({ type }) => type === "complete" || type === "session_ended").map((event) => event.session));
  const isOver = (one: Sent): boolean => one.command.type === "interrupt" && over.has(one.command.session ?? "") && one.problem === null && (one.receipt ?? { receipt: "taken" }).receipt === "taken";
  const kept = Object.entries(sent).filter(([, one]) => !isOver(one));
  return kept.length === Object.keys(sent).length ? sent : Object.fromEntries(kept);
}

const isStop = (one: Sent, session: string): boolean => one.command.type === "interrupt" && one.command.session === session;
