// A form that an MCP server asks for, and what else asks without being a call. The server is named: it is not Claude.

import { useState } from "preact/hooks";
import { Exact } from "../exact";
import { pretty } from "../output";
import { type AskProps, send } from "./props";

interface Field {
  readonly name: string;
  readonly title: string;
  readonly type: string;
  readonly choices: readonly string[];
  readonly needed: boolean;
}

export function Form(props: AskProps) {
  const { request } = props;
  const fields = fieldsOf(request.input);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const missing = fields.filter((field) => field.needed && (values[field.name] ?? "") === "");
  const submit = (event: Event) => {
    event.preventDefault();
    const filled = fields.flatMap((field) => (values[field.name] ? [[field.name, valueOf(field, values[field.name] ?? "")] as const] : []));
    send(props, { verb: "answers", answers: Object.fromEntries(filled) });
  };
  return (
    <form onSubmit={submit}>
      <div class="bs-ask-body">
        <p class="bs-note">{request.mcp_server ?? request.tool_name} asks, not Claude.</p>
        {request.says !== null && <p class="bs-asked"><Exact text={request.says} /></p>}
        {fields.map((field) => <Entry key={field.name} field={field} value={values[field.name] ?? ""} set={(value) => setValues({ ...values, [field.name]: value })} />)}
        {fields.length === 0 && <pre class="bs-full"><Exact text={pretty(request.input)} /></pre>}
      </div>
      <footer class="bs-verbs">
        <button type="button" class="bs-btn is-deny" data-keys="d" onClick={() => send(props, { verb: "deny" })}>Decline</button>
        <span class="bs-push" />
        <button type="submit" class="bs-btn is-ink is-allow" disabled={missing.length > 0}>Answer</button>
      </footer>
    </form>
  );
}

function Entry({ field, value, set }: { readonly field: Field; readonly value: string; readonly set: (value: string) => void }) {
  return (
    <label class="bs-field is-tall">
      <span>{field.title}{field.needed ? "" : " (optional)"}</span>
      {field.choices.length > 0 ? (
        <select class="bs-input" value={value} onChange={(event) => set(event.currentTarget.value)}>
          <option value="">Choose…</option>
          {field.choices.map((choice) => <option key={choice} value={choice}>{choice}</option>)}
        </select>
      ) : (
        <input class="bs-input" inputMode={field.type === "number" || field.type === "integer" ? "decimal" : "text"} required={field.needed} value={value} onInput={(event) => set(event.currentTarget.value)} />
      )}
    </label>
  );
}

/** The fields of a form's JSON schema; one that cannot be read is free text. */
function fieldsOf(input: unknown): readonly Field[] {
  const schema = record(record(input)["requested_schema"]);
  const needed = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(record(schema["properties"])).map(([name, told]) => {
    const field = record(told);
    const title = [field["title"], field["description"]].filter(Boolean).join(" · ") || name;
    const choices = Array.isArray(field["enum"]) ? field["enum"].map(String) : field["type"] === "boolean" ? ["yes", "no"] : [];
    return { name, title, type: String(field["type"] ?? "string"), choices, needed: needed.includes(name) };
  });
}

function valueOf(field: Field, text: string): string | number | boolean {
  if (field.type === "boolean") return text === "yes";
  return field.type === "number" || field.type === "integer" ? Number(text) : text;
}

const record = (value: unknown): Record<string, unknown> => (typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {});
