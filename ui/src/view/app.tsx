// The page: frame, places, and the one region that speaks.

import type { Act } from "../actions";
import { facts, type Route, type State } from "../state";
import { Door } from "./door";
import { Icon, type IconName, Mark } from "./icons";
import { Inbox } from "./inbox";
import { KeySheet } from "./keysheet";
import { Palette } from "./palette";
import { Rename } from "./rename";
import { Session } from "./session";
import { Sessions, Side } from "./sessions";
import { Start } from "./start";
import { COMMAND, duration, time } from "./words";

interface AppProps {
  readonly state: State;
  readonly act: Act;
}

export function App({ state, act }: AppProps) {
  if (state.door === "checking") return null;
  if (state.door === "out") return <Door state={state} act={act} />;
  return (
    <div class={`bs-app is-at-${state.route.at}`}>
      <Top state={state} act={act} />
      <Stale state={state} act={act} />
      <Place state={state} act={act} />
      <Tabs state={state} act={act} />
      {state.sheet === "keys" && <KeySheet state={state} act={act} />}
      {state.sheet === "find" && <Palette state={state} act={act} />}
      {state.sheet === "rename" && state.pane !== null && <Rename session={state.pane.id} title={facts(state, state.pane.id)?.title ?? ""} act={act} />}
      {state.sheet === "start" && <Start state={state} act={act} />}
      <div class="bs-sr" aria-live="polite">{state.said}</div>
    </div>
  );
}

function Place({ state, act }: AppProps) {
  if (state.route.at === "inbox") return <Inbox state={state} act={act} beside={false} />;
  if (state.route.at === "session" && state.pane !== null)
    return (
      <div class="bs-ses">
        <Side state={state} act={act} />
        <Session key={state.pane.id} state={state} pane={state.pane} act={act} />
      </div>
    );
  return (
    <div class="bs-hub">
      <Sessions state={state} act={act} />
      <Inbox state={state} act={act} beside />
    </div>
  );
}

const PLACES: readonly (readonly [Route, IconName, string])[] = [
  [{ at: "sessions" }, "list", "Sessions"],
  [{ at: "inbox" }, "inbox", "Inbox"],
];
const THEMES = { system: "dark", dark: "light", light: "system" } as const;

function Top({ state, act }: AppProps) {
  return (
    <header class="bs-top">
      <span class="bs-brand"><Mark raised={state.asks.length > 0} /> bascule</span>
      <nav aria-label="Places"><Places state={state} act={act} /></nav>
      <span class="bs-push" />
      <button type="button" class="bs-finder" data-keys="/" onClick={() => act({ do: "sheet", sheet: "find" })}><Icon name="find" tone="dim" /> <span>Find or do</span> <kbd>{COMMAND} K</kbd></button>
      <button type="button" class="bs-btn is-bare is-s" onClick={() => act({ do: "theme", theme: THEMES[state.theme] })}>Theme: {state.theme}</button>
      <button type="button" class="bs-btn is-bare is-s" data-keys="?" onClick={() => act({ do: "sheet", sheet: "keys" })}>Keys <kbd>?</kbd></button>
      <span class={`bs-link-state is-${state.link.phase}`}><i />{{ live: "Live", away: "Away", connecting: "Connecting" }[state.link.phase]}</span>
    </header>
  );
}

function Tabs({ state, act }: AppProps) {
  return <nav class="bs-tabs" aria-label="Places"><Places state={state} act={act} /></nav>;
}

function Places({ state, act }: AppProps) {
  return (
    <>
      {PLACES.map(([route, icon, name]) => {
        const on = state.route.at === route.at || (route.at === "sessions" && state.route.at === "session");
        return (
          <button key={name} type="button" class={`bs-nav ${on ? "is-on" : ""}`} aria-current={on ? "page" : undefined} onClick={() => act({ do: "go", route })}>
            <Icon name={icon} />
            {name}
            {name === "Inbox" && state.asks.length > 0 && <span class="bs-count">{state.asks.length}</span>}
          </button>
        );
      })}
    </>
  );
}

/** Away: what is shown stays readable, and says as of when it holds. */
function Stale({ state, act }: AppProps) {
  if (state.link.phase !== "away") return null;
  const left = state.link.nextTry - state.now;
  return (
    <div class="bs-stale" role="status">
      <Icon name="away" tone="hold" />
      <span><b>Reconnecting.</b> Shown as of {time(state.link.since)}. {left > 0 ? `Next try in ${duration(Math.ceil(left / 1000) * 1000)}.` : "Trying."}</span>
      <button type="button" class="bs-btn is-s bs-push" onClick={() => act({ do: "again" })}>Now</button>
    </div>
  );
}
