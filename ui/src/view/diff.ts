// A change of a file as lines: numbers, signs, and what of a changed line is new. Pure; diff.tsx draws it.

import type { Hunk, ModifyFile, Mutation } from "../protocol.gen";

export interface Line {
  readonly sign: " " | "+" | "-" | "@";
  readonly old: number | null;
  readonly new: number | null;
  readonly text: string;
  /** Where the words differ from the line's counterpart; null: nowhere, or everywhere. */
  readonly mark: readonly [number, number] | null;
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u;
const MARKED_CHARS = 1000;

export function linesOf(change: ModifyFile): readonly Line[] {
  return change.mutations.flatMap((mutation, at) => {
    const hunks = mutation.hunks ?? parsed(mutation);
    const first: readonly Line[] = at > 0 && hunks.length > 0 ? [{ sign: "@", old: null, new: null, text: "", mark: null }] : [];
    return [...first, ...hunks.flatMap((hunk, index) => drawn(hunk, index > 0, mutation.start_line !== null || mutation.hunks !== null))];
  });
}

/** The text of one side: what was, or what is. */
export function textOf(lines: readonly Line[], side: "-" | "+"): string {
  return lines.filter((line) => line.sign === side || line.sign === " " || line.sign === "@").map((line) => line.text).join("\n");
}

/** As a patch has it, without its head. */
export const patchOf = (lines: readonly Line[]): string => lines.map((line) => (line.sign === "@" ? "@@" : line.sign + line.text)).join("\n");

/** The lines of what `git diff` says of one file. */
export function linesOfDiff(text: string): readonly Line[] {
  return hunksOf(text).flatMap((hunk, at) => drawn(hunk, at > 0, true));
}

function parsed(mutation: Mutation): readonly Hunk[] {
  return mutation.diff === "" ? whole(mutation) : hunksOf(mutation.diff);
}

function hunksOf(diff: string): readonly Hunk[] {
  const hunks: { old_start: number; old_lines: number; new_start: number; new_lines: number; lines: string[] }[] = [];
  for (const line of diff.split("\n")) {
    const header = HEADER.exec(line);
    if (header !== null)
      hunks.push({ old_start: Number(header[1]), old_lines: 0, new_start: Number(header[3]), new_lines: 0, lines: [] });
    else if (line !== "" || hunks.length > 0) hunks.at(-1)?.lines.push(line);
  }
  for (const hunk of hunks) if (hunk.lines.at(-1) === "") hunk.lines.pop();
  return hunks;
}

function whole(mutation: Mutation): readonly Hunk[] {
  const text = mutation.content ?? "";
  if (text === "") return [];
  const lines = text.replace(/\n$/u, "").split("\n").map((line) => `+${line}`);
  return [{ old_start: 0, old_lines: 0, new_start: 1, new_lines: lines.length, lines }];
}

function drawn(hunk: Hunk, follows: boolean, placed: boolean): readonly Line[] {
  let [before, after] = [hunk.old_start, hunk.new_start];
  const lines: Line[] = follows ? [{ sign: "@", old: null, new: null, text: "", mark: null }] : [];
  for (const line of hunk.lines) {
    const sign = line[0] === "+" || line[0] === "-" ? line[0] : " ";
    if (line.startsWith("\\")) continue;
    lines.push({
      sign,
      old: sign === "+" || !placed ? null : before,
      new: sign === "-" || !placed ? null : after,
      text: line.slice(1),
      mark: null,
    });
    if (sign !== "+") before += 1;
    if (sign !== "-") after += 1;
  }
  return paired(lines);
}

/** Of lines that go and lines that come in their place, as many as both sides have, the words that differ. */
function paired(lines: readonly Line[]): readonly Line[] {
  const marked = [...lines];
  let at = 0;
  while (at < marked.length) {
    const gone = run(marked, at, "-");
    const come = run(marked, at + gone, "+");
    for (let i = 0; i < Math.min(gone, come); i += 1) {
      const [a, b] = [marked[at + i], marked[at + gone + i]];
      if (a === undefined || b === undefined) continue;
      const [left, right] = marks(a.text, b.text);
      marked[at + i] = { ...a, mark: left };
      marked[at + gone + i] = { ...b, mark: right };
    }
    at += Math.max(1, gone + come);
  }
  return marked;
}

function run(lines: readonly Line[], from: number, sign: Line["sign"]): number {
  let count = 0;
  while (lines[from + count]?.sign === sign) count += 1;
  return count;
}

type Mark = readonly [number, number] | null;

function marks(a: string, b: string): readonly [Mark, Mark] {
  if (a.length > MARKED_CHARS || b.length > MARKED_CHARS) return [null, null];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  while (head > 0 && /\w/u.test(a[head - 1] ?? "") && /\w/u.test((a[head] ?? "") + (b[head] ?? ""))) head -= 1;
  while (tail > 0 && /\w/u.test(a[a.length - tail] ?? "")) tail -= 1;
  const indent = Math.min(head, a.length - a.trimStart().length);
  if (head - indent + tail < Math.min(a.trim().length, b.trim().length) / 4) return [null, null];
  return [span(head, a.length - tail), span(head, b.length - tail)];
}

const span = (from: number, to: number): Mark => (to > from ? [from, to] : null);
