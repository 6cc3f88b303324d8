// A button that copies what a thing was made of, never what was drawn of it.

import { useState } from "preact/hooks";
import { Icon } from "./icons";

export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [told, setTold] = useState<"done" | "failed" | null>(null);
  const onClick = (event: MouseEvent) => {
    event.stopPropagation();
    void copied(text).then((done) => setTold(done ? "done" : "failed"));
  };
  const label = told === null ? `Copy ${what}` : told === "done" ? "Copied" : "The browser does not let this page copy";
  return (
    <button type="button" class="bs-copy" aria-label={label} title={label} onClick={onClick} onBlur={() => setTold(null)} onMouseLeave={() => setTold(null)}>
      <Icon name={told === "done" ? "check" : told === "failed" ? "warn" : "copy"} />
    </button>
  );
}

/** Over plain http there is no clipboard but the old one, which takes what is selected. */
async function copied(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text).then(() => true, () => selected(text));
  return selected(text);
}

function selected(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "bs-sr";
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  const before = document.activeElement;
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return done;
}
