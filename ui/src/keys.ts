// The keyboard: a key presses the button that bears it. A dialog that is open has the keys for itself: nothing behind it
// hears them. Letters act only while no text is written, and not at all where a person has switched them off.

import { type Act, newId, trustEdits } from "./actions";
import type { State } from "./state";
import { groups } from "./view/list";

const GO = { s: "sessions", i: "inbox" } as const;
const GO_MS = 1000;

export function listen(page: Document, stateOf: () => State, act: Act, stop: () => void): void {
  let wentAt = -GO_MS;
  page.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.metaKey || event.ctrlKey || event.altKey) return chord(page, event, stateOf(), act);
    if (event.key === "Escape") return escaped(page, stateOf(), stop);
    if (isWriting(page.activeElement) || !stateOf().letters) return;
    const dialog = page.querySelector<HTMLElement>("dialog[open]");
    if (dialog !== null) return press(dialog.querySelector<HTMLElement>(bearing(event.key)), event);
    const to = GO[event.key as keyof typeof GO];
    if (event.timeStamp - wentAt < GO_MS && to !== undefined) {
      wentAt = -GO_MS;
      return act({ do: "go", route: { at: to } });
    }
    if (event.key === "g") wentAt = event.timeStamp;
    else if (event.key === "o") page.activeElement?.closest(".bs-cell")?.querySelector<HTMLElement>("[aria-expanded]")?.click();
    else if (event.key === "G") page.querySelector<HTMLElement>(".bs-scroll")?.scrollTo({ top: Number.MAX_SAFE_INTEGER });
    else if (event.key === "j" || event.key === "k") moved(page, event.key === "j" ? 1 : -1);
    else if (event.key !== "Enter" || page.activeElement === page.body) pressed(page, event);
    return undefined;
  });
}

const isWriting = (at: Element | null): boolean => at instanceof HTMLElement && (at.isContentEditable || at.matches("textarea, select, input:not([type=radio], [type=checkbox])"));

/** What is meant from anywhere, also while one writes: by the place of the key, since Alt makes other letters of it. */
function chord(page: Document, event: KeyboardEvent, state: State, act: Act): void {
  if (page.querySelector("dialog[open]") !== null) return;
  const isFind = (event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === "k";
  const isAlt = event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  const done = isFind ? find(act) : isAlt && alternative(event.code, state, act);
  if (done) event.preventDefault();
}

function find(act: Act): true {
  act({ do: "sheet", sheet: "find" });
  return true;
}

/** The first nine sessions in the order of the list; of the one in view, edits for a while, and planning. */
function alternative(code: string, { pane, sessions, me }: State, act: Act): boolean {
  const place = /^Digit([1-9])$/u.exec(code)?.[1];
  const to = place === undefined ? undefined : groups(sessions ?? []).flatMap(([, found]) => found)[Number(place) - 1];
  if (to !== undefined) act({ do: "go", route: { at: "session", id: to.id } });
  else if (code === "KeyA" && pane !== null && me?.role !== "viewer") act({ do: "send", command: trustEdits(pane.id) });
  else if (code === "KeyP" && pane !== null && me?.role === "owner") act({ do: "send", command: { type: "set_mode", command_id: newId(), session: pane.id, mode: "plan" } });
  else return false;
  return true;
}

const bearing = (key: string): string => `[data-keys="${CSS.escape(key)}"]`;

function press(it: HTMLElement | null, event: KeyboardEvent): void {
  if (it === null) return;
  event.preventDefault();
  it.click();
}

function pressed(page: Document, event: KeyboardEvent): void {
  const scope = page.activeElement?.closest("[data-ask]") ?? page;
  const it = scope.querySelector<HTMLElement>(bearing(event.key)) ?? page.querySelector<HTMLElement>(bearing(event.key));
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

/** Through the transcript, where there is one; else through the list. */
function moved(page: Document, by: 1 | -1): void {
  const cells = [...page.querySelectorAll<HTMLElement>(".bs-scroll .bs-cell")];
  if (cells.length === 0) return stepped([...page.querySelectorAll<HTMLElement>("[data-row], .bs-item")], page.activeElement, by)?.focus();
  const cell = stepped(cells, page.activeElement?.closest(".bs-cell") ?? null, by);
  const it = cell?.querySelector<HTMLElement>("button.bs-row") ?? cell;
  if (it == null) return;
  if (it === cell) it.tabIndex = -1;
  it.focus();
  it.scrollIntoView({ block: "nearest" });
}

/** From nowhere to what is in sight: the first of a list, the last of a transcript. */
function stepped(all: readonly HTMLElement[], at: Element | null, by: 1 | -1): HTMLElement | undefined {
  const place = all.indexOf(at as HTMLElement);
  if (place < 0) return all[0]?.matches(".bs-cell") === true ? all.at(-1) : all[0];
  return all[Math.max(0, Math.min(all.length - 1, place + by))];
}
