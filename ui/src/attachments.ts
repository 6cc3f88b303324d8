// What goes with a prompt, as a value: files that are being read, are ready, or cannot go. Pure; the pixels are in
// pictures.ts.

import type { AttachmentData } from "./protocol.gen";

export type Attached = { readonly id: string; readonly name: string } & (
  | { readonly is: "reading" }
  | { readonly is: "refused"; readonly why: string }
  | { readonly is: "ready"; readonly as: "block" | "file"; readonly bytes: number; readonly data: string; readonly scaled: boolean; readonly picture: string | null }
);

/** The longest edge, in pixels, and the size that the API takes of a picture as it is. */
export const LONGEST_PX = 1568;
export const PICTURE_BYTES = 3_750_000;
/** Of one prompt. In base64 a third more, and the hub takes 32 MiB at once. */
export const ALL_BYTES = 20_000_000;

/** The size within which a picture is looked at, in its own proportions. */
export function fitted(width: number, height: number): readonly [number, number] {
  const share = Math.min(1, LONGEST_PX / Math.max(width, height));
  return [Math.max(1, Math.round(width * share)), Math.max(1, Math.round(height * share))];
}

/** `list` with `one` as it is now; one that was taken away meanwhile stays away, and so does what finds no room. */
export function placed(list: readonly Attached[], one: Attached): readonly Attached[] {
  const others = list.filter(({ id }) => id !== one.id);
  if (others.length === list.length) return list;
  const all = others.reduce((sum, other) => sum + (other.is === "ready" ? other.bytes : 0), 0);
  const fits = one.is !== "ready" || all + one.bytes <= ALL_BYTES;
  const now: Attached = fits ? one : { id: one.id, name: one.name, is: "refused", why: "with the others it is more than 20 MB" };
  return list.map((other) => (other.id === one.id ? now : other));
}

/** As a prompt carries it. */
export function carried(list: readonly Attached[]): readonly AttachmentData[] {
  return list.flatMap((one) => (one.is === "ready" ? [{ name: one.name, data: one.data, as: one.as }] : []));
}
