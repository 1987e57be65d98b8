/**
 * Closes the parts of a drained gateway, in order.
 *
 * @module
 */
import type { GatewayParts } from "./parts.js";

/** Least milliseconds for answers that are being written. */
const ANSWERS = 500;

/**
 * Ends what is left: pages are notified first, then calls end, and only then connections close. A part that fails does not
 * keep the others open: the next gateway of this process needs their ports, and the lock on the data folder.
 *
 * @throws {unknown} the error of the first part that failed
 */
export async function closeParts(parts: GatewayParts): Promise<void> {
  const { disk } = parts;
  const failures: unknown[] = [];
  const close = async (part: () => unknown): Promise<void> => {
    try {
      await part();
    } catch (error) {
      failures.push(error);
    }
  };
  await close(() => parts.administration.setup?.close());
  await close(() => parts.administration.logs.close());
  await close(() => parts.registry.close());
  void close(() => parts.sockets.close());
  await close(() => parts.streams.close());
  await close(() => parts.pool.close(0));
  await close(() => parts.conversations.close());
  const grace = Math.max(ANSWERS, parts.drain.left);
  await Promise.all([close(() => parts.listener?.close(grace)), close(() => disk.links?.close(grace))]);
  await close(() => parts.servers.close());
  await close(() => parts.sandbox?.close());
  await close(() => disk.browsers?.close());
  await close(() => parts.refusals.flush());
  await close(() => parts.changes.flush());
  await close(() => disk.store.close());
  await close(() => disk.shared?.close());
  await close(() => disk.folder?.release());
  if (failures.length > 0) throw failures[0];
}
