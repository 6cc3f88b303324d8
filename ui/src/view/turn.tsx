// The line under a turn: what it cost, took, used, and how it ended when not well.

import { useContext } from "preact/hooks";
import { newId } from "../actions";
import type { TurnEndItem } from "../protocol.gen";
import { Icon } from "./icons";
import { Menu } from "./menu";
import { Reading } from "./reading";
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
      <TurnMenu turn={item.turn} />
    </h3>
  );
}

/** To go on from the end of this turn, as if what followed had not been said. */
function TurnMenu({ turn }: { readonly turn: number }) {
  const { session, act } = useContext(Reading);
  if (session === null) return null;
  const choices = [
    { name: "Fork from here", icon: "branch" as const, about: "A session of its own, which knows no more than this", does: () => act({ do: "send", command: { type: "fork", command_id: newId(), session, at: turn } }) },
    { name: "Try again from here", icon: "retry" as const, about: "What followed is left out, and the last prompt is said once more. Files stay as they are.", sure: "Yes, leave out what followed", does: () => act({ do: "send", command: { type: "retry", command_id: newId(), session, at: turn } }) },
  ];
  return (
    <Menu label={`Go on from turn ${turn}`} class="bs-btn is-bare is-icon is-s" opens="down" choices={choices}>
      <Icon name="more" />
    </Menu>
  );
}
