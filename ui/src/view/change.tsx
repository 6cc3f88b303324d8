// A change of a file, drawn: numbers that are not copied, signs, words that differ.

import { useState } from "preact/hooks";
import type { ModifyFile } from "../protocol.gen";
import { linesOf, type Line } from "./diff";
import { Exact } from "./exact";
import { many } from "./words";

const TONE = { "+": "is-add", "-": "is-del", " ": "", "@": "is-gap" } as const;

export function Change({ change, most }: { readonly change: ModifyFile; readonly most: number }) {
  const [all, setAll] = useState(false);
  const lines = linesOf(change);
  const shown = all ? lines : lines.slice(0, most);
  const single = lines.every((line) => line.old === null);
  return (
    <div class={`bs-diff ${single ? "is-single" : ""}`} role="table" aria-label={`Changes of ${change.file_path}`}>
      {shown.map((line, at) => (
        <DiffLine key={at} line={line} />
      ))}
      {shown.length < lines.length && (
        <button type="button" class="bs-rest" onClick={() => setAll(true)}>
          {many(lines.length - shown.length, "more line")}
        </button>
      )}
      {change.cuts.length > 0 && <p class="bs-cut">Shortened here; the whole is in the recording.</p>}
    </div>
  );
}

function DiffLine({ line }: { readonly line: Line }) {
  if (line.sign === "@") return <div class="bs-line is-gap" role="row" />;
  const [from, to] = line.mark ?? [0, 0];
  return (
    <div class={`bs-line ${TONE[line.sign]}`} role="row">
      <span class="bs-no" role="cell">{line.old ?? ""}</span>
      <span class="bs-no" role="cell">{line.new ?? ""}</span>
      <span class="bs-sign" role="cell">{line.sign}</span>
      <code role="cell">
        {line.mark === null ? (
          <Exact text={line.text} />
        ) : (
          <>
            <Exact text={line.text.slice(0, from)} />
            <mark><Exact text={line.text.slice(from, to)} /></mark>
            <Exact text={line.text.slice(to)} />
          </>
        )}
      </code>
    </div>
  );
}
