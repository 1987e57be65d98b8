/**
 * The smallest program that starts servers. It reads their specifications from the first line of stdin,
 * prints its process id and how each server started, and stops them when stdin ends. `node small-gateway.mjs
 * <bundle of the isolation>`
 */
import { createInterface } from "node:readline";

const { launch, GATEWAY } = await import(process.argv[2]);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const specs = JSON.parse((await lines.next()).value);
console.log(JSON.stringify([GATEWAY]));

const servers = [];
const started = await Promise.all(
  specs.map(async (spec) => {
    try {
      const server = await launch(spec);
      servers.push(server);
      server.stderr.resume();
      const { driver, pid } = server;
      for await (const line of createInterface({ input: server.stdout })) {
        return { driver, pid, line: JSON.parse(line) };
      }
      return { driver, pid };
    } catch (error) {
      return { problem: error.message };
    }
  }),
);
console.log(JSON.stringify(started));
await lines.next();
await Promise.all(servers.map((server) => server.stop(100)));
process.exit();
