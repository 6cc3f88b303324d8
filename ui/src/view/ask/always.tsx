// Allow from now on: which rule, where it holds, what else it would have covered, what it never does.

import { useEffect, useState } from "preact/hooks";
import * as api from "../../api";
import type { AllowAlways, Decision, RulePreview } from "../../protocol.gen";
import { many } from "../words";
import type { AskProps } from "./props";

type Scope = NonNullable<AllowAlways["scope"]>;

const SCOPES: readonly (readonly [Scope, string])[] = [
  ["session", "this session"],
  ["project", "this project"],
  ["user", "everywhere, for me"],
  ["local", "Claude Code's own local settings"],
];
const RECHECK_MS = 150;
const DAY_MS = 86_400_000;
const KEPT_DAYS = 30;

export function Always(props: AskProps & { readonly decide: (decision: Decision) => void }) {
  const { suggestions } = props.request;
  const [rule, setRule] = useState(suggestions[0]?.rule ?? "");
  const [scope, setScope] = useState<Scope>(suggestions[0]?.scope ?? "session");
  const [preview, setPreview] = useState<RulePreview | string | null>(null);
  useEffect(() => {
    setPreview(null);
    const timer = setTimeout(() => {
      api.preview(props.session, props.request.pending_id, rule).then(setPreview, (error: Error) => setPreview(error.message));
    }, RECHECK_MS);
    return () => clearTimeout(timer);
  }, [rule, props.session, props.request.pending_id]);
  const until = scope === "project" || scope === "user" ? props.now + KEPT_DAYS * DAY_MS : null;
  const submit = (event: Event) => {
    event.preventDefault();
    props.decide({ verb: "allow_always", rule, scope, until });
  };
  return (
    <form class="bs-panel" onSubmit={submit}>
      {suggestions.map((one) => (
        <label key={`${one.rule} ${one.scope}`} class="bs-option">
          <input type="radio" name="rule" checked={one.rule === rule && one.scope === scope} onChange={() => [setRule(one.rule), setScope(one.scope)]} />
          <code>{one.rule}</code>
          {one.source === "cli" && <span class="dim">kept by Claude Code</span>}
        </label>
      ))}
      <label class="bs-field">
        <span>Rule</span>
        <input class="bs-input is-mono" value={rule} onInput={(event) => setRule(event.currentTarget.value)} />
      </label>
      <label class="bs-field">
        <span>Holds for</span>
        <select class="bs-input" value={scope} onChange={(event) => setScope(event.currentTarget.value as Scope)}>
          {SCOPES.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
        </select>
      </label>
      <Covers preview={preview} />
      <div class="bs-line-end">
        {until !== null && <span class="dim">Ends after {KEPT_DAYS} days.</span>}
        <button type="submit" class="bs-btn is-ink" disabled={preview === null || typeof preview === "string"}>Allow and remember</button>
      </div>
    </form>
  );
}

function Covers({ preview }: { readonly preview: RulePreview | string | null }) {
  if (preview === null) return <p class="dim">Looking what it would cover …</p>;
  if (typeof preview === "string") return <p class="bad" role="status">{preview}</p>;
  return (
    <div class="bs-covers">
      <div>
        <h3>Also covers</h3>
        {preview.also.length === 0 ? <p class="dim">nothing that was asked before</p> : preview.also.slice(0, 5).map((one) => <code key={one}>{one}</code>)}
        {preview.asked > 0 && <p class="dim">You were asked {many(preview.asked, "time")}.</p>}
      </div>
      <div>
        <h3>Never covers</h3>
        {preview.never.length === 0 ? <p class="dim">—</p> : preview.never.map((one) => <code key={one}>{one}</code>)}
      </div>
    </div>
  );
}
