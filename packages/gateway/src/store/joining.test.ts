/** A node that joins, while others lock the table of the nodes. */
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { startPostgres, type TestPostgres } from "../../../../testing/postgres.ts";
import { JoinedNode } from "./joined-node.js";
import { migrate } from "./migrations.js";
import { openPool } from "./postgres-pool.js";
import { SlotLease } from "./slot-lease.js";

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => postgres?.remove());

const identity = { node: "a", address: "a.test:7443", version: "1.0.0", fingerprint: "same" };

let count = 0;
/** A database in which slot 0 is free. */
async function setUp() {
  if (!postgres) throw new Error("no PostgreSQL");
  const url = postgres.schema(`joining_${++count}`);
  const db = openPool({ connectionString: url, max: 2 });
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await db.destroy();
  });
  await migrate(db, "postgres");
  await client.query(
    `insert into vitrine_nodes (slot, node, fence, address, version, fingerprint, state, "expiresAt")
     values (0, 'old', 1, 'old.test:7443', '1.0.0', 'same', 'free', 0)`,
  );
  return { url, db, client };
}

describe("a node that joins", () => {
  beforeEach(({ skip }) => {
    if (!postgres) skip("PostgreSQL is missing");
  });

  it("and one that works on the free slot do not wait for each other", async () => {
    const { db, client } = await setUp();
    // As a node that joins does it.
    await client.query("begin; lock table vitrine_nodes in share row exclusive mode");
    const lease = SlotLease.take(db, 0, "free");
    const outcome = lease.catch((error: unknown) => error);
    await expect
      .poll(
        async () =>
          (
            await client.query(
              "select 1 from pg_locks where not granted and relation = 'vitrine_nodes'::regclass",
            )
          ).rowCount,
        { interval: 20 },
      )
      .toBe(1);
    await client.query(
      `update vitrine_nodes set state = 'live', fence = 2, "expiresAt" = 9e15 where slot = 0`,
    );
    await client.query("commit");
    // It is the other's now.
    expect(await outcome).toBeUndefined();
  });

  it.each(["40P01", "40001"])("tries again after the error %s", async (code) => {
    const { url, client } = await setUp();
    await client.query(`create sequence tries;
      create function refuse() returns trigger language plpgsql as $$ begin
        if nextval('tries') < 3 then raise 'refused by the test' using errcode = '${code}'; end if;
        return new;
      end $$;
      create trigger refused before update on vitrine_nodes for each row execute function refuse()`);
    const joined = await JoinedNode.join(url, identity);
    expect(joined.grant.fence).toBeGreaterThan(1);
    await joined.leave();
    await joined.close();
  });

  it("gives up when the database refuses it again and again", async () => {
    const { url, client } = await setUp();
    await client.query(`create function refuse() returns trigger language plpgsql as $$ begin
        raise 'refused by the test' using errcode = '40P01';
      end $$;
      create trigger refused before update on vitrine_nodes for each row execute function refuse()`);
    await expect(JoinedNode.join(url, identity)).rejects.toThrow(/refused by the test/);
  });
});
