import type { Bridge } from "@vitrine/host";
import type { GatewayView } from "@vitrine/host/gateway";
import { INSTANCE_KEY, type Tool } from "@vitrine/protocol";
import type { CallItem as ToldCall } from "@vitrine/wire";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  appBehind,
  callOf,
  refusal,
  StagedGateway,
  StagedPage,
  storageOf,
  undrawnDocument,
  viewOf,
} from "../../../../../testing/workbench/conversation-stage.js";
import { PageConversation, type PageConversationOptions } from "../conversation/conversation.js";
import { STRICT } from "../profiles/profile.js";
import type { PageCall } from "./call-item.js";

const CALL = { conversation: "c", item: "a" };
const refuse = async (): Promise<never> => {
  throw new Error("no such server");
};

/** A page that shows a conversation with these calls; `views` are from before a reload. */
async function stage(
  calls: ToldCall[],
  open: StagedPage["onopen"] = async () => viewOf("new"),
  views: GatewayView[] = [],
  options: Partial<PageConversationOptions> = {},
) {
  const gateway = new StagedGateway().keep("c", calls);
  const page = new StagedPage(gateway);
  page.onopen = open;
  page.views = views;
  const storage = storageOf({ "vitrine-conversation": "c" });
  const all = { gateway: page.gateway, storage, look: () => ({}), profile: () => STRICT, ...options };
  const conversation = new PageConversation(all);
  await conversation.restore();
  const [item] = conversation.items as PageCall[];
  if (!item) throw new Error("nothing was restored");
  return { gateway, page, conversation, item, options: all };
}

describe("the app of a call", () => {
  it("is opened as soon as the call exists, also while the model writes its arguments, and once", async () => {
    const { gateway, page, conversation } = await stage([callOf("x", { hasApp: false })]);
    const writing = { by: "model", state: "writing", inputText: "" } as const;
    gateway.put("c", callOf("a", { ...writing, input: undefined }));
    expect(page.of("gateway/open")).toEqual([{ server: "s", tool: "t", call: CALL, narrow: STRICT.narrow }]);
    gateway.put("c", callOf("a", { by: "model", state: "running" }));
    gateway.put("c", callOf("a", { by: "model", result: { content: [] } }));
    await vi.waitFor(() => expect(conversation.apps).toHaveLength(1));
    expect(page.of("gateway/open")).toHaveLength(1);
    expect(conversation.apps[0]?.source.isRestored).toBe(false);
  });

  it("is opened for a manual call because the page knows that there is one, before the gateway reports it", async () => {
    const { page, conversation } = await stage([callOf("x", { hasApp: false })]);
    const item = conversation.call("s", "t", {}, true);
    await vi.waitFor(() => expect(item.app).toBeDefined());
    expect(page.of("gateway/open")).toMatchObject([{ call: { conversation: "c", item: item.id } }]);
    expect(item.state).toBe("running");
    const bare = conversation.call("s", "t", {}, false);
    await vi.waitFor(() => expect(bare.id).not.toBe(bare.key));
    expect(page.of("gateway/open")).toHaveLength(1);
  });

  it("that cannot be opened is reported in its call, which continues", async () => {
    const { gateway, page, item } = await stage([callOf("a", { state: "running" })], refuse);
    await vi.waitFor(() => expect(item.problem).toBe("no such server"));
    expect(item.state).toBe("running");
    gateway.put("c", callOf("a", { result: { content: [] } }));
    expect(item).toMatchObject({ state: "done", problem: "no such server" });
    expect(page.of("gateway/open")).toHaveLength(1);
  });

  it("is the one from before a reload, if the gateway still has it; unclaimed ones are closed", async () => {
    const closed: string[] = [];
    const kept = (id: string, call?: typeof CALL) =>
      viewOf(id, { call }, { close: async () => void closed.push(id) });
    const { page, conversation, item } = await stage(
      [callOf("a"), callOf("b", { page: { isClosed: true } })],
      refuse,
      [
        kept("other", { conversation: "d", item: "a" }),
        kept("old", CALL),
        kept("twice", CALL),
        kept("closed", { conversation: "c", item: "b" }),
        kept("recording"),
      ],
    );
    expect([item.view, item.app?.source.isRestored]).toEqual(["old", true]);
    expect(conversation.apps).toHaveLength(1);
    expect(closed).toEqual(["other", "twice", "closed", "recording"]);
    expect(page.of("gateway/open")).toEqual([]);
  });

  it("that the gateway has no more is opened again from its call, in the host that it was in", async () => {
    const narrow = ["frames"] as never;
    const profile = (id?: string) => (id === "chat" ? { ...STRICT, id: "chat", narrow } : STRICT);
    const { page, item } = await stage([callOf("a", { page: { profile: "chat" } })], undefined, [], {
      profile,
    });
    await vi.waitFor(() => expect(item.app?.source.isRestored).toBe(true));
    expect(page.of("gateway/open")).toEqual([{ server: "s", tool: "t", call: CALL, narrow }]);
    expect(item.app?.profile.id).toBe("chat");
  });

  it("that the user closed stays closed after a reload; a running call is cancelled", async () => {
    const { page, conversation, item } = await stage([callOf("a", { state: "running" })]);
    await vi.waitFor(() => expect(item.app).toBeDefined());
    await conversation.closeApp(item);
    expect([item.app, item.view]).toEqual([undefined, undefined]);
    expect(page.of("conversation/stop")).toEqual([{ id: "c", item: "a" }]);
    expect(page.of("conversation/keep")).toMatchObject([{ id: "c", item: "a", page: { isClosed: true } }]);
    const again = await stage([callOf("a", { page: page.of("conversation/keep")[0]?.page })]);
    expect(again.page.of("gateway/open")).toEqual([]);
  });

  it("that was closed while it was being opened does not come", async () => {
    let open = (_: GatewayView): void => {};
    const { conversation, item } = await stage([callOf("a")], () => new Promise((give) => (open = give)));
    await conversation.closeApp(item);
    const close = vi.fn(async () => {});
    open(viewOf("late", {}, { close }));
    await vi.waitFor(() => expect(close).toHaveBeenCalledTimes(1));
    expect(item.app).toBeUndefined();
  });

  it("and ends by itself is reported in its call, which stays as it was", async () => {
    const view = viewOf("old", { call: CALL });
    const { item } = await stage([callOf("a", { state: "running" })], refuse, [view]);
    view.onclosed?.("the gateway is gone");
    expect(item).toMatchObject({ state: "running", problem: "the gateway is gone" });
  });

  it("and cannot be closed properly is reported in its call", async () => {
    const view = viewOf("old", { call: CALL }, { close: refuse });
    const { conversation, item } = await stage([callOf("a")], refuse, [view]);
    await conversation.closeApp(item);
    expect(item.app).toBeUndefined();
    expect(item.problem).toBe("The app could not be closed properly: no such server");
  });

  it("has the name of its call, and its document is remembered with that", async () => {
    const { page, item } = await stage([callOf("a")], async () => viewOf("new", { hash: "one" }));
    await vi.waitFor(() => expect(item.document).toBe("one"));
    expect(item.app?.source.frame.context?.[INSTANCE_KEY]).toBe("a");
    expect(page.of("conversation/keep")).toEqual([
      { id: "c", item: "a", page: { key: "a", profile: "strict", document: "one" } },
    ]);
  });
});

describe("an app whose document was changed while the page was away", () => {
  const NOTE = "The document of this app was changed on its server while the page was away.";
  const saved = callOf("a", { page: { document: "one" } });
  const old = (hash?: string): GatewayView => viewOf("old", { call: CALL, hash });

  it.each([
    ["that the gateway still has says so", [old("two")], NOTE],
    ["that the gateway still has, and is the same, says nothing", [old("one")], undefined],
    ["of which the gateway does not say what it is says nothing", [old()], undefined],
    ["that the gateway has no more says so", [], NOTE],
  ])("%s", async (_which, kept, note) => {
    const { page, item } = await stage([saved], async () => viewOf("new", { hash: "two" }), kept);
    await vi.waitFor(() => expect(item.app).toBeDefined());
    expect(item.note).toBe(note);
    // Shown once: after the next reload the document is known.
    const remembered = page.of("conversation/keep").at(-1)?.page ?? saved.page;
    const view = viewOf("old", { call: CALL, hash: `${item.document}` });
    const again = await stage([callOf("a", { page: remembered })], refuse, [view]);
    expect([again.item.app !== undefined, again.item.note]).toEqual([true, undefined]);
  });

  it("and comes back late reports it when it is back; for several at once the gateway is asked once", async () => {
    const problem = { code: "load-failed", message: "its document is being read" };
    const late = (id: string) =>
      viewOf(id, { view: `${id}-now`, call: { conversation: "c", item: id }, problem, hash: "one" });
    const calls = ["a", "b"].map((id) => callOf(id, { page: { document: "one" } }));
    const { page, conversation, item } = await stage(calls, refuse, [late("a"), late("b")]);
    const mount = async () =>
      (await Promise.allSettled(conversation.apps.map(async ({ source }) => source.frame.view))).map(
        (each) => (each.status === "fulfilled" ? each.value : String(each.reason.message)),
      );
    expect(await mount()).toEqual([problem.message, problem.message]);
    expect(page.of("gateway/views")).toHaveLength(1);
    const place = { src: "http://p.l.localhost/back" };
    page.answer("gateway/views", () => ({ views: [{ view: "a-now", place, hash: "two" }] }));
    expect(item.note).toBeUndefined();
    expect(await mount()).toEqual([place, problem.message]);
    expect(item.note).toBe(NOTE);
    // The gateway cannot be reached, so the last known value is used.
    page.answer("gateway/views", refuse);
    expect(await mount()).toEqual([place, problem.message]);
  });

  it("while it was shown is noted, until the app restarts", async () => {
    const view = old("one");
    const { conversation, item } = await stage([saved], async () => viewOf("new", { hash: "three" }), [view]);
    view.onreopened?.();
    expect(item.note).toBeUndefined();
    Object.assign(view.opened, { hash: "two" });
    view.onreopened?.();
    expect(item.note).toBe(`${NOTE} The app still shows the old one.`);
    await conversation.renew("s", new Set(["t"]));
    expect([item.view, item.document, item.note]).toEqual(["new", "three", undefined]);
  });
});

describe("in the conversation, an app", () => {
  beforeEach(() => void vi.stubGlobal("document", undrawnDocument));
  afterEach(() => void vi.unstubAllGlobals());

  const bridgeOf = (item: PageCall): Bridge => {
    const bridge = item.app?.element.bridge;
    if (!bridge) throw new Error("there is no bridge");
    return bridge;
  };
  /** A running app that offers `tools`. */
  async function running(tools?: () => Tool[]) {
    const view = viewOf("old", { call: CALL, view: "v-1" });
    const staged = await stage([callOf("a")], undefined, [view]);
    const app = await appBehind(bridgeOf(staged.item), tools);
    return { ...staged, view, app };
  }
  const tool = (name: string): Tool => ({ name, inputSchema: { type: "object" } });
  const content = [{ type: "text" as const, text: "hi" }];

  it("receives partial arguments, then all of them once, then the result (L04, L05)", async () => {
    const view = viewOf("old", { call: CALL });
    const { item } = await stage([callOf("a", { state: "writing", input: undefined })], undefined, [view]);
    const bridge = bridgeOf(item);
    const heard: unknown[] = [];
    await appBehind(bridge, undefined, (what, params) => heard.push([what, params]));
    const tell = (what: string, params: object): void =>
      view.onnotice?.({ method: `ui/notifications/tool-${what}`, params } as never);
    tell("input-partial", { arguments: { city: "Ro" } });
    tell("input-partial", { arguments: { city: "Rome" } });
    for (let times = 0; times < 2; times++) tell("input", { arguments: { city: "Rome" } });
    tell("input-partial", { arguments: { city: "late" } });
    tell("result", { content });
    await vi.waitFor(() => expect(heard).toHaveLength(4));
    expect(heard).toEqual([
      ["input-partial", { arguments: { city: "Ro" } }],
      ["input-partial", { arguments: { city: "Rome" } }],
      ["input", { arguments: { city: "Rome" } }],
      ["result", { content }],
    ]);
  });

  it("I05: writes as the user would, and gets the outcome", async () => {
    const { page, app } = await running();
    await app.request("ui/message", { role: "user", content });
    expect(page.of("conversation/send")).toEqual([{ id: "c", view: "v-1", content }]);
    page.answer("conversation/send", () => Promise.reject(refusal("overloaded", "too many messages wait")));
    await expect(app.request("ui/message", { role: "user", content })).rejects.toThrow(
      "too many messages wait",
    );
  });

  it("I06: sends its model context, each time, and gets the outcome", async () => {
    const { page, app, item } = await running();
    for (let times = 0; times < 2; times++) await app.request("ui/update-model-context", { content });
    expect(page.of("conversation/context")).toEqual([
      { id: "c", view: "v-1", content },
      { id: "c", view: "v-1", content },
    ]);
    expect(item.app?.modelContext).toEqual({ content });
    page.answer("conversation/context", () => Promise.reject(refusal("overloaded", "too often")));
    await expect(app.request("ui/update-model-context", { content })).rejects.toThrow("too often");
  });

  it("A01: offers its tools, under its own names, when they change, and none at its end", async () => {
    let tools = [tool("zoom")];
    const { page, conversation, app, item } = await running(() => tools);
    const offered = () => page.of("conversation/app-tools").map((each) => each.tools.map(({ name }) => name));
    await vi.waitFor(() => expect(offered()).toEqual([["zoom"]]));
    expect(page.of("conversation/app-tools")[0]).toMatchObject({ id: "c", view: "v-1" });
    tools = [tool("zoom"), tool("pan")];
    app.notify("notifications/tools/list_changed", {});
    await vi.waitFor(() => expect(offered()).toEqual([["zoom"], ["zoom", "pan"]]));
    await conversation.closeApp(item);
    await vi.waitFor(() => expect(offered()).toEqual([["zoom"], ["zoom", "pan"], []]));
  });

  it("A01: without tools is not asked for any, and none are reported", async () => {
    const { page, item } = await running();
    await vi.waitFor(() => expect(item.app?.details).toBeDefined());
    await new Promise((resolve) => setImmediate(resolve));
    expect(item.app?.log.counts.out).toBe(1);
    expect(page.of("conversation/app-tools")).toEqual([]);
  });

  it("is called by the gateway, and returns its tool's result; an app that is not open is not called", async () => {
    const { conversation } = await running(() => [tool("zoom")]);
    expect(await conversation.callAppTool("old", "zoom", {})).toEqual({
      content: [{ type: "text", text: "did zoom" }],
    });
    await expect(conversation.callAppTool("old", "none", {})).rejects.toThrow("no tool");
    await expect(conversation.callAppTool("other", "zoom", {})).rejects.toThrow("not open");
  });

  it("repeats its state for a gateway that was restarted, under its new name", async () => {
    const { page, view, app } = await running(() => [tool("zoom")]);
    await app.request("ui/update-model-context", { content });
    await vi.waitFor(() => expect(page.of("conversation/app-tools")).toHaveLength(1));
    Object.assign(view.opened, { view: "v-2" });
    view.onreopened?.();
    await vi.waitFor(() => expect(page.of("conversation/app-tools")).toHaveLength(2));
    expect(page.of("conversation/app-tools")[1]).toMatchObject({ view: "v-2", tools: [{ name: "zoom" }] });
    expect(page.of("conversation/context").map((each) => each.view)).toEqual(["v-1", "v-2"]);
  });

  it("whose tools are refused shows that in its log", async () => {
    const view = viewOf("old", { call: CALL });
    const { page, item } = await stage([callOf("a")], undefined, [view]);
    page.answer("conversation/app-tools", () => Promise.reject(new Error("no room")));
    await appBehind(bridgeOf(item), () => [tool("zoom")]);
    await vi.waitFor(() =>
      expect(item.app?.log.lines.map(({ text }) => text)).toEqual([
        "The app's tools and context could not be sent to the model: no room",
      ]),
    );
  });
});
