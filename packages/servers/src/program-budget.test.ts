import { afterEach, describe, expect, it } from "vitest";
import { firstLine, misbehaving } from "../../../testing/gateway/launching.js";
import { FAULTY, nodeServer, serverSettings } from "../../../testing/gateway/servers.js";
import { launch } from "./isolation/launch.js";
import { ServerPool } from "./pool.js";
import { ProgramBudget, type ProgramLimits } from "./program-budget.js";

const pools: ServerPool[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close(0))));

const poolOf = (limits: ProgramLimits, stateless = false): ServerPool => {
  const pool = new ServerPool({ launch, limits: () => limits });
  pools.push(pool);
  const settings = (name: string) => ({ ...serverSettings(name, nodeServer(FAULTY)), stateless });
  pool.update(new Map(["a", "b", "c"].map((name) => [name, settings(name)])));
  return pool;
};
const overloaded = (limit: string) => ({
  data: { code: "overloaded", limit, retryAfter: 5000 },
  message: expect.stringContaining(`"${limit}"`),
});

describe("running programs", () => {
  it("are limited per user, and a place is free again when one has stopped", async () => {
    const limits = { processesPerUser: 1 };
    const pool = poolOf(limits);
    await pool.get("ann", "a").start();
    await expect(pool.get("ann", "b").start()).rejects.toMatchObject(overloaded("limits.processesPerUser"));
    await expect(pool.get("bea", "b").start()).resolves.toBeUndefined();
    const { pid } = pool.get("ann", "a").status;
    process.kill(Number(pid), "SIGKILL");
    // It is restarted in its own place.
    await expect.poll(() => pool.get("ann", "a").status.starts, { timeout: 20_000 }).toBeGreaterThan(1);
    limits.processesPerUser = 2;
    await expect(pool.get("ann", "c").start()).resolves.toBeUndefined();
  }, 60_000);

  it("are limited in total; shared ones count for no user", async () => {
    const pool = poolOf({ processes: 2, processesPerUser: 1 }, true);
    await pool.get("ann", "a").start();
    await pool.get("ann", "b").start();
    await expect(pool.get("ann", "c").start()).rejects.toMatchObject(overloaded("limits.processes"));
  }, 60_000);

  it.skipIf(process.platform !== "linux")(
    "that use too much memory together lose the largest one of the user who uses the most",
    async () => {
      const limits: ProgramLimits = {};
      const budget = new ProgramBudget(() => limits, 50);
      const start = (user: string, deed: string) =>
        budget.launching(launch, user)(misbehaving({ driver: "process" }, deed));
      const [small, large] = [await start("bea", "behave"), await start("ann", "behave")];
      const other = await start("ann", "behave");
      // A program that is still starting uses less memory than the others.
      await Promise.all([small, large, other].map(firstLine));
      for (const { stdout } of [small, large, other]) stdout.resume();
      limits.memory = 1;
      const ends = [small, large, other].map(async ({ exited }, index) => ({ index, ...(await exited) }));
      const first = await Promise.race(ends);
      expect([first.exceeded, first.index > 0]).toEqual(["limits.memory", true]);
      delete limits.memory;
      await Promise.all([small, large, other].map((launched) => launched.stop(0)));
    },
    30_000,
  );
});
