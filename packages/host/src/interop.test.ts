import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { App as OfficialApp } from "@modelcontextprotocol/ext-apps";
import { McpServer } from "@modelcontextprotocol/server";
import { clientUpstream } from "@vitrine/guard";
import { memoryPair, type Transport } from "@vitrine/protocol";
import { App as OurApp } from "@vitrine/view";
import { App as OfficialApp1 } from "ext-apps-1";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { ViewTools } from "./app-tools.js";
import { Bridge, type BridgeOptions } from "./bridge.js";

const INFO = { name: "host", version: "1.0.0" };
const APP = { name: "view", version: "1.0.0" };

/** Our transport in the form of the official SDK. */
function sdkTransport(transport: Transport) {
  return {
    onmessage: undefined as ((message: never) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    onerror: undefined as ((error: Error) => void) | undefined,
    async start() {
      transport.start(
        (message) => this.onmessage?.(message as never),
        () => this.onclose?.(),
      );
    },
    async send(message: unknown) {
      transport.send(message);
    },
    async close() {
      transport.close();
    },
  };
}

/** The common part of all three views. */
type AnyApp = Pick<
  OurApp,
  | "ontoolinput"
  | "ontoolinputpartial"
  | "ontoolresult"
  | "ontoolcancelled"
  | "onhostcontextchanged"
  | "onteardown"
  | "callServerTool"
  | "readServerResource"
  | "openLink"
  | "sendMessage"
  | "updateModelContext"
  | "requestDisplayMode"
  | "sendLog"
  | "sendSizeChanged"
  | "getHostCapabilities"
  | "getHostContext"
>;

const MODES = {
  availableDisplayModes: ["inline" as const, "fullscreen" as const],
  tools: { listChanged: true },
};
const OFF = { autoResize: false };
const VIEWS: [string, (transport: Transport) => [AnyApp, () => Promise<void>]][] = [
  [
    "our view",
    (transport) => {
      const app = new OurApp(APP, MODES, { ...OFF, autoTheme: false });
      app.registerTool("zoom", { annotations: { readOnlyHint: true } }, () => ({ content: [] }));
      return [app, () => app.connect(transport)];
    },
  ],
  [
    "a view of ext-apps 2",
    (transport) => {
      const app = new OfficialApp(APP, MODES, OFF);
      app.registerTool("zoom", { annotations: { readOnlyHint: true } }, () => ({ content: [] }));
      return [app as unknown as AnyApp, () => app.connect(sdkTransport(transport) as never)];
    },
  ],
  [
    "a view of ext-apps 1",
    (transport) => {
      const app = new OfficialApp1(APP, MODES, OFF);
      app.registerTool("zoom", { annotations: { readOnlyHint: true } }, (() => ({ content: [] })) as never);
      return [app as unknown as AnyApp, () => app.connect(sdkTransport(transport) as never)];
    },
  ],
];

/** A real server, behind a real client. */
async function realServer() {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  const stopped = vi.fn();
  server.registerTool(
    "forecast",
    { inputSchema: z.object({ city: z.string() }) },
    async ({ city }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined) {
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress: 1, total: 2 },
        });
      }
      return { content: [{ type: "text", text: `sunny in ${city}` }], structuredContent: { city } };
    },
  );
  server.registerTool("endless", {}, ({ mcpReq }) => {
    return new Promise(() => mcpReq.signal.addEventListener("abort", stopped));
  });
  server.registerResource("rome", "weather://rome", {}, () => ({
    contents: [{ uri: "weather://rome", text: "sunny" }],
  }));
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
  const client = new Client(INFO);
  await Promise.all([server.connect(serverEnd), client.connect(clientEnd)]);
  return { server, stopped, upstream: clientUpstream(client, { server: "weather" }) };
}

const opened: Bridge[] = [];
afterEach(() => {
  for (const bridge of opened.splice(0)) bridge.close();
});

describe.each(VIEWS)("%s, our bridge, the official client and server", (_name, make) => {
  async function run(options: Partial<BridgeOptions> = {}) {
    const { server, stopped, upstream } = await realServer();
    const [viewEnd, hostEnd] = memoryPair();
    const bridge = new Bridge({ info: INFO, upstream, guard: "behind-upstream", ...options });
    const reports: string[] = [];
    bridge.on("report", ({ code, message }) => reports.push(`${code}: ${message}`));
    bridge.open(hostEnd);
    opened.push(bridge);
    const [app, connect] = make(viewEnd);
    const ready = new Promise((resolve) => bridge.on("ready", resolve));
    const start = async () => {
      await connect();
      await ready;
    };
    return { server, stopped, bridge, app, start, reports };
  }

  it("T07, L01–L08: lives from the handshake to the teardown", async () => {
    const { bridge, app, start, reports } = await run({ context: { theme: "dark", locale: "en" } });
    const heard: string[] = [];
    app.ontoolinputpartial = ({ arguments: args }) => heard.push(`partial ${JSON.stringify(args)}`);
    app.ontoolinput = ({ arguments: args }) => heard.push(`input ${JSON.stringify(args)}`);
    app.ontoolresult = ({ structuredContent }) => heard.push(`result ${JSON.stringify(structuredContent)}`);
    app.onhostcontextchanged = (change) => heard.push(`context ${Object.keys(change)}`);
    app.onteardown = () => {
      heard.push("bye");
      return {};
    };
    await start();
    bridge.sendToolInputPartial({ city: "R" });
    bridge.sendToolInput({ city: "Rome" });
    bridge.sendToolResult({ content: [], structuredContent: { sunny: true } });
    // D11: an official view would refuse `null` here.
    bridge.setContext({ theme: "light" });
    await expect.poll(() => heard).toHaveLength(4);
    expect(app.getHostContext()).toMatchObject({ theme: "light" });
    expect(app.getHostContext()?.locale).toBeUndefined();
    expect(await bridge.teardown("done")).toBeUndefined();
    expect(heard).toEqual([
      'partial {"city":"R"}',
      'input {"city":"Rome"}',
      'result {"sunny":true}',
      "context theme,locale",
      "bye",
    ]);
    expect(reports).toEqual([]);
  });

  it("L07: receives a cancellation", async () => {
    const { bridge, app, start } = await run();
    const cancelled = new Promise((resolve) => {
      app.ontoolcancelled = resolve;
    });
    await start();
    bridge.sendToolCancelled("enough");
    expect(await cancelled).toMatchObject({ reason: "enough" });
  });

  it("I01, I02, D5: calls tools with progress, and reads resources", async () => {
    const { app, start } = await run();
    await start();
    expect(app.getHostCapabilities()).toMatchObject({ serverTools: {}, serverResources: {} });
    const onprogress = vi.fn();
    const result = await app.callServerTool(
      { name: "forecast", arguments: { city: "Rome" } },
      { onprogress },
    );
    expect(result).toMatchObject({
      content: [{ text: "sunny in Rome" }],
      structuredContent: { city: "Rome" },
    });
    expect(onprogress).toHaveBeenCalledExactlyOnceWith({ progress: 1, total: 2 });
    const read = await app.readServerResource({ uri: "weather://rome" });
    expect(read.contents).toMatchObject([{ text: "sunny" }]);
  });

  it("I12: cancels a call, all the way to the server", async () => {
    const { app, start, stopped } = await run();
    await start();
    const controller = new AbortController();
    const call = app.callServerTool({ name: "endless" }, { signal: controller.signal });
    const refused = expect(call).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve));
    controller.abort();
    await refused;
    await expect.poll(() => stopped).toHaveBeenCalledOnce();
  });

  it("I04–I09: asks for everything that a host has", async () => {
    const did: string[] = [];
    const { bridge, app, start } = await run({
      context: { displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] },
      handlers: {
        openLink: ({ url }) => void did.push(`open ${url}`),
        message: ({ content }) => void did.push(`message ${content.length}`),
        updateModelContext: ({ structuredContent }) =>
          void did.push(`context ${JSON.stringify(structuredContent)}`),
        requestDisplayMode: ({ mode }) => ({ mode }),
        log: ({ data }) => did.push(`log ${data}`),
        size: ({ height }) => did.push(`height ${height}`),
      },
    });
    await start();
    await app.openLink({ url: "https://example.com/" });
    await app.sendMessage({ role: "user", content: [{ type: "text", text: "hi" }] });
    await app.updateModelContext({ structuredContent: { a: 1 } });
    expect(await app.requestDisplayMode({ mode: "fullscreen" })).toMatchObject({ mode: "fullscreen" });
    await app.sendLog({ level: "info", data: "here" });
    await app.sendSizeChanged({ height: 10 });
    await expect.poll(() => did).toHaveLength(5);
    expect(did).toEqual([
      "open https://example.com/",
      "message 1",
      'context {"a":1}',
      "log here",
      "height 10",
    ]);
    expect(bridge.context.displayMode).toBe("fullscreen");
  });

  it("A01: offers its tools", async () => {
    const { bridge, start } = await run();
    await start();
    const tools = new ViewTools(bridge, { prefix: "view" });
    expect((await tools.list()).map(({ name }) => name)).toEqual(["view__zoom"]);
    expect(await tools.call("view__zoom")).toMatchObject({ content: [] });
  });

  it("D3: is notified that the server's tools changed", async () => {
    const { server, bridge, start } = await run();
    const changed: unknown[] = [];
    bridge.on("traffic", ({ direction, message }) => {
      const { method } = message as { method?: string };
      if (direction === "out" && method === "notifications/tools/list_changed") changed.push(message);
    });
    await start();
    server.registerTool("new", {}, () => ({ content: [] }));
    await expect.poll(() => changed).toHaveLength(1);
  });

  it("L10: answers a ping", async () => {
    const { bridge, start } = await run();
    await start();
    await expect(bridge.ping()).resolves.toBeUndefined();
  });
});
