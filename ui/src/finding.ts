// What the palette finds for what is written: sessions, deeds, places, and places in transcripts. Pure.

import type { Action } from "./actions";
import { deedsOf } from "./deeds";
import type { Found, SessionFacts } from "./protocol.gen";
import type { State } from "./state";
import type { IconName } from "./view/icons";
import { groups } from "./view/list";
import { age, base, statusWord } from "./view/words";

export interface Entry {
  readonly key: string;
  readonly name: string;
  readonly about: string;
  readonly icon: IconName;
  readonly session?: SessionFacts;
  readonly sure?: string;
  readonly action: Action;
}

export type Group = readonly [string, readonly Entry[]];

const FEW = 6;

/** Groups of entries in their order; a group in which nothing is found is left out. */
export function findings(state: State, written: string): readonly Group[] {
  const has = (text: string) => written.toLowerCase().split(/\s+/u).every((word) => text.toLowerCase().includes(word));
  const sessions = groups(state.sessions ?? []).flatMap(([, found]) => found);
  const named = sessions.filter((one) => has(`${one.title} ${one.project ?? ""} ${one.branch ?? ""} ${one.cwd}`));
  const all: readonly Group[] = [
    ["Sessions", named.slice(0, written === "" ? FEW : 50).map(sessionEntry)],
    ["This session", deedsOf(state).filter(({ name }) => has(name))],
    ["Go and do", placesOf(state).filter(({ name }) => has(name))],
    ["In transcripts", written.trim() === "" ? [] : (state.search?.hits ?? []).map((hit, at) => hitEntry(hit, at, state.now))],
  ];
  return all.filter(([, entries]) => entries.length > 0);
}

function sessionEntry(one: SessionFacts): Entry {
  return { key: `session ${one.id}`, name: one.title || base(one.cwd), about: [statusWord(one), one.project ?? base(one.cwd)].join(" · "), icon: "list", session: one, action: { do: "go", route: { at: "session", id: one.id } } };
}

function placesOf(state: State): readonly Entry[] {
  const places: readonly (Entry | null)[] = [
    state.me?.role === "owner" ? { key: "start", name: "New session", about: "N", icon: "plus", action: { do: "sheet", sheet: "start" } } : null,
    { key: "sessions", name: "Sessions", about: "G S", icon: "list", action: { do: "go", route: { at: "sessions" } } },
    { key: "inbox", name: "Inbox", about: "G I", icon: "inbox", action: { do: "go", route: { at: "inbox" } } },
    { key: "keys", name: "Keys", about: "?", icon: "key", action: { do: "sheet", sheet: "keys" } },
    ...(["dark", "light", "system"] as const).map((theme): Entry => ({ key: `theme ${theme}`, name: `Theme: ${theme}`, about: state.theme === theme ? "now" : "", icon: "bulb", action: { do: "theme", theme } })),
  ];
  return places.filter((one): one is Entry => one !== null);
}

const KINDS: Record<Found["kind"], IconName> = { prompt: "edit", answer: "agent", call: "shell" };

/** It opens where the words stand, by the number of the event that holds them. */
function hitEntry(hit: Found, at: number, now: number): Entry {
  return { key: `hit ${hit.session} ${hit.seq} ${at}`, name: hit.snippet, about: `${hit.title || "Session"} · ${age(now - hit.at)}`, icon: KINDS[hit.kind], action: { do: "go", route: { at: "session", id: hit.session, item: `@${hit.seq}` } } };
}
