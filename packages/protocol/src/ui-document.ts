/**
 * Extracts the HTML document of a view from a `resources/read` result.
 *
 * @module
 */

import { isAppsSdkMimeType } from "./dialects/apps-sdk.js";
import { declaredDialects } from "./dialects/declared-dialects.js";
import type { ViewDialect } from "./dialects/view-dialects.js";
import { isUiUri, type Problem, readResourceUi } from "./metadata.js";
import { isUiMimeType, UI_MIME_TYPE } from "./ui-extension.js";
import type { ResourceMeta } from "./ui-meta.js";
import { at, items } from "./untrusted.js";

/** Why {@link readUiDocument} found no document. */
export type UiDocumentErrorCode =
  /** The requested URI is not `ui://`. */
  | "uri-invalid"
  /** The result has no content for the URI. */
  | "content-missing"
  /** The content's MIME type is neither {@link UI_MIME_TYPE} nor that of the ChatGPT Apps SDK. */
  | "mime-type-wrong"
  /** The content has neither `text` nor `blob`, or it is empty. */
  | "document-empty"
  /** `blob` is not base64. */
  | "base64-invalid"
  /** `blob` is not UTF-8. */
  | "utf8-invalid"
  /** The document is larger than `maxBytes`. */
  | "document-too-large";

/** The document of a UI resource, or the reason why there is none. */
export type UiDocument =
  | {
      ok: true;
      /** The document, without a byte order mark. */
      html: string;
      uri: string;
      meta: ResourceMeta;
      /** Source of `meta`. */
      from: "content" | "listing" | "none";
      /** Dialects that the resource declares: pass them to the sandbox. */
      dialects: ViewDialect[];
      problems: Problem[];
    }
  | { ok: false; code: UiDocumentErrorCode; message: string };

/**
 * Extracts the document and its metadata from a `resources/read` result. `listing` is the resource's
 * `resources/list` entry, the fallback for the metadata.
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
  const withType = (isMeant: (mimeType: unknown) => boolean): unknown =>
    candidates.find((candidate) => isMeant(at(candidate, "mimeType")));
  const item = withType(isUiMimeType) ?? withType(isAppsSdkMimeType) ?? candidates[0];
  if (item === undefined) return failed("content-missing", `the server returned no content for ${uri}`);
  const mimeType = at(item, "mimeType");
  const isAppsSdk = isAppsSdkMimeType(mimeType);
  if (!isUiMimeType(mimeType) && !isAppsSdk) {
    const got = typeof mimeType === "string" ? JSON.stringify(mimeType.slice(0, 80)) : "none";
    return failed("mime-type-wrong", `the MIME type must be "${UI_MIME_TYPE}", but is ${got}`);
  }
  const decoded = readHtml(at(item, "text"), at(item, "blob"), maxBytes);
  if (!decoded.ok) return decoded;

  const { meta, from, problems } = readResourceUi({ content: item, listing });
  if (mimeType !== UI_MIME_TYPE && !isAppsSdk) {
    const message = `write exactly "${UI_MIME_TYPE}"; other hosts require an exact match`;
    problems.push({ code: "mime-type-inexact", level: "warning", field: "mimeType", message });
  }
  if (named.length === 0) {
    const message = `the content must have the requested URI, ${uri}`;
    problems.push({ code: "uri-mismatch", level: "warning", field: "uri", message });
  }
  const dialects = declaredDialects(item, listing);
  return { ok: true, html: decoded.html, uri, meta, from, dialects, problems };
}

type Failed = { ok: false; code: UiDocumentErrorCode; message: string };
const failed = (code: UiDocumentErrorCode, message: string): Failed => ({ ok: false, code, message });

function readHtml(text: unknown, blob: unknown, maxBytes: number): { ok: true; html: string } | Failed {
  const tooLarge = failed("document-too-large", `the document is larger than the limit of ${maxBytes} bytes`);
  let html = "";
  if (typeof text === "string" && text !== "") {
    // A UTF-16 unit takes one to three bytes in UTF-8, so most texts need not be encoded to be measured.
    if (text.length > maxBytes) return tooLarge;
    if (text.length * 3 > maxBytes && new TextEncoder().encode(text).length > maxBytes) return tooLarge;
    html = text.replace(/^\uFEFF/, "");
  } else if (typeof blob === "string") {
    // Checked before decoding, with room for padding and line breaks, so that a huge blob is refused cheaply.
    if (blob.length > maxBytes * 1.5 + 8) return tooLarge;
    let binary: string;
    try {
      binary = atob(blob);
    } catch {
      return failed("base64-invalid", "the blob is not valid base64");
    }
    if (binary.length > maxBytes) return tooLarge;
    try {
      // `atob` returns one character per byte, so the bytes must still be decoded as UTF-8.
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
