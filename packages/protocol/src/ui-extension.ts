/**
 * How clients and servers tell each other that they speak MCP Apps.
 *
 * @module
 */
import { at, isRecord, items } from "./untrusted.js";

/** The MIME type of a UI resource (R02). */
export const UI_MIME_TYPE = "text/html;profile=mcp-app";
/** The identifier of the MCP Apps extension (C01). */
export const UI_EXTENSION = "io.modelcontextprotocol/ui";
/**
 * Whether a MIME type is that of a UI resource, by the rules of MIME: letter case, white space, quotes around
 * the parameter and further parameters do not matter. `text/html` without the profile is not (R02, B19).
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
  // A quoted value is taken whole, so that a ";profile=" inside it is not seen as a parameter.
  const parameters = mimeType.matchAll(/;\s*([^=;\s"]+)=("[^"]*"|[^;"]*)/g);
  for (const [, name = "", value = ""] of parameters) {
    if (name.toLowerCase() === "profile") return /^("mcp-app"|mcp-app)\s*$/i.test(value);
  }
  return false;
}

/** Whether a client shows MCP Apps, as far as a server can know. */
export interface UiCapability {
  /** `unknown`: the client's capabilities are not known, as in a stateless request. Text must do then too. */
  support: "yes" | "no" | "unknown";
  /** The MIME types that it named. */
  mimeTypes: string[];
}

/**
 * Reads a client's capabilities for MCP Apps (R11). An extension that is there without `mimeTypes` counts as
 * support; one that lists other MIME types only does not.
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
 * What a client, or a server, puts into `capabilities.extensions` to say that it speaks MCP Apps (C01).
 *
 * @example
 * ```ts source="./metadata.examples.ts#uiExtension"
 * const capabilities = { extensions: { ...uiExtension() } };
 * ```
 */
export function uiExtension(): { [UI_EXTENSION]: { mimeTypes: string[] } } {
  return { [UI_EXTENSION]: { mimeTypes: [UI_MIME_TYPE] } };
}
