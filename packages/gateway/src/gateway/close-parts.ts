/**
 * Closes the parts of a drained gateway, in order.
 *
 * @module
 */
import type { GatewayParts } from "./parts.js";

/** Least milliseconds for answers that are being written. */
const ANSWERS = 500;

/** Ends what is left: pages are notified first, then calls end, and only then connections close. */
export async function closeParts(parts: GatewayParts): Promise<void> {
  parts.registry.close();
  void parts.sockets.close();
  parts.streams.close();
  await parts.pool.close(0);
  await parts.conversations.close();
  const grace = Math.max(ANSWERS, parts.drain.left);
  await Promise.all([parts.listener?.close(grace), parts.disk.links?.close(grace)]);
  await parts.servers.close();
  await parts.sandbox?.close();
  await parts.disk.browsers?.close();
  await parts.refusals.flush();
  await parts.changes.flush();
  await parts.disk.store.close();
  await parts.disk.shared?.close();
  parts.disk.folder?.release();
}
