// What every ask card is given, and the small rules that all of them keep.

import type { Act } from "../../actions";
import { decide } from "../../actions";
import type { Decision, PermissionRequestEvent } from "../../protocol.gen";
import type { Sent } from "../../state";

export interface AskProps {
  readonly request: PermissionRequestEvent;
  readonly session: string;
  readonly cwd: string | null;
  readonly sent: Sent | null;
  readonly now: number;
  readonly touch: boolean;
  /** Remarks on it that were not said yet. */
  readonly draft: string;
  readonly act: Act;
}

export const remarksOn = (pending: string): string => `remarks:${pending}`;

const UNDO_MS = 3000;
/** Keys and buttons do nothing for so long after a card appears: nobody decides on what was not there yet. */
export const ARMING_MS = 600;

export function send(props: AskProps, decision: Decision): void {
  const command = decide(props.session, props.request.pending_id, props.request.input_hash, decision);
  props.act({ do: "send", command, ...(props.touch ? { holdMs: UNDO_MS } : {}) });
}

export const isGrave = (request: PermissionRequestEvent): boolean =>
  request.default_no || request.marks.some((mark) => mark.grave) || request.parts.some((part) => part.marks.some((mark) => mark.grave));

const HEADINGS: Partial<Record<string, string>> = {
  shell_exec: "Run a command",
  modify_file: "Change a file",
  read_file: "Read a file",
  http_request: "Fetch from the web",
  subagent_task: "Start a subagent",
  mcp_call: "Call a tool",
  code_search: "Search",
};

export function headingOf(request: PermissionRequestEvent): string {
  if (request.ask === "plan") return "Plan";
  if (request.ask === "question") return "Question";
  if (request.ask === "elicitation") return `A form from ${request.mcp_server ?? request.tool_name}`;
  return HEADINGS[request.normalized.kind] ?? `Use ${request.tool_name}`;
}
