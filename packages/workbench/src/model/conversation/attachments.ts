/**
 * Files that a user adds to a message: pictures, PDFs and texts.
 *
 * @module
 */
import { fileName } from "@vitrine/guard";
import type { ContentBlock, ResourceContents } from "@vitrine/protocol";

/** Pictures that all models with pictures read. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/;
const PDF = "application/pdf";
/** Names of text files that browsers give no text type. */
const TEXT_NAMES =
  /\.(?:txt|md|markdown|csv|tsv|json|jsonl|ya?ml|toml|ini|xml|html?|css|svg|[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|c|h|cpp|hpp|cs|php|sh|sql|log|diff|patch|tex|graphql|env\.example)$/i;

/** A file, as the browser has it. */
export type GivenFile = Pick<File, "name" | "type" | "size" | "arrayBuffer">;

/** Makes a smaller picture: `size` is the number of characters of its Base64. */
export type Shrink = (
  file: GivenFile,
  size: number,
) => Promise<{ data: string; mimeType: string } | undefined>;

/**
 * Reads a file for a message.
 *
 * @param room characters that the message has left
 * @returns the content, or why it cannot be added
 */
export async function readAttachment(
  file: GivenFile,
  room: number,
  shrink: Shrink,
): Promise<{ block: ContentBlock; size: number } | { problem: string }> {
  const { name, type } = file;
  const tooLarge = { problem: tooLargeText(name, room) };
  if (PICTURES.test(type)) {
    const picture = await shrink(file, room);
    if (!picture) return { problem: `“${name}” is not a picture that can be read.` };
    const { data, mimeType } = picture;
    return data.length > room ? tooLarge : { block: { type: "image", data, mimeType }, size: data.length };
  }
  const uri = `attachment:///${encodeURIComponent(name)}`;
  if (type === PDF) {
    if (base64Length(file.size) > room) return tooLarge;
    const blob = base64Of(new Uint8Array(await file.arrayBuffer()));
    return { block: { type: "resource", resource: { uri, mimeType: PDF, blob } }, size: blob.length };
  }
  if (!type.startsWith("text/") && type !== "application/json" && !TEXT_NAMES.test(name))
    return {
      problem: `“${name}” is neither a picture (PNG, JPEG, GIF, WebP) nor a PDF or a text: no model would read it.`,
    };
  if (file.size > room) return tooLarge;
  const text = textOf(await file.arrayBuffer());
  if (text === undefined) return { problem: `“${name}” is not a text in UTF-8.` };
  const mimeType = type === "" ? "text/plain" : type;
  // In JSON, some characters take more.
  const size = JSON.stringify(text).length;
  return size > room ? tooLarge : { block: { type: "resource", resource: { uri, mimeType, text } }, size };
}

/**
 * Converts contents of a server's resource for a message.
 *
 * @param room characters that the message has left
 * @returns the content, or why it cannot be added
 */
export async function attachedContents(
  resource: ResourceContents,
  room: number,
  shrink: Shrink,
): Promise<{ block: ContentBlock; size: number } | { problem: string }> {
  const { mimeType: type = "" } = resource;
  const block: ContentBlock = { type: "resource", resource };
  const size = JSON.stringify(block).length;
  if ("blob" in resource && type !== PDF) {
    const bytes = Uint8Array.from(atob(resource.blob), (character) => character.charCodeAt(0));
    return readAttachment(new File([bytes], fileName(block), { type }), room, shrink);
  }
  return size > room ? { problem: tooLargeText(resource.uri, room) } : { block, size };
}

/** A text in UTF-8; undefined for anything else. */
function textOf(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Characters of bytes in Base64. */
export const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** Converts bytes to Base64. */
export function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}

const tooLargeText = (name: string, room: number): string =>
  `“${name}” is too large: a message has room for ${kilobytes(room)} more.`;
const kilobytes = (size: number): string => `${Math.floor(Math.max(0, size) / 1_000)} kB`;
