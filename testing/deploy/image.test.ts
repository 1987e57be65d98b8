/** The image: its instructions keep what the guide promises, and its health check tells a live gateway from a dead one. */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLog, readSettings, startGateway } from "@vitrine/gateway";
import { afterAll, describe, expect, it } from "vitest";
import { freePort } from "../free-port.ts";

const FOLDER = fileURLToPath(new URL("../../deploy/image/", import.meta.url));
const HEALTH = join(FOLDER, "health.mjs");
const dockerfile = readFileSync(join(FOLDER, "Dockerfile"), "utf8");
const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** The instructions, each on one line, without comments. */
const instructions = dockerfile
  .replace(/^\s*#.*\n/gm, "")
  .replace(/\\\n\s*/g, " ")
  .split("\n")
  .filter(Boolean);
const lastStage = instructions.slice(instructions.findLastIndex((line) => line.startsWith("FROM ")));
const only = (name: string): string => {
  const found = lastStage.filter((line) => line.startsWith(`${name} `));
  expect(found, name).toHaveLength(1);
  return `${found[0]}`.slice(name.length + 1);
};

describe("the Dockerfile", () => {
  it("builds in two stages, from one pinned image", () => {
    const node = "$" + "{NODE_IMAGE}";
    expect(instructions.filter((line) => line.startsWith("FROM "))).toEqual([
      `FROM ${node} AS install`,
      `FROM ${node}`,
    ]);
    expect(instructions[0]).toMatch(/^ARG NODE_IMAGE=node:\d+[\w.-]*-slim$/);
    expect(dockerfile).not.toMatch(/:latest/);
  });

  it("runs as a user by number that is not root, and owns nothing but /data", () => {
    expect(only("USER")).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
    expect(lastStage.filter((line) => line.includes("--chown"))).toEqual([
      `COPY --from=install --chown=${only("USER")} /data /data`,
    ]);
    expect(only("VOLUME")).toBe("/data");
  });

  it("starts no shell: the gateway gets the signals, and tini adopts orphans", () => {
    const start: string[] = JSON.parse(only("ENTRYPOINT"));
    expect(start.slice(0, 3)).toEqual(["/usr/bin/tini", "--", "node"]);
    expect(JSON.parse(only("CMD"))[0]).toBe("serve");
    expect(only("STOPSIGNAL")).toBe("SIGTERM");
    const [, check = ""] = only("HEALTHCHECK").split(" CMD ");
    expect(JSON.parse(check)).toEqual(["node", "/app/health.mjs"]);
  });

  it("installs the version of this repository, or tarballs", () => {
    expect(dockerfile).toContain(`ARG VITRINE_VERSION=${version}\n`);
    const chart = readFileSync(join(FOLDER, "../helm/vitrine/Chart.yaml"), "utf8");
    expect(chart).toContain(`appVersion: "${version}"`);
    expect(readFileSync(join(FOLDER, "../compose/compose.yaml"), "utf8")).toContain(
      `image: vitrine:${version}\n`,
    );
    expect(
      instructions.some((line) => line.includes("npm install") && line.includes("/packages/*.tgz")),
    ).toBe(true);
  });

  it("copies only files that .dockerignore lets through", () => {
    const allowed = readFileSync(join(FOLDER, ".dockerignore"), "utf8").match(/^!.*$/gm) ?? [];
    expect(readFileSync(join(FOLDER, ".dockerignore"), "utf8")).toMatch(/^\*$/m);
    for (const line of instructions.filter((each) => /^COPY (?!--from)/.test(each))) {
      const [, source = ""] = line.split(" ");
      expect(
        allowed.some((each) => each.slice(1).startsWith(source)),
        source,
      ).toBe(true);
    }
  });

  it("starts with options that the command has", () => {
    const bin = fileURLToPath(new URL("../../packages/cli/bin/vitrine.mjs", import.meta.url));
    const { stdout } = spawnSync(process.execPath, [bin, "serve", "--help"], { encoding: "utf8" });
    for (const option of JSON.parse(only("CMD")).filter((word: string) => word.startsWith("--"))) {
      expect(stdout).toContain(option);
    }
  });
});

describe("the health check", () => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-health-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function check(port: number): Promise<{ code: number; text: string }> {
    const child = spawn(process.execPath, [HEALTH], { env: { VITRINE_HEALTH_PORT: `${port}` } });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    const [code] = await once(child, "close");
    return { code, text };
  }

  it("passes while a gateway answers, whatever its origin, and fails when it has ended", async () => {
    const tokenHash = createHash("sha256").update("a token").digest("hex");
    const settings = await readSettings({
      listen: { host: "0.0.0.0", port: 0, allowRemote: true, origin: "https://gateway.example.org" },
      users: [{ name: "ana", tokenHash }],
      sandbox: { port: 0 },
      database: "sqlite::memory:",
      dataFolder: folder,
    });
    const log: string[] = [];
    const gateway = await startGateway(settings, {
      log: createLog({ stream: { write: (line) => log.push(line) } }),
    });
    const { port } = JSON.parse(`${log.find((line) => line.includes('"listening"'))}`);
    try {
      expect(await check(port)).toMatchObject({ code: 0, text: expect.stringContaining("host-forbidden") });
    } finally {
      await gateway.close(0);
    }
    expect(await check(port)).toMatchObject({ code: 1, text: expect.stringContaining("ECONNREFUSED") });
  });

  it("fails for another program, and for one that accepts connections and is frozen", async () => {
    const port = await freePort();
    const other = createServer((socket) => socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"));
    await once(other.listen(port, "127.0.0.1"), "listening");
    expect(await check(port)).toMatchObject({ code: 1, text: expect.stringContaining("404") });
    other.removeAllListeners("connection").on("connection", () => {});
    expect(await check(port)).toMatchObject({ code: 1, text: expect.stringContaining("no answer") });
    other.close();
  });
});
