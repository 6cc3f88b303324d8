// Why not, in the person's words; the model reads it.

import { useEffect, useRef, useState } from "preact/hooks";

interface ReasonProps {
  readonly label: string;
  readonly hint?: string;
  readonly decide: (reason: string | null) => void;
}

export function Reason({ label, hint = "Why not, or what to do instead (optional)", decide }: ReasonProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    decide(text.trim() === "" ? null : text.trim());
  };
  return (
    <form class="bs-panel is-line" onSubmit={submit}>
      <input ref={field} class="bs-input" aria-label={hint} placeholder={hint} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <button type="submit" class="bs-btn bad">{label}</button>
    </form>
  );
}
