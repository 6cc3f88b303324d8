// What is said to Claude: text, and what becomes of it while a turn runs.

import { useRef, useState } from "preact/hooks";
import { interrupt, newId, prompt } from "../actions";
import { type Attached, carried } from "../attachments";
import type { FoundFiles } from "../suggest";
import { AttachedChips, Pick } from "./attached";
import { Field, type Sends } from "./field";
import { Icon } from "./icons";
import { ModelMenu, ModeMenu, type SwitchProps } from "./modes";
import { Meter } from "./progress";
import { COMMAND } from "./words";

export interface ComposerProps extends SwitchProps {
  readonly models: readonly string[];
  readonly draft: string;
  readonly attached: readonly Attached[];
  readonly files: FoundFiles | null;
  readonly asked: boolean;
  readonly stopping: boolean;
  readonly mayWrite: boolean;
}

export function Composer(props: ComposerProps) {
  const { session, view, draft, attached, stopping, mayWrite, act } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const [over, setOver] = useState(false);
  const running = view.running !== 0;
  const isReading = attached.some(({ is }) => is === "reading");
  // What stands in the field, not what was last drawn: a quick writer is ahead of the frame.
  const send = (when: Sends) => {
    const text = field.current?.value ?? draft;
    if (text.trim() === "" || isReading) return;
    if (field.current !== null) field.current.value = "";
    act({ do: "send", command: prompt(session, text, when, carried(attached)) });
  };
  const take = (files: readonly File[]) => mayWrite && files.length > 0 && act({ do: "attach", session, files: files.map((file) => ({ id: newId(), file })) });
  const dropped = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take([...(event.dataTransfer?.files ?? [])]);
  };
  /** What is copied from a text editor comes as text and as a picture of it: the text is meant. */
  const pasted = (event: ClipboardEvent) => {
    if (event.clipboardData === null || event.clipboardData.files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    take([...event.clipboardData.files]);
  };
  return (
    <div class={`bs-composer ${over ? "is-over" : ""}`} role="presentation" onDragOver={() => setOver(true)} onDragLeave={() => setOver(false)} onDrop={dropped} onPaste={pasted}>
      <AttachedChips session={session} attached={attached} act={act} />
      <Field {...props} field={field} running={running} send={send} />
      <div class="bs-tools">
        <Pick disabled={!mayWrite} take={take} />
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
          {running && draft !== "" && <button type="button" class="bs-btn is-s is-bare" onClick={() => send("steer")}>Steer now <kbd>{COMMAND} ↵</kbd></button>}
          <button type="button" class="bs-btn is-s is-ink" disabled={draft.trim() === "" || isReading || !mayWrite} onClick={() => send(running ? "queue" : "steer")}>
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
