// @vitest-environment happy-dom
// Nothing that a model or a tool writes becomes more than a document: no script, no handler, no style, nothing that loads.

import { render } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { blocksOf } from "../src/view/markdown";
import { Thing } from "../src/view/ask/thing";
import { ask, shell } from "./events";

const WRITTEN = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)><script>alert(1)</script></svg>",
  "<iframe src=https://evil.example></iframe>",
  "<a href='javascript:alert(1)'>here</a>",
  "<style>body{display:none}</style>",
  "<form action=https://evil.example><input name=token></form>",
  "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
  "<div style='position:fixed;inset:0'>over everything</div>",
  "<base href=https://evil.example>",
  "<meta http-equiv=refresh content='0;url=https://evil.example'>",
  "[here](javascript:alert(1))",
  "[here](JaVaScRiPt:alert(1))",
  "[here](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "[here](vbscript:msgbox(1))",
  "[here](javascript&#58;alert(1))",
  "[here](javascript&colon;alert(1))",
  "[here](&#106;avascript:alert(1))",
  "[here](<java\tscript:alert(1)>)",
  "[here](<\u0001javascript:alert(1)>)",
  "<javascript:alert(1)>",
  "[here][r]\n\n[r]: javascript:alert(1)",
  "![pixel](https://evil.example/seen.png)",
  '[here](https://ok.example "x\\" onmouseover=alert(1)")',
  "`<img src=x onerror=alert(1)>`",
  "| a | <script>alert(1)</script> |\n|---|---|\n| b | <img src=x onerror=alert(1)> |",
  "- [ ] <script>alert(1)</script>",
];

/** What a browser would make of it. */
const made = (text: string): Element => {
  const place = document.createElement("div");
  place.innerHTML = blocksOf(text).map((block) => ("html" in block ? block.html : "")).join("");
  return place;
};

describe("what is written", () => {
  it.each(WRITTEN)("makes nothing that acts: %s", (text) => {
    const place = made(text);
    expect([...place.querySelectorAll("script, style, iframe, img, svg, math, form, base, meta, object, embed, link")]).toEqual([]);
    for (const element of place.querySelectorAll("*")) {
      expect(element.getAttributeNames().filter((name) => name.startsWith("on") || name === "style" || name === "src")).toEqual([]);
      expect(element.getAttribute("href") ?? "https:").toMatch(/^(https?:|mailto:|#|\/)/u);
    }
  });

  it("leads where a link leads", () => {
    const links = (text: string) => [...made(text).querySelectorAll("a")].map((link) => link.getAttribute("href"));
    expect(links("[a](https://a.example/x?y=1&z=2) [b](src/b.py#L3) [c](#d) <mailto:a@b.example>")).toEqual(["https://a.example/x?y=1&z=2", "src/b.py#L3", "#d", "mailto:a@b.example"]);
  });

  it("is still shown, so that one sees what was tried", () => {
    expect(made("<script>alert(1)</script>").textContent).toContain("<script>alert(1)</script>");
  });

  it("is text in what is asked", () => {
    const drawn = render(<Thing request={{ ...ask("p"), normalized: shell("echo '<img src=x onerror=alert(1)>'") }} />);
    expect(drawn).toContain("onerror");
    expect(drawn).not.toContain("<img");
  });
});
