/**
 * The companion as agents start it: over stdio and HTTP, in front of an official server, with both clients of
 * the official SDK.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { uiExtension } from "@vitrine/protocol";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { textsOf } from "../../../../testing/cli/companion-stage.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const MAIN = at("packages/cli/dist/main.js");
const CLOCK = `node ${at("node_modules/@modelcontextprotocol/server-basic-vanillajs/dist/index.js")} --stdio`;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-companion-command-")));
const page = join(folder, "page");
mkdirSync(page);
writeFileSync(join(page, "index.html"), "<!doctype html><title>Page</title>");
// Ignores the settings of the user who runs the tests.
const env = { PATH: process.env["PATH"] ?? "", HOME: folder };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let last = 0;
const words = (...more: string[]): string[] => [
  ...[MAIN, "companion", ...more, "--static", page, "--port", "0", "--no-open"],
  ...["--data", join(folder, `data-${++last}`)],
];

const start = (args: string[]) => ({
  command: process.execPath,
  args,
  env,
  cwd: folder,
  stderr: "pipe" as const,
});

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.each(["2025", "2026"] as const)("by stdio, for the client of %s", (generation) => {
  it("serves tools and, for clients that show them, views; prints the apps' address only to stderr", async () => {
    for (const hasViews of [false, true]) {
      const transport = new StdioClientTransport(start(words(CLOCK)));
      const client = new Client(
        { name: "agent", version: "1" },
        {
          capabilities: hasViews ? { extensions: uiExtension() } : {},
          versionNegotiation: generation === "2025" ? { mode: "legacy" } : { mode: { pin: "2026-07-28" } },
        },
      );
      const complaints: unknown[] = [];
      client.onerror = (error) => complaints.push(error);
      let said = "";
      transport.stderr?.on("data", (data) => {
        said += data;
      });
      await client.connect(transport);
      closing.push(() => client.close());
      const { tools } = await client.listTools();
      const name = tools.find((tool) => tool.name.endsWith("__get-time"))?.name ?? "";
      expect(name).toMatch(/^[\w-]+__get-time$/);
      const texts = textsOf(await client.callTool({ name, arguments: {} }));
      expect(texts).toHaveLength(hasViews ? 1 : 2);
      expect(JSON.stringify(tools).includes("resourceUri")).toBe(hasViews);
      expect(said).toMatch(/apps are shown at http:\/\/127\.0\.0\.1:\d+\/login\?code=\S+/);
      expect(complaints).toEqual([]);
    }
  });
});

it("by stdio, for the first client: exits with it, and ends every program that it started", async () => {
  const transport = new OldTransport(start(words(CLOCK)));
  const client = new OldClient({ name: "agent", version: "1" });
  await client.connect(transport as never);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("app_context");
  const pid = transport.pid ?? 0;
  expect(isRunning(pid)).toBe(true);
  await client.close();
  await expect.poll(() => isRunning(pid)).toBe(false);
});

it("notifies stdio clients of changes, in both generations", async () => {
  for (const generation of ["2025", "2026"] as const) {
    const shop = at("testing/gateway/shop-server.mjs");
    const file = join(folder, `shop-${generation}.json`);
    const tools = ["change", "control"].map((name) => ({ name, inputSchema: { type: "object" } }));
    const SHOP = JSON.stringify({ tools, documents: {}, calls: join(folder, "calls") });
    const server = { command: process.execPath, args: [shop], env: { SHOP } };
    writeFileSync(file, JSON.stringify({ mcpServers: { shop: server } }));
    const client = new Client(
      { name: "agent", version: "1" },
      { versionNegotiation: generation === "2025" ? { mode: "legacy" } : { mode: { pin: "2026-07-28" } } },
    );
    let told = 0;
    client.setNotificationHandler("notifications/tools/list_changed", () => void told++);
    await client.connect(new StdioClientTransport(start(words("--config", file))));
    closing.push(() => client.close());
    if (generation === "2026") await client.listen({ toolsListChanged: true });
    await client.listTools();
    await client.callTool({ name: "shop__control", arguments: { description: "Another one" } });
    await expect.poll(() => told).toBeGreaterThan(0);
    await expect
      .poll(
        async () => (await client.listTools()).tools.find(({ name }) => name === "shop__change")?.description,
      )
      .toBe("Another one");
  }
});

it("refuses to run in front of itself", async () => {
  const file = join(folder, "mcp.json");
  const [command = "", ...args] = CLOCK.split(" ");
  const own = { command: process.execPath, args: words("--config", file) };
  writeFileSync(file, JSON.stringify({ mcpServers: { clock: { command, args }, own } }));
  const client = new Client({ name: "agent", version: "1" });
  await client.connect(new StdioClientTransport(start(words("--config", file))));
  closing.push(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["app_context", "clock__get-time"]);
  const texts = textsOf(await client.callTool({ name: "app_context", arguments: {} }));
  expect(texts.at(-1)).toMatch(/- own: .*ended with code 1/);
});

describe("by HTTP", () => {
  /** Starts it; returns its output. */
  async function serve(more: Record<string, string> = {}) {
    const child: ChildProcess = spawn(process.execPath, words(CLOCK, "--http", "0", "--json"), {
      env: { ...env, ...more },
      cwd: folder,
    });
    closing.push(() => child.kill("SIGKILL"));
    let out = "";
    child.stdout?.on("data", (data) => {
      out += data;
    });
    const code = new Promise<number | null>((resolve) => child.once("close", resolve));
    await expect.poll(() => out).toMatch(/\}\s*$/);
    return { child, code, said: JSON.parse(out) as { url: string; token?: string } };
  }

  it("serves clients with the printed token, and exits on Ctrl-C", async () => {
    const { child, code, said } = await serve();
    const client = new Client({ name: "agent", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${said.token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(said.url), { requestInit }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(1);
    await client.close();
    child.kill("SIGINT");
    expect(await code).toBe(0);
  });

  it("accepts the user's own token, and does not print it", async () => {
    const token = "chosen-by-the-person-1234";
    const { said } = await serve({ VITRINE_COMPANION_TOKEN: token });
    expect(said.token).toBeUndefined();
    const post = (value: string) =>
      fetch(said.url, { method: "POST", headers: { authorization: `Bearer ${value}` } });
    expect((await post(token)).status).not.toBe(401);
    expect((await post("another-that-is-as-long-1")).status).toBe(401);
  });

  it("refuses a token that could be guessed", async () => {
    const child = spawn(process.execPath, words(CLOCK, "--http"), {
      env: { ...env, VITRINE_COMPANION_TOKEN: "1234" },
      cwd: folder,
    });
    let said = "";
    child.stderr.on("data", (data) => {
      said += data;
    });
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    expect([code, said]).toEqual([2, expect.stringContaining("24 characters or more")]);
  });
});
