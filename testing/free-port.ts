/**
 * Ports for those who are told theirs before they listen.
 */
import { once } from "node:events";
import { createServer } from "node:net";

/** Below those that systems give to whoever asks for any: between the asking and the listening nobody gets it. */
const FIRST = 20_000;
const LAST = 32_000;

/** Each worker begins elsewhere. */
let next = FIRST + Math.floor(Math.random() * (LAST - FIRST));

/** A port of loopback that nobody has, and that is given to nobody else here. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = next;
    next = port === LAST ? FIRST : port + 1;
    const server = createServer();
    try {
      await once(server.listen(port, "127.0.0.1"), "listening");
      return port;
    } catch {
      // Somebody else's.
    } finally {
      server.close();
    }
  }
  throw new Error(`none of the 100 ports before ${next} is free`);
}
