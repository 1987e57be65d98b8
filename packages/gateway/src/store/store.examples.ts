import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { exportRows, verifyExport } from "./export.js";
import { openStore } from "./open.js";
import type { GatewayStore } from "./store.js";
import { verifyArchive } from "./verify-archive.js";

export async function openStoreExample(file: string, page: (message: string) => void) {
  //#region openStore
  const store = await openStore(`sqlite:${file}`, {
    onalarm: ({ active, message }) => page(`${active ? "ALARM" : "over"}: ${message}`),
  });
  const seq = await store.audit.begin({
    user: "ann",
    actor: "http",
    server: "shop",
    method: "tools/call",
    target: "order",
    decision: "allowed",
    reason: "policy",
  });
  // The entry is on disk: make the call now.
  store.audit.end(seq, { outcome: "ok", duration: 12 });
  await store.close();
  //#endregion openStore
}

export async function exportRowsExample(store: GatewayStore, file: string) {
  //#region exportRows
  await pipeline(exportRows(store.audit), createWriteStream(file));
  //#endregion exportRows
}

export async function verifyExportExample(file: string) {
  //#region verifyExport
  const result = await verifyExport(createInterface(createReadStream(file)));
  if (!result.ok) throw new Error(`row ${result.seq}: ${result.message}`);
  //#endregion verifyExport
  return result;
}

export async function holdsExample(store: GatewayStore) {
  //#region holds
  const hold = await store.holds.add({ user: "ann", reason: "case 4711" });
  await store.audit.prune(Date.now());
  // Her rows are no longer in the log, but in the database until the hold ends.
  await store.holds.end(hold.id);
  //#endregion holds
}

export async function verifyArchiveExample() {
  //#region verifyArchive
  const { files, result } = await verifyArchive("/backup/audit");
  if (!result.ok) throw new Error(`row ${result.seq}: ${result.message}`);
  //#endregion verifyArchive
  return files;
}
