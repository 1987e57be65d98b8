import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { firstLine, misbehaving } from "../../../../testing/gateway/launching.js";

describe("launch", () => {
  const path = process.env["PATH"];
  let empty = "";
  beforeEach(() => {
    empty = mkdtempSync(join(tmpdir(), "vitrine-empty-"));
    // Results of probes are cached in the modules.
    vi.resetModules();
  });
  afterEach(() => {
    process.env["PATH"] = path;
    rmSync(empty, { recursive: true, force: true });
  });
  const modules = async () => ({ ...(await import("./launch.js")), ...(await import("./drivers.js")) });

  it("selects the strongest driver that works, and reports it", async () => {
    const { launch, probeDriver } = await modules();
    if (!(await probeDriver("bubblewrap")).works) return;
    const launched = await launch(misbehaving({ driver: "auto" }, "behave"));
    expect(launched.driver).toBe("bubblewrap");
    await firstLine(launched);
    await launched.stop();
  });

  it("starts no server that it cannot isolate, unless the settings say so", async () => {
    process.env["PATH"] = empty;
    const { chooseDriver, launch } = await modules();
    const refusal = (platform: string, reason: RegExp) => ({
      data: { code: "isolation-unavailable", driver: "auto", platform },
      message: expect.stringMatching(reason),
    });
    for (const image of [undefined, "example"])
      await expect(chooseDriver({ driver: "auto", image }, "linux")).rejects.toMatchObject(
        refusal("linux", /bubblewrap.*"isolation": "process".*"image"/),
      );
    await expect(chooseDriver({ driver: "auto" }, "darwin")).rejects.toMatchObject(
      refusal("darwin", /exists on Linux only, and this is macOS\..*"isolation": "process".*"image"/),
    );
    await expect(launch(misbehaving({ driver: "auto" }, "behave"))).rejects.toMatchObject({
      data: { code: "isolation-unavailable" },
    });
    await expect(chooseDriver({ driver: "process" })).resolves.toBe("process");
  });

  it("selects no weaker driver for an image if the engine fails", async () => {
    process.env["PATH"] = empty;
    const { chooseDriver } = await modules();
    const engine = (script: string) =>
      writeFileSync(join(empty, "podman"), `#!/bin/sh\n${script}`, { mode: 0o755 });
    const choose = () => chooseDriver({ driver: "auto", image: "example" });
    const refused = (reason: string) => ({
      data: { code: "isolation-unavailable", driver: "container" },
      message: expect.stringContaining(reason),
    });
    engine("echo 'no daemon' >&2; exit 1");
    await expect(choose()).rejects.toMatchObject(refused("no daemon"));
    // It responds, but cannot run anything.
    engine("case $1 in run) echo 'no namespaces' >&2; exit 126;; esac");
    await expect(choose()).rejects.toMatchObject(refused("no namespaces"));
    // Once it works, it is selected, and not tested again for every start.
    const log = join(empty, "log");
    engine(`echo "$1" >> ${log}`);
    await expect(choose()).resolves.toBe("container");
    await expect(choose()).resolves.toBe("container");
    expect(readFileSync(log, "utf8")).toBe("run\n");
  });

  it("never selects another driver than the requested one", async () => {
    process.env["PATH"] = empty;
    const { launch, probeDrivers } = await modules();
    await expect(launch(misbehaving({ driver: "bubblewrap" }, "behave"))).rejects.toMatchObject({
      data: { code: "isolation-unavailable", driver: "bubblewrap" },
      message: expect.stringMatching(/Install the package bubblewrap|Linux only/),
    });
    const container = misbehaving({ driver: "container", image: "example" }, "behave");
    await expect(launch(container)).rejects.toMatchObject({
      data: { code: "isolation-unavailable", driver: "container" },
      message: expect.stringContaining("Install podman or docker"),
    });
    await expect(probeDrivers()).resolves.toMatchObject({
      process: { works: true },
      bubblewrap: { works: false, reason: expect.stringContaining("bubblewrap") },
      container: { works: false, reason: expect.stringContaining("podman") },
    });
  });
});
