/** Several nodes on one PostgreSQL: leases, fences, users and chains. */
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../../../testing/postgres.ts";
import { StoredAuditLog } from "./audit-log.js";
import { readHead } from "./audit-reader.js";
import { AuditWriter } from "./audit-writer.js";
import { startOf } from "./chains.js";
import { openGuest } from "./guest.js";
import { migrate } from "./migrations.js";
import { openStore, type StoreOptions } from "./open.js";
import { shardOf } from "./shards.js";
import { openSqlite } from "./sqlite.js";
import type { AuditEntry, GatewayStore } from "./store.js";

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => postgres?.remove());

const open: GatewayStore[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()));
});

let count = 0;
const schema = () => `nodes_${++count}`;
const identity = (node: string) => ({
  node,
  address: `${node}.test:7443`,
  version: "1.0.0",
  fingerprint: "same",
});

async function join(url: string, node: string, options: StoreOptions = {}) {
  const store = await openStore(url, { join: identity(node), ...options });
  open.push(store);
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

const consent = {
  server: "shop",
  method: "tools/call",
  subject: "order",
  fingerprint: "f",
  answer: "allow",
  grantedAt: 1,
} as const;

const needsPostgres = (): TestPostgres => {
  if (!postgres) throw new Error("no PostgreSQL");
  return postgres;
};

describe("nodes of one database", () => {
  beforeEach(({ skip }) => {
    if (!postgres) skip("PostgreSQL is missing");
  });

  it("write a chain each, and read all of them", async () => {
    const url = needsPostgres().schema(schema());
    const [a, b] = [await join(url, "a"), await join(url, "b")];
    expect(await a.nodes.locate("ann")).toEqual({ kind: "here" });
    expect(await b.nodes.locate("bob")).toEqual({ kind: "here" });
    const first = await a.audit.begin(entry("ann", "k.1"));
    const second = await b.audit.begin(entry("bob", "k.2"));
    expect(second - first).toBeGreaterThan(2 ** 39);
    a.audit.end(first, { outcome: "ok", duration: 1 });
    await a.audit.flush();
    // Each finds the keys of the other.
    expect((await b.audit.find("ann", "k.1"))?.outcome?.outcome).toBe("ok");
    expect((await a.audit.query({ method: "tools/call" })).map(({ user }) => user)).toEqual(
      expect.arrayContaining(["ann", "bob"]),
    );
    const verified = await b.audit.verify();
    expect(verified).toMatchObject({ ok: true });
    expect(verified.rows).toBeGreaterThanOrEqual(3);
  });

  it("have each user on one node, and know which", async () => {
    const url = needsPostgres().schema(schema());
    const [a, b] = [await join(url, "a"), await join(url, "b")];
    await a.nodes.locate("ann");
    expect(await b.nodes.locate("ann")).toEqual({
      kind: "there",
      node: { id: "a", address: "a.test:7443" },
    });
    await expect(b.audit.begin(entry("ann", "k.1"))).rejects.toMatchObject({ data: { code: "stopping" } });
    // The refusal of one user's row disturbs nobody else.
    await b.nodes.locate("bob");
    const both = await Promise.allSettled([
      b.audit.begin(entry("ann", "k.2")),
      b.audit.begin(entry("bob", "k.3")),
    ]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  });

  it("that claim a user at once agree on one of them", async () => {
    const url = needsPostgres().schema(schema());
    const all = [await join(url, "a"), await join(url, "b"), await join(url, "c")];
    for (let n = 0; n < 20; n++) {
      const user = `user ${n}`;
      const found = await Promise.all(all.map(({ nodes }) => nodes.locate(user)));
      expect(found.filter(({ kind }) => kind === "here")).toHaveLength(1);
      expect(all.filter(({ nodes }) => nodes.holds(user))).toHaveLength(1);
    }
  });

  it("take over from one that stopped renewing within 5 s; it cannot write or act any more", async () => {
    const name = schema();
    const url = needsPostgres().schema(name);
    const [a, b] = [await join(url, "a"), await join(url, "b")];
    await a.nodes.locate("ann");
    const seq = await a.audit.begin(entry("ann", "k.1"));
    a.nodes.stop();
    const stoppedAt = performance.now();
    await expect
      .poll(async () => (await b.nodes.locate("ann")).kind, { interval: 50, timeout: 20_000 })
      .toBe("here");
    expect(performance.now() - stoppedAt).toBeLessThan(5000);
    expect(a.nodes.holds("ann")).toBe(false);
    await expect(a.audit.begin(entry("ann", "k.2"))).rejects.toMatchObject({
      data: { code: expect.stringMatching(/audit-failed|stopping/) },
    });
    // Nothing of the refused call is in the log, so the new owner may run it.
    expect(await b.audit.find("ann", "k.2")).toBeUndefined();
    // The interrupted one has an outcome, and is not repeated.
    await expect
      .poll(async () => (await b.audit.find("ann", "k.1"))?.outcome?.outcome, { timeout: 10_000 })
      .toBe("indeterminate");
    expect((await b.audit.find("ann", "k.1"))?.entry.seq).toBe(seq);
    expect(await b.audit.verify()).toMatchObject({ ok: true });
    // The slot is free for another node, which continues its chain.
    const c = await join(url, "c");
    await c.nodes.locate("cid");
    await c.audit.begin(entry("cid", "k.4"));
    expect(await b.audit.verify()).toMatchObject({ ok: true });
  });

  it("notice that another node took their slot, however the lease table was changed", async () => {
    const name = schema();
    const url = needsPostgres().schema(name);
    const a = await join(url, "a");
    let lost = 0;
    a.nodes.onLost(() => lost++);
    await a.nodes.locate("ann");
    needsPostgres().run(name, "update vitrine_nodes set fence = fence + 1");
    await expect.poll(() => lost, { timeout: 10_000 }).toBe(1);
    expect(a.nodes.holds("ann")).toBe(false);
    await expect(a.nodes.locate("ann")).rejects.toMatchObject({ data: { code: "stopping" } });
  });

  it("end the sessions of users that another node took", async () => {
    const name = schema();
    const url = needsPostgres().schema(name);
    const [a, b] = [await join(url, "a"), await join(url, "b")];
    await a.nodes.locate("ann");
    const moved: number[] = [];
    a.nodes.onMoved((shards) => moved.push(...shards));
    needsPostgres().run(name, "update vitrine_shards set slot = null, fence = 0");
    expect((await b.nodes.locate("ann")).kind).toBe("here");
    await expect.poll(() => moved, { timeout: 10_000 }).toEqual([shardOf("ann")]);
  });

  it("are refused by the database, whatever they believe, when another node has the user", async () => {
    const name = schema();
    const url = needsPostgres().schema(name);
    const a = await join(url, "a");
    await a.nodes.locate("ann");
    await a.nodes.locate("bob");
    a.nodes.stop();
    needsPostgres().run(
      name,
      `update vitrine_shards set slot = 9, fence = 9 where shard = ${shardOf("ann")}`,
    );
    expect(a.nodes.holds("ann")).toBe(true);
    const code = { data: { code: "stopping" } };
    await expect(a.audit.begin(entry("ann", "k.1"))).rejects.toMatchObject(code);
    await expect(a.consents.set({ ...consent, user: "ann" })).rejects.toMatchObject(code);
    const started = { id: "c", title: "t", startedAt: 1 };
    await expect(a.conversations.create("ann", started)).rejects.toMatchObject(code);
    await a.consents.set({ ...consent, user: "bob" });
    await a.audit.begin(entry("bob", "k.2"));
    expect(needsPostgres().run(name, `select "user" from vitrine_consents`)).toBe("bob");
    expect(needsPostgres().run(name, `select "key" from vitrine_audit where kind = 'entry'`)).toBe("k.2");
    expect(needsPostgres().run(name, "select count(*) from vitrine_conversations")).toBe("0");
  });

  it("are refused by the database without a lease, whatever they believe", async () => {
    const name = schema();
    const url = needsPostgres().schema(name);
    const [a, b] = [await join(url, "a"), await join(url, "b")];
    for (const [node, user] of [
      [a, "ann"],
      [b, "bob"],
    ] as const) {
      await node.nodes.locate(user);
      node.nodes.stop();
    }
    needsPostgres().run(name, `update vitrine_nodes set "expiresAt" = 0`);
    expect(a.nodes.holds("ann")).toBe(true);
    const code = { data: { code: "audit-failed" } };
    // The first refusal closes the connection, so each kind of write has its own node.
    await expect(a.audit.begin(entry("ann", "k.1"))).rejects.toMatchObject(code);
    await expect(b.consents.set({ ...consent, user: "bob" })).rejects.toMatchObject(code);
    expect(needsPostgres().run(name, "select count(*) from vitrine_audit where kind = 'entry'")).toBe("0");
    expect(needsPostgres().run(name, "select count(*) from vitrine_consents")).toBe("0");
  });

  it("hand users over while they drain", async () => {
    const url = needsPostgres().schema(schema());
    const [a, b] = [await join(url, "a"), await join(url, "b")];
    await a.nodes.locate("ann");
    await a.nodes.release(await a.nodes.drain());
    expect(await b.nodes.locate("ann")).toEqual({ kind: "here" });
    expect(await a.nodes.locate("bob")).toMatchObject({ kind: "there", node: { id: "b" } });
    await b.audit.begin(entry("ann", "k.1"));
  });

  it("let requests of users wait while they give them to another node", async () => {
    const url = needsPostgres().schema(schema());
    const [a, b] = [await join(url, "a"), await join(url, "b")];
    expect(await a.nodes.locate("ann")).toEqual({ kind: "here" });
    await expect.poll(() => a.nodes.nodes).toContainEqual(b.nodes.self);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      // The other node's row is locked, so that giving takes a while. A claim would not have to wait for that row.
      await client.query("begin; select 1 from vitrine_nodes where node = 'b' for update");
      const given = a.nodes.give([shardOf("ann")], b.nodes.self);
      let isLocated = false;
      const located = a.nodes.locate("ann").finally(() => {
        isLocated = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(isLocated).toBe(false);
      expect(a.nodes.holds("ann")).toBe(false);
      await client.query("commit");
      expect(await given).toBe(true);
      expect(await located).toEqual({ kind: "there", node: b.nodes.self });
    } finally {
      await client.end();
    }
  });

  it("do not start beside a gateway alone, nor that beside them", async () => {
    const url = needsPostgres().schema(schema());
    const alone = await openStore(url);
    await expect(openStore(url, { join: identity("a"), ownerTimeout: 0 })).rejects.toThrow(
      /does not share it/,
    );
    await alone.close();
    const a = await join(url, "a");
    await expect(openStore(url, { ownerTimeout: 0 })).rejects.toThrow(/"nodes" in the settings/);
    await a.close();
    open.length = 0;
    await (await openStore(url)).close();
  });

  it("with other secrets are refused", async () => {
    const url = needsPostgres().schema(schema());
    await join(url, "a");
    await expect(openStore(url, { join: { ...identity("b"), fingerprint: "other" } })).rejects.toThrow(
      /does not fit the node at a.test:7443/,
    );
  });

  it("do not act on an entry if their lease ended while it was written, as in a frozen process", async () => {
    const engine = await openSqlite(":memory:", 0);
    await migrate(engine.db, engine.kind);
    const writer = new AuditWriter(engine, startOf(0), {
      now: Date.now,
      onalarm: () => {},
      limits: { waiting: 10, weight: 10_000 },
      readHead: () => readHead(engine, 0),
    });
    let mayAct = true;
    const audit = new StoredAuditLog(engine, writer, { list: async () => [] }, () => mayAct);
    await audit.begin(entry("ann", "k.1"));
    const began = audit.begin(entry("ann", "k.2"));
    mayAct = false;
    await expect(began).rejects.toMatchObject({ data: { code: "stopping" } });
    await audit.flush();
    expect((await audit.find("ann", "k.2"))?.outcome).toMatchObject({ outcome: "cancelled" });
    await audit.close();
    await engine.close();
  });

  it("need PostgreSQL", async () => {
    await expect(openStore("sqlite::memory:", { join: identity("a") })).rejects.toThrow(/PostgreSQL/);
  });

  it("do not start on a database in read-only mode, and say why", async () => {
    const name = schema();
    const url = needsPostgres().schema(name);
    await (await openStore(url)).close();
    const readOnly = `${url}%20-cdefault_transaction_read_only%3Don`;
    await expect(openStore(readOnly, { join: identity("a") })).rejects.toThrow(/read-only/);
  });

  it("notice rows that are missing from the end of another chain", async () => {
    const name = schema();
    const url = needsPostgres().schema(name);
    const [a, b] = [await join(url, "a"), await join(url, "b")];
    await b.nodes.locate("bob");
    await b.audit.begin(entry("bob", "k.1"));
    await (a.audit as unknown as { anchor(): Promise<void> }).anchor();
    await b.close();
    open.splice(open.indexOf(b), 1);
    expect(await a.audit.verify()).toMatchObject({ ok: true });
    needsPostgres().run(name, `delete from vitrine_audit where seq > ${2 ** 40}`);
    expect(await a.audit.verify()).toMatchObject({ ok: false });
  });

  it("record a legal hold once, whoever added it", async () => {
    const url = needsPostgres().schema(schema());
    const nodes = [await join(url, "a"), await join(url, "b"), await join(url, "c")];
    const guest = await openGuest(url);
    try {
      for (const reason of ["case 1", "case 2", "case 3"]) {
        const { id } = await guest.holds.add({ user: "ann", reason });
        await Promise.all(nodes.map(({ holds }) => holds.record()));
        await guest.holds.end(id);
        await Promise.all(nodes.map(({ holds }) => holds.record()));
      }
    } finally {
      await guest.close();
    }
    for (const method of ["audit/hold", "audit/hold-end"]) {
      const marks = (await nodes[0]?.audit.query({ method })) ?? [];
      expect(marks.map(({ reason }) => reason)).toEqual(["case 1", "case 2", "case 3"]);
    }
  });

  it.each([
    ["writes no mark", "vitrine_audit", 120],
    ["removes no more rows", "vitrine_results", 70],
  ])(
    "that lost the lease of a slot while it removed rows there %s",
    async (_what, table, left) => {
      const name = schema();
      const url = needsPostgres().schema(name);
      const run = (sql: string) => needsPostgres().run(name, sql);
      const a = await join(url, "a");
      const b = await openStore(url, { join: identity("b"), now: () => 100 });
      const c = await join(url, "c");
      await Promise.all(
        Array.from({ length: 120 }, () => b.audit.mark({ method: "test/old", reason: "test" })),
      );
      await b.close();
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        await client.query(`begin; lock table ${table} in exclusive mode`);
        const pruned = a.audit.prune(1000).then(
          () => "done",
          (error: unknown) => `${error}`,
        );
        const waiting = "select count(*) > 0 from pg_locks where not granted and mode = 'RowExclusiveLock'";
        await expect.poll(() => run(waiting)).toBe("t");
        // Nobody else works there meanwhile, and no node that joins gets the slot.
        expect(await c.audit.prune(1000)).toBe(0);
        expect(run("select state from vitrine_nodes where slot = 1")).toBe("lost");
        // As if another node had found its lease over.
        run(`update vitrine_nodes set fence = fence + 1 where slot = 1`);
        await client.query("rollback");
        expect(await pruned).toMatch(/lease/);
      } finally {
        await client.end();
      }
      expect(run(`select count(*) from vitrine_audit where method = 'test/old'`)).toBe(`${left}`);
      expect(run(`select count(*) from vitrine_audit where method = 'audit/prune'`)).toBe(
        table === "vitrine_audit" ? "0" : "1",
      );
      // Its own chain is not disturbed.
      await a.audit.mark({ method: "test/own", reason: "test" });
      expect(await a.audit.verify()).toMatchObject({ ok: true });
    },
    30_000,
  );

  it("keep rows for a hold that is being added while they remove them", async () => {
    const name = schema();
    const url = needsPostgres().schema(name);
    const a = await join(url, "a", { now: () => 100 });
    await a.nodes.locate("ann");
    for (const key of ["k.1", "k.2"])
      a.audit.end(await a.audit.begin(entry("ann", key)), { outcome: "ok", duration: 1 });
    await a.audit.flush();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      // Added, but not committed: nobody can see it yet.
      await client.query(
        `begin; insert into vitrine_holds (id, "user", reason, "heldAt", recorded) values ('h', 'ann', 'case', 1, 0)`,
      );
      const pruned = a.audit.prune(1000);
      const waiting = "select count(*) from pg_locks where not granted and mode = 'ShareLock'";
      await expect.poll(() => needsPostgres().run(name, waiting)).toBe("1");
      await client.query("commit");
      expect(await pruned).toBe(4);
    } finally {
      await client.end();
    }
    const kept: string[] = [];
    for await (const { key, outcome } of a.holds.rows()) kept.push(key ?? outcome ?? "");
    expect(kept).toEqual(["k.1", "ok", "k.2", "ok"]);
    expect(await a.audit.query({ method: "audit/held" })).toHaveLength(1);
    expect(await a.audit.verify()).toMatchObject({ ok: true });
  });

  it("see answers that another node revoked while it had the user", async () => {
    const url = needsPostgres().schema(schema());
    const [a, b] = [await join(url, "a"), await join(url, "b")];
    const known = () => a.consents.get("ann", consent, 2);
    await a.nodes.locate("ann");
    await a.consents.set({ ...consent, user: "ann" });
    expect(await known()).toBe("allow");
    await a.nodes.release([shardOf("ann")]);
    expect(await b.nodes.locate("ann")).toEqual({ kind: "here" });
    expect(await b.consents.revoke("ann", { server: "shop" })).toBe(1);
    await b.nodes.release([shardOf("ann")]);
    expect(await a.nodes.locate("ann")).toEqual({ kind: "here" });
    expect(await known()).toBeUndefined();
  });

  it("leave conversations of a user to the node that knows which of them are in use", async () => {
    const url = needsPostgres().schema(schema());
    const [a, b] = [await join(url, "a"), await join(url, "b")];
    await a.nodes.locate("ann");
    expect(await b.nodes.locate("ann")).toMatchObject({ kind: "there" });
    await a.conversations.create("ann", { id: "old", title: "old", startedAt: 100 });
    expect(await b.conversations.prune(200, () => false)).toEqual([]);
    expect(await a.conversations.prune(200, (_user, id) => id === "old")).toEqual([]);
    expect(await a.conversations.prune(200, () => false)).toEqual(["ann"]);
  });

  it("write the heads of all chains into their own, again and again", async () => {
    const url = needsPostgres().schema(schema());
    const a = await join(url, "a", { anchorEvery: 1 });
    const b = await join(url, "b");
    await b.audit.mark({ method: "test/last", reason: "test" });
    await expect
      .poll(
        async () => {
          const anchors = await a.audit.query({ method: "audit/anchor" });
          return anchors.filter(
            ({ params }) => JSON.parse(params ?? "").heads[1]?.hash === b.audit.head.hash,
          );
        },
        { timeout: 10_000 },
      )
      .not.toHaveLength(0);
    await expect
      .poll(async () => (await a.audit.query({ method: "audit/anchor" })).length, { timeout: 10_000 })
      .toBeGreaterThan(2);
  });

  it("wait for a node that was not reached until it renews its lease, or the lease ends", async () => {
    const url = needsPostgres().schema(schema());
    const [a, b] = [await join(url, "a"), await join(url, "b")];
    await b.nodes.locate("ann");
    const there = { kind: "there", node: { id: "b", address: "b.test:7443" } };
    expect(await a.nodes.locate("ann")).toEqual(there);
    a.nodes.forget("ann", there.node);
    const began = performance.now();
    expect(await a.nodes.locate("ann")).toEqual(there);
    // Another attempt is worth it only after a sign of life.
    expect(performance.now() - began).toBeGreaterThan(150);
    // It is gone, and the others do not know yet.
    b.nodes.stop();
    a.nodes.forget("ann", there.node);
    expect(await a.nodes.locate("ann")).toEqual({ kind: "here" });
  });

  it("leave calls of a gateway alone, later, their outcomes", async () => {
    const name = schema();
    const url = needsPostgres().schema(name);
    const b = await join(url, "b");
    await b.nodes.locate("bob");
    await b.audit.begin(entry("bob", "k.1"));
    // As after a crash of the last node.
    needsPostgres().run(
      name,
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'vitrine%'",
    );
    b.nodes.stop();
    await b.close();
    open.length = 0;
    needsPostgres().run(name, "update vitrine_nodes set state = 'live'");
    const alone = await openStore(url);
    open.push(alone);
    expect((await alone.audit.find("bob", "k.1"))?.outcome?.outcome).toBe("indeterminate");
    expect(await alone.audit.verify()).toMatchObject({ ok: true });
  });
});
