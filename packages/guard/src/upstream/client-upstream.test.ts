import {
  Client,
  type ClientOptions,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { JsonText, type Progress } from "@vitrine/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import * as examples from "../service.examples.js";
import { clientUpstream } from "./client-upstream.js";
import type { UpstreamNotification } from "./upstream.js";

const URI = "weather://rome";

/** A real server behind a real client, connected in memory. */
async function connected(options?: ClientOptions) {
  const server = new McpServer(
    { name: "weather", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
      },
    },
  );
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const aborted = vi.fn();
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: "text", text }],
    structuredContent: { text },
    _meta: { secret: 1 },
  }));
  server.registerTool("slow", {}, async (context) => {
    context.mcpReq.signal.addEventListener("abort", aborted);
    const token = context.mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= 3; progress++) {
      await new Promise((resolve) => setTimeout(resolve, 40_000));
      if (token === undefined) continue;
      await context.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken: token, progress, total: 3 },
      });
    }
    await held;
    return { content: [] };
  });
  server.registerResource("rome", URI, { mimeType: "text/plain" }, () => ({
    contents: [{ uri: URI, text: "sunny" }],
  }));
  server.registerPrompt("ask", { argsSchema: z.object({ city: z.string() }) }, ({ city }) => ({
    messages: [{ role: "user", content: { type: "text", text: `How is ${city}?` } }],
  }));
  const subscribed = vi.fn();
  server.server.setRequestHandler("resources/subscribe", ({ params }) => {
    subscribed(params.uri);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    subscribed(`not ${params.uri}`);
    return {};
  });
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "host", version: "1.0.0" }, options);
  await server.connect(serverEnd);
  await client.connect(clientEnd);
  return {
    server,
    client,
    clientEnd,
    release,
    aborted,
    subscribed,
    upstream: clientUpstream(client, { server: "weather" }),
  };
}

describe("a server behind the official client", () => {
  it("I13: reports the server's capabilities", async () => {
    const { upstream } = await connected();
    expect(upstream.server).toBe("weather");
    expect(upstream.capabilities.tools?.listChanged).toBe(true);
    expect(upstream.capabilities.resources?.subscribe).toBe(true);
    const unconnected = clientUpstream(new Client({ name: "host", version: "1.0.0" }), { server: "none" });
    expect(unconnected.capabilities).toEqual({});
  });

  it("I01: a tool's result is returned unchanged, with its private parts", async () => {
    const { upstream } = await connected();
    const result = await upstream.request("tools/call", { name: "echo", arguments: { text: "hi" } });
    expect(result).toEqual({
      content: [{ type: "text", text: "hi" }],
      structuredContent: { text: "hi" },
      _meta: { secret: 1 },
    });
  });

  it("I02, D16: every method of the table reaches the server", async () => {
    const { upstream, subscribed } = await connected();
    const ask = async (...args: Parameters<typeof upstream.request>) => {
      const result = await upstream.request(...args);
      return result instanceof JsonText ? result.parse() : result;
    };
    expect(await ask("tools/list", {})).toMatchObject({ tools: [{ name: "echo" }, { name: "slow" }] });
    expect(await ask("resources/list", {})).toMatchObject({ resources: [{ uri: URI }] });
    expect(await ask("resources/read", { uri: URI })).toMatchObject({ contents: [{ text: "sunny" }] });
    expect(await ask("resources/templates/list", {})).toMatchObject({ resourceTemplates: [] });
    expect(await ask("prompts/list", {})).toMatchObject({ prompts: [{ name: "ask" }] });
    expect(await ask("prompts/get", { name: "ask", arguments: { city: "Rome" } })).toMatchObject({
      messages: [{ content: { text: "How is Rome?" } }],
    });
    await ask("resources/subscribe", { uri: URI });
    await ask("resources/unsubscribe", { uri: URI });
    expect(subscribed.mock.calls.flat()).toEqual([URI, `not ${URI}`]);
  });

  it("L12: a method that does not belong to an upstream is never sent", async () => {
    const { upstream } = await connected();
    const foreign = "completion/complete" as "tools/list";
    await expect(upstream.request(foreign, {})).rejects.toMatchObject({ code: -32601 });
    await expect(upstream.request("constructor" as "tools/list", {})).rejects.toMatchObject({ code: -32601 });
  });

  it("a server's error keeps its code, message and data", async () => {
    const { upstream, server } = await connected();
    server.server.setRequestHandler("prompts/get", () => {
      throw Object.assign(new Error("no such city"), { code: -32001, data: { city: "Atlantis" } });
    });
    await expect(upstream.request("prompts/get", { name: "ask" })).rejects.toMatchObject({
      code: -32001,
      message: "no such city",
      data: { city: "Atlantis" },
    });
  });

  it("a result that does not fit the tool's output schema is an error of ours: the tool may have run", async () => {
    const { upstream, server } = await connected();
    server.server.setRequestHandler("tools/list", () => ({
      tools: [{ name: "add", inputSchema: { type: "object" }, outputSchema: { type: "object" } }],
    }));
    server.server.setRequestHandler("tools/call", () => ({ content: [] }));
    await upstream.request("tools/list", {});
    await expect(upstream.request("tools/call", { name: "add" })).rejects.toMatchObject({
      code: "invalid",
      data: { indeterminate: true },
    });
  });

  it("a lost connection is our own error, with a readable message", async () => {
    const { upstream, client } = await connected();
    await client.close();
    await expect(upstream.request("tools/list", {})).rejects.toMatchObject({
      code: "closed",
      message: "the server is not connected",
    });
  });
});

describe("long calls", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("D5, D7: progress arrives, and keeps a call alive that takes longer than its limit", async () => {
    const { upstream, release } = await connected();
    const progress: Progress[] = [];
    const call = upstream.request(
      "tools/call",
      { name: "slow" },
      { onprogress: (step) => progress.push(step) },
    );
    release();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(await call).toMatchObject({ content: [] });
    expect(progress).toEqual([1, 2, 3].map((step) => ({ progress: step, total: 3 })));
  });

  it("D7: it does so for a view that did not ask for progress", async () => {
    const { upstream, release } = await connected();
    const call = upstream.request("tools/call", { name: "slow" });
    release();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(await call).toMatchObject({ content: [] });
  });

  it("a server that no longer sends anything is given up", async () => {
    const { upstream } = await connected();
    const call = expect(upstream.request("tools/call", { name: "slow" })).rejects.toMatchObject({
      code: "timeout",
    });
    await vi.advanceTimersByTimeAsync(120_000 + 60_000);
    await call;
  });

  it("I12: an abort reaches the server", async () => {
    const { upstream, aborted } = await connected();
    const controller = new AbortController();
    const call = upstream.request("tools/call", { name: "slow" }, { signal: controller.signal });
    const refused = expect(call).rejects.toMatchObject({ code: "aborted" });
    await vi.advanceTimersByTimeAsync(1);
    controller.abort();
    await vi.advanceTimersByTimeAsync(1);
    await refused;
    expect(aborted).toHaveBeenCalledOnce();
  });
});

describe("notifications of the server", () => {
  it("D3, D4: reaches every listener, of any number of upstreams on one client; removing one listener keeps the others", async () => {
    const { server, client, upstream } = await connected();
    const other = clientUpstream(client, { server: "weather" });
    const heard = [vi.fn(), vi.fn(), vi.fn()] as const;
    const leave = [upstream.listen(heard[0]), upstream.listen(heard[1]), other.listen(heard[2])];
    server.sendToolListChanged();
    await expect.poll(() => heard[2]).toHaveBeenCalledOnce();
    for (const listener of heard) {
      expect(listener).toHaveBeenCalledExactlyOnceWith("notifications/tools/list_changed", {});
    }
    leave[0]?.();
    leave[0]?.();
    server.sendPromptListChanged();
    await expect.poll(() => heard[2]).toHaveBeenCalledTimes(2);
    expect(heard[0]).toHaveBeenCalledOnce();
    expect(heard[1]).toHaveBeenLastCalledWith("notifications/prompts/list_changed", {});
  });

  it("a function may be added as a listener twice, and each is removed separately", async () => {
    const { server, upstream } = await connected();
    const heard = vi.fn();
    const leave = upstream.listen(heard);
    upstream.listen(heard);
    leave();
    server.sendResourceListChanged();
    await expect.poll(() => heard).toHaveBeenCalledOnce();
  });

  it("resources/updated names its resource", async () => {
    const { server, upstream } = await connected();
    const heard = vi.fn();
    upstream.listen(heard);
    await server.server.sendResourceUpdated({ uri: URI });
    await expect.poll(() => heard).toHaveBeenCalledWith("notifications/resources/updated", { uri: URI });
  });

  it("D2: the app's own handlers, set before or after, keep working", async () => {
    const onChanged = vi.fn();
    const { server, client, upstream } = await connected({
      listChanged: { tools: { onChanged, autoRefresh: false, debounceMs: 0 } },
    });
    const before = vi.fn();
    const after = vi.fn();
    client.setNotificationHandler("notifications/resources/list_changed", before);
    const methods: UpstreamNotification[] = [];
    upstream.listen((method) => methods.push(method));
    client.setNotificationHandler("notifications/prompts/list_changed", after);
    server.sendToolListChanged();
    server.sendResourceListChanged();
    server.sendPromptListChanged();
    await expect.poll(() => methods).toHaveLength(3);
    await expect.poll(() => [onChanged, before, after].map((fn) => fn.mock.calls.length)).toEqual([1, 1, 1]);
  });

  it("D19: a listener that throws stops neither the others nor the client, which gets the error", async () => {
    const { server, client, upstream } = await connected();
    client.onerror = vi.fn();
    upstream.listen(() => {
      throw new Error("mine");
    });
    const heard = vi.fn();
    upstream.listen(heard);
    server.sendToolListChanged();
    await expect.poll(() => heard).toHaveBeenCalledOnce();
    expect(client.onerror).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: "mine" }));
    expect(await upstream.request("tools/list", {})).toBeDefined();
  });

  it("a reconnected client is listened to again", async () => {
    const first = await connected();
    const second = await connected();
    const heard = vi.fn();
    first.upstream.listen(heard);
    await first.client.close();
    const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
    await second.server.close();
    await second.server.connect(serverEnd);
    await first.client.connect(clientEnd);
    await first.upstream.request("tools/list", {});
    second.server.sendToolListChanged();
    await expect.poll(() => heard).toHaveBeenCalledOnce();
  });

  it("is created as its example shows", async () => {
    const server = new McpServer({ name: "empty", version: "1.0.0" });
    const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
    await server.connect(serverEnd);
    expect((await examples.fromClient(clientEnd)).server).toBe("weather");
  });
});

describe("a server that speaks only when asked to (revision 2026-07-28)", () => {
  async function modern(pass = (response: Response, _init?: RequestInit) => response) {
    const handler = createMcpHandler(() => {
      const server = new McpServer(
        { name: "weather", version: "1.0.0" },
        { capabilities: { tools: { listChanged: true }, resources: { subscribe: true } } },
      );
      server.registerTool("echo", {}, () => ({ content: [{ type: "text", text: "hi" }] }));
      return server;
    });
    const client = new Client(
      { name: "host", version: "1.0.0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const fetch = async (url: URL | string, init?: RequestInit) =>
      pass(await handler.fetch(new Request(url, init)), init);
    await client.connect(new StreamableHTTPClientTransport(new URL("http://server.test/mcp"), { fetch }));
    return { handler, client, upstream: clientUpstream(client, { server: "weather" }) };
  }

  /** A server whose open streams can be cut, like a broken network. */
  async function cuttable() {
    const streams = new Set<AbortController>();
    const { handler, client, upstream } = await modern((response, init) => {
      if (!`${init?.body}`.includes("subscriptions/listen") || !response.body) return response;
      const cut = new AbortController();
      streams.add(cut);
      const body = new TransformStream();
      response.body.pipeTo(body.writable, { signal: cut.signal }).catch(() => {});
      return new Response(body.readable, response);
    });
    return { handler, client, upstream, streams };
  }

  it("D3, D16: a cut stream is reopened, and possibly missed changes are reported", async () => {
    const { handler, client, upstream, streams } = await cuttable();
    const heard = vi.fn();
    upstream.listen(heard);
    await upstream.request("resources/subscribe", { uri: "a://b" });
    await expect.poll(() => streams.size).toBe(2);
    for (const stream of streams) stream.abort();
    await expect.poll(() => streams.size).toBe(4);
    await expect
      .poll(() => heard.mock.calls.map(([method]) => method))
      .toEqual(
        expect.arrayContaining(["notifications/tools/list_changed", "notifications/resources/updated"]),
      );
    heard.mockClear();
    handler.notify.resourceUpdated("a://b");
    handler.notify.toolsChanged();
    await expect
      .poll(() => heard.mock.calls.map(([method]) => method))
      .toEqual(
        expect.arrayContaining(["notifications/tools/list_changed", "notifications/resources/updated"]),
      );
    await client.close();
  });

  it("D16: a stream without listeners is not reopened", async () => {
    const { client, upstream, streams } = await cuttable();
    const leave = upstream.listen(() => {});
    await upstream.request("resources/subscribe", { uri: "a://b" });
    await expect.poll(() => streams.size).toBe(2);
    for (const stream of streams) stream.abort();
    leave();
    await upstream.request("resources/unsubscribe", { uri: "a://b" });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(streams.size).toBe(2);
    await client.close();
  });

  it("I01: is called as any other", async () => {
    const { client, upstream } = await modern();
    expect(client.getProtocolEra()).toBe("modern");
    const result = await upstream.request("tools/call", { name: "echo" });
    expect(result).toMatchObject({ content: [{ type: "text", text: "hi" }] });
    await client.close();
  });

  it("D3, D4: is opened while there is a listener", async () => {
    const { handler, client, upstream } = await modern();
    const heard = [vi.fn(), vi.fn()] as const;
    const leave = heard.map((listener) => upstream.listen(listener));
    await expect
      .poll(() => {
        handler.notify.toolsChanged();
        return heard[0];
      })
      .toHaveBeenCalledWith("notifications/tools/list_changed", expect.anything());
    leave[0]?.();
    const { length } = heard[0].mock.calls;
    handler.notify.toolsChanged();
    await expect.poll(() => heard[1].mock.calls.length).toBeGreaterThan(length);
    expect(heard[0]).toHaveBeenCalledTimes(length);
    leave[1]?.();
    await client.close();
  });

  it("D16: a subscription is a question of its own, and ends", async () => {
    const { handler, client, upstream } = await modern();
    const heard = vi.fn();
    upstream.listen(heard);
    await upstream.request("resources/subscribe", { uri: "a://b" });
    handler.notify.resourceUpdated("a://b");
    await expect
      .poll(() => heard)
      .toHaveBeenCalledWith("notifications/resources/updated", expect.objectContaining({ uri: "a://b" }));
    await upstream.request("resources/unsubscribe", { uri: "a://b" });
    heard.mockClear();
    await upstream.request("resources/subscribe", { uri: "a://c" });
    handler.notify.resourceUpdated("a://b");
    handler.notify.resourceUpdated("a://c");
    await expect.poll(() => heard).toHaveBeenCalled();
    expect(heard.mock.calls.map(([, params]) => params.uri)).toEqual(["a://c"]);
    await client.close();
  });
});
