/**
 * Makes a document ready to be shown that no server stands behind: that of a recording, say.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { MAX_UI_BYTES } from "@vitrine/guard";
import { readUiDocument, UI_MIME_TYPE, VitrineError } from "@vitrine/protocol";
import type { Sandbox } from "@vitrine/sandbox";
import { GatewayError, type GatewayRequests, type OpenedView } from "@vitrine/wire";

/** Where `readUiDocument` is told to look: the document has no address. */
const ADDRESS = "ui://document";

/**
 * What a page needs to show it. It is read as a server's resource would be, and gets no permission: there is no operator
 * who could have said yes, and nobody knows who wrote it. What is wrong with it is told in `problem` (C08).
 */
export async function showDocument(
  sandbox: Sandbox,
  view: string,
  { name, html, meta, narrow }: GatewayRequests["gateway/show"]["params"],
): Promise<OpenedView> {
  const opened: OpenedView = { view, server: "", capabilities: {}, uri: name };
  const content = { uri: ADDRESS, mimeType: UI_MIME_TYPE, text: html, _meta: { ui: meta } };
  const document = readUiDocument({ contents: [content] }, ADDRESS, { maxBytes: MAX_UI_BYTES });
  if (!document.ok) return { ...opened, problem: { code: document.code, message: document.message } };
  // No server has a space in its name, and nobody can guess the rest: the origin is its own, and so empty each time.
  const server = `document ${randomBytes(16).toString("hex")}`;
  try {
    const registration = { server, html: document.html, meta: document.meta, narrow };
    return { ...opened, place: await sandbox.register(registration) };
  } catch (error) {
    if (!(error instanceof VitrineError) || error.code !== "bad_resource") throw error;
    return { ...opened, problem: { code: "bad_resource", message: error.message } };
  }
}

/** The answer to what such a document asks. */
export const withoutServer = (): GatewayError =>
  new GatewayError("server-unknown", "this document is shown without its server: nothing can be asked there");
