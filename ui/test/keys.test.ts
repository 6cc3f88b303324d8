// @vitest-environment happy-dom
// Which key does what, where, and what it does not.

import { afterEach, beforeEach, expect, it } from "vitest";
import type { Action } from "../src/actions";
import { listen } from "../src/keys";
import type { SessionFacts } from "../src/protocol.gen";
import { BEGIN, emptyPane, type State } from "../src/state";

let state: State;
let told: string[];
let page: Document;

beforeEach(() => {
  told = [];
  state = { ...BEGIN, me: { role: "owner" } as State["me"], pane: { ...emptyPane("s"), view: { ...emptyPane("s").view, running: 1 } } };
  page = document.implementation.createHTMLDocument();
  page.body.innerHTML = '<button data-keys="a">Allow</button><textarea data-keys="i"></textarea><dialog><button data-keys="x">Close</button></dialog>';
  for (const button of page.querySelectorAll("button")) button.addEventListener("click", () => told.push(button.textContent ?? ""));
  listen(page, () => state, (action) => told.push(nameOf(action)), () => told.push("stop"));
});
afterEach(() => page.body.replaceChildren());

const nameOf = (action: Action): string => (action.do === "send" ? action.command.type : action.do === "sheet" ? `sheet ${action.sheet}` : action.do === "go" && action.route.at === "session" ? `go ${action.route.id}` : action.do);
const press = (key: string, more: KeyboardEventInit = {}) => page.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));

it("a letter presses the button that bears it", () => {
  press("a");
  expect(told).toEqual(["Allow"]);
});

it("a dialog has the keys for itself", () => {
  page.querySelector("dialog")?.setAttribute("open", "");
  for (const key of ["a", "j", "g", "i", "x"]) press(key);
  press("Escape");
  press("k", { ctrlKey: true });
  press("a", { altKey: true, code: "KeyA" });
  expect(told).toEqual(["Close"]);
});

it("letters are no keys where they are switched off; Escape and chords are", () => {
  state = { ...state, letters: false };
  press("a");
  press("Escape");
  press("k", { metaKey: true });
  expect(told).toEqual(["stop", "sheet find"]);
});

it("Alt goes to a session, trusts edits and plans, by the place of the key", () => {
  const facts = (id: string, status: string) => ({ id, status, since: 0, updated_at: 0 }) as SessionFacts;
  state = { ...state, sessions: [facts("idle", "idle"), facts("waits", "waiting")] };
  press("¡", { altKey: true, code: "Digit1" });
  press("å", { altKey: true, code: "KeyA" });
  press("π", { altKey: true, code: "KeyP" });
  press("9", { altKey: true, code: "Digit9" });
  expect(told).toEqual(["go waits", "trust", "set_mode"]);
});

it("a viewer's keys change nothing", () => {
  state = { ...state, me: { role: "viewer" } as State["me"] };
  press("a", { altKey: true, code: "KeyA" });
  press("p", { altKey: true, code: "KeyP" });
  expect(told).toEqual([]);
});
