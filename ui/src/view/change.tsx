// A change of a file, drawn in one column or two: numbers that are not copied, signs, words that differ, colours.

import { useContext, useMemo, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { ModifyFile } from "../protocol.gen";
import { type Coloured, languageOf, Pieces, useColours } from "./code";
import { Copy } from "./copy";
import { type Line, linesOf, patchOf, textOf } from "./diff";
import { closedBy, pairsOf } from "./pairs";
import { Reading } from "./reading";
import { many } from "./words";

const TONE = { "+": "is-add", "-": "is-del", " ": "", "@": "is-gap" } as const;

interface ChangeProps {
  readonly change: ModifyFile;
  readonly most: number;
  /** Of something that is asked about every line is shown at once. */
  readonly asked?: boolean;
  /** How a line is remarked on; left out: it is not. */
  readonly remark?: Remark;
}

export function Change({ change, ...rest }: ChangeProps) {
  const lines = useMemo(() => linesOf(change), [change]);
  return <Diff path={change.file_path} lines={lines} cut={change.cuts.length > 0} {...rest} />;
}

/** The button of a line, and what stands below the line. */
export interface Remark {
  readonly button: (line: Line) => ComponentChildren;
  readonly below: (line: Line) => ComponentChildren;
}

interface DiffProps extends Omit<ChangeProps, "change"> {
  readonly path: string;
  readonly lines: readonly Line[];
  readonly cut: boolean;
}

export function Diff({ path, lines, most, cut, asked = false, remark }: DiffProps) {
  const { diffs, act } = useContext(Reading);
  const [all, setAll] = useState(false);
  const [open, setOpen] = useState(false);
  const why = closedBy(path, lines.length);
  if (why !== null && !open && !asked) return <button type="button" class="bs-rest is-closed" onClick={() => setOpen(true)}>{many(lines.length, "line")}, {why}: show</button>;
  const shown = all ? lines : lines.slice(0, most);
  const single = lines.every((line) => line.old === null);
  const split = diffs === "split" && !single;
  return (
    <div class={`bs-diff ${single ? "is-single" : ""} ${split ? "is-split" : ""}`}>
      <Copy text={patchOf(lines)} what="the change" />
      {!single && (
        <button type="button" class="bs-copy is-beside bs-wide" onClick={() => act({ do: "diffs", diffs: split ? "unified" : "split" })}>
          {split ? "One column" : "Two columns"}
        </button>
      )}
      <div role="table" aria-label={`Changes of ${path}`}>
        <Sided path={path} shown={shown} split={split} remark={remark} />
      </div>
      {shown.length < lines.length && <button type="button" class="bs-rest" onClick={() => setAll(true)}>{many(lines.length - shown.length, "more line")}</button>}
      {cut && <p class="bs-cut">Shortened here; the whole is in the recording.</p>}
    </div>
  );
}

interface SidedProps {
  readonly path: string;
  readonly shown: readonly Line[];
  readonly split: boolean;
  readonly remark: Remark | undefined;
}

/** Each side is coloured as a text of its own: a string that went does not run on into what came. */
function Sided({ path, shown, split, remark }: SidedProps) {
  const language = languageOf(path);
  const before = useColours(textOf(shown, "-"), language);
  const after = useColours(textOf(shown, "+"), language);
  const painted = paint(shown, before, after);
  if (split)
    return (
      <>
        {pairsOf(shown).map((pair, at) => (
          <div key={at} class={`bs-line ${pair.old?.sign === "@" ? "is-gap" : ""}`} role="row">
            {pair.old?.sign === "@" ? null : (
              <>
                <Half line={pair.old} number="old" painted={painted} />
                <Half line={pair.new} number="new" painted={painted} />
              </>
            )}
          </div>
        ))}
      </>
    );
  return (
    <>
      {shown.map((line, at) => (
        <DiffLine key={at} line={line} painted={painted} remark={remark} />
      ))}
    </>
  );
}

type Painted = ReadonlyMap<Line, Coloured[number]>;

function paint(lines: readonly Line[], before: Coloured | null, after: Coloured | null): Painted {
  const painted = new Map<Line, Coloured[number]>();
  let [old, now] = [0, 0];
  for (const line of lines) {
    const pieces = line.sign === "-" ? before?.[old] : after?.[now];
    if (pieces !== undefined) painted.set(line, pieces);
    if (line.sign !== "+") old += 1;
    if (line.sign !== "-") now += 1;
  }
  return painted;
}

function DiffLine({ line, painted, remark }: { readonly line: Line; readonly painted: Painted; readonly remark: Remark | undefined }) {
  if (line.sign === "@") return <div class="bs-line is-gap" role="row" />;
  return (
    <>
      <div class={`bs-line ${TONE[line.sign]}`} role="row">
        <span class="bs-no" role="cell">{line.old ?? ""}</span>
        <span class="bs-no" role="cell">{line.new ?? ""}</span>
        <span class="bs-sign" role="cell">{line.sign}{remark?.button(line)}</span>
        <Text line={line} painted={painted} />
      </div>
      {remark?.below(line)}
    </>
  );
}

function Half({ line, number, painted }: { readonly line: Line | null; readonly number: "old" | "new"; readonly painted: Painted }) {
  const tone = line === null ? "is-void" : TONE[line.sign];
  return (
    <span class={`bs-half ${tone}`} role="cell">
      <span class="bs-no">{line?.[number] ?? ""}</span>
      {line !== null && <Text line={line} painted={painted} />}
    </span>
  );
}

function Text({ line, painted }: { readonly line: Line; readonly painted: Painted }) {
  return (
    <code role="cell">
      <Pieces pieces={painted.get(line) ?? [{ text: line.text, tone: "" }]} mark={line.mark} />
    </code>
  );
}
