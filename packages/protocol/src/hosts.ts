/**
 * What a host says to a view: its capabilities, the context, the tool call. A module of its own, since a host never
 * checks its own words (decision 005).
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
  type Schema,
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

/** What a host can do for a view. */
export interface HostCapabilities extends Infer<typeof hostCapabilities> {}
export const hostCapabilities = object(
  {},
  {
    experimental: record(present),
    /** `ui/open-link` works. */
    openLinks: present,
    /** `ui/download-file` works. */
    downloadFile: present,
    /** `tools/call` reaches the server. */
    serverTools: object({}, { listChanged: boolean }),
    /** `resources/read` and the lists reach the server. */
    serverResources: object({}, { listChanged: boolean }),
    /** `notifications/message` is recorded. */
    logging: present,
    /** What the sandbox granted. */
    sandbox: object({}, { permissions: resourcePermissions, csp: resourceCsp }),
    /** `ui/update-model-context` works, for these kinds of content. */
    updateModelContext: contentModalities,
    /** `ui/message` works, for these kinds of content. */
    message: contentModalities,
    /** `sampling/createMessage` works. */
    sampling: object({}, { tools: present }),
  },
);

/** CSS variables for theming, by their standard names. */
export type StyleVariables = { [K in StyleVariable]: string | undefined };
// By their type only: the list of names would weigh more than all other shapes, and a name that nobody knows hurts nobody.
const styleVariables = record(string) as unknown as Schema<StyleVariables>;

/** How the host looks: variables, and font rules that the view may insert. */
export interface HostStyles extends Infer<typeof hostStyles> {}
export const hostStyles = object({}, { variables: styleVariables, css: object({}, { fonts: string }) });

const containerHeight = union(object({ height: number }), object({}, { maxHeight: number }));
const containerWidth = union(object({ width: number }), object({}, { maxWidth: number }));

/** The frame's size: `height`/`width` are fixed, `maxHeight`/`maxWidth` flexible, absent is unbounded (X04). */
export type ContainerDimensions = Infer<typeof containerHeight> & Infer<typeof containerWidth>;
const containerDimensions = object(
  {},
  { height: number, width: number, maxHeight: number, maxWidth: number },
) as Schema<ContainerDimensions>;

/** What a view knows about where it runs (X01). */
export interface HostContext extends Infer<typeof hostContext> {}
export const hostContext = open(
  {},
  {
    /** The tool call that this view shows. */
    toolInfo: object({ tool }, { id: requestId }),
    theme,
    styles: hostStyles,
    /** How the view is shown now. */
    displayMode,
    /** The modes that this host has. */
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
    /** Pixels that the device's frame covers. */
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
