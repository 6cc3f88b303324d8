// Questions, one a step: digits choose, nothing is chosen beforehand, own words are always possible.

import { useState } from "preact/hooks";
import type { Question } from "../../protocol.gen";
import { many } from "../words";
import { type AskProps, remarksOn, send } from "./props";

interface Given {
  readonly chosen: readonly string[];
  readonly own: string;
}

const NOTHING: Given = { chosen: [], own: "" };

export function Questions(props: AskProps) {
  const questions = props.request.normalized.kind === "ask_user" ? props.request.normalized.questions : [];
  // Two keys may come within one frame of the page: the second counts on what the first did.
  const [{ step, given }, setHere] = useState(() => begun(props.draft));
  const keep = (next: Begun) => {
    setHere(next);
    props.act({ do: "draft", session: remarksOn(props.request.pending_id), text: JSON.stringify(next) });
  };
  const setStep = (to: number) => keep({ step: to, given });
  const question = questions[step];
  if (question === undefined) return null;
  const here = given[step] ?? NOTHING;
  const last = step === questions.length - 1;
  const next = () => {
    if (!last) setStep(step + 1);
    else send(props, { verb: "answers", answers: Object.fromEntries(questions.map((one, at) => [one.question, answerOf(one, given[at] ?? NOTHING)])) });
  };
  return (
    <>
      <div class="bs-ask-body bs-question">
        <p class="bs-progress">
          {question.header !== "" && <span class="bs-chip is-line">{question.header}</span>}
          {questions.length > 1 && <span>{step + 1} of {questions.length}</span>}
        </p>
        <Choices question={question} given={here} choose={(one) => keep({ step, given: { ...given, [step]: one } })} />
      </div>
      <footer class="bs-verbs">
        {step > 0 && <button type="button" class="bs-btn is-bare" onClick={() => setStep(step - 1)}>Back</button>}
        <button type="button" class="bs-btn is-bare" data-keys="s" onClick={() => send(props, { verb: "deny" })}>Skip: let Claude decide</button>
        <span class="bs-push" />
        <button type="button" class="bs-btn is-ink is-allow" disabled={here.chosen.length === 0 && here.own.trim() === ""} data-keys="Enter" onClick={next}>
          {last ? `Send ${many(questions.length, "answer")}` : "Next"}
        </button>
      </footer>
    </>
  );
}

/** How far it is answered: a draft, so that closing the card, or the page, loses nothing. */
interface Begun {
  readonly step: number;
  readonly given: Readonly<Record<number, Given>>;
}

export function begun(draft: string): Begun {
  try {
    const found = JSON.parse(draft || "{}") as Partial<Begun> | null;
    const isOne = typeof found?.step === "number" && typeof found.given === "object" && found.given !== null;
    return isOne ? (found as Begun) : { step: 0, given: {} };
  } catch {
    return { step: 0, given: {} };
  }
}

function answerOf(question: Question, given: Given): string | readonly string[] {
  const own = given.own.trim();
  const all = own === "" ? given.chosen : [...given.chosen, own];
  return question.multi_select ? all : (all.at(-1) ?? "");
}

interface ChoicesProps {
  readonly question: Question;
  readonly given: Given;
  readonly choose: (given: Given) => void;
}

function Choices({ question, given, choose }: ChoicesProps) {
  const pick = (label: string) => {
    const has = given.chosen.includes(label);
    if (!question.multi_select) choose({ chosen: [label], own: "" });
    else choose({ ...given, chosen: has ? given.chosen.filter((one) => one !== label) : [...given.chosen, label] });
  };
  const preview = question.options.find((option) => given.chosen.at(-1) === option.label)?.preview ?? null;
  return (
    <div class={`bs-choices ${question.options.some((option) => option.preview) ? "has-previews" : ""}`} role={question.multi_select ? "group" : "radiogroup"} aria-label={question.question}>
      <h3>{question.question}</h3>
      {question.options.map((option, at) => (
        <button key={option.label} type="button" class={`bs-choice ${given.chosen.includes(option.label) ? "is-on" : ""}`} role={question.multi_select ? "checkbox" : "radio"} aria-checked={given.chosen.includes(option.label)} data-keys={at < 9 ? String(at + 1) : undefined} onClick={() => pick(option.label)}>
          <kbd>{at + 1}</kbd>
          <b>{option.label}</b>
          <span>{option.description}</span>
        </button>
      ))}
      <label class="bs-choice is-own">
        <kbd>0</kbd>
        <b>Something else…</b>
        <input class="bs-input" data-keys="0" placeholder="Answer in your own words" value={given.own} onInput={(event) => choose({ chosen: question.multi_select ? given.chosen : [], own: event.currentTarget.value })} />
      </label>
      {preview !== null && <pre class="bs-full bs-preview" tabIndex={0} aria-label="Preview of what is chosen">{preview}</pre>}
    </div>
  );
}
