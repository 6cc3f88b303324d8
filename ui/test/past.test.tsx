// @vitest-environment happy-dom
// Past conversations: looked for page by page, and gone on with.

import { render } from "preact-render-to-string";
import { expect, it } from "vitest";
import { reduced } from "../src/actions";
import { lookedFor, pageCame, pageFailed, type Past as Looked } from "../src/past";
import type { PastConversation } from "../src/protocol.gen";
import { BEGIN, type State } from "../src/state";
import { Past } from "../src/view/past";

const plain = (html: string): string => html.replaceAll(/<[^>]*>/gu, " ").replaceAll(/\s+/gu, " ").trim();
const conversation = (id: string, more: Partial<PastConversation> = {}): PastConversation => ({ id, title: null, first_prompt: `Mend ${id}`, cwd: "/home/ada/shop", branch: "main", model: null, started_at: 1, changed_at: 1, messages: 4, bytes: 9, damaged: false, session: null, pid: null, ...more });
const shown = (past: Looked): string => render(<Past state={{ past, now: 60_001 }} act={() => undefined} send={() => undefined} waits={false} />);
const begun = (): Looked => lookedFor(null, "mend", false);
const first = (): Looked => pageCame(begun(), "mend", null, { conversations: [conversation("a"), conversation("b")], after: "p1" }) as Looked;

it("the next page stands behind the first, and nothing twice", () => {
  const more = reduced({ ...BEGIN, past: first() } as State, { do: "past", words: "mend", more: true }).past;
  expect([more?.phase, more?.found.length, more?.after]).toEqual(["loading", 2, "p1"]);
  const second = pageCame(more, "mend", "p1", { conversations: [conversation("b"), conversation("c")], after: null });
  expect([second?.phase, second?.found.map((one) => one.id), second?.after]).toEqual(["live", ["a", "b", "c"], null]);
});

it("other words begin anew, and a page that is late for them is left out", () => {
  const anew = lookedFor(first(), "paint", false);
  expect([anew.found, anew.after]).toEqual([[], null]);
  expect(pageCame(anew, "mend", null, { conversations: [conversation("z")], after: null })).toBe(anew);
  expect(pageFailed(anew, "mend", "gone")).toBe(anew);
  expect(pageCame(null, "mend", null, { conversations: [], after: null })).toBeNull();
  expect(pageCame(first(), "mend", "p1", { conversations: [], after: null })?.found).toHaveLength(2);
});

it("each says what it is about and what can be done with it", () => {
  const found = [conversation("a"), conversation("b", { session: "s1", title: "The fence", pid: 5 }), conversation("c", { pid: 7, damaged: true, messages: null, cwd: null, branch: null })];
  const text = plain(shown({ ...first(), found, after: null }));
  expect(text).toContain("Mend a shop · main · 4 messages · 1 m ago Continue");
  expect(text).toContain("The fence shop · main · 4 messages · 1 m ago Open");
  expect(text).toContain("Mend c open in process 7: end it to go on here · 1 m ago · damaged");
  expect(text.match(/Continue|Open/gu)).toEqual(["Continue", "Open"]);
});

it("is designed for each state", () => {
  expect(plain(shown(begun()))).toBe("Past conversations");
  expect(shown(begun())).toContain('aria-busy="true"');
  expect(plain(shown({ ...first(), found: [], after: null }))).toContain("None of the newest speaks of that.");
  expect(plain(shown({ ...first(), words: "", found: [], after: null }))).toContain("There are none on this machine.");
  expect(plain(shown(first()))).toContain("Show more");
  expect(plain(shown(pageFailed(begun(), "mend", "The hub does not answer.") as Looked))).toContain("The hub does not answer.");
});

it("a conversation in hand cannot be taken twice", () => {
  const html = render(<Past state={{ past: first(), now: 1 }} act={() => undefined} send={() => undefined} waits />);
  expect(html.match(/disabled/gu)).toHaveLength(2);
});
