/**
 * Reads the current document of an app from its server.
 *
 * @module
 */
import type { GatewayClient } from "@vitrine/host/gateway";
import { readUiDocument, VitrineError } from "@vitrine/protocol";
import { plainOf } from "../model/messages/message-json.js";
import type { AppDocument } from "../model/recording/recorder.js";

/** Reads it as a view would. */
export async function currentDocument(
  gateway: GatewayClient,
  server: string,
  uri: string,
  timeout: number,
): Promise<AppDocument> {
  const view = await gateway.openView({ server, uri }, { signal: AbortSignal.timeout(timeout) });
  const read = readUiDocument(plainOf(await view.upstream.request("resources/read", { uri })), uri);
  if (!read.ok) throw new VitrineError("invalid", read.message, { data: { code: read.code } });
  await view.close();
  return { html: read.html, meta: read.meta };
}
