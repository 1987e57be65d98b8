/** Real servers of both protocol generations, over stdio and HTTP. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type CallToolResult, JsonText, UI_EXTENSION } from "@vitrine/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeServer, serverSettings } from "../../../testing/gateway/servers.ts";
import type { Launch } from "./isolation/isolation.js";
import { launch } from "./isolation/launch.js";
import { ServerPool } from "./pool.js";
import type { Server } from "./server.js";
import type { RemoteSettings, ServerSettings } from "./settings.js";

const SDK = fileURLToPath(new URL("../../../testing/gateway/sdk-server.mjs", import.meta.url));
const official = (name: string): string =>
  fileURLToPath(
    new URL(`../../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url),
  );

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

let launches = 0;
const counting: Launch = (spec) => {
  launches++;
  return launch(spec);
};

function poolOf(transport: ServerSettings["transport"]) {
  launches = 0;
  const pool = new ServerPool({ launch: counting });
  cleanups.push(() => pool.close(0));
  pool.update(new Map([["sdk", serverSettings("sdk", transport)]]));
  return pool;
}

async function overHttp(generation: string): Promise<RemoteSettings> {
  const child: ChildProcess = spawn(process.execPath, [SDK, generation, "http"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanups.push(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  const [port] = child.stdout ? await once(child.stdout, "data") : [];
  const url = `http://127.0.0.1:${String(port).trim()}/mcp`;
  return { type: "http", url, headers: {}, oauth: false, privateNetwork: true };
}

async function call(server: Server, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const result = await server.upstream.request("tools/call", { name, arguments: args });
  const { content } = (result instanceof JsonText ? result.parse() : result) as CallToolResult;
  const [block] = content;
  return block?.type === "text" ? block.text : "";
}

const CASES: [string, string, "stdio" | "http", string][] = [
  ["a server of both generations over stdio", "both", "stdio", "2026-07-28"],
  ["a server of the second generation alone over stdio", "modern", "stdio", "2026-07-28"],
  ["a server of the first generation alone over stdio", "legacy", "stdio", "2025-11-25"],
  ["a server of both generations over HTTP", "both", "http", "2026-07-28"],
  ["a server of the second generation alone over HTTP", "modern", "http", "2026-07-28"],
];

describe.each(CASES)("%s", (_, generation, where, version) => {
  let pool: ServerPool;
  let server: Server;
  beforeAll(async () => {
    pool = poolOf(where === "stdio" ? nodeServer(SDK, [generation]) : await overHttp(generation));
    server = pool.get("me", "sdk");
  });

  it("calls, lists and reads; receives large answers and progress", async () => {
    expect(await call(server, "echo", { text: "hello" })).toBe("hello");
    expect(server.status).toMatchObject({ state: "ready", protocolVersion: version, info: { name: "sdk" } });
    const large = "l".repeat(300_000);
    expect(await call(server, "echo", { text: large })).toBe(large);
    const { tools, views } = await server.catalogue();
    expect(tools.map(({ name }) => name)).toEqual(["echo", "capabilities", "more", "steps"]);
    expect(views).toMatchObject([{ document: { ok: true, html: "<!doctype html><p>page" } }]);
    const heard: number[] = [];
    const steps = { name: "steps", arguments: {} };
    await server.upstream.request("tools/call", steps, {
      onprogress: ({ progress }) => heard.push(progress),
    });
    expect(heard).toEqual([1, 2, 3]);
    await expect(call(server, "nobody")).rejects.toMatchObject({ code: expect.any(Number) });
  });

  it("C01: declares UI support to the server", async () => {
    const said: unknown = JSON.parse(await call(server, "capabilities"));
    expect(said).toMatchObject({
      extensions: { [UI_EXTENSION]: { mimeTypes: ["text/html;profile=mcp-app"] } },
    });
  });

  if (where === "http") return;

  it("detects changed tools", async () => {
    const changes: unknown[] = [];
    server.onChange((some) => changes.push(...some));
    await server.catalogue();
    await call(server, "more");
    await expect.poll(() => changes).toMatchObject([{ kind: "tool", name: "added", before: undefined }]);
  });

  it("starts a single process, also the second time", async () => {
    expect(launches).toBe(1);
    await pool.get("another", "sdk").start();
    expect(launches).toBe(2);
    expect(pool.get("another", "sdk").status.protocolVersion).toBe(version);
  });
});

describe("official servers", () => {
  it.each(["basic-vanillajs", "system-monitor"])("%s starts, and its UI is preloaded", async (name) => {
    const pool = poolOf(nodeServer(official(name), ["--stdio"]));
    const { views } = await pool.get("me", "sdk").catalogue();
    expect(views.length).toBeGreaterThan(0);
    for (const { document, hash } of views) {
      expect(document).toMatchObject({ ok: true, html: expect.stringMatching(/<html/i) });
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
    }
  });
});
