/**
 * Metadata of the ChatGPT Apps SDK in the form of MCP Apps. Where a server writes both, MCP Apps counts.
 *
 * | Apps SDK | MCP Apps |
 * |---|---|
 * | `openai/outputTemplate` | `ui.resourceUri` |
 * | `openai/visibility`, `openai/widgetAccessible` | `ui.visibility` |
 * | `openai/widgetCSP` | `ui.csp` |
 * | `openai/widgetDomain` | `ui.domain` |
 * | `openai/widgetPrefersBorder` | `ui.prefersBorder` |
 *
 * @module
 */
import type { ResourceCsp, ToolVisibility } from "../ui-meta.js";
import { at, isRecord } from "../untrusted.js";

/** The tool's key for the address of its UI. */
export const OUTPUT_TEMPLATE_KEY = "openai/outputTemplate";

/** Lists of origins in `openai/widgetCSP`. `redirect_domains` has no counterpart: Vitrine adds nothing to links. */
const CSP_NAMES = {
  connect_domains: "connectDomains",
  resource_domains: "resourceDomains",
  frame_domains: "frameDomains",
  base_uri_domains: "baseUriDomains",
} as const satisfies Record<string, keyof ResourceCsp>;

/** Whether a MIME type is that of the Apps SDK. Further parameters do not matter. */
export const isAppsSdkMimeType = (mimeType: unknown): boolean =>
  typeof mimeType === "string" && /^\s*text\/html\+skybridge\s*(;|$)/i.test(mimeType);

/**
 * The callers of a tool by its keys of the Apps SDK; undefined if they exclude nobody. A tool with a template, and nothing of
 * MCP Apps, is not for views unless it says so: that is the Apps SDK's default.
 */
export function appsSdkVisibility(tool: unknown): ToolVisibility[] | undefined {
  const meta = at(tool, "_meta");
  const isPrivate = at(meta, "openai/visibility") === "private";
  const accessible = at(meta, "openai/widgetAccessible");
  const isOfDialect = at(meta, OUTPUT_TEMPLATE_KEY) != null && at(meta, "ui") == null;
  const isForApps = typeof accessible === "boolean" ? accessible : isPrivate || !isOfDialect;
  if (!isPrivate && isForApps) return undefined;
  return [...(isPrivate ? [] : (["model"] as const)), ...(isForApps ? (["app"] as const) : [])];
}

/** The fields of `_meta.ui` of a resource. */
const FIELDS = ["csp", "permissions", "domain", "prefersBorder"] as const;

/** `_meta.ui` of a resource, completed from its keys of the Apps SDK. */
export function resourceUiWithAppsSdk(resource: unknown): unknown {
  const meta = at(resource, "_meta");
  const ui = at(meta, "ui");
  const csp = at(meta, "openai/widgetCSP");
  const dialect = {
    csp: isRecord(csp) ? renamed(csp) : csp,
    domain: at(meta, "openai/widgetDomain"),
    prefersBorder: at(meta, "openai/widgetPrefersBorder"),
  };
  const isOfDialect = Object.values(dialect).some((value) => value != null);
  if (!isOfDialect || (ui != null && !isRecord(ui))) return ui;
  return Object.fromEntries(FIELDS.map((field) => [field, at(ui, field) ?? at(dialect, field)]));
}

const renamed = (csp: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(CSP_NAMES).flatMap(([name, ours]) => {
      const value = at(csp, name);
      return value == null ? [] : [[ours, value]];
    }),
  );

/** Texts for the status of a call. */
export interface InvocationTexts {
  /** While the tool runs. */
  invoking?: string;
  /** After it has finished. */
  invoked?: string;
}

/** Characters of a status text that are used; the Apps SDK allows 64. */
const MAX_STATUS = 64;

/**
 * The texts with which a tool describes its calls: `openai/toolInvocation/invoking` and `…/invoked`. They come from the
 * server: show them as its words.
 *
 * @example
 * ```ts source="../metadata.examples.ts#readInvocationTexts"
 * const tool = { name: "search", _meta: { "openai/toolInvocation/invoking": "Searching…" } };
 * const { invoking } = readInvocationTexts(tool);
 * // invoking is "Searching…"
 * ```
 */
export function readInvocationTexts(tool: unknown): InvocationTexts {
  const texts: InvocationTexts = {};
  for (const name of ["invoking", "invoked"] as const) {
    const text = at(tool, "_meta", `openai/toolInvocation/${name}`);
    // On one line, without characters that hide or reorder others.
    const shown = typeof text === "string" ? text.replace(/[\p{C}\p{Z}]+/gu, " ").trim() : "";
    if (shown !== "") texts[name] = shown.slice(0, MAX_STATUS);
  }
  return texts;
}
