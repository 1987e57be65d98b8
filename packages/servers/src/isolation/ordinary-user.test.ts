import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bundleIsolation,
  misbehaving,
  newToken,
  processesWith,
  SmallGateway,
} from "../../../../testing/gateway/launching.js";
import { probeDriver } from "./drivers.js";

const report = await probeDriver("bubblewrap");
const isRoot = process.getuid?.() === 0;
/** An unused user id. */
const USER = 54_321;

/**
 * The tests for a gateway that runs as root are in bubblewrap.test.ts. These run as an ordinary user, whoever
 * starts them.
 */
describe.skipIf(!report.works)("bubblewrap for an ordinary user", () => {
  let folder = "";
  let bundle = "";
  beforeAll(async () => {
    folder = mkdtempSync("/var/tmp/vitrine-ordinary-");
    chmodSync(folder, 0o755);
    bundle = await bundleIsolation(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("enforces every limit, and ends all processes", async () => {
    const granted = join(folder, "granted");
    mkdirSync(granted);
    chmodSync(granted, 0o777);
    const token = newToken();
    const large = { memory: 2 ** 29, processes: 200 };
    const cases = [
      {
        spec: misbehaving({}, "status"),
        says: { NoNewPrivs: "1", CapEff: "0000000000000000", user: "server" },
      },
      { spec: misbehaving({}, "read", "/etc/hostname"), says: { error: "ENOENT" } },
      {
        spec: misbehaving({ read: ["/etc/hostname"] }, "read", "/etc/hostname"),
        says: { done: expect.anything() },
      },
      { spec: misbehaving({}, "write", join(granted, "file")), says: { error: "ENOENT" } },
      { spec: misbehaving({ write: [granted] }, "write", join(granted, "file")), says: { done: true } },
      { spec: misbehaving({}, "fill", "/tmp/file", 20), says: { error: "ENOSPC" } },
      { spec: misbehaving({}, "namespace"), says: { status: 1 } },
      { spec: misbehaving({ processes: 40 }, "fork", 100), says: { error: "EAGAIN" } },
      // Processes of other servers are not counted.
      { spec: misbehaving(large, "fork", 100), says: { started: 100 } },
      { spec: misbehaving({ memory: 150 * 2 ** 20 }, "hog", 250), says: undefined },
      { spec: misbehaving(large, "hog", 250), says: { taken: 250 } },
      { spec: misbehaving({}, "daemonise", token, "wiped"), says: { done: true } },
      { spec: misbehaving({}, "stubborn", token), says: { pid: 2 } },
    ];
    const as = isRoot ? { uid: USER, gid: USER } : {};
    const gateway = new SmallGateway(
      bundle,
      cases.map(({ spec }) => spec),
      as,
    );
    await gateway.next();
    const started = (await gateway.next()) ?? [];
    expect(started.map(({ problem }) => problem)).toEqual(cases.map(() => undefined));
    for (const [index, { says }] of cases.entries()) {
      if (says === undefined) expect(started[index]?.line).toBeUndefined();
      else expect(started[index]?.line).toMatchObject(says);
    }
    await expect.poll(() => processesWith(token)).not.toEqual([]);
    await gateway.stop();
    expect(processesWith(token)).toEqual([]);
  });

  it("leaves no process when the gateway is killed", async () => {
    const token = newToken();
    const as = isRoot ? { uid: USER, gid: USER } : {};
    const specs = [
      misbehaving({}, "stubborn", token),
      misbehaving({ driver: "process" }, "daemonise", token),
    ];
    const gateway = new SmallGateway(bundle, specs, as);
    await gateway.next();
    expect((await gateway.next())?.map(({ driver }) => driver)).toEqual(["bubblewrap", "process"]);
    await gateway.kill();
    await expect.poll(() => processesWith(token)).toEqual([]);
  });
});
