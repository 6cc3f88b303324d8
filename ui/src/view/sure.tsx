// A button that does it on the second press.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface SureProps {
  readonly class: string;
  readonly sure: string;
  readonly does: () => void;
  readonly children: ComponentChildren;
}

/** A second press that comes sooner is a bounce, or a key that is held down. */
export const SURE_MS = 400;

export function Sure({ class: look, sure, does, children }: SureProps) {
  const [askedAt, setAskedAt] = useState<number | null>(null);
  const asked = askedAt !== null;
  const pressed = () => {
    if (askedAt === null) return setAskedAt(performance.now());
    if (performance.now() - askedAt < SURE_MS) return;
    setAskedAt(null);
    does();
  };
  return (
    <button type="button" class={`${look} bad ${asked ? "is-asking" : ""}`} onClick={pressed} onBlur={() => setAskedAt(null)}>
      {asked ? sure : children}
    </button>
  );
}
