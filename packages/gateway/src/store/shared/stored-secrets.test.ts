import { type MasterKey, secretKey } from "@vitrine/servers";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { randomKey, startNodesDatabase } from "../../../../../testing/gateway/shared-nodes.js";
import type { QueryEngine } from "../engine.js";
import { rotateSecrets } from "./secret-rotation.js";
import { sharedKey } from "./shared-key.js";
import { StoredSecrets } from "./stored-secrets.js";

const { nodesOn, postgres } = await startNodesDatabase();

afterAll(() => postgres?.remove(), 60_000);
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const [old, next, other] = [await randomKey(), await randomKey(), await randomKey()];

describe.each(nodesOn(open))("secrets of nodes on %s", (_, twoNodes) => {
  const setUp = async (keys: readonly MasterKey[] = [old]) => {
    const [a, b] = await twoNodes();
    const stores = [await StoredSecrets.open(a, keys), await StoredSecrets.open(b, keys)] as const;
    return { a, b, stores };
  };
  const rows = (engine: QueryEngine) => engine.db.selectFrom("vitrine_secrets").selectAll().execute();

  it("are the same on both, and unreadable in the database", async () => {
    const { a, stores } = await setUp();
    const [one, two] = stores;
    await one.set(secretKey("KEY"), "plainly-secret \0é");
    expect(await two.get(secretKey("KEY"))).toBe("plainly-secret \0é");
    await two.set(secretKey("KEY"), "changed");
    expect(await one.get(secretKey("KEY"))).toBe("changed");
    expect(JSON.stringify(await rows(a))).not.toMatch(/plainly|changed/);
    expect(await one.delete(secretKey("KEY"))).toBe(true);
    expect(await two.delete(secretKey("KEY"))).toBe(false);
    expect(await two.get(secretKey("KEY"))).toBeUndefined();
  });

  it("change only if nobody else has changed them since", async () => {
    const { stores } = await setUp();
    const [one, two] = stores;
    expect(await Promise.all([one.replace("n", "1", undefined), two.replace("n", "2", undefined)])).toContain(
      false,
    );
    const { version } = (await one.read("n")) ?? {};
    expect(await two.replace("n", "3", version)).toBe(true);
    expect(await one.replace("n", "4", version)).toBe(false);
    expect(await one.replace("n", undefined, version)).toBe(false);
    expect(await one.get("n")).toBe("3");
    // Deleted and stored again: an old version does not come back.
    const again = (await two.read("n"))?.version;
    await two.delete("n");
    await two.set("n", "5");
    expect(await one.replace("n", "6", again)).toBe(false);
    expect(await one.replace("n", undefined, (await one.read("n"))?.version)).toBe(true);
    expect(await two.get("n")).toBeUndefined();
  });

  it("count every change of two nodes at once", async () => {
    const { stores } = await setUp();
    const [one, two] = stores;
    await one.set("count", "0");
    const increment = async (store: StoredSecrets): Promise<void> => {
      const found = await store.read("count");
      if (!(await store.replace("count", `${Number(found?.value) + 1}`, found?.version)))
        await increment(store);
    };
    await Promise.all(Array.from({ length: 10 }, (_unused, n) => increment(n % 2 === 0 ? one : two)));
    expect(await one.get("count")).toBe("10");
  });

  it("refuse a node with another key, and name the expected one by its id", async () => {
    const { a, stores } = await setUp();
    await stores[0].set("n", "value");
    const error = await StoredSecrets.open(a, [other]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ data: { code: "config-invalid" } });
    expect(String(error)).toContain(old.id);
    expect(String(error)).toContain(other.id);
    expect(String(error)).not.toContain(other.key.toString("hex"));
    await expect(StoredSecrets.open(a, [])).rejects.toThrow(/this node has none/);
    // Also if the row about the keys was removed by hand.
    await a.db.deleteFrom("vitrine_state").execute();
    await expect(StoredSecrets.open(a, [other])).rejects.toThrow(old.id);
  });

  it("need a key on an empty database", async () => {
    const [a] = await twoNodes();
    await expect(StoredSecrets.open(a, [])).rejects.toThrow(/needs a master key: set VITRINE_KEY/);
  });

  it("refuse rows that were swapped or damaged, and say which", async () => {
    const { a, stores } = await setUp();
    const [one] = stores;
    await one.set("mail", "of mail");
    await one.set("calendar", "of calendar");
    const [x, y] = await rows(a);
    const exchange = async (from: typeof x, to: typeof y) => {
      const { keyId, wrapped, data, version } = from ?? {};
      await a.db
        .updateTable("vitrine_secrets")
        .set({ keyId, wrapped, data, version })
        .where("id", "=", to?.id ?? "")
        .execute();
    };
    await exchange(x, y);
    await exchange(y, x);
    for (const name of ["mail", "calendar"])
      await expect(one.get(name)).rejects.toThrow(`the secret "${name}" in the database is damaged`);
    await a.db.updateTable("vitrine_secrets").set({ data: "%%" }).execute();
    const error = await one.get("mail").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ data: { code: "config-invalid" } });
    expect(String(error)).not.toContain("of mail");
    // It can be stored again.
    await one.set("mail", "new");
    expect(await one.get("mail")).toBe("new");
    await a.db.updateTable("vitrine_state").set({ value: "?" }).execute();
    await expect(StoredSecrets.open(a, [old])).rejects.toThrow(/vitrine_state is damaged/);
  });

  it("get a new master key while nodes use them, and after an interruption", async () => {
    const { a, b, stores } = await setUp([old]);
    for (let n = 0; n < 250; n++) await stores[0].set(`secret ${n}`, `value ${n}`);
    await expect(rotateSecrets(a, [next], 0)).rejects.toThrow(old.id);
    // Nodes with both keys write with the old one until the rotation begins: others have only that.
    const both = await StoredSecrets.open(b, [next, old]);
    await both.set("early", "value");
    expect(await stores[0].get("early")).toBe("value");

    const isInterrupted = { after: 2 };
    const failing: QueryEngine = {
      kind: a.kind,
      db: a.db,
      isBusy: (error) => a.isBusy(error),
      change: (queries) => {
        if (isInterrupted.after-- === 0) throw new Error("killed");
        return a.change(queries);
      },
    };
    await expect(rotateSecrets(failing, [next, old], 0)).rejects.toThrow("killed");
    expect(new Set((await rows(a)).map(({ keyId }) => keyId))).toEqual(new Set([old.id, next.id]));
    expect(await both.get("secret 0")).toBe("value 0");
    expect(await both.get("secret 249")).toBe("value 249");
    // A node without the old key cannot read everything yet.
    await expect(StoredSecrets.open(b, [next])).rejects.toThrow(old.id);
    // A node that knows only the old key must not write with it any more.
    await expect(stores[0].set("late", "value")).rejects.toThrow(next.id);

    const { damaged, keyId } = await rotateSecrets(a, [next, old], 0);
    expect({ damaged, keyId }).toEqual({ damaged: [], keyId: next.id });
    expect(new Set((await rows(a)).map((row) => row.keyId))).toEqual(new Set([next.id]));
    const after = await StoredSecrets.open(b, [next]);
    for (const n of [0, 119, 120, 249]) expect(await after.get(`secret ${n}`)).toBe(`value ${n}`);
    expect(await rotateSecrets(a, [next], 0)).toEqual({ damaged: [], keyId: next.id, rewrapped: 0 });
  }, 60_000);

  it("keep the old master key in use while a secret is damaged", async () => {
    const { a, stores } = await setUp([old]);
    await stores[0].set("mail", "value");
    await stores[0].set("calendar", "value");
    await a.db.updateTable("vitrine_secrets").set({ data: "AAAA" }).where("name", "=", "mail").execute();
    expect(await rotateSecrets(a, [next, old], 0)).toEqual({
      damaged: ["mail"],
      keyId: next.id,
      rewrapped: 1,
    });
    await expect(StoredSecrets.open(a, [next])).rejects.toThrow(old.id);
    await (await StoredSecrets.open(a, [next, old])).delete("mail");
    await rotateSecrets(a, [next, old], 0);
    await StoredSecrets.open(a, [next]);
  });

  it("include keys that nodes share: both get the same one", async () => {
    const { stores } = await setUp();
    const keys = await Promise.all(stores.map((store) => sharedKey(store, "shared/test")));
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    // The key of a gateway that was alone becomes that of the nodes, if they have none yet.
    expect(await sharedKey(stores[0], "shared/sandbox", "of a file")).toBe("of a file");
    expect(await sharedKey(stores[1], "shared/sandbox", "of another file")).toBe("of a file");
  });
});

describe.skipIf(!postgres)("secrets on a database in read-only mode", () => {
  it("can be read; a change fails, and says why", async () => {
    const [, twoNodes] = nodesOn(open).find(([kind]) => kind === "PostgreSQL") ?? [];
    const [a] = (await twoNodes?.()) ?? [];
    if (!a || !postgres) return;
    const store = await StoredSecrets.open(a, [old]);
    await store.set("n", "value");
    const database = "postgres";
    postgres.run("public", `alter database ${database} set default_transaction_read_only = on`);
    try {
      postgres.run(
        "public",
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'vitrine-shared'",
      );
      // The pool notices that its connections are gone.
      await vi.waitFor(async () => expect(await store.get("n")).toBe("value"));
      await expect(store.set("n", "2")).rejects.toThrow(/read-only/);
    } finally {
      postgres.run(
        "public",
        `begin read write; alter database ${database} set default_transaction_read_only = off; commit`,
      );
    }
  });
});
