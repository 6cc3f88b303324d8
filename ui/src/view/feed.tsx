// The transcript as a window: of ten thousand rows those near the eye are drawn, the rest is height. It follows the end
// only while the reader is there.

import { Component, type RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isSame, type Row } from "./rows";
import { type RowProps, RowView } from "./row";
import { linkTo } from "./words";

interface FeedProps {
  readonly rows: readonly Row[];
  readonly now: number;
  readonly cwd: string | null;
  readonly toggle: (key: string, open: boolean) => void;
  readonly atTop: (() => void) | null;
  /** The row that the reader came to see. */
  readonly goal: string | null;
}

const NEAR_PX = 48;
const BEYOND_PX = 800;
const CLOSED_PX = 30;
/** Above what was looked for stands this much of what was before. */
const AIMED_PX = 64;
const GUESSES: Partial<Record<string, number>> = { prompt: 84, text: 120, turn: 52 };

export function Feed({ rows, now, cwd, toggle, atTop, goal }: FeedProps) {
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>());
  const { eye, sticks, away, onScroll, toEnd } = useEye(box);
  const tops = topsOf(rows, heights.current);
  usePlace({ box, heights: heights.current, sticks, rows, tops, goal, atTop });
  const total = tops.at(-1) ?? 0;
  const [from, to] = windowOf(tops, eye.top - BEYOND_PX, eye.top + eye.height + BEYOND_PX);
  const scrolled = () => {
    onScroll();
    if ((box.current?.scrollTop ?? NEAR_PX) < NEAR_PX) atTop?.();
  };
  return (
    <div class="bs-scroll" ref={box} onScroll={scrolled} tabIndex={-1}>
      <h2 class="bs-sr">Transcript</h2>
      <div class="bs-col" role="feed" aria-label="Transcript">
        <div style={{ height: `${tops[from] ?? 0}px` }} />
        {rows.slice(from, to).map((row) => (
          <Cell key={row.key} row={row} now={row.is === "item" && isTimed(row) ? now : 0} cwd={cwd} toggle={toggle} isGoal={row.key === goal} />
        ))}
        <div style={{ height: `${total - (tops[to] ?? total)}px` }} />
      </div>
      {away && <button type="button" class="bs-pill" onClick={toEnd}>New below</button>}
    </div>
  );
}

interface CellProps extends RowProps {
  readonly isGoal: boolean;
}

/** Scrolling moves cells and changes none: one is drawn again only for another row, or another time. */
class Cell extends Component<CellProps> {
  override shouldComponentUpdate(next: CellProps): boolean {
    const { row, now, cwd, toggle, isGoal } = this.props;
    const stays = now === next.now && cwd === next.cwd && toggle === next.toggle && isGoal === next.isGoal;
    return !stays || !isSame(row, next.row);
  }

  override render({ row, isGoal, ...rest }: CellProps) {
    return (
      <article data-key={row.key} class={`bs-cell ${isGoal ? "is-goal" : ""} is-${row.is === "item" ? row.item.kind : "group"} is-in-${Math.min(row.depth, 8)}`}>
        <a class="bs-anchor" href={linkTo(row.key)} tabIndex={-1} aria-label="Link to this" title="Link to this">#</a>
        <RowView row={row} {...rest} />
      </article>
    );
  }
}

/** Where the reader looks, and whether he is at the end, which he then stays at. */
function useEye(box: RefObject<HTMLDivElement | null>) {
  const sticks = useRef(true);
  const [eye, setEye] = useState({ top: 0, height: 900 });
  const [away, setAway] = useState(false);
  useEffect(() => {
    const it = box.current;
    if (it === null) return undefined;
    const observer = new ResizeObserver(() => {
      if (sticks.current) it.scrollTop = it.scrollHeight;
      setEye({ top: it.scrollTop, height: it.clientHeight });
    });
    observer.observe(it);
    return () => observer.disconnect();
  }, [box]);
  const onScroll = () => {
    const it = box.current;
    if (it === null) return;
    sticks.current = it.scrollHeight - it.scrollTop - it.clientHeight < NEAR_PX;
    setAway(!sticks.current);
    setEye({ top: it.scrollTop, height: it.clientHeight });
  };
  const toEnd = () => {
    sticks.current = true;
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  };
  return { eye, sticks, away, onScroll, toEnd };
}

interface PlaceProps extends Pick<FeedProps, "rows" | "goal" | "atTop"> {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly heights: Map<string, number>;
  readonly sticks: RefObject<boolean>;
  readonly tops: readonly number[];
}

/** After each drawing: what was drawn is measured, and the eye is where it belongs. */
function usePlace({ box, heights, sticks, rows, tops, goal, atTop }: PlaceProps): void {
  const [, measured] = useState(0);
  /** Earlier rows that come in above push nothing: the eye stays on what it read. */
  const first = useRef(rows[0]?.key);
  /** What was looked for is gone to until it stands still; before it is there, earlier events are fetched. */
  const aim = useRef<string | null>(null);
  const aimed = useRef<string | null>(null);
  useLayoutEffect(() => {
    const it = box.current;
    if (it === null) return;
    if (goal !== aimed.current) aim.current = aimed.current = goal;
    const moved = measure(it, heights);
    if (moved) measured((count) => count + 1);
    const place = aim.current === null ? -1 : rows.findIndex((row) => row.key === aim.current);
    if (place >= 0) {
      sticks.current = false;
      it.scrollTop = (tops[place] ?? 0) - AIMED_PX;
      if (!moved) aim.current = null;
    } else if (aim.current !== null && atTop !== null) atTop();
    else if (sticks.current) it.scrollTop = it.scrollHeight;
    else if (first.current !== rows[0]?.key) it.scrollTop += tops[rows.findIndex((row) => row.key === first.current)] ?? 0;
    first.current = rows[0]?.key;
  });
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
