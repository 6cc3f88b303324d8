// What is said to Claude: text, and what becomes of it while a turn runs.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Act } from "../actions";
import { interrupt, prompt } from "../actions";
import type { View } from "../protocol.gen";
import { Icon } from "./icons";
import { modeWord, tokens } from "./words";

interface ComposerProps {
  readonly session: string;
  readonly view: View;
  readonly draft: string;
  readonly asked: boolean;
  readonly stopping: boolean;
  readonly mayWrite: boolean;
  readonly act: Act;
}

export function Composer({ session, view, draft, asked, stopping, mayWrite, act }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const running = view.running !== 0;
  useLayoutEffect(() => {
    if (field.current === null) return;
    field.current.style.height = "auto";
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [draft]);
  // What stands in the field, not what was last drawn: a quick writer is ahead of the frame.
  const send = (when: "queue" | "steer") => {
    const text = field.current?.value ?? draft;
    if (text.trim() !== "") act({ do: "send", command: prompt(session, text, when) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send(running && !event.metaKey && !event.ctrlKey ? "queue" : "steer");
  };
  const hint = asked ? "Answer above first. What you send now is queued." : running ? "Queue something, or steer" : "Say something to Claude";
  return (
    <div class="bs-composer">
      <textarea ref={field} rows={1} aria-label="Message" placeholder={hint} value={draft} disabled={!mayWrite} data-keys="i" onInput={(event) => act({ do: "draft", session, text: event.currentTarget.value })} onKeyDown={onKeyDown} />
      <div class="bs-tools">
        <span class="bs-pick">{modeWord(view.mode)}</span>
        <span class="bs-pick bs-wide">{view.model}</span>
        <Meter view={view} />
        <span class="bs-push" />
        {running && (
          <button type="button" class="bs-btn is-s" disabled={stopping || !mayWrite} onClick={() => act({ do: "send", command: interrupt(session) })}>
            <Icon name="stop" /> {stopping ? "Stopping" : "Stop"} <kbd>Esc</kbd>
          </button>
        )}
        {running && draft !== "" && <button type="button" class="bs-btn is-s is-bare" onClick={() => send("steer")}>Steer now <kbd>⌘↵</kbd></button>}
        <button type="button" class="bs-btn is-s is-ink" disabled={draft.trim() === "" || !mayWrite} onClick={() => send(running ? "queue" : "steer")}>
          {running ? "Queue" : "Send"} <kbd>↵</kbd>
        </button>
      </div>
    </div>
  );
}

const HIGH = 0.8;

function Meter({ view }: { readonly view: View }) {
  if (view.context === null) return null;
  const { used, size } = view.context;
  if (size === null) return <span class="bs-pick">{tokens(used)}</span>;
  return (
    <span class="bs-pick" title="Context">
      <progress class={used / size > HIGH ? "is-high" : ""} value={used} max={size} aria-label="Context used" />
      <span class="bs-wide">{tokens(used)} of {tokens(size)}</span>
    </span>
  );
}
