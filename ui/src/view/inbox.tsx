// All asks of all sessions, the oldest first: each can be read, and answered, where it stands.

import type { Act } from "../actions";
import type { OpenAsk } from "../protocol.gen";
import { decisionOf, facts, type State } from "../state";
import { AskCard } from "./ask/card";
import { remarksOn } from "./ask/props";
import { age, base } from "./words";

interface InboxProps {
  readonly state: State;
  readonly act: Act;
  readonly beside: boolean;
}

export function Inbox({ state, act, beside }: InboxProps) {
  const Tag = beside ? "aside" : "main";
  return (
    <Tag class={`bs-inbox ${beside ? "is-beside" : ""}`} aria-label="Inbox">
      <header class="bs-bar">
        <h1>Inbox</h1>
        {state.asks.length > 0 && <span class="bs-count">{state.asks.length}</span>}
        <span class="bs-push dim">Oldest first</span>
      </header>
      {state.asks.length === 0 && (
        <div class="bs-empty">
          <h2>Nobody waits for you</h2>
          <p>What Claude asks, in any session, will stand here.</p>
        </div>
      )}
      {state.asks.map((ask) => <Entry key={`${ask.session} ${ask.request.pending_id}`} ask={ask} state={state} act={act} />)}
    </Tag>
  );
}

function Entry({ ask, state, act }: { readonly ask: OpenAsk; readonly state: State; readonly act: Act }) {
  const of = facts(state, ask.session);
  return (
    <article class="bs-entry">
      <button type="button" class="bs-origin" onClick={() => act({ do: "go", route: { at: "session", id: ask.session } })}>
        <b>{ask.title || of?.title || "Session"}</b>
        <span class="dim">{[of?.project ?? base(of?.cwd ?? ""), of?.branch].filter(Boolean).join(" · ")}</span>
        <span class="bs-push dim">{age(state.now - ask.request.at)}</span>
      </button>
      {ask.claimed_by !== null && <p class="bs-late">{ask.claimed_by} is answering it.</p>}
      <AskCard request={ask.request} session={ask.session} cwd={of?.cwd ?? null} sent={decisionOf(state, ask.session, ask.request.pending_id)} now={state.now} touch={state.touch} act={act} draft={state.drafts[remarksOn(ask.request.pending_id)] ?? ""} docked={false} place="" step={null} />
    </article>
  );
}
