// What the palette finds, what can be done to a session, and where a link leads.

import { expect, it } from "vitest";
import { reduced } from "../src/actions";
import { deedsOf } from "../src/deeds";
import { findings } from "../src/finding";
import { goalOf } from "../src/goal";
import type { AnyEvent, Found, SessionFacts } from "../src/protocol.gen";
import { BEGIN, emptyPane, type State } from "../src/state";
import { notice, text } from "./events";

const facts = (id: string, more: Partial<SessionFacts> = {}) => ({ id, title: `About ${id}`, cwd: `/w/${id}`, project: null, branch: null, status: "idle", waits_for: [], since: 0, updated_at: 0, turns: 1, archived: false, ...more }) as SessionFacts;
const hit: Found = { session: "a", title: "About a", seq: 7, at: 0, kind: "answer", snippet: "the cache is cold" };
const state: State = { ...BEGIN, me: { role: "owner" } as State["me"], sessions: [facts("a"), facts("b", { title: "Cache keys", project: "harbor" })], pane: emptyPane("a"), search: { words: "cache", hits: [hit], problem: null } };
const found = (written: string, at = state) => findings(at, written).map(([name, entries]) => [name, entries.map((entry) => entry.key)]);
const deeds = (more: Partial<SessionFacts>, role = "owner", running = 0) =>
  deedsOf({ ...state, me: { role } as State["me"], sessions: [facts("a", more)], pane: { ...emptyPane("a"), view: { ...emptyPane("a").view, running } } }).map(({ key }) => key);

it("finds sessions by every word, and transcripts that speak of it", () => {
  expect(found("cache harbor")).toEqual([["Sessions", ["session b"]], ["In transcripts", ["hit a 7 0"]]]);
  expect(found("fork")).toEqual([["This session", ["fork"]], ["In transcripts", ["hit a 7 0"]]]);
  expect(found("").map(([name]) => name)).toEqual(["Sessions", "This session", "Go and do"]);
});

it("opens a hit where its words stand", () => {
  const entries = findings(state, "cache").flatMap(([, all]) => all);
  expect(entries.at(-1)?.action).toEqual({ do: "go", route: { at: "session", id: "a", item: "@7" } });
});

it("forgets what was found when nothing is looked for", () => {
  expect(reduced(state, { do: "search", words: " " }).search).toBeNull();
  expect(reduced(state, { do: "search", words: "key " }).search).toEqual({ words: "key", hits: [hit], problem: null });
});

it("offers what the session and the key allow", () => {
  expect(deeds({})).toEqual(["rename", "retry", "fork", "sleep", "end", "archive"]);
  expect(deeds({ status: "running" }, "owner", 1)).toEqual(["stop", "rename", "fork", "end", "archive"]);
  expect(deeds({ status: "ended", archived: true })).toEqual(["rename", "fork", "back"]);
  expect(deeds({ status: "quarantined", turns: 0 })).toEqual(["rename", "fresh", "end", "archive"]);
  expect([deeds({}, "approver"), deeds({}, "viewer")]).toEqual([["rename", "retry"], []]);
});

it("asks before it ends anything", () => {
  expect(deedsOf(state).filter(({ sure }) => sure !== undefined).map(({ key }) => key)).toEqual(["end", "archive"]);
});

it("a link by number means the item that the event made, once it is known", () => {
  const events: readonly AnyEvent[] = [notice(4), text("Hello", 5), notice(6)];
  expect([goalOf(events, "@5"), goalOf(events, "@2"), goalOf(events, "@6"), goalOf(events, "call:x"), goalOf(events, null)]).toEqual(["text:m1", "@2", "@6", "call:x", null]);
});

it("a dialog that tells late that it closed does not close the next one", () => {
  const next = reduced(reduced(state, { do: "sheet", sheet: "keys" }), { do: "shut", sheet: "find" });
  expect([next.sheet, reduced(next, { do: "shut", sheet: "keys" }).sheet]).toEqual(["keys", null]);
});
