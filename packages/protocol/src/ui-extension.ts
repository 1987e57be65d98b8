/**
 * The MCP Apps extension in the capabilities of clients and servers.
 *
 * @module
 */
import { at, isRecord, items } from "./untrusted.js";

/** The MIME type of a UI resource. */
export const UI_MIME_TYPE = "text/html;profile=mcp-app";
/** The identifier of the MCP Apps extension. */
export const UI_EXTENSION = "io.modelcontextprotocol/ui";
/**
 * Whether a MIME type is that of a UI resource. As usual in MIME, letter case, white space, quotes around the
 * parameter and further parameters do not matter. `text/html` without the profile does not count.
 *
 * @example
 * ```ts source="./metadata.examples.ts#isUiMimeType"
 * const yes = isUiMimeType('text/html; profile="mcp-app"');
 * const no = isUiMimeType("text/html");
 * ```
 */
export function isUiMimeType(mimeType: unknown): boolean {
  if (typeof mimeType !== "string" || mimeType.length > 255) return false;
  if (!/^\s*text\/html\s*;/i.test(mimeType)) return false;
  // Match a quoted value as a whole, so that a ";profile=" inside it is not taken for a parameter.
  const parameters = mimeType.matchAll(/;\s*([^=;\s"]+)=("[^"]*"|[^;"]*)/g);
  for (const [, name = "", value = ""] of parameters) {
    if (name.toLowerCase() === "profile") return /^("mcp-app"|mcp-app)\s*$/i.test(value);
  }
  return false;
}

/** Whether a client shows MCP Apps, as far as a server knows. */
export interface UiCapability {
  /**
   * `unknown`: the client's capabilities are not known, as in a stateless request. Text content must be
   * enough then.
   */
  support: "yes" | "no" | "unknown";
  /** The MIME types that the client listed. */
  mimeTypes: string[];
}

/**
 * Reads a client's support for MCP Apps from its capabilities. The extension without `mimeTypes` counts as
 * support; a list of only other MIME types does not.
 *
 * @example
 * ```ts source="./metadata.examples.ts#readUiCapability"
 * const capabilities = { extensions: uiExtension() };
 * const { support } = readUiCapability(capabilities);
 * // support is "yes"; for undefined it is "unknown", for {} it is "no"
 * ```
 */
export function readUiCapability(capabilities: unknown): UiCapability {
  if (!isRecord(capabilities)) return { support: "unknown", mimeTypes: [] };
  const extension = at(capabilities, "extensions", UI_EXTENSION);
  if (!isRecord(extension)) return { support: "no", mimeTypes: [] };
  const declared = at(extension, "mimeTypes");
  if (declared == null) return { support: "yes", mimeTypes: [] };
  const mimeTypes = (items(declared) ?? []).filter((entry) => typeof entry === "string");
  return { support: mimeTypes.some(isUiMimeType) ? "yes" : "no", mimeTypes };
}

/**
 * Returns the `capabilities.extensions` entry with which a client or server announces MCP Apps.
 *
 * @example
 * ```ts source="./metadata.examples.ts#uiExtension"
 * const capabilities = { extensions: { ...uiExtension() } };
 * ```
 */
export function uiExtension(): { [UI_EXTENSION]: { mimeTypes: string[] } } {
  return { [UI_EXTENSION]: { mimeTypes: [UI_MIME_TYPE] } };
}
