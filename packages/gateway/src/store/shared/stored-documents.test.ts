import { Sandbox } from "@vitrine/sandbox";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { startNodesDatabase } from "../../../../../testing/gateway/shared-nodes.js";
import type { QueryEngine } from "../engine.js";
import { StoredDocuments, type StoredDocumentsOptions } from "./stored-documents.js";

const { nodesOn, postgres } = await startNodesDatabase();

afterAll(() => postgres?.remove(), 60_000);
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const HOUR = 3_600_000;
const clock = { time: 0 };
function documentsOn(engine: QueryEngine, options: Partial<StoredDocumentsOptions> = {}) {
  const errors: unknown[] = [];
  const onerror = (error: unknown) => errors.push(error);
  const documents = new StoredDocuments(engine, {
    key: "k".repeat(64),
    onerror,
    now: () => clock.time,
    ...options,
  });
  return { documents, errors };
}
const names = async (engine: QueryEngine) =>
  (await engine.db.selectFrom("vitrine_documents").select("name").orderBy("name").execute()).map(
    ({ name }) => name,
  );

describe.each(nodesOn(open))("documents of nodes on %s", (_, twoNodes) => {
  it("any node serves a view that another one registered, at the same address", async () => {
    const nodes = await twoNodes();
    const options = {
      secret: "s".repeat(32),
      origin: "https://{role}-{label}.apps.example.com",
      hosts: ["https://chat.example.com"],
    };
    const [one, two] = nodes.map(
      (engine) => new Sandbox({ ...options, records: documentsOn(engine).documents }),
    );
    const view = { server: "weather", html: "<h1>\0 é😀 Sunny</h1>" };
    const registered = await one?.register(view);
    expect(await two?.has({ src: registered?.src ?? "" })).toBe(true);
    const { pathname } = new URL(registered?.src ?? "");
    const answer = await two?.fetch(
      new Request(`${registered?.viewOrigin}${pathname}`, { headers: { "sec-fetch-dest": "iframe" } }),
    );
    expect(answer?.status).toBe(200);
    expect(await answer?.text()).toContain(view.html);
    expect((await two?.register(view))?.src).toBe(registered?.src);
    // A page that was closed on one node may be open on the other.
    await one?.forget({ src: registered?.src ?? "" });
    expect(await two?.has({ src: registered?.src ?? "" })).toBe(true);
    expect(await one?.has({ src: registered?.src ?? "" })).toBe(true);
  });

  it("refuses damaged documents, swapped ones, and those of another key; a new registration repairs them", async () => {
    const [a, b] = await twoNodes();
    await documentsOn(a).documents.set("one", "document one");
    await documentsOn(a).documents.set("two", "document two");
    const { documents, errors } = documentsOn(b);
    const [one, two] = await a.db.selectFrom("vitrine_documents").selectAll().orderBy("name").execute();
    if (!one || !two) throw new Error("no rows");
    const write = (name: string, { body, proof }: Pick<typeof one, "body" | "proof">) =>
      a.db
        .updateTable("vitrine_documents")
        .set({ body: Buffer.from(body), proof })
        .where("name", "=", name)
        .execute();
    await write("one", two);
    await write("two", { ...two, body: Buffer.from("another") });
    expect([await documents.get("one"), await documents.get("two")]).toEqual([undefined, undefined]);
    expect(errors.map(String)).toEqual([
      expect.stringContaining("one in the database is damaged"),
      expect.stringContaining("two"),
    ]);
    await documents.set("one", "document one");
    expect(await documentsOn(b).documents.get("one")).toBe("document one");
    expect(await documentsOn(b, { key: "x".repeat(64) }).documents.get("one")).toBeUndefined();
    expect(await documents.get("three")).toBeUndefined();
  });

  it("removes documents that no node has used for a week, and none that is in use", async () => {
    const [a, b] = await twoNodes();
    const [one, two] = [documentsOn(a).documents, documentsOn(b).documents];
    for (const name of ["a", "b", "c"]) await one.set(name, name);
    await two.get("b");
    const weekAgo = Date.now() - 8 * 24 * HOUR;
    await a.db.updateTable("vitrine_documents").set({ usedAt: weekAgo }).where("name", "!=", "c").execute();
    // Used from memory, but not stored again within the hour.
    clock.time += 2 * HOUR;
    await two.get("b");
    await vi.waitFor(async () => {
      const { usedAt } = await a.db
        .selectFrom("vitrine_documents")
        .select("usedAt")
        .where("name", "=", "b")
        .executeTakeFirstOrThrow();
      expect(usedAt).toBeGreaterThan(weekAgo);
    });
    expect(await one.prune()).toBe(1);
    expect(await names(a)).toEqual(["b", "c"]);
    // A node that has a removed document in memory stores it again.
    clock.time += 2 * HOUR;
    await one.set("a", "a");
    expect(await names(a)).toEqual(["a", "b", "c"]);
  });

  it("stays below its limit: the least recently used documents go first", async () => {
    const [a] = await twoNodes();
    const { documents } = documentsOn(a, { limit: 25 });
    for (const [at, name] of ["a", "b", "c", "d"].entries()) {
      await documents.set(name, name.repeat(10));
      await a.db
        .updateTable("vitrine_documents")
        .set({ usedAt: Date.now() - 100_000 + at * 1000 })
        .where("name", "=", name)
        .execute();
    }
    await a.db.updateTable("vitrine_documents").set({ usedAt: Date.now() }).where("name", "=", "a").execute();
    expect(await documents.prune()).toBe(2);
    expect(await names(a)).toEqual(["a", "d"]);
  });

  it("writes a document once, however often it is registered", async () => {
    const [a] = await twoNodes();
    const change = vi.spyOn(a, "change");
    const { documents } = documentsOn(a);
    for (let n = 0; n < 20; n++) await documents.set("a", "text");
    expect(change).toHaveBeenCalledTimes(1);
  });
});
