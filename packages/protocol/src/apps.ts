/**
 * What a view says of itself.
 *
 * @module
 */
import { implementation } from "./mcp.js";
import { array, boolean, type Infer, literal, object, record, string } from "./schema.js";

/** Something is there, and nothing more is said about it. */
export const present = object({});

/** How a view is shown: in the conversation, over everything, or floating. */
export type DisplayMode = Infer<typeof displayMode>;
export const displayMode = literal("inline", "fullscreen", "pip");

/** What a view can do for its host. */
export interface AppCapabilities extends Infer<typeof appCapabilities> {}
export const appCapabilities = object(
  {},
  {
    experimental: record(present),
    /** The view offers tools that the host may call. */
    tools: object({}, { listChanged: boolean }),
    /** The display modes it is made for. */
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
