/** The database fails while the gateway runs: calls that cannot be recorded are not made. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import {
  byPage,
  type Caller,
  codes,
  FaultStage,
  fine,
  type Outcome,
} from "../../../../testing/gateway/fault-stage.ts";
import { startPostgres } from "../../../../testing/postgres.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-fault-database-"));
let stage: FaultStage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A gateway with a working database, a page over a WebSocket, one over HTTP, and a program. */
async function working(database: string) {
  const opened = await FaultStage.open({ database });
  stage = opened;
  const pages = await Promise.all([opened.page(), opened.page({ over: "http" })]);
  const callers: Caller[] = [...pages.map(byPage), opened.program()];
  const all = (): Promise<Outcome[]> => Promise.all(callers.map((caller) => opened.call(caller, "echo")));
  const alarms: boolean[] = [];
  pages[0]?.on("gateway/alarm", ({ active }) => alarms.push(active));
  fine(await all());
  return { stage: opened, all, alarms };
}

/**
 * Checks that during the fault no call is made and everybody is notified, and that all works again
 * afterwards.
 */
async function refusesAndRecovers(
  { stage, all, alarms }: Awaited<ReturnType<typeof working>>,
  mend: () => void | Promise<void>,
): Promise<void> {
  await expect.poll(async () => codes(await all())).toEqual(["audit-failed", "audit-failed", "audit-failed"]);
  expect((await stage.fetch("/readyz")).status).toBe(503);
  await expect.poll(() => alarms).toEqual([true]);
  const whileBroken = stage.effects().length;
  expect(codes(await all())).toEqual(["audit-failed", "audit-failed", "audit-failed"]);
  expect(stage.effects().length).toBe(whileBroken);
  await mend();
  await expect.poll(async () => (await stage.fetch("/readyz")).status).toBe(200);
  await expect.poll(() => alarms).toEqual([true, false]);
  fine(await all());
  await stage.checkOracle();
}

describe("a database", () => {
  it.runIf(process.getuid?.() === 0)(
    "whose disk is full stops all effects until there is space",
    async () => {
      const disk = join(folder, "disk");
      mkdirSync(disk);
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]);
      try {
        const work = await working(`sqlite:${join(disk, "audit.db")}`);
        const ballast = join(disk, "ballast");
        expect(() => writeFileSync(ballast, Buffer.alloc(4_000_000))).toThrow(/ENOSPC/);
        await refusesAndRecovers(work, () => unlinkSync(ballast));
        await stage?.close();
        stage = undefined;
      } finally {
        execFileSync("umount", ["-l", disk]);
      }
    },
  );

  it("that another process has locked stops all effects until it is released", async () => {
    const file = join(folder, "locked.db");
    const work = await working(`sqlite:${file}`);
    // The gateway may be writing the last outcomes and results.
    const other = new Libsql(file, { timeout: 5000 });
    other.exec("begin immediate");
    await refusesAndRecovers(work, () => {
      other.exec("rollback");
      other.close();
    });
  });

  it("whose file is removed stops all effects until it is restored", async () => {
    const file = join(folder, "gone.db");
    const work = await working(`sqlite:${file}`);
    renameSync(file, `${file}.away`);
    await refusesAndRecovers(work, () => renameSync(`${file}.away`, file));
  });

  it("on a PostgreSQL that stops ends all effects until it is back", async (context) => {
    const postgres = await startPostgres();
    if (!postgres) return context.skip("there is no PostgreSQL here, and none can be installed");
    try {
      const work = await working(postgres.schema("faults"));
      await postgres.stop("immediate");
      await refusesAndRecovers(work, () => postgres.start());
      await stage?.close();
      stage = undefined;
    } finally {
      await postgres.remove();
    }
  });
});
