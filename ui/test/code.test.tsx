// @vitest-environment happy-dom
// Code and changes as they are read: pieces, pairs, what stays closed, what a document becomes.

import { render } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { coloured } from "../src/view/colouring";
import { languageOf, Pieces } from "../src/view/code";
import { linesOfDiff, patchOf, textOf } from "../src/view/diff";
import { blocksOf } from "../src/view/markdown";
import { closedBy, pairsOf } from "../src/view/pairs";

const DIFF = `diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1,3 +1,4 @@
 import os
-print("old")
+print("new")
+print("more")
 # end
@@ -9 +10 @@
-x = 1
+x = 2
`;

describe("colours", () => {
  it("keep every character, line by line", async () => {
    const text = 'def f():\n    """Two\n    lines."""\n    return "x"  # why\n';
    const lines = await coloured(text, "py");
    expect(lines?.map((line) => line.map((piece) => piece.text).join("")).join("\n")).toBe(text);
    expect(lines?.[0]?.find((piece) => piece.text === "def")?.tone).toBe("is-key");
    expect(lines?.[2]?.[0]?.tone).toBe("is-str");
    expect(lines?.[3]?.at(-1)).toEqual({ text: "# why", tone: "is-com" });
  });

  it.each(["brainfuck", "", "constructor", "__proto__"])("of %j are none", async (name) => {
    expect(await coloured("x", name)).toBeNull();
  });

  it("go by the end of a file's name, or by all of it", () => {
    expect(["src/a.test.ts", "Dockerfile", "/x/Makefile", "a.PY"].map(languageOf)).toEqual(["ts", "dockerfile", "makefile", "py"]);
  });

  it("stay, where a word is marked and a character is not seen", () => {
    const pieces = [{ text: "ab", tone: "is-key" }, { text: "c\u202Ed", tone: "" }];
    expect(render(<Pieces pieces={pieces} mark={[1, 3]} />)).toBe(
      '<span class="is-key">a<mark>b</mark></span><span class><mark>c</mark><span class="bs-hidden" title="A character that is not seen">U+202E</span>d</span>',
    );
  });
});

describe("a change", () => {
  const lines = linesOfDiff(DIFF);

  it("of git's is read without its head", () => {
    expect(lines.map((line) => line.sign).join("")).toBe(" -++ @-+");
    expect(lines.at(-1)).toMatchObject({ old: null, new: 10, text: "x = 2" });
    expect(patchOf(lines).split("\n")[1]).toBe('-print("old")');
  });

  it("has a text on each side", () => {
    expect(textOf(lines, "-").split("\n")).toEqual(["import os", 'print("old")', "# end", "", "x = 1"]);
    expect(textOf(lines, "+").split("\n")).toHaveLength(6);
  });

  it("pairs what went with what came", () => {
    const sides = pairsOf(lines).map((pair) => [pair.old?.text ?? null, pair.new?.text ?? null]);
    expect(sides).toEqual([["import os", "import os"], ['print("old")', 'print("new")'], [null, 'print("more")'], ["# end", "# end"], ["", ""], ["x = 1", "x = 2"]]);
  });

  it("stays closed where a program wrote it, or where it is long", () => {
    expect(closedBy("web/package-lock.json", 3)).toBe("written by a program");
    expect(closedBy("src/a.ts", 1001)).toBe("long");
    expect(closedBy("src/lock.ts", 1000)).toBeNull();
  });
});

describe("a document", () => {
  it("is code and HTML in order", () => {
    const blocks = blocksOf("One\n\n```ts title\nlet a;\n```\n\nTwo **bold** <b>x</b>");
    expect(blocks.map((block) => ("code" in block ? [block.language, block.code] : "html"))).toEqual(["html", ["ts", "let a;"], "html"]);
    expect(blocks[2]).toMatchObject({ html: expect.stringContaining("Two <strong>bold</strong> &lt;b&gt;x&lt;/b&gt;") });
  });
});
