/**
 * The one reader of MCP Apps metadata, from every place that carries it: a tool, a tool's result, the legacy
 * flat key, a `resources/list` entry and a `resources/read` content item.
 *
 * All of it comes from the other side: the readers never throw, copy only what they know, and report
 * what is wrong as {@link Problem}s, which a host shows and a checker counts.
 *
 * @module
 */

import { CSP_FIELDS } from "./csp.js";
import { asksForPermission, PERMISSION_FEATURES, type Permission } from "./permissions.js";
import type { ResourceCsp, ResourceMeta, ResourcePermissions, ToolVisibility } from "./ui-meta.js";
import { at, isRecord, items } from "./untrusted.js";

/** The deprecated flat key that links a tool to its UI (R06). */
export const RESOURCE_URI_META_KEY = "ui/resourceUri";

/** What kind of {@link Problem}; the meaning of a code never changes. */
export type ProblemCode =
  /** `_meta.ui` is no object. */
  | "ui-meta-invalid"
  /** The address of the UI is no `ui://` URI (R01). */
  | "resource-uri-invalid"
  /** The address stands under the deprecated flat key alone (R06). */
  | "resource-uri-legacy"
  /** The flat key and the nested one differ; the nested one is used (R06). */
  | "resource-uri-conflict"
  /** The address stands on a result in place of the tool. */
  | "resource-uri-on-result"
  /** `visibility` is no list of `model` and `app` (R08). */
  | "visibility-invalid"
  /** A tool has `csp`, which means nothing there (R09). */
  | "csp-on-tool"
  /** A tool has `permissions`, which mean nothing there (R09). */
  | "permissions-on-tool"
  /** `csp`, or one of its lists, has the wrong shape. */
  | "csp-invalid"
  /** `permissions` is no object. */
  | "permissions-invalid"
  /** One permission is neither an object nor absent. */
  | "permission-invalid"
  /** `domain` is no domain name. */
  | "domain-invalid"
  /** `prefersBorder` is neither true nor false. */
  | "prefers-border-invalid"
  /** The MIME type means the right thing and is written in another way (R02). */
  | "mime-type-inexact"
  /** The content has another URI than the one asked for. */
  | "uri-mismatch";

/** Something wrong with metadata. */
export interface Problem {
  code: ProblemCode;
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
  const visibility = readVisibility(at(ui, "visibility"));
  checkVisibility(at(ui, "visibility"), visibility, problems);
  for (const field of ["csp", "permissions"] as const) {
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
  return readVisibility(at(tool, "_meta", "ui", "visibility")).includes(who);
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

/**
 * Whether a tool names this address as that of its UI (R01, R06): {@link readToolUi} without the problems, for code that
 * is small because it has no words for them.
 */
export const hasUi = (tool: unknown, uri: string): boolean =>
  isUiUri(uri) &&
  (at(tool, "_meta", "ui", "resourceUri") ?? at(tool, "_meta", RESOURCE_URI_META_KEY)) === uri;

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

function readVisibility(value: unknown): ToolVisibility[] {
  if (value == null) return [...VISIBILITIES];
  const list = items(value);
  // A single name in place of a list leaves no doubt about what is meant.
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
    // Some servers write true and false, and it is clear what they mean.
    const level = typeof value === "boolean" ? "warning" : "error";
    wrong("permission-invalid", `.permissions.${permission}`, "an empty object, or absent", level);
  }
  return read;
}

/** Whether this is the address of a UI resource (R01). */
export const isUiUri = (uri: unknown): uri is string =>
  typeof uri === "string" && uri.length <= 2048 && /^ui:\/\/[^\s\p{Cc}]+$/u.test(uri);

const invalid = (
  code: ProblemCode,
  field: string,
  expected: string,
  level: Problem["level"] = "error",
): Problem => ({ code, level, field, message: `${field} must be ${expected}` });
