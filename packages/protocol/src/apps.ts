/**
 * The shapes that MCP Apps adds to MCP: capabilities, host context, resource and tool metadata.
 *
 * @module
 */
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

const present = object({});

/** `light` or `dark`. */
export type Theme = Infer<typeof theme>;
export const theme = literal("light", "dark");

/** How a view is shown: in the conversation, over everything, or floating. */
export type DisplayMode = Infer<typeof displayMode>;
export const displayMode = literal("inline", "fullscreen", "pip");

/** Origins that a view's document may use; each becomes a part of its Content Security Policy. */
export interface ResourceCsp extends Infer<typeof resourceCsp> {}
export const resourceCsp = object(
  {},
  {
    /** Where it may connect to: fetch, XHR, WebSocket. */
    connectDomains: array(string),
    /** Where scripts, styles, pictures, fonts and media may come from. */
    resourceDomains: array(string),
    /** What it may show in frames of its own. */
    frameDomains: array(string),
    /** What `<base href>` may point to. */
    baseUriDomains: array(string),
  },
);

/** Browser features that a view asks for. Each is an empty object when asked for. */
export interface ResourcePermissions extends Infer<typeof resourcePermissions> {}
export const resourcePermissions = object(
  {},
  { camera: present, microphone: present, geolocation: present, clipboardWrite: present },
);

/** `_meta.ui` of a UI resource. */
export interface ResourceMeta extends Infer<typeof resourceMeta> {}
export const resourceMeta = object(
  {},
  {
    csp: resourceCsp,
    permissions: resourcePermissions,
    /** A dedicated, stable origin for the view; its form is the host's choice. */
    domain: string,
    /** Whether the host should draw a border and background. */
    prefersBorder: boolean,
  },
);

/** Who may call a tool. */
export type ToolVisibility = Infer<typeof toolVisibility>;
export const toolVisibility = literal("model", "app");

/** `_meta.ui` of a tool. */
export interface ToolMeta extends Infer<typeof toolMeta> {}
export const toolMeta = object(
  {},
  {
    /** The UI resource that shows this tool's results. */
    resourceUri: string,
    /** Who may call the tool; both when absent. */
    visibility: array(toolVisibility),
  },
);

/** What a client advertises to servers, under `extensions["io.modelcontextprotocol/ui"]`. */
export interface ClientCapabilities extends Infer<typeof clientCapabilities> {}
export const clientCapabilities = object({}, { mimeTypes: array(string) });

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

/** The view's first message. */
export interface InitializeParams extends Infer<typeof initializeParams> {}
export const initializeParams = object({
  appInfo: implementation,
  appCapabilities,
  protocolVersion: string,
});

/** The host's answer to it. */
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
