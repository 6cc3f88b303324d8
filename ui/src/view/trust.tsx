// Less asking for a while: how it is begun, how long it still holds, how it is ended.

import { type Act, newId } from "../actions";
import { heldGrants } from "../fold";
import type { GrantedItem, View } from "../protocol.gen";
import { Icon } from "./icons";
import { type Choice, Menu } from "./menu";
import { clock } from "./words";

interface TrustProps {
  readonly session: string;
  readonly view: View;
  readonly now: number;
  readonly mayWrite: boolean;
  readonly act: Act;
}

const ends = ({ grant }: GrantedItem): number => grant.until ?? 0;

/** Grants that end by the clock, the one that ends first at the front. */
export function timed(view: View, now: number): readonly GrantedItem[] {
  return heldGrants(view).filter((one) => ends(one) > now).sort((a, b) => ends(a) - ends(b));
}

export const grantName = ({ grant }: GrantedItem): string => (grant.edits ? "Accept edits" : grant.rules.join(", "));

export function TrustChips({ session, view, now, mayWrite, act }: TrustProps) {
  return (
    <>
      {timed(view, now).map((one) => (
        <span key={one.grant.grant_id} class="bs-trusted" role="timer" title="Not asked for until then">
          <Icon name="trust" />
          <span class="bs-cutoff">{grantName(one)}</span>
          <b>{clock((one.grant.until ?? 0) - now)}</b>
          {mayWrite && (
            <button type="button" aria-label={`Stop trusting: ${grantName(one)}`} title="Stop trusting" onClick={() => act({ do: "send", command: { type: "revoke_grant", command_id: newId(), session, grant_id: one.grant.grant_id } })}>
              <Icon name="close" />
            </button>
          )}
        </span>
      ))}
    </>
  );
}

const TIMES: readonly (readonly [number, string])[] = [[15, "15 minutes"], [60, "an hour"]];

/** Why edits cannot be trusted now; null: they can. */
function hindrance(view: View): string | null {
  if (view.resting !== "idle" && view.running === 0) return "Say something first: trust holds in a running process.";
  if (view.mode === "plan") return "It plans, and writes nothing yet.";
  const asks = view.mode === null || view.mode === "default" || heldGrants(view).some((one) => one.grant.edits);
  return asks ? null : "In this mode no edit is asked for.";
}

export function TrustMenu({ session, view, act }: TrustProps) {
  const why = hindrance(view);
  const choices: Choice[] = TIMES.map(([minutes, name]) => ({
    name: `Accept edits for ${name}`,
    about: why ?? "Files in the workspace change without an ask; commands still ask.",
    icon: "trust",
    does: why === null ? () => act({ do: "send", command: { type: "trust", command_id: newId(), session, what: "edits", minutes } }) : null,
  }));
  return <Menu label="Trust for a while" opens="down" class="bs-btn is-s is-bare" choices={choices}><Icon name="trust" /><span class="bs-wide">Trust</span></Menu>;
}
