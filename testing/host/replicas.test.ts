/** Several processes with one store, and processes that live for one request: the code of docs/hosts/back-ends.md. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { UI_MIME_TYPE } from "@vitrine/protocol";
import type { SandboxedView } from "@vitrine/sandbox";
import { build } from "esbuild";
import { beforeAll, expect, it, onTestFinished } from "vitest";

const SOURCE = fileURLToPath(new URL(".", import.meta.url));
const PROGRAMS = fileURLToPath(new URL("../../examples/dist/replicas/", import.meta.url));
const SECRET = Buffer.alloc(32, 1).toString("base64");

beforeAll(async () => {
  await build({
    entryPoints: [`${SOURCE}replica.ts`, `${SOURCE}one-request.ts`],
    outdir: PROGRAMS,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-replicas-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function message<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the process ended: ${code}`);
  });
  const [said] = (await Promise.race([once(child, "message"), ended])) as [T];
  ended.catch(() => {});
  return said;
}

async function startReplica(folder: string, secret = SECRET) {
  const env = { ...process.env, SANDBOX_SECRET: secret, PORT: "0" };
  const child = fork(`${PROGRAMS}replica.mjs`, [folder], { env });
  onTestFinished(() => void child.kill());
  const { port } = await message<{ port: number }>(child);
  return {
    port,
    child,
    register(html: string): Promise<SandboxedView> {
      child.send({ html });
      return message(child);
    },
    async forget({ src }: SandboxedView): Promise<void> {
      child.send({ src });
      await message(child);
    },
  };
}

/** The answer of a replica, whatever name its load balancer was asked for. */
async function get(port: number, src: string): Promise<{ status?: number; text: string }> {
  const { host, pathname } = new URL(src);
  const headers = { host, "sec-fetch-dest": "iframe" };
  const request = send({ host: "127.0.0.1", port, path: pathname, headers });
  request.end();
  const [answer] = await once(request, "response");
  return { status: answer.statusCode, text: (await answer.toArray()).join("") };
}

it("a replica serves the views that another one registered, also after that one is gone", async () => {
  const folder = newFolder();
  const [one, two] = await Promise.all([startReplica(folder), startReplica(folder)]);
  const view = await one.register("<!doctype html><p>Cart");
  const document = `${view.viewOrigin}${new URL(view.src).pathname}`;
  expect(await get(two.port, view.src)).toMatchObject({ status: 200 });
  expect(await get(two.port, document)).toMatchObject({
    status: 200,
    text: expect.stringContaining("<p>Cart"),
  });
  // The same view has the same address everywhere.
  expect(await two.register("<!doctype html><p>Cart")).toEqual(view);
  one.child.kill();
  await once(one.child, "exit");
  expect(await get(two.port, document)).toMatchObject({ status: 200 });
  const three = await startReplica(folder);
  expect(await get(three.port, document)).toMatchObject({ status: 200 });
  await three.forget(view);
  expect(await get(two.port, document)).toMatchObject({ status: 404 });
});

it("a replica with another secret or another store serves none of them", async () => {
  const folder = newFolder();
  const one = await startReplica(folder);
  const view = await one.register("<!doctype html><p>Cart");
  const stranger = await startReplica(folder, Buffer.alloc(32, 2).toString("base64"));
  expect(await get(stranger.port, view.src)).toMatchObject({ status: 404 });
  const alone = await startReplica(newFolder());
  expect(await get(alone.port, view.src)).toMatchObject({ status: 404 });
});

it("without memory between requests: each request has a process of its own", async () => {
  const uri = "ui://clock/page";
  const handler = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: "clock", version: "1.0.0" });
      const mimeType = UI_MIME_TYPE;
      server.registerResource("page", uri, { mimeType }, () => ({
        contents: [{ uri, mimeType, text: "<!doctype html><p>Noon" }],
      }));
      const _meta = { ui: { resourceUri: uri } };
      server.registerTool("time", { _meta }, () => ({ content: [{ type: "text", text: "noon" }] }));
      return server;
    }),
  );
  const listener = createServer((request, response) => void handler(request, response)).listen(
    0,
    "127.0.0.1",
  );
  onTestFinished(() => void listener.close());
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const folder = newFolder();
  const ask = async (handlerName: string, request: object): Promise<{ status: number; text: string }> => {
    const args = [handlerName, JSON.stringify(request), folder, `http://127.0.0.1:${port}/mcp`, SECRET];
    const child = fork(`${PROGRAMS}one-request.mjs`, args);
    onTestFinished(() => void child.kill());
    return message(child);
  };

  expect((await ask("apps", { url: "https://chat.example/apps" })).status).toBe(401);
  const listed = await ask("apps", { url: "https://chat.example/apps", headers: { user: "ada" } });
  const { apps } = JSON.parse(listed.text);
  expect(apps).toMatchObject([{ tool: { name: "time" } }]);
  const { src, viewOrigin } = apps[0].view as SandboxedView;
  const frame = { "sec-fetch-dest": "iframe" };
  expect((await ask("views", { url: src, headers: frame })).status).toBe(200);
  const document = await ask("views", { url: `${viewOrigin}${new URL(src).pathname}`, headers: frame });
  expect(document).toMatchObject({ status: 200, text: expect.stringContaining("<p>Noon") });

  const rpc = {
    url: "https://chat.example/rpc",
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "time" } }),
  };
  const headers = { "content-type": "application/json" };
  expect((await ask("rpc", { ...rpc, headers })).status).toBe(401);
  const called = await ask("rpc", { ...rpc, headers: { ...headers, user: "ada" } });
  expect(JSON.parse(called.text)).toMatchObject({ id: 1, result: { content: [{ text: "noon" }] } });
});
