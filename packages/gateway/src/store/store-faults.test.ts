import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import fs, {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open as openFile } from "node:fs/promises";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import Libsql from "libsql";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { readHead } from "./audit-reader.js";
import { AuditWriter } from "./audit-writer.js";
import { startOf } from "./chains.js";
import { migrate } from "./migrations.js";
import { openStore, type StoreOptions } from "./open.js";
import { openSqlite } from "./sqlite.js";
import type { AuditEntry, GatewayStore, OnAlarm, StoredAuditRow } from "./store.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-faults-"));
const stores: GatewayStore[] = [];
const undo: (() => void)[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const each of undo.splice(0)) each();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const entry: AuditEntry = {
  user: "ann",
  actor: "view",
  server: "shop",
  method: "tools/call",
  decision: "allowed",
  reason: "policy",
};
const ok = { outcome: "ok", duration: 1 } as const;

let files = 0;
const newFile = () => join(folder, `faults-${++files}.db`);

async function open(file: string, options: StoreOptions = {}) {
  const alarms: Parameters<OnAlarm>[0][] = [];
  const store = await openStore(`sqlite:${file}`, { onalarm: (alarm) => alarms.push(alarm), ...options });
  stores.push(store);
  return { store, audit: store.audit, alarms, active: () => alarms.map(({ active }) => active) };
}

async function all(store: GatewayStore): Promise<StoredAuditRow[]> {
  const rows: StoredAuditRow[] = [];
  for await (const row of store.audit.rows()) rows.push(row);
  return rows;
}

/** Invariants that must hold after any fault. */
async function expectSound(store: GatewayStore, acknowledged: readonly number[]): Promise<StoredAuditRow[]> {
  const rows = await all(store);
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, n) => n + 1));
  expect(await store.audit.verify()).toMatchObject({ ok: true });
  const entries = new Set(rows.filter(({ kind }) => kind === "entry").map(({ seq }) => seq));
  expect(acknowledged.filter((seq) => !entries.has(seq))).toEqual([]);
  const ended = rows.filter(({ kind }) => kind === "outcome").map(({ of }) => of);
  expect(new Set(ended).size).toBe(ended.length);
  return rows;
}

/** Adds entries until one is refused. */
async function fill(store: GatewayStore, params: string): Promise<number[]> {
  const seqs: number[] = [];
  for (;;) {
    try {
      seqs.push(await store.audit.begin({ ...entry, params }));
    } catch (error) {
      expect(error).toMatchObject({ data: { code: "audit-failed" } });
      return seqs;
    }
  }
}

const isRoot = process.getuid?.() === 0;

describe("a full disk", () => {
  /** A separate small disk that is soon full. */
  function smallDisk(): string {
    const disk = join(folder, `disk-${++files}`);
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1400k", "tmpfs", disk]);
    undo.push(() => execFileSync("umount", ["-l", disk]));
    return disk;
  }

  it.runIf(isRoot)("refuses calls, raises one alarm, loses nothing, and recovers by itself", async () => {
    const disk = smallDisk();
    writeFileSync(join(disk, "ballast"), Buffer.alloc(200_000));
    const { store, audit, alarms, active } = await open(join(disk, "audit.db"));
    const before = await audit.begin(entry);
    const seqs = await fill(store, "x".repeat(3000));
    expect(seqs.length).toBeGreaterThan(0);
    expect(audit.healthy).toBe(false);
    await expect(audit.begin(entry)).rejects.toMatchObject({ data: { code: "audit-failed" } });
    await expect.poll(active).toEqual([true]);
    expect(alarms[0]?.message).toMatch(/full/);
    // Outcomes of started calls are kept, and written when possible.
    for (const seq of [before, ...seqs]) audit.end(seq, { ...ok, result: "y".repeat(100) });
    unlinkSync(join(disk, "ballast"));
    await audit.flush();
    await expect.poll(() => audit.healthy).toBe(true);
    expect(active().at(-1)).toBe(false);
    await audit.begin(entry);
    const rows = await expectSound(store, [before, ...seqs]);
    expect(rows.filter(({ outcome }) => outcome === "ok").length).toBe(seqs.length + 1);
    const mark = rows.find(({ method }) => method === "audit/resume");
    expect(JSON.parse(mark?.params ?? "{}")).toEqual({ refused: expect.any(Number) });
  });

  it.runIf(isRoot)(
    "outcomes that could not be written before the end are indeterminate at the next start",
    async () => {
      const disk = smallDisk();
      const file = join(disk, "audit.db");
      const { store, audit, alarms } = await open(file);
      const seqs = await fill(store, "x".repeat(3000));
      for (const seq of seqs) audit.end(seq, { ...ok, result: "y".repeat(3000) });
      await store.close();
      expect(alarms.at(-1)).toMatchObject({
        active: true,
        message: expect.stringContaining("indeterminate"),
      });
      const larger = newFile();
      copyFileSync(file, larger);
      copyFileSync(`${file}-wal`, `${larger}-wal`);
      const { store: again } = await open(larger);
      await expectSound(again, seqs);
      expect((await again.audit.query({ outcome: "indeterminate", limit: 1000 })).length).toBeGreaterThan(0);
    },
  );
});

describe("a disk on which a commit", () => {
  /** Functions that replace flushing to the disk, in this thread and in another. */
  async function replaceSync(
    here: (wait: () => void) => void,
    elsewhere: () => Promise<void>,
  ): Promise<void> {
    const real = fs.fdatasyncSync;
    const file = await openFile(newFile(), "w");
    const handles = Object.getPrototypeOf(file) as FileHandle;
    await file.close();
    const { datasync } = handles;
    fs.fdatasyncSync = (descriptor) => here(() => real(descriptor));
    handles.datasync = async function (this: FileHandle) {
      await elsewhere();
      return datasync.call(this);
    };
    syncBuiltinESMExports();
    undo.push(() => {
      fs.fdatasyncSync = real;
      handles.datasync = datasync;
      syncBuiltinESMExports();
    });
  }

  it("fails refuses the call, and resolves its rows in doubt", async () => {
    const file = newFile();
    const { store, audit, alarms, active } = await open(file);
    const before = await audit.begin(entry);
    let isBroken = true;
    const fail = (): void => {
      if (isBroken) throw new Error("EIO: i/o error, fdatasync");
    };
    // Where the flush runs depends on how long the disk took before.
    await replaceSync(
      (wait) => {
        fail();
        wait();
      },
      async () => fail(),
    );
    await expect(audit.begin(entry)).rejects.toMatchObject({ data: { code: "audit-failed" } });
    expect(audit.healthy).toBe(false);
    await expect.poll(active).toEqual([true]);
    expect(alarms[0]?.message).toContain("EIO");
    isBroken = false;
    await expect.poll(() => audit.healthy).toBe(true);
    const after = await audit.begin(entry);
    const rows = await expectSound(store, [before, after]);
    expect(rows.map(({ kind, method, code }) => `${kind} ${method} ${code ?? ""}`)).toContain(
      "outcome tools/call audit-failed",
    );
    // Data that the disk may have lost from one file was written to the other.
    const copy = newFile();
    copyFileSync(file, copy);
    const { store: without } = await open(copy);
    expect((await all(without))[before]).toMatchObject({ seq: before + 1, kind: "entry" });
  });

  it("of other data fails also stops the log: the system reports the error to only one of two", async () => {
    const { store, audit, active } = await open(newFile());
    const before = await audit.begin(entry);
    let failures = 1;
    const fail = (): void => {
      if (failures-- > 0) throw new Error("EIO: i/o error, fdatasync");
    };
    await replaceSync(
      (wait) => {
        fail();
        wait();
      },
      async () => fail(),
    );
    const consent = { user: "ann", server: "shop", method: "tools/call", subject: "order", fingerprint: "" };
    await expect(store.consents.set({ ...consent, answer: "allow", grantedAt: 1 })).rejects.toThrow("EIO");
    expect(audit.healthy).toBe(false);
    await expect(audit.begin(entry)).rejects.toMatchObject({ data: { code: "audit-failed" } });
    await expect.poll(active).toEqual([true, false]);
    await expectSound(store, [before, await audit.begin(entry)]);
  });

  it("takes long is waited for, without blocking the process", async () => {
    const { store, audit } = await open(newFile());
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    let isSlow = false;
    await replaceSync(
      (wait) => {
        for (const end = performance.now() + 5; performance.now() < end; );
        wait();
      },
      async () => {
        // The first may run there as well, if the disk was slow before.
        if (isSlow) await arrived;
        else await new Promise((resolve) => setTimeout(resolve, 5));
      },
    );
    const first = await audit.begin(entry);
    isSlow = true;
    let second = 0;
    const started = audit.begin(entry).then((seq) => {
      second = seq;
    });
    // Timers run, and nothing is acknowledged.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(second).toBe(0);
    arrive();
    await started;
    await expectSound(store, [first, second]);
  });
});

describe("a database that another process has locked", () => {
  it("loses nothing that was written later, however many rows were refused at once", async () => {
    const file = newFile();
    const { store, audit } = await open(file);
    const acknowledged = [await audit.begin(entry)];
    const other = new Libsql(file);
    for (const many of [3, 2, 1]) {
      other.exec("begin immediate");
      const refused = Array.from({ length: many }, () => audit.begin(entry));
      await Promise.allSettled(refused);
      expect(audit.healthy).toBe(false);
      other.exec("rollback");
      await expect.poll(() => audit.healthy).toBe(true);
      // In groups of other sizes than the refused one.
      acknowledged.push(await audit.begin(entry));
      acknowledged.push(...(await Promise.all([1, 2, 3].map(() => audit.begin(entry)))));
    }
    await expectSound(store, acknowledged);
    const { count } = other.prepare("select count(*) as count from vitrine_audit").get([]) as {
      count: number;
    };
    expect(count).toBe((await all(store)).length);
    other.close();
  });

  it("is waited for, without blocking the process", async () => {
    const file = newFile();
    const { audit, alarms } = await open(file);
    const other = new Libsql(file, {});
    other.exec("begin immediate");
    const started = Promise.all([audit.begin(entry), audit.begin(entry)]);
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    await expect.poll(() => turns).toBeGreaterThan(20);
    clearInterval(counting);
    const late = audit.begin(entry);
    other.exec("rollback");
    other.close();
    expect(await started).toEqual([1, 2]);
    expect(await late).toBe(3);
    expect(alarms).toEqual([]);
  });

  it("for too long fails, and works again when it is released", async () => {
    const file = newFile();
    const { store, audit, active } = await open(file);
    const seq = await audit.begin(entry);
    const other = new Libsql(file, {});
    other.exec("begin immediate");
    await expect(audit.begin(entry)).rejects.toMatchObject({ data: { code: "audit-failed" } });
    audit.end(seq, ok);
    await expect.poll(active).toEqual([true]);
    other.exec("rollback");
    other.close();
    await audit.flush();
    expect(active()).toEqual([true, false]);
    const next = await audit.begin(entry);
    await expectSound(store, [seq, next]);
  });

  it("can be read by others, who do not disturb it", async () => {
    const file = newFile();
    const { audit } = await open(file);
    await audit.begin(entry);
    const other = new Libsql(file, {});
    other.exec("begin");
    expect(other.prepare("select count(*) as n from vitrine_audit").all([])).toEqual([{ n: 1 }]);
    expect(await audit.begin(entry)).toBe(2);
    other.exec("commit");
    other.close();
  });
});

describe("a removed database file", () => {
  it("refuses calls, because new data would be lost; and recovers when it is restored", async () => {
    const file = newFile();
    const { store, audit, alarms, active } = await open(file);
    const seq = await audit.begin({ ...entry, key: "first" });
    renameSync(file, `${file}.away`);
    await expect(audit.begin({ ...entry, key: "gone" })).rejects.toMatchObject({
      data: { code: "audit-failed" },
    });
    expect(audit.healthy).toBe(false);
    await expect.poll(() => alarms[0]?.message).toContain("removed or replaced");
    renameSync(`${file}.away`, file);
    await expect.poll(() => audit.healthy).toBe(true);
    audit.end(seq, ok);
    await audit.flush();
    expect(active()).toEqual([true, false]);
    await expectSound(store, [seq]);
    // It was written, and then refused: so it did not run.
    expect(await audit.find("ann", "gone")).toMatchObject({
      outcome: { outcome: "cancelled", code: "audit-failed" },
    });
    expect(await audit.find("ann", "first")).toMatchObject({ outcome: { outcome: "ok" } });
  });

  it("or one replaced by another file is never written to", async () => {
    const file = newFile();
    const { store, audit } = await open(file);
    await audit.begin(entry);
    renameSync(file, `${file}.away`);
    writeFileSync(file, "");
    await expect(audit.begin(entry)).rejects.toMatchObject({ data: { code: "audit-failed" } });
    await store.close();
    const { audit: fresh } = await open(`${file}.copy`);
    expect(fresh.head.seq).toBe(0);
  });

  it("or a removed -wal file keeps every acknowledged row", async () => {
    const file = newFile();
    const { store, audit } = await open(file);
    const seqs = [await audit.begin(entry), await audit.begin(entry)];
    rmSync(`${file}-wal`);
    await expect(audit.begin(entry)).rejects.toMatchObject({ message: expect.stringContaining("-wal") });
    await store.close();
    const copy = newFile();
    copyFileSync(file, copy);
    const { store: again } = await open(copy);
    await expectSound(again, seqs);
  });
});

describe("a process that is killed", () => {
  const require = createRequire(import.meta.url);
  const program = join(folder, "writer.mjs");

  /**
   * Writes as fast as possible, and prints each acknowledged number: `b` for started, `e` for ended and
   * flushed.
   */
  const SOURCE = `
    import { openStore } from "./open.ts";
    const store = await openStore("sqlite:" + process.argv[2], { ownerTimeout: 10000 });
    const entry = ${JSON.stringify(entry)};
    const say = (text) => process.stdout.write(text + "\\n");
    async function loop(n) {
      for (;;) {
        const seq = await store.audit.begin({ ...entry, target: String(n) });
        say("b " + seq);
        if (n % 4 === 0) continue;
        store.audit.end(seq, { outcome: "ok", duration: 1 });
        if (n % 4 === 1) store.audit.flush().then(() => say("e " + seq));
      }
    }
    for (let n = 0; n < 8; n++) loop(n);
  `;

  it("under load loses no acknowledged row, repeatedly", async () => {
    const local = (name: string) => require.resolve(name);
    await build({
      stdin: { contents: SOURCE, loader: "ts", resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      outfile: program,
      logLevel: "silent",
      alias: { libsql: local("libsql"), pg: local("pg") },
      external: [local("libsql"), local("pg")],
    });
    const file = newFile();
    const started: number[] = [];
    const ended: number[] = [];
    for (let round = 1; round <= 3; round++) {
      const child: ChildProcess = spawn(process.execPath, [program, file], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const exited = new Promise((resolve) => child.once("exit", resolve));
      if (!child.stdout) throw new Error("no stdout");
      const enough = started.length + 1000;
      const closed = new Promise((resolve) => child.once("close", resolve));
      createInterface(child.stdout).on("line", (line) => {
        const [what, seq] = line.split(" ");
        // The last line may be incomplete.
        if (what === "b") started.push(Number(seq));
        else ended.push(Number(seq));
      });
      await expect.poll(() => started.length).toBeGreaterThan(enough);
      child.kill("SIGKILL");
      await Promise.all([exited, closed]);
    }
    const { store } = await open(file, { ownerTimeout: 10_000 });
    const rows = await expectSound(store, started.slice(0, -1));
    const outcomes = new Map(
      rows.filter(({ kind }) => kind === "outcome").map((row) => [row.of, row.outcome]),
    );
    expect(ended.slice(0, -1).filter((seq) => outcomes.get(seq) !== "ok")).toEqual([]);
    // Every entry has an outcome now.
    expect(rows.filter(({ kind, seq }) => kind === "entry" && !outcomes.has(seq))).toEqual([]);
  });
});

it("an interrupted first start is repeated, at any moment", async () => {
  const file = newFile();
  const { store } = await open(file);
  // All data is in the write-ahead log.
  const [database, wal] = [file, `${file}-wal`].map((each) => readFileSync(each)) as [Buffer, Buffer];
  await store.close();
  const header = 32;
  const frame = 4096 + 24;
  for (let size = wal.length; size >= header; size -= frame) {
    const copy = newFile();
    writeFileSync(copy, database);
    writeFileSync(`${copy}-wal`, wal.subarray(0, size));
    const { audit, store: again } = await open(copy);
    expect(await audit.begin(entry)).toBe(1);
    await again.close();
  }
});

describe("a commit without an answer", () => {
  it.each([
    ["appears after the log looked for it", 0],
    ["appears after two attempts to continue", 1],
  ])("that %s is found", async (_what, attempts) => {
    const engine = await openSqlite(":memory:", 0);
    await migrate(engine.db, engine.kind);
    const append = engine.append.bind(engine);
    let hidden: Parameters<typeof append>[0] | undefined;
    let failures = 0;
    // As PostgreSQL with a standby does when it stops: the commit is on disk, and nobody sees it until the next start.
    engine.append = async (rows) => {
      if (hidden) {
        if (failures++ === attempts) await append(hidden);
        if (failures <= attempts + 1) throw new Error("the connection ended");
      } else if (rows[0]?.kind === "entry") {
        hidden = rows;
        throw new Error("the connection ended");
      }
      return append(rows);
    };
    engine.recover = async () => {};
    const writer = new AuditWriter(engine, startOf(0), {
      now: Date.now,
      onalarm: () => {},
      limits: { waiting: 10, weight: 10_000 },
      readHead: () => readHead(engine, 0),
    });
    await expect(writer.write({ ...entry, kind: "entry" })).rejects.toMatchObject({
      data: { code: "audit-failed" },
    });
    await expect.poll(() => writer.healthy, { timeout: 10_000 }).toBe(true);
    await writer.settle();
    const rows = await engine.db.selectFrom("vitrine_audit").selectAll().orderBy("seq").execute();
    expect(rows.map(({ kind, method, code }) => `${kind} ${method} ${code ?? ""}`.trim())).toEqual([
      "entry tools/call",
      "mark audit/resume",
      "outcome tools/call audit-failed",
    ]);
    await writer.close();
    await engine.close();
  });
});

describe("a log that is closed", () => {
  it("during a commit that fails tries nothing again", async () => {
    const engine = await openSqlite(":memory:", 0);
    await migrate(engine.db, engine.kind);
    let recoveries = 0;
    let fail = (_error: Error): void => {};
    engine.append = () =>
      new Promise((_resolve, reject) => {
        fail = reject;
      });
    engine.recover = async () => void recoveries++;
    const writer = new AuditWriter(engine, startOf(0), {
      now: Date.now,
      onalarm: () => {},
      limits: { waiting: 10, weight: 10_000 },
      readHead: () => readHead(engine, 0),
    });
    const written = expect(writer.write({ ...entry, kind: "entry" })).rejects.toMatchObject({
      data: { code: "stopping" },
    });
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const closed = writer.close();
    await new Promise(setImmediate);
    fail(new Error("the connection ended"));
    await Promise.all([closed, written]);
    // The first retry would follow after 100 ms.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([writer.healthy, recoveries]).toEqual([false, 0]);
    await engine.close();
  });
});
