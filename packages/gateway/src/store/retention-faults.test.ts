/** Removal of old rows that is killed, or has no space: nothing is lost, and nothing is archived twice. */
import { execFileSync, spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { build } from "esbuild";
import Libsql from "libsql";
import { afterAll, describe, expect, it } from "vitest";
import { startPostgres } from "../../../../testing/postgres.js";
import { exportRows } from "./export.js";
import { openStore } from "./open.js";
import type { GatewayStore } from "./store.js";
import { verifyArchive } from "./verify-archive.js";

const postgres = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), "vitrine-retention-faults-"));
afterAll(async () => {
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const isRoot = process.getuid?.() === 0;
const entry = {
  user: "ann",
  actor: "view",
  server: "shop",
  method: "tools/call",
  decision: "refused",
  reason: "policy",
} as const;

let places = 0;
const engines: Record<string, () => string> = {
  sqlite: () => `sqlite:${join(folder, `faults-${++places}.db`)}`,
  ...(postgres && { postgres: () => postgres.schema(`faults_${++places}`) }),
};

async function fill(url: string, rows: number): Promise<string[]> {
  const store = await openStore(url, { now: () => 100 });
  for (let n = 0; n < rows; n += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, rows - n) }, (_, k) =>
        store.audit.begin({ ...entry, user: (n + k) % 10 === 0 ? "bob" : "ann", target: `t${n + k}` }),
      ),
    );
  const lines = await exported(store);
  await store.close();
  return lines;
}

async function exported({ audit }: GatewayStore): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportRows(audit)) lines.push(line.trimEnd());
  return lines;
}

const archived = (archive: string): string[] =>
  readdirSync(archive)
    .filter((name) => name.startsWith("audit-"))
    .sort()
    .flatMap((name) =>
      gunzipSync(readFileSync(join(archive, name)))
        .toString()
        .trimEnd()
        .split("\n")
        .slice(1),
    );

/** A program that removes all rows of a log, with small files and steps, and can be killed anywhere. */
async function pruner(): Promise<string> {
  // Where its imports are found.
  const outfile = fileURLToPath(new URL(`../../dist/pruner-${process.pid}.mjs`, import.meta.url));
  await build({
    stdin: {
      contents: `
        import { openStore } from "./open.ts";
        const [, , url, archive] = process.argv;
        const store = await openStore(url, { ownerTimeout: 20_000 });
        process.stdout.write("ready\\n");
        await store.audit.prune(200, archive === "" ? {} : { archive });
        process.stdout.write("done\\n");
        await store.close();`,
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    // It is started dozens of times: a single file loads in half the time. Drivers stay where they are found.
    external: ["libsql", "pg", "pg-native"],
    minify: true,
    outfile,
    plugins: [
      {
        name: "small files",
        setup(building) {
          building.onLoad({ filter: /store\/retention\.ts$/ }, ({ path }) => ({
            loader: "ts",
            contents: readFileSync(path, "utf8")
              .replace("FILE_ROWS = 100_000", "FILE_ROWS = 500")
              .replace("REMOVED_AT_ONCE = 50", "REMOVED_AT_ONCE = 20"),
          }));
        },
      },
    ],
  });
  return outfile;
}

describe.each(Object.keys(engines))("removal on %s", (engine) => {
  it.each([
    ["with an archive", true],
    ["without an archive", false],
  ])(
    "%s that is killed again and again loses no row, and archives none twice",
    async (_what, hasArchive) => {
      const url = (engines[engine] as () => string)();
      const archive = join(folder, `archive-${places}`);
      const before = await fill(url, 1500);
      const held = before.filter((line) => line.includes('"user":"bob"'));
      const store = await openStore(url, { now: () => 100 });
      await store.holds.add({ user: "bob", reason: "case" });
      await store.close();
      const program = await pruner();
      let kills = 0;
      try {
        for (let isDone = false; !isDone && kills < 60; ) {
          const child = spawn(process.execPath, [program, url, hasArchive ? archive : ""], {
            stdio: ["ignore", "pipe", "inherit"],
          });
          const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
          let said = "";
          child.stdout.on("data", (data) => {
            if (said === "") setTimeout(() => child.kill("SIGKILL"), 2 * 1.5 ** kills);
            said += data;
          });
          await exited;
          isDone = said.includes("done");
          if (!isDone) kills++;
          if (hasArchive && kills > 0) {
            const { result } = await verifyArchive(archive);
            expect(result.ok || result.message).toBe(true);
          }
        }
      } finally {
        unlinkSync(program);
      }
      expect(kills).toBeGreaterThan(2);
      const after = await openStore(url, { now: () => 100 });
      expect(after.audit.healthy).toBe(true);
      const left = await exported(after);
      expect(left.every((line) => line.includes('"kind":"mark"'))).toBe(true);
      if (hasArchive) expect(archived(archive).slice(0, before.length)).toEqual(before);
      const verified = await after.audit.verify(undefined, hasArchive ? { archive } : {});
      expect(verified).toMatchObject({ ok: true });
      const kept: string[] = [];
      for await (const row of after.holds.rows()) kept.push(JSON.stringify(row));
      expect(kept).toEqual(held);
      await after.close();
    },
    120_000,
  );
});

describe("an archive on a full disk", () => {
  it.runIf(isRoot)("stops removal and loses nothing; with space, removal continues", async () => {
    const url = `sqlite:${join(folder, `faults-${++places}.db`)}`;
    const disk = join(folder, `disk-${places}`);
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=200k", "tmpfs", disk]);
    try {
      const before = await fill(url, 3000);
      writeFileSync(join(disk, "ballast"), Buffer.alloc(180_000));
      const archive = join(disk, "archive");
      const store = await openStore(url);
      await expect(store.audit.prune(200, { archive })).rejects.toMatchObject({
        data: { code: "audit-failed" },
        message: expect.stringMatching(/cannot be archived in .*no row is removed: .*ENOSPC/),
      });
      expect(await exported(store)).toEqual(before);
      expect(readdirSync(archive)).toEqual([]);
      // Calls are recorded meanwhile.
      await store.audit.begin(entry);
      rmSync(join(disk, "ballast"));
      // A hash per row does not compress: a larger disk.
      execFileSync("mount", ["-o", "remount,size=2m", disk]);
      expect(await store.audit.prune(200, { archive })).toBe(3000);
      expect(archived(archive)).toEqual(before);
      expect(await store.audit.verify(undefined, { archive })).toMatchObject({ ok: true, rows: 3002 });
      await store.close();
    } finally {
      execFileSync("umount", ["-l", disk]);
    }
  });
});

describe("SQLite's file", () => {
  const read = (file: string, name: string): number => {
    const connection = new Libsql(file, { timeout: 2000 });
    const [row] = connection.pragma(name, {}) as Record<string, number>[];
    connection.close();
    return row?.[name] ?? -1;
  };

  it("becomes smaller after rows were removed, without a restart", async () => {
    const file = join(folder, `faults-${++places}.db`);
    await fill(`sqlite:${file}`, 20_000);
    const store = await openStore(`sqlite:${file}`);
    const size = statSync(file).size;
    await store.audit.prune(200);
    await store.shrink();
    expect(statSync(file).size).toBeLessThan(size / 2);
    expect(await store.audit.verify()).toMatchObject({ ok: true });
    await store.close();
  });

  it("of an earlier version becomes smaller after it was rewritten once", async () => {
    const file = join(folder, `faults-${++places}.db`);
    await fill(`sqlite:${file}`, 5000);
    const earlier = new Libsql(file);
    earlier.pragma("auto_vacuum = NONE", {});
    earlier.exec("vacuum");
    earlier.close();
    const pages = read(file, "page_count");
    const store = await openStore(`sqlite:${file}`);
    await store.audit.prune(200);
    await store.shrink();
    expect(read(file, "page_count")).toBeGreaterThanOrEqual(pages);
    expect(await store.compact()).toBe(true);
    expect(statSync(file).size).toBe(read(file, "page_count") * 4096);
    expect(read(file, "page_count")).toBeLessThan(pages / 2);
    await store.audit.begin(entry);
    expect(await store.audit.verify()).toMatchObject({ ok: true });
    await store.close();
    expect(read(file, "auto_vacuum")).toBe(2);
  });
});
