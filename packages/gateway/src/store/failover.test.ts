/** Rows that are lost with a primary, because its standby was behind: the node that wrote them notices, and acts no more. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findPostgres } from "../../../../scripts/postgres.mjs";
import { FaultLine } from "../../../../testing/gateway/fault-line.ts";
import { PostgresPair } from "../../../../testing/postgres-pair.ts";
import { openStore } from "./open.js";
import type { AuditEntry } from "./store.js";

let pair: PostgresPair | undefined;
let open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.reverse()) await close();
  open = [];
  await pair?.remove();
});

const entry = (user: string, key: string): AuditEntry => ({
  user,
  key,
  actor: "http",
  server: "shop",
  method: "tools/call",
  target: "order",
  decision: "allowed",
  reason: "policy",
});

/** Two nodes on the primary, with the lines to it. */
async function twoNodes(isSynchronous: boolean) {
  pair = await PostgresPair.start(isSynchronous);
  if (!pair) throw new Error("no PostgreSQL");
  const { port } = pair;
  const url = new URL(pair.schema("nodes"));
  const folders = mkdtempSync(joinPath(tmpdir(), "vitrine-failover-"));
  open.push(async () => rmSync(folders, { recursive: true, force: true }));
  const line = await FaultLine.open();
  line.target = port;
  url.port = String(line.port);
  open.push(() => line.close());
  const join = async (node: string) => {
    const identity = { node, address: `${node}.test:7443`, version: "1.0.0", fingerprint: "same" };
    const folder = joinPath(folders, node);
    mkdirSync(folder, { recursive: true });
    const store = await openStore(url.href, { join: identity, commitTimeout: 2000, folder });
    open.push(() => store.close());
    const { nodes } = store;
    if (!nodes) throw new Error("not a node");
    return { ...store, nodes };
  };
  const nodes = [await join("a"), await join("b")] as const;
  await Promise.all([nodes[0].nodes.locate("ann"), nodes[1].nodes.locate("bob")]);
  const failOver = async (): Promise<void> => {
    line.isOpen = false;
    await pair?.failOver();
    line.reset();
    line.target = pair?.port ?? 0;
    line.isOpen = true;
  };
  return { nodes, failOver, join, pair };
}

beforeEach(({ skip }) => {
  if (findPostgres() === undefined) skip("PostgreSQL is missing");
});

it("a commit that waited for the standby is there after a failover, and both nodes continue", async () => {
  const { nodes, failOver } = await twoNodes(true);
  const [a, b] = nodes;
  const seq = await a.audit.begin(entry("ann", "k.1"));
  await failOver();
  await expect
    .poll(() => a.audit.begin(entry("ann", "k.2")), { interval: 100, timeout: 20_000 })
    .toBeGreaterThan(seq);
  await expect
    .poll(() => b.audit.begin(entry("bob", "k.3")), { interval: 100, timeout: 20_000 })
    .toBeGreaterThan(0);
  expect((await b.audit.find("ann", "k.1"))?.entry.seq).toBe(seq);
  expect(await b.audit.verify()).toMatchObject({ ok: true });
});

it("a node whose rows were lost in a failover refuses calls, and the others continue", async () => {
  const { nodes, failOver, join, pair: servers } = await twoNodes(false);
  const [a, b] = nodes;
  await servers.lag();
  await a.audit.begin(entry("ann", "k.1"));
  await failOver();
  await expect
    .poll(() => b.audit.begin(entry("bob", "k.2")), { interval: 100, timeout: 20_000 })
    .toBeGreaterThan(0);
  await expect.poll(() => b.nodes.isLeased && a.nodes.isLeased, { timeout: 20_000 }).toBe(true);
  // The entry is gone: only this node knows that the call may have run.
  expect(await b.audit.find("ann", "k.1")).toBeUndefined();
  for (let attempt = 0; attempt < 20; attempt++) {
    await expect(a.audit.begin(entry("ann", `k.${attempt + 10}`))).rejects.toMatchObject({
      data: { code: "audit-failed" },
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(a.audit.healthy).toBe(false);
  // Without this node, the others serve its users. Nobody knows any more that the call ran.
  await a.close();
  await expect
    .poll(() => b.nodes.locate("ann"), { interval: 100, timeout: 20_000 })
    .toEqual({ kind: "here" });
  expect(await b.audit.begin(entry("ann", "k.1"))).toBeGreaterThan(0);
  // Its data folder has a note of the last row, which is missing: an operator must accept that.
  const again = await join("a");
  await again.nodes.locate("cat");
  await expect(again.audit.begin(entry("cat", "k.1"))).rejects.toThrow("accept-broken-chain");
  expect(await again.audit.acceptBrokenChain("operator")).toBe(0);
  expect(await again.audit.begin(entry("cat", "k.1"))).toBeGreaterThan(0);
});
