// What runs beside the turn, and a turn that has said nothing for long: what can be stopped.

import { type Act, interrupt, newId } from "../actions";
import { openAsks } from "../fold";
import type { View } from "../protocol.gen";
import { Icon } from "./icons";
import { Sure } from "./sure";
import { duration, many } from "./words";

interface TasksProps {
  readonly session: string;
  readonly view: View;
  readonly now: number;
  readonly mayWrite: boolean;
  readonly act: Act;
}

export function Tasks({ session, view, now, mayWrite, act }: TasksProps) {
  if (view.tasks.length === 0) return null;
  return (
    <details class="bs-strip is-tasks">
      <summary>
        <Icon name="stack" tone="run" />
        <span><b>{view.tasks.length} in background</b> <span class="bs-cutoff">{view.tasks.map((task) => task.title).join(", ")}</span></span>
      </summary>
      <ul>
        {view.tasks.map((task) => (
          <li key={task.task_id}>
            <span class="bs-cutoff">{task.title}</span>
            <span class="dim">{[duration(now - task.started_at), task.usage?.tool_uses != null && many(task.usage.tool_uses, "call")].filter(Boolean).join(" · ")}</span>
            {mayWrite && (
              <Sure class="bs-btn is-s is-bare bs-push" sure="Stop it?" does={() => act({ do: "send", command: { type: "stop_task", command_id: newId(), session, task_id: task.task_id } })}>
                Stop
              </Sure>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A model may think, and a build may run, for so long without a word; after that a person may want to know. */
const SILENT_MS = 5 * 60_000;

interface SilenceProps extends TasksProps {
  readonly heardAt: number;
  readonly stopping: boolean;
}

/** Neither wrong nor red: it names what runs, for how long nothing was heard, and how to end it. */
export function Silence({ session, view, now, heardAt, stopping, mayWrite, act }: SilenceProps) {
  const silent = now - heardAt;
  if (view.running === 0 || stopping || silent < SILENT_MS || openAsks(view).length > 0 || view.limited_until !== null) return null;
  const call = view.items.findLast((item) => item.kind === "call" && item.status === "running");
  return (
    <div class="bs-strip" role="status">
      <Icon name="clock" tone="dim" />
      <span>Nothing was heard for {Math.floor(silent / 60_000)} m{call?.kind === "call" ? <>: <code>{call.title}</code> runs</> : ""}.</span>
      {mayWrite && <button type="button" class="bs-btn is-s bs-push" onClick={() => act({ do: "send", command: interrupt(session) })}>Cancel turn</button>}
    </div>
  );
}
