// What goes with the prompt: a chip each, and the button that picks more. Pasting and dropping are the composer's.

import { useRef } from "preact/hooks";
import type { Act } from "../actions";
import type { Attached } from "../attachments";
import { Icon } from "./icons";
import { bytes } from "./words";

interface AttachedProps {
  readonly session: string;
  readonly attached: readonly Attached[];
  readonly act: Act;
}

export function AttachedChips({ session, attached, act }: AttachedProps) {
  if (attached.length === 0) return null;
  return (
    <ul class="bs-attached" aria-label="Goes with it">
      {attached.map((one) => (
        <li key={one.id} class={`bs-chip is-line ${one.is === "refused" ? "bad" : ""}`}>
          {one.is === "ready" && one.picture !== null ? <img src={one.picture} alt="" /> : <Icon name={one.is === "refused" ? "warn" : "file"} />}
          <span class="bs-cutoff">{one.name}</span>
          <span class="dim">{told(one)}</span>
          <button type="button" aria-label={`Take ${one.name} away`} onClick={() => act({ do: "detach", session, id: one.id })}><Icon name="close" /></button>
        </li>
      ))}
    </ul>
  );
}

function told(one: Attached): string {
  switch (one.is) {
    case "reading":
      return "reading …";
    case "refused":
      return one.why;
    case "ready":
      return `${bytes(one.bytes)}${one.scaled ? ", scaled" : ""}${one.as === "file" ? ", as a file" : ""}`;
    default:
      return one satisfies never;
  }
}

export function Pick({ disabled, take }: { readonly disabled: boolean; readonly take: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const picked = () => {
    const it = input.current;
    if (it === null) return;
    take([...(it.files ?? [])]);
    it.value = "";
  };
  return (
    <>
      <input ref={input} type="file" multiple hidden aria-label="Files to attach" onChange={picked} />
      <button type="button" class="bs-btn is-s is-bare is-icon" aria-label="Attach files" title="Attach files: paste or drop them as well" disabled={disabled} onClick={() => input.current?.click()}>
        <Icon name="clip" />
      </button>
    </>
  );
}
