// Between the transcript and the composer: what waits in the queue, where the list stands, what runs beside the turn,
// what came too late.

import type { Act } from "../actions";
import type { Me, Queued, View } from "../protocol.gen";
import type { Sent } from "../state";
import type { Stopping } from "../stopping";
import { Icon } from "./icons";
import { TodoStrip } from "./progress";
import { Queue } from "./queue";
import { StopStrip } from "./stop";
import { Silence, Tasks } from "./tasks";
import { receiptWord } from "./words";

interface StripsProps {
  readonly session: string;
  readonly view: View;
  readonly heardAt: number;
  readonly queue: readonly Queued[];
  readonly held: boolean;
  readonly stopping: Stopping | null;
  readonly role: Me["role"];
  readonly sent: Readonly<Record<string, Sent>>;
  readonly now: number;
  readonly act: Act;
}

export function Strips(props: StripsProps) {
  return (
    <>
      <Late {...props} />
      <StopStrip {...props} mayEnd={props.role === "owner"} />
      <Queue {...props} mayWrite={props.role !== "viewer"} />
      <Silence {...props} mayWrite={props.role !== "viewer"} stopping={props.stopping !== null} />
      <Tasks {...props} mayWrite={props.role !== "viewer"} />
      <Work {...props} />
    </>
  );
}

function Late({ session, sent, act }: StripsProps) {
  const told = Object.entries(sent).filter(([, one]) => one.command.session === session && saysSomething(one));
  return (
    <>
      {told.map(([id, one]) => (
        <div key={id} class="bs-strip is-late" role="status">
          <Icon name="clock" tone="dim" />
          <span>{one.problem?.detail ?? (one.receipt === null ? "" : receiptWord(one.receipt))} {notSent(one)}</span>
          <button type="button" class="bs-btn is-s is-bare bs-push" onClick={() => act({ do: "dismiss", id })}>Understood</button>
        </div>
      ))}
    </>
  );
}

const saysSomething = (one: Sent): boolean => one.problem !== null || (one.receipt !== null && one.receipt.receipt !== "taken");

function notSent({ command, receipt }: Sent): string {
  if (command.type !== "decide" || receipt?.receipt !== "too_late") return "";
  const name = command.decision.verb.startsWith("deny") ? "Deny" : command.decision.verb.startsWith("allow") ? "Allow" : "answer";
  return `Your ${name} was not sent.`;
}

function Work({ view }: StripsProps) {
  if (!view.todos.some((item) => item.status === "pending" || item.status === "in_progress")) return null;
  return (
    <div class="bs-strip is-work">
      <TodoStrip items={view.todos} />
    </div>
  );
}
