// Allow from now on: which rule, where it holds, what else it would have covered, what it never does.

import { useEffect, useState } from "preact/hooks";
import { newId } from "../../actions";
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
/** Not on touch: there a decision can be taken back for a while, and the trust given with it would stay. */
const FOR_A_WHILE = "trust";
const MINUTES = 15;
const RECHECK_MS = 150;
const DAY_MS = 86_400_000;
const KEPT_DAYS = 30;

export function Always(props: AskProps & { readonly decide: (decision: Decision) => void }) {
  const { suggestions } = props.request;
  const [rule, setRule] = useState(suggestions[0]?.rule ?? "");
  const [scope, setScope] = useState<Scope>(suggestions[0]?.scope ?? "session");
  const [lasts, setLasts] = useState(true);
  const [preview, setPreview] = useState<RulePreview | string | null>(null);
  useEffect(() => {
    setPreview(null);
    const timer = setTimeout(() => {
      api.preview(props.session, props.request.pending_id, rule).then(setPreview, (error: Error) => setPreview(error.message));
    }, RECHECK_MS);
    return () => clearTimeout(timer);
  }, [rule, props.session, props.request.pending_id]);
  const until = scope === "project" || scope === "user" ? props.now + KEPT_DAYS * DAY_MS : null;
  const hold = (value: string) => {
    setLasts(value !== FOR_A_WHILE);
    if (value !== FOR_A_WHILE) setScope(value as Scope);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (lasts) return props.decide({ verb: "allow_always", rule, scope, until });
    props.decide({ verb: "allow_once" });
    props.act({ do: "send", command: { type: "trust", command_id: newId(), session: props.session, what: "rule", rule, minutes: MINUTES } });
  };
  return (
    <form class="bs-panel" onSubmit={submit}>
      {suggestions.map((one) => (
        <label key={`${one.rule} ${one.scope}`} class="bs-option">
          <input type="radio" name="rule" checked={one.rule === rule && one.scope === scope} onChange={() => [setRule(one.rule), setScope(one.scope), setLasts(true)]} />
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
        <select class="bs-input" value={lasts ? scope : FOR_A_WHILE} onChange={(event) => hold(event.currentTarget.value)}>
          {!props.touch && <option value={FOR_A_WHILE}>{MINUTES} minutes, in this session</option>}
          {SCOPES.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
        </select>
      </label>
      <Covers preview={preview} />
      <div class="bs-line-end">
        {lasts && until !== null && <span class="dim">Ends after {KEPT_DAYS} days.</span>}
        <button type="submit" class="bs-btn is-ink" disabled={preview === null || typeof preview === "string"}>{lasts ? "Allow and remember" : "Allow, and trust for a while"}</button>
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
