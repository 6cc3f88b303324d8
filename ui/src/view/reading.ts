// What all rows of a transcript are read with: where it is, how changes are laid out, and what a reader can do.

import { createContext } from "preact";
import type { Act } from "../actions";
import type { State } from "../state";

export interface Reading {
  readonly session: string | null;
  readonly diffs: State["diffs"];
  readonly act: Act;
}

export const Reading = createContext<Reading>({ session: null, diffs: "unified", act: () => undefined });
