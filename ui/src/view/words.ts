// The words of the page in one place, and how numbers and times read.

import type { Receipt, SessionFacts, Status } from "../protocol.gen";

const STATUS: Record<Status, string> = {
  starting: "Starting",
  running: "Running",
  waiting: "Waiting for you",
  retrying: "Retrying",
  compacting: "Compacting",
  limited: "Rate limited",
  idle: "Idle",
  asleep: "Asleep",
  ended: "Ended",
  lost: "Lost",
  quarantined: "Lost its conversation",
};

const WANTS: Record<SessionFacts["waits_for"][number], string> = {
  tool: "approval",
  plan: "plan",
  question: "question",
  elicitation: "form",
  dialog: "answer",
};

const MODES: Record<string, string> = {
  default: "Supervised",
  acceptEdits: "Accept edits",
  plan: "Plan",
  bypassPermissions: "Bypass, nothing asks",
  dontAsk: "Don't ask",
  auto: "Auto",
};

export const modeWord = (mode: string | null): string => (mode === null ? "" : (MODES[mode] ?? mode));

export function statusWord(facts: SessionFacts): string {
  const wants = facts.waits_for[0];
  if (facts.status === "waiting" && wants !== undefined) {
    const more = facts.waits_for.length > 1 ? `, ${facts.waits_for.length - 1} more` : "";
    return `Waiting for you: ${WANTS[wants]}${more}`;
  }
  if (facts.status === "limited" && facts.until !== null) return `Rate limited until ${time(facts.until)}`;
  return STATUS[facts.status];
}

export const word = (status: Status): string => STATUS[status];

export function money(usd: number | null): string {
  if (usd === null) return "—";
  return usd !== 0 && usd < 0.005 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

/** `0.9 s`, `14 s`, `2 m 14 s`, `3 h 02 m`, `4 d`. */
export function duration(ms: number): string {
  const s = Math.max(0, ms) / 1000;
  if (s < 10 && s % 1 !== 0) return `${Math.max(0.1, s).toFixed(1)} s`;
  if (s < 60) return `${Math.round(s)} s`;
  const minutes = Math.floor(s / 60);
  if (minutes < 60) return `${minutes} m ${String(Math.floor(s % 60)).padStart(2, "0")} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${String(minutes % 60).padStart(2, "0")} m` : `${Math.floor(hours / 24)} d`;
}

/** What is left of a time: `11:40`, `1:02:03`. */
export function clock(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / 1000));
  const [hours, minutes] = [Math.floor(s / 3600), Math.floor((s % 3600) / 60)];
  const rest = String(s % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${String(minutes).padStart(2, "0")}:${rest}`;
}

/** How long ago, as coarse as a glance needs it. */
export function age(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} m`;
  return s < 86_400 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86_400)} d`;
}

export function time(at: number): string {
  const date = new Date(at);
  return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}

export function tokens(count: number): string {
  if (count < 1000) return String(count);
  return count < 10_000 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`;
}

export function bytes(count: number): string {
  return count < 1024 * 1024 ? `${Math.ceil(count / 1024)} KB` : `${(count / 1024 / 1024).toFixed(1)} MB`;
}

export const many = (count: number, one: string, more: string = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

/** The last part of a path, and the home folder as a person writes it. */
export const folder = (path: string): string => path.replace(/^\/(?:home|Users)\/[^/]+/, "~");
/** A path, or what begins with one, as seen from the workspace. */
export const within = (text: string, cwd: string | null): string => (cwd !== null && text.startsWith(`${cwd}/`) ? text.slice(cwd.length + 1) : text);
export const base = (path: string): string => path.slice(path.lastIndexOf("/") + 1) || path;

/** The end of an address that leads to one item. */
export const linkTo = (item: string | undefined): string => (item === undefined ? "" : `#item=${encodeURIComponent(item)}`);

/** Who, from where: `Anna, phone`. */
export const who = (by: string | null, surface: string | null): string => [by ?? "somebody", surface].filter(Boolean).join(", ");

export function receiptWord(receipt: Receipt): string {
  switch (receipt.receipt) {
    case "taken":
      return "Taken";
    case "too_late":
      return `Too late: ${receipt.winner}.`;
    case "refused":
      return receipt.reason;
    default:
      return receipt satisfies never;
  }
}

const HIDDEN = /[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u00AD\u0000-\u0008\u000B-\u001F\u007F]/gu;

/** Text cut where a character would not be seen, or would turn what is around it: those are shown by name. */
export function exact(text: string): readonly (string | { readonly hidden: string })[] {
  const parts: (string | { hidden: string })[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) parts.push(text.slice(from, match.index));
    parts.push({ hidden: `U+${match[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0") ?? ""}` });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

const isApple = typeof navigator === "object" && /Mac|iP/u.test(navigator.platform);
/** What the keys that go with others are called here. */
export const COMMAND = isApple ? "⌘" : "Ctrl";
export const ALT = isApple ? "⌥" : "Alt";
