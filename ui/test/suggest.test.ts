// What is offered while a word is written, and what becomes of the text.

import { expect, it } from "vitest";
import { type Offer, offersFor, taken, type Token, tokenAt } from "../src/suggest";

const commands = ["compact", "review", "pr-review"].map((name) => ({ name, description: `Does ${name}`, argument_hint: name === "review" ? "[pr]" : "" }));
const token = (text: string, caret = text.length): Token => tokenAt(text, caret) ?? expect.fail(`nothing at ${caret} of ${text}`);
const names = (offers: readonly Offer[]) => offers.map(({ name }) => name);

it("a command stands at the beginning only, a file wherever a word begins", () => {
  expect(tokenAt("/rev", 4)).toEqual({ kind: "command", from: 0, to: 4, text: "rev" });
  expect(tokenAt("see @src/o", 10)).toEqual({ kind: "file", from: 4, to: 10, text: "src/o" });
  expect(["a /rev", "/rev x", "anna@box", "see @a b", ""].map((text) => tokenAt(text, text.length))).toEqual([null, null, null, null, null]);
});

it("is of the word before the caret, not of what follows it", () => {
  expect(token("@src and more", 2)).toEqual({ kind: "file", from: 0, to: 2, text: "s" });
});

it("commands that begin so come before those that hold it", () => {
  expect(names(offersFor(token("/REV"), commands, null))).toEqual(["/review [pr]", "/pr-review"]);
  expect(offersFor(token("/nothing"), commands, null)).toEqual([]);
});

it("files that were found for fewer letters are held against the rest", () => {
  const found = { session: "s", beginning: "src", paths: ["src/outbox.py", "src/audit.py", "src/lib/"] };
  expect(names(offersFor(token("@src/o"), [], found))).toEqual(["src/outbox.py"]);
  expect([offersFor(token("@x"), [], null), offersFor(null, [], found)]).toEqual([[], []]);
});

it("takes the token's place, with a blank behind it and never two", () => {
  const [file, folder] = offersFor(token("@"), [], { session: "s", beginning: "", paths: ["a.py", "lib/"] });
  if (file === undefined || folder === undefined) return expect.fail("both are offered");
  expect(taken("see @a now", token("see @a now", 6), file)).toEqual({ text: "see @a.py now", caret: 9 });
  expect(taken("@a", token("@a"), file)).toEqual({ text: "@a.py ", caret: 6 });
  expect(taken("@l", token("@l"), folder)).toEqual({ text: "@lib/", caret: 5 });
});
