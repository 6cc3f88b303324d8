// The list of sessions, wide as a page and narrow as a sidebar.

import type { Act } from "../actions";
import type { SessionFacts } from "../protocol.gen";
import type { State } from "../state";
import { Icon, StateIcon } from "./icons";
import { groups } from "./list";
import { Failed, Loading } from "./panes";
import { age, base, modeWord, money, statusWord } from "./words";

interface ListProps {
  readonly state: State;
  readonly act: Act;
}

export function Sessions({ state, act }: ListProps) {
  if (state.sessions === null && state.sessionsProblem !== null)
    return <main class="bs-list"><Failed what="The sessions could not be shown." why={state.sessionsProblem} again={() => act({ do: "again" })} /></main>;
  if (state.sessions === null) return <main class="bs-list"><Loading /></main>;
  return (
    <main class="bs-list">
      <header class="bs-bar">
        <h1>Sessions</h1>
        <button type="button" class="bs-btn is-bare is-icon bs-narrow bs-push" aria-label="Find or do" onClick={() => act({ do: "sheet", sheet: "find" })}><Icon name="find" /></button>
        {state.me?.role === "owner" && (
          <button type="button" class="bs-btn is-ink bs-push" data-keys="n" onClick={() => act({ do: "sheet", sheet: "start" })}>
            <Icon name="plus" /> New session
          </button>
        )}
      </header>
      {state.sessions.length === 0 && (
        <div class="bs-empty">
          <h2>No sessions yet</h2>
          <p>Begin one: it will stand here, and ask here, on every device.</p>
        </div>
      )}
      {groups(state.sessions).map(([name, found]) => (
        <section key={name} aria-label={name}>
          <h2 class="bs-group">{name} <span>{found.length}</span></h2>
          {found.map((one) => <SessionRow key={one.id} facts={one} now={state.now} act={act} />)}
        </section>
      ))}
    </main>
  );
}

function SessionRow({ facts, now, act }: { readonly facts: SessionFacts; readonly now: number; readonly act: Act }) {
  return (
    <a class={`bs-session is-${facts.status}`} href={`/s/${facts.id}`} data-row onClick={followed(act, facts.id)}>
      <StateIcon status={facts.status} wants={facts.waits_for[0]} />
      <span class="bs-what">
        <b>{facts.title || base(facts.cwd)}</b>
        <span class={`bs-now ${tone(facts)}`}>{statusWord(facts)}</span>
        <span class="bs-narrow dim">{[facts.project ?? base(facts.cwd), facts.branch, money(facts.cost_usd)].filter(Boolean).join(" · ")}</span>
      </span>
      <span class="bs-wide bs-pair"><span>{facts.project ?? base(facts.cwd)}</span><span class="dim">{facts.branch ?? ""}</span></span>
      <span class="bs-wide bs-pair"><span>{modeWord(facts.mode)}</span><span class="dim">{facts.model ?? ""}</span></span>
      <span class="bs-pair is-end"><span class="bs-wide">{money(facts.cost_usd)}</span><span class="dim">{age(now - facts.since)}</span></span>
    </a>
  );
}

const TONES: Partial<Record<SessionFacts["status"], string>> = { waiting: "you", retrying: "hold", compacting: "hold", limited: "hold", lost: "bad", quarantined: "bad" };
const tone = (facts: SessionFacts): string => TONES[facts.status] ?? "dim";

/** A plain click stays on the page; with a modifier it is a link like any other. */
function followed(act: Act, id: string) {
  return (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    act({ do: "go", route: { at: "session", id } });
  };
}

export function Side({ state, act }: ListProps) {
  const at = state.route.at === "session" ? state.route.id : null;
  return (
    <nav class="bs-side" aria-label="Sessions">
      {groups(state.sessions ?? []).map(([name, found]) => (
        <section key={name}>
          <h2 class="bs-group">{name} <span>{found.length}</span></h2>
          {found.map((one) => (
            <a key={one.id} class={`bs-item ${one.id === at ? "is-on" : ""}`} href={`/s/${one.id}`} title={`${one.title}: ${statusWord(one)}`} aria-current={one.id === at ? "page" : undefined} onClick={followed(act, one.id)}>
              <StateIcon status={one.status} wants={one.waits_for[0]} />
              <b>{one.title || base(one.cwd)}</b>
              <span class="bs-age">{age(state.now - one.since)}</span>
              <span class={`bs-now ${tone(one)}`}>{statusWord(one).replace("Waiting for you: ", "")} · {one.project ?? base(one.cwd)}</span>
            </a>
          ))}
        </section>
      ))}
    </nav>
  );
}
