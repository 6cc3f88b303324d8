// A session's work in place of its transcript: changes, going back, what is granted, files. A chunk of its own.

import type { Act } from "../../actions";
import type { Pane, PanelName, State } from "../../state";
import { Icon } from "../icons";
import { Reading } from "../reading";
import { Changes, noteKey } from "./changes";
import { Grants } from "./grants";
import { Rewind } from "./rewind";
import { Take } from "./take";

interface PanelProps {
  readonly state: State;
  readonly pane: Pane;
  readonly at: PanelName;
  readonly act: Act;
}

const TABS: readonly (readonly [PanelName, string])[] = [["changes", "Changes"], ["rewind", "Go back"], ["grants", "Grants"], ["take", "Files"]];

export function Panel({ state, pane, at, act }: PanelProps) {
  const role = state.me?.role ?? "viewer";
  const mayWrite = role !== "viewer";
  const tabs = TABS.filter(([name]) => mayWrite || name === "grants" || name === "take");
  const common = { session: pane.id, view: pane.view, act };
  const reading = { session: pane.id, diffs: state.narrow ? ("unified" as const) : state.diffs, act };
  return (
    <Reading.Provider value={reading}>
      <div class="bs-panel-of">
        <nav class="bs-tabs-of" aria-label="Work">
          {tabs.map(([name, word]) => (
            <button key={name} type="button" class={`bs-nav ${name === at ? "is-on" : ""}`} aria-current={name === at ? "page" : undefined} onClick={() => act({ do: "panel", panel: name })}>{word}</button>
          ))}
          <button type="button" class="bs-btn is-s is-bare bs-push" aria-label="Back to the transcript" onClick={() => act({ do: "panel", panel: null })}><Icon name="close" /> <span class="bs-wide">Back to the transcript</span></button>
        </nav>
        <div class="bs-panel-body" tabIndex={-1}>
          <h2 class="bs-sr">{TABS.find(([name]) => name === at)?.[1]}</h2>
          {at === "changes" && <Changes {...common} work={state.work} draft={state.drafts[noteKey(pane.id)] ?? ""} mayWrite={mayWrite} />}
          {at === "rewind" && <Rewind {...common} sent={state.sent} owns={role === "owner"} />}
          {at === "grants" && <Grants {...common} now={state.now} mayWrite={mayWrite} />}
          {at === "take" && <Take {...common} files={state.files} read={state.read} owns={role === "owner"} mayRead={mayWrite} />}
        </div>
      </div>
    </Reading.Provider>
  );
}
