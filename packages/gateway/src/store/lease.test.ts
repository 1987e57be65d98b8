/** The lease of a node lasts as long as the node can reach the database, whatever else takes long. */
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, it, type TestContext } from "vitest";
import { FaultLine } from "../../../../testing/gateway/fault-line.ts";
import { startPostgres, type TestPostgres } from "../../../../testing/postgres.ts";
import { wait } from "./engine.js";
import { LEASE } from "./membership.js";
import { openStore, type StoreOptions } from "./open.js";
import type { AuditEntry } from "./store.js";

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => postgres?.remove());

let count = 0;
const newSchema = (): string => {
  if (!postgres) throw new Error("no PostgreSQL");
  return postgres.schema(`lease_${++count}`);
};

async function join({ onTestFinished }: TestContext, url: string, node: string, options: StoreOptions = {}) {
  const identity = { node, address: `${node}.test:7443`, version: "1.0.0", fingerprint: "same" };
  const store = await openStore(url, { join: identity, ...options });
  onTestFinished(() => store.close());
  const { nodes } = store;
  if (!nodes) throw new Error("not a node");
  return { ...store, nodes };
}

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

/** Keeps others from a table for some milliseconds. */
async function lock(url: string, table: string, mode: string, time: number): Promise<void> {
  const client = await holdTable(url, table, mode);
  void wait(time).then(() => client.end());
}

/** Keeps others from a table until the connection ends. */
async function holdTable(url: string, table: string, mode: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`begin; lock table ${table} in ${mode} mode`);
  return client;
}

// Side by side: they wait for leases to end.
describe.concurrent("the lease of a node", () => {
  beforeEach(({ skip }) => {
    if (!postgres) skip("PostgreSQL is missing");
  });

  it("lasts while the node opens, however long that takes", async (context) => {
    const { expect } = context;
    const url = newSchema();
    const other = await join(context, url, "a");
    await lock(url, "vitrine_servers", "access exclusive", 1.5 * LEASE);
    const beganAt = performance.now();
    const { audit, nodes } = await join(context, url, "b");
    expect(performance.now() - beganAt).toBeGreaterThan(LEASE);
    expect(await nodes.locate("ann")).toEqual({ kind: "here" });
    await audit.begin(entry("ann", "k.1"));
    expect(other.nodes.nodes.map(({ id }) => id).sort()).toEqual(["a", "b"]);
  });

  it("lasts while the node settles the calls of another, however long that takes", async (context) => {
    const { expect } = context;
    const url = newSchema();
    const [a, b] = [await join(context, url, "a"), await join(context, url, "b")];
    await Promise.all([a.nodes.locate("ann"), b.nodes.locate("bob")]);
    await a.audit.begin(entry("ann", "k.1"));
    a.nodes.stop();
    // The other lease ends first, and then the outcome waits for the lock.
    await lock(url, "vitrine_audit", "share", 2.7 * LEASE);
    for (const endAt = performance.now() + 3 * LEASE; performance.now() < endAt; await wait(50))
      expect(b.nodes.holds("bob")).toBe(true);
    await expect
      .poll(async () => (await b.audit.find("ann", "k.1"))?.outcome?.outcome, { timeout: 20_000 })
      .toBe("indeterminate");
  });

  it("is renewed on a new connection when the old ones died silently", async (context) => {
    const { expect, onTestFinished } = context;
    const url = new URL(newSchema());
    const line = await FaultLine.open();
    line.target = Number(url.port);
    url.port = String(line.port);
    onTestFinished(() => line.close());
    const a = await join(context, url.href, "a", { commitTimeout: 1000 });
    await a.nodes.locate("ann");
    // No packet passes any more, and nothing is reset: as if the other machine had lost its power. A new connection works.
    line.freeze();
    const frozenAt = performance.now();
    await expect
      .poll(() => a.audit.begin(entry("ann", "k.1")), { interval: 100, timeout: 20_000 })
      .toBeGreaterThan(0);
    await expect
      .poll(() => a.nodes.locate("bob"), { interval: 100, timeout: 20_000 })
      .toEqual({ kind: "here" });
    expect(performance.now() - frozenAt).toBeLessThan(20_000);
  });

  it("lapses without the database: nothing waits for an answer then, and all continues when it is back", async (context) => {
    const { expect, onTestFinished } = context;
    const url = new URL(newSchema());
    const line = await FaultLine.open();
    line.target = Number(url.port);
    url.port = String(line.port);
    onTestFinished(() => line.close());
    const a = await join(context, url.href, "a");
    await a.nodes.locate("ann");
    let lapses = 0;
    a.nodes.onLapsed(() => lapses++);
    // A lease that is renewed does not lapse.
    await wait(1.2 * LEASE);
    expect(lapses).toBe(0);
    line.isOpen = false;
    line.freeze();
    const cutAt = performance.now();
    const failed = { data: { code: "audit-failed" } };
    await Promise.all([
      expect(a.audit.begin(entry("ann", "k.1"))).rejects.toMatchObject(failed),
      expect(a.audit.find("ann", "k.0")).rejects.toBeDefined(),
    ]);
    expect(performance.now() - cutAt).toBeLessThan(LEASE + 1000);
    expect([lapses, a.nodes.holds("ann")]).toEqual([1, false]);
    const askedAt = performance.now();
    await expect(a.nodes.locate("ann")).rejects.toMatchObject({ data: { code: "stopping" } });
    expect(performance.now() - askedAt).toBeLessThan(500);
    line.drop();
    line.isOpen = true;
    // Nobody took the user meanwhile.
    await expect
      .poll(() => a.audit.begin(entry("ann", "k.1")).catch(() => 0), { interval: 100, timeout: 20_000 })
      .toBeGreaterThan(0);
    expect(lapses).toBe(1);
  });

  it("ends although the node froze in the middle of a change, whose locks others wait for", async (context) => {
    const { expect, onTestFinished } = context;
    const direct = newSchema();
    const url = new URL(direct);
    const line = await FaultLine.open();
    line.target = Number(url.port);
    url.port = String(line.port);
    onTestFinished(() => line.close());
    const [a, b] = [await join(context, url.href, "a"), await join(context, direct, "b")];
    await a.nodes.locate("ann");
    // The change has checked its lease, and waits for the table.
    const holder = await holdTable(direct, "vitrine_conversations", "exclusive");
    const change = a.conversations.create("ann", { id: "talk", title: "", startedAt: 1 }).catch(() => {});
    const waiting = `select count(*)::int as count from pg_locks where not granted and relation = 'vitrine_conversations'::regclass`;
    await expect
      .poll(async () => (await holder.query(waiting)).rows, { interval: 20 })
      .toEqual([{ count: 1 }]);
    line.isOpen = false;
    line.freeze();
    await holder.end();
    const heldAt = performance.now();
    const watcher = new pg.Client(direct);
    await watcher.connect();
    onTestFinished(() => watcher.end());
    const inChange = `select count(*)::int as count from pg_stat_activity where state = 'idle in transaction' and query like '%vitrine_conversations%'`;
    await expect
      .poll(async () => (await watcher.query(inChange)).rows, { interval: 20 })
      .toEqual([{ count: 1 }]);
    // Its locks are gone before the lease ends: nobody waits for them then.
    await expect
      .poll(async () => (await watcher.query(inChange)).rows, { interval: 20, timeout: 10_000 })
      .toEqual([{ count: 0 }]);
    expect(performance.now() - heldAt).toBeLessThan(LEASE - 500);
    await expect
      .poll(() => b.nodes.locate("ann").catch(() => {}), { interval: 100, timeout: 20_000 })
      .toEqual({ kind: "here" });
    line.drop();
    await change;
  });

  it("is looked up in a database that does not answer: callers learn that nothing was done", async (context) => {
    const { expect, onTestFinished } = context;
    const direct = newSchema();
    const url = new URL(direct);
    const line = await FaultLine.open();
    line.target = Number(url.port);
    url.port = String(line.port);
    onTestFinished(() => line.close());
    const [a, b] = [await join(context, url.href, "a"), await join(context, direct, "b")];
    await b.nodes.locate("bob");
    const there = await a.nodes.locate("bob");
    // The other node was not reached, so the database is asked who has the user now.
    a.nodes.forget("bob", { id: "b", address: "b.test:7443" });
    line.isOpen = false;
    line.reset();
    expect(there.kind).toBe("there");
    await expect(a.nodes.locate("bob")).rejects.toMatchObject({ data: { code: "audit-failed" } });
  });
});
