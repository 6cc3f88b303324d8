// One session: where it is, what happened, what it asks, what is said to it.

import { useCallback, useMemo, useState } from "preact/hooks";
import type { Act } from "../actions";
import { openAsks, statusOf } from "../fold";
import { goalOf } from "../goal";
import { decisionOf, facts, modelsOf, type Pane, type State } from "../state";
import { stoppingOf } from "../stopping";
import { AskCard } from "./ask/card";
import { remarksOn } from "./ask/props";
import { Composer } from "./composer";
import { Feed } from "./feed";
import { Icon, StateIcon } from "./icons";
import { Failed, Loading } from "./panes";
import { lazily } from "./lazily";
import { Reading } from "./reading";
import { type Opened, rowsOf } from "./rows";
import { SessionMenu } from "./sessionmenu";
import { Strips } from "./strips";
import { timed, TrustChips, TrustMenu } from "./trust";
import { base, modeWord, money } from "./words";

const Panel = lazily(() => import("./work/panel").then((part) => part.Panel));

interface SessionProps {
  readonly state: State;
  readonly pane: Pane;
  readonly act: Act;
}

export function Session({ state, pane, act }: SessionProps) {
  return (
    <main class={`bs-work ${pane.view.mode === "bypassPermissions" || timed(pane.view, state.now).length > 0 ? "is-bypass" : ""}`}>
      <Head state={state} pane={pane} act={act} />
      {pane.phase === "loading" && <Loading />}
      {pane.phase === "failed" && <Failed what="This session could not be shown." why={pane.problem} again={() => act({ do: "again" })} />}
      {pane.phase === "live" && (state.panel === null ? <Transcript state={state} pane={pane} act={act} /> : <Panel state={state} pane={pane} at={state.panel} act={act} />)}
      {pane.phase === "live" && <Dock state={state} pane={pane} act={act} />}
    </main>
  );
}

function Head({ state, pane, act }: SessionProps) {
  const known = facts(state, pane.id);
  const status = pane.phase === "live" ? statusOf(pane.view) : (known?.status ?? "starting");
  const cwd = pane.view.cwd ?? known?.cwd ?? "";
  return (
    <header class="bs-head">
      <button type="button" class="bs-btn is-bare is-icon bs-narrow" aria-label="Back to the list" onClick={() => act({ do: "go", route: { at: "sessions" } })}>
        <Icon name="back" />
      </button>
      <StateIcon status={status} wants={openAsks(pane.view)[0]?.request.ask} />
      <div class="bs-title">
        <h1>{known?.title || base(cwd) || "Session"}</h1>
        <p>{[known?.project ?? base(cwd), known?.branch, modeWord(pane.view.mode), pane.view.model].filter(Boolean).join(" · ")}</p>
      </div>
      <span class="bs-push" />
      {pane.phase === "live" && <Doing state={state} pane={pane} act={act} />}
      <span class="dim bs-wide">{money(known?.cost_usd ?? pane.view.cost_usd)}</span>
      <SessionMenu state={state} act={act} />
    </header>
  );
}

/** What is trusted now, what can be, and what it works on. */
function Doing({ state, pane, act }: SessionProps) {
  const mayWrite = state.me?.role !== "viewer";
  const trust = { session: pane.id, view: pane.view, now: state.now, mayWrite, act };
  return (
    <>
      <TrustChips {...trust} />
      {mayWrite && <TrustMenu {...trust} />}
      <button type="button" class={`bs-btn is-s is-bare ${state.panel === null ? "" : "is-on"}`} data-keys="c" aria-pressed={state.panel !== null} aria-label="Work: changes, grants, files" onClick={() => act({ do: "panel", panel: state.panel === null ? (mayWrite ? "changes" : "grants") : null })}>
        <Icon name="branch" /><span class="bs-wide">Work</span>
      </button>
    </>
  );
}

function Transcript({ state, pane, act }: SessionProps) {
  const [opened, setOpened] = useState<Opened>({});
  const goal = goalOf(pane.events, (state.route.at === "session" ? state.route.item : null) ?? null);
  const rows = useMemo(() => rowsOf(pane.view, opened, goal), [pane.view.items, opened, goal]);
  const toggle = useCallback((key: string, open: boolean) => setOpened((before) => ({ ...before, [key]: open })), []);
  const first = pane.events[0]?.seq ?? 1;
  if (rows.length === 0) {
    return (
      <div class="bs-empty">
        <h2>Nothing has been said yet</h2>
        <p>What you and Claude say, and what it does, will stand here.</p>
      </div>
    );
  }
  const reading = { session: pane.id, diffs: state.narrow ? ("unified" as const) : state.diffs, act };
  return (
    <Reading.Provider value={reading}>
      <Feed rows={rows} now={state.now} cwd={pane.view.cwd} toggle={toggle} atTop={first > 1 ? () => act({ do: "more", before: first }) : null} goal={goal} />
    </Reading.Provider>
  );
}

function Dock({ state, pane, act }: SessionProps) {
  const [at, setAt] = useState(0);
  const asks = openAsks(pane.view);
  const index = Math.min(at, Math.max(0, asks.length - 1));
  const ask = asks[index];
  const role = state.me?.role ?? "viewer";
  const stopping = pane.view.running === 0 ? null : stoppingOf(state, pane.id);
  const step = asks.length > 1 ? (by: 1 | -1) => setAt((index + by + asks.length) % asks.length) : null;
  return (
    <div class="bs-dock">
      {ask !== undefined && (
        <AskCard key={`${ask.key} ${ask.request.input_hash}`} request={ask.request} session={pane.id} cwd={pane.view.cwd} sent={decisionOf(state, pane.id, ask.request.pending_id)} now={state.now} touch={state.touch} draft={state.drafts[remarksOn(ask.request.pending_id)] ?? ""} act={act} docked place={`${index + 1} of ${asks.length}`} step={step} />
      )}
      <div class="bs-bottom">
        <Strips session={pane.id} view={pane.view} heardAt={pane.heardAt} queue={pane.queue} held={facts(state, pane.id)?.holds_queue ?? false} stopping={stopping} role={role} sent={state.sent} now={state.now} act={act} />
        <Composer session={pane.id} view={pane.view} facts={facts(state, pane.id)} sent={state.sent} models={modelsOf(state.sessions)} owns={role === "owner"} draft={state.drafts[pane.id] ?? ""} attached={state.attached[pane.id] ?? []} files={state.files} asked={ask !== undefined} stopping={stopping !== null} mayWrite={role !== "viewer"} act={act} />
      </div>
    </div>
  );
}
