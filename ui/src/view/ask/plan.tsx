// A plan to be approved: the document, and what approving it does to the mode.

import { useRef, useState } from "preact/hooks";
import { Markdown, partsOf } from "../markdown";
import { listed, type Note, saidOf } from "../notes";
import { RemarkForm } from "../remark";
import { many } from "../words";
import { ARMING_MS, type AskProps, remarksOn, send } from "./props";
import { Reason } from "./reason";

const WAYS = [
  ["ask", "Approve, ask for each edit", "Claude begins; each edit and command is asked for."],
  ["accept_edits", "Approve, accept edits", "Claude begins; files in the workspace change without an ask."],
  ["auto", "Approve, auto mode", "Claude begins and judges by itself what to ask for."],
] as const;

export function Plan(props: AskProps) {
  const { request } = props;
  const text = request.normalized.kind === "show_plan" ? request.normalized.plan : "";
  const [plan, setPlan] = useState(text);
  const [panel, setPanel] = useState<"edit" | "revise" | null>(null);
  const [told, setTold] = useState("Nothing begins before you choose.");
  const [open, setOpen] = useState<number | null>(null);
  const notes = listed(props.draft);
  const keep = (next: readonly Note[]) => props.act({ do: "draft", session: remarksOn(request.pending_id), text: next.length === 0 ? "" : JSON.stringify(next) });
  const revise = (reason: string | null) => {
    send(props, { verb: "deny", reason: [saidOf(notes), reason].filter(Boolean).join("\n\n") });
    keep([]);
  };
  const born = useRef(performance.now());
  const approve = (then: (typeof WAYS)[number][0]) => {
    if (performance.now() - born.current < ARMING_MS) return;
    send(props, { verb: "approve_plan", then, ...(plan === text ? {} : { plan }) });
  };
  return (
    <>
      <div class="bs-ask-body bs-plan" tabIndex={0} aria-label="The plan">
        {panel === "edit" ? (
          <textarea class="bs-input is-mono" aria-label="The plan" rows={14} value={plan} onInput={(event) => setPlan(event.currentTarget.value)} />
        ) : plan === "" ? (
          <p class="dim">The plan is in a file; the transcript names it.</p>
        ) : (
          <Lines plan={plan} notes={notes} at={open} setAt={setOpen} keep={keep} />
        )}
        {plan !== text && <p class="bs-note">Changed by you; Claude gets this text.</p>}
      </div>
      {panel === "revise" && <Reason label="Ask for changes" hint="What should be different" decide={revise} />}
      <footer class="bs-verbs is-plan">
        {WAYS.filter(([then]) => request.options.some((option) => option.id === `approve_${then}`)).map(([then, name, does], at) => (
          <button key={then} type="button" class="bs-btn" data-keys={String(at + 1)} onFocus={() => setTold(does)} onMouseEnter={() => setTold(does)} onClick={() => approve(then)}>
            <kbd>{at + 1}</kbd> {name}
          </button>
        ))}
        <button type="button" class={`bs-btn ${notes.length > 0 ? "is-ink" : ""}`} data-keys="4" aria-expanded={panel === "revise"} onClick={() => setPanel(panel === "revise" ? null : "revise")}>
          <kbd>4</kbd> Ask for changes{notes.length > 0 && `, with ${many(notes.length, "comment")}`}
        </button>
        <button type="button" class="bs-btn is-bare" data-keys="e" onClick={() => setPanel(panel === "edit" ? null : "edit")}>{panel === "edit" ? "Read it" : "Edit…"}</button>
        <p class="bs-does">{told}</p>
      </footer>
    </>
  );
}

interface LinesProps {
  readonly plan: string;
  readonly notes: readonly Note[];
  readonly at: number | null;
  readonly setAt: (line: number | null) => void;
  readonly keep: (notes: readonly Note[]) => void;
}

/** The plan as it reads, each part with the number of its line, and what was remarked on it. */
function Lines({ plan, notes, at, setAt, keep }: LinesProps) {
  return (
    <>
      {partsOf(plan).map(({ line, source }) => (
        <div key={line} class="bs-part">
          <span class="bs-no">{line}<button type="button" class="bs-plus" aria-label={`Comment on line ${line}`} onClick={() => setAt(at === line ? null : line)}>+</button></span>
          <div>
            <Markdown text={source} />
            {notes.filter((note) => note.line === line).map((note) => (
              <p key={note.text} class="bs-remark">{note.text} <button type="button" class="bs-link" onClick={() => keep(notes.filter((one) => one !== note))}>Drop</button></p>
            ))}
            {at === line && <RemarkForm done={(text) => (setAt(null), text !== "" && keep([...notes, { path: "", line, quote: source.split("\n", 1)[0] ?? "", text }]))} />}
          </div>
        </div>
      ))}
    </>
  );
}
