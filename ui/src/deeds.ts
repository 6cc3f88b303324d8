// What can be done to the session in view, as values: its menu and the palette show the same. Pure.

import { type Action, interrupt, newId } from "./actions";
import type { SessionFacts } from "./protocol.gen";
import { facts, type State } from "./state";

export interface Deed {
  readonly key: string;
  readonly name: string;
  readonly icon: "back" | "branch" | "close" | "edit" | "ended" | "idle" | "retry" | "stop" | "undo";
  readonly about: string;
  readonly action: Action;
  /** What is asked before it is done. */
  readonly sure?: string;
}

/** In the order in which they stand; those that the key, or the state, does not allow are left out. */
export function deedsOf(state: State): readonly Deed[] {
  const { pane, me } = state;
  const role = me?.role ?? "viewer";
  const known = pane === null ? null : facts(state, pane.id);
  if (pane === null || known === null || role === "viewer") return [];
  const all = [...working(pane.id, pane.view.running !== 0, known), ...(role === "owner" ? owning(pane.id, known) : [])];
  return all.filter((deed): deed is Deed => deed !== null);
}

function working(session: string, running: boolean, known: SessionFacts): readonly (Deed | null)[] {
  const isOver = OVER.has(known.status);
  return [
    running ? { key: "stop", name: "Stop the turn", icon: "stop", about: "What waits is held", action: send(interrupt(session)) } : null,
    { key: "rename", name: "Rename…", icon: "edit", about: "", action: { do: "sheet", sheet: "rename" } },
    !running && known.turns > 0 && !isOver ? { key: "retry", name: "Try the last turn again", icon: "retry", about: "Its prompt is said once more, from before it. Files stay as they are.", action: send({ type: "retry", command_id: newId(), session }) } : null,
  ];
}

/** What costs a process, or ends one. */
function owning(session: string, known: SessionFacts): readonly (Deed | null)[] {
  const isOver = OVER.has(known.status);
  return [
    known.turns > 0 ? { key: "fork", name: "Fork", icon: "branch", about: "Go on in a copy; this one stays as it is", action: send({ type: "fork", command_id: newId(), session }) } : null,
    known.status === "quarantined" ? { key: "fresh", name: "Begin anew here", icon: "undo", about: "With a new conversation, in the same folder", action: send({ type: "fresh", command_id: newId(), session }) } : null,
    known.status === "idle" ? { key: "sleep", name: "Put to sleep", icon: "idle", about: "Its process ends; the next prompt wakes it", action: send({ type: "sleep", command_id: newId(), session }) } : null,
    isOver ? null : { key: "end", name: "End the session", icon: "ended", about: "Running work is given its grace, then stopped", action: send({ type: "end", command_id: newId(), session }), sure: "Yes, end it" },
    known.archived
      ? { key: "back", name: "Put back on the list", icon: "back", about: "", action: send({ type: "archive", command_id: newId(), session, archived: false }) }
      : { key: "archive", name: "Archive", icon: "close", about: "It ends, and leaves the list", action: send({ type: "archive", command_id: newId(), session }), sure: "Yes, end and archive it" },
  ];
}

const OVER: ReadonlySet<SessionFacts["status"]> = new Set(["ended", "lost"]);

const send = (command: Extract<Action, { do: "send" }>["command"]): Action => ({ do: "send", command });
