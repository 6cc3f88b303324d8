// What a person can do on the page, as values, and what each makes of the state. What leaves the page is main.tsx's.

import { lookedFor } from "./past";
import type { Decision, HubCommand } from "./protocol.gen";
import { emptyPane, type Route, type State } from "./state";

export type Action =
  | { readonly do: "go"; readonly route: Route }
  | { readonly do: "draft"; readonly session: string; readonly text: string }
  | { readonly do: "files"; readonly session: string; readonly beginning: string }
  | { readonly do: "send"; readonly command: HubCommand; readonly holdMs?: number }
  | { readonly do: "take back"; readonly id: string }
  | { readonly do: "let go"; readonly id: string }
  | { readonly do: "dismiss"; readonly id: string }
  | { readonly do: "theme"; readonly theme: State["theme"] }
  | { readonly do: "diffs"; readonly diffs: State["diffs"] }
  | { readonly do: "past"; readonly words: string; readonly more: boolean }
  | { readonly do: "sheet"; readonly sheet: State["sheet"] }
  | { readonly do: "login"; readonly token: string }
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "more"; readonly before: number }
  | { readonly do: "again" };

export type Act = (action: Action) => void;

export function reduced(state: State, action: Action): State {
  switch (action.do) {
    case "go":
      return gone(state, action.route);
    case "draft":
      return { ...state, drafts: { ...state.drafts, [action.session]: action.text } };
    case "send":
      return sent(state, action.command, action.holdMs ?? 0);
    case "take back":
    case "dismiss":
      return { ...state, sent: Object.fromEntries(Object.entries(state.sent).filter(([id]) => id !== action.id)) };
    case "let go":
      return letGo(state, action.id);
    case "theme":
      return { ...state, theme: action.theme };
    case "diffs":
      return { ...state, diffs: action.diffs };
    case "past":
      return { ...state, past: lookedFor(state.past, action.words, action.more) };
    case "sheet":
      return { ...state, sheet: action.sheet };
    case "say":
      return { ...state, said: action.text };
    case "login":
      return { ...state, doorProblem: null };
    case "files":
    case "more":
    case "again":
      return state;
    default:
      return action satisfies never;
  }
}

function gone(state: State, route: Route): State {
  const pane = route.at !== "session" ? null : state.pane?.id === route.id ? state.pane : emptyPane(route.id);
  return { ...state, route, pane, sheet: null };
}

function sent(state: State, command: HubCommand, holdMs: number): State {
  const heldUntil = holdMs > 0 ? state.now + holdMs : null;
  const one = { command, at: state.now, receipt: null, problem: null, heldUntil };
  const drafts = command.type === "prompt" ? { ...state.drafts, [command.session ?? ""]: "" } : state.drafts;
  return { ...state, drafts, sent: { ...state.sent, [command.command_id]: one } };
}

function letGo(state: State, id: string): State {
  const one = state.sent[id];
  return one === undefined ? state : { ...state, sent: { ...state.sent, [id]: { ...one, heldUntil: null } } };
}

/** Ids work over plain http as well, where `crypto.randomUUID` does not. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function decide(session: string, pending: string, hash: string, decision: Decision): HubCommand {
  return { type: "decide", command_id: newId(), session, pending_id: pending, input_hash: hash, decision };
}

export function prompt(session: string, text: string, when: "queue" | "steer" | "now"): HubCommand {
  return { type: "prompt", command_id: newId(), session, text, when };
}

export function interrupt(session: string): HubCommand {
  return { type: "interrupt", command_id: newId(), session };
}
