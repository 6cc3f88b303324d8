// The line under a turn: what it cost, took, used, and how it ended when not well.

import type { TurnEndItem } from "../protocol.gen";
import { duration, money, time, tokens } from "./words";

const OUTCOMES: Record<TurnEndItem["outcome"], string | null> = {
  success: null,
  error: "failed",
  interrupted: "stopped",
  max_turns: "stopped: too many rounds",
  budget: "stopped: budget spent",
  refused: "refused",
  lost: "lost",
};

export function TurnLine({ item }: { readonly item: TurnEndItem }) {
  const outcome = OUTCOMES[item.outcome];
  const known = item.input_tokens !== null || item.output_tokens !== null;
  const cached = item.cache_read_tokens ?? 0;
  return (
    <h3 class="bs-turn">
      <span>Turn {item.turn}</span>
      {outcome !== null && <span class={item.outcome === "interrupted" ? "" : "bad"}>{outcome}</span>}
      <span>{money(item.cost_usd)}</span>
      {item.duration_ms !== null && <span>{duration(item.duration_ms)}</span>}
      {known && (
        <span class="bs-wide">
          {tokens(item.input_tokens ?? 0)} in, {tokens(item.output_tokens ?? 0)} out
          {cached > 0 && `, ${tokens(cached)} cached`}
        </span>
      )}
      {item.denied > 0 && <span class="bad">{item.denied} denied</span>}
      <span>{time(item.at)}</span>
    </h3>
  );
}
