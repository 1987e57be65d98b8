/**
 * Messages of a host to a view: its capabilities, the context, the tool call. They have their own module
 * because a host never checks its own messages (decision 005).
 *
 * @module
 */
import { displayMode, present } from "./apps.js";
import { implementation, requestId, tool } from "./mcp.js";
import {
  array,
  boolean,
  type Infer,
  literal,
  number,
  object,
  open,
  record,
  type Shape,
  string,
  union,
  unknown,
} from "./schema.js";
import type { StyleVariable } from "./style-variables.js";
import { resourceCsp, resourcePermissions } from "./ui-meta.js";

/** `light` or `dark`. */
export type Theme = Infer<typeof theme>;
export const theme = literal("light", "dark");

const contentModalities = object(
  {},
  {
    text: present,
    image: present,
    audio: present,
    resource: present,
    resourceLink: present,
    structuredContent: present,
  },
);

/** Capabilities of a host. */
export interface HostCapabilities extends Infer<typeof hostCapabilities> {}
export const hostCapabilities = object(
  {},
  {
    experimental: record(present),
    /** The host handles `ui/open-link`. */
    openLinks: present,
    /** The host handles `ui/download-file`. */
    downloadFile: present,
    /** The host passes `tools/call` to the server. */
    serverTools: object({}, { listChanged: boolean }),
    /** The host passes `resources/read` and the resource lists to the server. */
    serverResources: object({}, { listChanged: boolean }),
    /** The host records `notifications/message`. */
    logging: present,
    /** Permissions and origins that the sandbox granted. */
    sandbox: object({}, { permissions: resourcePermissions, csp: resourceCsp }),
    /** The host handles `ui/update-model-context`, for these kinds of content. */
    updateModelContext: contentModalities,
    /** The host handles `ui/message`, for these kinds of content. */
    message: contentModalities,
    /** The host handles `sampling/createMessage`. */
    sampling: object({}, { tools: present }),
  },
);

/** CSS variables for theming, by their standard names. */
export type StyleVariables = { [K in StyleVariable]: string | undefined };
// Checked only as strings: the list of names would be larger than all other shapes, and an unknown name does
// no harm.
const styleVariables = record(string) as unknown as Shape<StyleVariables>;

/** Look of the host: variables, and font rules that the view may insert. */
export interface HostStyles extends Infer<typeof hostStyles> {}
export const hostStyles = object({}, { variables: styleVariables, css: object({}, { fonts: string }) });

const containerHeight = union(object({ height: number }), object({}, { maxHeight: number }));
const containerWidth = union(object({ width: number }), object({}, { maxWidth: number }));

/** The frame's size: `height`/`width` are fixed, `maxHeight`/`maxWidth` are flexible, absent is unbounded. */
export type ContainerDimensions = Infer<typeof containerHeight> & Infer<typeof containerWidth>;
const containerDimensions = object(
  {},
  { height: number, width: number, maxHeight: number, maxWidth: number },
) as Shape<ContainerDimensions>;

/** Context that a view runs in. */
export interface HostContext extends Infer<typeof hostContext> {}
export const hostContext = open(
  {},
  {
    /** The tool call that this view shows. */
    toolInfo: object({ tool }, { id: requestId }),
    theme,
    styles: hostStyles,
    /** The current display mode. */
    displayMode,
    /** The display modes that the host offers. */
    availableDisplayModes: array(displayMode),
    containerDimensions,
    /** BCP 47, such as `en-GB`. */
    locale: string,
    /** IANA, such as `Europe/Berlin`. */
    timeZone: string,
    /** The host's name. */
    userAgent: string,
    platform: literal("web", "desktop", "mobile"),
    deviceCapabilities: object({}, { touch: boolean, hover: boolean }),
    /** Pixels covered by the device, such as a notch. */
    safeAreaInsets: object({ top: number, right: number, bottom: number, left: number }),
  },
);

/** The host's answer to the view's first message. */
export interface InitializeResult extends Infer<typeof initializeResult> {}
export const initializeResult = open({
  protocolVersion: string,
  hostInfo: implementation,
  hostCapabilities,
  hostContext,
});

/** Arguments of the tool call. */
export interface ToolInputParams extends Infer<typeof toolInputParams> {}
export const toolInputParams = object({}, { arguments: record(unknown) });
