/**
 * The cost of the path between two nodes: a call of 1 KB through the node that has the user, and through
 * another one; and the memory of both nodes for each idle forwarded WebSocket.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { count, ms, shuffled, summary, table, times } from "../statistics.mjs";
import { connectAll } from "./idle.mjs";
import { openPostgres } from "./postgres.mjs";
import { newToken, openStage } from "./stage.mjs";

const PARAMS = { name: "echo", arguments: { text: "x".repeat(1000) } };
const WARM_UP = 500;
const CALLS = 200;
const SOCKETS = 2000;
/** Maximum ratio of a forwarded call to a local one, p50. */
export const EXPECTED_FORWARD = 1.5;

const NAMES = { websocket: "page → WebSocket", post: "program → POST" };

async function openNodes() {
  const postgres = await openPostgres();
  const token = newToken();
  const users = [{ name: "bench", tokenHash: createHash("sha256").update(token).digest("hex") }];
  const nodes = { listen: "127.0.0.1:0", secret: newToken() };
  const settings = { users, nodes, database: postgres.schema("bench") };
  const env = { ...process.env, VITRINE_KEY: "ab".repeat(32) };
  const owner = await openStage(settings, { env, token });
  // The first node that is asked takes the user.
  await owner.send(`${owner.origin}/api/servers`);
  return { owner, other: await openStage(settings, { env, token }), postgres };
}

async function callersOf(stage) {
  const view = await (await stage.page()).openView({ server: "echo", uri: "ui://echo/page" });
  return {
    websocket: () => view.upstream.request("tools/call", PARAMS),
    post: async () => {
      const answer = await stage.send(`${stage.origin}/api/servers/echo/tools/call`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(PARAMS),
      });
      if (!answer.ok) throw new Error(await answer.text());
      return answer.json();
    },
  };
}

/** Measures local and forwarded calls in turn, `rounds` times; then idle connections. */
export async function measureForward(rounds = 10) {
  const { owner, other, postgres } = await openNodes();
  try {
    const places = { local: await callersOf(owner), forwarded: await callersOf(other) };
    const contenders = Object.entries(places).flatMap(([place, callers]) =>
      Object.entries(callers).map(([id, call]) => ({ place, id, call, own: [] })),
    );
    for (const { call } of contenders) for (let n = 0; n < WARM_UP; n++) await call();
    for (let round = 0; round < rounds; round++) {
      for (const { call, own } of shuffled(contenders)) {
        for (let n = 0; n < CALLS; n++) {
          const began = performance.now();
          await call();
          own.push(performance.now() - began);
        }
      }
    }
    const of = (place, id) => summary(contenders.find((one) => one.place === place && one.id === id).own);
    const rows = Object.entries(NAMES).map(([id, label]) => {
      const [local, forwarded] = [of("local", id), of("forwarded", id)];
      return { id, label, local, forwarded, ratio: forwarded.p50 / local.p50 };
    });
    return { rows, idle: await measureIdleForwarded(owner, other) };
  } finally {
    await other.close();
    await owner.close();
    await postgres.remove();
  }
}

const memoryOf = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;
const settle = () => new Promise((resolve) => setTimeout(resolve, 3000));

async function measureIdleForwarded(owner, other) {
  const url = `${other.origin.replace("http", "ws")}/api/session`;
  const sockets = [];
  // The first connections pay for what all share.
  await connectAll(url, other.headers, 500, sockets);
  await settle();
  const before = [owner, other].map(({ pid }) => memoryOf(pid));
  await connectAll(url, other.headers, SOCKETS, sockets);
  await settle();
  const [atOwner, atOther] = [owner, other].map(({ pid }, at) => (memoryOf(pid) - before[at]) / SOCKETS);
  for (const socket of sockets) socket.terminate();
  return { atOwner, atOther };
}

export const showForward = ({ rows, idle }) =>
  [
    table(
      ["", "local p50", "p99", "forwarded p50", "p99", "ratio"],
      rows.map(({ label, local, forwarded, ratio }) => [
        label,
        ms(local.p50),
        ms(local.p99),
        ms(forwarded.p50),
        ms(forwarded.p99),
        times(ratio),
      ]),
    ),
    table(
      ["idle forwarded WebSocket", "bytes each"],
      [
        ["at the page's node", count(Math.round(idle.atOther))],
        ["at the user's node", count(Math.round(idle.atOwner))],
      ],
    ),
  ].join("\n");

/** Returns one line for each expectation that is not met. */
export const forwardShortfalls = ({ rows }) =>
  rows
    .filter(({ ratio }) => ratio > EXPECTED_FORWARD)
    .map(
      ({ label, ratio }) =>
        `over ${EXPECTED_FORWARD}×: forwarded call, ${label}, p50 = ${times(ratio)} of the local call`,
    );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const measured = await measureForward(Number(process.argv[2] ?? 10));
  process.stdout.write(`${showForward(measured)}\n`);
}
