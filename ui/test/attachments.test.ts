// What goes with a prompt, from the file to the command.

import { expect, it } from "vitest";
import { prompt, reduced } from "../src/actions";
import { ALL_BYTES, type Attached, carried, fitted, placed } from "../src/attachments";
import { answered, BEGIN, type State } from "../src/state";

const ready = (id: string, bytes = 3): Attached => ({ id, name: `${id}.png`, is: "ready", as: "block", bytes, data: "QUJD", scaled: true, picture: null });
const reading = (id: string): Attached => ({ id, name: `${id}.png`, is: "reading" });

it("a picture keeps its proportions, and a small one its size", () => {
  expect([fitted(3136, 1000), fitted(1000, 4000), fitted(1568, 20), fitted(100_000, 1)]).toEqual([[1568, 500], [392, 1568], [1568, 20], [1568, 1]]);
});

it("one that was taken away while it was read stays away", () => {
  expect(placed([reading("a")], ready("b"))).toEqual([reading("a")]);
  expect(placed([reading("a"), reading("b")], ready("a"))).toEqual([ready("a"), reading("b")]);
});

it("what finds no room beside the others is refused, and does not go", () => {
  const list = placed([ready("a", ALL_BYTES), reading("b")], ready("b", 1));
  expect(list.map(({ is }) => is)).toEqual(["ready", "refused"]);
  expect(carried(list)).toEqual([{ name: "a.png", data: "QUJD", as: "block" }]);
});

it("goes with its prompt, once; another prompt leaves it and the draft where they are", () => {
  const attached = reduced(reduced(BEGIN, { do: "attach", session: "s", files: [{ id: "a", file: new File([], "a.png") }] }), { do: "attached", session: "s", one: ready("a") });
  const drafted = reduced(attached, { do: "draft", session: "s", text: "Look" });
  const other = reduced(drafted, { do: "send", command: prompt("s", "From the queue", "queue") });
  expect([other.drafts["s"], other.attached["s"]]).toEqual(["Look", [ready("a")]]);
  const said = reduced(drafted, { do: "send", command: prompt("s", "Look", "steer", carried([ready("a")])) });
  expect([said.drafts["s"], said.attached["s"], Object.values(said.sent)[0]?.command]).toMatchObject(["", [], { attachments: [{ name: "a.png" }] }]);
});

it("a prompt that was refused stands where it was written, unless something else does", () => {
  const command = prompt("s", "Look", "queue");
  const sent = reduced(reduced(BEGIN, { do: "draft", session: "s", text: "Look" }), { do: "send", command });
  const refused = (state: State) => answered(state, command.command_id, { receipt: "refused", reason: "100 wait" }, null).drafts["s"];
  expect([sent.drafts["s"], refused(sent), refused(reduced(sent, { do: "draft", session: "s", text: "More" }))]).toEqual(["", "Look", "More"]);
});
