// What has a line in the transcript and no more: decisions, waits, changes, failures, the end.

import type { ComponentChildren } from "preact";
import type { AskItem, Item } from "../protocol.gen";
import { Exact } from "./exact";
import { Icon, type IconName } from "./icons";
import { duration, modeWord, time, tokens, who } from "./words";

interface Told {
  readonly icon: IconName;
  readonly tone: string;
  readonly verb: string;
  readonly what?: ComponentChildren;
  readonly right?: ComponentChildren;
  readonly more?: string | null;
}

type Short = Exclude<Item, { kind: "prompt" | "text" | "thought" | "call" | "turn" }>;

export function Line({ item, now }: { readonly item: Short; readonly now: number }) {
  const told = lineOf(item, now);
  return (
    <div class="bs-row is-line">
      <Icon name={told.icon} tone={told.tone} />
      <span class="bs-verb">{told.verb}</span>
      <span class="bs-object is-prose">{told.what}</span>
      <span class="bs-stats">{told.right}</span>
      {told.more != null && told.more !== "" && <pre class="bs-more">{told.more}</pre>}
    </div>
  );
}

function lineOf(item: Short, now: number): Told {
  switch (item.kind) {
    case "ask":
      return askLine(item);
    case "judged":
      return { icon: "gear", tone: item.verdict.verdict === "deny" ? "bad" : "dim", verb: item.verdict.verdict === "deny" ? "Denied by policy" : "Allowed by policy", what: item.verdict.reason, right: item.verdict.rule };
    case "grant":
      return { icon: "key", tone: "good", verb: "Allowed from here on", what: <code>{item.grant.rules.join(", ")}</code>, right: item.ended === null ? grantEnd(item.grant.until, now) : `${item.ended}, used ${item.covered} times` };
    case "task":
      return { icon: "stack", tone: item.outcome === "failed" ? "bad" : "dim", verb: item.outcome === "completed" ? "Finished in background" : `In background: ${item.outcome ?? "ended"}`, what: item.task.title, right: duration(item.at - item.task.started_at) };
    case "hook":
      return { icon: "gear", tone: item.outcome === "error" ? "bad" : "dim", verb: `Hook ${item.outcome}`, what: `${item.hook_event} · ${item.name}`, more: item.outcome === "error" ? item.output : null };
    case "unknown":
      return { icon: "warn", tone: "dim", verb: "Unknown message", what: <code>{[item.message_type, item.subtype].filter(Boolean).join(" / ")}</code>, right: "kept in the recording" };
    case "change":
      return { icon: item.what === "mode" ? "trust" : "gear", tone: "dim", verb: item.what === "mode" ? "Mode" : "Model", what: item.what === "mode" ? modeWord(item.value) : item.value, right: item.by };
    case "notice":
      return { icon: item.level === "warning" ? "warn" : "clock", tone: item.level === "warning" ? "hold" : "dim", verb: "", what: item.text, right: time(item.at) };
    default:
      return waitLine(item, now);
  }
}

function grantEnd(until: number | null, now: number): string {
  if (until === null) return "this session";
  return until > now ? `${duration(until - now)} left` : "over";
}

const ANSWERS = {
  allowed: ["check", "good", "Allowed once"],
  allowed_always: ["key", "good", "Always allowed"],
  denied: ["no", "bad", "Denied"],
  denied_stop: ["no", "bad", "Denied and stopped"],
  answered: ["check", "good", "Answered"],
} as const;
const CANCELLED = { withdrawn: "withdrawn by Claude Code", expired: "nobody answered in time", lost: "lost with the process", interrupted: "the turn was stopped" };

function askLine(item: AskItem): Told {
  const what = <Exact text={item.request.title} />;
  if (item.cancelled !== null) return { icon: "lost", tone: "dim", verb: "Withdrawn", what: <>{what} · {CANCELLED[item.cancelled]}</>, right: time(item.ended_at ?? item.at) };
  if (item.answer === null) return { icon: "shield", tone: "you", verb: "Waiting for you", what, right: time(item.at) };
  const [icon, tone, verb] = ANSWERS[item.answer.outcome];
  const { rule, reason, scope } = item.answer;
  const by = item.answer.by === null && item.answer.surface === null ? "" : `${who(item.answer.by, item.answer.surface)}, `;
  return {
    icon,
    tone,
    verb,
    what: <>{rule === null ? what : <><code>{rule}</code> in this {scope}</>}{reason !== null && reason !== "" && ` · “${reason}”`}</>,
    right: <>{by}{time(item.answer.at)}<span class="bs-wide"> · after {duration(item.answer.waited_ms)}</span></>,
  };
}

function waitLine(item: Extract<Short, { kind: "retry" | "compaction" | "limit" | "failure" | "asleep" | "end" }>, now: number): Told {
  switch (item.kind) {
    case "retry": {
      const cause = `${item.attempt} of ${item.max_retries}, ${item.error}${item.error_status === null ? "" : ` (${item.error_status})`}`;
      const next = item.ended_at === null ? `next in ${duration(item.until - now)}` : `went on after ${duration(item.ended_at - item.at)}`;
      return { icon: "retry", tone: "hold", verb: item.ended_at === null ? "Retrying" : "Retried", what: cause, right: next };
    }
    case "compaction": {
      const verb = { started: "Compacting", finished: "Compacted", failed: "Compacting failed" }[item.phase];
      const sizes = [item.pre_tokens, item.post_tokens].flatMap((count) => (count === null ? [] : [tokens(count)])).join(" → ");
      return { icon: "compact", tone: item.phase === "failed" ? "bad" : "hold", verb, what: sizes && `${sizes} tokens`, right: item.trigger === "auto" ? "automatic" : item.trigger };
    }
    case "limit":
      return { icon: "hourglass", tone: "hold", verb: item.waiting ? "Rate limited" : item.status === "allowed" ? "Goes on" : "Usage", what: item.message, right: item.resets_at === null ? "" : `${item.waiting ? "goes on" : "resets"} at ${time(item.resets_at * 1000)}` };
    case "failure":
      return { icon: "warn", tone: "bad", verb: "Failed", what: item.message, right: time(item.at), more: [item.hint, item.detail].filter(Boolean).join("\n") };
    case "asleep":
      return { icon: "idle", tone: "dim", verb: "Asleep", what: "The process was stopped; the next prompt wakes it.", right: time(item.at) };
    case "end":
      return item.cause === "ended"
        ? { icon: "ended", tone: "dim", verb: "Ended", right: time(item.at) }
        : { icon: "lost", tone: "bad", verb: "Lost", what: `Claude Code ${item.cause.replace("_", " ")}${item.signal === null ? "" : ` (${item.signal})`}`, right: time(item.at), more: item.stderr_tail };
    default:
      return item satisfies never;
  }
}
