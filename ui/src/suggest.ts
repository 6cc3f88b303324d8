// What the composer offers while a word is written: `/` commands at the beginning, `@` files anywhere. Pure.

import type { AvailableCommand } from "./protocol.gen";

export interface Token {
  readonly kind: "command" | "file";
  /** Where it stands, with its sign, up to the caret. */
  readonly from: number;
  readonly to: number;
  /** What is written of it, without its sign. */
  readonly text: string;
}

export interface Offer {
  readonly name: string;
  readonly about: string;
  /** What takes the token's place. */
  readonly insert: string;
}

/** Files that were found, and for which beginning. */
export interface FoundFiles {
  readonly session: string;
  readonly beginning: string;
  readonly paths: readonly string[];
}

const MOST = 50;

/** The word before the caret that something can be offered for. */
export function tokenAt(text: string, caret: number): Token | null {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/u.exec(before);
  if (command !== null) return { kind: "command", from: 0, to: caret, text: command[1] ?? "" };
  const file = /(?:^|\s)@([^\s@]*)$/u.exec(before);
  if (file === null) return null;
  const written = file[1] ?? "";
  return { kind: "file", from: caret - written.length - 1, to: caret, text: written };
}

export function offersFor(token: Token | null, commands: readonly AvailableCommand[], files: FoundFiles | null): readonly Offer[] {
  if (token === null) return [];
  return token.kind === "command" ? commandsLike(commands, token.text) : filesLike(files?.paths ?? [], token.text);
}

/** Those that begin so before those that hold it, each in the order in which they came. */
function commandsLike(commands: readonly AvailableCommand[], written: string): readonly Offer[] {
  const wanted = written.toLowerCase();
  const begins = commands.filter(({ name }) => name.toLowerCase().startsWith(wanted));
  const holds = commands.filter((one) => !begins.includes(one) && one.name.toLowerCase().includes(wanted));
  return [...begins, ...holds].slice(0, MOST).map(({ name, argument_hint, description }) => ({ name: [`/${name}`, argument_hint].filter(Boolean).join(" "), about: description, insert: `/${name} ` }));
}

/** What was found for fewer letters is held against those that came since. A folder is gone on with. */
function filesLike(paths: readonly string[], written: string): readonly Offer[] {
  const wanted = written.toLowerCase();
  const like = paths.filter((path) => path.toLowerCase().includes(wanted));
  return like.slice(0, MOST).map((path) => ({ name: path, about: "", insert: path.endsWith("/") ? `@${path}` : `@${path} ` }));
}

/** The text with the offer in the token's place, and where the caret is then. */
export function taken(text: string, token: Token, offer: Offer): { readonly text: string; readonly caret: number } {
  const rest = text.slice(token.to);
  const insert = rest.startsWith(" ") ? offer.insert.trimEnd() : offer.insert;
  return { text: text.slice(0, token.from) + insert + rest, caret: token.from + insert.length };
}
