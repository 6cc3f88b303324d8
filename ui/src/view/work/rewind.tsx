// Files as they were before a prompt: tried first, shown, and only then done.

import { type Act, newId } from "../../actions";
import type { PromptItem, PutBack, RewindCommand, View } from "../../protocol.gen";
import type { Sent } from "../../state";
import { Sure } from "../sure";
import { many, receiptWord, time, within } from "../words";

interface RewindProps {
  readonly session: string;
  readonly view: View;
  readonly sent: Readonly<Record<string, Sent>>;
  readonly owns: boolean;
  readonly act: Act;
}

export function Rewind(props: RewindProps) {
  const prompts = props.view.items.filter((item): item is PromptItem => item.kind === "prompt" && item.state === "done" && !item.text.startsWith("/")).toReversed();
  const busy = props.view.running !== 0;
  return (
    <div class="bs-rewind">
      <p class="bs-note">Files that Claude edited are put back as they were before a prompt, and files it made since are deleted. What a command changed stays, and so does the conversation: say to Claude that you took it back.</p>
      {busy && <p class="bs-note" role="status">A turn runs, and writes files: wait for its end.</p>}
      {prompts.length === 0 && <div class="bs-empty"><h2>Nothing to go back to</h2><p>Each prompt that was answered will stand here.</p></div>}
      {prompts.map((item) => <Before key={item.key} item={item} busy={busy} {...props} />)}
    </div>
  );
}

/** The newest word on a rewind to this prompt, tried or done. */
export function lastOf(sent: RewindProps["sent"], session: string, at: string): Sent | null {
  return Object.values(sent).findLast(({ command }) => command.type === "rewind" && command.session === session && command.at === at) ?? null;
}

function Before({ item, busy, session, view, sent, owns, act }: RewindProps & { readonly item: PromptItem; readonly busy: boolean }) {
  const last = lastOf(sent, session, item.prompt_id);
  const say = (dry_run: boolean) => act({ do: "send", command: { type: "rewind", command_id: newId(), session, at: item.prompt_id, dry_run } });
  const tried = last?.receipt?.receipt === "taken" && (last.command as RewindCommand).dry_run === true ? last.receipt.put_back : null;
  return (
    <article class="bs-before">
      <p class="bs-cutoff"><b>{item.text}</b></p>
      <span class="dim">before {time(item.at)}</span>
      {tried == null && <button type="button" class="bs-btn is-s" disabled={busy || (last !== null && last.receipt === null && last.problem === null)} onClick={() => say(true)}>What would change?</button>}
      {tried != null && tried.files.length > 0 && owns && <Sure class="bs-btn is-s" sure="Put them back?" does={() => say(false)}>Put back</Sure>}
      {last !== null && <Told last={last} cwd={view.cwd} owns={owns} />}
    </article>
  );
}

function Told({ last, cwd, owns }: { readonly last: Sent; readonly cwd: string | null; readonly owns: boolean }) {
  if (last.problem !== null) return <p class="bad bs-told" role="status">{last.problem.detail}</p>;
  if (last.receipt === null) return <p class="dim bs-told" role="status">Asking Claude Code …</p>;
  if (last.receipt.receipt !== "taken") return <p class="bad bs-told" role="status">{receiptWord(last.receipt)}</p>;
  const did = last.receipt.put_back;
  const isTrial = (last.command as RewindCommand).dry_run === true;
  if (did == null || did.files.length === 0) return <p class="dim bs-told" role="status">No file was edited since.</p>;
  return (
    <div class="bs-told" role="status">
      <p>{isTrial ? "Would put back" : "Put back"} {many(did.files.length, "file")}{figures(did)}{isTrial && !owns ? ". To do it is the owner's." : "."}</p>
      <ul>{did.files.map((path) => <li key={path}><code>{within(path, cwd)}</code></li>)}</ul>
    </div>
  );
}

const figures = ({ insertions, deletions }: PutBack): string => (insertions === null || deletions === null ? "" : `, +${insertions} −${deletions} lines`);
