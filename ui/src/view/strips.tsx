// Between the transcript and the composer: what waits in the queue, where the list stands, what runs beside the turn,
// what is allowed for a while, what came too late.

import type { Act } from "../actions";
import { newId } from "../actions";
import { heldGrants } from "../fold";
import type { Me, Queued, View } from "../protocol.gen";
import type { Sent } from "../state";
import type { Stopping } from "../stopping";
import { Icon } from "./icons";
import { TodoStrip } from "./progress";
import { Queue } from "./queue";
import { StopStrip } from "./stop";
import { duration, receiptWord } from "./words";

interface StripsProps {
  readonly session: string;
  readonly view: View;
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
      <Trusted {...props} />
      <StopStrip {...props} mayEnd={props.role === "owner"} />
      <Queue {...props} mayWrite={props.role !== "viewer"} />
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

function Trusted({ session, view, now, act }: StripsProps) {
  const timed = heldGrants(view).filter((one) => one.grant.until !== null && one.grant.until > now);
  return (
    <>
      {timed.map(({ grant }) => (
        <div key={grant.grant_id} class="bs-strip" role="timer">
          <Icon name="trust" tone="dim" />
          <span>{grant.edits ? "Accept edits" : grant.rules.join(", ")}</span>
          <b>{duration((grant.until ?? 0) - now)}</b>
          <button type="button" class="bs-btn is-s is-bare is-icon bs-push" aria-label="End it" onClick={() => act({ do: "send", command: { type: "revoke_grant", command_id: newId(), session, grant_id: grant.grant_id } })}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </>
  );
}

function Work({ view, now }: StripsProps) {
  const hasList = view.todos.some((item) => item.status === "pending" || item.status === "in_progress");
  if (!hasList && view.tasks.length === 0) return null;
  return (
    <div class="bs-strip is-work">
      {hasList && <TodoStrip items={view.todos} />}
      {view.tasks.length > 0 && (
        <>
          <Icon name="stack" tone="run" />
          <span class="bs-cutoff">{view.tasks.length} in background: {view.tasks.map((task) => `${task.title} ${duration(now - task.started_at)}`).join(", ")}</span>
        </>
      )}
    </div>
  );
}
