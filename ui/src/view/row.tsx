// One row of the transcript, whatever it shows. Calls are in call.tsx.

import type { PromptItem, ThoughtItem } from "../protocol.gen";
import { CallRow, GroupRow } from "./call";
import { Copy } from "./copy";
import { Line } from "./line";
import { Growing, Markdown } from "./markdown";
import { Opening } from "./opening";
import type { Row } from "./rows";
import { TurnLine } from "./turn";
import { bytes, duration, time } from "./words";

export interface RowProps {
  readonly row: Row;
  readonly now: number;
  readonly cwd: string | null;
  readonly toggle: (key: string, open: boolean) => void;
}

export function RowView({ row, now, cwd, toggle }: RowProps) {
  if (row.is === "group") return <GroupRow row={row} toggle={toggle} />;
  const { item } = row;
  switch (item.kind) {
    case "prompt":
      return <Prompt item={item} />;
    case "text":
      return <div class="bs-say">{item.partial ? <Growing text={item.text} /> : <><Markdown text={item.text} /><Copy text={item.text} what="what Claude said" /></>}</div>;
    case "thought":
      return <Thought item={item} open={row.open || item.partial} toggle={toggle} />;
    case "call":
      return <CallRow row={row} item={item} now={now} cwd={cwd} toggle={toggle} />;
    case "turn":
      return <TurnLine item={item} />;
    default:
      return <Line item={item} now={now} />;
  }
}

function Prompt({ item }: { readonly item: PromptItem }) {
  return (
    <div class="bs-prompt">
      <div class="bs-by">
        <b>{item.by ?? "You"}</b>
        <span>{time(item.at)}</span>
        {item.surface !== null && <span>{item.surface}</span>}
        {item.disposition === "steered" && <span>steered</span>}
        {item.state === "waiting" && item.disposition === "queued" && <span class="bs-chip">waits for its turn</span>}
      </div>
      <div class="bs-asked">{item.text}</div>
      {item.attachments.map((file) => (
        <span key={file.id} class="bs-chip is-line">
          {file.name} <span class="dim">{bytes(file.bytes)}</span>
        </span>
      ))}
    </div>
  );
}

interface ThoughtProps extends Pick<RowProps, "toggle"> {
  readonly item: ThoughtItem;
  readonly open: boolean;
}

function Thought({ item, open, toggle }: ThoughtProps) {
  const took = item.ended_at === null ? "" : ` for ${duration(item.ended_at - item.at)}`;
  return (
    <>
      <Opening icon="bulb" open={open} onClick={() => toggle(item.key, !open)}>
        <span class="bs-verb dim">{item.partial ? "Thinking" : `Thought${took}`}</span>
      </Opening>
      {open && <div class="bs-thought">{item.text}</div>}
    </>
  );
}
