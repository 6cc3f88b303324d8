// The registry: for each kind of call how its row reads and what it opens to. Nothing here knows a tool's name.

import type { ComponentChildren } from "preact";
import type { Payload, SubagentTask } from "../protocol.gen";
import { Change } from "./change";
import type { IconName } from "./icons";
import { Markdown } from "./markdown";
import { ReadBody, SearchBody, ShellBody, Table, TextBody } from "./output";
import { TodoList } from "./todos";
import { duration, many, tokens } from "./words";

type Kind = Payload["kind"];
type Of<K extends Kind> = Extract<Payload, { kind: K }>;

interface Look<K extends Kind> {
  readonly icon: (payload: Of<K>) => IconName;
  /** While it runs, and after. */
  readonly verbs: (payload: Of<K>) => readonly [string, string];
  readonly object: (payload: Of<K>) => string;
  readonly prose?: boolean;
  readonly stats: (payload: Of<K>) => readonly ComponentChildren[];
  readonly body: ((payload: Of<K>) => ComponentChildren) | null;
}

type Registry = { readonly [K in Kind]: Look<K> };

const none = () => [];

const LOOKS: Registry = {
  read_file: {
    icon: () => "file",
    verbs: () => ["Reading", "Read"],
    object: (it) => it.file_path,
    stats: (it) => [range(it.offset, it.output?.line_count ?? null)],
    body: (it) => <ReadBody payload={it} />,
  },
  modify_file: {
    icon: (it) => (it.mutations[0]?.type === "create" ? "newfile" : "edit"),
    verbs: (it) => (it.mutations[0]?.type === "create" ? ["Writing", "Wrote"] : ["Editing", "Edited"]),
    object: (it) => it.file_path,
    stats: (it) => it.error !== null ? [] : [
      it.mutations[0]?.type === "create" && <span class="bs-chip is-line">new</span>,
      it.added !== null && <span class="good">+{it.added}</span>,
      it.removed !== null && it.removed > 0 && <span class="bad">−{it.removed}</span>,
    ],
    body: (it) => (it.error === null ? <Change change={it} most={20} /> : <TextBody text={it.error} />),
  },
  shell_exec: {
    icon: () => "shell",
    verbs: (it) => (it.background ? ["Starting", "Started in background"] : ["Running", "Ran"]),
    object: (it) => firstLine(it.command) || (it.task_id ?? ""),
    stats: (it) => [exitCode(it.output?.exit_code ?? null), it.output?.interrupted === true && <span class="bad">interrupted</span>],
    body: (it) => <ShellBody payload={it} />,
  },
  code_search: {
    icon: () => "find",
    verbs: () => ["Searching", "Searched"],
    object: (it) => `${it.query}${it.path === null ? "" : ` in ${it.path}`}`,
    stats: (it) => [it.output !== null && many(it.output.matches?.length ?? it.output.file_count ?? it.output.files.length, "hit")],
    body: (it) => <SearchBody payload={it} />,
  },
  http_request: {
    icon: () => "globe",
    verbs: (it) => (it.url === "" ? ["Searching the web", "Searched the web"] : ["Fetching", "Fetched"]),
    object: (it) => it.url || (it.query ?? ""),
    stats: (it) => [it.status],
    body: (it) => <TextBody text={it.response ?? ""} />,
  },
  subagent_task: {
    icon: () => "agent",
    verbs: (it) => [it.subagent_type ?? "Agent", it.subagent_type ?? "Agent"],
    object: (it) => it.description,
    prose: true,
    stats: (it) => agentStats(it),
    body: (it) => (it.output?.text ? <div class="bs-report"><Markdown text={it.output.text} /></div> : null),
  },
  create_task: {
    icon: () => "todo",
    verbs: () => ["Adding to the list", "Added to the list"],
    object: (it) => it.title,
    prose: true,
    stats: none,
    body: (it) => <TextBody text={it.error ?? it.description} />,
  },
  manage_todos: {
    icon: () => "todo",
    verbs: () => ["Changing the list", "Changed the list"],
    object: (it) => many(it.items.length, "entry", "entries"),
    prose: true,
    stats: (it) => [it.items.length > 1 && `${it.items.filter((one) => one.status === "completed").length} of ${it.items.length}`],
    body: (it) => (it.error === null ? <TodoList items={it.items} /> : <TextBody text={it.error} />),
  },
  show_plan: {
    icon: () => "plan",
    verbs: (it) => (it.entering ? ["Entering plan mode", "Entered plan mode"] : ["Planning", "Planned"]),
    object: (it) => (it.edited ? "edited by you" : ""),
    prose: true,
    stats: none,
    body: (it) => (it.plan === "" ? null : <div class="bs-report"><Markdown text={it.plan} /></div>),
  },
  ask_user: {
    icon: () => "question",
    verbs: () => ["Asking", "Asked"],
    object: (it) => it.questions.map((one) => one.header || one.question).join(", "),
    prose: true,
    stats: none,
    body: (it) => (it.answers === null ? null : <Table value={it.answers} />),
  },
  mcp_call: {
    icon: () => "plug",
    verbs: () => ["Calling", "Called"],
    object: (it) => `${it.server} · ${it.tool}`,
    stats: none,
    body: (it) => (
      <>
        <Table value={it.input} />
        {it.output !== null && <TextBody text={it.output} />}
      </>
    ),
  },
  generic: {
    icon: () => "plug",
    verbs: (it) => [it.name, it.name],
    object: (it) => firstLine(JSON.stringify(it.input) ?? ""),
    stats: none,
    body: (it) => (
      <>
        <Table value={it.input} />
        {it.output !== null && <TextBody text={it.output} />}
      </>
    ),
  },
  misc: {
    icon: () => "gear",
    verbs: (it) => [it.label, it.label],
    object: () => "",
    stats: none,
    body: (it) => <TextBody text={it.details} />,
  },
};

/** How a call looks; one of a newer hub shows its name and what it was given. */
export function lookOf<K extends Kind>(payload: Of<K>): Look<K> {
  const found: Look<K> | undefined = LOOKS[payload.kind as K];
  return found ?? UNKNOWN;
}

const UNKNOWN: Look<Kind> = {
  icon: () => "plug",
  verbs: (it) => [it.kind, it.kind],
  object: (it) => JSON.stringify(it),
  stats: none,
  body: (it) => <Table value={it} />,
};

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

function exitCode(code: number | null): ComponentChildren {
  if (code === null) return null;
  return <span class={code === 0 ? "" : "bad"}>exit {code}</span>;
}

function range(offset: number | null, count: number | null): string | null {
  if (count === null) return null;
  const first = offset ?? 1;
  return count === 0 ? "empty" : `${first}–${first + count - 1}`;
}

function agentStats({ output, background }: SubagentTask): readonly ComponentChildren[] {
  return [
    background === true && "in background",
    output?.tool_uses != null && many(output.tool_uses, "call"),
    output?.tokens != null && `${tokens(output.tokens)} tokens`,
    output?.duration_ms != null && duration(output.duration_ms),
  ];
}
