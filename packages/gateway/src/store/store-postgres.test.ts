import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../../../testing/postgres.js";
import { openStore, type StoreOptions } from "./open.js";
import type { AuditEntry, GatewayStore, OnAlarm, StoredAuditRow } from "./store.js";

const postgres = await startPostgres();
afterAll(() => postgres?.remove(), 60_000);

const entry: AuditEntry = {
  user: "ann",
  actor: "view",
  server: "shop",
  method: "tools/call",
  decision: "allowed",
  reason: "policy",
};
const ok = { outcome: "ok", duration: 1 } as const;

/** A connection to the database that can become silent in one direction, and be cut. */
class Line {
  readonly #server: Server;
  readonly #pairs: { client: Socket; upstream: Socket }[] = [];
  #silent: "answers" | "questions" | undefined;
  #isDown = false;
  /** Lost bytes. */
  lost = 0;

  constructor(port: number) {
    this.#server = createServer((client) => {
      if (this.#isDown) {
        client.destroy();
        return;
      }
      const upstream = connect(port, "127.0.0.1");
      this.#pairs.push({ client, upstream });
      const pass = (from: Socket, to: Socket, what: "answers" | "questions") =>
        from.on("data", (data) => {
          if (this.#silent === what) this.lost += data.length;
          else to.write(data);
        });
      pass(client, upstream, "questions");
      pass(upstream, client, "answers");
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        one.on("error", () => {});
        one.on("close", () => other.destroy());
      }
    });
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.#server.listen(0, "127.0.0.1", () => {
        const address = this.#server.address();
        resolve(typeof address === "object" && address ? address.port : 0);
      });
    });
  }

  silence(what: "answers" | "questions"): void {
    this.#silent = what;
  }

  cut(): void {
    this.#isDown = true;
    for (const { client } of this.#pairs.splice(0)) client.destroy();
  }

  /** Cuts the client's end; the database does not notice. */
  cutHalf(): void {
    for (const { client } of this.#pairs.splice(0)) client.removeAllListeners("close").destroy();
  }

  mend(): void {
    this.#silent = undefined;
    this.#isDown = false;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

describe.skipIf(!postgres)("a store on PostgreSQL that is lost", () => {
  const server = postgres as TestPostgres;
  const stores: GatewayStore[] = [];
  const lines: Line[] = [];
  afterEach(async () => {
    for (const line of lines) line.mend();
    for (const store of stores.splice(0)) await store.close();
    for (const line of lines.splice(0)) line.close();
  });

  let schemas = 0;
  async function setUp(options: StoreOptions = {}) {
    const schema = `lost_${++schemas}`;
    const direct = new URL(server.schema(schema));
    const line = new Line(Number(direct.port));
    lines.push(line);
    const url = new URL(direct);
    url.port = String(await line.listen());
    const alarms: Parameters<OnAlarm>[0][] = [];
    const store = await openStore(url.href, { onalarm: (alarm) => alarms.push(alarm), ...options });
    stores.push(store);
    const count = () => Number(server.run(schema, "select count(*) from vitrine_audit"));
    return {
      store,
      url: direct.href,
      audit: store.audit,
      line,
      alarms,
      count,
      active: () => alarms.map(({ active }) => active),
    };
  }

  async function expectSound(
    store: GatewayStore,
    acknowledged: readonly number[],
  ): Promise<StoredAuditRow[]> {
    const rows: StoredAuditRow[] = [];
    for await (const row of store.audit.rows()) rows.push(row);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, n) => n + 1));
    expect(await store.audit.verify()).toMatchObject({ ok: true });
    const entries = new Set(rows.filter(({ kind }) => kind === "entry").map(({ seq }) => seq));
    expect(acknowledged.filter((seq) => !entries.has(seq))).toEqual([]);
    return rows;
  }

  it("while idle raises the alarm, and recovers when it is back", async () => {
    const { store, audit, line, active } = await setUp();
    const seq = await audit.begin(entry);
    line.cut();
    await expect.poll(active).toEqual([true]);
    expect(audit.healthy).toBe(false);
    await expect(audit.begin(entry)).rejects.toMatchObject({ data: { code: "audit-failed" } });
    audit.end(seq, ok);
    line.mend();
    await audit.flush();
    expect(active()).toEqual([true, false]);
    const rows = await expectSound(store, [seq, await audit.begin(entry)]);
    expect(rows.filter(({ of }) => of === seq)).toMatchObject([{ outcome: "ok" }]);
  });

  it("during a commit that succeeded: the rows exist once, and the call is recorded as not run", async () => {
    const { store, audit, line, count } = await setUp();
    const seq = await audit.begin(entry);
    line.silence("answers");
    audit.end(seq, ok);
    const started = audit.begin({ ...entry, key: "k" });
    await expect.poll(count).toBe(3);
    line.cut();
    await expect(started).rejects.toMatchObject({ data: { code: "audit-failed" } });
    line.mend();
    await audit.flush();
    await expect.poll(() => audit.healthy).toBe(true);
    const rows = await expectSound(store, [seq]);
    expect(rows.filter(({ of }) => of === seq)).toHaveLength(1);
    expect(await audit.find("ann", "k")).toMatchObject({
      outcome: { outcome: "cancelled", code: "audit-failed" },
    });
  });

  it("during a commit that failed: outcomes are written later, and the call does not exist", async () => {
    const { store, audit, line } = await setUp();
    const seq = await audit.begin(entry);
    line.silence("questions");
    audit.end(seq, ok);
    const started = audit.begin({ ...entry, key: "k" });
    await expect.poll(() => line.lost).toBeGreaterThan(0);
    line.cut();
    await expect(started).rejects.toMatchObject({ data: { code: "audit-failed" } });
    line.mend();
    await audit.flush();
    const rows = await expectSound(store, [seq]);
    expect(rows.filter(({ of }) => of === seq)).toHaveLength(1);
    expect(await audit.find("ann", "k")).toBeUndefined();
  });

  it("to another gateway and back: changes of the other one count, such as revoked approvals and taken names", async () => {
    const { store, audit, line, url } = await setUp();
    const asked = { server: "shop", identity: "a".repeat(64), method: "tools/call", subject: "" };
    const consent = { ...asked, fingerprint: "the tools" };
    await store.consents.set({ ...consent, user: "ann", answer: "allow", grantedAt: 1 });
    expect(await store.consents.get("ann", consent, 2)).toBe("allow");
    line.cut();
    await expect.poll(() => audit.healthy).toBe(false);
    const other = await openStore(url);
    expect(await other.consents.revoke("ann", { server: "shop" })).toBe(1);
    expect(await other.servers.take([{ name: "notes", identity: "a".repeat(64) }])).toEqual([]);
    await other.close();
    line.mend();
    await expect.poll(() => audit.healthy, { timeout: 15_000 }).toBe(true);
    expect(await store.consents.get("ann", consent, 2)).toBeUndefined();
    const second = { name: "notes", identity: "b".repeat(64) };
    expect(await store.servers.take([second])).toEqual([{ ...second, kind: "replaced" }]);
  });

  it("during a read is an error of the reader only", async () => {
    const { audit, line } = await setUp();
    await audit.begin(entry);
    line.silence("answers");
    const { lost } = line;
    const read = audit.find("ann", "k").then(
      () => "found",
      (error: Error) => error.message,
    );
    await expect.poll(() => line.lost).toBeGreaterThan(lost);
    line.cut();
    expect(await read).toMatch(/Connection terminated|ECONNRESET/);
    line.mend();
    expect(await audit.find("ann", "k")).toBeUndefined();
  });

  it("without notice counts as lost after a timeout", async () => {
    const { store, audit, line } = await setUp({ commitTimeout: 300 });
    const seq = await audit.begin(entry);
    line.silence("answers");
    await expect(audit.begin(entry)).rejects.toMatchObject({ data: { code: "audit-failed" } });
    line.mend();
    await expect.poll(() => audit.healthy).toBe(true);
    await expectSound(store, [seq, await audit.begin(entry)]);
  });

  it("without noticing: the owner ends the connection that holds the lock", async () => {
    const { store, audit, line } = await setUp();
    const seq = await audit.begin(entry);
    line.cutHalf();
    await expect.poll(() => audit.healthy).toBe(false);
    await expect.poll(() => audit.healthy).toBe(true);
    await expectSound(store, [seq, await audit.begin(entry)]);
  });

  it.each([false, true])(
    "while another program writes to its log is not written to again (in a commit: %s)",
    async (isCommitting) => {
      const { audit, line, active } = await setUp();
      await audit.begin(entry);
      if (isCommitting) {
        line.silence("questions");
        const started = audit.begin(entry);
        await expect.poll(() => line.lost).toBeGreaterThan(0);
        line.cut();
        await expect(started).rejects.toMatchObject({ data: { code: "audit-failed" } });
      } else line.cut();
      await expect.poll(active).toEqual([true]);
      server.run(
        `lost_${schemas}`,
        `insert into vitrine_audit (seq, time, kind, hash) values (2, 1, 'entry', '${"0".repeat(64)}')`,
      );
      line.mend();
      await expect
        .poll(() => audit.begin(entry).catch((error: Error) => error.message))
        .toContain("changed by another program");
      expect(active()).toEqual([true]);
    },
  );

  it.each(["fast", "immediate"] as const)("in a %s stop under load, and is restarted", async (how) => {
    const { store, audit, active } = await setUp();
    const acknowledged: number[] = [];
    let refused = 0;
    let isDone = false;
    const loop = async () => {
      while (!isDone) {
        try {
          const seq = await audit.begin(entry);
          acknowledged.push(seq);
          audit.end(seq, ok);
        } catch (error) {
          expect(error).toMatchObject({ data: { code: "audit-failed" } });
          refused++;
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      }
    };
    const loops = Array.from({ length: 8 }, loop);
    await expect.poll(() => acknowledged.length).toBeGreaterThan(200);
    await server.stop(how);
    await expect.poll(() => refused).toBeGreaterThan(8);
    const before = acknowledged.length;
    await server.start();
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 200);
    isDone = true;
    await Promise.all(loops);
    await audit.flush();
    expect(active()[0]).toBe(true);
    expect(active().at(-1)).toBe(false);
    const rows = await expectSound(store, acknowledged);
    const ended = new Map(rows.filter(({ kind }) => kind === "outcome").map((row) => [row.of, row]));
    expect(acknowledged.filter((seq) => ended.get(seq)?.outcome !== "ok")).toEqual([]);
    // A refused call that was written nevertheless is recorded as not run.
    const known = new Set(acknowledged);
    for (const { kind, seq } of rows) {
      if (kind === "entry" && !known.has(seq)) expect(ended.get(seq)?.code).toBe("audit-failed");
    }
  });
});
