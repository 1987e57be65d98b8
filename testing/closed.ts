/**
 * The end of a connection.
 */
import type { Socket } from "node:net";

/**
 * Waits until the connection is closed. A write to a closed connection raises an error, which counts as the
 * end.
 */
export const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on("error", () => {}).once("close", () => resolve());
  });
