// The text that is written, and what is offered while it is.

import { useLayoutEffect, useState } from "preact/hooks";
import { type Offer, offersFor, taken, type Token, tokenAt } from "../suggest";
import type { ComposerProps } from "./composer";
import { OFFERS, offerId, Offers } from "./offers";

export type Sends = "queue" | "steer";

interface FieldProps extends ComposerProps {
  readonly field: { current: HTMLTextAreaElement | null };
  readonly running: boolean;
  readonly send: (when: Sends) => void;
}

export function Field(props: FieldProps) {
  const { draft, mayWrite, field, running, send } = props;
  const it = useOffers(props);
  // Not by `value`: what is drawn here between two frames has the draft of the first, and would undo what was typed.
  useLayoutEffect(() => {
    if (field.current === null) return;
    if (field.current.value !== draft) field.current.value = draft;
    field.current.style.height = "auto";
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [draft]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (!event.shiftKey && it.chooses(event.key)) return event.preventDefault();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    send(running && !event.metaKey && !event.ctrlKey ? "queue" : "steer");
  };
  const looked = ({ currentTarget: { value, selectionStart } }: { readonly currentTarget: HTMLTextAreaElement }) => it.looked(value, selectionStart);
  const open = it.offers.length > 0;
  return (
    <>
      {open && <Offers label={it.token?.kind === "file" ? "Files" : "Commands"} offers={it.offers} at={it.at} take={it.take} />}
      <textarea ref={field} rows={1} aria-label="Message" aria-autocomplete="list" aria-controls={open ? OFFERS : undefined} aria-activedescendant={open ? offerId(it.at) : undefined} placeholder={hintOf(props)} disabled={!mayWrite} data-keys="i" onInput={({ currentTarget: { value, selectionStart } }) => it.write(value, selectionStart)} onKeyUp={looked} onClick={looked} onFocus={looked} onBlur={it.left} onKeyDown={onKeyDown} />
    </>
  );
}

function hintOf({ attached, asked, running }: FieldProps): string {
  if (attached.length > 0) return "Say what it is about";
  if (asked) return "Answer above first. What you send now is queued.";
  return running ? "Queue something, or steer" : "Say something to Claude";
}

/** Where the caret is, what is offered there, and which of it is meant. */
function useOffers({ session, view, draft, files, field, act }: FieldProps) {
  const [caret, setCaret] = useState(0);
  const [meant, setMeant] = useState(0);
  /** The token whose offers were closed; another one opens them again. */
  const [closed, setClosed] = useState<number | null>(null);
  const token = tokenAt(draft, caret);
  const found = files?.session === session ? files : null;
  const offersAt = (written: Token | null) => (written === null || written.from === closed ? [] : offersFor(written, view.commands, found));
  const offers = offersAt(token);
  const at = Math.max(0, Math.min(meant, offers.length - 1));
  const look = (text: string, place: number) => {
    const now = tokenAt(text, place);
    setCaret(place);
    if (now === null) return setClosed(null);
    if (same(now, token)) return;
    setMeant(0);
    if (now.kind === "file") act({ do: "files", session, beginning: now.text });
  };
  const write = (text: string, place: number) => {
    act({ do: "draft", session, text });
    look(text, place);
  };
  /** Into the field at once: what is drawn next must find there what was written, whichever key comes first. */
  const take = (offer: Offer) => {
    const into = field.current;
    const written = writtenIn(into);
    if (into === null || written === null) return;
    const after = taken(into.value, written, offer);
    into.value = after.text;
    into.setSelectionRange(after.caret, after.caret);
    write(after.text, after.caret);
  };
  /** Whether the key was meant for the offers of what is written now. Enter after a name that is whole sends it. */
  const chooses = (key: string): boolean => {
    const written = writtenIn(field.current);
    const now = offersAt(written);
    const offered = now[Math.min(meant, now.length - 1)];
    if (offered === undefined || written === null) return false;
    const isWhole = offered.insert.trim().slice(1) === written.text;
    if (key === "ArrowDown" || key === "ArrowUp") setMeant((at + (key === "ArrowDown" ? 1 : -1) + now.length) % now.length);
    else if (key === "Escape") setClosed(written.from);
    else if (key === "Tab" || (key === "Enter" && !isWhole)) take(offered);
    else return false;
    return true;
  };
  const looked = (text: string, place: number) => place !== caret && look(text, place);
  return { token, offers, at, left: () => setCaret(0), looked, write, take, chooses };
}

/** From the field, not from what was last drawn of it: a quick writer is ahead of the frame. */
const writtenIn = (field: HTMLTextAreaElement | null): Token | null => (field === null ? null : tokenAt(field.value, field.selectionStart));

const same = (one: Token, other: Token | null): boolean => other !== null && one.kind === other.kind && one.from === other.from && one.text === other.text;
