/**
 * Messages with which a view describes itself.
 *
 * @module
 */
import { implementation } from "./mcp.js";
import { array, boolean, type Infer, literal, object, record, string } from "./schema.js";

/** An empty object whose presence is the whole message. */
export const present = object({});

/** Display modes of a view: inline in the conversation, fullscreen, or floating (picture-in-picture). */
export type DisplayMode = Infer<typeof displayMode>;
export const displayMode = literal("inline", "fullscreen", "pip");

/** Capabilities of a view. */
export interface AppCapabilities extends Infer<typeof appCapabilities> {}
export const appCapabilities = object(
  {},
  {
    experimental: record(present),
    /** The view offers tools that the host may call. */
    tools: object({}, { listChanged: boolean }),
    /** The display modes that the view supports. */
    availableDisplayModes: array(displayMode),
  },
);

/** The view's first message. */
export interface InitializeParams extends Infer<typeof initializeParams> {}
export const initializeParams = object({
  appInfo: implementation,
  appCapabilities,
  protocolVersion: string,
});
