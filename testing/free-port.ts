/**
 * Free ports, for programs that need theirs before they listen.
 */
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the range of ephemeral ports, so that no program gets this port between the check and the listening. */
const FIRST = 20_000;
const LAST = 32_000;

/** Each worker starts at another port. */
let next = FIRST + Math.floor(Math.random() * (LAST - FIRST));

/** Returns a free loopback port that no other caller gets. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = next;
    next = port === LAST ? FIRST : port + 1;
    const server = createServer();
    try {
      await once(server.listen(port, "127.0.0.1"), "listening");
      return port;
    } catch {
      // The port is in use.
    } finally {
      server.close();
    }
  }
  throw new Error(`none of the 100 ports before ${next} is free`);
}
