// Why it is asked, in a line; the chain of rules on demand.

import { useState } from "preact/hooks";
import * as api from "../../api";
import type { Explained } from "../../protocol.gen";
import { Icon } from "../icons";
import type { AskProps } from "./props";

const REASONS: Record<string, string> = {
  subcommandResults: "no rule covers all parts of it",
  mode: "the mode asks for this",
  rule: "a rule of Claude Code's wants it asked",
  workingDir: "it reaches outside the workspace",
  safetyCheck: "Claude Code holds it for risky",
  hook: "a hook wants it asked",
};

export function Why({ request, session }: AskProps) {
  const [told, setTold] = useState<Explained | string | null>(null);
  const explain = () => {
    api.explain(session, request.pending_id).then(setTold, (error: Error) => setTold(error.message));
  };
  const because = request.matched_rule ?? REASONS[request.reason_type ?? ""] ?? request.reason ?? "nothing allows it yet";
  return (
    <div class="bs-why">
      <Icon name="key" tone="dim" />
      <span>Asks because {because}.</span>
      {told === null && <button type="button" class="bs-link" onClick={explain}>Explain</button>}
      {typeof told === "string" && <span class="bad">{told}</span>}
      {told !== null && typeof told !== "string" && (
        <p class="bs-told">{told.rule === null ? "" : <code>{told.rule}</code>} {told.reason}</p>
      )}
    </div>
  );
}
