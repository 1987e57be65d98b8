import { standardGuard, type Upstream } from "@vitrine/guard";
import {
  CheckedPeer,
  memoryPair,
  NOTIFICATIONS,
  Peer,
  PROTOCOL_VERSION,
  REQUESTS,
  type Tool,
  type Transport,
  VIEW_END,
  type VitrineError,
} from "@vitrine/protocol";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { Bridge, type BridgeOptions } from "./bridge.js";

fc.configureGlobal({ seed: 20260126 });

type Message = Record<string, unknown>;

const INFO = { name: "host", version: "1.0.0" };
const HELLO = {
  protocolVersion: PROTOCOL_VERSION,
  appInfo: { name: "view", version: "1.0.0" },
  appCapabilities: {},
};
const settle = () => new Promise((resolve) => setTimeout(resolve));

/** A view that sends whatever a test makes it send. */
function mount(options: Partial<BridgeOptions> = {}) {
  const [viewEnd, hostEnd] = memoryPair();
  const heard: Message[] = [];
  const reports: VitrineError[] = [];
  viewEnd.start(
    (message) => heard.push(message as Message),
    () => {},
  );
  const bridge = new Bridge({ info: INFO, guard: "behind-upstream", ...options });
  bridge.on("report", (error) => reports.push(error));
  bridge.open(hostEnd);
  const raw = async (message: unknown) => {
    viewEnd.send(message);
    await settle();
  };
  const say = (message: object) => raw({ jsonrpc: "2.0", ...message });
  const ready = async () => {
    await say({ id: 0, method: "ui/initialize", params: HELLO });
    await say({ method: "ui/notifications/initialized" });
  };
  const answer = (id: unknown) => heard.find((message) => message.id === id && !message.method);
  return { bridge, heard, reports, raw, say, ready, answer };
}

/** A server with tools for everybody, for views only, and for the model only. */
function server(name = "weather") {
  const tool = (toolName: string, visibility?: string[]): Tool => ({
    name: toolName,
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
    ...(visibility && { _meta: { ui: { visibility } } }),
  });
  const request = vi.fn(async (method: string) =>
    method === "tools/list"
      ? { tools: [tool("both"), tool("app", ["app"]), tool("model", ["model"])] }
      : { content: [] },
  );
  const upstream: Upstream = {
    server: name,
    capabilities: { tools: {} },
    request: request as unknown as Upstream["request"],
    listen: () => () => {},
  };
  return { upstream, called: () => request.mock.calls.filter(([method]) => method === "tools/call").length };
}

describe("a view that breaks the rules", () => {
  it("attack C11: requests before ui/initialize are refused", async () => {
    const { upstream, called } = server();
    const { bridge, say, answer, reports } = mount({ upstream });
    await say({ id: 1, method: "tools/call", params: { name: "both" } });
    await say({ method: "ui/notifications/initialized" });
    expect(answer(1)?.error).toMatchObject({ code: -32600 });
    expect(called()).toBe(0);
    expect(bridge.phase).toBe("loading");
    expect(reports.map(({ code }) => code)).toEqual(["out-of-order", "out-of-order"]);
  });

  it("attack C11: a view that initializes twice restarts, and nothing is sent to it twice", async () => {
    const { bridge, ready, heard } = mount();
    bridge.sendToolInput({ a: 1 });
    await ready();
    await ready();
    const inputs = heard.filter(({ method }) => method === "ui/notifications/tool-input");
    expect(inputs).toHaveLength(2); // Once to each of its lives.
    expect(bridge.phase).toBe("ready");
  });

  it("attack C11: two ui/initialize at once are one handshake", async () => {
    const { bridge, say, heard } = mount();
    bridge.sendToolInput({ a: 1 });
    void say({ id: 1, method: "ui/initialize", params: HELLO });
    void say({ id: 2, method: "ui/initialize", params: HELLO });
    await say({ method: "ui/notifications/initialized" });
    expect(bridge.phase).toBe("ready");
    expect(heard.filter(({ method }) => method === "ui/notifications/tool-input")).toHaveLength(1);
  });

  it("attack C11: after the end its messages are ignored", async () => {
    const { upstream, called } = server();
    const { bridge, ready, say } = mount({ upstream });
    await ready();
    bridge.close();
    await say({ id: 1, method: "tools/call", params: { name: "both" } });
    expect(called()).toBe(0);
  });

  it("attack C09: the first answer counts", async () => {
    const { bridge, ready, heard, say, reports } = mount();
    await ready();
    const pong = bridge.ping();
    await settle();
    const { id } = heard.at(-1) ?? {};
    await say({ id, result: {} });
    await say({ id, error: { code: -1, message: "no" } });
    await expect(pong).resolves.toBeUndefined();
    expect(reports.map(({ code }) => code)).toEqual(["unknown-response"]);
  });

  it("attack C09: an answer to another view's request is ignored", async () => {
    const [one, other] = [mount(), mount()];
    await Promise.all([one.ready(), other.ready()]);
    const settled = vi.fn();
    one.bridge.ping().then(settled, settled);
    await settle();
    await other.say({ id: one.heard.at(-1)?.id, result: {} });
    expect(settled).not.toHaveBeenCalled();
    expect(other.reports.map(({ code }) => code)).toEqual(["unknown-response"]);
    one.bridge.close();
  });

  it("attack C10: an answer to no question is dropped", async () => {
    const { ready, say, reports, answer } = mount();
    await ready();
    for (const id of [12345, "x", null]) await say({ id, result: { content: [] } });
    expect(reports.map(({ code }) => code)).toEqual(Array(3).fill("unknown-response"));
    await say({ id: 1, method: "ping" });
    expect(answer(1)?.result).toEqual({});
  });

  it("L12, attack C07: methods that a view may not call get -32601, unknown notifications nothing", async () => {
    const { ready, say, answer, heard } = mount({ upstream: server().upstream });
    await ready();
    const methods = [
      "initialize",
      "roots/list",
      "completion/complete",
      "__resources_read__",
      "constructor",
      "toString",
    ];
    for (const method of [...methods, "ui/resource-teardown", "sampling/createMessage"]) {
      await say({ id: method, method, params: { messages: [], maxTokens: 1 } });
      expect([method, answer(method)?.error]).toMatchObject([method, { code: -32601 }]);
    }
    const count = heard.length;
    await say({ method: "notifications/whatever", params: {} });
    expect(heard).toHaveLength(count);
  });

  it("L12: malformed messages are answered with -32600 or -32602, and survived", async () => {
    const { ready, say, raw, answer, heard } = mount({ handlers: { openLink: () => {} } });
    await ready();
    await say({ id: 1, method: "ui/open-link", params: { url: 5 } });
    expect(answer(1)?.error).toMatchObject({ code: -32602, data: { field: "params.url" } });
    for (const bad of [42, null, [], {}, { jsonrpc: "1.0", id: 3, method: "ui/initialize" }, "{"])
      await raw(bad);
    const codes = heard.flatMap(({ id, error }) => (id === null ? (error as { code: number }).code : []));
    expect(codes).toEqual([-32600, -32600, -32600, -32600, -32600, -32700]);
    await say({ id: 2, method: "ping" });
    expect(answer(2)?.result).toEqual({});
  });

  it("a wrong ui/initialize is refused, and may be repeated", async () => {
    const { bridge, say, answer } = mount();
    await say({ id: 1, method: "ui/initialize", params: { ...HELLO, appInfo: 5 } });
    expect(answer(1)?.error).toMatchObject({ code: -32602 });
    await say({ method: "ui/notifications/initialized" });
    expect(bridge.phase).toBe("initializing");
    await say({ id: 2, method: "ui/initialize", params: HELLO });
    await say({ method: "ui/notifications/initialized" });
    expect(bridge.phase).toBe("ready");
    bridge.close();
  });

  it("attack C13: invalid sizes are ignored", async () => {
    const { bridge, ready, say } = mount();
    const size = vi.fn();
    bridge.on("size", size);
    await ready();
    for (const height of [Number.NaN, Number.POSITIVE_INFINITY, "1", null]) {
      await say({ method: "ui/notifications/size-changed", params: { height } });
    }
    expect(size).not.toHaveBeenCalled();
  });
});

describe("anything at all", () => {
  const method = fc.constantFrom(
    ...Object.keys(REQUESTS),
    ...Object.keys(NOTIFICATIONS),
    "ui/nothing",
    "__proto__",
  );
  const message = fc.oneof(
    fc.anything(),
    fc.record(
      {
        jsonrpc: fc.constantFrom("2.0", "1.0", 2),
        id: fc.oneof(fc.integer({ max: 5 }), fc.string(), fc.constant(null), fc.object()),
        method: fc.oneof(method, fc.anything()),
        params: fc.oneof(fc.object(), fc.anything()),
        result: fc.anything(),
        error: fc.anything(),
      },
      { requiredKeys: [] },
    ),
    fc.record({ jsonrpc: fc.constant("2.0"), id: fc.nat(), method, params: fc.object() }),
    fc.record({ jsonrpc: fc.constant("2.0"), method, params: fc.object() }),
  );

  it("L12: is survived: a view that then behaves is served", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 20 }), async (messages) => {
        const [viewEnd, hostEnd] = memoryPair();
        const bridge = new Bridge({ info: INFO, upstream: server().upstream, guard: "behind-upstream" }).open(
          hostEnd,
        );
        const heard: Message[] = [];
        viewEnd.start(
          (one) => heard.push(one as Message),
          () => {},
        );
        for (const one of messages) {
          try {
            viewEnd.send(one);
          } catch {
            // Not even the wire accepts it.
          }
        }
        const hello = { jsonrpc: "2.0", id: "hello", method: "ui/initialize", params: HELLO };
        viewEnd.send(hello);
        viewEnd.send({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
        viewEnd.send({ jsonrpc: "2.0", id: "still there?", method: "ping" });
        await settle();
        const parsed = heard.map((one) => (typeof one === "string" ? JSON.parse(one) : one) as Message);
        expect(bridge.phase).toBe("ready");
        expect(parsed.some(({ id, result }) => id === "still there?" && result)).toBe(true);
        bridge.close();
      }),
      { numRuns: 300 },
    );
  });
});

describe("with the standard guard", () => {
  const pair = (options: Partial<BridgeOptions>) => {
    const [viewEnd, hostEnd] = memoryPair();
    const bridge = new Bridge({ info: INFO, guard: "behind-upstream", ...options }).open(hostEnd);
    return { bridge, view: new Peer<"view">().open(viewEnd) };
  };

  it("C03, D1, attack C01: a model-only tool is refused before it reaches the server", async () => {
    const { upstream, called } = server();
    const { view, bridge } = pair({ upstream, guard: standardGuard(upstream) });
    await view.request("ui/initialize", HELLO);
    const call = (name: string) => view.request("tools/call", { name });
    await expect(call("model")).rejects.toMatchObject({ code: -32000 });
    await expect(call("unknown")).rejects.toMatchObject({ code: -32000 });
    expect(called()).toBe(0);
    await expect(call("app")).resolves.toEqual({ content: [] });
    await expect(call("both")).resolves.toEqual({ content: [] });
    const { tools } = await view.request("tools/list", {});
    expect(tools.map(({ name }) => name)).toEqual(["both", "app"]);
    bridge.close();
  });

  it("C04, attack C03: a view reaches only its own server, even if it names another", async () => {
    const [own, other] = [server("own"), server("other")];
    const { view, bridge } = pair({ upstream: own.upstream });
    pair({ upstream: other.upstream }).bridge.close();
    await view.request("ui/initialize", HELLO);
    await view.request("tools/call", { name: "both", server: "other", _meta: { server: "other" } } as {
      name: string;
    });
    expect([own.called(), other.called()]).toEqual([1, 0]);
    bridge.close();
  });
});

describe("a transport that misbehaves", () => {
  it("an unsendable message is answered with an error, and reported without the payload", async () => {
    const [viewEnd, hostEnd] = memoryPair();
    const handlers = { message: () => ({ secret: () => "not cloneable" }) };
    const bridge = new Bridge({ info: INFO, handlers }).open(hostEnd);
    const view = new CheckedPeer(VIEW_END).open(viewEnd);
    await view.request("ui/initialize", HELLO);
    await expect(view.request("ui/message", { role: "user", content: [] })).rejects.toMatchObject({
      code: -32603,
    });
    bridge.close();
  });

  it("an unsendable queued message does not stop those behind it", async () => {
    const [viewEnd, hostEnd] = memoryPair();
    const strict: Transport = {
      start: (receive, closed) => hostEnd.start(receive, closed),
      send: (message) => {
        if (JSON.stringify(message).includes("bad")) throw new Error("cannot carry this");
        hostEnd.send(message);
      },
      close: () => hostEnd.close(),
    };
    const reports: VitrineError[] = [];
    const bridge = new Bridge({ info: INFO });
    bridge.on("report", (error) => reports.push(error));
    bridge.open(strict);
    bridge.sendToolInput({ bad: true });
    bridge.sendToolResult({ content: [] });
    const view = new Peer<"view">();
    const result = vi.fn();
    view.on("ui/notifications/tool-result", result);
    view.open(viewEnd);
    await view.request("ui/initialize", HELLO);
    view.notify("ui/notifications/initialized", {});
    await settle();
    expect(result).toHaveBeenCalledOnce();
    expect(reports).toMatchObject([{ code: "send-failed", message: "cannot be sent" }]);
    bridge.close();
  });
});
