import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bundleIsolation,
  firstLine,
  misbehaving,
  newToken,
  processesWith,
  SmallGateway,
} from "../../../../testing/gateway/launching.js";
import { bubblewrapTools } from "./bubblewrap-tools.js";
import { probeDriver } from "./drivers.js";
import { GATEWAY } from "./instance.js";
import type { LaunchSpec } from "./isolation.js";
import { launch } from "./launch.js";

/** For more cycles: `ISOLATION_CYCLES=1000 npx vitest run orphans`. */
const CYCLES = Number(process.env["ISOLATION_CYCLES"] ?? 40);
const AT_A_TIME = 4;

/** Leaves processes in its own group, in another session, and in another session without a parent. */
const littering = (driver: "process" | "bubblewrap", token: string): LaunchSpec => ({
  ...misbehaving({ driver }, "behave"),
  command: "sh",
  args: [
    "-c",
    `sleep 300.${token} & setsid sleep 300.${token} & setsid sh -c 'sleep 300.${token} & exit' & echo '{}'; cat`,
  ],
});

describe.runIf(process.platform === "linux").each(["process", "bubblewrap"] as const)(
  "orphans of %s",
  (driver) => {
    let works = true;
    let folder = "";
    let bundle = "";
    beforeAll(async () => {
      works = (await probeDriver(driver)).works;
      folder = mkdtempSync(join(tmpdir(), "vitrine-orphans-"));
      chmodSync(folder, 0o755);
      bundle = await bundleIsolation(folder);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it(`are none after ${CYCLES} servers were opened and closed`, {
      timeout: 60_000 + CYCLES * 2000,
    }, async (context) => {
      if (!works) return context.skip(`${driver} does not work here`);
      const token = newToken();
      let opened = 0;
      let isSeen = false;
      const cycle = async () => {
        while (opened++ < CYCLES) {
          const server = await launch(littering(driver, token));
          expect(await firstLine(server)).toEqual({});
          // Not each time: the faster they are stopped, the more is in progress.
          if (!isSeen)
            await expect.poll(() => processesWith(`sleep\u0000300.${token}`).length).toBeGreaterThan(2);
          isSeen = true;
          await server.stop();
        }
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, cycle));
      expect(opened).toBeGreaterThanOrEqual(CYCLES);
      expect(processesWith(token)).toEqual([]);
      // A single watchdog for all servers.
      expect(processesWith(GATEWAY)).toHaveLength(1);
    });

    it("are none when the gateway is killed, and its watchdog ends too", async (context) => {
      if (!works) return context.skip(`${driver} does not work here`);
      const token = newToken();
      const gateway = new SmallGateway(bundle, [
        littering(driver, token),
        misbehaving({ driver }, "stubborn", token),
        misbehaving({ driver }, "daemonise", token),
      ]);
      await gateway.next();
      const started = await gateway.next();
      expect(started?.map((one) => one.driver)).toEqual([driver, driver, driver]);
      const pids = started?.map(({ pid }) => pid) ?? [];
      const [, mark = ""] =
        /VITRINE_INSTANCE=(\w+)\./.exec(readFileSync(`/proc/${pids[0]}/environ`, "latin1")) ?? [];
      expect(processesWith(mark)).toHaveLength(1);
      expect(processesWith(token).length).toBeGreaterThan(5);
      const groups = await groupsOf(pids);
      await gateway.kill();
      await expect.poll(() => processesWith(token)).toEqual([]);
      await expect.poll(() => processesWith(mark)).toEqual([]);
      expect(groups.filter((path) => existsSync(path))).toEqual([]);
    });

    it("are none when the gateway is killed while it starts servers", async (context) => {
      if (!works) return context.skip(`${driver} does not work here`);
      const token = newToken();
      const ids: string[] = [];
      for (let wait = 0; wait < 48; wait += 8) {
        const gateway = new SmallGateway(bundle, [
          littering(driver, token),
          misbehaving({ driver }, "stubborn", token),
        ]);
        // It starts now.
        ids.push(String(await gateway.next()));
        await delay(wait);
        await gateway.kill();
        await expect.poll(() => processesWith(token)).toEqual([]);
      }
      // No process appears afterwards.
      await delay(300);
      expect(processesWith(token)).toEqual([]);
      const homes = (await bubblewrapTools().catch(() => undefined))?.cgroup?.folders ?? [];
      const groups = () => homes.flatMap(({ path }) => readdirSync(path));
      await expect.poll(() => groups().filter((name) => ids.some((id) => name.includes(id)))).toEqual([]);
    });
  },
);

/** The control group folders of some processes. */
async function groupsOf(pids: readonly number[]): Promise<string[]> {
  const homes = (await bubblewrapTools().catch(() => undefined))?.cgroup?.folders ?? [];
  const names = pids.flatMap(
    (pid) => readFileSync(`/proc/${pid}/cgroup`, "utf8").match(/vitrine-[\w.]+/g) ?? [],
  );
  return [...new Set(names)].flatMap((name) => homes.map(({ path }) => join(path, name)));
}
