// What was allowed beyond one call: by whom, until when, what it covered, and how it is taken back.

import { type Act, newId } from "../../actions";
import type { CallItem, GrantedItem, View } from "../../protocol.gen";
import { Sure } from "../sure";
import { grantName } from "../trust";
import { clock, linkTo, many, time, who } from "../words";

/** The calls that ran unasked since it was given. */
export function coveredBy({ grant, ended_at }: GrantedItem, view: View): readonly CallItem[] {
  return view.items.filter((item): item is CallItem => {
    if (item.kind !== "call" || item.verdict?.verdict !== "allow" || item.at < grant.at || item.at > (ended_at ?? Infinity)) return false;
    const { rule } = item.verdict;
    return rule !== null && grant.rules.some((one) => rule.includes(one));
  });
}

interface GrantsProps {
  readonly session: string;
  readonly view: View;
  readonly now: number;
  readonly mayWrite: boolean;
  readonly act: Act;
}

export function Grants(props: GrantsProps) {
  const all = props.view.items.filter((item): item is GrantedItem => item.kind === "grant").toReversed();
  if (all.length === 0)
    return (
      <div class="bs-empty">
        <h2>Nothing was allowed for longer</h2>
        <p>What you always allow, or trust for a while, in this session will stand here, with what it covered.</p>
      </div>
    );
  return (
    <div class="bs-grants">
      <Some name="Holds" list={all.filter((one) => one.ended === null)} {...props} />
      <Some name="Over" list={all.filter((one) => one.ended !== null)} {...props} />
    </div>
  );
}

function Some({ name, list, ...props }: GrantsProps & { readonly name: string; readonly list: readonly GrantedItem[] }) {
  if (list.length === 0) return null;
  return (
    <section aria-label={name}>
      <h3 class="bs-group">{name} <span>{list.length}</span></h3>
      {list.map((one) => <Grant key={one.key} item={one} {...props} />)}
    </section>
  );
}

const ENDS = { expired: "its time was over", mode: "the mode was left", revoked: "taken back" } as const;
const CAUSES = { always: "always allowed", plan: "with a plan", trust: "trusted", grant: "granted" } as const;

function Grant({ item, session, view, now, mayWrite, act }: GrantsProps & { readonly item: GrantedItem }) {
  const { grant } = item;
  const calls = coveredBy(item, view);
  const last = calls.at(-1);
  const until = grant.until === null ? `holds for this ${grant.scope}` : `${clock(grant.until - now)} left`;
  return (
    <article class="bs-grant">
      <div>
        <code>{grantName(item)}</code>
        <p class="dim">
          {CAUSES[grant.cause]} by {who(grant.by, grant.surface)} at {time(grant.at)} · {item.ended === null ? until : `${ENDS[item.ended]}${item.ended_by === null ? "" : ` by ${item.ended_by}`}, ${time(item.ended_at ?? grant.at)}`}
        </p>
        {last === undefined ? <p class="dim">{item.covered > 0 ? `Used ${many(item.covered, "time")}.` : "Not used yet."}</p> : (
          <details>
            <summary>Used {many(Math.max(calls.length, item.covered), "time")}, last at {time(last.at)}</summary>
            <ul>{calls.slice(-20).map((call) => <li key={call.key}><a href={linkTo(call.key)}><code>{call.title}</code></a> <span class="dim">{time(call.at)}</span></li>)}</ul>
          </details>
        )}
      </div>
      {item.ended === null && mayWrite && (
        <Sure class="bs-btn is-s" sure="Take it back?" does={() => act({ do: "send", command: { type: "revoke_grant", command_id: newId(), session, grant_id: grant.grant_id } })}>Revoke</Sure>
      )}
    </article>
  );
}
