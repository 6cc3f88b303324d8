// Colours of code: a chunk of its own, loaded when code is first shown, and each language when it is first met.

import type { LanguageFn } from "highlight.js";
import { createLowlight } from "lowlight";

/** A piece of a line, and the class that colours it; empty: none. */
export interface Piece {
  readonly text: string;
  readonly tone: string;
}

type Node = ReturnType<ReturnType<typeof createLowlight>["highlight"]>["children"][number];
type Load = () => Promise<{ default: LanguageFn }>;

const LOADS: Readonly<Record<string, Load>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  elixir: () => import("highlight.js/lib/languages/elixir"),
  go: () => import("highlight.js/lib/languages/go"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  php: () => import("highlight.js/lib/languages/php"),
  powershell: () => import("highlight.js/lib/languages/powershell"),
  protobuf: () => import("highlight.js/lib/languages/protobuf"),
  python: () => import("highlight.js/lib/languages/python"),
  r: () => import("highlight.js/lib/languages/r"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scss: () => import("highlight.js/lib/languages/scss"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

/** What a fence or the end of a file's name says, where that is not the language's own name. */
const ALIASES: Readonly<Record<string, string>> = {
  cc: "cpp", cjs: "javascript", console: "bash", cs: "csharp", cts: "typescript", cxx: "cpp", ex: "elixir", exs: "elixir",
  golang: "go", gql: "graphql", h: "c", hpp: "cpp", htm: "xml", html: "xml", js: "javascript", jsonc: "json",
  jsonl: "json", jsx: "javascript", kt: "kotlin", kts: "kotlin", md: "markdown", mjs: "javascript", mk: "makefile",
  mts: "typescript", patch: "diff", proto: "protobuf", ps1: "powershell", py: "python", pyi: "python", rb: "ruby",
  rs: "rust", sh: "bash", shell: "bash", svelte: "xml", svg: "xml", toml: "ini", ts: "typescript", tsx: "typescript",
  vue: "xml", yml: "yaml", zsh: "bash",
};

const TONES: readonly (readonly [RegExp, string])[] = [
  [/^(?:comment|quote|meta)/u, "is-com"],
  [/^(?:string|regexp|addition|char)/u, "is-str"],
  [/^(?:number|literal|symbol|variable|template-variable)/u, "is-num"],
  [/^(?:title|function|section|attr|property)/u, "is-fn"],
  [/^(?:keyword|built_in|type|selector-pseudo|doctag)/u, "is-key"],
  [/^(?:tag|name|selector|deletion|bullet)/u, "is-tag"],
];

const lowlight = createLowlight();

/** The lines of `text` in pieces; null: nobody here knows that language. */
export async function coloured(text: string, name: string): Promise<readonly (readonly Piece[])[] | null> {
  const language = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  const load = language !== undefined && Object.hasOwn(LOADS, language) ? LOADS[language] : undefined;
  if (language === undefined || load === undefined) return null;
  if (!lowlight.registered(language)) lowlight.register(language, (await load()).default);
  const lines: Piece[][] = [[]];
  for (const node of lowlight.highlight(language, text).children) flat(node, "", lines);
  return lines;
}

function flat(node: Node, tone: string, lines: Piece[][]): void {
  if (node.type === "element") {
    const inner = toneOf(node.properties["className"]) || tone;
    for (const child of node.children) flat(child, inner, lines);
  } else if (node.type === "text") {
    for (const [at, part] of node.value.split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, tone });
    }
  }
}

function toneOf(classes: unknown): string {
  const scope = Array.isArray(classes) ? String(classes[0]).replace("hljs-", "") : "";
  return TONES.find(([scopes]) => scopes.test(scope))?.[1] ?? "";
}
