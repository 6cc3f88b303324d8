// The twin of tests/view: the same golden files, and what holds of every fold.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EMPTY, fold, foldAll, heldGrants, openAsks, statusOf } from "../src/fold";
import type { AnyEvent, Status, View } from "../src/protocol.gen";

interface Golden {
  readonly events: readonly AnyEvent[];
  readonly statuses: readonly Status[];
  readonly view: View;
}

const FOLDER = join(import.meta.dirname, "../../tests/golden/view");
const FILES = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
const read = (name: string): Golden => JSON.parse(readFileSync(join(FOLDER, name), "utf8"));

describe.each(FILES)("%s", (name) => {
  const { events, statuses, view } = read(name);

  it("gives the view that Python gives", () => {
    expect(foldAll(EMPTY, events)).toEqual(view);
  });

  it("goes through the same status words", () => {
    const words: Status[] = ["starting"];
    events.reduce((before, event) => {
      const after = fold(before, event);
      if (statusOf(after) !== words.at(-1)) words.push(statusOf(after));
      return after;
    }, EMPTY);
    expect(words).toEqual(statuses);
  });

  it("leaves the view that it goes on from as it was", () => {
    const half = foldAll(EMPTY, events.slice(0, events.length / 2));
    const before = structuredClone(half);
    foldAll(half, events.slice(events.length / 2));
    expect(half).toEqual(before);
  });

  it("does not change when lasting events are told again", () => {
    const whole = foldAll(EMPTY, events);
    expect(foldAll(whole, events.filter((event) => event.seq !== null))).toBe(whole);
  });
});

it("has golden files", () => expect(FILES.length).toBeGreaterThan(15));

it("takes an event of a newer hub for a number", () => {
  const odd = { type: "tomorrow", seq: 7 } as unknown as AnyEvent;
  expect(fold(EMPTY, odd)).toEqual({ ...EMPTY, seq: 7 });
});

it("lists what is open, the oldest first", () => {
  const { events } = read("made/deciding.json");
  const view = foldAll(EMPTY, events);
  expect(openAsks(view).map((ask) => ask.request.pending_id)).toEqual(["a4"]);
  const held = foldAll(EMPTY, read("made/holding.json").events);
  expect(heldGrants(held).map((item) => item.grant.grant_id)).toEqual(["g2"]);
});
