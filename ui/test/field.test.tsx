// @vitest-environment happy-dom
// Keys that come before the next frame mean what stands in the field.

import { render } from "preact";
import { expect, it, vi } from "vitest";
import type { Action } from "../src/actions";
import { EMPTY } from "../src/fold";
import { Composer } from "../src/view/composer";

const commands = [{ name: "review", description: "", argument_hint: "" }];

it("Enter sends what was typed since the offers were drawn", async () => {
  const told: Action[] = [];
  const root = document.createElement("div");
  document.body.append(root);
  const props = { session: "s", view: { ...EMPTY, commands }, facts: null, sent: {}, owns: true, act: (action: Action) => told.push(action), models: [], attached: [], files: null, asked: false, stopping: false, mayWrite: true };
  render(<Composer {...props} draft="/re" />, root);
  const field = root.querySelector("textarea") ?? expect.fail("there is a field");
  field.focus();
  field.setSelectionRange(3, 3);
  field.dispatchEvent(new Event("click", { bubbles: true }));
  await vi.waitFor(() => expect(root.querySelector("[role=option]")).not.toBeNull());
  field.value = "/review 12";
  field.setSelectionRange(10, 10);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  const last = told.at(-1);
  expect(last?.do === "send" && last.command.type === "prompt" && last.command.text).toBe("/review 12");
  expect(field.value).toBe("");
  root.remove();
});
