// Begin a session: where, and with which words; or go on with what was said elsewhere.

import { useEffect, useRef, useState } from "preact/hooks";
import { type Act, newId } from "../actions";
import type { HubCommand } from "../protocol.gen";
import type { State } from "../state";
import { Past } from "./past";
import { receiptWord } from "./words";

export function Start({ state, act }: { readonly state: State; readonly act: Act }) {
  const sheet = useRef<HTMLDialogElement>(null);
  const [cwd, setCwd] = useState(state.sessions?.[0]?.cwd ?? "");
  const [text, setText] = useState("");
  const [id, setId] = useState<string | null>(null);
  useEffect(() => sheet.current?.showModal(), []);
  const sent = id === null ? undefined : state.sent[id];
  const waits = sent !== undefined && sent.receipt === null && sent.problem === null;
  const problem = sent?.problem?.detail ?? (sent?.receipt?.receipt === "refused" ? receiptWord(sent.receipt) : null);
  const send = (command: HubCommand) => {
    setId(command.command_id);
    act({ do: "send", command });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    send({ type: "start", command_id: newId(), cwd: cwd.trim(), ...(text.trim() === "" ? {} : { prompt: text }) });
  };
  return (
    <dialog ref={sheet} class="bs-dialog" aria-labelledby="start" onClose={() => act({ do: "sheet", sheet: null })}>
      <header>
        <h2 id="start">New session</h2>
        <button type="button" class="bs-btn is-bare is-s bs-push" onClick={() => sheet.current?.close()}>Cancel</button>
      </header>
      <form class="bs-start" onSubmit={submit}>
        <label class="bs-field is-tall">
          <span>Folder, or the name of a project</span>
          <input class="bs-input is-mono" spellcheck={false} value={cwd} onInput={(event) => setCwd(event.currentTarget.value)} />
        </label>
        <label class="bs-field is-tall">
          <span>First prompt (optional)</span>
          <textarea class="bs-input" rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        {problem !== null && <p class="bad" role="alert">{problem}</p>}
        <div class="bs-line-end">
          <button type="submit" class="bs-btn is-ink" disabled={cwd.trim() === "" || waits}>{waits ? "Starting …" : "Start"}</button>
        </div>
      </form>
      <Past state={state} act={act} send={send} waits={waits} />
    </dialog>
  );
}
