// The item that a link means: by its key, or by the number of an event that it was made from. Pure.

import type { AnyEvent } from "./protocol.gen";

/** The key; what is not known yet, or to no item, is given back as it is, and more may be fetched for it. */
export function goalOf(events: readonly AnyEvent[], item: string | null): string | null {
  const seq = item === null ? null : /^@(\d+)$/u.exec(item)?.[1];
  if (seq == null) return item;
  const event = events[Number(seq) - (events[0]?.seq ?? 0)];
  return event?.seq === Number(seq) ? (keyOf(event) ?? item) : item;
}

function keyOf(event: AnyEvent): string | null {
  switch (event.type) {
    case "prompt_accepted":
      return `prompt:${event.prompt_id}`;
    case "message_chunk":
      return `text:${event.item}`;
    case "reasoning":
      return `thought:${event.item}`;
    case "tool_call":
    case "tool_update":
      return `call:${event.tool_call_id}`;
    default:
      return null;
  }
}
