#!/usr/bin/env node
/**
 * `vitrine-gateway`: runs a gateway, and looks after its audit log.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { GatewayError } from "./errors.js";

const USAGE = `vitrine-gateway [options] [-- COMMAND ARGS… | URL]

Runs a gateway: MCP servers on one side, browsers and programs on the other.

  --config FILE      servers and settings: the usual mcpServers file; watched while it runs
  --port N           where it listens; 8090 by default, 0 for any that is free
  --host ADDRESS     an address of this machine; loopback by default
  --allow-remote     needed, with users in the settings, for any other address
  --data FOLDER      the gateway's own files
  --database URL     sqlite:/path/to/file or postgres://…
  --static FOLDER    a page to serve
  --strict           trust no server, not even one that is named here, and close it in
  --isolation DRIVER process (its default), bubblewrap, container or auto, for the server that is named here
  --image NAME       the image that it runs in, for a container
  --network          it may reach the network, if it is closed in
  -- COMMAND ARGS…   a server to run, or the URL of one; its own tools are trusted

vitrine-gateway secret COMMAND [--config FILE] [--data FOLDER]

  set NAME             keeps a secret from stdin, for \${secret:NAME} in the settings
  delete NAME          forgets it

vitrine-gateway audit COMMAND [--config FILE] [--data FOLDER] [--database URL]

  The log of a gateway that does not run; of one that does, use GET /api/audit/verify and GET /api/audit/export.
  verify               checks the chain; exit code 1 if it is broken
  export               lines of JSON to stdout
  prune DAYS           removes rows that are older
  accept-broken-chain  lets the log go on after a break that somebody has looked into

  --help, --version`;

/** Runs the command; returns the exit code. */
async function main(words: string[]): Promise<number> {
  const end = words.indexOf("--");
  const { values, positionals } = parseArgs({
    args: end < 0 ? words : words.slice(0, end),
    allowPositionals: true,
    options: {
      config: { type: "string" },
      port: { type: "string" },
      host: { type: "string" },
      "allow-remote": { type: "boolean" },
      data: { type: "string" },
      database: { type: "string" },
      static: { type: "string" },
      strict: { type: "boolean" },
      isolation: { type: "string" },
      image: { type: "string" },
      network: { type: "boolean" },
      help: { type: "boolean" },
      version: { type: "boolean" },
    },
  });
  if (values.help || values.version) {
    process.stdout.write(values.help ? `${USAGE}\n` : "0.1.0\n");
    return 0;
  }
  const [command, ...rest] = positionals;
  // Each command loads what it needs, and `--help` nothing.
  if (command === "audit") return (await import("./commands/audit.js")).auditCommand(rest, values);
  if (command === "secret") return (await import("./commands/secret.js")).secretCommand(rest, values);
  return (await import("./commands/serve.js")).serveCommand({
    ...values,
    server: end < 0 ? positionals : words.slice(end + 1),
  });
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const { message } = error as Error;
    // What a person can mend is a sentence; anything else is a fault, with the place where it is.
    const isTold = error instanceof GatewayError || error instanceof TypeError;
    process.stderr.write(`${isTold ? message : (error as Error).stack}\n`);
    process.exitCode = 1;
  },
);
