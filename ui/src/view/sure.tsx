// A button that does it on the second press.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface SureProps {
  readonly class: string;
  readonly sure: string;
  readonly does: () => void;
  readonly children: ComponentChildren;
}

export function Sure({ class: look, sure, does, children }: SureProps) {
  const [asked, setAsked] = useState(false);
  const pressed = () => {
    setAsked(!asked);
    if (asked) does();
  };
  return (
    <button type="button" class={`${look} bad ${asked ? "is-asking" : ""}`} onClick={pressed} onBlur={() => setAsked(false)}>
      {asked ? sure : children}
    </button>
  );
}
