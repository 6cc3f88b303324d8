// A button that opens what can be done, or chosen: by pointer, by arrows, by first letter. On a phone it is a sheet.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons";
import { SURE_MS } from "./sure";

export interface Choice {
  readonly name: string;
  /** Null: not now, and `about` says why. */
  readonly does: (() => void) | null;
  readonly about?: string;
  readonly icon?: IconName;
  readonly tone?: string;
  /** Of those that exclude each other: whether it is the chosen one. */
  readonly on?: boolean;
  /** What it asks before it is done, on its second press. */
  readonly sure?: string;
}

interface MenuProps {
  readonly label: string;
  readonly choices: readonly (Choice | null)[];
  readonly class?: string;
  readonly opens?: "up" | "down";
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
  /** Below the choices; it has its own keys. */
  readonly more?: (close: () => void) => ComponentChildren;
}

export function Menu({ label, choices, class: look = "", opens = "up", disabled = false, children, more }: MenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (open) (root.current?.querySelector<HTMLElement>("[aria-checked=true]") ?? itemsOf(root.current)[0])?.focus();
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    event.stopPropagation();
    if (event.key === "Escape") close();
    else if (event.key === "Tab") setOpen(false);
    else if (moved(itemsOf(root.current), event)) event.preventDefault();
  };
  const onFocusOut = (event: FocusEvent) => root.current?.contains(event.relatedTarget as Node | null) !== true && setOpen(false);
  return (
    <span ref={root} class="bs-menu" role="presentation" onKeyDown={onKeyDown} onFocusOut={onFocusOut}>
      <button ref={button} type="button" class={look} aria-label={label} aria-haspopup="menu" aria-expanded={open} disabled={disabled} onClick={() => setOpen(!open)}>
        {children}
      </button>
      {open && (
        <div class={`bs-pop is-${opens}`} tabIndex={-1}>
          <div role="menu" aria-label={label}>
            {choices.map((one, at) => (one === null ? <hr key={at} /> : <Item key={one.name} {...one} close={close} />))}
          </div>
          {more?.(close)}
        </div>
      )}
    </span>
  );
}

function Item({ name, does, about, icon, tone = "", on, sure, close }: Choice & { readonly close: () => void }) {
  const [askedAt, setAskedAt] = useState<number | null>(null);
  const asked = askedAt !== null;
  const chosen = () => {
    if (does === null) return;
    if (sure !== undefined && askedAt === null) return setAskedAt(performance.now());
    if (askedAt !== null && performance.now() - askedAt < SURE_MS) return;
    close();
    does();
  };
  return (
    <button type="button" class={`bs-choose ${tone} ${asked ? "is-sure" : ""}`} role={on === undefined ? "menuitem" : "menuitemradio"} aria-checked={on} aria-disabled={does === null} tabIndex={-1} onClick={chosen}>
      {icon !== undefined && <Icon name={icon} />}
      {on !== undefined && <span class="bs-tick">{on && <Icon name="check" />}</span>}
      <span>
        <b>{asked ? sure : name}</b>
        {about !== undefined && about !== "" && <small>{about}</small>}
      </span>
    </button>
  );
}

const itemsOf = (root: HTMLElement | null): HTMLElement[] => [...(root?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];

/** The focus goes where the key says; false: the key is none of a menu's, or is written into a field. */
function moved(items: readonly HTMLElement[], { key, target }: KeyboardEvent): boolean {
  const at = items.indexOf(target as HTMLElement);
  if (at < 0 && target instanceof HTMLInputElement) return false;
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[key] ?? lettered(items, at, key);
  if (next === null || items.length === 0) return false;
  items[(next + items.length) % items.length]?.focus();
  return true;
}

function lettered(items: readonly HTMLElement[], at: number, key: string): number | null {
  if (key.length !== 1 || key === " ") return null;
  const order = [...items.keys()].map((step) => (at + 1 + step) % items.length);
  return order.find((place) => items[place]?.textContent?.trim().toLowerCase().startsWith(key.toLowerCase())) ?? null;
}
