/**
 * UI resources of mcp-ui, which servers put into the result of a tool instead of offering them for reading.
 *
 * @module
 */
import { isUiUri } from "../metadata.js";
import { readUiDocument, type UiDocument } from "../ui-document.js";
import { isUiMimeType, UI_MIME_TYPE } from "../ui-extension.js";
import { at, isRecord, items } from "../untrusted.js";
import { isAppsSdkMimeType } from "./apps-sdk.js";
import { VIEW_DIALECTS } from "./view-dialects.js";

/** A UI in a result. */
export interface EmbeddedUi {
  uri: string;
  /** The document, or why it cannot be shown. */
  document: UiDocument;
}

/** The key of a preferred size, as CSS lengths or numbers of pixels. */
const SIZE_KEY = "mcpui.dev/ui-preferred-frame-size";
const DEFAULT_HEIGHT = 400;

/**
 * The UI in a tool's result: the first embedded resource with a `ui://` address and a MIME type of HTML
 * (`text/html`, MCP Apps or Apps SDK) or `text/uri-list`. The page of a `text/uri-list` is shown in a frame: its origin
 * counts as declared in `frameDomains`.
 *
 * @example
 * ```ts source="../metadata.examples.ts#readEmbeddedUi"
 * const resource = { uri: "ui://shop/cart", mimeType: "text/html", text: "<!doctype html><p>Cart" };
 * const found = readEmbeddedUi({ content: [{ type: "resource", resource }] });
 * const shown = found?.document.ok ? found.document.html : undefined;
 * ```
 */
export function readEmbeddedUi(result: unknown, options: { maxBytes?: number } = {}): EmbeddedUi | undefined {
  for (const block of items(at(result, "content")) ?? []) {
    const resource = at(block, "type") === "resource" ? at(block, "resource") : undefined;
    const uri = at(resource, "uri");
    if (!isRecord(resource) || !isUiUri(uri)) continue;
    const content = contentOf(resource);
    if (!content) continue;
    const document = readUiDocument({ contents: [content] }, uri, options);
    if (!document.ok) return { uri, document };
    // It may speak MCP Apps as well: then it shakes hands itself.
    const dialects = VIEW_DIALECTS.filter((each) => each === "mcp-ui" || document.dialects.includes(each));
    return { uri, document: { ...document, dialects } };
  }
  return undefined;
}

/** The resource as one of MCP Apps; undefined if it is no UI. */
function contentOf(resource: Record<string, unknown>): Record<string, unknown> | undefined {
  const { mimeType } = resource;
  const isHtml = isUiMimeType(mimeType) || isAppsSdkMimeType(mimeType);
  // Servers of mcp-ui 6 send the address of a page under the MIME type of a document.
  if (isHtml) return /^\s*https?:\/\/\S+\s*$/.test(textOf(resource)) ? framing(resource) : resource;
  const type = typeof mimeType === "string" ? mimeType.split(";")[0]?.trim().toLowerCase() : undefined;
  if (type === "text/html") return { ...resource, mimeType: UI_MIME_TYPE };
  return type === "text/uri-list" ? framing(resource) : undefined;
}

/** A document that shows the page of a `text/uri-list`. */
function framing(resource: Record<string, unknown>): Record<string, unknown> {
  const { uri, _meta } = resource;
  const url = firstUrl(textOf(resource));
  // Refused with a readable cause, like any empty document.
  if (!url) return { uri, mimeType: UI_MIME_TYPE, text: "" };
  const meta = isRecord(_meta) ? _meta : {};
  const ui = isRecord(meta["ui"]) ? meta["ui"] : {};
  const csp = isRecord(ui["csp"]) ? ui["csp"] : {};
  const frameDomains = [...(items(csp["frameDomains"]) ?? []), url.origin];
  return {
    uri,
    mimeType: UI_MIME_TYPE,
    text: pageOf(url, items(meta[SIZE_KEY])?.[1]),
    _meta: { ...meta, ui: { ...ui, csp: { ...csp, frameDomains } } },
  };
}

const pageOf = (url: URL, height: unknown): string =>
  `<!doctype html><title>App</title><style>body{margin:0}iframe{display:block;border:0;width:100%;height:${
    Number.parseInt(`${height}`, 10) || DEFAULT_HEIGHT
  }px}</style><iframe data-mcp-ui title="App" src="${url.href.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe>`;

/** The first address of a list, in which lines with `#` are comments. */
function firstUrl(list: string): URL | undefined {
  const line = list.split(/\r?\n/).find((each) => each.trim() !== "" && !each.startsWith("#"));
  const url = line !== undefined && URL.canParse(line.trim()) ? new URL(line.trim()) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

function textOf({ text, blob }: Record<string, unknown>): string {
  if (typeof text === "string") return text;
  try {
    return typeof blob === "string" ? atob(blob) : "";
  } catch {
    return "";
  }
}
