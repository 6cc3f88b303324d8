// What is said to Claude: text, and what becomes of it while a turn runs.

import { useRef } from "preact/hooks";
import { interrupt, prompt } from "../actions";
import type { FoundFiles } from "../suggest";
import { Field, type Sends } from "./field";
import { Icon } from "./icons";
import { ModelMenu, ModeMenu, type SwitchProps } from "./modes";
import { Meter } from "./progress";

export interface ComposerProps extends SwitchProps {
  readonly models: readonly string[];
  readonly draft: string;
  readonly files: FoundFiles | null;
  readonly asked: boolean;
  readonly stopping: boolean;
  readonly mayWrite: boolean;
}

export function Composer(props: ComposerProps) {
  const { session, view, draft, stopping, mayWrite, act } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const running = view.running !== 0;
  // What stands in the field, not what was last drawn: a quick writer is ahead of the frame.
  const send = (when: Sends) => {
    const text = field.current?.value ?? draft;
    if (text.trim() !== "") act({ do: "send", command: prompt(session, text, when) });
  };
  return (
    <div class="bs-composer">
      <Field {...props} field={field} running={running} send={send} />
      <div class="bs-tools">
        <AtFile field={field} mayWrite={mayWrite} />
        <ModeMenu {...props} />
        <ModelMenu {...props} />
        <Meter context={view.context} />
        <span class="bs-sends">
          {running && (
            <button type="button" class="bs-btn is-s" disabled={stopping || !mayWrite} onClick={() => act({ do: "send", command: interrupt(session) })}>
              <Icon name="stop" /> {stopping ? "Stopping" : "Stop"} <kbd>Esc</kbd>
            </button>
          )}
          {running && draft !== "" && <button type="button" class="bs-btn is-s is-bare" onClick={() => send("steer")}>Steer now <kbd>⌘↵</kbd></button>}
          <button type="button" class="bs-btn is-s is-ink" disabled={draft.trim() === "" || !mayWrite} onClick={() => send(running ? "queue" : "steer")}>
            {running ? "Queue" : "Send"} <kbd>↵</kbd>
          </button>
        </span>
      </div>
    </div>
  );
}

interface AtFileProps {
  readonly field: { readonly current: HTMLTextAreaElement | null };
  readonly mayWrite: boolean;
}

/** Writes the sign that offers files, as a person would, so that all that follows is the same. */
function AtFile({ field, mayWrite }: AtFileProps) {
  const pressed = () => {
    const it = field.current;
    if (it === null) return;
    it.focus();
    const before = it.value.slice(0, it.selectionStart);
    it.setRangeText(before === "" || /\s$/u.test(before) ? "@" : " @", it.selectionStart, it.selectionEnd, "end");
    it.dispatchEvent(new InputEvent("input", { bubbles: true }));
  };
  return <button type="button" class="bs-btn is-s is-bare is-icon" aria-label="Name a file" disabled={!mayWrite} onClick={pressed}>@</button>;
}
