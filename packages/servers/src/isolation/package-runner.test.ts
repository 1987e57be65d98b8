import { describe, expect, it } from "vitest";
import { CLOSED } from "../../../../testing/gateway/launching.js";
import { probeDriver } from "./drivers.js";
import type { LaunchSpec } from "./isolation.js";
import { launch } from "./launch.js";
import { needDownload } from "./package-runner.js";

const spec = (command: string, args: string[], more: Partial<LaunchSpec> = {}): LaunchSpec => ({
  name: "files",
  command,
  args,
  env: {},
  cwd: "/",
  isolation: CLOSED,
  ...more,
});
const bubblewrap = await probeDriver("bubblewrap");

describe("a server that is downloaded at each start", () => {
  it.skipIf(!bubblewrap.works)(
    "is rejected at once without network access, and the error says what to grant",
    async () => {
      await expect(launch(spec("npx", ["-y", "@scope/no-such-server@1.0.0"]))).rejects.toMatchObject({
        data: { code: "isolation-unavailable", needs: "network" },
        message: expect.stringMatching(
          /^The server "files" cannot start: "npx" downloads "@scope\/no-such-server@1\.0\.0" .*"network": true.*npm install --global/,
        ),
      });
    },
  );

  it.each([
    ["npm", ["exec", "no-such-server"]],
    ["pnpm", ["dlx", "no-such-server"]],
    ["/usr/local/bin/uvx", ["no-such-server"]],
    ["uv", ["tool", "run", "no-such-server"]],
    ["pipx", ["run", "no-such-server"]],
  ])("is recognized by its runner: %s %s", async (command, args) => {
    await expect(needDownload(spec(command, args))).rejects.toThrow('downloads "no-such-server"');
  });

  it.each([
    ["with network access", spec("npx", ["no-such-server"], { isolation: { ...CLOSED, network: true } })],
    ["that is offline", spec("npx", ["--offline", "no-such-server"])],
    ["with its own cache", spec("npx", ["no-such-server"], { env: { npm_config_cache: "/srv/cache" } })],
    ["that is installed", spec("npx", ["node"])],
    ["that is installed beside it", spec("npx", ["vitest"], { cwd: process.cwd() })],
    ["without a runner", spec("node", ["/opt/server.js"])],
    ["that `uv` runs from its project", spec("uv", ["run", "server.py"])],
  ])("is started: a server %s", async (_, started) => {
    await expect(needDownload(started)).resolves.toBeUndefined();
  });
});
