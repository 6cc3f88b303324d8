// What of a call's input its card does not draw by itself. It stands beneath: no field is kept from who decides.

import type { Payload, PermissionRequestEvent } from "../../protocol.gen";

type Drawn = Readonly<Record<string, readonly unknown[]>>;

/** Those fields, in order; what the payload holds in part is among them, whole. */
export function untold({ normalized, input, says }: PermissionRequestEvent): Readonly<Record<string, unknown>> {
  const drawn = drawnOf(normalized, says);
  if (drawn === null || typeof input !== "object" || input === null) return {};
  return Object.fromEntries(Object.entries(input).filter(([name, value]) => !isDrawn(drawn, name, value)));
}

/** What is drawn for which field; null: the input as it came. */
function drawnOf(payload: Payload, says: string | null): Drawn | null {
  switch (payload.kind) {
    case "shell_exec":
      return { command: [payload.command], description: [says], run_in_background: [payload.background], timeout: [payload.timeout_ms] };
    case "modify_file": {
      const come = payload.mutations.map((one) => one.content);
      const gone = payload.mutations.map((one) => one.old_content);
      const file = [payload.file_path];
      return { file_path: file, notebook_path: file, content: come, new_string: come, new_source: come, old_string: gone, replace_all: [false] };
    }
    case "read_file":
      return { file_path: [payload.file_path] };
    case "http_request":
      return payload.url === "" ? { query: [payload.query] } : { url: [payload.url] };
    case "subagent_task":
      return { subagent_type: [payload.subagent_type], model: [payload.model], description: [payload.description], prompt: [payload.prompt] };
    default:
      return null;
  }
}

/** Names are the model's to choose: `constructor` is one. Nothing is drawn as nothing, whatever it is written as. */
function isDrawn(drawn: Drawn, name: string, value: unknown): boolean {
  const found = Object.hasOwn(drawn, name) ? (drawn[name] ?? []) : [];
  return found.some((one) => one === value || (!one && !value));
}
