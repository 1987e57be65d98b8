import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AppContext,
  type CallItem,
  CONVERSATION_LIMITS,
  type ConversationItem,
  type UserItem,
} from "@vitrine/wire";
import fc from "fast-check";
import Libsql from "libsql";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startPostgres } from "../../../../testing/postgres.js";
import { keptConversationsExample } from "../../../conversation/src/conversation.examples.js";
import { migrate } from "./migrations.js";
import { openStore } from "./open.js";
import { openPostgres } from "./postgres.js";
import { openSqlite } from "./sqlite.js";
import type { GatewayStore } from "./store.js";

const postgres = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), "vitrine-conversations-"));
const stores: GatewayStore[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});
afterAll(async () => {
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

interface Place {
  url: string;
  /** Changes the database directly. */
  tamper?: ((sql: string) => void) | undefined;
}

let places = 0;
const engines: Record<string, () => Place> = {
  "SQLite in a file": () => {
    const file = join(folder, `store-${++places}.db`);
    return {
      url: `sqlite:${file}`,
      tamper(sql) {
        const connection = new Libsql(file, {});
        connection.exec(sql);
        connection.close();
      },
    };
  },
  "SQLite in memory": () => ({ url: "sqlite::memory:" }),
  ...(postgres && {
    PostgreSQL: () => {
      const name = `conversations_${++places}`;
      return { url: postgres.schema(name), tamper: (sql: string) => void postgres.run(name, sql) };
    },
  }),
};

it.runIf(!postgres)("PostgreSQL is not installed: its part of the suite is skipped", () => {
  expect(Object.keys(engines)).toHaveLength(2);
});

const said = (id: string, text: string): UserItem => ({
  kind: "user",
  id,
  at: 1,
  content: [{ type: "text", text }],
});
const call: CallItem = {
  kind: "call",
  id: "call",
  at: 3,
  by: "model",
  turn: "answer",
  server: "shop",
  tool: "find_Shoes",
  app: { item: "x", server: "shop", title: "Schaufenster" },
  state: "done",
  input: { size: 38, deep: [{ "\0": "\ud800" }] },
  result: { content: [{ type: "text", text: "two pairs" }], structuredContent: { pairs: 2 } },
  hasApp: true,
  page: { height: 300 },
};
const context: AppContext = {
  item: "call",
  server: "shop",
  title: "Shoes",
  at: 4,
  content: [{ type: "text", text: "the red pair is chosen" }],
  isStale: false,
};
const everything: ConversationItem[] = [
  said("question", "Which shoes?"),
  { kind: "model", id: "answer", at: 2, model: "Test", text: "These.", state: "done" },
  call,
  { kind: "note", id: "note", at: 5, level: "warning", code: "limit", text: "That was much." },
];
const unknown = { data: { code: "conversation-unknown" }, message: expect.stringContaining("deleted") };
const tooLarge = (limit: string) => ({ data: { code: "conversation-too-large", limit } });

describe.each(Object.keys(engines))("conversations on %s", (engine) => {
  const isMemory = engine === "SQLite in memory";
  const open = async ({ url }: Place): Promise<GatewayStore> => {
    const store = await openStore(url);
    stores.push(store);
    return store;
  };
  const setUp = async () => {
    const place = (engines[engine] as () => Place)();
    const store = await open(place);
    const { conversations } = store;
    const begin = (id: string, user = "ann", startedAt = 10) =>
      conversations.create(user, { id, title: `Title ${id}`, startedAt });
    const ids = async (id = "c") => (await conversations.get("ann", id))?.items.map((item) => item.id);
    const search = async (words: string) =>
      (await conversations.list("ann", { search: words })).map(({ id }) => id);
    return { place, store, conversations, begin, ids, search };
  };

  it("are returned unchanged, also after a restart", async () => {
    const { place, store, conversations, begin } = await setUp();
    expect(await begin("c")).toBe(true);
    const summary = { id: "c", title: "Title c", startedAt: 10, changedAt: 10 };
    const nothing = { items: [], contexts: [], usage: { input: 0, output: 0 } };
    expect(await conversations.get("ann", "c")).toEqual({ ...summary, ...nothing });
    const more = { title: "Shoes", contexts: [context], usage: { input: 7, output: 8 }, changedAt: 20 };
    await conversations.put("ann", "c", { items: everything, ...more });
    const kept = { ...summary, ...more, items: everything };
    expect(await conversations.get("ann", "c")).toEqual(kept);
    expect(await begin("c")).toBe(false);
    expect(await conversations.get("ann", "nothing")).toBeUndefined();
    if (isMemory) return;
    await store.close();
    const { conversations: again } = await open(place);
    expect(await again.get("ann", "c")).toEqual(kept);
    expect(await again.list("ann")).toEqual([{ ...summary, title: "Shoes", changedAt: 20 }]);
  });

  it("keep their entries in order: a new one is appended, a known one keeps its position", async () => {
    const { conversations, begin, ids } = await setUp();
    await begin("c");
    await conversations.put("ann", "c", { items: ["a", "b", "c"].map((id) => said(id, id)) });
    await conversations.put("ann", "c", { items: [said("b", "B"), said("d", "d")], removed: ["a", "gone"] });
    expect(await ids()).toEqual(["b", "c", "d"]);
    expect((await conversations.get("ann", "c"))?.items[0]).toEqual(said("b", "B"));
    // Removed and added again; and twice in one update.
    const twice = [said("e", "1"), said("f", ""), said("e", "2")];
    await conversations.put("ann", "c", { items: [said("b", "b"), ...twice], removed: ["b"] });
    expect(await ids()).toEqual(["c", "d", "b", "e", "f"]);
    expect((await conversations.get("ann", "c"))?.items[3]).toEqual(said("e", "2"));
    await conversations.put("ann", "c", { contexts: [context] });
    await conversations.put("ann", "c", { contexts: [] });
    expect((await conversations.get("ann", "c"))?.contexts).toEqual([]);
  });

  it.each([
    ["ann", "bob"],
    ["a\0", "a\ufffd"],
    ["a\ud800", "a\ufffd"],
    ["x".repeat(300), `${"x".repeat(299)}y`],
    [`${"x".repeat(300)}\ud800`, `${"x".repeat(300)}\ufffd`],
  ])("belong to their owner only, for any names (%#)", async (owner, other) => {
    const { conversations, begin } = await setUp();
    await begin("c", owner);
    await conversations.put(owner, "c", { items: [said("secret", "secret")] });
    const attempts = async (user: string) => {
      expect(await conversations.get(user, "c")).toBeUndefined();
      expect(await conversations.list(user)).toEqual([]);
      expect(await conversations.list(user, { search: "secret" })).toEqual([]);
      await expect(conversations.put(user, "c", { removed: ["secret"] })).rejects.toMatchObject(unknown);
      await expect(conversations.rename(user, "c", "mine")).rejects.toMatchObject(unknown);
      expect(await conversations.delete(user, "c")).toBe(false);
    };
    await attempts(other);
    // The same id of another user is a different conversation, with different entries.
    await begin("c", other);
    await conversations.put(other, "c", { items: [said("secret", "other")] });
    expect(await conversations.delete(other, "c")).toBe(true);
    await attempts(other);
    expect(await conversations.get(owner, "c")).toMatchObject({
      title: "Title c",
      items: [said("secret", "secret")],
    });
    expect(await conversations.list(owner)).toHaveLength(1);
  });

  it("are listed by their last change, in pages that skip none", async () => {
    const { conversations, begin } = await setUp();
    for (let n = 0; n < 250; n++) await begin(`c${n}`, "ann", Math.floor(n / 3));
    await begin("other", "bob", 1000);
    await conversations.put("ann", "c0", { changedAt: 500 });
    await conversations.rename("ann", "c1", "renamed");
    const listed = await conversations.list("ann", { limit: 1000 });
    expect(listed).toHaveLength(250);
    expect(listed[0]?.id).toBe("c0");
    expect(listed.at(-1)?.changedAt).toBe(0);
    expect(listed.find(({ id }) => id === "c1")).toMatchObject({ title: "renamed", changedAt: 0 });
    const times = listed.map(({ changedAt }) => changedAt);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const paged: typeof listed = [];
    for (let before: number | undefined; ; before = paged.at(-1)?.changedAt) {
      const page = await conversations.list("ann", { limit: 7, before });
      if (page.length === 0) break;
      expect(page.length).toBeLessThan(10);
      paged.push(...page);
    }
    expect(paged).toEqual(listed);
    // Plus one that changed in the same millisecond.
    expect(await conversations.list("ann")).toHaveLength(101);
    expect(await conversations.list("ann", { limit: 0 })).toEqual([]);
  });

  it("are found with the text around the match, and its author", async () => {
    const { conversations, begin } = await setUp();
    await begin("c");
    await conversations.rename("ann", "c", "Weekend");
    const long = "We go to the sea. ".repeat(20);
    await conversations.put("ann", "c", {
      items: [
        {
          kind: "user",
          id: "1",
          at: 1,
          content: [{ type: "text", text: `${long}Is there an ABBEY\nnear it? ${long}` }],
        },
        { kind: "model", id: "2", at: 2, model: "gpt", text: "The Abbey of Melk.", state: "done" },
      ],
    });
    const matchOf = async (search: string) => (await conversations.list("ann", { search }))[0]?.match;
    expect(await matchOf("abbey")).toEqual({
      item: "1",
      who: "You",
      text: expect.stringMatching(/^….{10,30}Is there an ABBEY near it\? .*…$/),
    });
    expect(await matchOf("weekend abbey melk")).toEqual({
      item: "2",
      who: "gpt",
      text: "The Abbey of Melk.",
    });
    expect(await matchOf("week")).toBeUndefined();
    expect(await matchOf("")).toBeUndefined();
  });

  it("are found by all words of a search, in the title or the messages, ignoring case", async () => {
    const { conversations, begin, search } = await setUp();
    await begin("c");
    await begin("empty", "ann", 11);
    await conversations.put("ann", "c", { items: everything, title: "Große Einkäufe" });
    for (const words of [
      "which SHOES",
      "einkäufe",
      "EINKÄUFE these",
      "GROSSE much",
      "Find_shoes",
      "schaufens",
    ])
      expect(await search(words), words).toEqual(["c"]);
    for (const words of ["boots", "shoes boots", "pairs", "red", "title c"])
      expect(await search(words), words).toEqual([]);
    expect(await search("")).toEqual(["empty", "c"]);
    expect(await search(" \n ")).toEqual(["empty", "c"]);
    await conversations.put("ann", "c", { removed: ["note"], items: [said("question", "Which boots?")] });
    expect(await search("much")).toEqual([]);
    expect(await search("boots")).toEqual(["c"]);
    await conversations.rename("ann", "c", "Other");
    expect(await search("einkäufe")).toEqual([]);
    await conversations.delete("ann", "c");
    expect(await search("boots")).toEqual([]);
  });

  it("are found by every entry of a long conversation", async () => {
    const { conversations, begin, search } = await setUp();
    await begin("c");
    const items = Array.from({ length: 205 }, (_, n) => said(`${n}`, `<${n}>`));
    await conversations.put("ann", "c", { items });
    for (const { id } of items) expect(await search(`<${id}> <0> <204>`), id).toEqual(["c"]);
    expect(await search("<0> <205>")).toEqual([]);
  });

  it("are found by characters with a special meaning in databases, and match them literally", async () => {
    const { conversations, begin, search } = await setUp();
    const texts = [
      "100%",
      "100x",
      "a_b",
      "axb",
      "c\\d",
      "c\\\\d",
      "'--",
      '";',
      "e\0f",
      "ΟΔΟΣ",
      "οδοσα",
      "😀",
    ];
    for (const [n, text] of texts.entries()) {
      await begin(`${n}`, "ann", n);
      await conversations.put("ann", `${n}`, { title: "", items: [said("a", text)] });
    }
    const found = async (words: string) => (await search(words)).map((id) => texts[Number(id)]).toReversed();
    expect(await found("0%")).toEqual(["100%"]);
    expect(await found("%")).toEqual(["100%"]);
    expect(await found("_")).toEqual(["a_b"]);
    expect(await found("c\\d")).toEqual(["c\\d"]);
    expect(await found("\\\\")).toEqual(["c\\\\d"]);
    expect(await found("'")).toEqual(["'--"]);
    expect(await found('";')).toEqual(['";']);
    expect(await found("e\0F")).toEqual(["e\0f"]);
    expect(await found("οδος")).toEqual(["ΟΔΟΣ", "οδοσα"]);
    expect(await found("😀")).toEqual(["😀"]);
  });

  it("are changed in the order of the calls, whether or not they are awaited", async () => {
    const { conversations, begin, ids } = await setUp();
    const working: Promise<unknown>[] = [begin("c")];
    const item = said("same", "");
    for (let n = 0; n < 100; n++) {
      item.content = [{ type: "text", text: `${n}` }];
      working.push(conversations.put("ann", "c", { items: [item, said(`${n}`, "")], changedAt: n }));
      // The update is read at once: it may change afterwards.
      item.content = [];
    }
    const seen = conversations.get("ann", "c");
    const gone = conversations.delete("ann", "c");
    const late = conversations.put("ann", "c", { title: "late" });
    await expect(late).rejects.toMatchObject(unknown);
    await Promise.all(working);
    expect(await gone).toBe(true);
    expect((await seen)?.items.map(({ id }) => id)).toEqual([
      "same",
      ...Array.from({ length: 100 }, (_, n) => `${n}`),
    ]);
    expect(await seen).toMatchObject({ changedAt: 99, items: { 0: said("same", "99") } });
    expect(await ids()).toBeUndefined();
  });

  it("reject entries that are too large, and store nothing of them", async () => {
    const { conversations, begin, ids } = await setUp();
    await begin("c");
    const put = (update: Parameters<typeof conversations.put>[2]) => conversations.put("ann", "c", update);
    const room = CONVERSATION_LIMITS.item - JSON.stringify(said("large", "")).length;
    await put({ items: [said("large", "x".repeat(room))] });
    const small = said("small", "");
    await expect(put({ items: [small, said("large", "x".repeat(room + 1))] })).rejects.toMatchObject(
      tooLarge("item"),
    );
    await expect(put({ items: [small, said("ümlaut", "ü".repeat(room - 10))] })).rejects.toMatchObject(
      tooLarge("item"),
    );
    await expect(put({ items: [small], title: "x".repeat(501) })).rejects.toMatchObject(tooLarge("title"));
    await expect(begin("x".repeat(500))).rejects.toMatchObject(tooLarge("title"));
    const contexts = [{ ...context, structuredContent: { text: "x".repeat(4_000_000) } }];
    await expect(put({ items: [small], contexts })).rejects.toMatchObject(tooLarge("contexts"));
    expect(await ids()).toEqual(["large"]);
    const many = Array.from({ length: CONVERSATION_LIMITS.items }, (_, n) => said(`${n}`, ""));
    await expect(put({ items: many, title: "no" })).rejects.toMatchObject(tooLarge("items"));
    await put({ items: many, removed: ["large"] });
    await put({ items: [said("0", "known")] });
    await expect(put({ items: [small] })).rejects.toMatchObject({
      ...tooLarge("items"),
      message: "a conversation has 10,000 entries at most: start a new one",
    });
    expect(await ids()).toEqual(many.map(({ id }) => id));
    expect(await conversations.get("ann", "c")).toMatchObject({ title: "Title c", contexts: [] });
    await put({ items: [small], removed: ["0"] });
    // Far after the first ones.
    await put({ items: [said("small", "needle")] });
    expect(await conversations.list("ann", { search: "needle KNOWN" })).toEqual([]);
    expect(await conversations.list("ann", { search: "needle title" })).toHaveLength(1);
  });

  it("reject more than fits into memory when opened, and can become smaller again", async () => {
    const { conversations, begin, ids } = await setUp();
    await begin("c");
    const large = (id: string) => said(id, "x".repeat(990_000));
    for (let n = 0; n < 64; n += 16)
      await conversations.put("ann", "c", {
        items: Array.from({ length: 16 }, (_, at) => large(`${n + at}`)),
      });
    await expect(conversations.put("ann", "c", { items: [large("more")] })).rejects.toMatchObject(
      tooLarge("size"),
    );
    await conversations.put("ann", "c", { items: [large("more")], removed: ["0"] });
    await conversations.put("ann", "c", { items: [said("more", "less")] });
    await conversations.put("ann", "c", { items: [large("last")], removed: ["more"] });
    expect((await ids())?.slice(-2)).toEqual(["63", "last"]);
  });

  it.skipIf(isMemory)("store an update completely or not at all", async () => {
    const { place, conversations, begin } = await setUp();
    await begin("c");
    await conversations.put("ann", "c", { items: [said("a", "a")] });
    place.tamper?.("alter table vitrine_conversation_contexts rename to away");
    const update = { items: [said("a", "b"), said("b", "b")], title: "new", contexts: [context] };
    await expect(conversations.put("ann", "c", update)).rejects.toMatchObject({
      data: { code: "audit-failed" },
    });
    place.tamper?.("alter table away rename to vitrine_conversation_contexts");
    const before = { title: "Title c", items: [said("a", "a")], contexts: [] };
    expect(await conversations.get("ann", "c")).toMatchObject(before);
    await conversations.put("ann", "c", update);
    expect(await conversations.get("ann", "c")).toMatchObject(update);
  });

  it.skipIf(isMemory)("are added to a database without them, and leave the rest unchanged", async () => {
    const place = (engines[engine] as () => Place)();
    const openEngine = () =>
      place.url.startsWith("sqlite:")
        ? openSqlite(place.url.slice("sqlite:".length), 0)
        : openPostgres(place.url, { ownerTimeout: 0, commitTimeout: 10_000 });
    const older = await openEngine();
    await migrate(older.db, older.kind, "001-first");
    const state = { name: "older", value: "it was there" };
    await older.db.insertInto("vitrine_state").values(state).execute();
    // SQLite: an earlier start was interrupted.
    if (older.kind === "sqlite")
      await older.db.schema
        .createTable("vitrine_conversation_contexts")
        .addColumn("conversation", "text", (column) => column.primaryKey())
        .addColumn("json", "text")
        .execute();
    await older.close();
    const store = await open(place);
    expect(await keptConversationsExample(store.conversations)).toMatchObject({
      title: "Shoes",
      items: [{ id: "i1" }],
    });
    await store.close();
    const newer = await openEngine();
    const kept = newer.db.selectFrom("vitrine_state").selectAll().where("name", "=", "older");
    expect(await kept.execute()).toEqual([state]);
    await newer.close();
    const { conversations } = await open(place);
    expect(await conversations.list("ann")).toHaveLength(1);
  });

  it("survive any text, and are found by it", async () => {
    const { conversations } = await setUp();
    const text = fc.string({
      unit: fc.oneof(
        fc.string({ unit: "binary", minLength: 1, maxLength: 3 }),
        fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
        fc.constantFrom("\0", "\ud800", "%", "\\", "'", " "),
      ),
      maxLength: 30,
    });
    let n = 0;
    await fc.assert(
      fc.asyncProperty(text, text, text, text, text, async (user, id, title, itemId, body) => {
        // Each has its own user, to avoid duplicates.
        const owner = `${user}${n++}`;
        await conversations.create(owner, { id, title, startedAt: 1 });
        const item = { ...said(itemId, body), from: { item: id, server: title, title: user } };
        const contexts = [{ ...context, title: body, structuredContent: { [title]: id } }];
        await conversations.put(owner, id, { items: [item], contexts });
        const usage = { input: 0, output: 0 };
        const summary = { id, title, startedAt: 1, changedAt: 1 };
        expect(await conversations.get(owner, id)).toEqual({ ...summary, items: [item], contexts, usage });
        expect(await conversations.list(owner, { search: body })).toMatchObject([summary]);
        expect(await conversations.list(owner, { search: title })).toEqual([summary]);
        await conversations.put(owner, id, { removed: [itemId] });
        expect((await conversations.get(owner, id))?.items).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
