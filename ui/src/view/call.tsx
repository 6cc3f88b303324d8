// The row of a call, and of quiet ones put together.

import type { ComponentChildren } from "preact";
import type { AskItem, CallItem, Payload } from "../protocol.gen";
import { Exact } from "./exact";
import { Opening } from "./opening";
import { lookOf } from "./payload";
import type { Row } from "./rows";
import { duration, many, within } from "./words";

interface CallProps {
  readonly row: Extract<Row, { is: "item" }>;
  readonly item: CallItem;
  readonly now: number;
  readonly cwd: string | null;
  readonly toggle: (key: string, open: boolean) => void;
}

const TONES: Record<CallItem["status"], string> = {
  running: "run",
  complete: "dim",
  error: "bad",
  denied: "bad",
  cancelled: "dim",
  lost: "bad",
};
const TOLD_AFTER_MS = 60_000;
const INSTANT_MS = 1000;

export function CallRow({ row, item, now, cwd, toggle }: CallProps) {
  const look = lookOf(item.payload);
  const waits = row.ask !== null && row.ask.ended_at === null;
  const icon = waits ? "shield" : item.status === "denied" ? "no" : look.icon(item.payload as never);
  return (
    <div class={waits ? "bs-waits" : ""}>
      <Opening icon={icon} tone={waits ? "you" : TONES[item.status]} open={row.open} onClick={() => toggle(item.key, !row.open)}>
        <Title item={item} waits={waits} cwd={cwd} prose={look.prose === true} />
        <span class="bs-stats">
          {row.ask?.answer?.edited === true && <span class="bs-chip is-line">edited by you</span>}
          {row.inside > 0 && item.status === "running" && <span>{many(row.inside, "call")}</span>}
          <Stats item={item} ask={row.ask} now={now} />
        </span>
      </Opening>
      {row.live !== null && !row.open && <div class="bs-live">{row.live}</div>}
      {row.open && <Body payload={item.payload} />}
    </div>
  );
}

function Title({ item, waits, cwd, prose }: Pick<CallProps, "item" | "cwd"> & { readonly waits: boolean; readonly prose: boolean }) {
  const look = lookOf(item.payload);
  const [present, past] = look.verbs(item.payload as never);
  const verb = waits ? "Waiting for you" : item.status === "running" ? present : item.status === "denied" ? "Denied" : past;
  return (
    <>
      <span class="bs-verb">{verb}</span>
      <span class={`bs-object ${prose ? "is-prose" : ""}`}>
        <Exact text={within(look.object(item.payload as never), cwd)} />
      </span>
    </>
  );
}

function Stats({ item, ask, now }: { readonly item: CallItem; readonly ask: AskItem | null; readonly now: number }) {
  const look = lookOf(item.payload);
  const stats = look.stats(item.payload as never);
  const hasCode = item.payload.kind === "shell_exec" && item.payload.output?.exit_code != null;
  const words = { error: hasCode ? "" : "failed", cancelled: "cancelled", lost: "lost", denied: "", complete: "", running: "" }[item.status];
  return (
    <>
      {words !== "" && <span class={item.status === "cancelled" ? "" : "bad"}>{words}</span>}
      {stats.filter(Boolean).map((stat, at) => (
        <span key={at}>{stat as ComponentChildren}</span>
      ))}
      <Elapsed item={item} ask={ask} now={now} />
    </>
  );
}

function Elapsed({ item, ask, now }: { readonly item: CallItem; readonly ask: AskItem | null; readonly now: number }) {
  const waited = ask === null ? 0 : (ask.ended_at ?? now) - ask.at;
  const ms = (item.ended_at ?? now) - item.at - waited;
  const hidden = item.status === "running" ? ms < TOLD_AFTER_MS || (ask !== null && ask.ended_at === null) : ms < INSTANT_MS;
  return hidden || item.status === "denied" || item.payload.kind === "subagent_task" ? null : <span>{duration(ms)}</span>;
}

function Body({ payload }: { readonly payload: Payload }) {
  const look = lookOf(payload);
  const body = look.body?.(payload as never) ?? null;
  return body === null ? null : <div class="bs-body">{body}</div>;
}

interface GroupProps {
  readonly row: Extract<Row, { is: "group" }>;
  readonly toggle: (key: string, open: boolean) => void;
}

export function GroupRow({ row, toggle }: GroupProps) {
  const reads = row.calls.filter((call) => call.payload.kind === "read_file").length;
  const searches = row.calls.length - reads;
  const what = [reads > 0 && many(reads, "read"), searches > 0 && many(searches, "search", "searches")].filter(Boolean);
  return (
    <Opening icon="find" open={row.open} onClick={() => toggle(row.key, !row.open)}>
      <span class="bs-verb">Looked around</span>
      <span class="bs-object is-prose">{what.join(", ")}</span>
    </Opening>
  );
}
