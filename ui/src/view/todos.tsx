// The to-do list: all of it, and in a line.

import type { TodoItem } from "../protocol.gen";
import { Icon } from "./icons";

const ICONS = { completed: "check", in_progress: "ring", pending: "idle", cancelled: "close" } as const;
const WORDS = { completed: "done", in_progress: "being done", pending: "to do", cancelled: "dropped" } as const;

export function TodoList({ items }: { readonly items: readonly TodoItem[] }) {
  return (
    <ul class="bs-todos">
      {items.map((item) => (
        <li key={item.id} class={`is-${item.status}`}>
          <Icon name={ICONS[item.status]} tone={item.status === "completed" ? "good" : item.status === "in_progress" ? "run" : "dim"} />
          <span class="bs-sr">{WORDS[item.status]}: </span>
          <span>{item.description}</span>
        </li>
      ))}
    </ul>
  );
}
