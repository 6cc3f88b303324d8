// Events for tests, whole but for what the test says.

import type { MessageChunkEvent, NoticeEvent, PermissionRequestEvent, ShellExec } from "../src/protocol.gen";

const COMMON = { session: "s", seq: null, after: null, at: 0, turn: 1, line: 1 };

export const shell = (command: string): ShellExec => ({
  kind: "shell_exec",
  command,
  work_dir: null,
  description: null,
  timeout_ms: null,
  background: false,
  task_id: null,
  output: null,
  cuts: [],
  renderer: "tool_execute",
});

export const notice = (seq: number): NoticeEvent => ({ ...COMMON, type: "notice", seq, level: "info", text: `notice ${seq}` });

export const text = (said: string, seq: number | null): MessageChunkEvent => ({
  ...COMMON,
  type: "message_chunk",
  seq,
  item: "m1",
  text: said,
  partial: seq === null,
  parent_tool_call_id: null,
});

export const ask = (pending: string): PermissionRequestEvent => ({
  ...COMMON,
  type: "permission_request",
  seq: null,
  pending_id: pending,
  ask: "tool",
  tool_call_id: null,
  agent_id: null,
  tool_name: "Run",
  title: "make",
  normalized: shell("make"),
  input: { command: "make" },
  input_hash: "h",
  marks: [],
  parts: [],
  says: null,
  reason: null,
  reason_type: null,
  matched_rule: null,
  blocked_path: null,
  mcp_server: null,
  needs_person: false,
  default_no: false,
  suggestions: [],
  options: [],
  expires_at: null,
});
