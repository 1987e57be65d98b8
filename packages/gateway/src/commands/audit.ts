/**
 * The `audit` command: maintains the audit log of a stopped gateway. It verifies that of a running one, too.
 *
 * @module
 */
import { pipeline } from "node:stream/promises";
import { GatewayError } from "@vitrine/wire";
import { readVariableFiles } from "../config/variable-files.js";
import { archiveOf } from "../store/archive.js";
import { archivedSlots } from "../store/chain-verification.js";
import { FIRST_SLOT } from "../store/chains.js";
import { exportRows } from "../store/export.js";
import { openGuest } from "../store/guest.js";
import { openStore } from "../store/open.js";
import type { Verification } from "../store/store.js";
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
  const store = await openStore(database, { folder, ...accepted }).catch((error: unknown) => {
    if (what === "verify" && error instanceof GatewayError && error.data["inUse"] === true) return undefined;
    throw error;
  });
  if (!store) return verifyRunning(database, archive);
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
    return shown(await store.audit.verify(undefined, { archive }));
  } finally {
    await store.close();
  }
}

/** Verifies the log of a running gateway, or of its nodes. Their own notes of the last rows are not compared. */
async function verifyRunning(database: string, archive: string | undefined): Promise<number> {
  const guest = await openGuest(database);
  try {
    return shown(await guest.verify(archive));
  } finally {
    await guest.close();
  }
}

function shown(found: Verification): number {
  out(
    found.ok
      ? `${found.rows} ${found.rows === 1 ? "row" : "rows"}, intact; the last hash is ${found.head}`
      : `BROKEN at row ${found.seq}: ${found.message}`,
  );
  return found.ok ? 0 : 1;
}

/** Verifies the archive files of all slots alone, before the database is opened. */
async function areFilesIntact(archive: string): Promise<boolean> {
  let isIntact = true;
  for (const slot of [...new Set([FIRST_SLOT, ...(await archivedSlots(archive))])]) {
    const { files, first, last, result } = await verifyArchive(archiveOf(archive, slot));
    const range = files === 0 ? "" : `, rows ${first} to ${last}`;
    const name = slot === FIRST_SLOT ? "" : `slot ${slot}: `;
    out(
      `${name}${files} archive ${files === 1 ? "file" : "files"}${range}, ${result.ok ? "intact" : `BROKEN at row ${result.seq}: ${result.message}`}`,
    );
    isIntact &&= result.ok;
  }
  return isIntact;
}
