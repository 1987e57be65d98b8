import { memoryPair } from "@vitrine/protocol";
import { describe, expect, it, vi } from "vitest";
import * as examples from "./bridge.examples.js";
import { Bridge, type BridgeOptions } from "./bridge.js";
import { looksEarly } from "./dialect.js";

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: object;
}

const INFO = { name: "host", version: "1.0.0" };
const settle = () => new Promise((resolve) => setTimeout(resolve));

/** A handwritten view. It sends objects, or text if `text` is set. */
function mount(options: Partial<BridgeOptions> = {}, { text = false } = {}) {
  const [viewEnd, hostEnd] = memoryPair();
  const raw: unknown[] = [];
  viewEnd.start(
    (message) => raw.push(message),
    () => {},
  );
  const bridge = new Bridge({ info: INFO, guard: "behind-upstream", ...options }).open(hostEnd);
  const say = async (message: object) => {
    const whole = { jsonrpc: "2.0", ...message };
    viewEnd.send(text ? JSON.stringify(whole) : whole);
    await settle();
  };
  const heard = (): Message[] =>
    raw.map((one) => (typeof one === "string" ? JSON.parse(one) : one) as Message);
  const methods = () => heard().flatMap(({ method }) => method ?? []);
  return { bridge, raw, say, heard, methods, answer: (id: number) => heard().find((one) => one.id === id) };
}

const STANDARD = { protocolVersion: "2026-01-26", appInfo: { name: "a", version: "1" }, appCapabilities: {} };

describe("T01: an odd ui/initialize", () => {
  it.each([
    [
      "clientInfo and capabilities",
      { clientInfo: { name: "a", version: "1" }, capabilities: {}, protocolVersion: "2026-01-26" },
    ],
    ["neither", { protocolVersion: "2026-01-26" }],
    ["no version", { appInfo: { name: "a", version: "1" }, appCapabilities: {} }],
    ["nothing at all", undefined],
  ])("T01: %s is answered in full", async (_name, params) => {
    const { say, answer, bridge } = mount();
    await say({ id: 1, method: "ui/initialize", params });
    expect(answer(1)?.result).toMatchObject({
      protocolVersion: "2026-01-26",
      hostInfo: INFO,
      hostCapabilities: {},
      hostContext: {},
    });
    await say({ method: "ui/notifications/initialized" });
    expect(bridge.phase).toBe("ready");
  });
});

describe("T02: a view that never sends `initialized`", () => {
  it("T02: is served, and treated as initialized, when it sends its first request", async () => {
    const call = vi.fn(async () => ({ content: [] }));
    const { bridge, say, answer, methods } = mount({
      upstream: {
        server: "s",
        capabilities: { tools: {} },
        request: call as never,
        listen: () => () => {},
      },
    });
    bridge.sendToolInput({ a: 1 });
    await say({ id: 1, method: "ui/initialize", params: STANDARD });
    expect(methods()).toEqual([]);
    await say({ id: 2, method: "tools/call", params: { name: "x" } });
    expect(answer(2)?.result).toEqual({ content: [] });
    expect(bridge.phase).toBe("ready");
    expect(methods()).toEqual(["ui/notifications/tool-input"]);
  });
});

describe("T03: a view that writes text", () => {
  it("T03: is answered in text, in which a key that is gone is null", async () => {
    const { bridge, raw, say, answer, heard } = mount({ context: { theme: "dark" } }, { text: true });
    await say({ id: 1, method: "ui/initialize", params: STANDARD });
    await say({ method: "ui/notifications/initialized" });
    bridge.setContext({});
    await settle();
    expect(answer(1)?.result).toMatchObject({ hostInfo: INFO });
    expect(raw.every((message) => typeof message === "string")).toBe(true);
    expect(heard().at(-1)?.params).toEqual({ theme: null });
  });
});

describe("T04, T05: odd requests", () => {
  it("T04, D15: a single block, or another role, is a message of the user; the role is recorded as sent", async () => {
    const message = vi.fn();
    const { say, answer } = mount({ handlers: { message } });
    await say({ id: 1, method: "ui/initialize", params: STANDARD });
    const block = { type: "text", text: "hi" };
    await say({ id: 2, method: "ui/message", params: { role: "user", content: block } });
    await say({ id: 3, method: "ui/message", params: { role: "assistant", content: [block] } });
    expect(answer(3)?.result).toEqual({});
    expect(message.mock.calls.map(([params]) => params)).toEqual([
      { role: "user", content: [block] },
      { role: "user", content: [block], sentRole: "assistant" },
    ]);
  });

  it("T05: `picture-in-picture` is `pip`, asked for and declared", async () => {
    const { say, answer } = mount({
      context: { availableDisplayModes: ["inline", "pip"] },
      handlers: { requestDisplayMode: ({ mode }) => ({ mode }) },
    });
    const appCapabilities = { availableDisplayModes: ["inline", "picture-in-picture"] };
    await say({ id: 1, method: "ui/initialize", params: { ...STANDARD, appCapabilities } });
    await say({ id: 2, method: "ui/request-display-mode", params: { mode: "picture-in-picture" } });
    expect(answer(2)?.result).toEqual({ mode: "pip" });
  });
});

describe("T06: early names", () => {
  /** The whole life of a view that starts with these params. */
  async function live(params: object, options: Partial<BridgeOptions> = {}) {
    const mounted = mount({ context: { theme: "dark", locale: "en" }, ...options });
    const { bridge, say, heard } = mounted;
    bridge.sendToolInput({ city: "Rome" });
    await say({ id: 1, method: "ui/initialize", params });
    await say({ method: "ui/notifications/initialized" });
    bridge.sendToolResult({ content: [] });
    bridge.updateContext({ locale: "de" });
    const ending = bridge.teardown("done");
    await settle();
    return { ...mounted, ending, heard: heard() };
  }

  const NAMES = [
    "ui/notifications/tool-input",
    "ui/notifications/tool-result",
    "ui/notifications/host-context-changed",
    "ui/resource-teardown",
  ];

  it("T06: are not sent to a view that shows no need of them", async () => {
    const { bridge, methods } = await live(STANDARD);
    expect(methods()).toEqual(NAMES);
    bridge.close();
  });

  it("T06: are sent too, each after the standard one, to a view that sends `clientInfo`", async () => {
    const { bridge, heard, methods } = await live({
      clientInfo: { name: "a", version: "1" },
      capabilities: {},
    });
    expect(methods()).toEqual([
      NAMES[0],
      "ui/toolInput",
      NAMES[1],
      "ui/toolResult",
      NAMES[2],
      "ui/notifications/context-update",
      NAMES[3],
      "ui/teardown",
    ]);
    const params = (method: string) => heard.find((message) => message.method === method)?.params;
    expect(params("ui/toolInput")).toEqual({ arguments: { city: "Rome" } });
    expect(params("ui/toolResult")).toEqual({ content: [] });
    // The complete context: such a view takes the theme from every update.
    expect(params("ui/notifications/context-update")).toEqual({
      hostContext: expect.objectContaining({ theme: "dark", locale: "de" }),
    });
    expect(params("ui/teardown")).toEqual({ reason: "done" });
    bridge.close();
  });

  it("T06: an answer under either name ends the wait", async () => {
    const { say, ending, heard, bridge } = await live({});
    await say({
      id: heard.find(({ method }) => method === "ui/resource-teardown")?.id,
      error: { code: -32601, message: "?" },
    });
    expect(bridge.phase).toBe("closing");
    await say({ id: heard.find(({ method }) => method === "ui/teardown")?.id, result: {} });
    expect(await ending).toBeUndefined();
    expect(bridge.phase).toBe("closed");
  });

  it("T06: a host can ask for them, or never want them", async () => {
    const asked = await live(STANDARD, { dialect: "early" });
    expect(asked.methods()).toHaveLength(8);
    const never = await live({}, { dialect: "standard" });
    expect(never.methods()).toEqual(NAMES);
    asked.bridge.close();
    never.bridge.close();
  });

  it("T06: a view that restarts is classified again", async () => {
    const { bridge, say, methods, raw } = mount();
    bridge.sendToolInput();
    await say({ id: 1, method: "ui/initialize", params: {} });
    await say({ method: "ui/notifications/initialized" });
    raw.length = 0;
    await say({ id: 2, method: "ui/initialize", params: STANDARD });
    await say({ method: "ui/notifications/initialized" });
    expect(methods()).toEqual([NAMES[0]]);
    bridge.close();
  });

  it.each([
    [{ ...STANDARD, protocolVersion: "0.3" }, true],
    [{ ...STANDARD, protocolVersion: "2025-01-01" }, true],
    [{ ...STANDARD, protocolVersion: "2025-11-21" }, false],
    [{ ...STANDARD, protocolVersion: undefined }, false],
    [{ protocolVersion: "2026-01-26", appCapabilities: {} }, false],
    [{ protocolVersion: "2026-01-26" }, true],
    [undefined, true],
    ["nonsense", true],
  ])("T06: %j looks early: %s", (params, early) => {
    expect(looksEarly(params)).toBe(early);
  });

  it("behaves as its example says", () => {
    expect(examples.early()).toEqual([true, false]);
  });
});
