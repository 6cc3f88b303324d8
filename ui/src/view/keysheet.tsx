// The keys, on one sheet, and whether single letters are any.

import { useEffect, useRef } from "preact/hooks";
import type { Act } from "../actions";
import type { State } from "../state";
import { ALT, COMMAND } from "./words";

type Keys = readonly (readonly [string, string])[];
const KEYS: readonly (readonly [string, Keys])[] = [
  ["Anywhere", [[`${COMMAND} K`, "Find or do"], ["?", "This sheet"], ["G S", "Sessions"], ["G I", "Inbox"], ["N", "New session, in the list"], [`${ALT} 1–9`, "The first nine sessions"]]],
  ["An ask", [["A", "Allow once"], ["⇧ A", "Always…"], ["E", "Edit…"], ["D", "Deny…"], ["⇧ D", "Deny and stop"], ["[ ]", "The ask before, the next"], ["Z", "Take back"]]],
  ["A question", [["1–9", "Choose"], ["0", "In your own words"], ["↵", "Next"]]],
  ["Lists and the transcript", [["J K", "Down, up"], ["O", "Open or fold"], ["⇧ G", "To the end"], ["C", "Its work: changes, grants, files"]]],
  ["What you write", [["I", "Write"], ["↵", "Send, or queue"], [`${COMMAND} ↵`, "Steer now"], ["⇧ ↵", "New line"], ["/ @", "Commands, files"], ["Esc", "Leave the field; once more: stop the turn"]]],
  ["Modes", [[`${ALT} A`, "Accept edits for 15 minutes"], [`${ALT} P`, "Plan"]]],
];

export function KeySheet({ state, act }: { readonly state: State; readonly act: Act }) {
  const sheet = useRef<HTMLDialogElement>(null);
  useEffect(() => sheet.current?.showModal(), []);
  return (
    <dialog ref={sheet} class="bs-dialog is-wide" aria-labelledby="keys" onClose={() => act({ do: "shut", sheet: "keys" })}>
      <header>
        <h2 id="keys">Keys</h2>
        <button type="button" class="bs-switch bs-push" role="switch" aria-checked={state.letters} title={`Off: only Esc, and keys with ${COMMAND} or ${ALT}`} onClick={() => act({ do: "letters", letters: !state.letters })}>Single letters <i /></button>
        <button type="button" class="bs-btn is-bare is-s" data-keys="?" onClick={() => sheet.current?.close()}>Close</button>
      </header>
      <div class="bs-keys">
        {KEYS.map(([name, keys]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>{keys.map(([key, does]) => <div key={key}><dt>{key.split(" ").map((cap) => <kbd key={cap}>{cap}</kbd>)}</dt><dd>{does}</dd></div>)}</dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
