// A call that waits for leave: the thing, why it is asked, and the five verbs.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Decision } from "../../protocol.gen";
import { Always } from "./always";
import { Edit } from "./edit";
import { ARMING_MS, type AskProps, isGrave, send } from "./props";
import { Reason } from "./reason";
import { Thing } from "./thing";
import { Why } from "./why";

type Panel = "always" | "edit" | "deny" | "deny_and_stop" | null;

export function Tool(props: AskProps & { readonly confirms: boolean }) {
  const [panel, setPanel] = useState<Panel>(null);
  const [seen, setSeen] = useState(false);
  const born = useRef(performance.now());
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => watched(end.current, () => setSeen(true)), []);
  const armed = (run: () => void) => () => {
    if (performance.now() - born.current >= ARMING_MS) run();
  };
  const showRest = () => end.current?.scrollIntoView({ block: "end" });
  const decide = (decision: Decision) => send(props, decision);
  const toggle = (to: Panel) => armed(() => setPanel(panel === to ? null : to));
  return (
    <>
      <div class="bs-ask-body" tabIndex={0} aria-label="What is asked">
        <Thing request={props.request} />
        <Why {...props} />
        <div ref={end} class="bs-end" />
      </div>
      {panel === "always" && <Always {...props} decide={decide} />}
      {panel === "edit" && <Edit {...props} decide={decide} />}
      {(panel === "deny" || panel === "deny_and_stop") && (
        <Reason label={panel === "deny" ? "Deny" : "Deny and stop"} decide={(reason) => decide({ verb: panel, reason })} />
      )}
      <footer class="bs-verbs">
        <button type="button" class={`bs-btn is-allow ${props.confirms ? "is-armed" : isGrave(props.request) || !seen ? "" : "is-ink"}`} data-keys="a" onClick={armed(() => (seen ? decide({ verb: "allow_once" }) : showRest()))}>
          {!seen ? "Show the rest" : props.confirms ? "Approve?" : "Allow once"} <kbd>A</kbd>
        </button>
        <Verb keys="A" cap="⇧A" name={seen ? "Always…" : "Show the rest"} on={panel === "always"} run={seen ? toggle("always") : armed(showRest)} />
        <Verb keys="e" cap="E" name="Edit…" on={panel === "edit"} run={toggle("edit")} />
        <span class="bs-push" />
        <Verb keys="d" cap="D" name="Deny…" on={panel === "deny"} run={toggle("deny")} tone="is-deny" />
        <Verb keys="D" cap="⇧D" name={props.touch ? "Deny, stop" : "Deny and stop"} on={panel === "deny_and_stop"} run={toggle("deny_and_stop")} tone="bad" />
      </footer>
    </>
  );
}

interface VerbProps {
  readonly keys: string;
  readonly cap: string;
  readonly name: string;
  readonly on: boolean;
  readonly run: () => void;
  readonly tone?: string;
}

function Verb({ keys, cap, name, on, run, tone = "" }: VerbProps) {
  return (
    <button type="button" class={`bs-btn is-minor ${tone} ${on ? "is-on" : ""}`} data-keys={keys} aria-expanded={on} onClick={run}>
      {name} <kbd>{cap}</kbd>
    </button>
  );
}

/** Every line has been on screen once its last one was. */
function watched(end: Element | null, tell: () => void): () => void {
  if (end === null) return () => undefined;
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    tell();
    observer.disconnect();
  });
  observer.observe(end);
  return () => observer.disconnect();
}
