// Find or do: everything by a few letters. The focus stays in the field; the list says by its ids what is meant.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Act } from "../actions";
import { type Entry, findings } from "../finding";
import type { State } from "../state";
import { Icon, StateIcon } from "./icons";
import { SURE_MS } from "./sure";

interface PaletteProps {
  readonly state: State;
  readonly act: Act;
}

export function Palette({ state, act }: PaletteProps) {
  const sheet = useRef<HTMLDialogElement>(null);
  const [written, setWritten] = useState("");
  const [meant, setMeant] = useState(0);
  const [asked, setAsked] = useState<{ readonly key: string; readonly at: number } | null>(null);
  useEffect(() => sheet.current?.showModal(), []);
  const groups = findings(state, written);
  const entries = groups.flatMap(([, found]) => found);
  const at = Math.max(0, Math.min(meant, entries.length - 1));
  useEffect(() => sheet.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [at, written]);
  const write = (text: string) => {
    setWritten(text);
    setMeant(0);
    setAsked(null);
    act({ do: "search", words: text });
  };
  const take = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    if (entry.sure !== undefined && asked?.key !== entry.key) return setAsked({ key: entry.key, at: performance.now() });
    if (asked !== null && performance.now() - asked.at < SURE_MS) return;
    sheet.current?.close();
    act(entry.action);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setMeant((at + step + entries.length) % Math.max(1, entries.length));
    else if (event.key === "Enter") take(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={sheet} class="bs-dialog bs-palette" aria-label="Find or do" onClose={() => act({ do: "shut", sheet: "find" })}>
      <div class="bs-find">
        <Icon name="find" tone="dim" />
        <input role="combobox" aria-label="Find or do" aria-expanded="true" aria-autocomplete="list" aria-controls="found" aria-activedescendant={entries.length > 0 ? `found-${at}` : undefined} placeholder="A session, something to do, or words of a transcript" value={written} onInput={(event) => write(event.currentTarget.value)} onKeyDown={onKeyDown} />
        <kbd>Esc</kbd>
      </div>
      <div id="found" class="bs-found" role="listbox" aria-label="Found">
        {groups.map(([name, found]) => (
          <div key={name} role="group" aria-label={name}>
            <h3 aria-hidden="true">{name}</h3>
            {found.map((entry) => <EntryRow key={entry.key} entry={entry} place={entries.indexOf(entry)} at={at} written={written} asked={asked?.key === entry.key} take={take} />)}
          </div>
        ))}
      </div>
      <p class="bs-found-note" role="status">{noteOf(state, written, entries.length)}</p>
    </dialog>
  );
}

function noteOf({ search }: State, written: string, count: number): string {
  if (written.trim() === "") return "Every word you write must be found.";
  if (search?.problem != null) return `Transcripts could not be searched: ${search.problem}`;
  if (search === null || search.words !== written.trim() || search.hits === null) return "Searching the transcripts …";
  return count === 0 ? "Nothing is called so, and no transcript speaks of it." : "";
}

interface EntryProps {
  readonly entry: Entry;
  readonly place: number;
  readonly at: number;
  readonly written: string;
  readonly asked: boolean;
  readonly take: (entry: Entry) => void;
}

function EntryRow({ entry, place, at, written, asked, take }: EntryProps) {
  return (
    <div id={`found-${place}`} class={asked ? "is-sure" : ""} role="option" tabIndex={-1} aria-selected={place === at} onMouseDown={(event) => (event.preventDefault(), take(entry))}>
      {entry.session === undefined ? <Icon name={entry.icon} tone="dim" /> : <StateIcon status={entry.session.status} wants={entry.session.waits_for[0]} />}
      <span class="bs-cutoff">{asked ? entry.sure : marked(entry.name, written)}</span>
      <small>{entry.about}</small>
    </div>
  );
}

/** The words that were looked for stand out. */
function marked(text: string, written: string) {
  const words = written.trim().split(/\s+/u).filter(Boolean).map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`));
  if (words.length === 0) return text;
  return text.split(new RegExp(`(${words.join("|")})`, "giu")).map((part, at) => (at % 2 === 1 ? <b key={at}>{part}</b> : part));
}
