// The call changed before it runs: a field for each text of its input, JSON for the rest.

import { useState } from "preact/hooks";
import type { Decision } from "../../protocol.gen";
import { pretty } from "../output";
import type { AskProps } from "./props";

export function Edit({ request, decide }: AskProps & { readonly decide: (decision: Decision) => void }) {
  const given = isRecord(request.input) ? request.input : {};
  const [values, setValues] = useState<Record<string, string>>(() => Object.fromEntries(Object.entries(given).map(([name, value]) => [name, pretty(value)])));
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    const made = inputOf(given, values);
    if (typeof made === "string") setProblem(made);
    else decide({ verb: "allow_once", input: made });
  };
  return (
    <form class="bs-panel" onSubmit={submit}>
      {Object.keys(given).map((name) => (
        <label key={name} class="bs-field is-tall">
          <span>{name}</span>
          <textarea class="bs-input is-mono" rows={Math.min(8, (values[name] ?? "").split("\n").length)} value={values[name]} onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })} />
        </label>
      ))}
      {problem !== null && <p class="bad" role="alert">{problem}</p>}
      <div class="bs-line-end">
        <span class="dim">The transcript says that you changed it.</span>
        <button type="submit" class="bs-btn is-ink" disabled={typeof inputOf(given, values) !== "string" && JSON.stringify(inputOf(given, values)) === JSON.stringify(given)}>Allow as changed</button>
      </div>
    </form>
  );
}

/** The input with what was changed: a text as it stands, anything else as JSON; a word for the field that is none. */
function inputOf(given: Readonly<Record<string, unknown>>, values: Readonly<Record<string, string>>): Record<string, unknown> | string {
  const made: Record<string, unknown> = {};
  for (const [name, before] of Object.entries(given)) {
    const text = values[name] ?? "";
    if (typeof before === "string" || text === pretty(before)) made[name] = typeof before === "string" ? text : before;
    else {
      try {
        made[name] = JSON.parse(text);
      } catch {
        return `${name} is no JSON.`;
      }
    }
  }
  return made;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
