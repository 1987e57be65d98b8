/**
 * Makes pictures fit into a message.
 *
 * @module
 */
import { ATTACHMENT_LIMITS } from "../../model/conversation/attachment.js";
import { base64Length, base64Of, type Shrink } from "../../model/conversation/attachments.js";

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
      if (longest <= ATTACHMENT_LIMITS.side && base64Length(file.size) <= size)
        return { data: await base64OfBlob(original), mimeType: file.type };
      return await smaller(picture, Math.min(1, ATTACHMENT_LIMITS.side / longest), size);
    } finally {
      picture.close();
    }
  } catch {
    return undefined;
  }
};

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
      data = await base64OfBlob(await canvas.convertToBlob({ type: "image/jpeg", quality }));
      if (data.length <= size) return { data, mimeType: "image/jpeg" };
    }
  }
  return data === undefined ? undefined : { data, mimeType: "image/jpeg" };
}

const base64OfBlob = async (blob: Blob): Promise<string> =>
  base64Of(new Uint8Array(await blob.arrayBuffer()));
