/**
 * Prepares a document without a server, such as that of a recording.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { MAX_UI_BYTES } from "@vitrine/guard";
import { readUiDocument, UI_MIME_TYPE, VitrineError } from "@vitrine/protocol";
import type { Sandbox } from "@vitrine/sandbox";
import { GatewayError, type GatewayRequests, type OpenedView } from "@vitrine/wire";

/** A placeholder URI for `readUiDocument`, because the document has none. */
const ADDRESS = "ui://document";

/**
 * Everything that a page needs to show the document. It is read like a server's resource, but gets no
 * permissions: no operator can have allowed them, and its author is unknown. Errors are reported in
 * `problem`.
 */
export async function showDocument(
  sandbox: Sandbox,
  view: string,
  { name, html, meta, narrow, dialects }: GatewayRequests["gateway/show"]["params"],
): Promise<OpenedView> {
  const opened: OpenedView = { view, server: "", capabilities: {}, uri: name };
  const content = { uri: ADDRESS, mimeType: UI_MIME_TYPE, text: html, _meta: { ui: meta } };
  const document = readUiDocument({ contents: [content] }, ADDRESS, { maxBytes: MAX_UI_BYTES });
  if (!document.ok) return { ...opened, problem: { code: document.code, message: document.message } };
  // No server name contains a space, and the rest is random: the origin is unique, and its storage empty.
  const server = `document ${randomBytes(16).toString("hex")}`;
  try {
    const registration = { server, html: document.html, meta: document.meta, narrow, dialects };
    return { ...opened, place: await sandbox.register(registration) };
  } catch (error) {
    if (!(error instanceof VitrineError) || error.code !== "bad-resource") throw error;
    return { ...opened, problem: { code: "bad-resource", message: error.message } };
  }
}

/** The answer to requests of such a document. */
export const withoutServer = (): GatewayError =>
  new GatewayError("server-unknown", "this document is shown without its server, so it cannot make requests");
