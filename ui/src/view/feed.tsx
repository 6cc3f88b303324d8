// The transcript as a window: of ten thousand rows those near the eye are drawn, the rest is height. It follows the end
// only while the reader is there.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Row } from "./rows";
import { RowView } from "./row";

interface FeedProps {
  readonly rows: readonly Row[];
  readonly now: number;
  readonly cwd: string | null;
  readonly toggle: (key: string, open: boolean) => void;
  readonly atTop: (() => void) | null;
}

const NEAR_PX = 48;
const BEYOND_PX = 800;
const CLOSED_PX = 30;
const GUESSES: Partial<Record<string, number>> = { prompt: 84, text: 120, turn: 52 };

export function Feed({ rows, now, cwd, toggle, atTop }: FeedProps) {
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>());
  const sticks = useRef(true);
  /** Earlier rows that come in above push nothing: the eye stays on what it read. */
  const first = useRef(rows[0]?.key);
  const [eye, setEye] = useState({ top: 0, height: 900 });
  const [, measured] = useState(0);
  const [away, setAway] = useState(false);
  const tops = topsOf(rows, heights.current);
  const total = tops.at(-1) ?? 0;
  const [from, to] = windowOf(tops, eye.top - BEYOND_PX, eye.top + eye.height + BEYOND_PX);

  useLayoutEffect(() => {
    if (box.current === null) return;
    if (measure(box.current, heights.current)) measured((count) => count + 1);
    if (sticks.current) box.current.scrollTop = box.current.scrollHeight;
    else if (first.current !== rows[0]?.key) box.current.scrollTop += tops[rows.findIndex((row) => row.key === first.current)] ?? 0;
    first.current = rows[0]?.key;
  });

  useEffect(() => {
    const it = box.current;
    if (it === null) return undefined;
    const observer = new ResizeObserver(() => {
      if (sticks.current) it.scrollTop = it.scrollHeight;
      setEye({ top: it.scrollTop, height: it.clientHeight });
    });
    observer.observe(it);
    return () => observer.disconnect();
  }, []);

  const onScroll = () => {
    const it = box.current;
    if (it === null) return;
    sticks.current = it.scrollHeight - it.scrollTop - it.clientHeight < NEAR_PX;
    setAway(!sticks.current);
    setEye({ top: it.scrollTop, height: it.clientHeight });
    if (it.scrollTop < NEAR_PX) atTop?.();
  };
  const toEnd = () => {
    sticks.current = true;
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  };
  return (
    <div class="bs-scroll" ref={box} onScroll={onScroll} tabIndex={-1}>
      <h2 class="bs-sr">Transcript</h2>
      <div class="bs-col" role="feed" aria-label="Transcript">
        <div style={{ height: `${tops[from] ?? 0}px` }} />
        {rows.slice(from, to).map((row) => (
          <article key={row.key} data-key={row.key} class={`bs-cell is-${row.is === "item" ? row.item.kind : "group"} is-in-${Math.min(row.depth, 8)}`}>
            <RowView row={row} now={row.is === "item" && isTimed(row) ? now : 0} cwd={cwd} toggle={toggle} />
          </article>
        ))}
        <div style={{ height: `${total - (tops[to] ?? total)}px` }} />
      </div>
      {away && <button type="button" class="bs-pill" onClick={toEnd}>New below</button>}
    </div>
  );
}

/** Rows that tell a time that runs; the others do not hear of the clock. */
function isTimed(row: Extract<Row, { is: "item" }>): boolean {
  return ("ended_at" in row.item && row.item.ended_at === null) || row.item.kind === "grant";
}

/** The top of each row, and of the end. */
function topsOf(rows: readonly Row[], heights: ReadonlyMap<string, number>): readonly number[] {
  const tops = [0];
  let top = 0;
  for (const row of rows) {
    top += heights.get(row.key) ?? (row.is === "item" ? (GUESSES[row.item.kind] ?? CLOSED_PX) : CLOSED_PX);
    tops.push(top);
  }
  return tops;
}

function windowOf(tops: readonly number[], from: number, to: number): readonly [number, number] {
  return [Math.max(0, after(tops, from) - 1), Math.min(tops.length - 1, after(tops, to))];
}

/** The first top beyond, by halving. */
function after(tops: readonly number[], at: number): number {
  let [low, high] = [0, tops.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tops[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function measure(box: HTMLElement, heights: Map<string, number>): boolean {
  let changed = false;
  for (const cell of box.querySelectorAll<HTMLElement>("[data-key]")) {
    const key = cell.dataset["key"] ?? "";
    const height = cell.offsetHeight;
    if (heights.get(key) !== height) {
      heights.set(key, height);
      changed = true;
    }
  }
  return changed;
}
