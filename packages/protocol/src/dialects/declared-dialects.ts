/**
 * Finds the dialects that a UI resource declares.
 *
 * @module
 */
import { at, isRecord } from "../untrusted.js";
import { isAppsSdkMimeType } from "./apps-sdk.js";
import { VIEW_DIALECTS, type ViewDialect } from "./view-dialects.js";

/** Beginnings of metadata keys that belong to a dialect. */
const KEYS: Record<ViewDialect, RegExp> = { "apps-sdk": /^openai\//, "mcp-ui": /^mcpui\.dev\// };

/** The dialects that the MIME type or the metadata keys of these resource entries belong to. */
export function declaredDialects(...resources: readonly unknown[]): ViewDialect[] {
  return VIEW_DIALECTS.filter((dialect) =>
    resources.some((resource) => {
      const hasKey = keysOf(at(resource, "_meta")).some((key) => KEYS[dialect].test(key));
      return hasKey || (dialect === "apps-sdk" && isAppsSdkMimeType(at(resource, "mimeType")));
    }),
  );
}

/** Empty for anything that has no readable keys. */
function keysOf(meta: unknown): string[] {
  try {
    return isRecord(meta) ? Object.keys(meta) : [];
  } catch {
    return [];
  }
}
