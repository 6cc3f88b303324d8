// @vitest-environment happy-dom
// The work of a session: git's words by file, remarks, grants and what they covered, what is trusted, what is silent.

import { render } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { EMPTY } from "../src/fold";
import type { CallItem, GrantedItem, View } from "../src/protocol.gen";
import { BEGIN, emptyPane, heard } from "../src/state";
import { partsOf } from "../src/view/markdown";
import { spans } from "../src/view/ansi";
import { begun } from "../src/view/ask/questions";
import { rowsOf } from "../src/view/rows";
import { Silence, Tasks } from "../src/view/tasks";
import { timed, TrustChips } from "../src/view/trust";
import { clock, linkTo } from "../src/view/words";
import { writtenLately } from "../src/view/work/changes";
import { filesOf, isCut } from "../src/view/work/gitdiff";
import { coveredBy, Grants } from "../src/view/work/grants";
import { listed, saidOf } from "../src/view/notes";
import { lastOf } from "../src/view/work/rewind";
import { notice, shell } from "./events";

const plain = (html: string): string => html.replaceAll(/<[^>]*>/gu, " ").replaceAll(/\s+/gu, " ").trim();
const act = () => undefined;
const base = { at: 10, turn: 1, parent: null };
const call = (id: string, more: Partial<CallItem> = {}): CallItem => ({ kind: "call", key: `call:${id}`, ...base, tool_call_id: id, tool_name: "R", title: id, status: "complete", payload: shell("make"), elapsed_s: null, ended_at: 12, verdict: null, ...more });
const granted = (until: number | null, more: Partial<GrantedItem> = {}): GrantedItem => ({
  kind: "grant", key: "grant:1", ...base, ended: null, ended_at: null, ended_by: null, covered: 0,
  grant: { type: "grant_given", session: "s", seq: 1, after: null, at: 10, turn: 1, line: 0, grant_id: "g1", rules: ["Run(make *)"], scope: "session", cause: "trust", edits: false, by: "Anna", surface: "web", until },
  ...more,
});
const holding = (item: GrantedItem, ...more: CallItem[]): View => ({ ...EMPTY, resting: "idle", items: [item, ...more], grants: { g1: 0 } });

const DIFF = `diff --git a/src/a b.py b/src/a b.py
index 1..2 100644
--- a/src/a b.py\t
+++ b/src/a b.py\t
@@ -1,2 +1,2 @@
-one
+two
 three
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+diff --git is text here
diff --git a/gone.md b/gone.md
deleted file mode 100644
--- a/gone.md
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/old.ts b/new.ts
similarity index 100%
rename from old.ts
rename to new.ts
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/logo.png b/logo.png
Binary files a/logo.png and b/logo.png differ
`;

describe("git's difference", () => {
  it("is read by file, with what became of each", () => {
    const told = filesOf(DIFF).map((file) => [file.path, file.what, file.added, file.removed]);
    expect(told).toEqual([["src/a b.py", "edit", 1, 1], ["new.txt", "new", 1, 0], ["gone.md", "deleted", 0, 1], ["new.ts", "renamed", 0, 0], ["run.sh", "edit", 0, 0], ["logo.png", "edit", 0, 0]]);
    expect(filesOf(DIFF)[3]?.was).toBe("old.ts");
    expect(filesOf(DIFF)[5]?.binary).toBe(true);
    expect(filesOf("")).toEqual([]);
  });

  it("says where it was cut", () => {
    expect(isCut(`${DIFF}\n… cut here\n`)).toBe(true);
    expect(filesOf(`${DIFF}\n… cut here\n`)).toHaveLength(6);
    expect(isCut(DIFF)).toBe(false);
  });
});

describe("what the last turn wrote", () => {
  it("is told from the workspace", () => {
    const wrote = (id: string, path: string, more: Partial<CallItem> = {}) => call(id, { payload: { kind: "modify_file", file_path: path } as CallItem["payload"], ...more });
    const view = { ...EMPTY, cwd: "/w", items: [wrote("1", "/w/old", { turn: 1 }), wrote("2", "/w/a/b", { turn: 2 }), wrote("3", "/w/no", { turn: 2, status: "error" })] };
    expect([...writtenLately(view)]).toEqual(["a/b"]);
  });
});

describe("remarks", () => {
  const note = { path: "a.py", line: 4, quote: "  x = 1", text: "Why?" };

  it("are said together, each with its line", () => {
    expect(saidOf([note, { ...note, path: "", line: 2 }])).toBe("a.py:4\n> x = 1\nWhy?\n\nline 2\n> x = 1\nWhy?");
  });

  it("are read from a draft, and nothing else is", () => {
    expect(listed(JSON.stringify([note, { path: 1 }, null]))).toEqual([note]);
    for (const draft of ["", "{", '"x"', "{}"]) expect(listed(draft)).toEqual([]);
  });
});

describe("a plan", () => {
  it("can be remarked on by block and by entry, each with its line", () => {
    const plan = "# Plan\n\nFirst this.\n\n1. One\n2. Two\n   more\n3. Three\n\n```py\nx\n```\n";
    expect(partsOf(plan).map(({ line, source }) => [line, source])).toEqual([[1, "# Plan"], [3, "First this."], [5, "1. One"], [6, "2. Two\n   more"], [8, "3. Three"], [10, "```py\nx\n```"]]);
    expect(partsOf("")).toEqual([]);
  });
});

describe("a grant", () => {
  it("tells what ran unasked by it, and nothing else", () => {
    const by = (rule: string, at: number, verdict: "allow" | "deny" = "allow") => call(`${rule}${at}`, { at, verdict: { verdict, rule, reason: "" } });
    const item = granted(null, { ended: "revoked", ended_at: 50 });
    const view = holding(item, by("Run(make *)", 20), by("Run(make *)", 60), by("Run(ls)", 20), by("Run(make *)", 30, "deny"), call("x"));
    expect(coveredBy(item, view).map((one) => one.at)).toEqual([20]);
    const text = plain(render(<Grants session="s" view={view} now={70} mayWrite act={act} />));
    expect(text).toContain("Run(make *) trusted by Anna, web at 00:00 · taken back, 00:00 Used 1 time");
    expect(text).not.toContain("Revoke");
  });

  it("by the clock is a chip that counts down and can be ended, but not by a viewer", () => {
    const view = holding(granted(700_010));
    expect(timed(view, 10)).toHaveLength(1);
    expect(timed(view, 700_010)).toEqual([]);
    const chip = (mayWrite: boolean) => render(<TrustChips session="s" view={view} now={10} mayWrite={mayWrite} act={act} />);
    expect(plain(chip(true))).toBe("Run(make *) 11:40");
    expect(chip(true)).toContain("Stop trusting: Run(make *)");
    expect(chip(false)).not.toContain("button");
  });

  it("reads as a clock", () => {
    expect([0, 999, 59_001, 700_000, 3_661_000].map(clock)).toEqual(["00:00", "00:01", "01:00", "11:40", "1:01:01"]);
  });
});

describe("a turn that says nothing", () => {
  const silent = (view: View, now: number, stopping = false) => plain(render(<Silence session="s" view={view} now={now} heardAt={0} stopping={stopping} mayWrite act={act} />));
  const view: View = { ...EMPTY, running: 1, items: [call("npm run build", { status: "running" })] };

  it("is told of after five minutes, with what runs, and can be ended", () => {
    expect(silent(view, 299_999)).toBe("");
    expect(silent(view, 300_000)).toBe("Nothing was heard for 5 m: npm run build runs. Cancel turn");
    expect(silent({ ...view, running: 0 }, 300_000)).toBe("");
    expect(silent(view, 300_000, true)).toBe("");
  });

  it("is not heard of by what tells the time", () => {
    const state = { ...BEGIN, pane: { ...emptyPane("s"), phase: "live" as const } };
    const after = heard(state, [{ ...notice(1), at: 5000 }]);
    expect(after.pane?.heardAt).toBe(0);
    expect(heard(state, [{ ...notice(1), type: "turn_started", cause: "prompt", prompt_ids: [], at: 5000 } as never]).pane?.heardAt).toBe(5000);
  });
});

describe("work in the background", () => {
  it("is listed, and can be stopped by who may write", () => {
    const view: View = { ...EMPTY, tasks: [{ task_id: "t1", what: "local_bash", title: "npm run dev", tool_call_id: null, started_at: 0, usage: { total_tokens: 1, tool_uses: 2, duration_ms: 1 } }] };
    const drawn = (mayWrite: boolean) => plain(render(<Tasks session="s" view={view} now={61_000} mayWrite={mayWrite} act={act} />));
    expect(drawn(true)).toBe("1 in background npm run dev npm run dev 1 m 01 s · 2 calls Stop");
    expect(drawn(false)).not.toContain("Stop");
  });
});

describe("a link to an item", () => {
  it("opens what the item lies in", () => {
    const nested = [call("outer"), call("inner", { parent: "outer" }), call("deep", { parent: "inner" })];
    expect(rowsOf({ ...EMPTY, items: nested }, {}).map((row) => row.key)).toEqual(["call:outer"]);
    expect(rowsOf({ ...EMPTY, items: nested }, {}, "call:deep").map((row) => row.key)).toEqual(["call:outer", "call:inner", "call:deep"]);
    expect(rowsOf({ ...EMPTY, items: nested }, {}, "call:none")).toHaveLength(1);
  });

  it("is an address", () => {
    expect(linkTo("call:a b")).toBe("#item=call%3Aa%20b");
    expect(linkTo(undefined)).toBe("");
  });
});

describe("a rewind", () => {
  it("is told by its newest word", () => {
    const one = (at: string, dry_run: boolean) => ({ command: { type: "rewind" as const, command_id: at, session: "s", at, dry_run }, at: 1, receipt: null, problem: null, heldUntil: null });
    const sent = { a: one("p", true), b: one("q", true), c: one("p", false) };
    expect(lastOf(sent, "s", "p")).toBe(sent.c);
    expect(lastOf(sent, "other", "p")).toBeNull();
  });
});

describe("what a program printed", () => {
  it("keeps its colours by name, also where they are chosen out of many", () => {
    const toned = (text: string) => spans(text).map((span) => [span.text, span.tone]);
    expect(toned("\u001B[38;5;9mred\u001B[38;5;200mnone\u001B[1;38;2;1;2;3;32mgreen\u001B[0m.")).toEqual([["red", "bad"], ["none", ""], ["green", "good is-bold"], [".", ""]]);
    expect(toned("\u001B[2mpale\u001B[22mnot")).toEqual([["pale", "dim"], ["not", ""]]);
  });
});

describe("questions", () => {
  it("go on where they were left, and begin anew where a draft is none", () => {
    const left = { step: 1, given: { 0: { chosen: ["A"], own: "" } } };
    expect(begun(JSON.stringify(left))).toEqual(left);
    for (const draft of ["", "null", "[]", "{", '{"step":1}']) expect(begun(draft)).toEqual({ step: 0, given: {} });
  });
});
