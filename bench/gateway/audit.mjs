/**
 * `node bench/gateway/audit.mjs`: the cost of a durable row of the audit log, compared with a plain insert
 * of the same row through the same driver, into the same folder, in turn. `postgres://…` as an argument
 * measures that database as well.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import Libsql from "libsql";
import { count, quantile, table, times } from "../statistics.mjs";

const ENTRY = {
  user: "ann",
  actor: "view",
  view: "view-1",
  server: "shop",
  method: "tools/call",
  target: "order",
  decision: "allowed",
  reason: "policy",
  paramsHash: "a".repeat(64),
  paramsSize: 1000,
};
const OUTCOME = { outcome: "ok", duration: 1.25, resultHash: "b".repeat(64), resultSize: 1000 };
const ROUNDS = 20;
const PER_ROUND = 200;

const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));

/** Loads the sources, not the last build. */
async function load() {
  const { resolve } = createRequire(import.meta.url);
  const outfile = join(folder, "store.mjs");
  const local = { libsql: resolve("libsql"), pg: resolve("pg") };
  await build({
    entryPoints: [fileURLToPath(new URL("../../packages/gateway/src/store/open.ts", import.meta.url))],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    alias: local,
    external: Object.values(local),
    logLevel: "error",
  });
  return (await import(pathToFileURL(outfile).href)).openStore;
}

/** The smallest cost of a durable row: one prepared insert, without index, number or hash. */
function openRaw() {
  const database = new Libsql(join(folder, "raw.db"), {});
  database.pragma("journal_mode = WAL", {});
  database.pragma("synchronous = FULL", {});
  const names = Object.keys(ENTRY);
  database.exec(
    `create table audit (seq integer primary key, time integer, ${names.map((name) => `"${name}"`)})`,
  );
  const insert = database.prepare(`insert into audit values (${["?", "?", ...names.map(() => "?")]})`);
  let seq = 0;
  return {
    write: () => insert.run([++seq, Date.now(), ...Object.values(ENTRY)]),
    close: () => database.close(),
  };
}

const microseconds = (samples, share) => `${Math.round(quantile(samples, share) * 1000)} µs`;

async function alone(work, samples) {
  for (let n = 0; n < PER_ROUND; n++) {
    // A call comes from the network, in its own turn of the event loop.
    await new Promise(setImmediate);
    const start = performance.now();
    await work();
    samples.push(performance.now() - start);
  }
}

async function together(audit, callers, calls) {
  const start = performance.now();
  const rows = audit.head.seq;
  const caller = async () => {
    for (let n = 0; n < calls / callers; n++) audit.end(await audit.begin(ENTRY), OUTCOME);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  await audit.flush();
  return ((audit.head.seq - rows) / (performance.now() - start)) * 1000;
}

const openStore = await load();
const urls = [`sqlite:${join(folder, "audit.db")}`, ...process.argv.slice(2)];
console.log(`load ${loadavg()[0]?.toFixed(1)}, Node ${process.versions.node}`);
const raw = openRaw();
for (const url of urls) {
  const store = await openStore(url);
  const samples = { raw: [], begin: [], call: [] };
  for (let round = 0; round < ROUNDS; round++) {
    await alone(raw.write, samples.raw);
    await alone(() => store.audit.begin({ ...ENTRY, decision: "refused" }), samples.begin);
    await alone(async () => store.audit.end(await store.audit.begin(ENTRY), OUTCOME), samples.call);
  }
  const base = quantile(samples.raw, 0.5);
  const line = (name, list) => [
    name,
    microseconds(list, 0.5),
    microseconds(list, 0.99),
    times(quantile(list, 0.5) / base),
  ];
  console.log(`\n${url.split(":")[0]}: one row at a time`);
  console.log(
    table(
      ["", "p50", "p99", "÷ bare"],
      [
        line("bare insert (SQLite)", samples.raw),
        line("begin", samples.begin),
        line("begin, with the outcome before it", samples.call),
      ],
    ),
  );
  const rates = [];
  for (const callers of [1, 10, 100]) {
    rates.push([
      callers,
      count(Math.round(await together(store.audit, callers, callers === 1 ? 2000 : 20_000))),
    ]);
  }
  console.log(table(["callers", "rows per second"], rates));
  await store.close();
}
raw.close();
rmSync(folder, { recursive: true, force: true });
