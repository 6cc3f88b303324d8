// The card of an ask: what it is about, in full, and the verbs. Which verbs there are depends on its kind.

import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../icons";
import { age, folder, receiptWord } from "../words";
import { Form } from "./form";
import { Plan } from "./plan";
import { type AskProps, headingOf } from "./props";
import { Questions } from "./questions";
import { Tool } from "./tool";

export interface CardProps extends AskProps {
  readonly place: string;
  readonly step: ((by: 1 | -1) => void) | null;
  /** In the dock it takes the focus when it comes, and can be made small; in the inbox it does neither. */
  readonly docked: boolean;
}

export function AskCard(props: CardProps) {
  const [small, setSmall] = useState(false);
  const [openedAt, setOpenedAt] = useState<number | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (props.docked && !isBusy()) heading.current?.focus({ preventScroll: true });
  }, [props.docked]);
  const title = headingOf(props.request);
  if (small) return <Minimised title={title} {...props} open={() => (setSmall(false), setOpenedAt(props.now))} />;
  return (
    <section class={`bs-ask is-${props.request.ask}`} aria-label={title} data-ask={props.request.pending_id}>
      <header>
        <Icon name={ICONS[props.request.ask]} tone="you" />
        <h2 ref={heading} tabIndex={-1}>{title}</h2>
        {props.cwd !== null && <span class="bs-where">in {folder(props.cwd)}</span>}
        <span class="bs-push bs-agent">{props.request.agent_id === null ? "main agent" : "subagent"}</span>
        <span title="How long it has waited">{age(props.now - props.request.at)}</span>
        {props.step !== null && <Steps place={props.place} step={props.step} />}
        {props.docked && (
          <button type="button" class="bs-btn is-bare is-icon" aria-label="Make it small" onClick={() => setSmall(true)}>
            <Icon name="down" />
          </button>
        )}
      </header>
      <Kind {...props} confirms={openedAt !== null && props.now - openedAt < CONFIRMING_MS} />
    </section>
  );
}

/** After a key opened what was small, the same key means *yes*, and says so, for so long. */
const CONFIRMING_MS = 5000;
const ICONS = { tool: "shield", plan: "plan", question: "question", elicitation: "form", dialog: "question" } as const;

function Kind(props: AskProps & { readonly confirms: boolean }) {
  if (props.sent !== null && props.sent.problem === null && props.sent.receipt?.receipt !== "refused") return <OnItsWay {...props} />;
  const refused = props.sent?.problem?.detail ?? (props.sent?.receipt ? receiptWord(props.sent.receipt) : null);
  return (
    <>
      {refused !== null && <p class="bs-late" role="status">{refused}</p>}
      {props.request.ask === "plan" ? <Plan {...props} /> : props.request.normalized.kind === "ask_user" ? <Questions {...props} /> : props.request.ask === "tool" ? <Tool {...props} /> : <Form {...props} />}
    </>
  );
}

function OnItsWay({ sent, now, act }: AskProps) {
  if (sent === null) return null;
  const held = sent.heldUntil !== null;
  const isAway = sent.receipt === null && now - sent.at > 4000 && !held;
  return (
    <div class="bs-undo" role="status">
      <span>{held ? `Sending in ${Math.max(1, Math.ceil(((sent.heldUntil ?? 0) - now) / 1000))} s` : isAway ? "Saved here, and not answered by the hub yet." : "Sending …"}</span>
      {(held || isAway) && (
        <button type="button" class="bs-btn bs-push" data-keys="z" onClick={() => act({ do: "take back", id: sent.command.command_id })}>
          <Icon name="undo" /> Take back
        </button>
      )}
    </div>
  );
}

function Steps({ place, step }: { readonly place: string; readonly step: (by: 1 | -1) => void }) {
  return (
    <span class="bs-steps">
      <button type="button" class="bs-btn is-bare is-icon" aria-label="The ask before" data-keys="[" onClick={() => step(-1)}><Icon name="back" /></button>
      {place}
      <button type="button" class="bs-btn is-bare is-icon" aria-label="The next ask" data-keys="]" onClick={() => step(1)}><Icon name="right" /></button>
    </span>
  );
}

/** The first `A` only opens: what is not on screen is not allowed. */
function Minimised({ title, request, now, open }: CardProps & { readonly title: string; readonly open: () => void }) {
  return (
    <button type="button" class="bs-ask is-small" data-keys="a" onClick={open}>
      <Icon name={ICONS[request.ask]} tone="you" />
      <b>{title}</b>
      <span class="bs-object">{request.title}</span>
      <span>{age(now - request.at)}</span>
      <span class="bs-btn">Read it</span>
    </button>
  );
}

/** Somebody types, reads a dialog, or holds a selection. */
function isBusy(): boolean {
  const at = document.activeElement;
  const writes = at instanceof HTMLElement && (at.isContentEditable || at.matches("textarea, input, select"));
  return writes || document.querySelector("dialog[open]") !== null || (document.getSelection()?.isCollapsed ?? true) === false;
}
