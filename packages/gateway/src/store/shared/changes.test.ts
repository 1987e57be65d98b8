import pg from "pg";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { startNodesDatabase } from "../../../../../testing/gateway/shared-nodes.js";
import { change, type QueryEngine } from "../engine.js";
import { SharedChanges } from "./changes.js";
import { openShared } from "./open-shared.js";

const { newSchema, nodesOn, postgres } = await startNodesDatabase();

afterAll(() => postgres?.remove(), 60_000);
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function follow(engine: QueryEngine, options: { interval?: number; kept?: number } = {}) {
  const errors: unknown[] = [];
  const changes = await SharedChanges.open(engine, {
    onerror: (error) => errors.push(error),
    interval: 1e6,
    ...options,
  });
  open.push(() => changes.close());
  const heard: string[] = [];
  let resets = 0;
  changes.on("topic", (key) => heard.push(key));
  changes.onReset(() => void resets++);
  const tell = (key: string, topic = "topic") =>
    change(engine, (db) => [changes.record(db, topic, key)]).then(() => {});
  return { changes, errors, heard, tell, resets: () => resets };
}

describe.each(nodesOn(open))("changes of nodes on %s", (_, twoNodes) => {
  it("reach the other node once, in order, by topic", async () => {
    const [a, b] = await twoNodes();
    const [one, two] = [await follow(a), await follow(b)];
    for (const key of ["1", "2", "3"]) await one.tell(key);
    await one.tell("other", "another topic");
    await two.changes.read();
    await one.tell("4");
    await two.changes.read();
    await two.changes.read();
    expect(two.heard).toEqual(["1", "2", "3", "4"]);
    expect(two.resets()).toBe(0);
  });

  it("that were made before a read was asked for are in it, even if another read is running", async () => {
    const [a, b] = await twoNodes();
    const one = await follow(a);
    let [fetched, isHeld] = [0, false];
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const db = b.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        fetched++;
        if (isHeld) await held;
        return result;
      },
    });
    const two = await follow({ kind: b.kind, db, isBusy: () => false, change: b.change.bind(b) });
    const before = fetched;
    isHeld = true;
    const first = two.changes.read();
    await vi.waitFor(() => expect(fetched).toBe(before + 1));
    await one.tell("1");
    const [second, third] = [two.changes.read(), two.changes.read()];
    expect(third).toBe(second);
    isHeld = false;
    release();
    await Promise.all([first, second]);
    expect(two.heard).toEqual(["1"]);
  });

  it("are reset when the database is an older copy", async () => {
    const [a] = await twoNodes();
    const one = await follow(a);
    await one.tell("1");
    await one.changes.read();
    await a.db.deleteFrom("vitrine_changes").execute();
    await one.changes.read();
    expect(one.resets()).toBe(1);
    await one.tell("2");
    await one.changes.read();
    expect([one.heard, one.resets()]).toEqual([["1", "2"], 1]);
  });

  it("are reset after a pause that was longer than changes are kept", async () => {
    const [a, b] = await twoNodes();
    const [one, two] = [await follow(a), await follow(b, { kept: 200 })];
    await new Promise((resolve) => setTimeout(resolve, 150));
    await one.tell("1");
    await two.changes.read();
    expect(two.resets()).toBe(1);
    // The change itself may be among them.
    await two.changes.read();
    expect(two.heard).toEqual(["1"]);
  });

  it("are removed when they are old, but for the last one", async () => {
    const [a] = await twoNodes();
    const one = await follow(a);
    for (const key of ["1", "2", "3"]) await one.tell(key);
    await a.db.updateTable("vitrine_changes").set({ at: 1 }).execute();
    await one.changes.read();
    const left = await a.db.selectFrom("vitrine_changes").select("key").execute();
    expect(left.map(({ key }) => key)).toEqual(["3"]);
  });
});

describe.skipIf(!postgres)("changes on PostgreSQL", () => {
  it("that commit later than those with higher numbers are not missed", async () => {
    const url = newSchema();
    const engine = await openShared(url);
    open.push(() => engine.close());
    const slow = new pg.Client({ connectionString: url });
    await slow.connect();
    open.push(() => slow.end());
    const insert = (key: string) =>
      `insert into vitrine_changes (topic, key, at) values ('topic', '${key}', 0)`;
    await slow.query("begin");
    await slow.query(insert("first"));
    // A node that starts in between has to find it, too.
    const one = await follow(engine);
    await one.tell("second");
    await one.changes.read();
    const two = await follow(engine);
    await two.changes.read();
    await slow.query("commit");
    for (const node of [one, two]) {
      await node.changes.read();
      expect(node.heard).toEqual(["second", "first"]);
    }
  });

  it("continue after the database was away, with one error", async () => {
    const url = newSchema();
    const [a, b] = await Promise.all([openShared(url), openShared(url)]);
    open.push(
      () => a.close(),
      () => b.close(),
    );
    const [one, two] = [await follow(a), await follow(b, { interval: 20 })];
    await one.tell("before");
    await vi.waitFor(() => expect(two.heard).toEqual(["before"]), 5000);
    await postgres?.stop();
    await vi.waitFor(() => expect(two.errors).toHaveLength(1), 5000);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await postgres?.start();
    await vi.waitFor(() => one.tell("after"), 10_000);
    await vi.waitFor(() => expect(two.heard).toEqual(["before", "after"]), 10_000);
    expect(two.errors).toHaveLength(1);
  }, 60_000);

  it("do not wait for a node that froze in a transaction", async () => {
    const url = newSchema();
    const engine = await openShared(url);
    open.push(() => engine.close());
    // A frozen node leaves a transaction behind that holds the row.
    await engine.db.insertInto("vitrine_state").values({ name: "n", value: "1" }).execute();
    const frozen = engine.db.transaction().execute(async (transaction) => {
      await transaction.updateTable("vitrine_state").set({ value: "2" }).execute();
      await new Promise((resolve) => setTimeout(resolve, 8000));
    });
    const ended = frozen.catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await vi.waitFor(() => change(engine, (db) => db.updateTable("vitrine_state").set({ value: "3" })), {
      timeout: 12_000,
      interval: 100,
    });
    expect(await ended).toBeInstanceOf(Error);
    const { value } = await engine.db.selectFrom("vitrine_state").select("value").executeTakeFirstOrThrow();
    expect(value).toBe("3");
  }, 30_000);
});
