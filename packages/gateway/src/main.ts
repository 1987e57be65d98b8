#!/usr/bin/env node
/**
 * `vitrine-gateway`: runs a gateway, and maintains its audit log.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { GatewayError } from "@vitrine/wire";

const USAGE = `vitrine-gateway [options] [-- COMMAND ARGS… | URL]

Runs a gateway: MCP servers on one side, browsers and programs on the other.

  --config FILE      servers and settings: the usual mcpServers file; watched while the gateway runs
  --port N           the port to listen on; 8090 by default, 0 for any free one
  --host ADDRESS     the address to listen on; loopback by default
  --allow-remote     required, with users in the settings, for any other address
  --data FOLDER      the gateway's own files
  --database URL     sqlite:/path/to/file or postgres://…
  --join URL         be one of several nodes on this PostgreSQL database, with the settings that are published there
  --node-listen HOST:PORT   the local address for other nodes
  --node-address HOST:PORT  the address under which other nodes reach this one
  --static FOLDER    a page to serve
  --strict           trust no server, and sandbox the one that is named here
  --isolation DRIVER process (the default), bubblewrap, container or auto, for the server that is named here
  --image NAME       the image for --isolation container
  --network          let a sandboxed server reach the network
  -- COMMAND ARGS…   a server to run, or the URL of one; its tools are trusted

vitrine-gateway secret COMMAND [--config FILE] [--data FOLDER] [--join URL]

  set NAME             stores a secret from stdin, for \${secret:NAME} in the settings
  delete NAME          deletes it
  rotate               with --join: encrypts the secrets of all nodes with the first of the keys in VITRINE_KEY

vitrine-gateway audit COMMAND [--config FILE] [--data FOLDER] [--database URL]

  For a stopped gateway. While it runs, use GET /api/audit/verify and GET /api/audit/export.
  verify               checks the chain of hashes; exit code 1 if it is broken
  export               writes JSON lines to stdout
  verify --archive FOLDER  checks archive files, and that the log continues them
  prune DAYS           removes older rows; with --archive FOLDER, or audit.archive in the
                       settings, after they are stored there
  vacuum               returns unused space of SQLite's file
  accept-broken-chain  continues the log after a break that somebody has looked into

vitrine-gateway hold COMMAND [--config FILE] [--data FOLDER] [--database URL]

  Legal holds: what they hold is neither removed nor deleted. Also while the gateway runs.
  add --reason TEXT    holds what fits all of these: --user NAME, --server NAME,
                       --from DAY, --to DAY
  list                 shows the holds
  export ID            writes removed rows and conversations that it holds, as JSON lines
  remove ID            ends a hold

  --help, --version`;

/** Runs the command; returns the exit code. */
async function main(words: string[]): Promise<number> {
  const end = words.indexOf("--");
  const { values: all, positionals } = parseArgs({
    args: end < 0 ? words : words.slice(0, end),
    allowPositionals: true,
    options: {
      config: { type: "string" },
      port: { type: "string" },
      host: { type: "string" },
      "allow-remote": { type: "boolean" },
      data: { type: "string" },
      database: { type: "string" },
      join: { type: "string" },
      "node-listen": { type: "string" },
      "node-address": { type: "string" },
      static: { type: "string" },
      strict: { type: "boolean" },
      isolation: { type: "string" },
      image: { type: "string" },
      network: { type: "boolean" },
      help: { type: "boolean" },
      version: { type: "boolean" },
      archive: { type: "string" },
      user: { type: "string" },
      server: { type: "string" },
      from: { type: "string" },
      to: { type: "string" },
      reason: { type: "string" },
    },
  });
  const { archive, user, server, from, to, reason, ...values } = all;
  if (values.help || values.version) {
    const { VITRINE_VERSION } = await import("@vitrine/wire");
    process.stdout.write(`${values.help ? USAGE : VITRINE_VERSION}\n`);
    return 0;
  }
  const [command, ...rest] = positionals;
  // Each command loads only the modules that it needs, and `--help` none.
  if (command === "audit")
    return (await import("./commands/audit.js")).auditCommand(rest, { ...values, archive });
  if (command === "hold") {
    const options = { user, server, from, to, reason };
    return (await import("./commands/hold.js")).holdCommand(rest, options, values);
  }
  const unused = Object.entries({ archive, user, server, from, to, reason }).find(
    ([, value]) => value !== undefined,
  );
  if (unused) throw new GatewayError("config-invalid", `--${unused[0]} is an option of "audit" or "hold"`);
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
    // An error that the user can fix is printed as a sentence; any other with its stack.
    const isExpected = error instanceof GatewayError || error instanceof TypeError;
    process.stderr.write(`${isExpected ? message : (error as Error).stack}\n`);
    process.exitCode = 1;
  },
);
