// What holds now, work beside the turn, and the rest of what is worth a line.

import type {
  ContextWindowEvent,
  ErrorEvent,
  HookEvent,
  ModeChangedEvent,
  ModelChangedEvent,
  NoticeEvent,
  SessionAsleepEvent,
  SessionEndedEvent,
  SessionStatusEvent,
  Task,
  TaskEndedEvent,
  TaskProgressEvent,
  TaskStartedEvent,
  UnrecognisedEvent,
  View,
} from "../protocol.gen";
import { add, close, row } from "./place";
import { spoken, waited } from "./turns";

export function sessionStatus(view: View, event: SessionStatusEvent): View {
  return {
    ...view,
    resting: "idle",
    cli_session_id: event.cli_session_id,
    cli_version: event.cli_version ?? view.cli_version,
    cwd: event.cwd ?? view.cwd,
    model: event.model ?? view.model,
    mode: event.permission_mode ?? view.mode,
    requested_mode: event.requested_mode,
    mcp_servers: event.mcp_servers,
  };
}

export function mode(view: View, event: ModeChangedEvent): View {
  if (event.mode === view.mode) return view;
  const line = { ...row("mode", event), what: "mode" as const, value: event.mode, by: event.by };
  return { ...add(view, { kind: "change", ...line }), mode: event.mode };
}

export function model(view: View, event: ModelChangedEvent): View {
  if (event.model === view.model) return view;
  const line = { ...row("model", event), what: "model" as const, value: event.model, by: event.by };
  return { ...add(view, { kind: "change", ...line }), model: event.model };
}

export function context(view: View, event: ContextWindowEvent): View {
  const used = event.context_window_used;
  return { ...view, context: { used, size: event.context_window_size, remaining: event.context_window_remaining } };
}

export function task(view: View, event: TaskStartedEvent): View {
  if (event.background === false) return view;
  const begun: Task = {
    task_id: event.task_id,
    what: event.kind,
    title: event.title,
    tool_call_id: event.tool_call_id,
    started_at: event.at,
    usage: null,
  };
  return { ...view, tasks: [...view.tasks, begun] };
}

export function taskWentOn(view: View, event: TaskProgressEvent): View {
  const went = (it: Task) => (it.task_id === event.task_id ? { ...it, usage: event.usage } : it);
  return { ...view, tasks: view.tasks.map(went) };
}

export function taskOver(view: View, event: TaskEndedEvent): View {
  const it = view.tasks.find((one) => one.task_id === event.task_id);
  if (it === undefined) return view;
  const done = { ...it, usage: event.usage ?? it.usage };
  const after = add(view, { kind: "task", ...row("task", event), task: done, outcome: event.outcome });
  return { ...after, tasks: view.tasks.filter((other) => other !== it) };
}

export function hook(view: View, event: HookEvent): View {
  if (event.outcome === "started") return view;
  const { hook_event, name, outcome, output } = event;
  return add(view, { kind: "hook", ...row("hook", event), hook_event, name, outcome, output });
}

export function error(view: View, event: ErrorEvent): View {
  const { kind: what, message, hint, detail } = event;
  return add(view, { kind: "failure", ...row("failure", event), what, message, hint, detail });
}

export function notice(view: View, event: NoticeEvent): View {
  return add(view, { kind: "notice", ...row("notice", event), level: event.level, text: event.text });
}

export function unknown(view: View, event: UnrecognisedEvent): View {
  const { message_type, subtype } = event;
  return add(view, { kind: "unknown", ...row("unknown", event), message_type, subtype });
}

export function asleep(view: View, event: SessionAsleepEvent): View {
  const after = add(view, { kind: "asleep", ...row("asleep", event), idle_s: event.idle_s });
  return stopped(after, event.at, "asleep");
}

export function ended(view: View, event: SessionEndedEvent): View {
  const { cause, exit_code, signal, stderr_tail } = event;
  const after = add(view, { kind: "end", ...row("end", event), cause, exit_code, signal, stderr_tail });
  return stopped(after, event.at, cause === "ended" ? "ended" : "lost");
}

/** The process is gone, and with it what it was at. Calls and asks have events of their own for that. */
function stopped(view: View, at: number, resting: View["resting"]): View {
  const after = close(spoken(waited(view, { at }), at, true), "compaction");
  return { ...after, running: 0, running_since: null, resting, tasks: [] };
}
