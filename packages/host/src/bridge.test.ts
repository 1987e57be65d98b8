import type { Upstream, UpstreamNotification, UpstreamRequestOptions } from "@vitrine/guard";
import {
  type CallToolResult,
  INSTANCE_KEY,
  JsonText,
  memoryPair,
  PROTOCOL_VERSION,
  type RequestId,
  type Transport,
  type VitrineError,
} from "@vitrine/protocol";
import { App } from "@vitrine/view";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as examples from "./bridge.examples.js";
import { Bridge, type BridgeOptions } from "./bridge.js";
import type { BridgeTransport } from "./bridge-transport.js";
import { streamToolInput } from "./stream-input.js";

interface Message {
  id?: RequestId | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

const INFO = { name: "host", version: "1.0.0" };
const HELLO = {
  protocolVersion: PROTOCOL_VERSION,
  appInfo: { name: "view", version: "1.0.0" },
  appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
};
const RESULT: CallToolResult = { content: [{ type: "text", text: "sunny" }] };
const INPUT = "ui/notifications/tool-input";
const TOOL_RESULT = "ui/notifications/tool-result";
const CONTEXT = "ui/notifications/host-context-changed";

/** Runs everything that needs no time. */
const settle = () => vi.advanceTimersByTimeAsync(0);

/** A view that sends what a test makes it send, and records received messages. */
function view(transport: Transport) {
  const heard: Message[] = [];
  transport.start(
    (message) => heard.push(message as Message),
    () => heard.push({ method: "(closed)" }),
  );
  const say = async (message: object) => {
    transport.send({ jsonrpc: "2.0", ...message });
    await settle();
  };
  const begin = (params: object = HELLO, id: RequestId = "init") =>
    say({ id, method: "ui/initialize", params });
  const initialized = () => say({ method: "ui/notifications/initialized", params: {} });
  return {
    heard,
    say,
    begin,
    initialized,
    /** Names of the received messages, without answers. */
    methods: () => heard.flatMap(({ method }) => method ?? []),
    answer: (id: RequestId) => heard.find((message) => message.id === id && !message.method),
    last: (method: string) => heard.findLast((message) => message.method === method)?.params,
    async ready() {
      await begin();
      await initialized();
    },
  };
}

function mount(options: Partial<BridgeOptions> = {}) {
  const [viewEnd, hostEnd] = memoryPair();
  const bridge = new Bridge({ info: INFO, guard: "behind-upstream", ...options });
  const reports: VitrineError[] = [];
  bridge.on("report", (error) => reports.push(error));
  bridge.open(hostEnd);
  return { bridge, reports, ...view(viewEnd) };
}

/** A server that several bridges share. */
function upstream(call?: (options: UpstreamRequestOptions) => Promise<unknown>) {
  const listeners = new Set<(method: UpstreamNotification, params: Record<string, unknown>) => void>();
  const server: Upstream = {
    server: "weather",
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
    request: async (_method, _params, options = {}) => ((await call?.(options)) ?? RESULT) as never,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const say = (method: UpstreamNotification, params = {}) => {
    for (const listener of [...listeners]) listener(method, params);
  };
  return { server, say, listeners };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  // Spies first: restoring them would put back the clock's own functions.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("the handshake", () => {
  it("L01, L02: the view opens, and is answered in full", async () => {
    const { bridge, begin, answer } = mount({ context: { theme: "dark" }, handlers: { openLink: () => {} } });
    expect(bridge.phase).toBe("loading");
    await begin();
    expect(answer("init")?.result).toEqual({
      protocolVersion: PROTOCOL_VERSION,
      hostInfo: INFO,
      hostCapabilities: { openLinks: {} },
      hostContext: { theme: "dark", [INSTANCE_KEY]: bridge.instance },
    });
    expect(bridge.phase).toBe("initializing");
    expect(bridge.app?.appInfo.name).toBe("view");
  });

  it("L03, L11, D8: nothing is sent before `initialized`; queued messages keep their order", async () => {
    const { bridge, heard, methods, begin, initialized } = mount();
    const ready = vi.fn();
    bridge.on("ready", ready);
    bridge.sendToolInputPartial({ city: "R" });
    bridge.sendToolInput({ city: "Rome" });
    bridge.sendToolResult(RESULT);
    const pong = bridge.ping();
    await begin();
    expect(heard).toHaveLength(1);
    expect(ready).not.toHaveBeenCalled();
    await initialized();
    expect(methods()).toEqual([INPUT, TOOL_RESULT, "ping"]);
    expect(ready).toHaveBeenCalledExactlyOnceWith(bridge.app);
    bridge.close();
    await expect(pong).rejects.toMatchObject({ code: "closed" });
  });

  it("D14: a revision that we do not speak is answered with ours, and reported", async () => {
    const { reports, begin, answer } = mount();
    await begin({ ...HELLO, protocolVersion: "2099-01-01" });
    expect(answer("init")?.result?.protocolVersion).toBe(PROTOCOL_VERSION);
    expect(reports).toMatchObject([{ code: "unsupported", message: expect.stringContaining("2099-01-01") }]);
  });

  it("L13: a view that never starts times out, with a readable cause", async () => {
    const { bridge } = mount({ limits: { initialize: 100 } });
    const failed = vi.fn();
    bridge.on("failed", failed);
    await vi.advanceTimersByTimeAsync(99);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    expect(failed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "initialize-timeout" }));
    expect(bridge.phase).toBe("failed");
    expect(bridge.cause?.code).toBe("initialize-timeout");
  });

  it("L13: so does one that never reports that it is ready; waiting requests reject", async () => {
    const { bridge, begin } = mount({ limits: { initialized: 50 } });
    const pong = expect(bridge.ping()).rejects.toMatchObject({ code: "closed" });
    await begin();
    await vi.advanceTimersByTimeAsync(51);
    expect(bridge.cause?.code).toBe("initialized-timeout");
    await pong;
  });

  it("L13: a view's timeout starts when its channel opens, not when its bridge was created", async () => {
    const bridge = new Bridge({ info: INFO, limits: { initialize: 100 } });
    await vi.advanceTimersByTimeAsync(1_000);
    const [viewEnd, hostEnd] = memoryPair();
    bridge.open(hostEnd);
    await vi.advanceTimersByTimeAsync(99);
    await view(viewEnd).ready();
    expect(bridge.phase).toBe("ready");
  });

  it("L13: a host may wait for ever", async () => {
    const { bridge, ready } = mount({ limits: { initialize: Number.POSITIVE_INFINITY } });
    const timers = vi.spyOn(globalThis, "setTimeout");
    await vi.advanceTimersByTimeAsync(10_000_000);
    expect(timers).not.toHaveBeenCalled();
    await ready();
    expect(bridge.phase).toBe("ready");
  });

  it("L10: ping is answered both ways, also before the view has started", async () => {
    const { bridge, say, answer, ready, heard } = mount();
    await say({ id: 1, method: "ping" });
    expect(answer(1)?.result).toEqual({});
    await ready();
    const pong = bridge.ping();
    await settle();
    await say({ id: heard.at(-1)?.id, result: {} });
    await expect(pong).resolves.toBeUndefined();
  });
});

describe("the tool call", () => {
  it("L04, L06, D9: input, then a result, each once and in order", async () => {
    const { bridge, ready, methods, last } = mount();
    await ready();
    expect(() => bridge.sendToolResult(RESULT)).toThrow("the input comes first");
    bridge.sendToolInput({ city: "Rome" });
    expect(() => bridge.sendToolInput({})).toThrow("the input was sent");
    expect(() => bridge.sendToolInputPartial({})).toThrow("the input was sent");
    bridge.sendToolResult({ ...RESULT, isError: true });
    expect(() => bridge.sendToolCancelled()).toThrow("the tool call is over");
    await settle();
    expect(methods()).toEqual([INPUT, TOOL_RESULT]);
    expect(last(INPUT)).toEqual({ arguments: { city: "Rome" } });
    expect(last(TOOL_RESULT)).toEqual({ ...RESULT, isError: true });
  });

  it("L07: a cancellation has its reason, and takes the place of the result", async () => {
    const { bridge, ready, last } = mount();
    await ready();
    bridge.sendToolCancelled("the user stopped it");
    await settle();
    expect(last("ui/notifications/tool-cancelled")).toEqual({ reason: "the user stopped it" });
    expect(() => bridge.sendToolResult(RESULT)).toThrow("over");
  });

  it("L05: the model's text becomes partial input, then the input", async () => {
    const { bridge, ready, heard } = mount();
    await ready();
    async function* model() {
      for (const argumentsDelta of ['{"city":"Ro', 'me","days', '":10', "}"]) {
        yield { argumentsDelta };
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
    }
    const done = examples.streamToolInputExample(bridge, model(), async () => RESULT);
    await vi.runAllTimersAsync();
    await done;
    const sent = heard.filter(({ method }) => method?.startsWith("ui/notifications/tool-"));
    expect(sent.at(-2)).toMatchObject({ method: INPUT, params: { arguments: { city: "Rome", days: 10 } } });
    expect(sent.at(-1)).toMatchObject({ method: TOOL_RESULT });
    const partials = sent.slice(0, -2);
    expect(new Set(partials.map(({ method }) => method))).toEqual(
      new Set(["ui/notifications/tool-input-partial"]),
    );
    expect(partials[0]?.params).toEqual({ arguments: { city: "Ro" } });
    expect(partials[1]?.params).toEqual({ arguments: { city: "Rome" } });
  });

  it("L05: a view that goes away meanwhile stops only the input", async () => {
    const { bridge, ready, reports } = mount();
    await ready();
    async function* chunks() {
      yield '{"a":"';
      bridge.close();
      for (let count = 0; count < 5; count++) {
        yield "x";
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      yield '"}';
    }
    const done = expect(streamToolInput(bridge, chunks())).rejects.toMatchObject({ code: "closed" });
    await vi.runAllTimersAsync();
    await done;
    expect(reports).toEqual([]);
  });

  it("an unparsed result is parsed for a transport that carries values", async () => {
    const { bridge, ready, last, say, answer } = mount({
      upstream: upstream(async () => new JsonText(JSON.stringify(RESULT))).server,
    });
    await ready();
    bridge.sendToolInput();
    bridge.sendToolResult(new JsonText(JSON.stringify(RESULT)));
    await say({ id: 1, method: "tools/call", params: { name: "forecast" } });
    expect(last(TOOL_RESULT)).toEqual(RESULT);
    expect(answer(1)?.result).toEqual(RESULT);
  });

  it("and is forwarded unchanged where text can be carried", async () => {
    const text = new JsonText(JSON.stringify(RESULT));
    const sent: Message[] = [];
    let receive: (message: unknown) => void = () => {};
    const transport: BridgeTransport = {
      carriesText: true,
      start: (hear) => {
        receive = hear;
      },
      send: (message) => sent.push(message as Message),
      close: () => {},
    };
    const bridge = new Bridge({ info: INFO, context: { theme: "dark" } }).open(transport);
    receive({ jsonrpc: "2.0", id: 1, method: "ui/initialize", params: HELLO });
    await settle();
    receive({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
    bridge.sendToolInput();
    bridge.sendToolResult(text);
    bridge.setContext({});
    expect(sent.at(-2)?.params).toBe(text);
    // JSON text has no other value for it.
    expect(sent.at(-1)?.params).toEqual({ theme: null });
  });

  it("unserializable text is an error for its sender, and the view continues", async () => {
    const { bridge, ready, say, answer } = mount();
    await ready();
    bridge.sendToolInput();
    expect(() => bridge.sendToolResult(new JsonText("{"))).toThrow(
      expect.objectContaining({ code: "send-failed" }),
    );
    await say({ id: 1, method: "ping" });
    expect(answer(1)?.result).toEqual({});
  });
});

describe("context", () => {
  it("names the instance, by its own name or by the one that the page remembers it by", async () => {
    expect(mount().bridge.context).toEqual({ [INSTANCE_KEY]: expect.any(String) });
    const { bridge } = mount({ context: { [INSTANCE_KEY]: "call-7" }, instance: "frame-9" });
    expect([bridge.instance, bridge.context]).toEqual(["frame-9", { [INSTANCE_KEY]: "call-7" }]);
  });

  it("X02, D10: the view receives the changed keys, and the whole context is kept", async () => {
    const { bridge, ready, last, heard } = mount({ context: { theme: "dark", locale: "en" } });
    await ready();
    bridge.updateContext({ theme: "light" });
    await settle();
    expect(last(CONTEXT)).toEqual({ theme: "light" });
    expect(bridge.context).toEqual({ theme: "light", locale: "en", [INSTANCE_KEY]: bridge.instance });
    const count = heard.length;
    bridge.setContext({ locale: "en", theme: "light" });
    await settle();
    expect(heard).toHaveLength(count);
  });

  it("D11: a key that is gone is sent as `undefined`, which official views take", async () => {
    const { bridge, ready, last } = mount({ context: { theme: "dark", locale: "en" } });
    await ready();
    bridge.updateContext({ locale: null });
    await settle();
    expect(last(CONTEXT)).toStrictEqual({ locale: undefined });
    expect(bridge.context).not.toHaveProperty("locale");
  });

  it("D20: it may be set at any time, and a starting view gets the last one", async () => {
    const bridge = new Bridge({ info: INFO });
    bridge.setContext({ theme: "dark" });
    const [viewEnd, hostEnd] = memoryPair();
    bridge.open(hostEnd);
    const { begin, initialized, answer, methods } = view(viewEnd);
    bridge.updateContext({ locale: "de" });
    await begin();
    expect(answer("init")?.result?.hostContext).toMatchObject({ theme: "dark", locale: "de" });
    await initialized();
    expect(methods()).toEqual([]);
    bridge.close();
    bridge.setContext({ theme: "light" });
    expect(bridge.context.theme).toBe("light");
  });

  it("D10: a change between the answer and `initialized` is not lost", async () => {
    const { bridge, begin, initialized, last } = mount();
    await begin();
    bridge.updateContext({ theme: "dark" });
    await initialized();
    expect(last(CONTEXT)).toEqual({ theme: "dark" });
  });

  it("I07: a new display mode is part of the context", async () => {
    const { bridge, ready, say, answer, last } = mount({
      context: { displayMode: "inline", availableDisplayModes: ["inline", "fullscreen", "pip"] },
      handlers: { requestDisplayMode: ({ mode }) => ({ mode }) },
    });
    await ready();
    await say({ id: 1, method: "ui/request-display-mode", params: { mode: "fullscreen" } });
    expect(answer(1)?.result).toEqual({ mode: "fullscreen" });
    expect(last(CONTEXT)).toEqual({ displayMode: "fullscreen" });
    // C12: the view did not declare it.
    await say({ id: 2, method: "ui/request-display-mode", params: { mode: "pip" } });
    expect(answer(2)?.result).toEqual({ mode: "fullscreen" });
    expect(bridge.context.displayMode).toBe("fullscreen");
  });
});

describe("the end", () => {
  it("L08, D13: the view is asked with a reason, and waited for", async () => {
    const { bridge, ready, heard, say } = mount();
    const closed = vi.fn();
    bridge.on("closed", closed);
    await ready();
    const ending = bridge.teardown("the tab was closed");
    expect(bridge.teardown("again")).toBe(ending);
    await settle();
    const asked = heard.at(-1);
    expect(asked).toMatchObject({ method: "ui/resource-teardown", params: { reason: "the tab was closed" } });
    expect(bridge.phase).toBe("closing");
    expect(closed).not.toHaveBeenCalled();
    await say({ id: asked?.id, result: {} });
    expect(await ending).toBeUndefined();
    expect(bridge.phase).toBe("closed");
    expect(closed).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("D12: a view without a handler agrees by refusing", async () => {
    const { bridge, ready, heard, say, reports } = mount();
    await ready();
    const ending = bridge.teardown();
    await settle();
    await say({ id: heard.at(-1)?.id, error: { code: -32601, message: "Method not found" } });
    expect(await ending).toBeUndefined();
    expect(reports).toEqual([]);
  });

  it("L08: a view that does not answer is not waited for longer than its limit", async () => {
    const { bridge, ready } = mount({ limits: { teardown: 500 } });
    const failed = vi.fn();
    bridge.on("failed", failed);
    await ready();
    const ending = bridge.teardown();
    await vi.advanceTimersByTimeAsync(501);
    expect(await ending).toMatchObject({ code: "teardown-timeout" });
    expect(bridge.phase).toBe("closed");
    expect(failed).not.toHaveBeenCalled();
  });

  it("L08: a view that never started is closed at once", async () => {
    const { bridge, heard } = mount();
    expect(await bridge.teardown("enough")).toBeUndefined();
    await settle();
    expect(heard.map(({ method }) => method)).toEqual(["(closed)"]);
  });

  it("sending after the end is an error of the caller; so is a new frame", async () => {
    const { bridge, ready } = mount();
    await ready();
    bridge.close();
    bridge.close();
    expect(() => bridge.sendToolInput()).toThrow(expect.objectContaining({ code: "closed" }));
    await expect(bridge.ping()).rejects.toMatchObject({ code: "closed" });
    expect(() => bridge.open(memoryPair()[1])).toThrow(expect.objectContaining({ code: "closed" }));
  });

  it("D21: a view that goes away by itself closes its bridge and releases everything", async () => {
    const { server, listeners } = upstream();
    const [viewEnd, hostEnd] = memoryPair();
    const bridge = new Bridge({ info: INFO, upstream: server, guard: "behind-upstream" }).open(hostEnd);
    const closed = vi.fn();
    bridge.on("closed", closed);
    await view(viewEnd).ready();
    expect(listeners.size).toBe(1);
    viewEnd.close();
    await settle();
    expect(closed).toHaveBeenCalledOnce();
    expect(listeners.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("L09: a view may ask to be removed", async () => {
    const { bridge, ready, say } = mount();
    const asked = vi.fn(() => void bridge.teardown("as you wish"));
    bridge.on("teardown-requested", asked);
    await ready();
    await say({ method: "ui/notifications/request-teardown", params: {} });
    expect(asked).toHaveBeenCalledOnce();
    expect(bridge.phase).toBe("closing");
  });
});

describe("a view that restarts", () => {
  it("receives input, result and context again", async () => {
    const { bridge, ready, heard, methods, answer } = mount({ context: { theme: "dark" } });
    const readies = vi.fn();
    bridge.on("ready", readies);
    bridge.sendToolInput({ city: "Rome" });
    await ready();
    bridge.sendToolResult(RESULT);
    bridge.updateContext({ theme: "light" });
    const pong = expect(bridge.ping()).rejects.toMatchObject({ code: "closed" });
    await settle();
    heard.length = 0;
    await ready();
    await pong;
    expect(answer("init")?.result?.hostContext).toMatchObject({ theme: "light" });
    expect(methods()).toEqual([INPUT, TOOL_RESULT]);
    expect(readies).toHaveBeenCalledTimes(2);
  });

  it("may do so in a new frame, and receives nothing there before it has started", async () => {
    const { bridge, ready } = mount();
    bridge.sendToolInput({ city: "Rome" });
    await ready();
    const [viewEnd, hostEnd] = memoryPair();
    bridge.open(hostEnd);
    const again = view(viewEnd);
    bridge.updateContext({ theme: "dark" });
    bridge.sendToolResult(RESULT);
    await again.say({ id: 1, method: "tools/call", params: { name: "forecast" } });
    expect(again.heard).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    await again.ready();
    expect(again.methods()).toEqual([INPUT, TOOL_RESULT]);
    expect(again.answer("init")?.result?.hostContext).toMatchObject({
      theme: "dark",
      [INSTANCE_KEY]: bridge.instance,
    });
  });

  it("in a new frame: messages of the old one are ignored", async () => {
    const { bridge, ready, say } = mount();
    const log = vi.fn();
    bridge.on("log", log);
    await ready();
    const [viewEnd, hostEnd] = memoryPair();
    bridge.open(hostEnd);
    await say({ method: "notifications/message", params: { level: "info", data: "old" } });
    await view(viewEnd).ready();
    expect(log).not.toHaveBeenCalled();
    expect(bridge.phase).toBe("ready");
  });
});

describe("a view whose frame is away", () => {
  it("L11: messages sent meanwhile wait for the next frame, after the earlier ones", async () => {
    const { bridge, ready, heard } = mount();
    await ready();
    bridge.sendToolInput({ city: "Rome" });
    const pong = expect(bridge.ping()).rejects.toMatchObject({ code: "closed" });
    await settle();
    bridge.detach();
    await pong;
    await settle();
    expect(heard.at(-1)?.method).toBe("(closed)");
    expect(bridge.phase).toBe("loading");
    // L13: there is no wait for a view that cannot be there.
    await vi.advanceTimersByTimeAsync(1_000_000);
    bridge.sendToolResult(RESULT);
    bridge.updateContext({ theme: "dark" });
    const [viewEnd, hostEnd] = memoryPair();
    bridge.open(hostEnd);
    const again = view(viewEnd);
    const later = bridge.ping();
    await again.ready();
    expect(again.methods()).toEqual([INPUT, TOOL_RESULT, "ping"]);
    expect(again.answer("init")?.result?.hostContext).toMatchObject({ theme: "dark" });
    await again.say({ id: again.heard.at(-1)?.id, result: {} });
    await expect(later).resolves.toBeUndefined();
    expect(() => bridge.sendToolInput({})).toThrow("the input was sent");
  });

  it("L05: a partial input is forgotten once the input was sent", async () => {
    const { bridge, ready } = mount();
    await ready();
    bridge.sendToolInputPartial({ city: "R" });
    bridge.detach();
    bridge.sendToolInput({ city: "Rome" });
    bridge.detach();
    const [viewEnd, hostEnd] = memoryPair();
    bridge.open(hostEnd);
    const again = view(viewEnd);
    await again.ready();
    expect(again.methods()).toEqual([INPUT]);
  });

  it("L13: a view that failed may be retried in a new frame", async () => {
    const { bridge } = mount({ limits: { initialize: 100 } });
    bridge.sendToolInput({ city: "Rome" });
    await vi.advanceTimersByTimeAsync(101);
    expect(bridge.phase).toBe("failed");
    expect(vi.getTimerCount()).toBe(0);
    // The tool and the conversation continue.
    bridge.sendToolResult(RESULT);
    await expect(bridge.ping()).rejects.toMatchObject({ code: "closed" });
    const [viewEnd, hostEnd] = memoryPair();
    bridge.open(hostEnd);
    expect([bridge.phase, bridge.cause]).toEqual(["loading", undefined]);
    await vi.advanceTimersByTimeAsync(99);
    const again = view(viewEnd);
    await again.ready();
    expect(again.methods()).toEqual([INPUT, TOOL_RESULT]);
    expect(bridge.phase).toBe("ready");
  });

  it("L08: a view that is away or has failed is not asked to finish", async () => {
    for (const limit of [0, 101]) {
      const { bridge, ready } = mount({ limits: { initialize: 100 } });
      if (!limit) await ready();
      await vi.advanceTimersByTimeAsync(limit);
      bridge.detach();
      expect(await bridge.teardown()).toBeUndefined();
      expect(bridge.phase).toBe("closed");
      bridge.detach();
      expect(bridge.phase).toBe("closed");
    }
  });
});

describe("several bridges on one server", () => {
  it("D3, D4: each receives it, and one that closes does not affect the rest", async () => {
    const { server, say } = upstream();
    const views = [
      mount({ upstream: server }),
      mount({ upstream: server }),
      mount({ upstream: server }),
    ] as const;
    await Promise.all([views[0].ready(), views[1].ready()]);
    say("notifications/tools/list_changed");
    say("notifications/tools/list_changed");
    await settle();
    const count = ({ methods }: (typeof views)[0]) =>
      methods().filter((method) => method === "notifications/tools/list_changed").length;
    expect(views.map(count)).toEqual([2, 2, 0]);
    views[0].bridge.close();
    say("notifications/tools/list_changed");
    // L11: a view that was not ready receives it once it is, and only once.
    await views[2].ready();
    expect(views.map(count)).toEqual([2, 3, 1]);
  });

  it("a view receives updates of its subscribed resources", async () => {
    const { server, say } = upstream();
    const views = [mount({ upstream: server }), mount({ upstream: server })] as const;
    for (const one of views) await one.ready();
    await views[0].say({ id: 1, method: "resources/subscribe", params: { uri: "a://b" } });
    say("notifications/resources/updated", { uri: "a://b" });
    await settle();
    expect(views[0].last("notifications/resources/updated")).toEqual({ uri: "a://b" });
    expect(views[1].methods()).toEqual([]);
  });

  it("B11: a view that subscribed to `test://a` receives its sub-resources, and not `test://abc`", async () => {
    const { server, say } = upstream();
    const one = mount({ upstream: server });
    await one.ready();
    await one.say({ id: 1, method: "resources/subscribe", params: { uri: "test://a" } });
    const updated = () => one.heard.filter(({ method }) => method === "notifications/resources/updated");
    for (const uri of ["test://abc", "test://a-b", "test://a.b"])
      say("notifications/resources/updated", { uri });
    await settle();
    expect(updated()).toEqual([]);
    const contained = ["test://a", "test://a/b", "test://a/b/c"];
    for (const uri of contained) say("notifications/resources/updated", { uri });
    await settle();
    expect(updated().map(({ params }) => params?.["uri"])).toEqual(contained);
  });

  it("a reloaded document does not inherit the subscriptions of the document before it", async () => {
    const { server, say } = upstream();
    const asked: string[] = [];
    const one = mount({
      upstream: {
        ...server,
        request: (method, params, options) => {
          asked.push(method);
          return server.request(method, params, options);
        },
      },
    });
    await one.ready();
    await one.say({ id: 1, method: "resources/subscribe", params: { uri: "a://b" } });
    one.heard.length = 0;
    await one.ready();
    say("notifications/resources/updated", { uri: "a://b" });
    await settle();
    expect(one.methods()).toEqual([]);
    expect(asked).toEqual(["resources/subscribe", "resources/unsubscribe"]);
    await one.say({ id: 2, method: "resources/subscribe", params: { uri: "a://b" } });
    say("notifications/resources/updated", { uri: "a://b" });
    await settle();
    expect(one.last("notifications/resources/updated")).toEqual({ uri: "a://b" });
  });
});

describe("messages in both directions", () => {
  it("D5, D6, I12: progress and cancellation, each end with its own tokens", async () => {
    const aborted = vi.fn();
    const { server } = upstream(
      ({ signal, onprogress }) =>
        new Promise(() => {
          onprogress?.({ progress: 1, total: 2, message: "half" });
          signal?.addEventListener("abort", aborted);
        }),
    );
    const { ready, say, last, answer } = mount({ upstream: server });
    await ready();
    const params = { name: "forecast", _meta: { progressToken: "mine" } };
    await say({ id: 7, method: "tools/call", params });
    expect(last("notifications/progress")).toEqual({
      progressToken: "mine",
      progress: 1,
      total: 2,
      message: "half",
    });
    await say({ method: "notifications/cancelled", params: { requestId: 7 } });
    expect(aborted).toHaveBeenCalledOnce();
    expect(answer(7)).toBeUndefined();
  });

  it("D6: the view's token does not reach the server", async () => {
    const request = vi.fn<Upstream["request"]>(async () => RESULT as never);
    const { ready, say } = mount({ upstream: { ...upstream().server, request } });
    await ready();
    await say({
      id: 1,
      method: "tools/call",
      params: { name: "a", _meta: { progressToken: 1, kept: true } },
    });
    expect(request.mock.calls[0]?.[1]).toEqual({ name: "a", _meta: { kept: true } });
  });

  it("D6: a view's token that is also the host's brings neither the other's progress", async () => {
    const { server } = upstream(({ onprogress }) => {
      onprogress?.({ progress: 7 });
      return Promise.resolve(undefined);
    });
    const { bridge, ready, say, heard, last } = mount({ upstream: server });
    await ready();
    const onprogress = vi.fn();
    const call = bridge.request("tools/call", { name: "zoom" }, { onprogress });
    await settle();
    const { id, params } = heard.at(-1) ?? {};
    const { progressToken } = Object(params?._meta);
    await say({ id: 1, method: "tools/call", params: { name: "forecast", _meta: { progressToken } } });
    expect(last("notifications/progress")).toEqual({ progressToken, progress: 7 });
    expect(onprogress).not.toHaveBeenCalled();
    await say({ method: "notifications/progress", params: { progressToken, progress: 1 } });
    expect(onprogress).toHaveBeenCalledExactlyOnceWith({ progress: 1 });
    await say({ id, result: RESULT });
    expect(await call).toEqual(RESULT);
  });

  it("D2: handlers belong to the host: opening the channel replaces none", async () => {
    const openLink = vi.fn();
    const { ready, say } = mount({ handlers: { openLink }, upstream: upstream().server });
    await ready();
    await say({ id: 1, method: "ui/open-link", params: { url: "https://example.com" } });
    expect(openLink).toHaveBeenCalledOnce();
  });

  it("every bridge has a name of its own, or the one it was given", () => {
    const names = [new Bridge({ info: INFO }), new Bridge({ info: INFO })].map(({ instance }) => instance);
    expect(new Set(names).size).toBe(2);
    expect(new Bridge({ info: INFO, instance: "mine" }).instance).toBe("mine");
  });

  it("I13: logging is advertised if there is a listener", async () => {
    const { bridge, ready, answer, say } = mount();
    const log = vi.fn();
    bridge.on("log", log);
    await ready();
    expect(answer("init")?.result?.hostCapabilities).toEqual({ logging: {} });
    await say({ method: "notifications/message", params: { level: "info", data: { a: 1 } } });
    expect(log).toHaveBeenCalledExactlyOnceWith({ level: "info", data: { a: 1 } });
  });

  it("I08: a valid size is reported", async () => {
    const { bridge, ready, say, reports } = mount();
    const size = vi.fn();
    bridge.on("size", size);
    await ready();
    await say({ method: "ui/notifications/size-changed", params: { height: 320 } });
    await say({ method: "ui/notifications/size-changed", params: { height: Number.NaN } });
    expect(size).toHaveBeenCalledExactlyOnceWith({ height: 320 });
    expect(reports).toMatchObject([{ code: "invalid" }]);
  });

  it("traffic is every message, and no copy of one", async () => {
    const { bridge, ready, say } = mount();
    const traffic: string[] = [];
    await ready();
    const stop = bridge.on("traffic", ({ direction, message }) => {
      const { method, id } = message as Message;
      traffic.push(`${direction} ${method ?? `answer ${id}`}`);
    });
    await say({ id: 1, method: "ping" });
    bridge.sendToolInput();
    stop();
    bridge.sendToolResult(RESULT);
    expect(traffic).toEqual(["in ping", "out answer 1", `out ${INPUT}`]);
  });

  it("D19: a listener that throws is reported, and stops no other", async () => {
    const { bridge, ready, say, reports } = mount();
    const second = vi.fn();
    bridge.on("size", () => {
      throw new Error("mine");
    });
    bridge.on("report", () => {
      throw new Error("worse");
    });
    bridge.on("size", second);
    await ready();
    await say({ method: "ui/notifications/size-changed", params: { height: 1 } });
    expect(second).toHaveBeenCalledOnce();
    expect(reports).toMatchObject([{ code: "listener-failed", cause: { message: "mine" } }]);
  });

  it("a ping that is aborted while it waits is never sent", async () => {
    const { bridge, ready, methods } = mount();
    const controller = new AbortController();
    const pong = expect(bridge.ping({ signal: controller.signal })).rejects.toMatchObject({
      code: "aborted",
    });
    controller.abort();
    await pong;
    await ready();
    expect(methods()).toEqual([]);
    await expect(bridge.ping({ signal: controller.signal })).rejects.toMatchObject({ code: "aborted" });
  });
});

describe("D22", () => {
  it("nothing is ever written to the console", async () => {
    const spies = (["log", "info", "warn", "error", "debug"] as const).map((level) =>
      vi.spyOn(console, level),
    );
    const { bridge, ready, say } = mount({
      handlers: {
        message: () => {
          throw new Error("secret");
        },
      },
    });
    await ready();
    await say({ id: 1, method: "ui/message", params: { role: "user", content: [] } });
    await say({ id: {}, method: "ping" });
    await say({ id: 99, result: {} });
    const ending = bridge.teardown();
    await vi.runAllTimersAsync();
    await ending;
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });
});

describe("our own view", () => {
  it("T07: runs from the first message to the last", async () => {
    const [viewEnd, hostEnd] = memoryPair();
    let connected: Promise<void> | undefined;
    const { server } = upstream(async () => {
      await Promise.resolve();
      await connected;
    });
    const shown: string[] = [];
    const app = new App({ name: "view", version: "1.0.0" }, {}, { autoResize: false, autoTheme: false });
    app.ontoolinput = ({ arguments: args }) => shown.push(`input ${JSON.stringify(args)}`);
    app.ontoolresult = () => shown.push("result");
    app.onhostcontextchanged = ({ theme }) => shown.push(`theme ${theme}`);
    app.onteardown = ({ reason }) => shown.push(`bye: ${reason}`);
    const host = examples.bridge(hostEnd, server, INFO, (text) => shown.push(text));
    connected = app.connect(viewEnd);
    await vi.runAllTimersAsync();
    await host;
    expect(shown).toEqual([
      'input {"city":"Rome"}',
      "result",
      "theme light",
      "bye: the conversation was closed",
    ]);
  });
});
