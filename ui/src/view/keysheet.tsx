// The keys, on one sheet.

import { useEffect, useRef } from "preact/hooks";

const KEYS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  ["Asks", [["A", "Allow once"], ["⇧ A", "Always…"], ["E", "Edit…"], ["D", "Deny…"], ["⇧ D", "Deny and stop"], ["1–9, 0", "Choose an answer"], ["Z", "Take back"]]],
  ["Session", [["I", "Write"], ["↵", "Send, or queue"], ["⌘ ↵", "Steer now"], ["Esc", "Leave the field; once more: stop the turn"]]],
  ["Places", [["G S", "Sessions"], ["G I", "Inbox"], ["J / K", "Next, previous session"], ["N", "New session"], ["?", "This sheet"]]],
];

export function KeySheet({ close }: { readonly close: () => void }) {
  const sheet = useRef<HTMLDialogElement>(null);
  useEffect(() => sheet.current?.showModal(), []);
  return (
    <dialog ref={sheet} class="bs-dialog" aria-labelledby="keys" onClose={close}>
      <header><h2 id="keys">Keys</h2><button type="button" class="bs-btn is-bare is-s bs-push" onClick={() => sheet.current?.close()}>Close</button></header>
      <div class="bs-keys">
        {KEYS.map(([name, keys]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>{keys.map(([key, does]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{does}</dd></div>)}</dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
