// The text that is written, and what is offered while it is.

import { useLayoutEffect, useState } from "preact/hooks";
import { type Offer, offersFor, taken, tokenAt } from "../suggest";
import type { ComposerProps } from "./composer";
import { OFFERS, offerId, Offers } from "./offers";

export type Sends = "queue" | "steer";

interface FieldProps extends ComposerProps {
  readonly field: { current: HTMLTextAreaElement | null };
  readonly running: boolean;
  readonly send: (when: Sends) => void;
}

export function Field({ session, view, draft, files, asked, mayWrite, act, field, running, send }: FieldProps) {
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  /** The token whose offers were closed; another one opens them again. */
  const [closed, setClosed] = useState<number | null>(null);
  const [next, setNext] = useState<number | null>(null);
  const token = tokenAt(draft, caret);
  const found = files?.session === session ? files : null;
  const offers = token === null || token.from === closed ? [] : offersFor(token, view.commands, found);
  const offered = offers[Math.min(at, offers.length - 1)];
  useLayoutEffect(() => {
    if (field.current === null) return;
    field.current.style.height = "auto";
    field.current.style.height = `${field.current.scrollHeight}px`;
    if (next !== null) field.current.setSelectionRange(next, next);
    setNext(null);
  }, [draft]);
  const look = (text: string, place: number) => {
    const now = tokenAt(text, place);
    setCaret(place);
    if (now === null) return setClosed(null);
    if (now.from !== token?.from || now.text !== token.text) setAt(0);
    if (now.kind === "file" && (found?.beginning !== now.text || now.from !== token?.from)) act({ do: "files", session, beginning: now.text });
  };
  const write = (text: string, place: number) => {
    act({ do: "draft", session, text });
    look(text, place);
  };
  const take = (offer: Offer) => {
    if (token === null) return;
    const after = taken(draft, token, offer);
    setNext(after.caret);
    write(after.text, after.caret);
  };
  const chooses = (event: KeyboardEvent): boolean => {
    if (offered === undefined || token === null) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((Math.min(at, offers.length - 1) + step + offers.length) % offers.length);
    else if (event.key === "Escape") setClosed(token.from);
    else if (event.key === "Tab" || (event.key === "Enter" && offered.insert.trim() !== draft.slice(token.from, token.to))) take(offered);
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (!event.shiftKey && chooses(event)) return event.preventDefault();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    send(running && !event.metaKey && !event.ctrlKey ? "queue" : "steer");
  };
  const seen = ({ currentTarget: it }: { readonly currentTarget: HTMLTextAreaElement }) => it.selectionStart !== caret && look(it.value, it.selectionStart);
  const hint = asked ? "Answer above first. What you send now is queued." : running ? "Queue something, or steer" : "Say something to Claude";
  const open = offered !== undefined;
  return (
    <>
      {open && <Offers label={token?.kind === "file" ? "Files" : "Commands"} offers={offers} at={offers.indexOf(offered)} take={take} />}
      <textarea ref={field} rows={1} aria-label="Message" aria-autocomplete="list" aria-controls={open ? OFFERS : undefined} aria-activedescendant={open ? offerId(offers.indexOf(offered)) : undefined} placeholder={hint} value={draft} disabled={!mayWrite} data-keys="i" onInput={({ currentTarget: it }) => write(it.value, it.selectionStart)} onKeyUp={seen} onClick={seen} onBlur={() => setCaret(0)} onFocus={seen} onKeyDown={onKeyDown} />
    </>
  );
}
