// What calls gave back: text of a shell, of a file, of a search, of anything.

import { useContext, useState } from "preact/hooks";
import type { CodeSearch, ReadFile, ShellExec } from "../protocol.gen";
import { spans } from "./ansi";
import { languageOf, Pieces, useColours } from "./code";
import { Copy } from "./copy";
import { Exact } from "./exact";
import { Reading } from "./reading";
import { many } from "./words";

const LAST = 8;

export function Lines({ text, most = LAST, end = false }: { readonly text: string; readonly most?: number; readonly end?: boolean }) {
  const [all, setAll] = useState(false);
  const lines = text.replace(/\n+$/u, "").split("\n");
  const left = all ? 0 : Math.max(0, lines.length - most);
  const shown = end ? lines.slice(left) : lines.slice(0, lines.length - left);
  const more = left > 0 && (
    <button type="button" class="bs-rest" onClick={() => setAll(true)}>
      {many(left, "line")} {end ? "above" : "below"}
    </button>
  );
  return (
    <>
      {end && more}
      <pre>
        {spans(shown.join("\n")).map((span, at) => (
          <span key={at} class={span.tone}><Exact text={span.text} /></span>
        ))}
      </pre>
      {!end && more}
    </>
  );
}

export function ShellBody({ payload }: { readonly payload: ShellExec }) {
  const { output } = payload;
  return (
    <div class="bs-out">
      <div class="bs-command"><span class="dim">$ </span><Exact text={payload.command} /><Copy text={payload.command} what="the command" /></div>
      {output !== null && output.stdout !== "" && <div class="bs-stdout"><Copy text={output.stdout} what="the output" /><Lines text={output.stdout} end /></div>}
      {output !== null && output.stderr !== "" && (
        <div class="bs-stderr">
          <div class="bs-label">stderr</div>
          <Lines text={output.stderr} end />
        </div>
      )}
      {output !== null && output.stdout === "" && output.stderr === "" && <p class="bs-none">It printed nothing.</p>}
    </div>
  );
}

export function ReadBody({ payload }: { readonly payload: ReadFile }) {
  const text = payload.output?.error ?? payload.output?.content ?? "";
  if (payload.output?.media) return <p class="bs-none">{payload.output.media}</p>;
  if (payload.output?.error != null || text === "") return <TextBody text={text} />;
  return <Source text={text} path={payload.file_path} first={payload.offset ?? 1} />;
}

const SHOWN = 20;

/** What is in a file: numbered, coloured, its beginning first. */
export function Source({ text, path, first, most = SHOWN }: { readonly text: string; readonly path: string; readonly first: number; readonly most?: number }) {
  const [all, setAll] = useState(false);
  const lines = text.replace(/\n$/u, "").split("\n");
  const shown = all ? lines : lines.slice(0, most);
  const colours = useColours(shown.join("\n"), languageOf(path));
  return (
    <div class="bs-out bs-source">
      <Copy text={text} what="the text" />
      {shown.map((line, at) => (
        <div key={at} class="bs-line">
          <span class="bs-no">{first + at}</span>
          <code><Pieces pieces={colours?.[at] ?? [{ text: line, tone: "" }]} /></code>
        </div>
      ))}
      {shown.length < lines.length && <button type="button" class="bs-rest" onClick={() => setAll(true)}>{many(lines.length - shown.length, "line")} below</button>}
    </div>
  );
}

export function SearchBody({ payload }: { readonly payload: CodeSearch }) {
  const found = payload.output;
  if (found === null) return null;
  const hits = found.matches ?? found.files;
  if (found.error != null || hits.length === 0) return <TextBody text={found.error ?? ""} none="Nothing was found." />;
  return <Hits hits={hits} />;
}

const HIT = /^(.+?):(\d+):(.*)$/su;

/** Each leads to its file. */
function Hits({ hits }: { readonly hits: readonly string[] }) {
  const { session, act } = useContext(Reading);
  const [all, setAll] = useState(false);
  const shown = all ? hits : hits.slice(0, SHOWN);
  const read = (path: string) => {
    if (session === null) return;
    act({ do: "panel", panel: "take" });
    act({ do: "read", session, path });
  };
  return (
    <div class="bs-out bs-hits">
      <Copy text={hits.join("\n")} what="the hits" />
      <ul>
        {shown.map((hit, at) => {
          const [, path = hit, line, text = ""] = HIT.exec(hit) ?? [];
          return (
            <li key={at}>
              <button type="button" class="bs-link" onClick={() => read(path)}><Exact text={path} />{line !== undefined && `:${line}`}</button> <Exact text={text} />
            </li>
          );
        })}
      </ul>
      {shown.length < hits.length && <button type="button" class="bs-rest" onClick={() => setAll(true)}>{many(hits.length - shown.length, "more hit")}</button>}
    </div>
  );
}

export function TextBody({ text, none = "It gave nothing back." }: { readonly text: string; readonly none?: string }) {
  return <div class="bs-out">{text !== "" && <Copy text={text} what="the text" />}{text === "" ? <p class="bs-none">{none}</p> : <Lines text={text} most={20} />}</div>;
}

/** Arguments as a table: the value of each name, exact. */
export function Table({ value }: { readonly value: unknown }) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return <TextBody text={pretty(value)} />;
  return (
    <table class="bs-table">
      <tbody>
        {Object.entries(value).map(([name, one]) => (
          <tr key={name}>
            <th scope="row"><Exact text={name} /></th>
            <td><Exact text={pretty(one)} /></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export const pretty = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));
