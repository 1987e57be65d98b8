/**
 * `node bench/gateway/lease-simulation.mjs`: what leases cost, what happens when a node dies, and how evenly 256 shards spread
 * over many nodes. Prints the tables of docs/gateway/scale.md, in Markdown. It takes a minute, and connects to nothing.
 *
 * @module
 */
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { assignShards, DEFAULTS, randomOf, simulateStorm } from "./storm.mjs";

const NODES = [3, 10, 100];
const SESSIONS = [10_000, 100_000, 1_000_000];
const SEEDS = [1, 2, 3];

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;
const number = (value) => Math.round(value).toLocaleString("en-US");
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** The median of several runs, for each figure. */
function storm(options) {
  const runs = SEEDS.map((seed) => simulateStorm({ ...options, seed }));
  return Object.fromEntries(Object.keys(runs[0]).map((key) => [key, median(runs.map((run) => run[key]))]));
}

const row = (cells) => `| ${cells.join(" | ")} |`;
const markdown = (head, rows) => [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");

/** How unevenly shards spread: shards of the busiest node by its mean share, and nodes without any. */
export function balance({ nodes, shards, bounded = false, runs = 200 }) {
  const most = [];
  let empty = 0;
  for (let seed = 1; seed <= runs; seed++) {
    const counts = new Array(nodes).fill(0);
    for (const owner of assignShards({ nodes, shards, bounded }, randomOf(seed))) counts[owner]++;
    most.push(Math.max(...counts) / (shards / nodes));
    empty += counts.filter((count) => count === 0).length;
  }
  return { ratio: median(most), empty: empty / runs };
}

function storms(options) {
  const rows = NODES.flatMap((nodes) =>
    SESSIONS.map((sessions) => {
      const { affected, p50, p99, last, dialsPerSecond, statementsPerSecond } = storm({
        nodes,
        sessions,
        ...options,
      });
      const times = [p50, p99, last].map(seconds);
      return [
        nodes,
        number(sessions),
        number(affected),
        ...times,
        number(dialsPerSecond),
        number(statementsPerSecond),
      ];
    }),
  );
  const head = [
    "nodes",
    "sessions",
    "must reconnect",
    "p50",
    "p99",
    "last",
    "dials/s, peak",
    "statements asked/s, peak",
  ];
  return markdown(head, rows);
}

function balances() {
  const rows = [3, 10, 30, 100].map((nodes) => {
    const cell = (shards, bounded) => `${balance({ nodes, shards, bounded }).ratio.toFixed(2)}×`;
    const empty = balance({ nodes, shards: 256 }).empty.toFixed(1);
    return [nodes, (256 / nodes).toFixed(1), cell(256, false), empty, cell(256, true), cell(4096, false)];
  });
  const head = [
    "nodes",
    "shards each",
    "busiest, 256",
    "nodes without a shard",
    "busiest, 256 and bounded",
    "busiest, 4,096",
  ];
  return markdown(head, rows);
}

function main() {
  const renewals = NODES.map((nodes) => `${nodes} nodes: ${nodes * (1000 / DEFAULTS.renewal)}/s`).join("; ");
  console.log(`Renewals of leases, whatever the number of users: ${renewals}\n`);
  for (const death of ["killed", "frozen"]) {
    for (const early of ["refused", "held"]) {
      console.log(`A node is ${death}; early connections are ${early}:\n\n${storms({ death, early })}\n`);
    }
  }
  console.log(`Shards of the busiest node, by its mean share:\n\n${balances()}`);
}

if (argv[1] === fileURLToPath(import.meta.url)) main();
