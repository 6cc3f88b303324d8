// Where it all meets: state and its changes, the socket, the clock, storage, and one drawing a frame.

import { render } from "preact";
import { type Action, interrupt, reduced } from "./actions";
import { announced, titleOf } from "./announce";
import * as api from "./api";
import { listen } from "./keys";
import { linkTo } from "./view/words";
import { pageCame, pageFailed } from "./past";
import type { AnyEvent, Answered, Failed } from "./protocol.gen";
import { read } from "./pictures";
import { Socket, type Wire } from "./socket";
import { answered, BEGIN, hasGap, heard, prepended, type Route, type State, torn, unanswered, windowed } from "./state";
import { forget, kept, keep } from "./storage";
import { App } from "./view/app";
import "./styles/index.css";

const REFRESH_MS = 400;
const NARROW = matchMedia("(max-width: 719px)");
const LOOK_MS = 80;
let state: State = { ...BEGIN, ...kept(), route: routeOf(location.pathname, location.hash), now: Date.now(), touch: matchMedia("(pointer: coarse)").matches, narrow: NARROW.matches };
const SEARCH_MS = 150;
let drawing = false;
let refreshing = false;
let fetchingMore = false;
let searching: ReturnType<typeof setTimeout> | undefined;
let looking: ReturnType<typeof setTimeout> | undefined;
let lookingBack: ReturnType<typeof setTimeout> | undefined;

function set(next: State): void {
  if (next === state) return;
  const said = announced(state, next);
  state = said === "" ? next : { ...next, said };
  if (!drawing) requestAnimationFrame(draw);
  drawing = true;
}

function draw(): void {
  drawing = false;
  document.title = titleOf(state);
  document.querySelector("link[rel=icon]")?.setAttribute("href", state.asks.length > 0 ? "/icon-raised.svg" : "/icon.svg");
  document.documentElement.dataset["theme"] = themeOf(state);
  const root = document.getElementById("root");
  if (root !== null) render(<App state={state} act={act} />, root);
}

const themeOf = ({ theme }: State): string => (theme !== "system" ? theme : matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");

const socket = new Socket(
  () => new WebSocket(`${location.origin.replace(/^http/u, "ws")}/ws`) as Wire,
  {
    live: (welcome, again) => {
      set({ ...(again ? torn(state) : state), link: { phase: "live" }, asks: welcome.asks });
      void refresh();
      if (state.pane !== null && state.pane.phase !== "live") void fetchPane(state.pane.id);
    },
    away: (nextTry) => set({ ...state, link: { phase: "away", since: state.link.phase === "away" ? state.link.since : Date.now(), nextTry } }),
    out: () => set({ ...state, door: "out", doorProblem: "Your key opens nothing any more: put in another." }),
    events: take,
    resync: () => {
      socket.forget();
      reload();
    },
    answered: told,
    outbox: () => unanswered(state),
  },
  { now: Date.now, later: (run, ms) => setTimeout(run, ms), random: Math.random },
);

function told(answer: Answered | Failed): void {
  if (answer.command_id === null) return;
  const receipt = answer.type === "receipt" ? answer.receipt : null;
  set(answered(state, answer.command_id, receipt, answer.type === "problem" ? answer.problem : null));
  keep(state);
  const begins = ["start", "import", "fork"].includes(state.sent[answer.command_id]?.command.type ?? "");
  const begun = receipt?.receipt === "taken" && begins ? receipt.session : null;
  if (receipt?.receipt === "taken") soon();
  if (begun != null) act({ do: "go", route: { at: "session", id: begun } });
}

function take(events: readonly AnyEvent[]): void {
  const gap = hasGap(state.pane, events);
  set(heard(state, events));
  if (gap) reload();
  if (state.panel === "changes" && events.some((event) => event.type === "complete" && event.session === state.pane?.id)) void fetchWork();
  if (events.some((event) => event.seq !== null)) soon();
  if (events.some((event) => event.session === state.pane?.id && event.type === "queue_changed")) void fetchQueue();
}

function reload(): void {
  if (state.pane === null) return;
  set({ ...state, pane: { ...state.pane, phase: "loading" } });
  void fetchPane(state.pane.id);
}

/** The list is the hub's to make: it is asked for a moment after something lasting happened. */
function soon(): void {
  if (refreshing) return;
  refreshing = true;
  setTimeout(() => {
    refreshing = false;
    void refresh();
  }, REFRESH_MS);
}

async function refresh(): Promise<void> {
  await api.sessions().then(
    (sessions) => set({ ...state, sessions, sessionsProblem: null }),
    (error: Error) => set({ ...state, sessionsProblem: error.message }),
  );
}

async function fetchPane(id: string): Promise<void> {
  await api.view(id).then(
    (window) => set(windowed(state, id, window)),
    (error: Error) => state.pane?.id === id && set({ ...state, pane: { ...state.pane, phase: "failed", problem: error.message } }),
  );
}

async function fetchQueue(): Promise<void> {
  const id = state.pane?.id;
  if (id === undefined) return;
  const queue = await api.queue(id).catch(() => null);
  if (queue !== null && state.pane?.id === id) set({ ...state, pane: { ...state.pane, queue } });
}

/** What git says holds for the moment: it is asked whenever somebody looks, and after each turn while he does. */
async function fetchWork(): Promise<void> {
  const id = state.pane?.id;
  if (id === undefined) return;
  const found = await api.git(id).then((git) => ({ git, problem: git.problem }), (error: Error) => ({ git: null, problem: error.message }));
  if (state.pane?.id === id) set({ ...state, work: { session: id, ...found } });
}

async function fetchFile(session: string, path: string): Promise<void> {
  const found = await api.text(session, path).then((text) => ({ text, problem: null }), (error: Error) => ({ text: null, problem: error.message }));
  if (state.read?.path === path && state.read.session === session) set({ ...state, read: { session, path, ...found } });
}

async function fetchMore(before: number): Promise<void> {
  const id = state.pane?.id;
  if (id === undefined || fetchingMore) return;
  fetchingMore = true;
  const window = await api.view(id, before).catch(() => null);
  fetchingMore = false;
  if (window !== null) set(prepended(state, id, window.events));
}

/** The same for words of transcripts. */
function searchFor(words: string): void {
  clearTimeout(searching);
  if (words === "") return;
  searching = setTimeout(async () => {
    const found = await api.search(words).then((hits) => ({ hits, problem: null }), (error: Error) => ({ hits: [], problem: error.message }));
    if (state.search?.words === words) set({ ...state, search: { words, ...found } });
  }, SEARCH_MS);
}

/** After a pause in the writing; what was asked for before it is wanted no more. */
function lookForFiles(session: string, beginning: string): void {
  clearTimeout(looking);
  looking = setTimeout(async () => {
    const mine = looking;
    const paths = await api.files(session, beginning).catch(() => null);
    if (mine === looking && paths !== null) set({ ...state, files: { session, beginning, paths } });
  }, LOOK_MS);
}

/** What a search asks for waits for a pause in the writing. */
function lookForPast(waitMs: number): void {
  clearTimeout(lookingBack);
  lookingBack = setTimeout(() => {
    if (state.past === null) return;
    const { words, after } = state.past;
    void api.past(words, after).then(
      (page) => set({ ...state, past: pageCame(state.past, words, after, page) }),
      (error: Error) => set({ ...state, past: pageFailed(state.past, words, error.message) }),
    );
  }, waitMs);
}

function act(action: Action): void {
  const before = state;
  set(reduced(state, action));
  keep(state);
  switch (action.do) {
    case "go":
      if (pathOf(state.route) !== location.pathname + location.hash) history.pushState(null, "", pathOf(state.route));
      if (state.pane !== null && state.pane !== before.pane) void fetchPane(state.pane.id);
      break;
    case "send":
      if (action.holdMs === undefined) return socket.command(action.command);
      setTimeout(() => state.sent[action.command.command_id]?.heldUntil != null && act({ do: "let go", id: action.command.command_id }), action.holdMs);
      break;
    case "let go": {
      const command = state.sent[action.id]?.command;
      if (command !== undefined) socket.command(command);
      break;
    }
    case "attach":
      for (const { id, file } of action.files) void read(id, file).then((one) => act({ do: "attached", session: action.session, one }));
      break;
    case "search":
      searchFor(action.words.trim());
      break;
    case "files":
      lookForFiles(action.session, action.beginning);
      break;
    case "sheet":
      if (action.sheet === "start") act({ do: "past", words: "", more: false });
      break;
    case "past":
      lookForPast(action.words === before.past?.words || action.words === "" ? 0 : LOOK_MS);
      break;
    case "login":
      void enter(action.token);
      break;
    case "panel":
      if (action.panel === "changes") void fetchWork();
      break;
    case "read":
      void fetchFile(action.session, action.path);
      break;
    case "more":
      void fetchMore(action.before);
      break;
    case "again":
      socket.connect();
      void refresh();
      reload();
      break;
    default:
  }
}

function routeOf(path: string, hash: string): Route {
  const item = /^#item=(.+)$/u.exec(hash)?.[1];
  const found = /^\/s\/([^/]+)$/u.exec(path);
  return found ? { at: "session", id: decodeURIComponent(found[1] ?? ""), ...(item === undefined ? {} : { item: decodeURIComponent(item) }) } : { at: path === "/inbox" ? "inbox" : "sessions" };
}

const pathOf = (route: Route): string => (route.at === "session" ? `/s/${encodeURIComponent(route.id)}${linkTo(route.item)}` : route.at === "inbox" ? "/inbox" : "/");

async function enter(secret: string): Promise<void> {
  await api.login(/^[\dA-Z]{4}-?[\dA-Z]{4}$/iu.test(secret) ? { code: secret } : { token: secret }).then(admitted, (error: Error) => set({ ...state, door: "out", doorProblem: error.message }));
}

function admitted(me: State["me"]): void {
  set(reduced({ ...state, me, door: "in", doorProblem: null }, { do: "go", route: state.route }));
  socket.connect();
}

async function begin(): Promise<void> {
  const secret = /^#(token|code)=(.+)$/u.exec(location.hash);
  if (secret !== null) {
    history.replaceState(null, "", location.pathname);
    return enter(secret[2] ?? "");
  }
  return api.me().then(admitted, (error: Error) => {
    const known = error instanceof api.Refused && error.problem.status === 401;
    set({ ...state, door: "out", doorProblem: known ? null : error.message });
  });
}

NARROW.addEventListener("change", () => set({ ...state, narrow: NARROW.matches }));
/** A file that misses the composer does not take the page away. */
for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());
addEventListener("popstate", () => act({ do: "go", route: routeOf(location.pathname, location.hash) }));
addEventListener("pagehide", () => forget(state));
setInterval(() => document.hidden || set({ ...state, now: Date.now() }), 1000);
listen(document, () => state, act, () => state.pane !== null && act({ do: "send", command: interrupt(state.pane.id) }));
void begin();
