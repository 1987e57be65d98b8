/**
 * `node bench/gateway/database-load.mjs postgres://…`: the work that nodes give their database, in an empty schema that it creates and
 * removes: group commits of rows like those of the audit log, renewals of leases, claims of shards. The statements are those of several nodes
 * (decision 024), without the rest of the gateway.
 *
 * @module
 */
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { quantile, table } from "../statistics.mjs";

const SCHEMA = "vitrine_bench_load";
/** About the size of a row of the audit log. */
const TEXT = "x".repeat(600);
const TIME = 3000;

const TABLES = `
create table audit (seq bigserial primary key, text text not null);
create table nodes (slot int primary key, node text not null, fence int not null, ends timestamptz not null);
create table shards (shard int primary key, slot int, fence int);
insert into nodes select n, 'node', 1, clock_timestamp() from generate_series(1, 100) n;
insert into shards select n, 1, 1 from generate_series(0, 255) n;`;

const RENEW = `update nodes set ends = clock_timestamp() + interval '3 seconds' where slot = $1 and fence = 1 and node = 'node'`;

/** Several connections repeat an operation for some seconds. Returns operations per second and milliseconds of each. */
async function repeat(clients, work) {
  const samples = [];
  const end = performance.now() + TIME;
  await Promise.all(
    clients.map(async (client, index) => {
      for (let count = 0; performance.now() < end; count++) {
        const start = performance.now();
        await work(client, index, count);
        samples.push(performance.now() - start);
      }
    }),
  );
  return { perSecond: (samples.length * 1000) / TIME, samples };
}

const commitOf = (rows) => {
  const values = Array.from({ length: rows }, (_, index) => `($${index + 1})`).join(",");
  const texts = Array.from({ length: rows }, () => TEXT);
  return (client) => client.query(`insert into audit (text) values ${values}`, texts);
};

async function claim(client, index, count) {
  const shard = (index * 64 + count) % 256;
  await client.query("begin");
  await client.query("select slot, fence from shards where shard = $1 for update", [shard]);
  await client.query("select 1 from nodes where slot = $1 and fence = 1 for key share", [index + 1]);
  await client.query("update shards set slot = $1, fence = 1 where shard = $2", [index + 1, shard]);
  await client.query("commit");
}

/** Measures; returns rows for a table. */
export async function measureDatabase(url) {
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`set search_path to ${SCHEMA}`);
    return client;
  };
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(`create schema ${SCHEMA}; set search_path to ${SCHEMA}; ${TABLES}`);
  const clients = await Promise.all(Array.from({ length: 10 }, connect));
  const rows = [];
  const run = async (name, count, work, each = 1) => {
    const { perSecond, samples } = await repeat(clients.slice(0, count), work);
    const times = [0.5, 0.99].map((share) => `${quantile(samples, share).toFixed(2)} ms`);
    rows.push([name, Math.round(perSecond).toString(), Math.round(perSecond * each).toString(), ...times]);
  };
  try {
    const read = (client) => client.query("select slot, fence from shards where shard = 7");
    await run("commit of 1 row, 1 node", 1, commitOf(1));
    await run("commit of 50 rows, 1 node", 1, commitOf(50), 50);
    await run("commit of 1 row, 10 nodes", 10, commitOf(1));
    await run("commit of 50 rows, 10 nodes", 10, commitOf(50), 50);
    await run("renewal of a lease, 1 at a time", 1, (client, _, count) =>
      client.query(RENEW, [(count % 100) + 1]),
    );
    await run("renewals of leases, 10 at a time", 10, (client, index) => client.query(RENEW, [index + 1]));
    await run("claims of shards, 4 nodes", 4, claim, 5);
    await run("look-up of an owner, 10 at a time", 10, read);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await owner.query(`drop schema ${SCHEMA} cascade`);
    await owner.end();
  }
  return rows;
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const [, , url] = argv;
  if (url === undefined)
    throw new Error("name a database: node bench/gateway/database-load.mjs postgres://…");
  console.log(table(["", "per second", "rows or statements/s", "p50", "p99"], await measureDatabase(url)));
}
