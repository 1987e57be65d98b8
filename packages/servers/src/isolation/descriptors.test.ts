import { closeSync, mkdtempSync, openSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleIsolation, misbehaving, SmallGateway } from "../../../../testing/gateway/launching.js";
import { probeDriver } from "./drivers.js";

const drivers = (await probeDriver("bubblewrap")).works
  ? (["process", "bubblewrap"] as const)
  : (["process"] as const);

describe.runIf(process.platform === "linux")("open files of the gateway", () => {
  it("that it inherited do not reach its servers", async () => {
    const folder = mkdtempSync("/var/tmp/vitrine-descriptors-");
    const secret = join(folder, "secret");
    writeFileSync(secret, "secret");
    const opened = openSync(secret, "r");
    try {
      const specs = drivers.map((driver) => misbehaving({ driver }, "descriptors"));
      const gateway = new SmallGateway(await bundleIsolation(folder), specs, {}, opened);
      await gateway.next();
      const started = await gateway.next();
      expect(readlinkSync(`/proc/${gateway.child.pid}/fd/40`)).toBe(secret);
      for (const { line } of started ?? []) {
        expect(line).toEqual(expect.arrayContaining(["/dev/null"]));
        expect(line).not.toContain(secret);
      }
      expect(started).toHaveLength(drivers.length);
      await gateway.stop();
    } finally {
      closeSync(opened);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
