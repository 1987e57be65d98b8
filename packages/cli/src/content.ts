/**
 * Results of tools and resources as terminal output.
 *
 * @module
 */

/** Formats a number of bytes. */
import { isRecord } from "@vitrine/protocol";
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

const bytesIn = (base64: unknown): number => Math.floor((String(base64 ?? "").length * 3) / 4);

/** A content block of a result, which is untrusted. */
function partText(part: unknown): string {
  if (!isRecord(part)) return "";
  const { type, text, mimeType = "unknown type", data, uri, resource } = part;
  if (type === "text") return String(text ?? "");
  if (type === "image" || type === "audio") return `[${type}: ${String(mimeType)}, ${sizeOf(bytesIn(data))}]`;
  if (type === "resource_link") return `[link: ${String(uri)}]`;
  if (type !== "resource" || !isRecord(resource)) return `[${String(type)}]`;
  if (typeof resource["text"] === "string") return resource["text"];
  return `[resource: ${String(resource["uri"])}, ${sizeOf(bytesIn(resource["blob"]))}]`;
}

/** The text of a tool's result; structured content only if there is no text. */
export function resultText(result: unknown): string {
  const { content, structuredContent } = isRecord(result) ? result : {};
  const parts = Array.isArray(content) ? content.map(partText).filter((text) => text !== "") : [];
  if (parts.length > 0) return parts.join("\n");
  return structuredContent === undefined ? "" : JSON.stringify(structuredContent, null, 2);
}
