// All that the page knows, as one value, and how it changes. Pure; the clock and the network are main.tsx's and socket.ts's.

import type { Attached } from "./attachments";
import { EMPTY, fold, foldAll } from "./fold";
import type { Past } from "./past";
import type { AnyEvent, Found, GitState, HubCommand, Me, OpenAsk, Problem, Queued, Receipt, SessionFacts, View, Window } from "./protocol.gen";
import { stopped } from "./stopping";
import type { FoundFiles } from "./suggest";

export type Route =
  | { readonly at: "sessions" }
  | { readonly at: "inbox" }
  /** `item`: the key of the one to look at. */
  | { readonly at: "session"; readonly id: string; readonly item?: string };

export type Link =
  | { readonly phase: "connecting" }
  | { readonly phase: "live" }
  | { readonly phase: "away"; readonly since: number; readonly nextTry: number };

/** A command on its way: shown until its receipt is, and never taken for done before that. */
export interface Sent {
  readonly command: HubCommand;
  readonly at: number;
  readonly receipt: Receipt | null;
  readonly problem: Problem | null;
  /** Not sent before that time: it can be taken back. */
  readonly heldUntil: number | null;
}

/** What is shown of one session. */
export interface Pane {
  readonly id: string;
  readonly view: View;
  readonly events: readonly AnyEvent[];
  readonly queue: readonly Queued[];
  readonly phase: "loading" | "live" | "failed";
  readonly problem: string | null;
  readonly early: readonly AnyEvent[];
  /** When Claude was last heard of (UTC ms): what a tool or the hub says by the clock does not count. */
  readonly heardAt: number;
}

/** What of a session's work is looked at in place of its transcript. */
export type PanelName = "changes" | "rewind" | "grants" | "take";

/** The workspace as git saw it when it was asked. */
export interface Work {
  readonly session: string;
  readonly git: GitState | null;
  readonly problem: string | null;
}

/** A file of a workspace, as it is being read. */
export interface ReadFile {
  readonly session: string;
  readonly path: string;
  readonly text: string | null;
  readonly problem: string | null;
}

/** A search in all transcripts, and what came of it. */
export interface Search {
  readonly words: string;
  readonly hits: readonly Found[] | null;
  readonly problem: string | null;
}

export interface State {
  readonly read: ReadFile | null;
  readonly panel: PanelName | null;
  readonly work: Work | null;
  readonly route: Route;
  readonly door: "checking" | "out" | "in";
  readonly doorProblem: string | null;
  readonly me: Me | null;
  readonly link: Link;
  readonly sessions: readonly SessionFacts[] | null;
  readonly sessionsProblem: string | null;
  readonly asks: readonly OpenAsk[];
  readonly pane: Pane | null;
  readonly drafts: Readonly<Record<string, string>>;
  readonly attached: Readonly<Record<string, readonly Attached[]>>;
  readonly files: FoundFiles | null;
  readonly search: Search | null;
  readonly past: Past | null;
  readonly sent: Readonly<Record<string, Sent>>;
  /** Whether single letters are keys: whoever speaks to a computer may not want them. */
  readonly letters: boolean;
  readonly theme: "system" | "dark" | "light";
  readonly diffs: "unified" | "split";
  readonly touch: boolean;
  /** Less than 720 px wide: one column of everything. */
  readonly narrow: boolean;
  readonly sheet: "find" | "keys" | "rename" | "start" | null;
  readonly now: number;
  /** What the live region says. */
  readonly said: string;
}

export const BEGIN: State = {
  panel: null,
  work: null,
  read: null,
  route: { at: "sessions" },
  door: "checking",
  doorProblem: null,
  me: null,
  link: { phase: "connecting" },
  sessions: null,
  sessionsProblem: null,
  asks: [],
  pane: null,
  drafts: {},
  attached: {},
  files: null,
  search: null,
  past: null,
  sent: {},
  letters: true,
  theme: "system",
  diffs: "unified",
  touch: false,
  narrow: false,
  sheet: null,
  now: 0,
  said: "",
};

export function emptyPane(id: string): Pane {
  return { id, view: EMPTY, events: [], queue: [], phase: "loading", problem: null, early: [], heardAt: 0 };
}

/** Events that came by the socket, of whichever sessions. */
export function heard(state: State, events: readonly AnyEvent[]): State {
  const asks = events.reduce((before, event) => askAfter(state, before, event), state.asks);
  const pane = state.pane === null ? null : events.reduce(paneAfter, state.pane);
  return { ...state, asks, pane, sessions: sessionsAfter(state.sessions, events), sent: stopped(state.sent, events) };
}

/** Of the list only the queue is told by events; the rest of it is the hub's to make. */
function sessionsAfter(sessions: State["sessions"], events: readonly AnyEvent[]): State["sessions"] {
  const told = new Map(events.flatMap((event) => (event.type === "queue_changed" ? [[event.session, event] as const] : [])));
  if (sessions === null || told.size === 0) return sessions;
  return sessions.map((one) => {
    const now = told.get(one.id);
    return now === undefined ? one : { ...one, queued: now.queued, holds_queue: now.held };
  });
}

function paneAfter(pane: Pane, event: AnyEvent): Pane {
  if (event.session !== pane.id) return pane;
  if (pane.phase !== "live") return { ...pane, early: [...pane.early, event] };
  const kept = event.seq === null || event.seq <= pane.view.seq ? pane.events : [...pane.events, event];
  return { ...pane, view: fold(pane.view, event), events: kept, heardAt: heardAt(pane.heardAt, event) };
}

function heardAt(before: number, event: AnyEvent): number {
  const ticks = event.type === "notice" || (event.type === "tool_update" && event.tool_status === "running");
  return ticks ? before : Math.max(before, event.at);
}

function askAfter(state: State, asks: readonly OpenAsk[], event: AnyEvent): readonly OpenAsk[] {
  if (event.type === "permission_request") {
    if (asks.some((ask) => ask.request.pending_id === event.pending_id)) return asks;
    const title = state.sessions?.find((one) => one.id === event.session)?.title ?? "";
    return [...asks, { session: event.session, title, request: event, claimed_by: null, claimed_until: null }];
  }
  if (event.type === "permission_resolved" || event.type === "permission_cancelled")
    return asks.filter((ask) => ask.request.pending_id !== event.pending_id || ask.session !== event.session);
  if (event.type === "session_ended") return asks.filter((ask) => ask.session !== event.session);
  return asks;
}

/** Whether an event is missing before one of these: then the window is fetched anew. */
export function hasGap(pane: Pane | null, events: readonly AnyEvent[]): boolean {
  if (pane === null || pane.phase !== "live") return false;
  let last = pane.view.seq;
  return events.some(({ session, seq }) => {
    if (session !== pane.id || seq === null || seq <= last) return false;
    last += 1;
    return seq > last;
  });
}

/** The last window of a session came; what was told meanwhile follows it, whether another window was quicker or not. */
export function windowed(state: State, id: string, window: Window): State {
  if (state.pane?.id !== id) return state;
  const told = [...state.pane.events, ...state.pane.early].filter((event) => (event.seq ?? 0) > window.after);
  const events = [...window.events, ...told];
  const pane: Pane = { id, view: foldAll(EMPTY, events), events, queue: window.queue, phase: "live", problem: null, early: [], heardAt: events.reduce(heardAt, 0) };
  return { ...state, pane };
}

/** Earlier events came: all that is known is folded again, from the first of them on. */
export function prepended(state: State, id: string, earlier: readonly AnyEvent[]): State {
  if (state.pane?.id !== id || earlier.length === 0) return state;
  const events = [...earlier, ...state.pane.events];
  return { ...state, pane: { ...state.pane, events, view: foldAll(EMPTY, events) } };
}

/** The connection was gone for a while: of texts that grew meanwhile a piece is missing until they are whole. */
export function torn(state: State): State {
  if (state.pane === null) return state;
  const { view } = state.pane;
  const items = view.items.map((item) =>
    (item.kind === "text" || item.kind === "thought") && item.partial ? { ...item, text: `${item.text} … ` } : item,
  );
  return { ...state, pane: { ...state.pane, view: { ...view, items } } };
}

export function answered(state: State, id: string, receipt: Receipt | null, problem: Problem | null): State {
  const sent = state.sent[id];
  if (sent === undefined) return state;
  return { ...state, drafts: givenBack(state.drafts, sent.command, problem !== null || receipt?.receipt === "refused"), sent: { ...state.sent, [id]: { ...sent, receipt, problem } } };
}

/** What was refused is not lost: it stands where it was written, unless something else does by now. */
function givenBack(drafts: State["drafts"], command: HubCommand, refused: boolean): State["drafts"] {
  if (!refused || command.type !== "prompt" || (drafts[command.session ?? ""] ?? "") !== "") return drafts;
  return { ...drafts, [command.session ?? ""]: command.text };
}

/** The decision on this ask that is on its way, or that came to nothing. */
export function decisionOf(state: Pick<State, "sent">, session: string, pending: string): Sent | null {
  const found = Object.values(state.sent).filter(
    (one) => one.command.type === "decide" && one.command.session === session && one.command.pending_id === pending,
  );
  return found.at(-1) ?? null;
}

/** Commands that the hub has not answered: they are said again after a reconnect, which does them once. */
export function unanswered(state: Pick<State, "sent">): readonly HubCommand[] {
  return Object.values(state.sent)
    .filter((one) => one.receipt === null && one.problem === null && one.heldUntil === null)
    .map((one) => one.command);
}

export function facts(state: Pick<State, "sessions">, id: string): SessionFacts | null {
  return state.sessions?.find((one) => one.id === id) ?? null;
}

/** Those in use, for a choice among them. */
export function modelsOf(sessions: State["sessions"]): readonly string[] {
  return [...new Set((sessions ?? []).flatMap(({ model }) => (model === null ? [] : [model])))].sort();
}
