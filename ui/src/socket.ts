// The connection to the hub: hello, events in order, commands and receipts, a beat, and the way back after a break.
// It repairs nothing but by `after`; whoever listens fetches what `resync` says is lost.

import type { AnyEvent, Answered, ClientFrame, Failed, HubCommand, Placed, Resync, ServerFrame, Welcome } from "./protocol.gen";

export interface Listener {
  readonly live: (welcome: Welcome, again: boolean) => void;
  readonly away: (nextTry: number) => void;
  readonly out: () => void;
  readonly events: (events: readonly AnyEvent[]) => void;
  readonly resync: (resync: Resync) => void;
  readonly answered: (answer: Answered | Failed) => void;
  /** Commands that wait for their receipt; they are said again. */
  readonly outbox: () => readonly HubCommand[];
}

/** The little of a WebSocket that is used, so that a test can be one. */
export interface Wire {
  send: (text: string) => void;
  close: () => void;
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onclose: ((close: { code: number }) => void) | null;
}

export interface Clock {
  readonly now: () => number;
  readonly later: (run: () => void, ms: number) => unknown;
  readonly random: () => number;
}

const FIRST_MS = 500;
const LONGEST_MS = 10_000;
const KEY_OVER = 4001;
const FORBIDDEN = 4403;

type Frame = ServerFrame | { readonly type: "placed"; readonly placed: readonly Placed[] };

export class Socket {
  /** A new attempt ends the old one: whatever bears an older number is not listened to. */
  private generation = 0;
  private wire: Wire | null = null;
  private failures = 0;
  private position: number | null = null;
  private epoch: string | null = null;
  private isLive = false;
  private wasLive = false;
  private heardAt = 0;
  private saidAt = 0;
  private beatMs = 15_000;

  constructor(
    private readonly open: () => Wire,
    private readonly listener: Listener,
    private readonly clock: Clock,
  ) {}

  connect(): void {
    const generation = ++this.generation;
    this.wire?.close();
    const wire = this.open();
    this.wire = wire;
    this.heardAt = this.clock.now();
    wire.onopen = () => generation === this.generation && this.hello();
    wire.onmessage = ({ data }) => generation === this.generation && this.take(JSON.parse(String(data)) as Frame);
    wire.onclose = ({ code }) => generation === this.generation && this.lost(code);
    this.watch(generation);
  }

  /** Said at once when there is somebody to hear it; else it is in the outbox, and said after the next welcome. */
  command(command: HubCommand): void {
    if (this.isLive) this.say({ type: "command", command });
  }

  /** Begin from now on: what was known has been fetched anew. */
  forget(): void {
    this.position = null;
    this.epoch = null;
    if (this.isLive) this.hello();
  }

  private hello(): void {
    this.say({ type: "hello", session: "all", after: this.position, epoch: this.epoch });
  }

  private say(frame: ClientFrame): void {
    this.saidAt = this.clock.now();
    this.wire?.send(JSON.stringify(frame));
  }

  private take(frame: Frame): void {
    this.heardAt = this.clock.now();
    switch (frame.type) {
      case "welcome":
        return this.welcomed(frame);
      case "placed":
        this.position = frame.placed.reduce<number | null>((last, one) => one.position ?? last, this.position);
        return this.listener.events(frame.placed.map((one) => one.event));
      case "resync":
        return this.listener.resync(frame);
      case "receipt":
      case "problem":
        return this.listener.answered(frame);
      case "beat":
      case "ended":
        return undefined;
      default:
        return undefined;
    }
  }

  private welcomed(frame: Welcome): void {
    this.failures = 0;
    this.epoch = frame.epoch;
    this.beatMs = frame.beat_s * 1000;
    const again = this.wasLive;
    this.isLive = true;
    this.wasLive = true;
    this.listener.live(frame, again);
    for (const command of this.listener.outbox()) this.command(command);
  }

  private lost(code: number): void {
    this.isLive = false;
    this.generation += 1;
    if (code === KEY_OVER || code === FORBIDDEN) return this.listener.out();
    const generation = this.generation;
    const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.failures) * (0.5 + this.clock.random() / 2);
    this.failures += 1;
    this.listener.away(this.clock.now() + wait);
    this.clock.later(() => generation === this.generation && this.connect(), wait);
    return undefined;
  }

  /** Twice a beat without a word, and the connection is dead, whatever the browser thinks. */
  private watch(generation: number): void {
    this.clock.later(() => {
      if (generation !== this.generation) return;
      if (this.clock.now() - this.heardAt > 2 * this.beatMs) {
        this.wire?.close();
        return void this.lost(0);
      }
      if (this.isLive && this.clock.now() - this.saidAt >= this.beatMs) this.say({ type: "beat" });
      this.watch(generation);
    }, this.beatMs / 3);
  }
}
