// Sessions in groups: who waits for a person first, the oldest first; the rest with the newest first.

import type { SessionFacts } from "../protocol.gen";

export type Group = readonly [string, readonly SessionFacts[]];

const WORKING = new Set(["starting", "running", "retrying", "compacting", "limited"]);
const RESTING = new Set(["idle", "asleep"]);

export function groups(sessions: readonly SessionFacts[]): readonly Group[] {
  const waiting = sessions.filter((one) => one.status === "waiting").sort((a, b) => a.since - b.since);
  const newest = [...sessions].sort((a, b) => b.updated_at - a.updated_at);
  const all: readonly Group[] = [
    ["Waiting for you", waiting],
    ["Working", newest.filter((one) => WORKING.has(one.status))],
    ["Idle", newest.filter((one) => RESTING.has(one.status))],
    ["Ended", newest.filter((one) => one.status !== "waiting" && !WORKING.has(one.status) && !RESTING.has(one.status))],
  ];
  return all.filter(([, found]) => found.length > 0);
}
