// A row that opens.

import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icons";

interface OpeningProps {
  readonly icon: IconName;
  readonly tone?: string;
  readonly open: boolean;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

export function Opening({ icon, tone = "dim", open, onClick, children }: OpeningProps) {
  return (
    <button type="button" class="bs-row" aria-expanded={open} onClick={onClick}>
      <Icon name={icon} tone={tone} />
      {children}
      <Icon name={open ? "down" : "right"} tone="dim bs-chevron" />
    </button>
  );
}
