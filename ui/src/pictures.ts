// Files as they can go with a prompt. Pictures are made as small here as the API looks at them, so that a phone sends
// kilobytes where its camera made megabytes.

import { ALL_BYTES, type Attached, fitted, PICTURE_BYTES } from "./attachments";

const SEEN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const QUALITIES = [0.9, 0.75, 0.5];

/** Never rejects: what cannot be read is refused, with the reason. */
export async function read(id: string, file: File): Promise<Attached> {
  const named = { id, name: file.name || "file" };
  try {
    const picture = file.type.startsWith("image/") ? await pictureOf(file) : null;
    const blob = picture ?? file;
    if (blob.size > ALL_BYTES) return { ...named, is: "refused", why: "it is larger than 20 MB: put it into the workspace" };
    const url = await urlOf(blob);
    const data = url.slice(url.indexOf(",") + 1);
    return { ...named, is: "ready", as: picture === null ? "file" : "block", bytes: blob.size, data, scaled: picture !== null && picture !== file, picture: picture === null ? null : url };
  } catch {
    return { ...named, is: "refused", why: "it could not be read" };
  }
}

/** Null: no picture that a browser can draw, or none that becomes small enough; it goes as a file then. */
async function pictureOf(file: File): Promise<Blob | null> {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (bitmap === null) return null;
  const [width, height] = fitted(bitmap.width, bitmap.height);
  if (width === bitmap.width && file.size <= PICTURE_BYTES && SEEN.has(file.type)) return file;
  const canvas = new OffscreenCanvas(width, height);
  const brush = canvas.getContext("2d");
  if (brush === null) return null;
  brush.imageSmoothingQuality = "high";
  brush.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  return smallest(canvas, brush, file.type === "image/jpeg");
}

/** Lines and letters stay sharp as PNG; a photograph, and what is too large so, is a JPEG on white. */
async function smallest(canvas: OffscreenCanvas, brush: OffscreenCanvasRenderingContext2D, isPhoto: boolean): Promise<Blob | null> {
  const sharp = isPhoto ? null : await canvas.convertToBlob({ type: "image/png" });
  if (sharp !== null && sharp.size <= PICTURE_BYTES) return sharp;
  brush.globalCompositeOperation = "destination-over";
  brush.fillStyle = "#fff";
  brush.fillRect(0, 0, canvas.width, canvas.height);
  const tries = await Promise.all(QUALITIES.map((quality) => canvas.convertToBlob({ type: "image/jpeg", quality })));
  return tries.find((blob) => blob.size <= PICTURE_BYTES) ?? null;
}

function urlOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(reader.error ?? new Error("unreadable")));
    reader.readAsDataURL(blob);
  });
}
