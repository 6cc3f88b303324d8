// @vitest-environment happy-dom
// What is drawn, as text: pure parts, and rows of the golden views.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { render } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { foldAll, EMPTY } from "../src/fold";
import type { CallItem, ModifyFile, View } from "../src/protocol.gen";
import { spans } from "../src/view/ansi";
import { Thing } from "../src/view/ask/thing";
import { linesOf } from "../src/view/diff";
import { groups } from "../src/view/list";
import { blockEnd } from "../src/view/markdown";
import { RowView } from "../src/view/row";
import { rowsOf } from "../src/view/rows";
import { duration, exact, money, tokens } from "../src/view/words";
import { ask, notice, shell } from "./events";

const golden = (name: string): View => JSON.parse(readFileSync(join(import.meta.dirname, `../../tests/golden/view/${name}.json`), "utf8")).view;
const plain = (html: string): string => html.replaceAll(/<[^>]*>/gu, " ").replaceAll(/\s+/gu, " ").trim();
const drawn = (view: View): string[] => rowsOf(view, {}).map((row) => plain(render(<RowView row={row} now={0} cwd={view.cwd} toggle={() => undefined} />)));

describe("rows", () => {
  it("nest what a subagent did below its call", () => {
    const view = golden("2.1.332/15_nested");
    const parents = view.items.flatMap((item) => (item.kind === "call" ? [[item.key, true] as const] : []));
    const depths = rowsOf(view, Object.fromEntries(parents)).map((row) => row.depth);
    expect(Math.max(...depths)).toBeGreaterThanOrEqual(1);
  });

  it("put quiet reading together, and open it by hand", () => {
    const read = (id: string): CallItem => ({ kind: "call", key: `call:${id}`, at: 0, turn: 1, parent: null, tool_call_id: id, tool_name: "R", title: "r", status: "complete", payload: { kind: "read_file", file_path: "a", offset: null, limit: null, output: null, cuts: [], renderer: "tool_read" }, elapsed_s: null, ended_at: 1, verdict: null });
    const view = { ...EMPTY, items: [read("1"), read("2")] };
    expect(rowsOf(view, {}).map((row) => row.is)).toEqual(["group"]);
    expect(rowsOf(view, { "group:call:1": true }).map((row) => row.is)).toEqual(["group", "item", "item"]);
  });

  it("take ten thousand items in less than a tenth of a second", () => {
    const view = foldAll(EMPTY, []);
    const items = Array.from({ length: 10_000 }, (_, at) => ({ ...notice(at + 1), kind: "notice" as const, key: `notice:${at}`, parent: null }));
    const took = Array.from({ length: 5 }, () => {
      const began = performance.now();
      expect(rowsOf({ ...view, items }, {})).toHaveLength(10_000);
      return performance.now() - began;
    });
    expect(Math.min(...took)).toBeLessThan(100);
  });

  it.each(["2.1.332/08_deny_msg", "2.1.332/17_edit_write", "2.1.197/19_compact", "made/waiting", "made/deciding", "made/holding"])("of %s read as they should", (name) => {
    expect(drawn(golden(name))).toMatchSnapshot();
  });
});

describe("an ask", () => {
  it("shows every character of the command, those that are not seen by number", () => {
    const text = render(<Thing request={{ ...ask("a"), normalized: shell("echo \u202Egnp.exe") }} />);
    expect(plain(text)).toContain("echo U+202E gnp.exe");
  });

  it("shows what the call is given besides, and nothing twice", () => {
    const normalized = { ...shell("make"), background: true, timeout_ms: 5000 };
    const input = { command: "make", description: "Build", run_in_background: true, timeout: 5000, dangerouslyDisableSandbox: true, constructor: 1 };
    expect(plain(render(<Thing request={{ ...ask("a"), says: "Build", normalized, input }} />))).toBe("$ make at most 5 s in the background dangerouslyDisableSandbox true constructor 1 Claude says: “Build”");
  });

  it("shows a command whole that is too long for its payload", () => {
    const command = `${"x".repeat(60_000)} && rm y && ${"z".repeat(60_000)}`;
    const normalized = { ...shell("xx … zz"), cuts: [{ field: "command", chars: command.length, lines: 1 }] };
    expect(render(<Thing request={{ ...ask("a"), normalized, input: { command } }} />)).toContain("&amp;&amp; rm y &amp;&amp;");
  });

  it("shows a replacement everywhere as one, and the passages of a change that was cut", () => {
    const edit = (cut: boolean): ModifyFile => ({ kind: "modify_file", file_path: "a", mutations: [{ type: "patch", content: "two", old_content: cut ? "o…" : "one", diff: "", hunks: [], start_line: null, everywhere: true }], added: 1, removed: 1, error: null, cuts: [], renderer: "tool_edit" });
    const drawnWith = (cut: boolean) => plain(render(<Thing request={{ ...ask("a"), normalized: edit(cut), input: { file_path: "a", old_string: "one", new_string: "two", replace_all: true } }} />));
    expect([drawnWith(false), drawnWith(true)]).toEqual(["a edit +1 −1 replace_all true", "a edit +1 −1 old_string one replace_all true"]);
  });

  it("underlines grave spans by characters, as Python counts them", () => {
    const command = "echo 😀 && rm x";
    const request = { ...ask("a"), normalized: shell(command), marks: [{ mark: "delete", grave: true, start: 10, end: 14 }] };
    expect(render(<Thing request={request} />)).toContain('<span class="bs-risky">rm x</span>');
  });
});

describe("a diff", () => {
  const change = (lines: string[]): ModifyFile => ({ kind: "modify_file", file_path: "a", mutations: [{ type: "patch", content: null, old_content: null, diff: "", hunks: [{ old_start: 4, old_lines: 2, new_start: 4, new_lines: 2, lines }], start_line: 4, everywhere: false }], added: 1, removed: 1, error: null, cuts: [], renderer: "tool_edit" });

  it("numbers both sides and marks the words that differ", () => {
    const lines = linesOf(change([" a", "-let one = 1", "+let two = 1"]));
    expect(lines.map(({ sign, old, new: after }) => [sign, old, after])).toEqual([[" ", 4, 4], ["-", 5, null], ["+", null, 5]]);
    expect(lines.map(({ text, mark }) => (mark === null ? null : text.slice(...mark)))).toEqual([null, "one", "two"]);
  });
});

describe("words", () => {
  it("of money, time and tokens", () => {
    expect([money(1.836), money(0.0003), money(0), money(null)]).toEqual(["$1.84", "<$0.01", "$0.00", "—"]);
    expect([duration(900), duration(14_000), duration(134_000), duration(10_920_000)]).toEqual(["0.9 s", "14 s", "2 m 14 s", "3 h 02 m"]);
    expect([tokens(999), tokens(9400), tokens(168_000)]).toEqual(["999", "9.4k", "168k"]);
  });

  it("leave plain text whole", () => {
    expect(exact("ls -la\n\tü😀")).toEqual(["ls -la\n\tü😀"]);
  });
});

describe("output", () => {
  it("has colours as classes, and no control sequence", () => {
    expect(spans("\u001B[1;31mno\u001B[0m ok\u001B[2K\u001B]0;title\u0007!")).toEqual([{ text: "no", tone: "bad is-bold" }, { text: " ok", tone: "" }, { text: "!", tone: "" }]);
  });

  it("of a progress bar is its last state", () => {
    expect(spans("10 %\r20 %\r100 %\ndone").map(({ text }) => text)).toEqual(["100 %\ndone"]);
  });
});

it("Markdown is parsed up to the block that still grows, and never within a fence", () => {
  expect([blockEnd("a\n\nb"), blockEnd("a"), blockEnd("a\n\n```\nb\n\nc")]).toEqual([3, 0, 3]);
});

it("sessions that wait come first, the oldest of them first", () => {
  const facts = (id: string, status: string, since: number) => ({ id, status, since, updated_at: since }) as never;
  const found = groups([facts("a", "idle", 9), facts("b", "waiting", 5), facts("c", "waiting", 3), facts("d", "lost", 1)]);
  expect(found.map(([name, all]) => [name, all.map((one) => one.id)])).toEqual([["Waiting for you", ["c", "b"]], ["Idle", ["a"]], ["Ended", ["d"]]]);
});
