// What the model writes, as a document. The one place where HTML is set: marked makes it, DOMPurify leaves of it what
// cannot act, load or style. Blocks of code are no HTML: they are drawn as code is everywhere.

import DOMPurify from "dompurify";
import { Marked, type Token } from "marked";
import { CodeBlock } from "./code";

const ALLOWED = "p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong del a table thead tbody tr th td input".split(" ");

/** A link that opens a page or writes a letter, or leads to a place by its path; an entity could spell another scheme. */
const LEADS = /^(?:https?:|mailto:|[^:&/?#]*(?:[/?#]|$))/iu;
const leads = (href: string): boolean => LEADS.test(href.replaceAll(/[\p{Cc}\s]/gu, ""));

/** HTML that the model writes is text, shown as it stands; a picture is its name, since to load it would tell of it. What
 * acts is not made in the first place; DOMPurify is the second wall. */
const MARKED = new Marked({
  gfm: true,
  async: false,
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ text, href }) => escaped(text || href),
    link({ href, tokens }) {
      return leads(href) ? false : this.parser.parseInline(tokens);
    },
  },
});

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

type Block = { readonly html: string } | { readonly code: string; readonly language: string };

const clean = (made: string): string => DOMPurify.sanitize(made, { ALLOWED_TAGS: ALLOWED, ALLOWED_ATTR: ["href", "start", "title", "align", "type", "checked", "disabled"] });

/** The document in order: code that stands by itself, and HTML of all that is between. */
export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let between: Token[] = [];
  const flush = () => {
    if (between.length > 0) blocks.push({ html: clean(MARKED.parser(between)) });
    between = [];
  };
  for (const token of MARKED.lexer(text)) {
    if (token.type !== "code") {
      between.push(token);
      continue;
    }
    flush();
    blocks.push({ code: String(token["text"]), language: /^[\w+#.-]*/u.exec(String(token["lang"] ?? ""))?.[0].toLowerCase() ?? "" });
  }
  flush();
  return blocks;
}

/** The parts of a document that can be pointed at, each with the line of its source that it begins in: blocks, and the
 * entries of lists. */
export function partsOf(text: string): readonly { readonly line: number; readonly source: string }[] {
  const parts: { line: number; source: string }[] = [];
  let line = 1;
  for (const token of MARKED.lexer(text)) {
    const raws = token.type === "list" ? (token["items"] as readonly Token[]).map((item) => item.raw) : [token.raw];
    let at = line;
    for (const raw of raws) {
      if (token.type !== "space") parts.push({ line: at, source: raw.trimEnd() });
      at += lines(raw);
    }
    line += lines(token.raw);
  }
  return parts;
}

const lines = (raw: string): number => raw.split("\n").length - 1;

const KEPT = new Map<string, readonly Block[]>();
const KEPT_MOST = 500;

/** Parsing costs: what scrolls back into view is not parsed again. */
function known(text: string): readonly Block[] {
  const found = KEPT.get(text);
  if (found !== undefined) return found;
  const made = blocksOf(text);
  if (KEPT.size >= KEPT_MOST) KEPT.delete(KEPT.keys().next().value ?? "");
  KEPT.set(text, made);
  return made;
}

export function Markdown({ text }: { readonly text: string }) {
  return (
    <div class="bs-prose">
      {known(text).map((block, at) =>
        "code" in block ? <CodeBlock key={at} text={block.code} language={block.language} /> : <div key={at} class="bs-blocks" dangerouslySetInnerHTML={{ __html: block.html }} />,
      )}
    </div>
  );
}

/** Text that grows: whole blocks are a document already, the last one is a plain text node until it ends. */
export function Growing({ text }: { readonly text: string }) {
  const cut = blockEnd(text);
  return (
    <div class="bs-growing">
      {cut > 0 && <Markdown text={text.slice(0, cut)} />}
      <p class="bs-tail">
        {text.slice(cut)}
        <span class="bs-caret" />
      </p>
    </div>
  );
}

/** Where the last block begins; a fence that is open is not cut. */
export function blockEnd(text: string): number {
  let end = 0;
  let fenced = false;
  let at = 0;
  for (const line of text.split("\n")) {
    if (/^\s*(?:```|~~~)/u.test(line)) fenced = !fenced;
    at += line.length + 1;
    if (!fenced && line.trim() === "" && at <= text.length) end = at;
  }
  return end;
}
