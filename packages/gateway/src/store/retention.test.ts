/** Pruning, archives and legal holds, on both databases. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { ConversationItem } from "@vitrine/wire";
import Libsql from "libsql";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startPostgres } from "../../../../testing/postgres.js";
import { exportRows } from "./export.js";
import { openStore, type StoreOptions } from "./open.js";
import type { AuditEntry, GatewayStore } from "./store.js";

const postgres = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), "vitrine-retention-"));
afterAll(async () => {
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

let places = 0;
interface Place {
  url: string;
  run(sql: string): void;
  count(table: string): number;
}
const engines: Record<string, () => Place> = {
  sqlite: () => {
    const file = join(folder, `retention-${++places}.db`);
    return {
      url: `sqlite:${file}`,
      run(sql) {
        const connection = new Libsql(file, { timeout: 2000 });
        connection.exec(sql);
        connection.close();
      },
      count(table) {
        const connection = new Libsql(file, { timeout: 2000 });
        const [row] = connection.prepare(`select count(*) as n from ${table}`).all([]) as { n: number }[];
        connection.close();
        return row?.n ?? -1;
      },
    };
  },
  ...(postgres && {
    postgres: () => {
      const name = `retention_${++places}`;
      return {
        url: postgres.schema(name),
        run: (sql: string) => void postgres.run(name, sql),
        count: (table: string) => Number(postgres.run(name, `select count(*) from ${table}`)),
      };
    },
  }),
};

const entry = (more: Partial<AuditEntry> = {}): AuditEntry => ({
  user: "ann",
  actor: "view",
  server: "shop",
  method: "tools/call",
  decision: "allowed",
  reason: "policy",
  ...more,
});

/** Statements after which rows of the log cannot be removed. */
const stopRemoval: Record<string, string[]> = {
  sqlite: [
    "create trigger stopped before delete on vitrine_audit begin select raise(abort, 'stopped by the test'); end",
  ],
  postgres: [
    "create function stop() returns trigger language plpgsql as $$ begin raise 'stopped by the test'; end $$",
    "create trigger stopped before delete on vitrine_audit for each row execute function stop()",
  ],
};
const allowRemoval: Record<string, string> = {
  sqlite: "drop trigger stopped",
  postgres: "drop trigger stopped on vitrine_audit",
};

/** Statements after which a hold on Ann's rows since a time is added as soon as a release is marked. */
const holdAtRelease: Record<string, (since: string) => string[]> = {
  sqlite: (since) => [
    `create trigger holding after insert on vitrine_audit when new.method = 'audit/release' begin ${lateHold(since)}; end`,
  ],
  postgres: (since) => [
    `create function hold() returns trigger language plpgsql as $$ begin ${lateHold(since)}; return null; end $$`,
    "create trigger holding after insert on vitrine_audit for each row when (new.method = 'audit/release') execute function hold()",
  ],
};
const lateHold = (since: string): string =>
  `insert into vitrine_holds (id, "user", since, reason, "heldAt", recorded) values ('h', 'ann', ${since}, 'case 2', 1, 0) on conflict do nothing`;

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

const sha256File = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

const archived = (place: string): string[] =>
  readdirSync(place).flatMap((name) =>
    gunzipSync(readFileSync(join(place, name)))
      .toString()
      .trimEnd()
      .split("\n")
      .slice(1),
  );

describe.each(Object.keys(engines))("retention on %s", (engine) => {
  const stores: GatewayStore[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });

  /** Six calls at 100, 200, … 600, alternately of Ann and of Bob: twelve rows. */
  const setUp = async (options: StoreOptions = {}) => {
    const place = (engines[engine] as () => Place)();
    let time = 0;
    const open = async () => {
      const store = await openStore(place.url, { now: () => time, ...options });
      stores.push(store);
      return store;
    };
    const store = await open();
    for (let n = 1; n <= 6; n++) {
      time = n * 100;
      const user = n % 2 === 1 ? "ann" : "bob";
      const call = entry({ user, target: `t${n}`, server: n <= 3 ? "shop" : "bank" });
      store.audit.end(await store.audit.begin(call), { outcome: "ok", duration: n });
      await store.audit.flush();
    }
    const archive = join(folder, `archive-${places}`);
    const reopen = async () => {
      for (const each of stores.splice(0)) await each.close();
      return open();
    };
    const lines = async (of: GatewayStore = store) => {
      const list: string[] = [];
      for await (const line of exportRows(of.audit)) list.push(line.trimEnd());
      return list;
    };
    const count = (table: string) => place.count(table);
    return {
      ...store,
      place,
      count,
      store,
      archive,
      reopen,
      lines,
      setTime: (value: number) => (time = value),
    };
  };

  describe("an archive", () => {
    it("gets the rows before they are removed, and both together have every row once", async () => {
      const { audit, archive, lines } = await setUp();
      const before = await lines();
      expect(await audit.prune(300, { archive })).toBe(4);
      expect(readdirSync(archive)).toEqual(["audit-0000000000000001-0000000000000004.jsonl.gz"]);
      expect(archived(archive)).toEqual(before.slice(0, 4));
      expect(await audit.prune(500, { archive })).toBe(4);
      expect([...archived(archive), ...(await lines())].slice(0, 12)).toEqual(before);
      const marks = await audit.query({ method: "audit/prune" });
      for (const { params } of marks) {
        const { archive: file } = JSON.parse(params ?? "");
        expect(sha256File(join(archive, file.name))).toBe(file.sha256);
      }
      expect(await audit.verify()).toMatchObject({ ok: true, rows: 6 });
    });

    it("is complete if a run was interrupted after the file was stored, or while it was written", async () => {
      const { audit, archive, lines, reopen } = await setUp();
      const before = await lines();
      mkdirSync(archive);
      writeFileSync(join(archive, ".audit-0000000000000001-0000000000000002.jsonl.gz.part"), "half a file");
      await audit.prune(300, { archive });
      const name = "audit-0000000000000001-0000000000000004.jsonl.gz";
      expect(readdirSync(archive)).toEqual([name]);
      const stored = readFileSync(join(archive, name));
      // A copy of the log from before, whose file is there already.
      const other = await setUp();
      mkdirSync(other.archive);
      writeFileSync(join(other.archive, name), stored);
      const again = await other.reopen();
      // The file has newer rows than may be removed.
      expect(await again.audit.prune(200, { archive: other.archive })).toBe(0);
      expect(await again.audit.prune(500, { archive: other.archive })).toBe(8);
      expect(readdirSync(other.archive)).toEqual([name, "audit-0000000000000005-0000000000000008.jsonl.gz"]);
      expect(archived(other.archive)).toEqual(before.slice(0, 8));
      await reopen();
    });

    it("that has other rows, or cannot be written, stops removal, and loses nothing", async () => {
      const { audit, archive, lines } = await setUp();
      const before = await lines();
      mkdirSync(archive);
      const name = "audit-0000000000000001-0000000000000004.jsonl.gz";
      writeFileSync(join(archive, name), gzipSync("another log\n"));
      const refused = { data: { code: "audit-failed" } };
      await expect(audit.prune(300, { archive })).rejects.toMatchObject({
        ...refused,
        message: expect.stringContaining("has other rows: give each gateway its own folder"),
      });
      writeFileSync(join(archive, name), "no archive");
      await expect(audit.prune(300, { archive })).rejects.toMatchObject(refused);
      const file = join(folder, `file-${places}`);
      writeFileSync(file, "");
      await expect(audit.prune(300, { archive: join(file, "archive") })).rejects.toMatchObject(refused);
      await expect(audit.prune(300, { archive: file })).rejects.toMatchObject(refused);
      expect(await lines()).toEqual(before);
      rmSync(join(archive, name));
      expect(await audit.prune(300, { archive })).toBe(4);
    });

    it("never gets an entry that waits for its outcome", async () => {
      const { audit, archive } = await setUp();
      const seq = await audit.begin(entry());
      await audit.begin(entry({ decision: "refused" }));
      expect(await audit.prune(10_000, { archive })).toBe(12);
      audit.end(seq, { outcome: "ok", duration: 1 });
      await audit.flush();
      expect(await audit.query({ outcome: "ok" })).toMatchObject([{ of: seq }]);
    });
  });

  describe("a legal hold", () => {
    it.each([
      ["of a user", { user: "ann" }, [1, 2, 5, 6]],
      ["of a server", { server: "shop" }, [1, 2, 3, 4, 5, 6]],
      ["of a time", { from: 200, to: 300 }, [3, 4, 5, 6]],
      ["of a user and a time", { user: "ann", from: 200 }, [5, 6]],
    ])("%s keeps these rows, and no other", async (_what, scope, kept) => {
      const { audit, holds, place, reopen } = await setUp();
      await holds.add({ ...scope, reason: "case 1" });
      expect(await audit.prune(500)).toBe(8);
      expect((await all(audit.rows()))[0]?.seq).toBe(9);
      const { holds: again, audit: later } = await reopen();
      expect((await all(again.rows({}))).map(({ seq }) => seq)).toEqual(kept);
      expect(await later.verify()).toMatchObject({ ok: true });
      place.run(`delete from vitrine_held where seq = ${kept[1]}`);
      expect(await later.verify()).toMatchObject({
        ok: false,
        message: expect.stringContaining("legal hold"),
      });
    });

    it("shows changes of the rows that it keeps", async () => {
      const { audit, holds, place } = await setUp();
      await holds.add({ user: "ann", reason: "case 1" });
      await audit.prune(500);
      place.run(`update vitrine_held set line = replace(line, 't1', 't9') where seq = 1`);
      expect(await audit.verify()).toMatchObject({ ok: false, seq: 1 });
      place.run(`update vitrine_held set line = replace(line, 't9', 't1') where seq = 1`);
      expect(await audit.verify()).toMatchObject({ ok: true });
      place.run(`update vitrine_held set "user" = 'bob' where seq = 1`);
      expect(await audit.verify()).toMatchObject({ ok: false, seq: 1 });
    });

    it("ends: its rows are deleted at the next removal, except those of other holds", async () => {
      const { audit, holds, reopen } = await setUp();
      const one = await holds.add({ user: "ann", reason: "case 1" });
      await holds.add({ server: "shop", from: 300, reason: "case 2" });
      await audit.prune(500);
      expect(await holds.end(one.id)).toBe(true);
      expect(await holds.end(one.id)).toBe(false);
      expect(await audit.verify()).toMatchObject({ ok: true });
      await audit.prune(500);
      expect((await all(holds.rows({}))).map(({ seq }) => seq)).toEqual([5, 6]);
      expect(await audit.verify()).toMatchObject({ ok: true });
      const later = await reopen();
      expect(await later.holds.list()).toMatchObject([{ reason: "case 2", server: "shop", from: 300 }]);
      expect(await later.audit.verify()).toMatchObject({ ok: true });
    });

    it("is in the audit log, from its beginning to its end; the users that it is about do not see it", async () => {
      const { audit, holds } = await setUp();
      const { id } = await holds.add({ user: "ann", reason: "case 1" });
      await holds.end(id);
      const rows = (await all(audit.rows())).filter(({ method }) => method?.startsWith("audit/hold"));
      expect(rows.map(({ method, reason }) => [method, reason])).toEqual([
        ["audit/hold", "case 1"],
        ["audit/hold-end", "case 1"],
      ]);
      expect(JSON.parse(rows[0]?.params ?? "")).toMatchObject({ id, user: "ann" });
      expect((await audit.query({ user: "ann" })).filter(({ kind }) => kind === "mark")).toEqual([]);
    });

    it("that is added after a removal began keeps the rows that are still there", async () => {
      const { audit, place, reopen } = await setUp();
      // The removal ends after its mark.
      for (const sql of stopRemoval[engine] ?? []) place.run(sql);
      await expect(audit.prune(500)).rejects.toThrow(/stopped by the test/);
      place.run(
        `insert into vitrine_holds (id, "user", reason, "heldAt", recorded) values ('h', 'ann', 'case 1', 1, 0)`,
      );
      place.run(allowRemoval[engine] ?? "");
      const later = await reopen();
      expect((await all(later.audit.rows()))[0]?.seq).toBe(9);
      expect((await all(later.holds.rows({}))).map(({ seq }) => seq)).toEqual([1, 2, 5, 6]);
      expect(await later.audit.verify()).toMatchObject({ ok: true });
      place.run(`delete from vitrine_held where seq = 5`);
      expect(await later.audit.verify()).toMatchObject({ ok: false });
    });

    it.each([
      ["before its mark", 0],
      ["after its mark", 1],
    ])("that is added after a removal began keeps rows, if that is interrupted %s", async (_when, marked) => {
      const { audit, place, reopen, count } = await setUp();
      for (const sql of stopRemoval[engine] ?? []) place.run(sql);
      await expect(audit.prune(500)).rejects.toThrow(/stopped by the test/);
      place.run(
        `insert into vitrine_holds (id, "user", reason, "heldAt", recorded) values ('h', 'ann', 'case 1', 1, 0)`,
      );
      // Started while nothing can be removed: copies are made, and marked.
      await expect(reopen()).rejects.toThrow(/stopped by the test/);
      place.run("update vitrine_held set late = 1");
      if (marked === 0) place.run("delete from vitrine_held where seq = 6");
      place.run(allowRemoval[engine] ?? "");
      const later = await reopen();
      expect((await all(later.holds.rows({}))).map(({ seq }) => seq)).toEqual([1, 2, 5, 6]);
      expect(count("vitrine_held where late = 1")).toBe(0);
      expect(await later.audit.query({ method: "audit/held" })).toHaveLength(2 - marked);
      expect(await later.audit.verify()).toMatchObject({ ok: true });
    });

    it.each([
      ["all of them", "null", [1, 2, 5, 6]],
      ["some of them", "300", [5, 6]],
    ])(
      "that is added after a release began keeps the rows that are still there: %s",
      async (_what, since, kept) => {
        const { audit, holds, place, reopen } = await setUp();
        const { id } = await holds.add({ user: "ann", reason: "case 1" });
        await audit.prune(500);
        await holds.end(id);
        for (const sql of holdAtRelease[engine]?.(since) ?? []) place.run(sql);
        await audit.prune(500);
        expect((await all(holds.rows({}))).map(({ seq }) => seq)).toEqual(kept);
        expect(await audit.verify()).toMatchObject({ ok: true });
        const later = await reopen();
        expect((await all(later.holds.rows({}))).map(({ seq }) => seq)).toEqual(kept);
        expect(await later.audit.verify()).toMatchObject({ ok: true });
        place.run(`delete from vitrine_held where seq = 5`);
        const again = await reopen();
        expect(await again.audit.verify()).toMatchObject({ ok: false });
      },
    );

    it("that is added after an interrupted release keeps the rows that are still there", async () => {
      const { audit, holds, place, reopen } = await setUp();
      const { id } = await holds.add({ user: "ann", reason: "case 1" });
      await audit.prune(500);
      await holds.end(id);
      for (const sql of stopRemoval[engine] ?? []) place.run(sql.replace("vitrine_audit", "vitrine_held"));
      await expect(audit.prune(500)).rejects.toThrow(/stopped by the test/);
      place.run(
        `insert into vitrine_holds (id, "user", reason, "heldAt", recorded) values ('h', 'ann', 'case 2', 1, 0)`,
      );
      place.run((allowRemoval[engine] ?? "").replace("vitrine_audit", "vitrine_held"));
      const later = await reopen();
      expect((await all(later.holds.rows({}))).map(({ seq }) => seq)).toEqual([1, 2, 5, 6]);
      expect(await later.audit.query({ method: "audit/held" })).toHaveLength(1);
      expect(await later.audit.verify()).toMatchObject({ ok: true });
    });

    it("an interrupted release or copy is completed at the next start", async () => {
      const { audit, holds, place, reopen } = await setUp();
      const { id } = await holds.add({ user: "ann", reason: "case 1" });
      await audit.prune(300);
      // The mark of the hold's end is on disk, but its rows are still there; and a copy of a row that is in the log.
      place.run(`delete from vitrine_holds where id = '${id}'`);
      place.run(`insert into vitrine_held (seq, time, previous, hash, line) values (9, 1, '', '', '{}')`);
      const later = await reopen();
      expect(await all(later.holds.rows({}))).toEqual([]);
      expect(await later.audit.verify()).toMatchObject({ ok: true });
    });

    it.each([
      [{ reason: "case" }, /needs a user, a server, or a time/],
      [{ user: "ann", reason: " " }, /needs a reason/],
      [{ from: 2, to: 1, reason: "case" }, /before it begins/],
    ])("%j is refused", async (scope, message) => {
      const { holds } = await setUp();
      await expect(holds.add(scope)).rejects.toMatchObject({
        data: { code: "config-invalid" },
        message: expect.stringMatching(message),
      });
    });
  });

  describe("conversations", () => {
    const call = (id: string, server: string): ConversationItem => ({
      kind: "call",
      id,
      at: 1,
      by: "model",
      server,
      tool: "look",
      state: "done",
      hasApp: false,
    });
    const begin = async (
      { conversations }: GatewayStore,
      user: string,
      id: string,
      at: number,
      server = "shop",
    ) => {
      await conversations.create(user, { id, title: id, startedAt: at });
      await conversations.put(user, id, { items: [call(`${id}-1`, server)], changedAt: at });
    };
    const ids = async ({ conversations }: GatewayStore, user = "ann") =>
      (await conversations.list(user)).map(({ id }) => id).toSorted();
    const nobody = () => false;

    it("expire by their last change; those in use stay", async () => {
      const { store, reopen } = await setUp();
      await begin(store, "ann", "old", 100);
      await begin(store, "ann", "used", 100);
      await begin(store, "ann", "changed", 100);
      await store.conversations.put("ann", "changed", { items: [call("more", "shop")], changedAt: 400 });
      await begin(store, "bob", "bobs", 150);
      const isInUse = (user: string, id: string) => user === "ann" && id === "used";
      expect((await store.conversations.prune(200, isInUse)).toSorted()).toEqual(["ann", "bob"]);
      expect(await ids(store)).toEqual(["changed", "used"]);
      expect(await ids(store, "bob")).toEqual([]);
      expect(await store.conversations.get("ann", "old")).toBeUndefined();
      const later = await reopen();
      expect(await ids(later)).toEqual(["changed", "used"]);
      expect(await later.conversations.prune(undefined, nobody)).toEqual([]);
      expect(await ids(later)).toEqual(["changed", "used"]);
    });

    it.each([
      ["of its user", { user: "ann" }],
      ["of a server in it", { server: "shop" }],
      ["of its time", { from: 50, to: 120 }],
    ])(
      "under a legal hold %s neither expire nor are deleted, but disappear for their user",
      async (_what, scope) => {
        const { store, reopen, count } = await setUp();
        await begin(store, "ann", "held", 100, "shop");
        await begin(store, "bob", "free", 130, "bank");
        const { id } = await store.holds.add({ ...scope, reason: "case" });
        await store.conversations.prune(200, nobody);
        expect(await ids(store)).toEqual(["held"]);
        expect(await ids(store, "bob")).toEqual([]);
        expect(await store.conversations.delete("ann", "held")).toBe(true);
        expect(await store.conversations.delete("ann", "held")).toBe(false);
        expect(await ids(store)).toEqual([]);
        expect(await store.conversations.get("ann", "held")).toBeUndefined();
        await expect(store.conversations.put("ann", "held", { title: "x" })).rejects.toMatchObject({
          data: { code: "conversation-unknown" },
        });
        const later = await reopen();
        await later.conversations.prune(undefined, nobody);
        expect(await all(later.holds.conversations(id))).toMatchObject([
          { user: "ann", id: "held", title: "held", items: [{ id: "held-1" }] },
        ]);
        expect(count("vitrine_conversation_items")).toBe(1);
        await later.holds.end(id);
        await later.conversations.prune(undefined, nobody);
        for (const table of ["vitrine_conversations", "vitrine_conversation_items", "vitrine_deleted"])
          expect(count(table)).toBe(0);
      },
    );

    it("an interrupted deletion is completed, and never visible", async () => {
      const { store, place, count } = await setUp();
      await begin(store, "ann", "one", 100);
      place.run(`insert into vitrine_deleted (id, "deletedAt") select id, 1 from vitrine_conversations`);
      expect(await ids(store)).toEqual([]);
      await store.conversations.prune(undefined, nobody);
      expect(count("vitrine_conversation_items")).toBe(0);
    });
  });
});
