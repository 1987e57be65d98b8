/**
 * The `audit` command: maintains the audit log of a stopped gateway.
 *
 * @module
 */
import { pipeline } from "node:stream/promises";
import { GatewayError } from "@vitrine/wire";
import { readVariableFiles } from "../config/variable-files.js";
import { exportRows } from "../store/export.js";
import { openStore } from "../store/open.js";
import { verifyArchive } from "../store/verify-archive.js";
import { type CommandLine, settingsOf } from "./settings.js";

const DAY = 86_400_000;
const out = (text: string): void => void process.stdout.write(`${text}\n`);

/** Runs the command; returns the exit code. */
export async function auditCommand(
  [what = "", days]: readonly string[],
  line: CommandLine & { readonly archive?: string | undefined },
): Promise<number> {
  if (!/^(verify|export|prune|vacuum|accept-broken-chain)$/.test(what)) {
    const message = "audit: use verify, export, vacuum, accept-broken-chain, or prune DAYS";
    throw new GatewayError("config-invalid", message);
  }
  readVariableFiles();
  const { archive } = line;
  if (what === "verify" && archive !== undefined && !(await areFilesIntact(archive))) return 1;
  const { database, dataFolder: folder, audit } = await settingsOf(line);
  const accepted = what === "accept-broken-chain" ? { acceptBrokenChain: "the command line" } : {};
  const store = await openStore(database, { folder, ...accepted });
  try {
    if (what === "export") {
      // The reader may close the pipe early: `audit export | head`.
      await pipeline(exportRows(store.audit), process.stdout, { end: false }).catch((error) => {
        if (Object(error).code !== "EPIPE") throw error;
      });
      return 0;
    }
    if (what === "prune") {
      if (!/^\d+$/.test(`${days}`))
        throw new GatewayError("config-invalid", "audit prune: give the number of days to keep");
      const before = Date.now() - Number(days) * DAY;
      const removed = await store.audit.prune(before, { archive: archive ?? audit.archive });
      out(removed === 1 ? "1 row was removed" : `${removed} rows were removed`);
      return 0;
    }
    if (what === "vacuum") {
      const isDone = await store.compact();
      out(isDone ? "the database was rewritten without unused space" : "PostgreSQL reuses the space itself");
      return 0;
    }
    const found = await store.audit.verify(undefined, { archive });
    out(
      found.ok
        ? `${found.rows} ${found.rows === 1 ? "row" : "rows"}, intact; the last hash is ${found.head}`
        : `BROKEN at row ${found.seq}: ${found.message}`,
    );
    return found.ok ? 0 : 1;
  } finally {
    await store.close();
  }
}

/** Verifies the archive files alone, before the database is opened: it may be in use. */
async function areFilesIntact(archive: string): Promise<boolean> {
  const { files, first, last, result } = await verifyArchive(archive);
  const range = files === 0 ? "" : `, rows ${first} to ${last}`;
  out(
    `${files} archive ${files === 1 ? "file" : "files"}${range}, ${result.ok ? "intact" : `BROKEN at row ${result.seq}: ${result.message}`}`,
  );
  return result.ok;
}
