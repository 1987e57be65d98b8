/**
 * `node bench/gateway/nodes.mjs`: calls a second through one, two and three nodes, and the processor time of each call in the nodes and in
 * the database. All of it runs on this machine, with the callers: so the processor time is what counts, and the rate shows only whether nodes
 * get in each other's way.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { ms, quantile, table } from "../statistics.mjs";
import { openPostgres } from "./postgres.mjs";
import { newToken, openStage } from "./stage.mjs";

const USERS = 24;
/** Calls that each user has in progress. */
const EACH = 2;
const BODY = JSON.stringify({ name: "echo", arguments: { text: "x".repeat(1000) } });
const TICK = 10;

/** Processor time of a process in milliseconds: its own, and that of its children that have ended. */
function spent(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ").map(Number);
  return {
    parent: fields[1],
    own: (fields[11] + fields[12]) * TICK,
    ended: (fields[13] + fields[14]) * TICK,
  };
}

/** Processor time of PostgreSQL and its connections. */
function spentByDatabase(pid) {
  const { own, ended } = spent(pid);
  let sum = own + ended;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const { parent, own } = spent(name);
      if (parent === pid) sum += own;
    } catch {
      // It has just ended.
    }
  }
  return sum;
}

async function openNodes(count, postgres, schema) {
  const tokens = Array.from({ length: USERS }, newToken);
  const settings = {
    users: tokens.map((token, n) => ({
      name: `user-${n}`,
      tokenHash: createHash("sha256").update(token).digest("hex"),
    })),
    nodes: { listen: "127.0.0.1:0", secret: newToken() },
    database: postgres.schema(schema),
  };
  const env = { ...process.env, VITRINE_KEY: "ab".repeat(32) };
  const nodes = [];
  while (nodes.length < count) nodes.push(await openStage(settings, { env, token: tokens[0] }));
  return { nodes, tokens };
}

async function call(node, token) {
  const began = performance.now();
  const answer = await node.send(`${node.origin}/api/servers/echo/tools/call`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: BODY,
    token,
  });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.text();
  return performance.now() - began;
}

/** All users call for some seconds: at their own node, or at one node after the other as behind a load balancer. */
async function load({ nodes, tokens }, seconds, isSpread) {
  const end = performance.now() + seconds * 1000;
  const samples = [];
  let turn = 0;
  await Promise.all(
    tokens.flatMap((token, user) =>
      Array.from({ length: EACH }, async () => {
        while (performance.now() < end) {
          const at = isSpread ? turn++ : user;
          samples.push(await call(nodes[at % nodes.length], token));
        }
      }),
    ),
  );
  return samples;
}

/** Measures one, two and three nodes. Returns a row for each, and for each way to call. */
export async function measureNodes(seconds = 10) {
  const postgres = await openPostgres();
  try {
    const rows = [];
    for (const count of [1, 2, 3]) {
      const schema = `bench_${count}`;
      const stage = await openNodes(count, postgres, schema);
      const database = Number(
        postgres.run(schema, "select split_part(pg_read_file('postmaster.pid'), chr(10), 1)"),
      );
      // The first call of a user claims the user for that node, and starts the user's server.
      for (const [user, token] of stage.tokens.entries()) await call(stage.nodes[user % count], token);
      for (const isSpread of count === 1 ? [false] : [false, true]) {
        await load(stage, 2, isSpread);
        const before = [
          stage.nodes.reduce((sum, { pid }) => sum + spent(pid).own, 0),
          spentByDatabase(database),
        ];
        const began = performance.now();
        const samples = await load(stage, seconds, isSpread);
        const took = performance.now() - began;
        const after = [
          stage.nodes.reduce((sum, { pid }) => sum + spent(pid).own, 0),
          spentByDatabase(database),
        ];
        rows.push({
          nodes: count,
          isSpread,
          perSecond: (samples.length * 1000) / took,
          p50: quantile(samples, 0.5),
          p99: quantile(samples, 0.99),
          nodeTime: (after[0] - before[0]) / samples.length,
          databaseTime: (after[1] - before[1]) / samples.length,
        });
      }
      for (const node of stage.nodes) await node.close();
    }
    return rows;
  } finally {
    await postgres.remove();
  }
}

export const showNodes = (rows) =>
  table(
    ["nodes, and where users call", "calls/s", "p50", "p99", "processor: nodes", "database"],
    rows.map(({ nodes, isSpread, perSecond, p50, p99, nodeTime, databaseTime }) => [
      `${nodes}, ${isSpread ? "one after the other" : "their own"}`,
      Math.round(perSecond),
      ms(p50),
      ms(p99),
      ms(nodeTime),
      ms(databaseTime),
    ]),
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rows = await measureNodes(Number(process.argv[2] ?? 10));
  process.stdout.write(`${showNodes(rows)}\n  ${cpus().length} cores, with the callers and the servers\n`);
}
