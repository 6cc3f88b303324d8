// What `git diff` prints, by file. Pure; changes.tsx draws it.

import { type Line, linesOfDiff } from "../diff";

export interface FileChange {
  readonly path: string;
  readonly was: string | null;
  readonly what: "new" | "deleted" | "renamed" | "edit";
  readonly binary: boolean;
  readonly lines: readonly Line[];
  readonly added: number;
  readonly removed: number;
}

const CUT = "\n… cut here\n";

/** The files in order; what was cut off the end is in none of them. */
export function filesOf(diff: string): readonly FileChange[] {
  return diff.split(/^(?=diff --git )/mu).filter((part) => part.startsWith("diff --git ")).map((part) => fileOf(part.replace(CUT, "\n")));
}

export const isCut = (diff: string): boolean => diff.endsWith(CUT);

function fileOf(part: string): FileChange {
  const body = part.search(/^@@ /mu);
  const head = body < 0 ? part : part.slice(0, body);
  const lines = body < 0 ? [] : linesOfDiff(part.slice(body));
  const after = named(head, "+++ ") ?? named(head, "rename to ") ?? inHead(head);
  const before = named(head, "--- ") ?? named(head, "rename from ");
  return {
    path: after ?? before ?? "",
    was: before !== null && before !== after && after !== null ? before : null,
    what: /^new file/mu.test(head) ? "new" : /^deleted file/mu.test(head) ? "deleted" : /^rename to/mu.test(head) ? "renamed" : "edit",
    binary: /^Binary files/mu.test(head),
    lines,
    added: lines.filter((line) => line.sign === "+").length,
    removed: lines.filter((line) => line.sign === "-").length,
  };
}

/** A path as the line that begins so tells it; null: no such line, or no such file. */
function named(head: string, beginning: string): string | null {
  const line = head.split("\n").find((one) => one.startsWith(beginning))?.slice(beginning.length).replace(/\t$/u, "");
  if (line === undefined || line === "/dev/null") return null;
  return plain(line).replace(/^[ab]\//u, "");
}

/** Of a file without lines of its own: both names are the same, and split the line in the middle. */
function inHead(head: string): string | null {
  const names = head.split("\n", 1)[0]?.slice("diff --git ".length) ?? "";
  const second = names.slice(Math.ceil(names.length / 2));
  return plain(second.trim()).replace(/^b\//u, "") || null;
}

/** Git quotes what has a quote or a control character in it, as C does. */
function plain(name: string): string {
  return /^".*"$/u.test(name) ? name.slice(1, -1).replaceAll(/\\(["\\])/gu, "$1") : name;
}
