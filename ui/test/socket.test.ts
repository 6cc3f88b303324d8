// The connection against a wire and a clock that the test moves.

import { beforeEach, expect, it } from "vitest";
import type { HubCommand } from "../src/protocol.gen";
import { type Clock, type Listener, Socket, type Wire } from "../src/socket";

class TestWire implements Wire {
  readonly said: unknown[] = [];
  closed = false;
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;
  onclose: ((close: { code: number }) => void) | null = null;
  send(text: string): void {
    this.said.push(JSON.parse(text));
  }
  close(): void {
    this.closed = true;
  }
  hear(frame: unknown): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
}

class TestClock implements Clock {
  private at = 0;
  private waiting: { readonly due: number; readonly run: () => void }[] = [];
  readonly now = () => this.at;
  readonly random = () => 1;
  readonly later = (run: () => void, ms: number) => this.waiting.push({ due: this.at + ms, run });
  pass(ms: number): void {
    const until = this.at + ms;
    for (;;) {
      const next = this.waiting.filter(({ due }) => due <= until).sort((a, b) => a.due - b.due)[0];
      if (next === undefined) break;
      this.waiting = this.waiting.filter((one) => one !== next);
      this.at = next.due;
      next.run();
    }
    this.at = until;
  }
}

const COMMAND: HubCommand = { type: "interrupt", command_id: "c1", session: "s" };
const WELCOME = { type: "welcome", session: "all", epoch: "e1", after: null, role: "owner", beat_s: 15, silent_s: 45, facts: null, asks: [] };

let wires: TestWire[];
let clock: TestClock;
let told: string[];
let outbox: HubCommand[];
let socket: Socket;
const wire = () => wires.at(-1) as TestWire;

beforeEach(() => {
  [wires, told, outbox, clock] = [[], [], [], new TestClock()];
  const listener: Listener = {
    live: (_, again) => told.push(again ? "live again" : "live"),
    away: (next) => told.push(`away until ${next}`),
    out: () => told.push("out"),
    events: (events) => told.push(...events.map((event) => `event ${event.seq}`)),
    resync: ({ reason }) => told.push(`resync ${reason}`),
    answered: (answer) => told.push(answer.type),
    outbox: () => outbox,
  };
  socket = new Socket(() => (wires.push(new TestWire()), wire()), listener, clock);
  socket.connect();
  wire().onopen?.();
});

it("says hello from now on, and goes on from the last position after a break", () => {
  expect(wire().said).toEqual([{ type: "hello", session: "all", after: null, epoch: null }]);
  wire().hear(WELCOME);
  wire().hear({ type: "placed", placed: [{ position: 7, event: { seq: 1 } }, { position: null, event: { seq: null } }] });
  wire().onclose?.({ code: 1006 });
  clock.pass(500);
  wire().onopen?.();
  expect(wire().said).toEqual([{ type: "hello", session: "all", after: 7, epoch: "e1" }]);
  wire().hear(WELCOME);
  expect(told).toEqual(["live", "event 1", "event null", "away until 500", "live again"]);
});

it("waits longer after each failure, at most ten seconds, and begins anew after a welcome", () => {
  const waits: number[] = [];
  for (let i = 0; i < 7; i += 1) {
    const before = clock.now();
    wire().onclose?.({ code: 1006 });
    waits.push(Number(told.at(-1)?.split(" ").at(-1)) - before);
    clock.pass(10_000);
  }
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
});

it("says commands of the outbox after the welcome, and not before", () => {
  outbox.push(COMMAND);
  socket.command(COMMAND);
  expect(wire().said).toHaveLength(1);
  wire().hear(WELCOME);
  expect(wire().said.at(-1)).toEqual({ type: "command", command: COMMAND });
});

it("does not hear an attempt that was given up", () => {
  const old = wire();
  socket.connect();
  old.hear(WELCOME);
  old.onclose?.({ code: 1006 });
  expect([told, wires.length]).toEqual([[], 2]);
});

it("beats when it has nothing else to say", () => {
  wire().hear(WELCOME);
  clock.pass(16_000);
  expect(wire().said).toContainEqual({ type: "beat" });
});

it("takes a connection without a word for dead", () => {
  wire().hear(WELCOME);
  clock.pass(31_000);
  expect(told).toContain("live");
  clock.pass(10_000);
  expect(wires.length).toBeGreaterThan(1);
});

it("does not try again with a key that is over", () => {
  wire().onclose?.({ code: 4001 });
  clock.pass(60_000);
  expect([told, wires.length]).toEqual([["out"], 1]);
});

it("begins from now on after a resync", () => {
  wire().hear(WELCOME);
  wire().hear({ type: "placed", placed: [{ position: 7, event: { seq: 1 } }] });
  wire().hear({ type: "resync", reason: "slow", epoch: "e1" });
  socket.forget();
  expect(wire().said.at(-1)).toEqual({ type: "hello", session: "all", after: null, epoch: null });
});
