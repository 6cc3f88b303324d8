// What a person can do on the page, as values, and what each makes of the state. What leaves the page is main.tsx's.

import { type Attached, placed } from "./attachments";
import { lookedFor } from "./past";
import type { AttachmentData, Decision, HubCommand, PromptCommand } from "./protocol.gen";
import { emptyPane, type Route, type State } from "./state";

export type Action =
  | { readonly do: "go"; readonly route: Route }
  | { readonly do: "draft"; readonly session: string; readonly text: string }
  | { readonly do: "attach"; readonly session: string; readonly files: readonly { readonly id: string; readonly file: File }[] }
  | { readonly do: "attached"; readonly session: string; readonly one: Attached }
  | { readonly do: "detach"; readonly session: string; readonly id: string }
  | { readonly do: "search"; readonly words: string }
  | { readonly do: "files"; readonly session: string; readonly beginning: string }
  | { readonly do: "send"; readonly command: HubCommand; readonly holdMs?: number }
  | { readonly do: "take back"; readonly id: string }
  | { readonly do: "let go"; readonly id: string }
  | { readonly do: "dismiss"; readonly id: string }
  | { readonly do: "letters"; readonly letters: boolean }
  | { readonly do: "theme"; readonly theme: State["theme"] }
  | { readonly do: "panel"; readonly panel: State["panel"] }
  | { readonly do: "read"; readonly session: string; readonly path: string }
  | { readonly do: "diffs"; readonly diffs: State["diffs"] }
  | { readonly do: "past"; readonly words: string; readonly more: boolean }
  | { readonly do: "sheet"; readonly sheet: State["sheet"] }
  | { readonly do: "shut"; readonly sheet: State["sheet"] }
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
    case "attach":
      return attaching(state, action.session, (list) => [...list, ...action.files.map(({ id, file }) => ({ id, name: file.name, is: "reading" as const }))]);
    case "attached":
      return attaching(state, action.session, (list) => placed(list, action.one));
    case "detach":
      return attaching(state, action.session, (list) => list.filter(({ id }) => id !== action.id));
    case "send":
      return sent(state, action.command, action.holdMs ?? 0);
    case "take back":
    case "dismiss":
      return { ...state, sent: Object.fromEntries(Object.entries(state.sent).filter(([id]) => id !== action.id)) };
    case "let go":
      return letGo(state, action.id);
    case "letters":
      return { ...state, letters: action.letters };
    case "theme":
      return { ...state, theme: action.theme };
    case "panel":
      return { ...state, panel: action.panel };
    case "read":
      return { ...state, read: { session: action.session, path: action.path, text: null, problem: null } };
    case "diffs":
      return { ...state, diffs: action.diffs };
    case "past":
      return { ...state, past: lookedFor(state.past, action.words, action.more) };
    case "sheet":
      return { ...state, sheet: action.sheet };
    case "shut": // A dialog tells late that it closed: another one may be open by then.
      return state.sheet === action.sheet ? { ...state, sheet: null } : state;
    case "say":
      return { ...state, said: action.text };
    case "login":
      return { ...state, doorProblem: null };
    case "search":
      return { ...state, search: searched(state.search, action.words.trim()) };
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
  const stays = route.at === "session" && route.id === state.pane?.id && route.item === undefined;
  return { ...state, route, pane, sheet: null, panel: stays ? state.panel : null };
}

/** What was found for other words is shown until these are answered. */
function searched(before: State["search"], words: string): State["search"] {
  return words === "" ? null : { words, hits: before?.hits ?? null, problem: null };
}

function attaching(state: State, session: string, change: (list: readonly Attached[]) => readonly Attached[]): State {
  return { ...state, attached: { ...state.attached, [session]: change(state.attached[session] ?? []) } };
}

/** What was written is said now; a prompt that came from elsewhere leaves the draft as it is. */
function said({ drafts, attached }: State, { session = "", text }: PromptCommand): Pick<State, "drafts" | "attached"> {
  if (drafts[session] !== text) return { drafts, attached };
  return { drafts: { ...drafts, [session]: "" }, attached: { ...attached, [session]: [] } };
}

function sent(state: State, command: HubCommand, holdMs: number): State {
  const heldUntil = holdMs > 0 ? state.now + holdMs : null;
  const one = { command, at: state.now, receipt: null, problem: null, heldUntil };
  return { ...state, ...(command.type === "prompt" ? said(state, command) : {}), sent: { ...state.sent, [command.command_id]: one } };
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

export function prompt(session: string, text: string, when: "queue" | "steer" | "now", attachments: readonly AttachmentData[] = []): HubCommand {
  return { type: "prompt", command_id: newId(), session, text, when, ...(attachments.length > 0 ? { attachments } : {}) };
}

export function interrupt(session: string): HubCommand {
  return { type: "interrupt", command_id: newId(), session };
}

export const TRUST_MINUTES = 15;

/** Files in the workspace may be changed unasked, for a while. */
export function trustEdits(session: string): HubCommand {
  return { type: "trust", command_id: newId(), session, what: "edits", minutes: TRUST_MINUTES };
}
