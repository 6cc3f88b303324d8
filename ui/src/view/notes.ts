// Remarks on lines, kept as a draft until they are said together. Pure.

export interface Note {
  readonly path: string;
  readonly line: number;
  readonly quote: string;
  readonly text: string;
}

/** Those that a draft holds; none where it is no list of them. */
export function listed(draft: string): readonly Note[] {
  try {
    const found: unknown = draft === "" ? [] : JSON.parse(draft);
    return Array.isArray(found) ? found.filter(isNote) : [];
  } catch {
    return [];
  }
}

function isNote(one: unknown): one is Note {
  const given = one as Partial<Note> | null;
  return typeof given === "object" && given !== null && typeof given.path === "string" && typeof given.line === "number" && typeof given.quote === "string" && typeof given.text === "string";
}

/** What Claude reads: each with its file, its line, and the line itself. */
export function saidOf(notes: readonly Note[]): string {
  return notes.map((note) => `${note.path}${note.path === "" ? "line " : ":"}${note.line}\n> ${note.quote.trim()}\n${note.text}`).join("\n\n");
}
