// Code as it is read: plain at once, coloured as soon as its language is there, and copied from what it was made of.

import { useEffect, useState } from "preact/hooks";
import { Copy } from "./copy";
import type { Piece } from "./colouring";
import { Exact } from "./exact";

export type Coloured = readonly (readonly Piece[])[];

/** More than this is read as it stands: colouring it would hold the page up. */
const MOST_CHARS = 100_000;
const KEPT_MOST = 200;
const KEPT = new Map<string, Coloured | null>();

function keep(key: string, lines: Coloured | null): void {
  if (KEPT.size >= KEPT_MOST) KEPT.delete(KEPT.keys().next().value ?? "");
  KEPT.set(key, lines);
}

/** The lines of `text` in colour; null: not yet, or not at all. */
export function useColours(text: string, language: string): Coloured | null {
  const [, arrived] = useState(0);
  const key = `${language}\n${text}`;
  useEffect(() => {
    if (language === "" || text.length > MOST_CHARS || KEPT.has(key)) return undefined;
    let wanted = true;
    void import("./colouring")
      .then(({ coloured }) => coloured(text, language))
      .catch(() => null)
      .then((lines) => {
        keep(key, lines);
        if (wanted) arrived((count) => count + 1);
      });
    return () => {
      wanted = false;
    };
  }, [key, language, text]);
  return KEPT.get(key) ?? null;
}

/** What tells the language of a file: the end of its name, or all of it. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return name.slice(name.lastIndexOf(".") + 1);
}

/** Pieces of one line; what lies in `mark` is new, or gone. */
export function Pieces({ pieces, mark = null }: { readonly pieces: readonly Piece[]; readonly mark?: readonly [number, number] | null }) {
  const [from, to] = mark ?? [0, 0];
  let at = 0;
  return (
    <>
      {pieces.map(({ text, tone }, index) => {
        const start = at;
        at += text.length;
        const edges = [0, from - start, to - start, text.length].map((edge) => Math.max(0, Math.min(text.length, edge)));
        const parts = edges.slice(0, -1).map((edge, part) => text.slice(edge, edges[part + 1]));
        return (
          <span key={index} class={tone}>
            <Exact text={parts[0] ?? ""} />
            {parts[1] ? <mark><Exact text={parts[1]} /></mark> : null}
            <Exact text={parts[2] ?? ""} />
          </span>
        );
      })}
    </>
  );
}

export function CodeBlock({ text, language }: { readonly text: string; readonly language: string }) {
  const lines = useColours(text, language);
  return (
    <div class="bs-code">
      <Copy text={text} what="the code" />
      <pre tabIndex={0} aria-label={language === "" ? "Code" : `Code, ${language}`}>
        <code>{lines === null ? <Exact text={text} /> : lines.map((pieces, at) => <span key={at}><Pieces pieces={pieces} />{at < lines.length - 1 && "\n"}</span>)}</code>
      </pre>
    </div>
  );
}
