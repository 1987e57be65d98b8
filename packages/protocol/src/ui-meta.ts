/**
 * `_meta.ui` of resources and tools, and what a client says of MCP Apps to servers.
 *
 * @module
 */
import { present } from "./apps.js";
import { array, boolean, type Infer, literal, object, string } from "./schema.js";

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
