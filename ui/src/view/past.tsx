// Past conversations of the machine, to go on with.

import { type Act, newId } from "../actions";
import type { HubCommand, PastConversation } from "../protocol.gen";
import type { State } from "../state";
import { Failed, Loading } from "./panes";
import { age, base } from "./words";

interface PastProps {
  readonly state: Pick<State, "past" | "now">;
  readonly act: Act;
  readonly send: (command: HubCommand) => void;
  /** A command is on its way. */
  readonly waits: boolean;
}

export function Past({ state, act, send, waits }: PastProps) {
  const { past } = state;
  const look = (words: string, more = false) => act({ do: "past", words, more });
  return (
    <section class="bs-past" aria-labelledby="past">
      <h3 id="past">Past conversations</h3>
      <input class="bs-input" type="search" placeholder="Title, first prompt, folder, branch" aria-label="Search past conversations" value={past?.words ?? ""} onInput={(event) => look(event.currentTarget.value)} />
      {past?.phase === "failed" && <Failed what="They could not be shown." why={past.problem} again={() => look(past.words)} />}
      <ul aria-label="Past conversations">
        {past?.found.map((one) => <PastRow key={one.id} one={one} now={state.now} act={act} send={send} waits={waits} />)}
      </ul>
      {past?.phase === "loading" && past.found.length === 0 && <Loading />}
      {past?.phase === "live" && past.found.length === 0 && <p class="dim">{past.words.trim() === "" ? "There are none on this machine." : "None of the newest speaks of that."}</p>}
      {past?.phase === "live" && past.after !== null && <button type="button" class="bs-btn is-s" onClick={() => look(past.words, true)}>Show more</button>}
    </section>
  );
}

interface RowProps extends Omit<PastProps, "state"> {
  readonly one: PastConversation;
  readonly now: number;
}

function PastRow({ one, now, act, send, waits }: RowProps) {
  const name = one.title ?? one.first_prompt ?? one.id;
  const { session } = one;
  return (
    <li class="bs-past-row">
      <span class="bs-what">
        <b title={name}>{name}</b>
        <span class="bs-now dim" title={one.cwd ?? undefined}>{aboutOf(one, now)}</span>
      </span>
      {session !== null && <button type="button" class="bs-btn is-s" aria-label={`Open ${name}`} onClick={() => act({ do: "go", route: { at: "session", id: session } })}>Open</button>}
      {session === null && one.pid === null && <button type="button" class="bs-btn is-s" aria-label={`Continue ${name}`} disabled={waits} onClick={() => send({ type: "import", command_id: newId(), cli_session_id: one.id })}>Continue</button>}
    </li>
  );
}

function aboutOf(one: PastConversation, now: number): string {
  return [
    one.pid === null || one.session !== null ? null : `open in process ${one.pid}: end it to go on here`,
    one.cwd === null ? null : base(one.cwd),
    one.branch,
    one.messages === null ? null : `${one.messages} messages`,
    `${age(now - one.changed_at)} ago`,
    one.damaged ? "damaged" : null,
  ].filter(Boolean).join(" · ");
}
