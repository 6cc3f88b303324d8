// A stop, as far as it has come: asked, heard, by force; and what is left to do when it takes too long.

import { type Act, newId } from "../actions";
import type { Stage, Stopping } from "../stopping";
import { Icon } from "./icons";
import { Sure } from "./sure";
import { duration } from "./words";

const LONG_MS = 10_000;

const WORDS: Record<Stage, string> = {
  saved: "The stop is saved here: it is sent when the hub answers again.",
  asked: "Stopping the turn …",
  heard: "Claude Code heard it, and stops.",
  forced: "Claude Code does not answer: its process is being stopped by force.",
};

interface StopProps {
  readonly session: string;
  readonly stopping: Stopping | null;
  readonly mayEnd: boolean;
  readonly act: Act;
}

export function StopStrip({ session, stopping, mayEnd, act }: StopProps) {
  if (stopping === null) return null;
  const { stage, forMs } = stopping;
  const isLong = forMs >= LONG_MS;
  return (
    <div class="bs-strip" role="status">
      <Icon name="stop" tone={stage === "forced" ? "bad" : "hold"} />
      <span>{WORDS[stage]}</span>
      {isLong && <span class="dim" aria-hidden="true">{duration(Math.floor(forMs / 1000) * 1000)}</span>}
      {mayEnd && (isLong || stage === "forced") && (
        <Sure class="bs-btn is-s bs-push" sure="End it?" does={() => act({ do: "send", command: { type: "end", command_id: newId(), session } })}>End the session</Sure>
      )}
    </div>
  );
}
