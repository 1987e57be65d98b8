/**
 * The end of a connection.
 */
import type { Socket } from "node:net";

/** Waits until it is closed. Who writes to one that is gone hears of that as an error: it is no other end. */
export const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on("error", () => {}).once("close", () => resolve());
  });
