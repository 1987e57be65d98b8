/**
 * The one reader of MCP Apps metadata, from every place that carries it: a tool, a tool's result, the legacy
 * flat key, a `resources/list` entry, a `resources/read` content item, and a client's capabilities.
 *
 * All of it comes from the other side: the readers never throw, copy only what they know, and report
 * what is wrong as {@link Problem}s, which a host shows and a checker counts.
 *
 * @module
 */
import type { ResourceCsp, ResourceMeta, ResourcePermissions, ToolVisibility } from "./apps.js";
import { PERMISSION_FEATURES, type Permission } from "./permissions.js";
import { isObject } from "./schema.js";

/** The MIME type of a UI resource (R02). */
export const UI_MIME_TYPE = "text/html;profile=mcp-app";
/** The identifier of the MCP Apps extension (C01). */
export const UI_EXTENSION = "io.modelcontextprotocol/ui";
/** The deprecated flat key that links a tool to its UI (R06). */
export const RESOURCE_URI_META_KEY = "ui/resourceUri";

/** Something wrong with metadata. */
export interface Problem {
  /** What kind of problem; stable, in kebab-case. */
  code: string;
  /** `error`: a value was left out. `warning`: it was understood, or never had a meaning. */
  level: "error" | "warning";
  /** Where, such as `_meta.ui.visibility[1]`. */
  field: string;
  /** A sentence that says what is wrong and what to write instead. */
  message: string;
}

/** What a tool says about its UI. */
export interface ToolUi {
  /** The UI resource that shows the tool's results; absent when there is none, or its URI is wrong. */
  resourceUri?: string;
  /** Who may call the tool. */
  visibility: ToolVisibility[];
  problems: Problem[];
}

const UI_FIELD = "_meta.ui";
const VISIBILITIES = ["model", "app"] as const satisfies ToolVisibility[];

/**
 * Reads `_meta.ui` of a tool.
 *
 * - The nested `_meta.ui.resourceUri` wins over the flat key, even when it is wrong (R06).
 * - Absent visibility means both; `[]` means nobody. What is not understood never makes a tool visible (R08).
 * - `csp` and `permissions` mean nothing on a tool (R09).
 *
 * @example
 * ```ts source="./metadata.examples.ts#readToolUi"
 * const ui = { resourceUri: "ui://shop/cart.html", visibility: ["app"] };
 * const tool = { name: "refresh", _meta: { ui } };
 * const { resourceUri, visibility, problems } = readToolUi(tool);
 * // resourceUri is "ui://shop/cart.html", visibility is ["app"], problems is empty
 * ```
 */
export function readToolUi(tool: unknown): ToolUi {
  const { resourceUri, problems } = readLink(tool);
  const ui = at(tool, "_meta", "ui");
  const visibility = readVisibility(at(ui, "visibility"), problems);
  for (const field of ["csp", "permissions"]) {
    if (at(ui, field) == null) continue;
    const message = `${field} has no meaning on a tool; put it on the UI resource`;
    problems.push({ code: `${field}-on-tool`, level: "warning", field: `${UI_FIELD}.${field}`, message });
  }
  return { ...pick(resourceUri), visibility, problems };
}

/**
 * Whether a tool may be called by the model (C02) or by a view of the same server (C03).
 *
 * @example
 * ```ts source="./metadata.examples.ts#isVisibleTo"
 * const tools = [{ name: "show" }, { name: "refresh", _meta: { ui: { visibility: ["app"] } } }];
 * const forTheModel = tools.filter((tool) => isVisibleTo(tool, "model"));
 * // forTheModel has only "show"
 * ```
 */
export function isVisibleTo(tool: unknown, who: ToolVisibility): boolean {
  return readToolUi(tool).visibility.includes(who);
}

/**
 * The UI of one tool call, from its tool and its result. The specification puts the link on the tool alone;
 * some servers put it on the result. The tool's link, right or wrong, always wins, as it is what a host could
 * review and prefetch; the result's is used when the tool has none, and is reported as a warning.
 *
 * @example
 * ```ts source="./metadata.examples.ts#readUiLink"
 * const tool = { name: "show" };
 * const result = { content: [], _meta: { ui: { resourceUri: "ui://shop/cart.html" } } };
 * const { resourceUri, from } = readUiLink({ tool, result });
 * // resourceUri is "ui://shop/cart.html", from is "result"
 * ```
 */
export function readUiLink(sources: { tool?: unknown; result?: unknown }): {
  resourceUri?: string;
  from: "tool" | "result" | "none";
  problems: Problem[];
} {
  const tool = readLink(sources.tool);
  if (tool.declared) return { ...pick(tool.resourceUri), from: "tool", problems: tool.problems };
  const result = readLink(sources.result);
  const problems = [...tool.problems, ...result.problems];
  if (!result.declared) return { from: "none", problems };
  const message = "the link to a UI belongs on the tool; hosts that look only there will not show it";
  problems.push({
    code: "resource-uri-on-result",
    level: "warning",
    field: `${UI_FIELD}.resourceUri`,
    message,
  });
  return { ...pick(result.resourceUri), from: "result", problems };
}

const pick = (resourceUri: string | undefined) => (resourceUri === undefined ? {} : { resourceUri });

function readLink(carrier: unknown): { declared: boolean; resourceUri?: string; problems: Problem[] } {
  const problems: Problem[] = [];
  const ui = at(carrier, "_meta", "ui");
  if (ui != null && !isRecord(ui)) problems.push(invalid("ui-meta-invalid", UI_FIELD, "an object"));
  const nested = at(ui, "resourceUri");
  const flat = at(carrier, "_meta", RESOURCE_URI_META_KEY);
  const flatField = `_meta["${RESOURCE_URI_META_KEY}"]`;
  const uri = nested ?? flat;
  if (uri == null) return { declared: false, problems };

  const field = nested == null ? flatField : `${UI_FIELD}.resourceUri`;
  if (nested == null) {
    const message = `this key is deprecated; write ${UI_FIELD}.resourceUri too`;
    problems.push({ code: "resource-uri-legacy", level: "warning", field, message });
  } else if (flat != null && flat !== nested) {
    const message = `differs from ${field}, which is used; make them the same`;
    problems.push({ code: "resource-uri-conflict", level: "warning", field: flatField, message });
  }
  if (isUiUri(uri)) return { declared: true, resourceUri: uri, problems };
  // R01, C08: an error that a user can read, in place of a blank frame.
  problems.push(invalid("resource-uri-invalid", field, "a ui:// URI such as ui://my-server/view.html"));
  return { declared: true, problems };
}

function readVisibility(value: unknown, problems: Problem[]): ToolVisibility[] {
  const field = `${UI_FIELD}.visibility`;
  if (value == null) return [...VISIBILITIES];
  const list = items(value);
  // A single name in place of a list leaves no doubt about what is meant.
  const visibility = VISIBILITIES.filter((known) => (list ? list.includes(known) : value === known));
  if (!list) {
    const level = visibility.length > 0 ? "warning" : "error";
    problems.push(invalid("visibility-invalid", field, 'a list of "model" and "app"', level));
  }
  list?.forEach((entry, index) => {
    if (VISIBILITIES.some((known) => known === entry)) return;
    problems.push(invalid("visibility-invalid", `${field}[${index}]`, '"model" or "app"'));
  });
  return visibility;
}

/**
 * Reads `_meta.ui` of a UI resource. The `resources/read` content item wins *as a whole* (R04): when it has
 * `_meta.ui` at all, nothing of the `resources/list` entry is used. Malformed fields are left out, which can
 * only make the sandbox narrower. Origins are not looked into here; `buildCsp` does that.
 *
 * @example
 * ```ts source="./metadata.examples.ts#readResourceUi"
 * const content = { uri: "ui://shop/cart.html", _meta: { ui: { prefersBorder: true } } };
 * const listing = { uri: "ui://shop/cart.html", _meta: { ui: { domain: "shop" } } };
 * const { meta, from } = readResourceUi({ content, listing });
 * // meta is { prefersBorder: true }, from is "content"
 * ```
 */
export function readResourceUi(sources: { content?: unknown; listing?: unknown }): {
  meta: ResourceMeta;
  from: "content" | "listing" | "none";
  problems: Problem[];
} {
  for (const from of ["content", "listing"] as const) {
    const ui = at(sources[from], "_meta", "ui");
    if (ui != null) return { from, ...readResourceMeta(ui) };
  }
  return { meta: {}, from: "none", problems: [] };
}

const CSP_FIELDS = [
  "connectDomains",
  "resourceDomains",
  "frameDomains",
  "baseUriDomains",
] as const satisfies (keyof ResourceCsp)[];

function readResourceMeta(ui: unknown): { meta: ResourceMeta; problems: Problem[] } {
  const meta: ResourceMeta = {};
  const problems: Problem[] = [];
  const wrong: Report = (code, path, expected, level) => {
    problems.push(invalid(code, UI_FIELD + path, expected, level));
  };
  if (!isRecord(ui)) wrong("ui-meta-invalid", "", "an object");

  const csp = at(ui, "csp");
  if (isRecord(csp)) meta.csp = readCsp(csp, wrong);
  else if (csp != null) wrong("csp-invalid", ".csp", "an object with lists of origins");

  const permissions = at(ui, "permissions");
  if (isRecord(permissions)) meta.permissions = readPermissions(permissions, wrong);
  else if (permissions != null)
    wrong("permissions-invalid", ".permissions", "an object such as { camera: {} }");

  const domain = at(ui, "domain");
  if (typeof domain === "string" && domain !== "" && domain.length <= 253) meta.domain = domain;
  else if (domain != null) wrong("domain-invalid", ".domain", "a domain name");

  const prefersBorder = at(ui, "prefersBorder");
  if (typeof prefersBorder === "boolean") meta.prefersBorder = prefersBorder;
  else if (prefersBorder != null) wrong("prefers-border-invalid", ".prefersBorder", "true or false");
  return { meta, problems };
}

type Report = (code: string, path: string, expected: string, level?: Problem["level"]) => void;

function readCsp(csp: unknown, wrong: Report): ResourceCsp {
  const read: ResourceCsp = {};
  for (const field of CSP_FIELDS) {
    const value = at(csp, field);
    if (value == null) continue;
    const list = items(value);
    if (!list) wrong("csp-invalid", `.csp.${field}`, "a list of origins");
    else read[field] = list.filter((entry) => typeof entry === "string");
    list?.forEach((entry, index) => {
      if (typeof entry !== "string") wrong("csp-invalid", `.csp.${field}[${index}]`, "a string");
    });
  }
  return read;
}

function readPermissions(permissions: unknown, wrong: Report): ResourcePermissions {
  const read: ResourcePermissions = {};
  for (const permission of Object.keys(PERMISSION_FEATURES) as Permission[]) {
    const value = at(permissions, permission);
    if (value == null) continue;
    if (isRecord(value) || value === true) read[permission] = {};
    if (isRecord(value)) continue;
    // Some servers write true and false, and it is clear what they mean.
    const level = typeof value === "boolean" ? "warning" : "error";
    wrong("permission-invalid", `.permissions.${permission}`, "an empty object, or absent", level);
  }
  return read;
}

/** Why {@link readUiDocument} has no document. */
export type UiDocumentErrorCode =
  /** The URI asked for is not `ui://` (R01). */
  | "uri-invalid"
  /** The result has no content for the URI. */
  | "content-missing"
  /** The content's MIME type is not {@link UI_MIME_TYPE} (R02). */
  | "mime-type-wrong"
  /** The content has neither `text` nor `blob`, or it is empty (R03). */
  | "document-empty"
  /** `blob` is not base64 (R03). */
  | "base64-invalid"
  /** `blob` is not UTF-8 (R03). */
  | "utf8-invalid"
  /** The document is larger than `maxBytes`. */
  | "document-too-large";

/** A UI resource that was read, or why it was not. */
export type UiDocument =
  | {
      ok: true;
      /** The document, without a byte order mark. */
      html: string;
      uri: string;
      meta: ResourceMeta;
      /** Where `meta` stood. */
      from: "content" | "listing" | "none";
      problems: Problem[];
    }
  | { ok: false; code: UiDocumentErrorCode; message: string };

/**
 * Takes the document out of a `resources/read` result, with its metadata. `listing` is the resource's
 * `resources/list` entry, the fallback for the metadata (C05).
 *
 * @example
 * ```ts source="./metadata.examples.ts#readUiDocument"
 * const uri = "ui://shop/cart.html";
 * const result = { contents: [{ uri, mimeType: UI_MIME_TYPE, text: "<!doctype html><p>Cart" }] };
 * const document = readUiDocument(result, uri, { maxBytes: 5_000_000 });
 * const shown = document.ok ? document.html : `The view cannot be shown: ${document.message}`;
 * ```
 */
export function readUiDocument(
  result: unknown,
  uri: string,
  options: { listing?: unknown; maxBytes?: number } = {},
): UiDocument {
  const { listing, maxBytes = Number.POSITIVE_INFINITY } = options;
  if (!isUiUri(uri)) return failed("uri-invalid", "the address of a UI resource must begin with ui://");
  const contents = items(at(result, "contents")) ?? [];
  const named = contents.filter((item) => at(item, "uri") === uri);
  const candidates = named.length > 0 || contents.length > 1 ? named : contents;
  const item = candidates.find((candidate) => isUiMimeType(at(candidate, "mimeType"))) ?? candidates[0];
  if (item === undefined) return failed("content-missing", `the server returned no content for ${uri}`);
  const mimeType = at(item, "mimeType");
  if (!isUiMimeType(mimeType)) {
    const got = typeof mimeType === "string" ? JSON.stringify(mimeType.slice(0, 80)) : "none";
    return failed("mime-type-wrong", `the MIME type must be "${UI_MIME_TYPE}", and is ${got}`);
  }
  const decoded = readHtml(at(item, "text"), at(item, "blob"), maxBytes);
  if (!decoded.ok) return decoded;

  const { meta, from, problems } = readResourceUi({ content: item, listing });
  if (mimeType !== UI_MIME_TYPE) {
    const message = `write exactly "${UI_MIME_TYPE}"; other hosts compare it letter by letter`;
    problems.push({ code: "mime-type-inexact", level: "warning", field: "mimeType", message });
  }
  if (named.length === 0) {
    const message = `the content must have the URI that was asked for, ${uri}`;
    problems.push({ code: "uri-mismatch", level: "warning", field: "uri", message });
  }
  return { ok: true, html: decoded.html, uri, meta, from, problems };
}

type Failed = { ok: false; code: UiDocumentErrorCode; message: string };
const failed = (code: UiDocumentErrorCode, message: string): Failed => ({ ok: false, code, message });

function readHtml(text: unknown, blob: unknown, maxBytes: number): { ok: true; html: string } | Failed {
  const tooLarge = failed("document-too-large", `the document is larger than the limit of ${maxBytes} bytes`);
  let html = "";
  if (typeof text === "string" && text !== "") {
    // A character is one to three bytes for each of its UTF-16 units: most texts need not be counted.
    if (text.length > maxBytes) return tooLarge;
    if (text.length * 3 > maxBytes && new TextEncoder().encode(text).length > maxBytes) return tooLarge;
    html = text.replace(/^\uFEFF/, "");
  } else if (typeof blob === "string") {
    // Looked at before decoding, with room for padding and line breaks, so that a huge one costs nothing.
    if (blob.length > maxBytes * 1.5 + 8) return tooLarge;
    let binary: string;
    try {
      binary = atob(blob);
    } catch {
      return failed("base64-invalid", "the blob is not valid base64");
    }
    if (binary.length > maxBytes) return tooLarge;
    try {
      // `atob` gives one character for each byte: shown as it is, UTF-8 is mojibake (D23).
      const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
      html = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      return failed("utf8-invalid", "the blob is not UTF-8 text");
    }
  }
  return html.trim() === ""
    ? failed("document-empty", "the content has no HTML in text or blob")
    : { ok: true, html };
}

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

const isUiUri = (uri: unknown): uri is string =>
  typeof uri === "string" && uri.length <= 2048 && /^ui:\/\/[^\s\p{Cc}]+$/u.test(uri);

const invalid = (
  code: string,
  field: string,
  expected: string,
  level: Problem["level"] = "error",
): Problem => ({ code, level, field, message: `${field} must be ${expected}` });

/** Stands for a value that threw when it was read: it is there, and it is of no use. */
const UNREADABLE = Symbol("unreadable");

/** The value at a path of own properties, so that a polluted Object.prototype declares nothing. Never throws. */
function at(value: unknown, ...path: string[]): unknown {
  try {
    let here = value;
    for (const key of path) {
      if (!isObject(here) || !Object.hasOwn(here, key)) return undefined;
      here = here[key];
    }
    return here;
  } catch {
    return UNREADABLE;
  }
}

/** As `isObject`; a revoked proxy, on which that throws, is none. */
function isRecord(value: unknown): boolean {
  try {
    return isObject(value);
  } catch {
    return false;
  }
}

/** Longest list that is looked at; no real one comes near. */
const MAX_ITEMS = 1000;

/** The items of an array, or `undefined` for what is none or cannot be read. */
function items(value: unknown): unknown[] | undefined {
  try {
    return Array.isArray(value) ? value.slice(0, MAX_ITEMS) : undefined;
  } catch {
    return undefined;
  }
}
