// What waits to be said: a chip for each prompt, in order, and whether they are said by themselves.

import { useEffect, useRef, useState } from "preact/hooks";
import { type Act, newId, prompt } from "../actions";
import type { Queued } from "../protocol.gen";
import { Icon } from "./icons";
import { type Choice, Menu } from "./menu";
import { many } from "./words";

interface QueueProps {
  readonly session: string;
  readonly queue: readonly Queued[];
  readonly held: boolean;
  readonly mayWrite: boolean;
  readonly act: Act;
}

interface Edited {
  readonly id: number;
  readonly text: string;
}

export function Queue({ session, queue, held, mayWrite, act }: QueueProps) {
  const [edited, setEdited] = useState<Edited | null>(null);
  const [all, setAll] = useState(false);
  if (queue.length === 0 && edited === null) return null;
  const send = (id: number) => act({ do: "send", command: { type: "send_queued", command_id: newId(), session, queued: id } });
  const drop = (id: number) => act({ do: "send", command: { type: "drop_queued", command_id: newId(), session, queued: id } });
  const move = (id: number, before: number | null) => act({ do: "send", command: { type: "move_queued", command_id: newId(), session, queued: id, before } });
  const choices = (one: Queued, at: number): readonly Choice[] => [
    { name: "Edit…", icon: "edit", does: () => setEdited({ id: one.id, text: one.prompt.text }) },
    { name: "Send now", icon: "up", does: () => send(one.id), about: "Into the running turn, or as a turn of its own" },
    { name: "Earlier", icon: "back", does: at === 0 ? null : () => move(one.id, queue[at - 1]?.id ?? null) },
    { name: "Later", icon: "right", does: at === queue.length - 1 ? null : () => move(one.id, queue[at + 2]?.id ?? null) },
    { name: "Drop", icon: "close", does: () => drop(one.id) },
  ];
  return (
    <div class="bs-strip is-queue" role="group" aria-label={`Queue: ${many(queue.length, "prompt")}`}>
      <span class="dim">{held ? "Held" : "Next"}</span>
      <ol class={all ? "" : "is-short"}>
        {queue.map((one, at) => (
          <li key={one.id} class="bs-chip is-line bs-queued">
            <Menu label={`${at + 1}: ${one.prompt.text}`} choices={choices(one, at)} disabled={!mayWrite}>
              <span>{at + 1}</span> <span class="bs-cutoff">{one.prompt.text || "An attachment"}</span>
            </Menu>
            <button type="button" aria-label={`Drop ${at + 1}`} disabled={!mayWrite} onClick={() => drop(one.id)}><Icon name="close" /></button>
          </li>
        ))}
      </ol>
      {queue.length > 1 && <button type="button" class="bs-link bs-narrow" aria-expanded={all} onClick={() => setAll(!all)}>{all ? "Less" : `${queue.length - 1} more`}</button>}
      <AutoRun session={session} held={held} mayWrite={mayWrite} act={act} />
      {edited !== null && <Editor key={edited.id} edited={edited} session={session} waits={queue.some((one) => one.id === edited.id)} close={() => setEdited(null)} act={act} />}
    </div>
  );
}

/** Off after a stop, so that nothing begins which the stop was meant to prevent. */
function AutoRun({ session, held, mayWrite, act }: Omit<QueueProps, "queue">) {
  const hold = () => act({ do: "send", command: { type: "hold_queue", command_id: newId(), session, hold: !held } });
  return (
    <button type="button" class="bs-switch bs-push" role="switch" aria-checked={!held} title={held ? "The queue waits for you" : "The next is said when the turn ends"} disabled={!mayWrite} onClick={hold}>
      Auto-run <i />
    </button>
  );
}

interface EditorProps {
  readonly edited: Edited;
  readonly session: string;
  readonly waits: boolean;
  readonly close: () => void;
  readonly act: Act;
}

function Editor({ edited, session, waits, close, act }: EditorProps) {
  const [text, setText] = useState(edited.text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const save = () => {
    if (text.trim() === "") return;
    act({ do: "send", command: waits ? { type: "edit_queued", command_id: newId(), session, queued: edited.id, text } : prompt(session, text, "queue") });
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) save();
    else return;
    event.preventDefault();
  };
  return (
    <form class="bs-requeue" onSubmit={(event) => (event.preventDefault(), save())}>
      <textarea ref={field} class="bs-input" rows={3} aria-label="What waits" value={text} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={onKeyDown} />
      {!waits && <p role="status">It waits no more: it was said, or dropped. What you write here would be a new one.</p>}
      <button type="button" class="bs-btn is-s is-bare" onClick={close}>Cancel</button>
      <button type="submit" class="bs-btn is-s" disabled={text.trim() === ""}>{waits ? "Save" : "Queue it"}</button>
    </form>
  );
}
