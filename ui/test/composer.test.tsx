// @vitest-environment happy-dom
// What the composer says of modes, models, the context and the list of things to do.

import { render } from "preact-render-to-string";
import { expect, it } from "vitest";
import { EMPTY } from "../src/fold";
import type { HubCommand, SessionFacts, TodoItem } from "../src/protocol.gen";
import { answered, BEGIN, modelsOf } from "../src/state";
import { reduced } from "../src/actions";
import { ModelMenu, ModeMenu, wantedOf } from "../src/view/modes";
import { Meter, TodoStrip } from "../src/view/progress";

const plain = (html: string): string => html.replaceAll(/<[^>]*>/gu, " ").replaceAll(/\s+/gu, " ").trim();
const facts = (more: Partial<SessionFacts>) => ({ policy: "supervised", mode: null, model: null, ...more }) as SessionFacts;
const props = { session: "s", view: { ...EMPTY, resting: "idle" as const, mode: "plan", model: "opus" }, facts: facts({}), sent: {}, owns: true, act: () => undefined };
const mode = (to: string): HubCommand => ({ type: "set_mode", command_id: to, session: "s", mode: to });

it("a mode that was asked for is told as wanted until the hub has answered", () => {
  const asked = reduced(BEGIN, { do: "send", command: mode("acceptEdits") });
  expect(plain(render(<ModeMenu {...props} sent={asked.sent} />))).toBe("Accept edits …");
  const taken = answered(asked, "acceptEdits", { receipt: "taken" }, null);
  expect([wantedOf(taken.sent, "s", "set_mode"), wantedOf(asked.sent, "t", "set_mode")]).toEqual([null, null]);
  expect(plain(render(<ModeMenu {...props} sent={taken.sent} />))).toBe("Plan");
});

it("what holds is told by the process, and while there is none by the hub", () => {
  const asleep = { ...props, facts: facts({ mode: "default", model: "haiku" }) };
  expect(plain(render(<ModeMenu {...asleep} />))).toBe("Plan");
  const view = { ...props.view, resting: "asleep" as const };
  expect(plain(render(<ModeMenu {...asleep} view={view} />))).toBe("Supervised");
  expect(plain(render(<ModelMenu {...asleep} view={view} models={[]} />))).toBe("haiku");
});

it("bypass is red", () => {
  const view = { ...props.view, mode: "bypassPermissions" };
  expect(render(<ModeMenu {...props} view={view} />)).toContain('class="bs-pick is-button bad"');
});

it("models in use are each named once", () => {
  expect(modelsOf([facts({ model: "opus" }), facts({ model: null }), facts({ model: "opus" }), facts({ model: "haiku" })])).toEqual(["haiku", "opus"]);
});

it("a context that is nearly full says what makes room", () => {
  const drawn = (used: number) => render(<Meter context={{ used, size: 200_000, remaining: null }} />);
  expect([drawn(122_000).includes("/compact"), drawn(180_000).includes("/compact")]).toEqual([false, true]);
  expect(plain(render(<Meter context={{ used: 900, size: null, remaining: null }} />))).toBe("900 tokens of context");
});

it("the list of things to do is a line until all is done; what was dropped does not count", () => {
  const item = (status: TodoItem["status"], id: string): TodoItem => ({ id, status, description: `Write ${id}`, active_form: `Writing ${id}` });
  const items = [item("completed", "a"), item("in_progress", "tests"), item("cancelled", "c"), item("pending", "d")];
  expect(plain(render(<TodoStrip items={items} />))).toBe("1/3 · Writing tests");
  expect(render(<TodoStrip items={[item("completed", "a"), item("cancelled", "c")]} />)).toBe("");
});
