/** Somebody edits the tables of nodes by hand, or makes the database read-only: nothing is lost, and nothing runs twice. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type NodesDatabase, WholeNodes } from "../../../testing/gateway/whole-nodes.ts";
import { shardOf } from "./store/shards.js";

const WAIT = { timeout: 30_000, interval: 100 };
const USERS = ["ana", "bob"];
const FIRST = "(select min(slot) from vitrine_nodes where state = 'live')";

type Node = Awaited<ReturnType<WholeNodes["rejoining"]>>;
let stage: WholeNodes | undefined;
let database: NodesDatabase;
let a: Node;
let b: Node;
beforeAll(async () => {
  stage = await WholeNodes.open(USERS);
  if (!stage) return;
  database = stage.database();
  a = await stage.rejoining("a", database);
  b = await stage.rejoining("b", database);
});
beforeEach(({ skip }) => {
  if (!stage) skip("PostgreSQL is missing");
});
afterAll(async () => {
  await stage?.close();
  await stage?.remove();
});

const needed = (): WholeNodes => {
  if (!stage) throw new Error("no PostgreSQL");
  return stage;
};
const run = (sql: string): string => needed().run(database, sql);
let count = 0;

/** Every user calls through every node; every call has one effect and one outcome. */
async function everybodyCalls(): Promise<void> {
  const all = needed();
  for (const user of USERS)
    for (const at of [a, b]) {
      const key = `call-${++count}`;
      const answer = await all.callUntilDone(at, key, user);
      expect(answer, answer.text).toMatchObject({ status: 200 });
      expect(all.effects().filter((each) => each === key)).toEqual([key]);
    }
}

async function nothingIsLost(): Promise<void> {
  const all = needed();
  await vi.waitFor(() => {
    const open = `select count(*) from vitrine_audit e left join vitrine_audit o on o.of = e.seq where e.kind = 'entry' and e.decision = 'allowed' and o.seq is null`;
    expect(run(open)).toBe("0");
  }, WAIT);
  const effects = all.effects();
  expect(new Set(effects).size).toBe(effects.length);
  for (const at of [a, b]) {
    expect(JSON.parse((await all.ask(at, "/api/audit/verify")).text)).toMatchObject({ ok: true });
    expect((await fetch(`${at.origin}/api/servers`)).status).toBe(401);
  }
}

describe("tables that somebody edited: users continue, nothing is lost or runs twice", () => {
  it.each([
    ["a higher fence of a node", "update vitrine_nodes set fence = fence + 1 where state = 'live'"],
    [
      "negative numbers in a node's row",
      `update vitrine_nodes set fence = -5, "expiresAt" = -1 where slot = 0`,
    ],
    ["nodes that were deleted", "delete from vitrine_nodes"],
    ["shards that were deleted", "delete from vitrine_shards"],
    ["shards of a node that does not exist", "update vitrine_shards set slot = -3, fence = -1"],
    [
      "users that were given to the wrong node",
      "update vitrine_shards s set slot = n.slot, fence = n.fence from vitrine_nodes n where n.slot <> s.slot and n.state = 'live'",
    ],
    ["a lease of a live node far in the future", `update vitrine_nodes set "expiresAt" = 9000000000000000`],
    [
      "a node of a state that does not exist",
      `update vitrine_nodes set state = 'gone' where slot = ${FIRST}`,
    ],
  ])("%s", async (_, sql) => {
    await everybodyCalls();
    const pending = needed().call(a, `pending-${++count}`, "ana", 700);
    await vi.waitFor(() => expect(needed().effects()).toContain(`pending-${count}`), WAIT);
    run(sql);
    const { status, code } = await pending;
    // It ran. So it has its result, or its caller knows that it may have run.
    expect(status === 200 || code === "indeterminate" || code === "server-exited", `${status} ${code}`).toBe(
      true,
    );
    await everybodyCalls();
    await nothingIsLost();
  });

  it("a node that is not there, with a lease far in the future: its users wait some seconds", async () => {
    await everybodyCalls();
    run(`insert into vitrine_nodes (slot, node, fence, address, version, fingerprint, state, "expiresAt")
      select 50, 'ghost', 7, '127.0.0.1:1', version, fingerprint, 'live', 9000000000000000 from vitrine_nodes where state = 'live' limit 1`);
    run(`update vitrine_shards set slot = 50, fence = 7 where shard = ${shardOf("ana")}`);
    await everybodyCalls();
    await nothingIsLost();
  });
});

describe("a node whose lease has ended", () => {
  it("stops its servers, ends its sessions, and joins again with a new id, as soon as it may", async () => {
    const all = needed();
    await everybodyCalls();
    const ids = (): string[] => run("select node from vitrine_nodes where state = 'live'").split("\n");
    const before = ids();
    const page = all.page([a, b]);
    await page.request("gateway/servers", {});
    const tool = { name: "pid", arguments: {} };
    const { text } = await all.ask(a, "/api/servers/faulty/tools/call", "ana", tool);
    const pid = Number(/"text":"(\d+)"/.exec(text)?.[1]);
    expect(() => process.kill(pid, 0)).not.toThrow();
    const slot = run(`select slot from vitrine_shards where shard = ${shardOf("ana")}`);
    // Until the lease of this node ends, no other fits.
    run(`insert into vitrine_nodes (slot, node, fence, address, version, fingerprint, state, "expiresAt")
      values (60, 'stranger', 1, '127.0.0.1:2', '9', 'other', 'live', extract(epoch from clock_timestamp()) * 1000 + 3000)`);
    run(`update vitrine_nodes set fence = fence + 1 where slot = ${slot}`);
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), WAIT);
    await vi.waitFor(() => {
      const failure = all.logged.find((line) => line.includes("cannot join the other nodes yet"));
      expect(failure).toContain("does not fit the node at 127.0.0.1:2 (version 9)");
    }, WAIT);
    await vi.waitFor(() => {
      expect(all.logged.join()).toContain("has joined the other nodes again");
      expect(ids().filter((id) => before.includes(id))).toHaveLength(1);
      expect(ids().filter((id) => !before.includes(id))).toHaveLength(1);
    }, WAIT);
    await page.request("gateway/servers", {});
    await everybodyCalls();
    await nothingIsLost();
  });
});

describe("a database that becomes read-only", () => {
  it("stops all calls with a reason, and nodes continue when it is writable again", async () => {
    const all = needed();
    await everybodyCalls();
    const before = all.effects().length;
    run("alter system set default_transaction_read_only = on");
    run("select pg_reload_conf()");
    await vi.waitFor(async () => expect((await all.ask(a, "/readyz")).status).toBe(503), WAIT);
    for (const at of [a, b]) {
      const answer = await all.call(at, `refused-${++count}`);
      expect(answer).toMatchObject({ status: 503 });
      expect(["audit-failed", "stopping", "node-unreachable"]).toContain(answer.code);
    }
    expect(all.effects().length).toBe(before);
    expect(all.logged.join()).toContain("read-only transaction");
    run("alter system reset default_transaction_read_only");
    run("select pg_reload_conf()");
    await everybodyCalls();
    await nothingIsLost();
    await vi.waitFor(async () => expect((await all.ask(a, "/readyz")).status).toBe(200), WAIT);
  });
});
