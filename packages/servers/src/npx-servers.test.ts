/** Servers that a real `npx` downloads from a registry on this machine, in a real sandbox. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { serverSettings } from "../../../testing/gateway/servers.js";
import { PACKAGE, serveOnePackage } from "../../../testing/registry/one-package.js";
import { probeDriver } from "./isolation/drivers.js";
import { launch } from "./isolation/launch.js";
import { ServerPool } from "./pool.js";

const bubblewrap = await probeDriver("bubblewrap");
const ISOLATION = {
  driver: "auto",
  network: true,
  read: [],
  write: [],
  memory: 1e9,
  processes: 256,
  tmp: 256e6,
} as const;

let registry: Awaited<ReturnType<typeof serveOnePackage>>;
let pool: ServerPool;
beforeAll(async () => {
  registry = await serveOnePackage();
});
afterEach(() => pool.close(0));
afterAll(() => registry.close());

function serverOf(env: Record<string, string>, args = ["-y", PACKAGE], isolation = {}) {
  pool = new ServerPool({ launch });
  const transport = {
    type: "stdio",
    command: "npx",
    args,
    env,
    folder: "/tmp",
    isolation: { ...ISOLATION, ...isolation },
  } as const;
  pool.update(new Map([["tiny", serverSettings("tiny", transport)]]));
  return pool.get("me", "tiny");
}

describe.skipIf(!bubblewrap.works)("a server that npx downloads into a sandbox", () => {
  it("works with network access, and with nothing else set but the registry", async () => {
    const server = serverOf({ npm_config_registry: registry.url });
    await server.start();
    expect(server.status).toMatchObject({ state: "ready", driver: "bubblewrap", info: { name: "tiny" } });
  });

  it.each([
    [
      "the registry cannot be reached",
      () => serverOf({ npm_config_registry: "http://127.0.0.1:9/" }),
      /npm cannot reach http:\/\/127\.0\.0\.1:9 \(ECONNREFUSED\)\. Set "isolation": \{ "network": true \}.*npm_config_registry/,
    ],
    [
      "there is no network, but a cache",
      () =>
        serverOf({ npm_config_registry: registry.url, npm_config_cache: "/tmp/cache" }, undefined, {
          network: false,
        }),
      /npm cannot reach http:\/\/127\.0\.0\.1:\d+ .*"network": true/,
    ],
    [
      "the package is not in the cache",
      () => serverOf({ npm_config_registry: registry.url }, ["-y", "--offline", PACKAGE]),
      /not in npm's cache.*Remove "--offline"/,
    ],
    [
      "the registry does not have it",
      () => serverOf({ npm_config_registry: registry.url }, ["-y", "no-such-package"]),
      /does not have its package.*Correct the name in "args"/,
    ],
    [
      "the cache may not be written",
      () => serverOf({ npm_config_registry: registry.url, npm_config_cache: "/usr/npm-cache" }),
      /npm cannot write to \/usr\/npm-cache.*"isolation\.write"/,
    ],
  ])(
    "says within seconds what to set if %s",
    async (_, make, message) => {
      const server = make();
      const began = performance.now();
      await expect(server.start()).rejects.toThrow(message);
      expect(server.status.problem).toMatchObject({ code: "server-failed", fault: "download-failed" });
      // The start would time out after 60 s. npm's own retries take longer than that.
      expect(performance.now() - began).toBeLessThan(45_000);
    },
    60_000,
  );
});
