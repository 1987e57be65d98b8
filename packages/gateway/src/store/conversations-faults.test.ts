import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import fs, {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
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
import type { KeptConversations } from "@vitrine/conversation";
import type { ConversationItem } from "@vitrine/wire";
import { build } from "esbuild";
import fc from "fast-check";
import Libsql from "libsql";
import pg from "pg";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../../../testing/postgres.js";
import { openStore } from "./open.js";
import type { GatewayStore } from "./store.js";

const postgres = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), "vitrine-conversation-faults-"));
const stores: GatewayStore[] = [];
const undo: (() => void)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0)) each();
  for (const store of stores.splice(0)) await store.close();
});
afterAll(async () => {
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

let files = 0;
const newFile = () => join(folder, `faults-${++files}.db`);
const failed = { data: { code: "audit-failed" } };
const isRoot = process.getuid?.() === 0;

const said = (id: string, text = ""): ConversationItem => ({
  kind: "user",
  id,
  at: 1,
  content: [{ type: "text", text }],
});

async function open(url: string) {
  const store = await openStore(url, { ownerTimeout: 10_000 });
  stores.push(store);
  const { conversations } = store;
  await conversations.create("ann", { id: "c", title: "", startedAt: 1 });
  const put = (id: string, text?: string) => conversations.put("ann", "c", { items: [said(id, text)] });
  return { store, conversations, put };
}

const idsOf = async (conversations: KeptConversations) =>
  (await conversations.get("ann", "c"))?.items.map(({ id }) => id) ?? [];

/** Adds entries until one is refused; returns the acknowledged ones. */
async function fill(put: (id: string, text?: string) => Promise<void>, size: number): Promise<string[]> {
  for (const ids: string[] = []; ; ) {
    const id = `filled-${ids.length}`;
    try {
      await put(id, "x".repeat(size));
      ids.push(id);
    } catch (error) {
      expect(error).toMatchObject({ ...failed, message: expect.stringMatching(/full/) });
      return ids;
    }
  }
}

describe("conversations on SQLite", () => {
  it.runIf(isRoot)(
    "a full disk: refusals are reported, acknowledged entries stay, and writing resumes",
    async () => {
      const disk = join(folder, `disk-${++files}`);
      mkdirSync(disk);
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1700k", "tmpfs", disk]);
      writeFileSync(join(disk, "ballast"), Buffer.alloc(400_000));
      const { store, conversations, put } = await open(`sqlite:${join(disk, "store.db")}`);
      undo.push(() => execFileSync("umount", ["-l", disk]));
      const ids = await fill(put, 30_000);
      expect(ids.length).toBeGreaterThan(2);
      expect(await idsOf(conversations)).toEqual(ids);
      await expect(put("again", "x".repeat(30_000))).rejects.toMatchObject(failed);
      unlinkSync(join(disk, "ballast"));
      await put("again", "x".repeat(30_000));
      // The audit log works again as well.
      await store.audit.mark({ method: "test", reason: "test" });
      expect(await idsOf(conversations)).toEqual([...ids, "again"]);
      const copy = newFile();
      for (const end of ["", "-wal"]) copyFileSync(join(disk, `store.db${end}`), copy + end);
      expect(await idsOf((await open(`sqlite:${copy}`)).conversations)).toEqual([...ids, "again"]);
    },
  );

  it("a failing disk: data that it may have lost is written again before anything is acknowledged", async () => {
    const file = newFile();
    const { store, conversations, put } = await open(`sqlite:${file}`);
    await put("before");
    const realSync = fs.fdatasyncSync;
    const handle = await openFile(newFile(), "w");
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const { datasync } = handles;
    const fail = (): never => {
      throw new Error("EIO: i/o error, fdatasync");
    };
    fs.fdatasyncSync = fail;
    handles.datasync = async () => fail();
    syncBuiltinESMExports();
    const mend = () => {
      fs.fdatasyncSync = realSync;
      handles.datasync = datasync;
      syncBuiltinESMExports();
    };
    undo.push(mend);
    await expect(put("doubtful")).rejects.toMatchObject({
      ...failed,
      message: expect.stringContaining("EIO"),
    });
    await expect(put("refused")).rejects.toMatchObject(failed);
    mend();
    await expect.poll(() => store.audit.healthy).toBe(true);
    await put("doubtful");
    await put("after");
    expect(await idsOf(conversations)).toEqual(["before", "doubtful", "after"]);
    const copy = newFile();
    for (const end of ["", "-wal"]) copyFileSync(file + end, copy + end);
    expect(await idsOf((await open(`sqlite:${copy}`)).conversations)).toEqual([
      "before",
      "doubtful",
      "after",
    ]);
  });

  it("a removed file: nothing is acknowledged that would be lost with the process", async () => {
    const file = newFile();
    const { conversations, put } = await open(`sqlite:${file}`);
    await put("before");
    renameSync(file, `${file}.away`);
    await expect(put("gone")).rejects.toMatchObject({
      ...failed,
      message: expect.stringContaining("removed or replaced"),
    });
    renameSync(`${file}.away`, file);
    await put("gone");
    expect(await idsOf(conversations)).toEqual(["before", "gone"]);
  });

  it("a lock of another process is waited for, and the order is kept", async () => {
    const file = newFile();
    const { conversations, put } = await open(`sqlite:${file}`);
    const other = new Libsql(file, {});
    other.exec("begin immediate");
    const working = ["a", "b", "c"].map((id) => put(id));
    await new Promise((resolve) => setTimeout(resolve, 60));
    const late = put("d");
    other.exec("rollback");
    await Promise.all([...working, late]);
    expect(await idsOf(conversations)).toEqual(["a", "b", "c", "d"]);
    other.exec("begin immediate");
    await expect(put("e")).rejects.toMatchObject({ ...failed, message: expect.stringContaining("locked") });
    other.exec("rollback");
    other.close();
    await put("f");
    expect(await idsOf(conversations)).toEqual(["a", "b", "c", "d", "f"]);
  });

  it("a closing store finishes pending operations, and refuses others", async () => {
    const file = newFile();
    const { store, conversations, put } = await open(`sqlite:${file}`);
    const working = Array.from({ length: 20 }, (_, n) => put(`${n}`));
    const closed = store.close();
    const stopping = { data: { code: "stopping" } };
    await expect(put("late")).rejects.toMatchObject(stopping);
    await Promise.all([closed, ...working]);
    await expect(conversations.get("ann", "c")).rejects.toMatchObject(stopping);
    await expect(conversations.list("ann")).rejects.toMatchObject(stopping);
    await expect(conversations.delete("ann", "c")).rejects.toMatchObject(stopping);
    const { conversations: again } = await open(`sqlite:${file}`);
    expect(await idsOf(again)).toEqual(working.map((_, n) => `${n}`));
  });

  it("updates and crashes in any order lose no acknowledged entry", async () => {
    const id = fc.constantFrom("a", "b", "c", "d", "e");
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ items: fc.array(id), removed: fc.array(id), text: fc.string() }) },
      { weight: 1, arbitrary: fc.constant("crash" as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        let file = newFile();
        let { store, conversations } = await open(`sqlite:${file}`);
        // A simple model of the expected contents.
        const expected = new Map<string, ConversationItem>();
        for (const each of steps) {
          if (each === "crash") {
            const after = newFile();
            for (const end of ["", "-wal"]) if (existsSync(file + end)) copyFileSync(file + end, after + end);
            await store.close();
            file = after;
            ({ store, conversations } = await open(`sqlite:${file}`));
          } else {
            const items = each.items.map((item) => said(item, each.text));
            await conversations.put("ann", "c", { items, removed: each.removed });
            for (const item of each.removed) expected.delete(item);
            for (const item of items) expected.set(item.id, item);
          }
          expect((await conversations.get("ann", "c"))?.items).toEqual([...expected.values()]);
        }
        const rows = new Libsql(file, {});
        const counted = rows.prepare(
          "select c.items, c.size, count(i.id) as n, coalesce(sum(length(cast(i.json as blob))), 0) as bytes from vitrine_conversations c left join vitrine_conversation_items i on i.conversation = c.id group by c.id",
        );
        const { items, size, n, bytes } = counted.get([]) as Record<string, number>;
        expect([items, size]).toEqual([n, bytes]);
        rows.close();
        await store.close();
      }),
      { numRuns: 30 },
    );
  });

  it("a process that is killed under load loses no acknowledged entry", async () => {
    const require = createRequire(import.meta.url);
    const program = join(folder, "writer.mjs");
    const local = (name: string) => require.resolve(name);
    const contents = `
      import { openStore } from "./open.ts";
      const { conversations } = await openStore("sqlite:" + process.argv[2], { ownerTimeout: 10000 });
      await conversations.create("ann", { id: "c", title: "", startedAt: 1 });
      for (let n = 0; ; n++) {
        const item = { kind: "user", id: process.argv[3] + "-" + n, at: n, content: [{ type: "text", text: "x".repeat(n % 7000) }] };
        await conversations.put("ann", "c", { items: [item, { ...item, id: "same" }], changedAt: n });
        process.stdout.write(item.id + "\\n");
      }
    `;
    await build({
      stdin: { contents, loader: "ts", resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
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
    const acknowledged: string[] = [];
    for (let round = 1; round <= 3; round++) {
      const child: ChildProcess = spawn(process.execPath, [program, file, `${round}`], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const closed = new Promise((resolve) => child.once("close", resolve));
      if (!child.stdout) throw new Error("no stdout");
      const lines: string[] = [];
      createInterface(child.stdout).on("line", (line) => lines.push(line));
      await expect.poll(() => lines.length).toBeGreaterThan(150);
      child.kill("SIGKILL");
      await closed;
      // The last line may be incomplete.
      acknowledged.push(...lines.slice(0, -1));
    }
    const { conversations } = await open(`sqlite:${file}`);
    const there = await idsOf(conversations);
    expect(acknowledged.filter((id) => !there.includes(id))).toEqual([]);
    expect(new Set(there).size).toBe(there.length);
    const order = there.filter((id) => acknowledged.includes(id));
    expect(order).toEqual(acknowledged);
  });
});

describe.skipIf(!postgres)("conversations on PostgreSQL", () => {
  const server = postgres as TestPostgres;

  it.each(["fast", "immediate"] as const)("a %s stop under load: acknowledged entries stay", async (how) => {
    const { store, conversations, put } = await open(server.schema(`faults_${++files}`));
    const acknowledged: string[] = [];
    let refused = 0;
    let isDone = false;
    const working = (async () => {
      for (let n = 0; !isDone; n++) {
        await put(`${n}`).then(
          () => acknowledged.push(`${n}`),
          async (error: unknown) => {
            expect(error).toMatchObject(failed);
            refused++;
            await new Promise((resolve) => setTimeout(resolve, 10));
          },
        );
      }
    })();
    await expect.poll(() => acknowledged.length).toBeGreaterThan(100);
    await server.stop(how);
    await expect.poll(() => refused).toBeGreaterThan(3);
    const before = acknowledged.length;
    await server.start();
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 100);
    isDone = true;
    await working;
    await expect.poll(() => store.audit.healthy).toBe(true);
    const there = await idsOf(conversations);
    expect(there.filter((id) => acknowledged.includes(id))).toEqual(acknowledged);
  });

  it("a process that lost the right to write changes nothing", async () => {
    const url = server.schema(`faults_${++files}`);
    const { store, conversations, put } = await open(url);
    await put("before");
    // Another gateway takes over: the lock is held when this one returns.
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'vitrine-gateway'",
    );
    await other.query("select pg_advisory_lock(1986622578, hashtext(current_schema()))");
    await expect.poll(() => store.audit.healthy).toBe(false);
    await expect(put("without")).rejects.toMatchObject(failed);
    await other.end();
    await expect.poll(() => store.audit.healthy).toBe(true);
    await put("after");
    expect(await idsOf(conversations)).toEqual(["before", "after"]);
  });
});
