// A stop, from its press to the end of its turn.

import { expect, it } from "vitest";
import { interrupt, reduced } from "../src/actions";
import type { AnyEvent, Receipt } from "../src/protocol.gen";
import { answered, BEGIN, heard, type State } from "../src/state";
import { stoppingOf } from "../src/stopping";

const command = interrupt("s");
const asked: State = reduced({ ...BEGIN, link: { phase: "live" }, now: 1000 }, { do: "send", command });
const told = (receipt: Receipt): State => answered(asked, command.command_id, receipt, null);
const complete = { type: "complete", session: "s", seq: null } as unknown as AnyEvent;

it("is asked, then heard, or by force", () => {
  expect(stoppingOf({ ...asked, now: 3000 }, "s")).toEqual({ stage: "asked", forMs: 2000 });
  expect(stoppingOf(told({ receipt: "taken" }), "s")?.stage).toBe("heard");
  expect(stoppingOf(told({ receipt: "taken", acknowledged: false }), "s")?.stage).toBe("forced");
});

it("waits here while the hub is away, and is of its session only", () => {
  const away: State = { ...asked, link: { phase: "away", since: 0, nextTry: 0 } };
  expect([stoppingOf(away, "s")?.stage, stoppingOf(away, "t")]).toEqual(["saved", null]);
});

it("is over with its turn; a refusal is read first", () => {
  expect(stoppingOf(heard(told({ receipt: "taken" }), [complete]), "s")).toBeNull();
  const refused = told({ receipt: "refused", reason: "no turn runs" });
  expect([stoppingOf(refused, "s"), Object.keys(heard(refused, [complete]).sent)]).toEqual([null, [command.command_id]]);
});

it("leaves other commands as they are", () => {
  const other = { ...complete, session: "t" };
  expect(heard(asked, [other]).sent).toBe(asked.sent);
});
