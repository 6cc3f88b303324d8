// Exact characters: what would not be seen, or would turn what is around it, is shown by its number.

import type { Mark } from "../protocol.gen";
import { exact } from "./words";

export function Exact({ text }: { readonly text: string }) {
  return (
    <>
      {exact(text).map((part, at) =>
        typeof part === "string" ? part : <span key={at} class="bs-hidden" title="A character that is not seen">{part.hidden}</span>,
      )}
    </>
  );
}

/** A command, its grave spans underlined. Marks count characters as Python does; so does this. */
export function Marked({ text, marks }: { readonly text: string; readonly marks: readonly Mark[] }) {
  const chars = Array.from(text);
  const grave = marks.flatMap((mark) => (mark.grave && mark.start !== null && mark.end !== null ? [[mark.start, mark.end] as const] : []));
  const edges = [...new Set([0, chars.length, ...grave.flat()])].filter((edge) => edge <= chars.length).sort((a, b) => a - b);
  return (
    <>
      {edges.slice(0, -1).map((from, at) => {
        const piece = chars.slice(from, edges[at + 1]).join("");
        const risky = grave.some(([start, end]) => from >= start && from < end);
        return risky ? <span key={from} class="bs-risky"><Exact text={piece} /></span> : <Exact key={from} text={piece} />;
      })}
    </>
  );
}

export function Chips({ marks }: { readonly marks: readonly Mark[] }) {
  const named = new Map(marks.map((mark) => [mark.mark, mark.grave]));
  return (
    <>
      {[...named].map(([mark, grave]) => (
        <span key={mark} class={`bs-chip ${grave ? "bad" : ""}`}>{mark}</span>
      ))}
    </>
  );
}
