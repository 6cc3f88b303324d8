// Where a remark on a line is written; Escape leaves it unwritten.

import { useState } from "preact/hooks";

export function RemarkForm({ done }: { readonly done: (text: string) => void }) {
  const [text, setText] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    done(text.trim());
  };
  return (
    <form class="bs-remark" onSubmit={submit}>
      <input class="bs-input" aria-label="Comment" placeholder="What should be different here" ref={(field) => field?.focus()} value={text} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={(event) => event.key === "Escape" && (event.stopPropagation(), done(""))} />
      <button type="submit" class="bs-btn is-s">Keep</button>
    </form>
  );
}
