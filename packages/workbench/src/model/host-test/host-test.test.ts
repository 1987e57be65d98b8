import type { GatewayClient } from "@vitrine/host/gateway";
import type { Tool } from "@vitrine/protocol";
import type { GatewayAnswer, GatewayQuestion, ModelViewTool } from "@vitrine/wire";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  callOf,
  StagedGateway,
  StagedPage,
  undrawnDocument,
  viewOf,
} from "../../../../../testing/workbench/conversation-stage.js";
import { PageConversation } from "../conversation/conversation.js";
import { Questions } from "../conversation/questions.js";
import { STRICT } from "../profiles/profile.js";
import { Servers } from "../servers.js";
import { exposeHostTest, HostTest, type HostTestPage } from "./host-test.js";
import { HOST_TEST_NAME } from "./host-test-api.js";

afterEach(() => void vi.unstubAllGlobals());

const inputSchema = { type: "object" as const };
const forApps = { _meta: { ui: { visibility: ["app"] } } };
/** Tools with an app, by server. */
const TOOLS: Record<string, Tool[]> = {
  shop: [
    { name: "show", inputSchema },
    { name: "hidden", inputSchema, ...forApps },
  ],
  bank: [
    { name: "show", inputSchema },
    { name: "pay", inputSchema },
  ],
};

/** A page connected to a gateway of the stage, and a program that drives it. */
async function stage() {
  const gateway = new StagedGateway();
  const page = new StagedPage(gateway);
  let testMode: true | undefined = true;
  page.answer("gateway/servers", () => ({
    servers: Object.keys(TOOLS).map((name) => ({ name, state: "ready", capabilities: {} })),
    testMode,
  }));
  page.answer("gateway/catalogue", ({ server }) => ({
    resources: [],
    templates: [],
    prompts: [],
    tools: TOOLS[server],
    views: TOOLS[server]?.map(({ name }) => ({ tool: name, uri: `ui://${server}/${name}` })),
  }));
  const conversation = new PageConversation({
    gateway: page.gateway,
    look: () => driven.look,
    profile: () => STRICT,
  });
  /** The prompts that the user sees, and functions that close them. */
  const shown: { question: GatewayQuestion; signal: AbortSignal; answer(answer: GatewayAnswer): void }[] = [];
  const driven: HostTestPage = {
    gateway: page.gateway as GatewayClient,
    conversation,
    servers: new Servers(page.gateway),
    questions: new Questions(),
    look: { locale: "en" },
    asking: (question, signal) => new Promise((answer) => shown.push({ question, signal, answer })),
  };
  const onTheme = vi.fn();
  const options = { theme: "system" as const, onTheme, limit: 200 };
  const test = new HostTest(driven, options);
  await Promise.all([driven.servers.load(), conversation.restore()]);
  /** Another gateway answers from now on. */
  const leaveTestMode = (): Promise<void> => {
    testMode = undefined;
    return driven.servers.load();
  };
  const ask = (method: string, signal = new AbortController().signal) =>
    driven.asking(
      { method, server: "shop", title: method, params: { a: 1 } } as unknown as GatewayQuestion,
      signal,
    );
  return { gateway, page, conversation, driven, options, onTheme, test, shown, leaveTestMode, ask };
}

describe("displayTestApp", () => {
  it.each([
    ["nothing", 'there is no app "nothing"; there are: shop/show, bank/show, bank/pay'],
    ["show", '"show" may mean shop/show, bank/show: name one of them'],
    ["bank", '"bank" may mean bank/show, bank/pay: name one of them'],
    ["shop/hidden", 'there is no app "shop/hidden"'],
  ])("%s is refused: %s", async (suite, sentence) => {
    const { test, page } = await stage();
    await expect(test.displayTestApp(suite)).rejects.toThrow(sentence);
    expect(page.of("conversation/call")).toEqual([]);
  });

  it.each([
    ["bank/pay", "bank", "pay"],
    ["pay", "bank", "pay"],
    ["shop", "shop", "show"],
  ])(
    "%s is the tool %s/%s, with its arguments, and explains why it is not shown",
    async (suite, server, tool) => {
      const { test, page } = await stage();
      page.onopen = async () => {
        throw new Error("the UI is no HTML");
      };
      await expect(test.displayTestApp(suite, { x: 1 })).rejects.toThrow(
        `the app of ${server}/${tool} is not shown: the UI is no HTML`,
      );
      expect(page.of("conversation/call")).toMatchObject([{ server, tool, arguments: { x: 1 } }]);
    },
  );

  it("gives up on an app that never begins", async () => {
    vi.stubGlobal("document", undrawnDocument);
    const { test, page } = await stage();
    page.onopen = async () => viewOf("v");
    await expect(test.displayTestApp("pay")).rejects.toMatchObject({
      code: "timeout",
      message: "200 ms were waited in vain for the app of bank/pay",
    });
  });
});

describe("confirmAction", () => {
  it("answers the user's question once, and removes it from the page", async () => {
    const { test, shown, ask } = await stage();
    const asked = ask("ui/open-link");
    expect(await test.confirmAction()).toEqual({
      method: "ui/open-link",
      server: "shop",
      title: "ui/open-link",
      params: { a: 1 },
    });
    expect(await asked).toEqual({ answer: "allow", remember: "once" });
    expect(shown[0]?.signal.aborted).toBe(true);
    await expect(test.confirmAction()).rejects.toThrow("a question about anything; open are: none");
  });

  it("waits for a question; of one method, if given", async () => {
    const { test, ask } = await stage();
    const other = ask("tools/call");
    const denied = test.confirmAction("deny", { method: "ui/message" });
    const asked = ask("ui/message");
    expect(await denied).toMatchObject({ method: "ui/message" });
    expect(await asked).toMatchObject({ answer: "deny" });
    await expect(test.confirmAction("allow", { method: "ui/message" })).rejects.toThrow(
      "open are: tools/call (tools/call)",
    );
    await test.confirmAction();
    expect(await other).toMatchObject({ answer: "allow" });
  });

  it("ignores questions that the user has answered, and withdrawn ones", async () => {
    const { test, shown, ask } = await stage();
    const asked = ask("ui/message");
    shown[0]?.answer({ answer: "deny" });
    expect(await asked).toEqual({ answer: "deny" });
    await expect(test.confirmAction()).rejects.toMatchObject({ code: "timeout" });
  });

  it("answers questions of servers: to the model, and to the user", async () => {
    const { test, driven } = await stage();
    const { signal } = new AbortController();
    const sampled = driven.questions.sample(
      { id: "1", server: "shop", model: "m", messages: [], maxTokens: 5 },
      signal,
    );
    expect(await test.confirmAction("deny")).toMatchObject({
      method: "sampling/createMessage",
      server: "shop",
    });
    expect(await sampled).toEqual({ answer: "deny" });
    const form = { id: "2", server: "shop", message: "Which size?", mode: "form" as const, schema: {} };
    const filled = driven.questions.elicit(form, signal);
    const which = { method: "elicitation/create", content: { size: 4 } };
    expect(await test.confirmAction("allow", which)).toMatchObject({ title: "Which size?" });
    expect(await filled).toEqual({ action: "accept", content: { size: 4 } });
    const declined = driven.questions.elicit(form, signal);
    await test.confirmAction("deny");
    expect(await declined).toEqual({ action: "decline" });
  });

  it("accepts no other answer", async () => {
    const { test } = await stage();
    await expect(test.confirmAction("yes" as never)).rejects.toThrow('takes "allow" or "deny"');
  });
});

describe("the messages, and the model's input", () => {
  it("has every entry, by its author", async () => {
    const { gateway, conversation, test } = await stage();
    const from = { item: "c", server: "shop", title: "Show" };
    gateway.put(
      conversation.id ?? "",
      { kind: "user", id: "u", at: 1, content: [{ type: "text", text: "Hello" }], from },
      { kind: "model", id: "m", at: 2, model: "x", text: "Yes?", state: "streaming" },
      callOf("c", {
        hasApp: false,
        by: "model",
        state: "failed",
        problem: "no",
        result: { content: [{ type: "text", text: "sold out" }], isError: true },
      }),
      { kind: "note", id: "n", at: 3, level: "info", code: "x", text: "A note" },
    );
    const said = await test.getConversation();
    expect(said).toMatchObject([
      { role: "user", content: [{ text: "Hello" }], state: "done", from },
      { role: "assistant", content: [{ text: "Yes?" }], state: "streaming" },
      { role: "tool", content: [{ text: "sold out" }], state: "failed", problem: "no" },
      { role: "host", content: [{ text: "A note" }] },
    ]);
    expect(said[2]?.call).toEqual({
      server: "s",
      name: "t",
      arguments: { x: 1 },
      by: "model",
      app: undefined,
    });
  });

  const offer = (server: string, tool: string): ModelViewTool => ({
    name: `${server}__${tool}`,
    server,
    tool,
    inputSchema,
  });

  it("has tools by their own names, and calls them by those, if they belong to one app", async () => {
    const { gateway, page, conversation, test } = await stage();
    const tools = [offer("shop", "show"), offer("bank", "show"), offer("bank", "pay")];
    page.answer("conversation/model-view", () => ({ system: "s", messages: [], tools }));
    expect((await test.getConversationContext()).tools[2]).toEqual({
      name: "pay",
      offeredAs: "bank__pay",
      server: "bank",
      inputSchema,
    });
    await expect(test.callTool("show")).rejects.toThrow("name one of shop__show, bank__show");
    await expect(test.callTool("sell")).rejects.toThrow(
      'no tool "sell", but: shop__show, bank__show, bank__pay',
    );
    const result = { content: [{ type: "text" as const, text: "paid" }] };
    page.answer("conversation/model-call", ({ id, name }) => {
      const end = name === "bank__pay" ? { result } : { state: "failed" as const, problem: "no money" };
      gateway.put(id, callOf(name, { hasApp: false, ...end }));
      return { item: name };
    });
    expect(await test.callTool("pay", { amount: 1 })).toEqual(result);
    await expect(test.callTool("bank__show")).rejects.toThrow("bank__show has no result: no money");
    expect(page.of("conversation/model-call")[0]).toEqual({
      id: conversation.id,
      name: "bank__pay",
      arguments: { amount: 1 },
    });
  });

  it("sendMessage ends with the model's answer, or with a question", async () => {
    const { gateway, page, conversation, test, ask } = await stage();
    const id = conversation.id ?? "";
    const run = (isRunning: boolean): void =>
      gateway.tell(id, { kind: "state", title: "", isRunning, usage: { input: 0, output: 0 } });
    page.answer("conversation/send", () => {
      run(true);
      return { item: "u" };
    });
    let isOver = false;
    const sent = test.sendMessage("Hello").then(() => {
      isOver = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(isOver).toBe(false);
    run(false);
    await sent;
    void ask("tools/call");
    await test.sendMessage("Again");
    expect(conversation.isRunning).toBe(true);
    expect(page.of("conversation/send")).toMatchObject([{ content: [{ text: "Hello" }] }, { id }]);
  });
});

describe("the environment", () => {
  it("is changed for later apps, with the page's theme; a change that is not possible is refused as a whole", async () => {
    const { test, driven, onTheme } = await stage();
    await test.changeHostContext({
      theme: "dark",
      deviceCapabilities: { touch: true },
      containerDimensions: { maxHeight: 300 },
    });
    const look = { locale: "en", theme: "dark", touch: true, maxHeight: 300 };
    expect([driven.look, onTheme.mock.calls]).toEqual([look, [["dark"]]]);
    for (const wrong of [{ theme: "light", styles: {} }, { containerDimensions: { depth: 1 } }])
      await expect(test.changeHostContext(wrong as never)).rejects.toThrow(
        /cannot change (styles|containerDimensions\.depth), but: theme, .*containerDimensions\.maxHeight/,
      );
    expect(driven.look).toEqual(look);
  });

  it.each([
    [{ theme: 5 }, 'theme must be "light" or "dark", and is 5'],
    [{ theme: null }, "theme must be"],
    [{ displayMode: "window" }, "displayMode must be"],
    [{ locale: "not a locale" }, "locale must be a BCP 47 locale"],
    [{ locale: 5 }, "locale must be"],
    [{ timeZone: "Mars/Olympus" }, "timeZone must be an IANA time zone"],
    [{ platform: "watch" }, "platform must be"],
    [{ safeAreaInsets: { top: 1, right: 1, bottom: 1 } }, "safeAreaInsets must be"],
    [{ safeAreaInsets: { top: -1, right: 0, bottom: 0, left: 0 } }, "safeAreaInsets must be"],
    [
      { containerDimensions: { height: -5 } },
      "containerDimensions.height must be pixels, more than 0, and is -5",
    ],
    [{ containerDimensions: { width: Number.NaN } }, "containerDimensions.width must be"],
    [{ containerDimensions: { maxHeight: "9" } }, "containerDimensions.maxHeight must be"],
    [{ containerDimensions: 5 }, "containerDimensions must be an object"],
    [{ deviceCapabilities: { touch: "yes" } }, "deviceCapabilities.touch must be true or false"],
    [{ deviceCapabilities: null }, "deviceCapabilities must be an object"],
  ])("refuses %j, and changes nothing", async (wrong, message) => {
    const { test, driven, onTheme } = await stage();
    const change = test.changeHostContext({ locale: "de", ...wrong } as never);
    await expect(change).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining(message),
    });
    expect([driven.look, onTheme.mock.calls]).toEqual([{ locale: "en" }, []]);
  });

  it("is as at the start after a reset: no question, no look, and none of its own conversations", async () => {
    const { gateway, page, conversation, test, driven, onTheme, ask } = await stage();
    gateway.put(conversation.id ?? "", { kind: "user", id: "u", at: 1, content: [] });
    const ofThePerson = conversation.id;
    page.onopen = async () => {
      throw new Error("no");
    };
    await test.displayTestApp("pay").catch(() => {});
    const ofTheTest = conversation.id;
    await test.changeHostContext({ theme: "dark" });
    const asked = ask("ui/message");
    await test.resetEnvironment();
    expect(await asked).toMatchObject({ answer: "deny" });
    expect([driven.look, onTheme.mock.calls.at(-1)]).toEqual([{ locale: "en" }, ["system"]]);
    expect(new Set([ofThePerson, ofTheTest, conversation.id]).size).toBe(3);
    expect(page.of("conversation/delete")).toEqual([{ id: ofTheTest }]);
    expect(await test.getConversation()).toEqual([]);
    // There is nothing to leave: the same conversation continues.
    await test.resetEnvironment();
    expect(page.of("conversation/delete")).toHaveLength(1);
  });
});

it("is among the page's globals as long as its gateway is in test mode", async () => {
  const { driven, options, leaveTestMode } = await stage();
  exposeHostTest(driven, options);
  const found = (): object | undefined => Reflect.get(globalThis, HOST_TEST_NAME);
  expect(Object.keys(found() ?? {}).sort()).toEqual([
    ...["callTool", "changeHostContext", "confirmAction", "displayTestApp"],
    ...["getConversation", "getConversationContext", "resetEnvironment", "sendMessage"],
  ]);
  await leaveTestMode();
  expect(found()).toBeUndefined();
  expect(HOST_TEST_NAME in globalThis).toBe(false);
});
