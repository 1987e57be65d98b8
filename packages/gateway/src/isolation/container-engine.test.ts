import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Image, makeImage } from "../../../../testing/gateway/container-image.js";
import {
  bundleIsolation,
  firstLine,
  misbehaving,
  newToken,
  processesWith,
  SmallGateway,
} from "../../../../testing/gateway/launching.js";
import { findEngine } from "./container.js";
import type { Isolation, LaunchSpec } from "./isolation.js";
import { launch } from "./launch.js";

const engine = await findEngine().catch((error: Error) => error.message);
const image: Image | string = typeof engine === "string" ? engine : makeImage(engine.path);
const path = typeof engine === "string" ? "" : engine.path;
const title = `a real container${typeof image === "string" ? ` (skipped: ${image})` : ""}`;

/** In a container nothing is readable unless it is granted, the server's own script included. */
function contained(isolation: Partial<Isolation>, deed: string, ...args: unknown[]): LaunchSpec {
  const spec = misbehaving({}, deed, ...args);
  const script = dirname(spec.args[0] ?? "");
  const name = typeof image === "string" ? undefined : image.name;
  const read = [script, ...(isolation.read ?? [])];
  return { ...spec, isolation: { ...spec.isolation, ...isolation, driver: "container", image: name, read } };
}

describe.skipIf(typeof image === "string")(title, () => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-container-"));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
    if (typeof image !== "string") image.remove();
  });
  const containers = () => {
    const ours = `ancestor=${typeof image === "string" ? "" : image.name}`;
    return spawnSync(path, ["ps", "--all", "--quiet", "--filter", ours], { encoding: "utf8" }).stdout.trim();
  };

  it("keeps every limit, and leaves no container", async () => {
    const secret = join(folder, "secret");
    writeFileSync(secret, "secret");
    const cases = [
      { spec: contained({}, "read", secret), says: { error: "ENOENT" } },
      { spec: contained({ read: [folder] }, "read", secret), says: { done: "secret" } },
      { spec: contained({ read: [folder] }, "write", join(folder, "file")), says: { error: "EROFS" } },
      { spec: contained({ write: [folder] }, "write", join(folder, "file")), says: { done: true } },
      { spec: contained({}, "write", "/file"), says: { error: "EROFS" } },
      { spec: contained({}, "fill", "/tmp/file", 20), says: { error: "ENOSPC", written: 4 } },
      { spec: contained({ processes: 40 }, "fork", 100), says: { error: "EAGAIN" } },
      { spec: contained({ processes: 400 }, "fork", 100), says: { started: 100 } },
      { spec: contained({ memory: 100 * 2 ** 20 }, "hog", 250), says: undefined },
      { spec: contained({ memory: 2 ** 29 }, "hog", 250), says: { taken: 250 } },
      { spec: contained({}, "status"), says: { CapEff: "0000000000000000", NoNewPrivs: "1" } },
      { spec: contained({}, "stubborn"), says: { pid: 1 } },
    ];
    const check = async ({ spec, says }: (typeof cases)[number]) => {
      const launched = await launch(spec);
      expect(launched.driver).toBe("container");
      const line = await firstLine(launched);
      if (says === undefined) expect(line).toBeUndefined();
      else expect(line).toMatchObject(says);
      await launched.stop(50);
    };
    await Promise.all(cases.map(check));
    expect(readFileSync(join(folder, "file"), "utf8")).toBe("written");
    expect(containers()).toBe("");
  });

  it("is removed when the gateway is killed", async () => {
    const token = newToken();
    const gateway = new SmallGateway(await bundleIsolation(folder), [contained({}, "stubborn", token)]);
    await gateway.next();
    expect((await gateway.next())?.map(({ driver }) => driver)).toEqual(["container"]);
    expect(containers()).not.toBe("");
    await gateway.kill();
    await expect.poll(() => processesWith(token)).toEqual([]);
    await expect.poll(containers).toBe("");
  });
});
