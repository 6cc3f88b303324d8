// What git says of the workspace: the files beside the change of one of them, with remarks that go to Claude together.

import { useState } from "preact/hooks";
import { type Act, prompt } from "../../actions";
import type { View } from "../../protocol.gen";
import type { Work } from "../../state";
import { Diff, type Remark } from "../change";
import { Icon } from "../icons";
import { listed, type Note, saidOf } from "../notes";
import { Loading } from "../panes";
import { RemarkForm } from "../remark";
import { many, within } from "../words";
import { type FileChange, filesOf, isCut } from "./gitdiff";

interface ChangesProps {
  readonly session: string;
  readonly view: View;
  readonly work: Work | null;
  readonly draft: string;
  readonly mayWrite: boolean;
  readonly act: Act;
}

export function Changes(props: ChangesProps) {
  const { work, session, view, act } = props;
  const [lately, setLately] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  if (work === null || work.session !== session) return <Loading />;
  if (work.git === null || work.problem !== null) return <Nothing why={work.problem ?? "The hub did not say why."} act={act} />;
  const changed = filesOf(work.git.diff);
  const told = new Set(changed.map((file) => file.path));
  const unknown: readonly FileChange[] = work.git.files.filter((path) => !told.has(path)).map((path) => ({ path, was: null, what: "new", binary: false, lines: [], added: 0, removed: 0 }));
  const turn = writtenLately(view);
  const shown = [...changed, ...unknown].filter((file) => !lately || turn.has(file.path));
  const file = shown.find((one) => one.path === chosen) ?? shown[0];
  return (
    <div class="bs-changes">
      <aside aria-label="Changed files">
        <header>
          <span><Icon name="branch" tone="dim" /> {work.git.branch ?? "no branch"}</span>
          <button type="button" class="bs-btn is-s is-bare" aria-pressed={lately} onClick={() => setLately(!lately)}>{lately ? "Last turn" : "All changes"}</button>
          <button type="button" class="bs-btn is-s is-bare is-icon" aria-label="Look again" onClick={() => act({ do: "panel", panel: "changes" })}><Icon name="retry" /></button>
        </header>
        <ul>{shown.map((one) => <Entry key={one.path} file={one} on={one === file} choose={() => setChosen(one.path)} />)}</ul>
        {shown.length === 0 && <p class="bs-none">{lately ? "The last turn changed nothing that differs." : "Nothing differs from the last commit."}</p>}
        {isCut(work.git.diff) && <p class="bs-none">There is more than can be shown: the rest is in the workspace.</p>}
      </aside>
      {file !== undefined && <File key={file.path} file={file} {...props} />}
    </div>
  );
}

function Nothing({ why, act }: { readonly why: string; readonly act: Act }) {
  return (
    <div class="bs-empty">
      <h2>Git tells nothing of this workspace</h2>
      <p>{why}</p>
      <button type="button" class="bs-btn" onClick={() => act({ do: "panel", panel: "changes" })}>Look again</button>
    </div>
  );
}

/** What Claude wrote in the last turn, as paths from the workspace. */
export function writtenLately(view: View): ReadonlySet<string> {
  const last = view.items.findLast((item) => item.turn > 0)?.turn ?? 0;
  const calls = view.items.flatMap((item) => (item.kind === "call" && item.turn === last && item.payload.kind === "modify_file" && item.status === "complete" ? [item.payload.file_path] : []));
  return new Set(calls.map((path) => within(path, view.cwd)));
}

function Entry({ file, on, choose }: { readonly file: FileChange; readonly on: boolean; readonly choose: () => void }) {
  const cut = file.path.lastIndexOf("/") + 1;
  return (
    <li>
      <button type="button" class={on ? "is-on" : ""} aria-pressed={on} title={file.path} onClick={choose}>
        <span class="bs-cutoff"><span class="dim">{file.path.slice(0, cut)}</span>{file.path.slice(cut)}</span>
        {file.what !== "edit" && <span class="bs-chip is-line">{file.what}</span>}
        {file.added > 0 && <span class="good">+{file.added}</span>}
        {file.removed > 0 && <span class="bad">−{file.removed}</span>}
      </button>
    </li>
  );
}

function File({ file, session, draft, mayWrite, act }: ChangesProps & { readonly file: FileChange }) {
  const [at, setAt] = useState<number | null>(null);
  const notes = listed(draft);
  const keep = (next: readonly Note[]) => act({ do: "draft", session: noteKey(session), text: next.length === 0 ? "" : JSON.stringify(next) });
  const remark: Remark = {
    button: (line) => (mayWrite ? <button type="button" class="bs-plus" aria-label={`Comment on line ${line.new ?? line.old ?? 0}`} onClick={() => setAt(file.lines.indexOf(line))}>+</button> : null),
    below: (line) => {
      const index = file.lines.indexOf(line);
      const here = notes.filter((note) => note.path === file.path && note.quote === line.text && note.line === (line.new ?? line.old));
      return (
        <>
          {here.map((note) => <p key={note.text} class="bs-remark">{note.text} <button type="button" class="bs-link" onClick={() => keep(notes.filter((one) => one !== note))}>Drop</button></p>)}
          {index === at && <RemarkForm done={(text) => (setAt(null), text !== "" && keep([...notes, { path: file.path, line: line.new ?? line.old ?? 0, quote: line.text, text }]))} />}
        </>
      );
    },
  };
  const send = () => {
    act({ do: "send", command: prompt(session, saidOf(notes), "queue") });
    keep([]);
  };
  return (
    <section class="bs-changed" aria-label={file.path}>
      <h3 class="bs-path">{file.was !== null && <><span class="dim">{file.was}</span> → </>}{file.path}</h3>
      {file.lines.length > 0 ? <Diff path={file.path} lines={file.lines} most={1_000_000} cut={false} remark={remark} /> : <p class="bs-none">{file.binary ? "It is no text." : file.what === "new" ? "Git does not follow it yet: read it under Files." : "Only its name or its mode differs."}</p>}
      {notes.length > 0 && (
        <div class="bs-tray">
          <span>{many(notes.length, "comment")}</span>
          <button type="button" class="bs-btn is-s is-bare bs-push" onClick={() => keep([])}>Drop all</button>
          <button type="button" class="bs-btn is-s is-ink" onClick={send}>Send to Claude</button>
        </div>
      )}
    </section>
  );
}

export const noteKey = (session: string): string => `notes:${session}`;
