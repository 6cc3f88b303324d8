// The icons: one path each on a grid of 16, drawn with a line of 1.5. Shape before colour: no two states share one.

import type { Status } from "../protocol.gen";

const PATHS = {
  list: "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
  inbox: "M2.5 9 4.3 3.3h7.4L13.5 9v3.5a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1zM2.5 9h3l1 1.8h3l1-1.8h3",
  money: "M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M10 5.8C9.6 5.2 8.9 5 8 5c-1.2 0-2 .6-2 1.5C6 8.6 10 7.5 10 9.6c0 .9-.9 1.5-2 1.5-.9 0-1.7-.3-2.1-.9M8 4v1M8 11v1",
  find: "M2.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0M10.4 10.4l3.3 3.3",
  plus: "M8 3v10M3 8h10",
  back: "M10 3.5 5.5 8l4.5 4.5",
  branch: "M2.9 3.8a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0M2.9 12.2a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0M9.9 5.3a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0M4.5 5.4v5.2M11.5 6.9c0 2.3-3.5 2.3-6.3 3.8",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  plan: "M4.5 2h7a1.5 1.5 0 0 1 1.5 1.5v9a1.5 1.5 0 0 1 -1.5 1.5h-7a1.5 1.5 0 0 1 -1.5 -1.5v-9a1.5 1.5 0 0 1 1.5 -1.5zM5.7 5.5h4.6M5.7 8h4.6M5.7 10.5h2.6",
  shield: "M8 1.8 13.4 4v4c0 3.2-2.2 5.3-5.4 6.3C4.8 13.3 2.6 11.2 2.6 8V4zM8 5.2v3.3M8 10.8v.1",
  question: "M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M6.3 6.4A1.75 1.75 0 1 1 8 8.7v.5M8 11.3v.1",
  ring: "M8 2.2a5.8 5.8 0 1 1-5.2 3.2",
  retry: "M13.5 8A5.5 5.5 0 1 1 11.7 3.9M13.3 1.8v2.7h-2.7",
  compact: "M8 1.8v4M5.9 3.9 8 6l2.1-2.1M8 14.2v-4M5.9 12.1 8 10l2.1 2.1M2.5 8h11",
  hourglass: "M4 2h8M4 14h8M5 2v2.5L8 8l3-3.5V2M5 14v-2.5L8 8l3 3.5V14",
  done: "M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M5.4 8.2l1.8 1.8 3.5-3.8",
  idle: "M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0",
  lost: "M6.5 4.5 8 3a3.2 3.2 0 0 1 4.8 4.5l-1.5 1.5M9.5 11.5 8 13a3.2 3.2 0 0 1-4.8-4.5L4.7 7M2.5 2.5l11 11",
  ended: "M5 3.5h6a1.5 1.5 0 0 1 1.5 1.5v6a1.5 1.5 0 0 1 -1.5 1.5h-6a1.5 1.5 0 0 1 -1.5 -1.5v-6a1.5 1.5 0 0 1 1.5 -1.5z",
  edit: "M9.8 3.3l2.9 2.9L5.9 13H3v-2.9zM8.3 4.8l2.9 2.9",
  down: "M3.5 6l4.5 4.5L12.5 6",
  file: "M9 2H4.5A1.5 1.5 0 0 0 3 3.5v9A1.5 1.5 0 0 0 4.5 14h7a1.5 1.5 0 0 0 1.5-1.5V6zM9 2v4h4",
  copy: "M7 5.5h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1 -1.5 1.5h-5a1.5 1.5 0 0 1 -1.5 -1.5v-5a1.5 1.5 0 0 1 1.5 -1.5zM3.5 10.5h-.2A.8.8 0 0 1 2.5 9.7V3.5a1 1 0 0 1 1-1h6.2a.8.8 0 0 1 .8.8v.2",
  shell: "M3 4.5l3.5 3.5L3 11.5M8.5 12H13",
  right: "M6 3.5l4.5 4.5L6 12.5",
  check: "M3.3 8.4l3 3 6.4-6.8",
  key: "M2.5 10.7a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0 -5.6 0M7.4 8.6l5.8-5.8M11 5l1.8 1.8",
  stack: "M8 2 2 5.2l6 3.2 6-3.2zM2.5 8.5 8 11.4l5.5-2.9M2.5 11.3 8 14.2l5.5-2.9",
  up: "M3.5 10l4.5-4.5 4.5 4.5",
  stop: "M5.5 4h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1 -1.5 1.5h-5a1.5 1.5 0 0 1 -1.5 -1.5v-5a1.5 1.5 0 0 1 1.5 -1.5z",
  bulb: "M5 10.5a4 4 0 1 1 6 0c-.6.6-.8 1-.8 1.8H5.8c0-.8-.2-1.2-.8-1.8zM6.3 14.3h3.4",
  newfile: "M9 2H4.5A1.5 1.5 0 0 0 3 3.5v9A1.5 1.5 0 0 0 4.5 14h7a1.5 1.5 0 0 0 1.5-1.5V6zM9 2v4h4M8 8v4M6 10h4",
  globe: "M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M2 8h12M8 2c2 1.8 2.6 3.8 2.6 6S10 12.2 8 14M8 2C6 3.8 5.4 5.8 5.4 8S6 12.2 8 14",
  plug: "M6 2v3M10 2v3M4 5h8v2.5a4 4 0 0 1-8 0zM8 11.5V14",
  todo: "M2.5 4.5l1.2 1.2 2-2.2M2.5 11l1.2 1.2 2-2.2M8.5 4.8h5M8.5 11.3h5",
  no: "M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M3.8 3.8l8.4 8.4",
  gear: "M6 8a2 2 0 1 0 4 0a2 2 0 1 0 -4 0M8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4",
  clock: "M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M8 4.8V8l2.2 1.5",
  warn: "M8 2.2 14.3 13H1.7zM8 6.5v3M8 11.2v.1",
  away: "M2 2l12 12M3 6.5a8 8 0 0 1 2-1.3M6.8 4.5A8 8 0 0 1 13 6.5M5.2 9a4.5 4.5 0 0 1 1.6-1M8 12v.1",
  trust: "M9 1.8 3.5 9H8l-1 5.2L12.5 7H8z",
  clip: "M13 7.3 7.7 12.6a3 3 0 0 1-4.3-4.3l5.7-5.6a2 2 0 0 1 2.8 2.8L6.4 11a1 1 0 0 1-1.4-1.4l4.9-4.8",
  close: "M4 4l8 8M12 4l-8 8",
  form: "M3.5 3h9a1.5 1.5 0 0 1 1.5 1.5v7a1.5 1.5 0 0 1 -1.5 1.5h-9a1.5 1.5 0 0 1 -1.5 -1.5v-7a1.5 1.5 0 0 1 1.5 -1.5zM4.5 6.5h3M4.5 9.5h5",
  agent: "M2.2 4a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0 -3.6 0M10.2 12a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0 -3.6 0M4 5.8V10a2 2 0 0 0 2 2h4.2",
  undo: "M5.5 3 2.8 5.7l2.7 2.7M3 5.7h6a4 4 0 0 1 0 8H6.5",
} as const;

export type IconName = keyof typeof PATHS;

interface IconProps {
  readonly name: IconName;
  readonly tone?: string;
  readonly turns?: boolean;
}

export function Icon({ name, tone = "", turns = false }: IconProps) {
  return (
    <svg class={`bs-icon ${tone} ${turns ? "bs-turns" : ""}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} fill={name === "stop" ? "currentColor" : undefined} />
    </svg>
  );
}

/** The bridge: its leaves are raised, and amber, while somebody is asked. */
export function Mark({ raised }: { readonly raised: boolean }) {
  return (
    <svg class={`bs-mark ${raised ? "is-raised" : ""}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d="M1 19.5h7M16 19.5h7M4.5 19.5V16M19.5 19.5V16" />
      <path class="bs-leaf" d={raised ? "M3 16 10.5 5.5M21 16 13.5 5.5" : "M2 16h9.5M22 16h-9.5"} />
    </svg>
  );
}

const STATES: Record<Status, readonly [IconName, string]> = {
  starting: ["ring", "run"],
  running: ["ring", "run"],
  waiting: ["shield", "you"],
  retrying: ["retry", "hold"],
  compacting: ["compact", "hold"],
  limited: ["hourglass", "hold"],
  idle: ["idle", "dim"],
  asleep: ["idle", "dim"],
  ended: ["ended", "dim"],
  lost: ["lost", "bad"],
  quarantined: ["warn", "bad"],
};

const WANTS: Record<string, IconName> = { plan: "plan", question: "question", elicitation: "form" };

export function StateIcon({ status, wants }: { readonly status: Status; readonly wants?: string | undefined }) {
  const [name, tone] = STATES[status];
  const shown = status === "waiting" ? (WANTS[wants ?? ""] ?? name) : name;
  return <Icon name={shown} tone={tone} turns={status === "running" || status === "starting"} />;
}
