// How full the context is, and how far the list of things to do has come: each in a line, the list opens.

import { useState } from "preact/hooks";
import type { Context, TodoItem } from "../protocol.gen";
import { Icon } from "./icons";
import { TodoList } from "./todos";
import { tokens } from "./words";

const HIGH = 0.8;

export function Meter({ context }: { readonly context: Context | null }) {
  if (context === null) return null;
  const { used, size } = context;
  if (size === null) return <span class="bs-pick" title="Context">{tokens(used)} <span class="bs-sr">tokens of context</span></span>;
  const share = used / size;
  const words = `${tokens(used)} of ${tokens(size)}`;
  return (
    <span class={`bs-pick ${share > HIGH ? "bad" : ""}`} title={`Context: ${words} tokens, ${Math.round(share * 100)} %${share > HIGH ? ". /compact makes room." : ""}`}>
      <progress class={share > HIGH ? "is-high" : ""} value={used} max={size} aria-label={`Context: ${words} tokens`} />
      <span class="bs-wide" aria-hidden="true">{words}</span>
    </span>
  );
}

/** Shown while something is left to do. */
export function TodoStrip({ items }: { readonly items: readonly TodoItem[] }) {
  const [open, setOpen] = useState(false);
  const counted = items.filter((item) => item.status !== "cancelled");
  const done = counted.filter((item) => item.status === "completed").length;
  if (done === counted.length) return null;
  const current = items.find((item) => item.status === "in_progress");
  return (
    <>
      <button type="button" class="bs-todo-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Ring share={done / counted.length} />
        <b>{done}/{counted.length}</b>
        <span class="bs-cutoff">{current === undefined ? "" : `· ${current.active_form ?? current.description}`}</span>
        <Icon name={open ? "down" : "up"} tone="dim" />
      </button>
      {open && <div class="bs-strip-more"><TodoList items={items} /></div>}
    </>
  );
}

function Ring({ share }: { readonly share: number }) {
  return (
    <svg class="bs-icon bs-share" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="5.5" />
      <circle class="run" cx="8" cy="8" r="5.5" pathLength={1} stroke-dasharray={`${share} 1`} />
    </svg>
  );
}
