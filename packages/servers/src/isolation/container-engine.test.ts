import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
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
import { findEngine, launchContainer } from "./container.js";
import { probeDriver } from "./drivers.js";
import type { Isolation, LaunchSpec } from "./isolation.js";
import { launch } from "./launch.js";

const engine = await findEngine().catch((error: Error) => error.message);
const image: Image | string = typeof engine === "string" ? engine : makeImage(engine.path);
const path = typeof engine === "string" ? "" : engine.path;
const title = `a real container${typeof image === "string" ? ` (skipped: ${image})` : ""}`;

/** Runs an action in a container, where even the server's own script must be granted. */
function contained(isolation: Partial<Isolation>, action: string, ...args: unknown[]): LaunchSpec {
  const spec = misbehaving({}, action, ...args);
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

  it("enforces every limit, and removes its container", async () => {
    const secret = join(folder, "secret");
    writeFileSync(secret, "secret");
    const cases = [
      { spec: contained({}, "read", secret), says: { error: "ENOENT" } },
      { spec: contained({ read: [folder] }, "read", secret), says: { done: "secret" } },
      { spec: contained({ read: [folder] }, "write", join(folder, "file")), says: { error: "EROFS" } },
      { spec: contained({ write: [folder] }, "write", join(folder, "file")), says: { done: true } },
      // The machine's own file, which a gateway of root could read.
      { spec: contained({}, "read", "/etc/shadow"), says: { error: "ENOENT" } },
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

  it("has no network unless it is granted", async () => {
    const server = createServer((socket) => socket.end()).listen(0);
    try {
      await once(server, "listening");
      const port = Object(server.address()).port;
      const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
      const address =
        own.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.0.0.1";
      const says = async (spec: LaunchSpec) => {
        const launched = await launch(spec);
        const line = await firstLine(launched);
        await launched.stop(50);
        return line;
      };
      const [inside, outside, none, granted] = await Promise.all([
        says(contained({}, "connect", port, address)),
        says(misbehaving({ driver: "process" }, "connect", port, address)),
        says(contained({}, "interfaces")),
        says(contained({ network: true }, "interfaces")),
      ]);
      expect(inside).toEqual({ error: expect.stringMatching(/ENETUNREACH|ECONNREFUSED/) });
      expect(outside).toEqual({ done: true });
      expect(none).toEqual({ names: ["lo"] });
      expect(granted).toEqual({ names: expect.arrayContaining(["eth0"]) });
    } finally {
      server.close();
    }
  });

  it("ends processes that the server left in another session, even without an environment", async () => {
    const token = newToken();
    const launched = await launch(contained({}, "daemonise", token, "wiped"));
    await firstLine(launched);
    await expect.poll(() => processesWith(`300.${token}`)).not.toEqual([]);
    await launched.stop(50);
    expect(processesWith(`300.${token}`)).toEqual([]);
    expect(containers()).toBe("");
  });

  it("ends a server that exceeds its limit of processor time", async () => {
    // A limit on the command line overrides those that `makeImage` put into the engine's settings.
    const wrapper = join(folder, "podman");
    const others = "--ulimit=nofile=1024:1024 --ulimit=nproc=1000:1000";
    const script = `[ "$1" = run ] && shift && exec ${path} run ${others} "$@"\nexec ${path} "$@"\n`;
    writeFileSync(wrapper, `#!/bin/sh\n${script}`, { mode: 0o755 });
    const spec = contained({ cpuSeconds: 1 }, "spin");
    const launched = await launchContainer(spec, { name: "podman", path: wrapper });
    // 128 + SIGKILL, as the engine reports it.
    await expect(launched.exited).resolves.toEqual({ code: 137, signal: null });
    await launched.stop();
  });

  it("tests an image without requiring any particular program in it", async () => {
    const name = typeof image === "string" ? undefined : image.name;
    await expect(probeDriver("container", { image: name })).resolves.toEqual({ works: true, detail: path });
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
