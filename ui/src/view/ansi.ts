// What a program printed, as spans: colours become classes, every other control sequence is dropped.

export interface Span {
  readonly text: string;
  readonly tone: string;
}

// The escape character begins every sequence; a CSI ends with a letter, an OSC with BEL or ST.
const SEQUENCE = /\u001B(?:\[([0-9;:?]*)([A-Za-z@`~])|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\-_])/gu;
const TONES = ["dim", "bad", "good", "amber", "run", "hold", "cyan", ""] as const;

export function spans(text: string): readonly Span[] {
  const found: Span[] = [];
  let tone = "";
  let bold = false;
  let from = 0;
  const push = (to: number) => {
    const piece = overwritten(text.slice(from, to));
    if (piece) found.push({ text: piece, tone: `${tone}${bold ? " is-bold" : ""}`.trim() });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    push(match.index);
    from = match.index + match[0].length;
    if (match[2] === "m") [tone, bold] = styled(match[1] ?? "", tone, bold);
  }
  push(text.length);
  return found;
}

function styled(codes: string, before: string, wasBold: boolean): [string, boolean] {
  let tone = before;
  let bold = wasBold;
  const all = (codes || "0").split(/[;:]/u).map(Number);
  for (let at = 0; at < all.length; at += 1) {
    const code = all[at] ?? 0;
    if (code === 0) [tone, bold] = ["", false];
    else if (code === 1) bold = true;
    else if (code === 2) tone = "dim";
    else if (code === 22) [tone, bold] = [tone === "dim" ? "" : tone, false];
    else if (code === 39) tone = "";
    else if (code === 38 || code === 48) {
      if (code === 38) tone = ofMany(all.slice(at + 1));
      at += all[at + 1] === 5 ? 2 : 4;
    } else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) tone = TONES[code % 10] ?? "";
  }
  return [tone, bold];
}

/** Of 256 colours the first sixteen are those that have names here, and so have classes; any other is plain. */
function ofMany([kind, number]: readonly number[]): string {
  return kind === 5 && number !== undefined && number < 16 ? (TONES[number % 8] ?? "") : "";
}

/** A progress bar writes its line again and again: the last writing stays. */
function overwritten(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[^\n]*\r(?!\n)/gu, "");
}
