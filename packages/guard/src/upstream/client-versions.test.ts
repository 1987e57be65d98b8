/** Both versions of the official client, each in front of both versions of the official server. */
import { fileURLToPath } from "node:url";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { McpServer as ServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Transport as TransportV1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { McpServer } from "@modelcontextprotocol/server";
import { JsonText, type Progress, UI_MIME_TYPE } from "@vitrine/protocol";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { hostEndpoint } from "../endpoint/http-endpoint.js";
import { standardGuard } from "../links/standard.js";
import { type ClientUpstreamOptions, clientUpstream } from "./client-upstream.js";
import { UiResources } from "./ui-resources.js";

const info = { name: "host", version: "1.0.0" };
const shop = { name: "shop", version: "1.0.0" };
const capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
};
const URI = "ui://shop/cart";
const LARGE = "x".repeat(8_000_000);
const CART = {
  content: [{ type: "text" as const, text: "two" }],
  structuredContent: { count: 2 },
  _meta: { secret: 1 },
};

interface Call {
  signal: AbortSignal;
  report(progress: number): Promise<void>;
}

/** The tools, for either version of the server. */
function tools(aborted: () => void) {
  return {
    cart: async (_call: Call) => CART,
    large: async (_call: Call) => ({ content: [{ type: "text" as const, text: LARGE }] }),
    fails: async (_call: Call): Promise<never> => {
      throw new Error("out of stock");
    },
    slow: async ({ signal, report }: Call) => {
      for (const step of [1, 2, 3]) await report(step);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      aborted();
      return { content: [] };
    },
  };
}

const cartPage = () => ({ contents: [{ uri: URI, mimeType: UI_MIME_TYPE, text: "<!doctype html><p>Cart" }] });
const noShelf = (): never => {
  throw Object.assign(new Error("no such shelf"), { code: -32050, data: { shelf: 4 } });
};
const _meta = { ui: { resourceUri: URI } };

/** Builds the server of a version. */
const SERVERS = {
  1: (aborted: () => void) => {
    const server = new ServerV1(shop, { capabilities });
    for (const [name, run] of Object.entries(tools(aborted)))
      server.registerTool(
        name,
        { _meta },
        ({ signal, sendNotification, _meta: { progressToken = "" } = {} }) =>
          run({
            signal,
            report: (progress) =>
              sendNotification({ method: "notifications/progress", params: { progressToken, progress } }),
          }),
      );
    server.registerResource("cart", URI, { mimeType: UI_MIME_TYPE }, cartPage);
    server.registerResource("shelf", "shop://shelf", {}, noShelf);
    return server;
  },
  2: (aborted: () => void) => {
    const server = new McpServer(shop, { capabilities });
    for (const [name, run] of Object.entries(tools(aborted)))
      server.registerTool(
        name,
        { _meta },
        ({ mcpReq: { signal, notify, _meta: { progressToken = "" } = {} } }) =>
          run({
            signal,
            report: (progress) =>
              notify({ method: "notifications/progress", params: { progressToken, progress } }),
          }),
      );
    server.registerResource("cart", URI, { mimeType: UI_MIME_TYPE }, cartPage);
    server.registerResource("shelf", "shop://shelf", {}, noShelf);
    return server;
  },
};

async function connected(
  clientVersion: 1 | 2,
  serverVersion: 1 | 2,
  options: Partial<ClientUpstreamOptions> = {},
) {
  const aborted = vi.fn();
  const server = SERVERS[serverVersion](aborted);
  const client = clientVersion === 1 ? new ClientV1(info) : new Client(info);
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair() as unknown as [
    TransportV1,
    TransportV1,
  ];
  await server.connect(serverEnd as never);
  await client.connect(clientEnd as never);
  onTestFinished(() => client.close());
  return { client, server, aborted, upstream: clientUpstream(client, { server: "shop", ...options }) };
}

describe.each([
  { client: 1, server: 1 },
  { client: 1, server: 2 },
  { client: 2, server: 1 },
  { client: 2, server: 2 },
] as const)("client of version $client in front of a server of version $server", (versions) => {
  const start = (options?: Partial<ClientUpstreamOptions>) =>
    connected(versions.client, versions.server, options);

  it("I01: returns results unchanged, large ones too, and a tool's error as a result", async () => {
    const { upstream } = await start();
    expect(upstream.capabilities).toMatchObject(capabilities);
    expect(await upstream.request("tools/call", { name: "cart", arguments: {} })).toEqual(CART);
    const large = await upstream.request("tools/call", { name: "large" });
    expect(large).toEqual({ content: [{ type: "text", text: LARGE }] });
    expect(await upstream.request("tools/call", { name: "fails" })).toMatchObject({
      isError: true,
      content: [{ text: "out of stock" }],
    });
  });

  it("finds and reads the views of tools", async () => {
    const { upstream } = await start();
    const views = await new UiResources(upstream).prefetch();
    expect(views.map(({ tool }) => tool.name)).toEqual(["cart", "large", "fails", "slow"]);
    expect(views[0]?.document).toMatchObject({ ok: true, html: "<!doctype html><p>Cart" });
  });

  it("D3: reports changes of lists to listeners, beside the client's own handlers", async () => {
    const { upstream, server, client } = await start();
    client.fallbackNotificationHandler = vi.fn(async () => {});
    const heard: string[] = [];
    const leave = upstream.listen((method) => heard.push(method));
    server.sendToolListChanged();
    server.sendResourceListChanged();
    server.sendPromptListChanged();
    await server.server.sendResourceUpdated({ uri: URI });
    await expect
      .poll(() => heard)
      .toEqual([
        "notifications/tools/list_changed",
        "notifications/resources/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/updated",
      ]);
    expect(client.fallbackNotificationHandler).toHaveBeenCalledTimes(4);
    leave();
    server.sendToolListChanged();
    await upstream.request("tools/list", {});
    expect(heard).toHaveLength(4);
  });

  it("D5, I12: passes on progress, and cancels a call", async () => {
    const { upstream, aborted } = await start();
    const controller = new AbortController();
    const steps: Progress[] = [];
    const call = upstream.request(
      "tools/call",
      { name: "slow" },
      { signal: controller.signal, onprogress: (step) => steps.push(step) },
    );
    await expect.poll(() => steps).toEqual([{ progress: 1 }, { progress: 2 }, { progress: 3 }]);
    expect(aborted).not.toHaveBeenCalled();
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(() => aborted).toHaveBeenCalledOnce();
    expect(await upstream.request("tools/call", { name: "cart" })).toEqual(CART);
  });

  it("keeps the number, message and data of a server's error", async () => {
    const { upstream } = await start();
    await expect(upstream.request("resources/read", { uri: "shop://shelf" })).rejects.toMatchObject({
      code: -32050,
      message: "no such shelf",
      data: { shelf: 4 },
    });
  });

  it("has errors of its own for a late answer and a lost connection", async () => {
    const { upstream, server, client } = await start({ timeout: 200 });
    await expect(upstream.request("tools/call", { name: "slow" })).rejects.toMatchObject({
      code: "timeout",
      data: { indeterminate: true },
    });
    const waiting = upstream.request("tools/call", { name: "slow" });
    const lost = expect(waiting).rejects.toMatchObject({ code: "closed" });
    await server.close();
    await lost;
    await client.close();
    await expect(upstream.request("tools/list", {})).rejects.toMatchObject({ code: "closed" });
  });

  it("serves views through the endpoint and the guard", async () => {
    const { upstream } = await start();
    const guard = standardGuard(upstream, { policy: () => "allow" });
    const handle = hostEndpoint({ info, upstream, guard });
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "cart", arguments: {} } };
    const headers = { "content-type": "application/json" };
    const request = new Request("http://host.test/rpc", {
      method: "POST",
      headers,
      body: JSON.stringify(call),
    });
    expect(await (await handle(request)).json()).toEqual({ jsonrpc: "2.0", id: 1, result: CART });
  });
});

it.each([1, 2] as const)("a result that is none is `invalid`: client %s.x", async (version) => {
  const { upstream, client } = await connected(version, 2);
  const { transport } = client;
  if (!transport) throw new Error("not connected");
  const send = transport.send.bind(transport);
  // The server's answer is changed on its way.
  transport.send = async (message: never) => {
    const { id } = message as { id?: number };
    if (id === undefined) return send(message);
    (transport.onmessage as (answer: unknown) => void)({ jsonrpc: "2.0", id, result: { content: "none" } });
  };
  const call = upstream.request("tools/call", { name: "cart" });
  await expect(call).rejects.toMatchObject({ code: "invalid", data: { indeterminate: true } });
});

it("client 1.x works over stdio", async () => {
  const server = fileURLToPath(new URL("../../../../testing/gateway/sdk-server.mjs", import.meta.url));
  const client = new ClientV1(info);
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, "legacy"] }));
  onTestFinished(() => client.close());
  const upstream = clientUpstream(client, { server: "sdk" });
  const heard = vi.fn();
  upstream.listen(heard);
  await upstream.request("tools/call", { name: "more", arguments: {} });
  await expect.poll(() => heard).toHaveBeenCalledWith("notifications/tools/list_changed", {});
  const list = await upstream.request("tools/list", {});
  if (list instanceof JsonText) throw new Error("the list is text");
  expect(list.tools.map(({ name }) => name)).toContain("added");
});
