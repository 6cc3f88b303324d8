// What is asked over HTTP. Every answer that is no success is a Problem, also when the hub cannot be reached.

import type { Explained, Found, GitState, Me, PastPage, Problem, Queued, RulePreview, SessionFacts, Window } from "./protocol.gen";

export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(path, { ...init, headers: { accept: "application/json", ...init.headers } }).catch(() => null);
  if (response === null) throw new Refused({ kind: "unavailable", status: 0, detail: "The hub does not answer.", field: null });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new Refused(problemOf(body, response.status));
  return body as T;
}

function problemOf(body: unknown, status: number): Problem {
  const given = typeof body === "object" && body !== null ? (body as Partial<Problem>) : {};
  return { kind: given.kind ?? "bug", status, detail: given.detail ?? `The hub said ${status}.`, field: given.field ?? null };
}

function post<T>(path: string, body: unknown): Promise<T> {
  return ask(path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
}

const within = (session: string) => `/api/sessions/${encodeURIComponent(session)}`;

export const me = () => ask<Me>("/api/me");
export const login = (by: { token: string } | { code: string }) => post<Me>("/login", by);
export const sessions = () => ask<readonly SessionFacts[]>("/api/sessions");
export const session = (id: string) => ask<SessionFacts>(within(id));
export const view = (id: string, before: number | null = null) =>
  ask<Window>(`${within(id)}/view?limit=1000${before === null ? "" : `&before=${before}`}`);
export const explain = (id: string, pending: string) =>
  ask<Explained>(`${within(id)}/asks/${encodeURIComponent(pending)}/why`);
export const preview = (id: string, pending: string, rule: string) =>
  ask<RulePreview>(`${within(id)}/preview?${new URLSearchParams({ rule, pending })}`);
export const files = (id: string, beginning: string) => ask<readonly string[]>(`${within(id)}/files?${new URLSearchParams({ beginning, limit: "50" })}`);
export const past = (words: string, after: string | null) =>
  ask<PastPage>(`/api/past?${new URLSearchParams({ words, limit: "20", ...(after === null ? {} : { after }) })}`);
/** What is in a file of the workspace, where that is text. */
export async function text(id: string, path: string): Promise<string> {
  const response = await fetch(`${within(id)}/file?${new URLSearchParams({ path })}`).catch(() => null);
  if (response === null || !response.ok) throw new Error(response === null ? "The hub does not answer." : problemOf(await response.json().catch(() => null), response.status).detail);
  const found = new TextDecoder().decode(await response.arrayBuffer());
  if (found.includes("\0")) throw new Error("It is no text: save it to look at it.");
  return found;
}

export const git = (id: string) => ask<GitState>(`${within(id)}/git`);
export const search = (words: string) => ask<readonly Found[]>(`/api/search?${new URLSearchParams({ words, limit: "50" })}`);
export const queue = (id: string) => ask<readonly Queued[]>(`${within(id)}/queue`);
