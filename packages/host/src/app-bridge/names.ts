/**
 * Constants and small functions of the official bridge, by their official names.
 *
 * @module
 */
import {
  allowAttribute,
  isUiUri,
  PROTOCOL_VERSION,
  PROTOCOL_VERSIONS,
  RESOURCE_URI_META_KEY,
  type ResourcePermissions,
  recordOf,
  UI_MIME_TYPE,
} from "@vitrine/protocol";

export { RESOURCE_URI_META_KEY };
/** The MIME type of a view's document. */
export const RESOURCE_MIME_TYPE = UI_MIME_TYPE;
/** The newest revision of MCP Apps. */
export const LATEST_PROTOCOL_VERSION = PROTOCOL_VERSION;
/** All supported revisions. */
export const SUPPORTED_PROTOCOL_VERSIONS: readonly string[] = PROTOCOL_VERSIONS;

const uiOf = (tool: object): Readonly<Record<string, unknown>> =>
  recordOf(recordOf(recordOf(tool)["_meta"])["ui"]);

/**
 * The address of a tool's view; undefined if the tool has none.
 *
 * @throws {Error} if it is not a `ui://` address
 */
export function getToolUiResourceUri(tool: object): string | undefined {
  const { resourceUri = recordOf(recordOf(tool)["_meta"])[RESOURCE_URI_META_KEY] } = uiOf(tool);
  if (resourceUri === undefined || isUiUri(resourceUri)) return resourceUri;
  throw new Error(`Invalid UI resource URI: ${JSON.stringify(resourceUri)}`);
}

/** Whether only the model may call a tool. */
export const isToolVisibilityModelOnly = (tool: object): boolean => isOnlyFor(tool, "model");

/** Whether only apps may call a tool. */
export const isToolVisibilityAppOnly = (tool: object): boolean => isOnlyFor(tool, "app");

function isOnlyFor(tool: object, who: string): boolean {
  const { visibility } = uiOf(tool);
  return Array.isArray(visibility) && visibility.length === 1 && visibility[0] === who;
}

/** The `allow` attribute of a view's frame. Only the four features of the specification get into it. */
export const buildAllowAttribute = (permissions: ResourcePermissions | undefined): string =>
  allowAttribute(permissions);
