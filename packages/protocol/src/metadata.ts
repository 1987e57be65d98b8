/**
 * Reads MCP Apps metadata from every location: a tool, a tool's result, the legacy flat key, a
 * `resources/list` entry and a `resources/read` content item.
 *
 * All of it is untrusted: the readers never throw, copy only known fields, and report mistakes as {@link
 * Problem}s, which a host shows and a checker counts.
 *
 * @module
 */

import { CSP_FIELDS } from "./csp.js";
import { appsSdkVisibility, OUTPUT_TEMPLATE_KEY, resourceUiWithAppsSdk } from "./dialects/apps-sdk.js";
import { asksForPermission, PERMISSION_FEATURES, type Permission } from "./permissions.js";
import type { ResourceCsp, ResourceMeta, ResourcePermissions, ToolVisibility } from "./ui-meta.js";
import { at, isRecord, items } from "./untrusted.js";

/** The deprecated flat key that links a tool to its UI. */
export const RESOURCE_URI_META_KEY = "ui/resourceUri";

/** The kind of a {@link Problem}. The meaning of a code never changes. */
export type ProblemCode =
  /** `_meta.ui` is not an object. */
  | "ui-meta-invalid"
  /** The UI address is not a `ui://` URI. */
  | "resource-uri-invalid"
  /** Only the deprecated flat key has the address. */
  | "resource-uri-legacy"
  /** Only the key of the Apps SDK has the address. */
  | "resource-uri-apps-sdk"
  /** The flat key and the nested one differ; the nested one is used. */
  | "resource-uri-conflict"
  /** The address is on a result instead of the tool. */
  | "resource-uri-on-result"
  /** `visibility` is not a list of `model` and `app`. */
  | "visibility-invalid"
  /** A tool has `csp`, which has no meaning there. */
  | "csp-on-tool"
  /** A tool has `permissions`, which have no meaning there. */
  | "permissions-on-tool"
  /** `csp`, or one of its lists, has the wrong shape. */
  | "csp-invalid"
  /** `permissions` is not an object. */
  | "permissions-invalid"
  /** A permission is neither an object nor absent. */
  | "permission-invalid"
  /** `domain` is not a domain name. */
  | "domain-invalid"
  /** `prefersBorder` is neither true nor false. */
  | "prefers-border-invalid"
  /** The MIME type is equivalent but not written exactly as specified. */
  | "mime-type-inexact"
  /** The content has another URI than the requested one. */
  | "uri-mismatch";

/** A mistake in metadata. */
export interface Problem {
  code: ProblemCode;
  /** `error`: the value was ignored. `warning`: the value was understood, or has no meaning here. */
  level: "error" | "warning";
  /** Path of the field, such as `_meta.ui.visibility[1]`. */
  field: string;
  /** Explains the mistake and what to write instead. */
  message: string;
}

/** UI metadata of a tool. */
export interface ToolUi {
  /** The UI resource that shows the tool's results; absent if there is none, or if its URI is invalid. */
  resourceUri?: string;
  /** Callers that may call the tool. */
  visibility: ToolVisibility[];
  problems: Problem[];
}

const UI_FIELD = "_meta.ui";
const VISIBILITIES = ["model", "app"] as const satisfies ToolVisibility[];

/**
 * Reads `_meta.ui` of a tool.
 *
 * - The nested `_meta.ui.resourceUri` wins over the flat key, even if it is invalid; both win over the key of the
 *   ChatGPT Apps SDK.
 * - Absent visibility means both callers; `[]` means neither. An invalid entry never makes a tool visible.
 * - `csp` and `permissions` have no meaning on a tool.
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
  const visibility = readVisibility(tool);
  checkVisibility(at(ui, "visibility"), visibility, problems);
  for (const field of ["csp", "permissions"] as const) {
    if (at(ui, field) == null) continue;
    const message = `${field} has no meaning on a tool; put it on the UI resource`;
    problems.push({ code: `${field}-on-tool`, level: "warning", field: `${UI_FIELD}.${field}`, message });
  }
  return { ...pick(resourceUri), visibility, problems };
}

/**
 * Whether the model, or a view of the same server, may call a tool.
 *
 * @example
 * ```ts source="./metadata.examples.ts#isVisibleTo"
 * const tools = [{ name: "show" }, { name: "refresh", _meta: { ui: { visibility: ["app"] } } }];
 * const forTheModel = tools.filter((tool) => isVisibleTo(tool, "model"));
 * // forTheModel has only "show"
 * ```
 */
export function isVisibleTo(tool: unknown, who: ToolVisibility): boolean {
  return readVisibility(tool).includes(who);
}

/**
 * Finds the UI of one tool call, from its tool and its result. The specification puts the link on the tool;
 * some servers put it on the result. The tool's link, valid or not, always wins, because a host can review
 * and prefetch it. The result's link is used if the tool has none, and is reported as a warning.
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
  const message = "the link to a UI belongs on the tool; other hosts look only there";
  problems.push({
    code: "resource-uri-on-result",
    level: "warning",
    field: `${UI_FIELD}.resourceUri`,
    message,
  });
  return { ...pick(result.resourceUri), from: "result", problems };
}

/**
 * Whether a tool links to this UI. Like {@link readToolUi} without the problems, for code that must stay
 * small.
 */
export const hasUi = (tool: unknown, uri: string): boolean =>
  isUiUri(uri) &&
  [["ui", "resourceUri"], [RESOURCE_URI_META_KEY], [OUTPUT_TEMPLATE_KEY]]
    .map((path) => at(tool, "_meta", ...path))
    .find((link) => link != null) === uri;

const pick = (resourceUri: string | undefined) => (resourceUri === undefined ? {} : { resourceUri });

function readLink(carrier: unknown): { declared: boolean; resourceUri?: string; problems: Problem[] } {
  const problems: Problem[] = [];
  const ui = at(carrier, "_meta", "ui");
  if (ui != null && !isRecord(ui)) problems.push(invalid("ui-meta-invalid", UI_FIELD, "an object"));
  const nested = at(ui, "resourceUri");
  const flat = at(carrier, "_meta", RESOURCE_URI_META_KEY);
  const flatField = `_meta["${RESOURCE_URI_META_KEY}"]`;
  const template = at(carrier, "_meta", OUTPUT_TEMPLATE_KEY);
  const uri = nested ?? flat ?? template;
  if (uri == null) return { declared: false, problems };

  const isTemplate = nested == null && flat == null;
  const field = isTemplate
    ? `_meta["${OUTPUT_TEMPLATE_KEY}"]`
    : nested == null
      ? flatField
      : `${UI_FIELD}.resourceUri`;
  if (isTemplate) {
    const message = `this key is for ChatGPT; write ${UI_FIELD}.resourceUri too, for other hosts`;
    problems.push({ code: "resource-uri-apps-sdk", level: "warning", field, message });
  } else if (nested == null) {
    const message = `this key is deprecated; write ${UI_FIELD}.resourceUri too`;
    problems.push({ code: "resource-uri-legacy", level: "warning", field, message });
  } else if (flat != null && flat !== nested) {
    const message = `differs from ${field}, which is used; make them the same`;
    problems.push({ code: "resource-uri-conflict", level: "warning", field: flatField, message });
  }
  if (isUiUri(uri)) return { declared: true, resourceUri: uri, problems };
  // Reports a readable error instead of showing a blank frame.
  problems.push(invalid("resource-uri-invalid", field, "a ui:// URI such as ui://my-server/view.html"));
  return { declared: true, problems };
}

function readVisibility(tool: unknown): ToolVisibility[] {
  const value = at(tool, "_meta", "ui", "visibility");
  if (value == null) return appsSdkVisibility(tool) ?? [...VISIBILITIES];
  const list = items(value);
  // A single string instead of a list is unambiguous, so it is accepted.
  return VISIBILITIES.filter((known) => (list ? list.includes(known) : value === known));
}

function checkVisibility(value: unknown, visibility: ToolVisibility[], problems: Problem[]): void {
  const field = `${UI_FIELD}.visibility`;
  const list = items(value);
  if (value != null && !list) {
    const level = visibility.length > 0 ? "warning" : "error";
    problems.push(invalid("visibility-invalid", field, 'a list of "model" and "app"', level));
  }
  list?.forEach((entry, index) => {
    if (VISIBILITIES.some((known) => known === entry)) return;
    problems.push(invalid("visibility-invalid", `${field}[${index}]`, '"model" or "app"'));
  });
}

/**
 * Reads `_meta.ui` of a UI resource, completed from its keys of the ChatGPT Apps SDK. The `resources/read` content item wins *as a whole*: if it has
 * `_meta.ui`, the `resources/list` entry is ignored. Malformed fields are left out, which can only make the
 * sandbox stricter. Origins are not checked here; `buildCsp` does that.
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
    const ui = resourceUiWithAppsSdk(sources[from]);
    if (ui != null) return { from, ...readResourceMeta(ui) };
  }
  return { meta: {}, from: "none", problems: [] };
}

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

type Report = (code: ProblemCode, path: string, expected: string, level?: Problem["level"]) => void;

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
    if (asksForPermission(value)) read[permission] = {};
    if (isRecord(value)) continue;
    // Some servers write true and false; the meaning is clear.
    const level = typeof value === "boolean" ? "warning" : "error";
    wrong("permission-invalid", `.permissions.${permission}`, "an empty object, or absent", level);
  }
  return read;
}

/** Whether this is the address of a UI resource. */
export const isUiUri = (uri: unknown): uri is string =>
  typeof uri === "string" && uri.length <= 2048 && /^ui:\/\/[^\s\p{Cc}]+$/u.test(uri);

const invalid = (
  code: ProblemCode,
  field: string,
  expected: string,
  level: Problem["level"] = "error",
): Problem => ({ code, level, field, message: `${field} must be ${expected}` });
