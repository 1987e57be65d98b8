/**
 * Makes pictures fit into a message.
 *
 * @module
 */
import { ATTACHMENT_LIMITS, type GivenFile, type Shrink } from "../../model/conversation/attachments.js";

/** Qualities of JPEG to try, from the best. */
const QUALITIES = [0.9, 0.75, 0.6];
const MAX_TRIES = 6;

/** A picture that is small enough as it is stays unchanged; another one becomes a smaller JPEG. */
export const shrinkPicture: Shrink = async (file, size) => {
  try {
    const original = new Blob([await file.arrayBuffer()], { type: file.type });
    const picture = await createImageBitmap(original);
    try {
      const longest = Math.max(picture.width, picture.height);
      if (longest <= ATTACHMENT_LIMITS.side && encoded(file) <= size)
        return { data: await base64Of(original), mimeType: file.type };
      return await smaller(picture, Math.min(1, ATTACHMENT_LIMITS.side / longest), size);
    } finally {
      picture.close();
    }
  } catch {
    return undefined;
  }
};

/** Characters of a file in Base64. */
const encoded = ({ size }: GivenFile): number => Math.ceil(size / 3) * 4;

async function smaller(
  picture: ImageBitmap,
  scale: number,
  size: number,
): Promise<{ data: string; mimeType: string } | undefined> {
  let data: string | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const canvas = new OffscreenCanvas(
      Math.max(1, Math.round(picture.width * scale * 0.8 ** tries)),
      Math.max(1, Math.round(picture.height * scale * 0.8 ** tries)),
    );
    const context = canvas.getContext("2d");
    if (!context) return undefined;
    // JPEG has no transparency.
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    for (const quality of QUALITIES) {
      data = await base64Of(await canvas.convertToBlob({ type: "image/jpeg", quality }));
      if (data.length <= size) return { data, mimeType: "image/jpeg" };
    }
  }
  return data === undefined ? undefined : { data, mimeType: "image/jpeg" };
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}
