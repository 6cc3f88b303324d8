// The keyboard: a key presses the button that bears it, in the dialog that is open or else on the page. Letters act only
// while no text is written.

import type { Act } from "./actions";
import type { State } from "./state";

const GO = { s: "sessions", i: "inbox" } as const;
const GO_MS = 1000;

export function listen(page: Document, stateOf: () => State, act: Act, stop: () => void): void {
  let wentAt = -GO_MS;
  page.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "Escape") return escaped(page, stateOf(), stop);
    if (isWriting(page.activeElement)) return;
    const to = GO[event.key as keyof typeof GO];
    if (event.timeStamp - wentAt < GO_MS && to !== undefined) {
      wentAt = -GO_MS;
      return act({ do: "go", route: { at: to } });
    }
    if (event.key === "g") wentAt = event.timeStamp;
    else if (event.key === "j" || event.key === "k") moved(page, event.key === "j" ? 1 : -1);
    else if (event.key !== "Enter" || page.activeElement === page.body) pressed(page, event);
    return undefined;
  });
}

const isWriting = (at: Element | null): boolean => at instanceof HTMLElement && (at.isContentEditable || at.matches("textarea, select, input:not([type=radio], [type=checkbox])"));

function pressed(page: Document, event: KeyboardEvent): void {
  const scope = page.querySelector("dialog[open]") ?? page.activeElement?.closest("[data-ask]") ?? page;
  const named = `[data-keys="${CSS.escape(event.key)}"]`;
  const it = scope.querySelector<HTMLElement>(named) ?? page.querySelector<HTMLElement>(named);
  if (it === null) return;
  event.preventDefault();
  if (isOneOfMany(page, it)) it.closest("[data-ask]")?.querySelector<HTMLElement>("h2")?.focus();
  else if (it.matches("input, textarea")) it.focus();
  else it.click();
}

/** Of several asks a key means the one that has the focus: without it, the first press only goes to the first of them. */
function isOneOfMany(page: Document, it: HTMLElement): boolean {
  const ask = it.closest("[data-ask]");
  return ask !== null && !ask.contains(page.activeElement) && page.querySelectorAll("[data-ask]").length > 1;
}

/** Out of a field to the ask, if there is one; twice, with nothing to leave, it stops the turn. */
function escaped(page: Document, state: State, stop: () => void): void {
  const at = page.activeElement;
  if (isWriting(at) && at instanceof HTMLElement) {
    at.blur();
    page.querySelector<HTMLElement>("[data-ask] h2")?.focus();
  } else if (page.querySelector("dialog[open]") === null && state.pane !== null && state.pane.view.running !== 0) stop();
}

function moved(page: Document, by: 1 | -1): void {
  const rows = [...page.querySelectorAll<HTMLElement>("[data-row], .bs-item")];
  const at = rows.indexOf(page.activeElement as HTMLElement);
  rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
}
