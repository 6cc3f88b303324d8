// What Claude may do unasked, and which model it is: seen at a glance, changed from a list that says what each means.

import { useState } from "preact/hooks";
import { type Act, newId, TRUST_MINUTES, trustEdits } from "../actions";
import type { HubCommand, SessionFacts, View } from "../protocol.gen";
import type { Sent } from "../state";
import { Icon } from "./icons";
import { type Choice, Menu } from "./menu";
import { modeWord } from "./words";

export interface SwitchProps {
  readonly session: string;
  readonly view: View;
  readonly facts: SessionFacts | null;
  readonly sent: Readonly<Record<string, Sent>>;
  /** Whose key may change it: a mode can widen what is allowed, and so is an owner's. */
  readonly owns: boolean;
  readonly act: Act;
}

const MEANS: readonly (readonly [string, string])[] = [
  ["default", "Asks before whatever no rule covers."],
  ["plan", "Reads and plans; nothing is changed before you approve a plan."],
  ["acceptEdits", "Changes files in the workspace unasked. Commands still ask."],
  ["auto", "Claude Code judges each call by itself, and stops what it finds risky."],
  ["dontAsk", "Nothing asks: what no rule allows is denied."],
];
/** Policies under which bascule decides about every call, whatever the mode of Claude Code. */
const GOVERNS = new Set(["supervised", "plan", "plan-auto", "rules"]);

export function ModeMenu({ session, view, facts, sent, owns, act }: SwitchProps) {
  const wanted = wantedOf(sent, session, "set_mode");
  const mode = current(view.mode, facts?.mode ?? null, view);
  const set = (to: string) => act({ do: "send", command: { type: "set_mode", command_id: newId(), session, mode: to } });
  const choices: readonly (Choice | null)[] = [
    ...MEANS.map(([name, about]) => ({ name: modeWord(name), about, on: name === mode, does: () => set(name) })),
    null,
    { name: `Accept edits for ${TRUST_MINUTES} minutes`, icon: "clock", about: "Files in the workspace are changed unasked; it ends by itself.", does: () => act({ do: "send", command: trustEdits(session) }) },
    { name: modeWord("bypassPermissions"), icon: "warn", tone: "bad", about: "Every command and change runs at once. Only where the session was begun for it.", sure: "Yes, let everything run", does: () => set("bypassPermissions") },
  ];
  const label = wanted === null ? modeWord(mode) : `${modeWord(wanted)} …`;
  return (
    <Menu label={`Mode: ${label}`} class={`bs-pick is-button ${mode === "bypassPermissions" ? "bad" : ""}`} choices={choices} disabled={!owns} more={() => <p class="bs-pop-note">{governed(facts?.policy ?? null)}</p>}>
      <span class="bs-cutoff">{label || "Mode"}</span> <Icon name="down" />
    </Menu>
  );
}

function governed(policy: string | null): string {
  if (policy === null) return "";
  return GOVERNS.has(policy) ? `The policy here is ${policy}: it decides about every call, whatever the mode.` : `The policy here is ${policy}: Claude Code decides by its mode, and your deny rules hold.`;
}

/** The names that Claude Code itself resolves, the newest model of each kind. */
const ALIASES = ["opus", "sonnet", "haiku"] as const;

interface ModelProps extends SwitchProps {
  /** Those in use elsewhere. */
  readonly models: readonly string[];
}

export function ModelMenu({ session, view, facts, sent, owns, act, models }: ModelProps) {
  const wanted = wantedOf(sent, session, "set_model");
  const model = current(view.model, facts?.model ?? null, view);
  const set = (to: string | null) => act({ do: "send", command: { type: "set_model", command_id: newId(), session, model: to } });
  const names = [...new Set([...ALIASES, ...models, ...(model === null ? [] : [model])])];
  const choices = [
    { name: "Default", about: "What Claude Code would choose", does: () => set(null) },
    null,
    ...names.map((name) => ({ name, on: name === model, does: () => set(name) })),
  ];
  return (
    <Menu label={`Model: ${wanted ?? model ?? "unknown"}`} class="bs-pick is-button" choices={choices} disabled={!owns} more={(close) => <Another take={(name) => (close(), set(name))} />}>
      <span class="bs-cutoff">{wanted === null ? (model ?? "Model") : `${wanted} …`}</span> <Icon name="down" />
    </Menu>
  );
}

function Another({ take }: { readonly take: (name: string) => void }) {
  const [name, setName] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (name.trim() !== "") take(name.trim());
  };
  return (
    <form class="bs-another" onSubmit={submit}>
      <input class="bs-input is-mono" aria-label="Another model" placeholder="Another, by its name" spellcheck={false} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      <button type="submit" class="bs-btn is-s" disabled={name.trim() === ""}>Use it</button>
    </form>
  );
}

/** What was asked for, until the hub has answered: it is told as wanted, never as done. */
export function wantedOf(sent: SwitchProps["sent"], session: string, type: "set_mode" | "set_model"): string | null {
  const asked = Object.values(sent).findLast(({ command, receipt, problem }) => command.type === type && command.session === session && receipt === null && problem === null);
  return asked === undefined ? null : nameOf(asked.command);
}

function nameOf(command: HubCommand): string | null {
  if (command.type === "set_mode") return command.mode;
  return command.type === "set_model" ? (command.model ?? "Default") : null;
}

/** A process tells what holds in it; while there is none, the hub does. */
function current(told: string | null, kept: string | null, view: View): string | null {
  return view.resting === "asleep" || view.resting === "starting" ? (kept ?? told) : (told ?? kept);
}
