/**
 * `_meta.ui` of resources and tools, and the MCP Apps capability of clients.
 *
 * @module
 */
import { present } from "./apps.js";
import { array, boolean, type Infer, literal, object, string } from "./schema.js";

/** Origins that a view's document may use. Each becomes part of its Content Security Policy. */
export interface ResourceCsp extends Infer<typeof resourceCsp> {}
export const resourceCsp = object(
  {},
  {
    /** Origins it may connect to: fetch, XHR, WebSocket. */
    connectDomains: array(string),
    /** Origins of scripts, styles, images, fonts and media. */
    resourceDomains: array(string),
    /** Origins of nested frames. */
    frameDomains: array(string),
    /** Origins for `<base href>`. */
    baseUriDomains: array(string),
  },
);

/** Browser features that a view requests. A requested feature is an empty object. */
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
    /** A dedicated, stable origin for the view. The host defines its form. */
    domain: string,
    /** Whether the host should draw a border and background. */
    prefersBorder: boolean,
  },
);

/** Callers of a tool. */
export type ToolVisibility = Infer<typeof toolVisibility>;
export const toolVisibility = literal("model", "app");

/** `_meta.ui` of a tool. */
export interface ToolMeta extends Infer<typeof toolMeta> {}
export const toolMeta = object(
  {},
  {
    /** The UI resource that shows this tool's results. */
    resourceUri: string,
    /** Callers that may call the tool; both if absent. */
    visibility: array(toolVisibility),
  },
);

/** The capability that a client announces to servers, under `extensions["io.modelcontextprotocol/ui"]`. */
export interface ClientCapabilities extends Infer<typeof clientCapabilities> {}
export const clientCapabilities = object({}, { mimeTypes: array(string) });
