/**
 * The `audit` command: maintains the audit log of a stopped gateway.
 *
 * @module
 */
import { pipeline } from "node:stream/promises";
import { GatewayError } from "@vitrine/wire";
import { exportRows } from "../store/export.js";
import { openStore } from "../store/open.js";
import { type CommandLine, settingsOf } from "./settings.js";

const DAY = 86_400_000;
const out = (text: string): void => void process.stdout.write(`${text}\n`);

/** Runs the command; returns the exit code. */
export async function auditCommand([what = "", days]: readonly string[], line: CommandLine): Promise<number> {
  if (!/^(verify|export|prune|accept-broken-chain)$/.test(what)) {
    throw new GatewayError("config-invalid", "audit: use verify, export, accept-broken-chain, or prune DAYS");
  }
  const { database, dataFolder: folder } = await settingsOf(line);
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
      const removed = await store.audit.prune(Date.now() - Number(days) * DAY);
      out(removed === 1 ? "1 row was removed" : `${removed} rows were removed`);
      return 0;
    }
    const found = await store.audit.verify();
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
