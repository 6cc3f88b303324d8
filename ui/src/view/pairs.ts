// A change as two columns: what went beside what came, in the same row. Pure; change.tsx draws it.

import type { Line } from "./diff";

export interface Pair {
  readonly old: Line | null;
  readonly new: Line | null;
}

export function pairsOf(lines: readonly Line[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (line === undefined) break;
    if (line.sign === " " || line.sign === "@") {
      pairs.push({ old: line, new: line });
      at += 1;
      continue;
    }
    const gone = run(lines, at, "-");
    const come = run(lines, at + gone, "+");
    for (let row = 0; row < Math.max(gone, come); row += 1)
      pairs.push({ old: row < gone ? (lines[at + row] ?? null) : null, new: row < come ? (lines[at + gone + row] ?? null) : null });
    at += gone + come;
  }
  return pairs;
}

function run(lines: readonly Line[], from: number, sign: Line["sign"]): number {
  let count = 0;
  while (lines[from + count]?.sign === sign) count += 1;
  return count;
}

const LONG_LINES = 1000;
const LOCKS = /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|go\.sum|flake\.lock|[^/]+\.min\.(?:js|css))$/u;

/** Why a change is not shown before somebody wants to see it; null: it is. */
export function closedBy(path: string, lines: number): string | null {
  if (LOCKS.test(path)) return "written by a program";
  return lines > LONG_LINES ? "long" : null;
}
