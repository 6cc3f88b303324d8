// How the page's state changes, and what is derived from it.

import { expect, it } from "vitest";
import { decide, prompt, reduced } from "../src/actions";
import { announced, titleOf } from "../src/announce";
import type { AnyEvent, PermissionRequestEvent, Window } from "../src/protocol.gen";
import { answered, BEGIN, decisionOf, emptyPane, hasGap, heard, prepended, type State, torn, unanswered, windowed } from "../src/state";
import { ask, notice, text } from "./events";

const opened = (events: readonly AnyEvent[]): State => {
  const window = { epoch: "e", facts: {}, events, after: events.at(-1)?.seq ?? 0, asks: [], queue: [] } as unknown as Window;
  return windowed({ ...BEGIN, pane: emptyPane("s") }, "s", window);
};
const texts = (state: State) => state.pane?.view.items.map((item) => (item.kind === "notice" || item.kind === "text" ? item.text : item.kind));

it("keeps what was told while the window was on its way", () => {
  const early = heard({ ...BEGIN, pane: emptyPane("s") }, [notice(1), notice(2), notice(3)]);
  const window = { events: [notice(1), notice(2)], after: 2, queue: [] } as unknown as Window;
  expect(texts(windowed(early, "s", window))).toEqual(["notice 1", "notice 2", "notice 3"]);
});

it("keeps what was told between two windows that were both on their way", () => {
  const live = heard(opened([notice(1)]), [notice(2)]);
  const late = { events: [notice(1)], after: 1, queue: [] } as unknown as Window;
  expect(texts(windowed(live, "s", late))).toEqual(["notice 1", "notice 2"]);
});

it("does not take a window for another session", () => {
  const state = { ...BEGIN, pane: emptyPane("other") };
  expect(windowed(state, "s", { events: [] } as unknown as Window)).toBe(state);
});

it("sees that an event is missing", () => {
  const { pane } = opened([notice(1)]);
  expect([hasGap(pane, [notice(2)]), hasGap(pane, [notice(3)]), hasGap(pane, [{ ...notice(3), session: "t" }])]).toEqual([false, true, false]);
});

it("takes events that came together for no gap, and sees one between them", () => {
  const { pane } = opened([notice(1)]);
  expect([hasGap(pane, [notice(1), notice(2), notice(3)]), hasGap(pane, [notice(2), notice(4)])]).toEqual([false, true]);
});

it("puts earlier events before those that it has", () => {
  expect(texts(prepended(opened([notice(3)]), "s", [notice(1), notice(2)]))).toEqual(["notice 1", "notice 2", "notice 3"]);
});

it("marks the gap in a text that grew while nobody listened", () => {
  expect(texts(torn(heard(opened([]), [text("Hel", null)])))).toEqual(["Hel … "]);
});

it("has an ask in the inbox from its request to its end, once", () => {
  const asked = heard(BEGIN, [ask("a1"), ask("a1"), ask("a2")]);
  expect(asked.asks.map((one) => one.request.pending_id)).toEqual(["a1", "a2"]);
  expect(titleOf(asked)).toBe("(2) bascule");
  const cancelled = { ...ask("a1"), type: "permission_cancelled", cause: "withdrawn" } as unknown as AnyEvent;
  expect(heard(asked, [cancelled]).asks.map((one) => one.request.pending_id)).toEqual(["a2"]);
});

it("says what is asked, and its marks, once", () => {
  const marked: PermissionRequestEvent = { ...ask("a1"), marks: [{ mark: "delete", grave: true, start: null, end: null }] };
  const after = heard(BEGIN, [marked]);
  expect(announced(BEGIN, after)).toBe("A session waits for you: run a command. Marks: delete.");
  expect(announced(after, after)).toBe("");
});

it("keeps a draft until its prompt is sent, and a command until it is answered", () => {
  const drafted = reduced(BEGIN, { do: "draft", session: "s", text: "Hello" });
  const command = prompt("s", "Hello", "steer");
  const sent = reduced(drafted, { do: "send", command });
  expect([drafted.drafts["s"], sent.drafts["s"]]).toEqual(["Hello", ""]);
  expect(unanswered(sent)).toEqual([command]);
  expect(unanswered(answered(sent, command.command_id, { receipt: "refused", reason: "no" }, null))).toEqual([]);
});

it("holds a decision that can be taken back, and sends it only when it is let go", () => {
  const command = decide("s", "a1", "h", { verb: "allow_once" });
  const held = reduced({ ...BEGIN, now: 1000 }, { do: "send", command, holdMs: 3000 });
  expect([unanswered(held), decisionOf(held, "s", "a1")?.heldUntil]).toEqual([[], 4000]);
  expect(unanswered(reduced(held, { do: "let go", id: command.command_id }))).toEqual([command]);
  expect(reduced(held, { do: "take back", id: command.command_id }).sent).toEqual({});
});
