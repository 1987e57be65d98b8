import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GatewayError } from "@vitrine/wire";
import Libsql from "libsql";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startPostgres } from "../../../../testing/postgres.js";
import { exportRows, verifyExport } from "./export.js";
import { openStore, type StoreOptions } from "./open.js";
import { GENESIS, sha256 } from "./row.js";
import * as examples from "./store.examples.js";
import type { AuditEntry, GatewayStore, OnAlarm, StoredAuditRow } from "./store.js";

const postgres = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), "vitrine-store-"));
afterAll(async () => {
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** A separate database for each test, and a way to change it directly. */
interface Place {
  url: string;
  tamper(sql: string): void;
}

let places = 0;
const engines: Record<string, () => Promise<Place>> = {
  sqlite: async () => {
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
  ...(postgres && {
    postgres: async () => {
      const name = `store_${++places}`;
      return { url: postgres.schema(name), tamper: (sql: string) => void postgres.run(name, sql) };
    },
  }),
};

const entry = (more: Partial<AuditEntry> = {}): AuditEntry => ({
  user: "ann",
  actor: "view",
  view: "v1",
  server: "shop",
  method: "tools/call",
  target: "order",
  decision: "allowed",
  reason: "policy",
  ...more,
});

async function all(rows: AsyncIterable<StoredAuditRow>): Promise<StoredAuditRow[]> {
  const list: StoredAuditRow[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

it.runIf(!postgres)("PostgreSQL is not installed: its half of the suite is skipped", () => {
  expect(Object.keys(engines)).toEqual(["sqlite"]);
});

describe.each(Object.keys(engines))("a store on %s", (engine) => {
  const stores: GatewayStore[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });

  const open = async (place: Place, options: StoreOptions = {}): Promise<GatewayStore> => {
    const store = await openStore(place.url, options);
    stores.push(store);
    return store;
  };
  const setUp = async (options: StoreOptions = {}) => {
    const place = await (engines[engine] as () => Promise<Place>)();
    const store = await open(place, options);
    const reopen = async (more: StoreOptions = {}): Promise<GatewayStore> => {
      for (const before of stores.splice(0)) await before.close();
      return open(place, { ...options, ...more });
    };
    return { place, store, reopen, audit: store.audit, consents: store.consents };
  };

  describe("the audit log", () => {
    it("numbers rows without gaps, and returns them unchanged", async () => {
      const { audit } = await setUp({ now: () => 1234 });
      const full = entry({
        key: "page.1",
        paramsHash: "ab",
        paramsSize: 17,
        params: '{"text":"\\u0000 ü 😀 \\" \\\\"}',
      });
      const seq = await audit.begin(full);
      audit.end(seq, { outcome: "ok", duration: 1.5, resultHash: "cd", resultSize: 3, result: "{}" });
      await audit.begin(entry({ decision: "refused", reason: "not-allowed", view: undefined }));
      const rows = await all(audit.rows());
      expect(rows.map((row) => row.seq)).toEqual([1, 2, 3]);
      expect(rows[0]).toEqual({ ...full, seq: 1, time: 1234, kind: "entry", hash: expect.any(String) });
      expect(rows[1]).toMatchObject({
        kind: "outcome",
        of: 1,
        outcome: "ok",
        duration: 1.5,
        resultSize: 3,
        result: "{}",
        user: "ann",
        server: "shop",
      });
      expect(rows[2]).toMatchObject({ decision: "refused", reason: "not-allowed" });
      expect(rows[2]).not.toHaveProperty("view");
      expect(audit.head).toEqual({ seq: 3, hash: rows[2]?.hash });
      expect(await audit.verify()).toEqual({ ok: true, rows: 3, head: rows[2]?.hash });
    });

    it("commits simultaneous entries together, in order", async () => {
      const { audit } = await setUp();
      const seqs = await Promise.all(
        Array.from({ length: 1000 }, (_, n) => audit.begin(entry({ target: String(n) }))),
      );
      expect(seqs).toEqual(Array.from({ length: 1000 }, (_, n) => n + 1));
      const rows = await all(audit.rows());
      expect(rows.map((row) => row.target)).toEqual(seqs.map((seq) => String(seq - 1)));
      expect(await audit.verify()).toMatchObject({ ok: true, rows: 1000 });
    });

    it("writes an outcome with the next commit, or soon by itself", async () => {
      const { audit } = await setUp();
      const first = await audit.begin(entry());
      audit.end(first, { outcome: "ok", duration: 1 });
      const second = await audit.begin(entry());
      expect(second).toBe(3);
      audit.end(second, { outcome: "failed", code: "timeout", duration: 2 });
      await expect.poll(() => audit.head.seq).toBe(4);
    });

    it("flush waits until all outcomes are on disk", async () => {
      const { audit } = await setUp();
      const seqs = await Promise.all([audit.begin(entry()), audit.begin(entry())]);
      for (const seq of seqs) audit.end(seq, { outcome: "ok", duration: 1 });
      await audit.flush();
      expect(audit.head.seq).toBe(4);
      await audit.flush();
    });

    it("keeps only the first outcome of an entry; refused entries have none", async () => {
      const { audit } = await setUp();
      const seq = await audit.begin(entry());
      const refused = await audit.begin(entry({ decision: "refused" }));
      audit.end(seq, { outcome: "ok", duration: 1 });
      audit.end(seq, { outcome: "failed", duration: 2 });
      audit.end(refused, { outcome: "ok", duration: 1 });
      audit.end(99, { outcome: "ok", duration: 1 });
      await audit.flush();
      const outcomes = (await all(audit.rows())).filter((row) => row.kind === "outcome");
      expect(outcomes.map(({ of, outcome }) => [of, outcome])).toEqual([[seq, "ok"]]);
    });

    it("converts values that a database cannot store, without affecting other rows", async () => {
      const { audit } = await setUp();
      const odd = [
        entry({ target: "nul\0byte", key: "k".repeat(10_000), user: "u".repeat(5000) }),
        entry({ target: "half \ud83d pair", reason: "\udc00" }),
        entry({ paramsSize: 1.5 }),
        entry({ paramsSize: Number.POSITIVE_INFINITY }),
        entry({ paramsSize: 1e300, params: "x".repeat(5_000_000) }),
        entry(),
      ];
      const seqs = await Promise.all(odd.map((each) => audit.begin(each)));
      audit.end(seqs[0] ?? 0, { outcome: "ok", duration: Number.NaN, resultSize: -0.4 });
      audit.end(seqs[1] ?? 0, { outcome: "ok", duration: 1e-9 });
      await audit.flush();
      const rows = await all(audit.rows());
      expect(rows.slice(0, 2).map((row) => row.target)).toEqual(["nul\ufffdbyte", "half \ufffd pair"]);
      expect(await audit.verify()).toMatchObject({ ok: true, rows: 8 });
      expect((await audit.find("u".repeat(5000), "k".repeat(10_000)))?.outcome?.of).toBe(1);
    });

    it("continues after a restart", async () => {
      const { audit, reopen } = await setUp();
      audit.end(await audit.begin(entry()), { outcome: "ok", duration: 1 });
      const { audit: again } = await reopen();
      expect(again.head).toEqual(audit.head);
      expect(await again.begin(entry())).toBe(3);
      expect(await again.verify()).toMatchObject({ ok: true, rows: 3 });
    });

    it("records entries without an outcome as indeterminate at the next start, once", async () => {
      const { audit, reopen } = await setUp();
      audit.end(await audit.begin(entry()), { outcome: "ok", duration: 1 });
      await audit.begin(entry({ decision: "refused" }));
      const cut = [await audit.begin(entry()), await audit.begin(entry({ key: "page.9", user: "bob" }))];
      const indeterminate = async (store: GatewayStore) =>
        (await store.audit.query({ outcome: "indeterminate" })).map(({ of }) => of);
      expect(await indeterminate(await reopen())).toEqual(cut);
      const last = await reopen();
      expect(await indeterminate(last)).toEqual(cut);
      expect(await last.audit.find("bob", "page.9")).toMatchObject({ outcome: { outcome: "indeterminate" } });
    });

    it("finds a call by its key: of that user, with its outcome, allowed before refused", async () => {
      const { audit } = await setUp();
      await audit.begin(entry({ key: "k", decision: "refused" }));
      const seq = await audit.begin(entry({ key: "k" }));
      expect(await audit.find("ann", "k")).toMatchObject({ entry: { seq } });
      audit.end(seq, { outcome: "ok", duration: 1 });
      await audit.begin(entry({ key: "k", decision: "refused" }));
      expect(await audit.find("ann", "k")).toMatchObject({ entry: { seq }, outcome: { of: seq } });
      expect(await audit.find("bob", "k")).toBeUndefined();
      expect(await audit.find("ann", "K")).toBeUndefined();
    });

    it("queries by every field, in both directions, in pages", async () => {
      let time = 0;
      const { audit } = await setUp({ now: () => ++time });
      for (let n = 0; n < 30; n++) {
        const seq = await audit.begin(
          entry({
            user: n % 2 ? "ann" : "bob",
            server: n % 3 ? "shop" : "bank",
            view: `v${n % 5}`,
            method: n % 7 ? "tools/call" : "resources/read",
            decision: n % 4 ? "allowed" : "refused",
          }),
        );
        audit.end(seq, { outcome: n % 6 ? "ok" : "failed", duration: n });
      }
      const rows = await all(audit.rows());
      const check = async (
        query: Parameters<typeof audit.query>[0],
        test: (row: StoredAuditRow) => boolean,
      ) => {
        const expected = rows.filter(test);
        expect(expected.length).toBeGreaterThan(0);
        expect(await audit.query({ ...query, limit: 1000 })).toEqual(expected);
        expect(await audit.query({ ...query, limit: 3, newestFirst: true })).toEqual(
          expected.reverse().slice(0, 3),
        );
      };
      await check({}, () => true);
      await check({ user: "ann" }, (row) => row.user === "ann");
      await check({ view: "v2" }, (row) => row.view === "v2");
      await check({ server: "bank" }, (row) => row.server === "bank");
      await check({ method: "resources/read" }, (row) => row.method === "resources/read");
      await check({ decision: "refused" }, (row) => row.decision === "refused");
      await check({ outcome: "failed" }, (row) => row.outcome === "failed");
      await check({ outcome: "ok", server: "shop" }, (row) => row.outcome === "ok" && row.server === "shop");
      await check({ from: 10, to: 20 }, (row) => row.time >= 10 && row.time <= 20);
      await check({ after: 40 }, (row) => row.seq > 40);
      expect(await audit.query({ limit: 0 })).toEqual([]);
      expect(await all(audit.rows({ user: "bob", after: 5 }))).toEqual(
        rows.filter((row) => row.user === "bob" && row.seq > 5),
      );
    });

    it("returns 100 rows by default, and at most 1,000", async () => {
      const { audit } = await setUp();
      await Promise.all(Array.from({ length: 1100 }, () => audit.begin(entry({ decision: "refused" }))));
      expect(await audit.query({})).toHaveLength(100);
      expect(await audit.query({ limit: 1e9 })).toHaveLength(1000);
      expect((await all(audit.rows())).length).toBe(1100);
    });

    it("a jumping clock changes times, never numbers", async () => {
      let time = 1_000_000;
      const { audit } = await setUp({ now: () => time });
      await audit.begin(entry({ target: "before" }));
      time = 500;
      await audit.begin(entry({ target: "back" }));
      time = 9_000_000_000_000;
      await audit.begin(entry({ target: "ahead" }));
      expect((await all(audit.rows())).map(({ seq }) => seq)).toEqual([1, 2, 3]);
      const targets = async (from: number, to: number) =>
        (await audit.query({ from, to })).map(({ target }) => target);
      expect(await targets(0, 1000)).toEqual(["back"]);
      expect(await targets(600, 2_000_000)).toEqual(["before"]);
      expect(await audit.verify()).toMatchObject({ ok: true });
    });

    it("refuses entries if too many are queued", async () => {
      const { audit } = await setUp({ maxWaiting: 5 });
      const ends = await Promise.allSettled(Array.from({ length: 8 }, () => audit.begin(entry())));
      expect(ends.map(({ status }) => status)).toEqual([
        ...Array(5).fill("fulfilled"),
        ...Array(3).fill("rejected"),
      ]);
      expect(ends[7]).toMatchObject({ reason: { data: { code: "overloaded" } } });
      expect(await audit.begin(entry())).toBe(6);
    });

    it("refuses entries after it was closed", async () => {
      const { store, audit } = await setUp();
      await store.close();
      await expect(audit.begin(entry())).rejects.toMatchObject({ data: { code: "stopping" } });
      await store.close();
    });
  });

  describe("the chain", () => {
    const filled = async (options: StoreOptions = {}) => {
      const made = await setUp(options);
      for (let n = 0; n < 5; n++) {
        made.audit.end(await made.audit.begin(entry({ target: `t${n}` })), { outcome: "ok", duration: n });
      }
      await made.audit.flush();
      return made;
    };

    it.each([
      ["a changed row", `update vitrine_audit set target = 'other' where seq = 5`, 5],
      ["a removed value", `update vitrine_audit set "user" = null where seq = 4`, 4],
      [
        "a changed row with a new hash",
        `update vitrine_audit set target = 'x', hash = '${"0".repeat(64)}' where seq = 5`,
        5,
      ],
      ["a removed row", "delete from vitrine_audit where seq = 6", 7],
      ["removed first rows", "delete from vitrine_audit where seq < 4", 4],
      ["a removed end, while the gateway runs", "delete from vitrine_audit where seq > 8", 10],
    ])("reveals %s", async (_, change, seq) => {
      const { place, audit } = await filled();
      expect(await audit.verify()).toMatchObject({ ok: true, rows: 10 });
      place.tamper(change);
      expect(await audit.verify()).toMatchObject({ ok: false, seq });
    });

    it("a removed end is detected at the start by the head that was noted beside the database, until it is accepted", async () => {
      const { place, reopen } = await filled();
      const first = await reopen({ folder });
      await first.audit.begin(entry());
      await first.close();
      place.tamper("delete from vitrine_audit where seq > 8");
      const alarms: string[] = [];
      const store = await reopen({ folder, onalarm: ({ message }) => alarms.push(message) });
      expect(store.audit.healthy).toBe(false);
      await expect
        .poll(() => alarms)
        .toEqual([expect.stringMatching(/rows 9 to \d+ are missing from its end/)]);
      expect(await store.audit.verify()).toMatchObject({ ok: false });
      await store.audit.acceptBrokenChain("ann");
      expect(await store.audit.verify()).toMatchObject({ ok: true });
      expect((await reopen({ folder })).audit.healthy).toBe(true);
    });

    it("a removed end is detected at the start by a head that was noted elsewhere", async () => {
      const { place, audit, reopen } = await filled();
      const noted = audit.head;
      expect(await audit.verify(noted)).toMatchObject({ ok: true });
      place.tamper("delete from vitrine_audit where seq > 8");
      // The settled mark is only an optimization.
      const store = await reopen();
      // Without a folder, nothing is noted for PostgreSQL.
      expect(store.audit.healthy).toBe(engine === "postgres");
      expect(await store.audit.verify(noted)).toMatchObject({ ok: false, seq: 10 });
      expect((await reopen({ noted })).audit.healthy).toBe(false);
    });

    it("a broken chain stops everything until it is accepted", async () => {
      const { place, audit, reopen } = await filled();
      await audit.begin(entry({ target: "cut off" }));
      place.tamper("update vitrine_audit set target = 'other' where seq in (3, 5)");
      const alarms: Parameters<OnAlarm>[0][] = [];
      const { audit: broken } = await reopen({ onalarm: (alarm) => alarms.push(alarm) });
      expect(broken.healthy).toBe(false);
      expect(alarms).toMatchObject([{ active: true, message: expect.stringContaining("row 3") }]);
      await expect(broken.begin(entry())).rejects.toMatchObject({ data: { code: "audit-failed" } });
      // It can still be read.
      expect(await broken.query({ limit: 1 })).toHaveLength(1);
      expect(await broken.acceptBrokenChain("root")).toBe(2);
      expect(alarms).toMatchObject([{ active: true }, { active: false }]);
      expect(broken.healthy).toBe(true);
      await broken.begin(entry());
      expect(await broken.verify()).toMatchObject({ ok: true });
      const marks = (await all(broken.rows())).filter(({ kind }) => kind === "mark");
      expect(marks).toMatchObject([
        { method: "audit/accept", user: "root", reason: expect.stringContaining("row 3") },
      ]);
      expect(await broken.query({ outcome: "indeterminate" })).toHaveLength(1);
      expect(await broken.acceptBrokenChain("root")).toBe(0);
      // Only those breaks were accepted.
      place.tamper("update vitrine_audit set target = 'another' where seq = 5");
      expect(await broken.verify()).toMatchObject({ ok: false, seq: 5 });
      expect((await reopen({ acceptBrokenChain: "by option" })).audit.healthy).toBe(true);
    });

    it("an export can be verified anywhere, with nothing but SHA-256", async () => {
      const { audit } = await filled();
      const lines: string[] = [];
      for await (const line of exportRows(audit)) lines.push(line);
      let previous = GENESIS.hash;
      for (const line of lines) {
        const [, text, hash] = /^(.*),"hash":"([0-9a-f]{64})"\}\n$/s.exec(line) ?? [];
        expect(sha256(`${previous}${text}}`)).toBe(hash);
        previous = String(hash);
      }
      expect(await verifyExport(lines)).toEqual({ ok: true, rows: 10, head: audit.head.hash });
      expect(await verifyExport(lines, { noted: audit.head })).toMatchObject({ ok: true });
    });

    it("a changed export fails the verification", async () => {
      const { audit } = await filled();
      const lines: string[] = [];
      for await (const line of exportRows(audit)) lines.push(line);
      const changed = (n: number, change: (line: string) => string) =>
        verifyExport(lines.map((line, at) => (at === n ? change(line) : line)));
      expect(await changed(4, (line) => line.replace("t2", "t9"))).toMatchObject({ ok: false, seq: 5 });
      expect(await changed(4, () => "")).toMatchObject({ ok: false, seq: 6 });
      expect(await changed(4, () => "nonsense")).toMatchObject({ ok: false, seq: 5 });
      // Members that the hash does not cover are rejected.
      expect(await changed(4, (line) => line.replace("{", '{"note":"x",'))).toMatchObject({
        ok: false,
        seq: 5,
      });
      expect(await changed(4, (line) => line.replace("{", '{"seq":7,'))).toMatchObject({ ok: false, seq: 5 });
      expect(await verifyExport(lines.slice(0, 8), { noted: audit.head })).toMatchObject({
        ok: false,
        seq: 10,
      });
      expect(await verifyExport(lines.slice(3))).toMatchObject({ ok: false, seq: 4 });
      const { seq, hash } = JSON.parse(lines[2] ?? "") as StoredAuditRow;
      expect(await verifyExport(lines.slice(3), { after: { seq, hash } })).toMatchObject({
        ok: true,
        rows: 7,
      });
      expect(await verifyExport([])).toMatchObject({ ok: true, rows: 0 });
    });
  });

  describe("retention", () => {
    const aged = async () => {
      let time = 0;
      const made = await setUp({ now: () => time });
      for (let n = 1; n <= 6; n++) {
        time = n * 100;
        made.audit.end(await made.audit.begin(entry({ target: `t${n}` })), { outcome: "ok", duration: n });
        await made.audit.flush();
      }
      return { ...made, setTime: (value: number) => (time = value) };
    };

    it("removes the oldest rows, and the chain continues from a mark", async () => {
      const { audit, reopen } = await aged();
      const noted = audit.head;
      expect(await audit.prune(300)).toBe(4);
      const rows = await all(audit.rows());
      expect(rows.map(({ seq }) => seq)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13]);
      expect(JSON.parse(rows.at(-1)?.params ?? "")).toMatchObject({ removed: 4, through: 4, before: 300 });
      expect(await audit.verify(noted)).toMatchObject({ ok: true, rows: 9 });
      expect(await audit.prune(300)).toBe(0);
      expect(await audit.prune(500)).toBe(4);
      expect((await reopen()).audit.healthy).toBe(true);
    });

    it("a later export is verified with the mark in it", async () => {
      const { audit } = await aged();
      await audit.prune(300);
      const lines: string[] = [];
      for await (const line of exportRows(audit)) lines.push(line);
      expect(await verifyExport(lines)).toMatchObject({ ok: true, rows: 9 });
      expect(await verifyExport(lines.slice(0, -1))).toMatchObject({ ok: false, seq: 5 });
      const forged = lines.map((line, n) => (n === 0 ? line.replace("t3", "t9") : line));
      expect(await verifyExport(forged)).toMatchObject({ ok: false, seq: 5 });
    });

    it("all rows can be removed; the next one has the next number", async () => {
      const { audit, reopen } = await aged();
      expect(await audit.prune(10_000)).toBe(12);
      expect((await all(audit.rows())).map(({ seq, kind }) => [seq, kind])).toEqual([[13, "mark"]]);
      const { audit: again } = await reopen();
      expect(await again.begin(entry())).toBe(14);
      expect(await again.verify()).toMatchObject({ ok: true, rows: 2 });
    });

    it("an entry without an outcome stays, and everything after it", async () => {
      const { audit, setTime } = await aged();
      setTime(150);
      const seq = await audit.begin(entry());
      await audit.begin(entry({ decision: "refused" }));
      expect(await audit.prune(10_000)).toBe(12);
      audit.end(seq, { outcome: "ok", duration: 1 });
      await audit.flush();
      expect(await audit.query({ outcome: "ok" })).toMatchObject([{ of: seq }]);
    });

    it("with a clock that went back, only rows before every newer row are removed", async () => {
      const { audit, setTime } = await aged();
      setTime(50);
      await audit.begin(entry({ decision: "refused" }));
      expect(await audit.prune(300)).toBe(4);
    });

    it("an interrupted removal is completed at the next start", async () => {
      const { place, audit, reopen } = await aged();
      const rows = await all(audit.rows({}));
      await audit.prune(300);
      const [row] = rows.slice(3);
      place.tamper(
        `insert into vitrine_audit (seq, time, kind, hash) values (4, 200, 'outcome', '${row?.hash}')`,
      );
      const { audit: again } = await reopen();
      expect(again.healthy).toBe(true);
      expect((await all(again.rows()))[0]?.seq).toBe(5);
    });
  });

  describe("consents", () => {
    const key = { server: "shop", method: "tools/call", subject: "pay", fingerprint: "f".repeat(10_000) };
    const record = { ...key, user: "ann", answer: "allow", grantedAt: 100 } as const;

    it("an answer belongs to its user, server, method, subject and fingerprint", async () => {
      const { consents, reopen } = await setUp();
      await consents.set(record);
      for (const open of [async () => ({ consents }), reopen]) {
        const store = await open();
        expect(await store.consents.get("ann", key, 200)).toBe("allow");
        expect(await store.consents.get("bob", key, 200)).toBeUndefined();
        for (const other of [{ server: "bank" }, { method: "x" }, { subject: "Pay" }, { fingerprint: "g" }]) {
          expect(await store.consents.get("ann", { ...key, ...other }, 200)).toBeUndefined();
        }
      }
    });

    it("keys never collide, whatever they contain", async () => {
      const { consents } = await setUp();
      await consents.set({ ...record, subject: "pay\0a" });
      await consents.set({ ...record, subject: "x".repeat(20_000) });
      for (const subject of ["pay", "pay\ufffda", "pay\0b", "x".repeat(20_001)]) {
        expect(await consents.get("ann", { ...key, subject }, 200)).toBeUndefined();
      }
      expect(await consents.get("ann", { ...key, subject: "pay\0a" }, 200)).toBe("allow");
      expect(await consents.get("ann", { ...key, subject: "x".repeat(20_000) }, 200)).toBe("allow");
    });

    it("answers for apps and for the model are separate, also when they are revoked", async () => {
      const { consents } = await setUp();
      const [app, model] = [
        { ...record, actor: "app" },
        { ...record, actor: "model" },
      ] as const;
      for (const identity of [undefined, "i"]) {
        await consents.set({ ...app, identity });
        expect(await consents.get("ann", { ...key, identity, actor: "model" }, 200)).toBeUndefined();
        expect(await consents.get("ann", { ...key, identity }, 200)).toBeUndefined();
        await consents.set({ ...model, identity, answer: "deny" });
        expect(await consents.get("ann", { ...key, identity, actor: "app" }, 200)).toBe("allow");
        expect((await consents.list("ann")).map(({ actor }) => actor).toSorted()).toEqual(["app", "model"]);
        expect(await consents.revoke("ann", { server: "shop", actor: "app" })).toBe(1);
        expect(await consents.get("ann", { ...key, identity, actor: "model" }, 200)).toBe("deny");
        await consents.revoke("ann", { server: "shop" });
      }
    });

    it("attack C23: another fingerprint replaces it", async () => {
      const { consents } = await setUp();
      await consents.set(record);
      await consents.set({ ...record, fingerprint: "new", answer: "deny" });
      expect(await consents.get("ann", key, 200)).toBeUndefined();
      expect(await consents.get("ann", { ...key, fingerprint: "new" }, 200)).toBe("deny");
      expect(await consents.list("ann")).toHaveLength(1);
    });

    it("expires", async () => {
      const { consents } = await setUp();
      await consents.set({ ...record, expiresAt: 300 });
      expect(await consents.get("ann", key, 299)).toBe("allow");
      expect(await consents.get("ann", key, 300)).toBeUndefined();
    });

    it("a level of questions is there after a restart, and ends only when it is revoked itself", async () => {
      const { consents, reopen } = await setUp();
      const about = { server: "shop", identity: "i", subject: "", fingerprint: "", actor: "app" } as const;
      const level = { ...about, method: "gateway/ask-level" };
      await consents.set({ ...level, user: "ann", answer: "ask-changes", grantedAt: 100 });
      await consents.set({ ...level, user: "ann", answer: "ask-always", grantedAt: 101 });
      await consents.set({ ...record, identity: "i" });
      const { consents: again } = await reopen();
      expect(await again.get("ann", level, Number.MAX_SAFE_INTEGER)).toBe("ask-always");
      expect(await again.get("bob", level, 200)).toBeUndefined();
      expect(await again.get("ann", { ...level, identity: "j" }, 200)).toBeUndefined();
      expect(await again.revoke("ann", { server: "shop" })).toBe(1);
      expect((await again.list("ann")).map(({ method, answer }) => [method, answer])).toEqual([
        ["gateway/ask-level", "ask-always"],
      ]);
      expect(await again.revoke("ann", level)).toBe(1);
      expect(await again.get("ann", level, 200)).toBeUndefined();
    });

    it("lists them, and revokes them: one, or all of a server", async () => {
      const { consents } = await setUp();
      await consents.set(record);
      await consents.set({ ...record, subject: "refund", grantedAt: 101, expiresAt: 500 });
      await consents.set({ ...record, server: "bank", grantedAt: 102 });
      await consents.set({ ...record, user: "bob" });
      const listed = await consents.list("ann");
      expect(listed.map(({ server, subject }) => `${server} ${subject}`)).toEqual([
        "shop pay",
        "shop refund",
        "bank pay",
      ]);
      expect(listed[0]).toEqual({ ...record, fingerprint: sha256(key.fingerprint), expiresAt: undefined });
      expect(await consents.get("ann", key, 200)).toBe("allow");
      expect(await consents.revoke("ann", { ...key, fingerprint: "other" })).toBe(0);
      expect(
        await consents.revoke("ann", { server: "shop", subject: "pay", fingerprint: listed[0]?.fingerprint }),
      ).toBe(1);
      expect(await consents.get("ann", key, 200)).toBeUndefined();
      expect(await consents.revoke("ann", { server: "shop" })).toBe(1);
      expect(await consents.list("ann")).toHaveLength(1);
      expect(await consents.get("bob", key, 200)).toBe("allow");
    });
  });

  it("has one owner: a second one is refused, until the first has left", async () => {
    const { place, store } = await setUp();
    const second = (await openStore(place.url, { ownerTimeout: 0 }).catch(
      (error: unknown) => error,
    )) as GatewayError;
    expect(second).toMatchObject({
      data: { code: "config-invalid" },
      message: expect.stringContaining("in use by"),
    });
    // It did no harm.
    expect(await store.audit.begin(entry())).toBe(1);
    const waiting = openStore(place.url, { ownerTimeout: 60_000 });
    await store.close();
    const third = await waiting;
    expect(third.audit.head.seq).toBe(2);
    await third.close();
  });
});

describe("openStore", () => {
  it("opens in memory", async () => {
    const store = await openStore("sqlite::memory:");
    expect(await store.audit.begin(entry())).toBe(1);
    await store.close();
  });

  it("a file is readable by its owner only", async () => {
    const file = join(folder, "new", "folder", "audit.db");
    const store = await openStore(`sqlite:${file}`);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(statSync(`${file}-wal`).mode & 0o077).toBe(0);
    await store.close();
  });

  it.each([
    ["mysql://root:secret@localhost/x", "use sqlite:"],
    ["sqlite:", "use sqlite:"],
    ["sqlite:/dev/null/x.db", "cannot use the database"],
    ["postgres://ann:secret@127.0.0.1:1/x", "cannot use the database postgres://127.0.0.1:1/x"],
  ])("reports what is wrong with %s, without a password", async (url, message) => {
    const error = (await openStore(url).catch((error: unknown) => error)) as GatewayError;
    expect(error).toMatchObject({
      data: { code: "config-invalid" },
      message: expect.stringContaining(message),
    });
    expect(error.message).not.toContain("secret");
  });

  it("its examples work", async () => {
    const file = join(folder, "example.db");
    await examples.openStoreExample(file, (message) => expect.unreachable(message));
    const store = await openStore(`sqlite:${file}`);
    await examples.exportRowsExample(store, `${file}.jsonl`);
    expect(await examples.verifyExportExample(`${file}.jsonl`)).toMatchObject({ ok: true, rows: 2 });
    await store.close();
  });
});
