// The states of a pane that has nothing to show yet, or no more.

import { Icon } from "./icons";

/** Nothing at first, then still bars: most answers are quicker than an eye. The delay is the style sheet's. */
export function Loading() {
  return (
    <div class="bs-loading" aria-busy="true" aria-label="Loading">
      {[72, 48, 60, 30].map((width) => <span key={width} class={`bs-bone is-${width}`} />)}
    </div>
  );
}

interface FailedProps {
  readonly what: string;
  readonly why: string | null;
  readonly again: () => void;
}

export function Failed({ what, why, again }: FailedProps) {
  return (
    <div class="bs-empty" role="alert">
      <Icon name="warn" tone="bad" />
      <h2>{what}</h2>
      <p>{why ?? "The hub did not say why."} Nothing is lost: the recording is the hub's.</p>
      <button type="button" class="bs-btn" onClick={again}>Try again</button>
    </div>
  );
}
