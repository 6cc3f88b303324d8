// What a session is called.

import { useEffect, useRef, useState } from "preact/hooks";
import { type Act, newId } from "../actions";

interface RenameProps {
  readonly session: string;
  readonly title: string;
  readonly act: Act;
}

export function Rename({ session, title, act }: RenameProps) {
  const sheet = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(title);
  useEffect(() => {
    sheet.current?.showModal();
    field.current?.select();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim() !== title && text.trim() !== "") act({ do: "send", command: { type: "rename", command_id: newId(), session, title: text.trim() } });
    sheet.current?.close();
  };
  return (
    <dialog ref={sheet} class="bs-dialog" aria-labelledby="rename" onClose={() => act({ do: "shut", sheet: "rename" })}>
      <header><h2 id="rename">Rename</h2></header>
      <form class="bs-start" onSubmit={submit}>
        <input ref={field} class="bs-input" aria-label="Title" maxLength={200} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <div class="bs-line-end">
          <button type="button" class="bs-btn is-bare" onClick={() => sheet.current?.close()}>Cancel</button>
          <button type="submit" class="bs-btn is-ink" disabled={text.trim() === ""}>Rename</button>
        </div>
      </form>
    </dialog>
  );
}
