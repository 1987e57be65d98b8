import type { Gateway, GatewayState, GatewayView } from "@vitrine/host/gateway";
import { INSTANCE_KEY } from "@vitrine/protocol";
import { describe, expect, it, vi } from "vitest";
import { AppModel } from "./app-model.js";
import type { CallItem } from "./call-item.js";
import { Conversation, type ConversationOptions } from "./conversation.js";
import { STRICT } from "./profile.js";
import { readSaved, type SavedCall } from "./saved-conversation.js";

const call = (more: Partial<SavedCall> = {}): SavedCall => ({
  ...{ kind: "call", id: "a", at: 1, server: "s", tool: "t", input: { x: 1 }, state: "done", view: "old" },
  ...more,
});

/** A view as the gateway hands it over: no app of these tests is ever drawn. */
const viewOf = (id: string, more: Partial<GatewayView> = {}): GatewayView =>
  ({
    id,
    opened: { view: id, server: "s", capabilities: {}, uri: "ui://s/a" },
    upstream: { server: "s" },
    cancel: async () => true,
    close: async () => {},
    ...more,
  }) as unknown as GatewayView;

/** A page that had these entries before it was reloaded; `open` is how the gateway opens a view. */
async function stage(
  saved: unknown[],
  open: () => Promise<GatewayView>,
  kept: GatewayView[] = [],
  more: object = { state: { phase: "connecting" } },
  options: Partial<ConversationOptions> = {},
) {
  const stored = new Map([["vitrine-conversation", JSON.stringify(saved)]]);
  const openView = vi.fn(open);
  const all = {
    gateway: { openView, restoreViews: async () => kept, ...more } as unknown as Gateway,
    storage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, text: string) => stored.set(key, text),
    } as unknown as Storage,
    look: () => ({}),
    profile: () => STRICT,
    ...options,
  } satisfies ConversationOptions;
  const conversation = new Conversation(all);
  await conversation.restore();
  const items = conversation.items.filter((item): item is CallItem => item.kind === "call");
  const [item] = items;
  if (!item) throw new Error("nothing was restored");
  return {
    conversation,
    item,
    openView,
    options: all,
    stored: () => readSaved(stored.get("vitrine-conversation")),
  };
}

/** The same, of a document with this hash. */
const documentOf = (id: string, hash: string): GatewayView =>
  viewOf(id, { opened: { view: id, server: "s", capabilities: {}, uri: "ui://s/a", hash } });

const TOOLS = new Set(["t"]);
const refuse = async (): Promise<never> => {
  throw new Error("no such server");
};

describe("secrets among the arguments", () => {
  const schema = () => ({ properties: { pin: { type: "string", format: "password" } } });

  it("are sent, and never kept: after a reload the call says that they are missing", async () => {
    const { conversation, stored, options } = await stage([call()], async () => viewOf("new"));
    const request = vi.fn(async () => ({ content: [] }));
    Object.assign(options.gateway, { request });
    Object.assign(options, { schema });
    const input = { pin: "s3cret-1", apiKey: "s3cret-2", city: "Rome" };
    const item = conversation.call("s", "pay", input, false);
    conversation.call("s", "look", { city: "Rome" }, false);
    await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(2));
    expect(request.mock.calls[0]).toMatchObject(["gateway/call", { arguments: input }, {}]);
    expect([item.input, item.isInputCut]).toEqual([input, false]);
    conversation.flush();
    const saved = stored();
    expect(JSON.stringify(saved)).not.toContain("s3cret");
    const again = (await stage(saved, refuse)).conversation.items.slice(1) as CallItem[];
    expect(again.map(({ tool, input, isInputCut }) => [tool, input, isInputCut])).toEqual([
      ["pay", { city: "Rome" }, true],
      ["look", { city: "Rome" }, false],
    ]);
    expect(again.map(({ saved: { isInputCut } }) => isInputCut)).toEqual([true, undefined]);
  });
});

describe("after a reload", () => {
  it("a call whose app cannot be opened again has failed, and does not run for ever", async () => {
    const { item } = await stage([call({ state: "running" })], refuse);
    await vi.waitFor(() => expect(item.state).toBe("failed"));
    expect(item.problem).toBe("no such server");
  });

  it("a call that was over stays so when its app cannot be opened again", async () => {
    const { item } = await stage([call()], refuse);
    await vi.waitFor(() => expect(item.problem).toBe("no such server"));
    expect(item.state).toBe("done");
  });

  it("an app is known to have been open before, and a recording says so; that of a new call is not", async () => {
    const kept = viewOf("kept");
    const { conversation, item } = await stage([call({ view: "kept" })], async () => viewOf("new"), [kept]);
    expect(item.app?.source.isRestored).toBe(true);
    const fresh = conversation.call("s", "t", {}, true);
    await vi.waitFor(() => expect(fresh.app?.source.isRestored).toBe(false));
  });

  describe("a call without an app that was under way", () => {
    const waiting = call({ id: "7-9", state: "running", view: undefined, request: "7-9.1" });
    const reload = (saved: SavedCall, state: GatewayState) => {
      const request = vi.fn(async () => ({ content: [{ type: "text", text: "done" }] }));
      return { request, staged: stage([saved], refuse, [], { request, state }) };
    };
    const resumed: GatewayState = { phase: "open", over: "websocket", resumed: true };

    it("has its answer where the gateway remembers the page: it is asked under the same name", async () => {
      const { request, staged } = reload(waiting, resumed);
      const { item } = await staged;
      await vi.waitFor(() => expect(item.state).toBe("done"));
      expect(item.result?.content).toEqual([{ type: "text", text: "done" }]);
      const asked = { server: "s", name: "t", arguments: { x: 1 } };
      expect(request.mock.calls).toMatchObject([["gateway/call", asked, { id: "7-9.1" }]]);
    });

    it.each<[string, SavedCall, GatewayState]>([
      ["the gateway does not remember the page", waiting, { ...resumed, resumed: false }],
      ["it had secrets, which are not kept", { ...waiting, isInputCut: true }, resumed],
      ["its app was just being opened", { ...waiting, request: undefined }, resumed],
    ])("is not made again where %s: it says where to look", async (_where, saved, state) => {
      const { request, staged } = reload(saved, state);
      const { item } = await staged;
      expect(item.state).toBe("failed");
      expect(item.problem).toContain("audit log");
      expect(request).not.toHaveBeenCalled();
    });
  });

  it("a call is known by name before it is asked, and an app is opened as narrow as its profile is", async () => {
    const { conversation, openView, options, stored } = await stage([call()], async () => viewOf("new"));
    const request = vi.fn(() => new Promise(() => {}));
    Object.assign(options.gateway, { request });
    const item = conversation.call("s", "slow", {}, false);
    conversation.flush();
    expect(stored().at(-1)).toMatchObject({ state: "running", request: `${item.id}.1` });
    expect(item.request).toMatch(/^[\w-]+\.1$/);
    conversation.call("s", "t", {}, true);
    await vi.waitFor(() => expect(openView).toHaveBeenCalledTimes(2));
    // The first is that of the page before, which the gateway had no more.
    for (const asked of openView.mock.calls as unknown[][])
      expect(asked[0]).toMatchObject({ narrow: STRICT.narrow });
  });

  it("an app whose result could not be kept is told that none comes", async () => {
    const view = viewOf("new");
    const { item } = await stage([call({ isResultLost: true })], async () => view);
    await vi.waitFor(() => expect(item.app).toBeDefined());
    expect(view.opened).toMatchObject({ input: { x: 1 }, cancelled: expect.stringMatching("too large") });
    expect(item.state).toBe("done");
  });

  it("what was kept and is no entry breaks nothing", async () => {
    const { conversation } = await stage([{}, call({ view: undefined }), { kind: "message" }], refuse);
    expect(conversation.items.map(({ id }) => id)).toEqual(["a"]);
  });
});

it("a large result does not take the others with it", async () => {
  const { conversation, item, stored } = await stage([call({ view: undefined }), call({ id: "b" })], refuse);
  item.update({ result: { content: [{ type: "text", text: "x".repeat(5_000_000) }] } });
  conversation.flush();
  expect(stored().map(({ id }) => id)).toEqual(["a", "b"]);
});

describe("a view that ends", () => {
  it("ends the call that it was to show", async () => {
    const view = viewOf("old");
    const { item } = await stage([call({ state: "running" })], refuse, [view]);
    view.onclosed?.("the gateway is gone");
    expect(item).toMatchObject({ state: "failed", problem: "the gateway is gone" });
  });

  it("and cannot be closed in order is said in its call", async () => {
    const close = refuse;
    const { conversation, item } = await stage([call()], refuse, [viewOf("old", { close })]);
    await conversation.closeApp(item);
    expect(item.app).toBeUndefined();
    expect(item.problem).toBe("The app could not be closed in order: no such server");
  });
});

it("that a call cannot be taken back is said in it, and it is not called cancelled later", async () => {
  const cancel = refuse;
  const { item } = await stage([call({ state: "running" })], refuse, [viewOf("old", { cancel })]);
  item.cancel();
  await vi.waitFor(() => expect(item.problem).toBe("The call could not be taken back: no such server"));
  expect(item.state).toBe("running");
  item.end("lost");
  expect(item).toMatchObject({ state: "failed", problem: "lost" });
});

describe("an app whose document was changed while the page was away", () => {
  const NOTE = "The document of this app was changed on its server while the page was away.";
  const saved = call({ document: "one" });

  it.each([
    ["that the gateway still has says so", [documentOf("old", "two")], NOTE],
    ["that the gateway still has, and is the same, says nothing", [documentOf("old", "one")], undefined],
    ["of which the gateway does not say what it is says nothing", [viewOf("old")], undefined],
    ["that the gateway has no more says so", [], NOTE],
  ])("%s", async (_which, kept, note) => {
    const { conversation, item, stored } = await stage([saved], async () => documentOf("new", "two"), kept);
    await vi.waitFor(() => expect(item.app).toBeDefined());
    expect(item.note).toBe(note);
    // It is said once: after the next reload the document is known.
    conversation.flush();
    const [again] = (await stage(stored(), refuse, [documentOf(`${item.view}`, `${item.document}`)]))
      .conversation.items as CallItem[];
    expect([again?.app !== undefined, again?.note]).toEqual([true, undefined]);
  });

  it("and comes back late says so when it is back", async () => {
    const late = documentOf("old", "one");
    Object.assign(late.opened, { problem: { code: "load_failed", message: "it is being read" } });
    const place = { src: "http://p.l.localhost/back" };
    const request = async () => ({ views: [{ view: "old", place, hash: "two" }] });
    const { item } = await stage([saved], refuse, [late], { request, state: { phase: "connecting" } });
    expect(item.note).toBeUndefined();
    expect(await item.app?.source.frame.view).toEqual(place);
    expect(item.note).toBe(NOTE);
  });

  it("while it was shown says so, and that it is the one from before, until it begins anew", async () => {
    const view = documentOf("old", "one");
    const { conversation, item } = await stage([saved], async () => documentOf("new", "three"), [view]);
    view.onreopened?.();
    expect(item.note).toBeUndefined();
    Object.assign(view.opened, { hash: "two" });
    view.onreopened?.();
    expect(item.note).toBe(`${NOTE} The app is still the one from before.`);
    await conversation.renew("s", TOOLS);
    expect([item.view, item.document, item.note]).toEqual(["new", "three", undefined]);
  });
});

describe("an app whose UI has changed", () => {
  it("is the same to itself, and looks as it did", async () => {
    const { conversation, item, options } = await stage([call()], async () => viewOf("new"), [viewOf("old")]);
    const nameOf = (): unknown => item.app?.source.frame.context?.[INSTANCE_KEY];
    expect(nameOf()).toBe(item.id);
    const before = item.app;
    // What new apps look like is another thing.
    Object.assign(options, { look: () => ({ theme: "dark" }) });
    await conversation.renew("s", TOOLS);
    expect(item.app).not.toBe(before);
    expect([item.view, nameOf(), item.app?.look]).toEqual(["new", item.id, {}]);
  });

  it("is opened again one time at a time, and once more if it changed meanwhile", async () => {
    const opened: ((view: GatewayView) => void)[] = [];
    const { conversation, item, openView } = await stage(
      [call()],
      () => new Promise((resolve) => opened.push(resolve)),
      [viewOf("old")],
    );
    const renewed = conversation.renew("s", TOOLS);
    await vi.waitFor(() => expect(openView).toHaveBeenCalledTimes(1));
    void conversation.renew("s", TOOLS);
    void conversation.renew("s", TOOLS);
    await new Promise((resolve) => setImmediate(resolve));
    expect(openView).toHaveBeenCalledTimes(1);
    opened[0]?.(viewOf("second"));
    await vi.waitFor(() => expect(openView).toHaveBeenCalledTimes(2));
    opened[1]?.(viewOf("third"));
    await renewed;
    expect(openView).toHaveBeenCalledTimes(2);
    expect(item.view).toBe("third");
  });

  /** An app that runs, and what is done to it. */
  function running(item: CallItem): string[] {
    const done: string[] = [];
    const app = item.app;
    if (!app) throw new Error("there is no app");
    app.state = "ready";
    const note = (deed: string) => async (): Promise<void> => void done.push(deed);
    Object.assign(app, { finish: note("finish"), close: note("close") });
    return done;
  }
  const placed = (id: string, more: Partial<GatewayView> = {}): GatewayView =>
    viewOf(id, {
      opened: { ...viewOf(id).opened, place: { src: id, origin: "o" } as never },
      ...more,
    });

  it("stays until the next one, started unseen, has said its first word", async () => {
    let speak = (): void => {};
    const said = new Promise<void>((resolve) => (speak = resolve));
    const start = vi.fn((_place: unknown) => ({ said, drop: () => {} }));
    const { conversation, item } = await stage(
      [call()],
      async () => placed("new"),
      [viewOf("old")],
      undefined,
      { start },
    );
    const done = running(item);
    const renewed = conversation.renew("s", TOOLS);
    await vi.waitFor(() => expect(start).toHaveBeenCalledWith({ src: "new", origin: "o" }));
    await new Promise((resolve) => setImmediate(resolve));
    expect([done, item.view]).toEqual([[], "old"]);
    speak();
    await renewed;
    expect([done, item.view]).toEqual([["finish", "close"], "new"]);
  });

  it("stays when there is no other to be had, and its call says why; the next change is tried again", async () => {
    let isBroken = true;
    const { conversation, item } = await stage([call()], async () => {
      if (isBroken) throw new Error("no such document");
      return placed("new");
    }, [viewOf("old")]);
    const done = running(item);
    await conversation.renew("s", TOOLS);
    expect([done, item.view, item.problem]).toEqual([[], "old", "no such document"]);
    isBroken = false;
    await conversation.renew("s", TOOLS);
    expect([done, item.view, item.problem]).toEqual([["finish", "close"], "new", undefined]);
  });

  it("that was closed while the next one was started: that one is ended, too", async () => {
    let speak = (): void => {};
    const said = new Promise<void>((resolve) => (speak = resolve));
    const drop = vi.fn();
    const close = vi.fn(async () => {});
    const { conversation, item } = await stage(
      [call()],
      async () => placed("new", { close }),
      [viewOf("old")],
      undefined,
      { start: () => ({ said, drop }) },
    );
    running(item);
    const renewed = conversation.renew("s", TOOLS);
    await new Promise((resolve) => setImmediate(resolve));
    await conversation.closeApp(item);
    speak();
    await renewed;
    expect([drop.mock.calls.length, close.mock.calls.length, item.app, item.view]).toEqual([
      ...[1, 1],
      ...[undefined, undefined],
    ]);
  });

  it("is not waited for when it never comes: the next change has its turn at once", async () => {
    const names = ["silent", "good"];
    const { conversation, item } = await stage([call()], async () => placed(names.shift() ?? "none"), [
      viewOf("old"),
    ]);
    running(item);
    const replace = vi.spyOn(AppModel.prototype, "replace").mockReturnValueOnce(new Promise(() => {}));
    void conversation.renew("s", TOOLS);
    await vi.waitFor(() => expect(item.view).toBe("silent"));
    await conversation.renew("s", TOOLS);
    expect(item.view).toBe("good");
    expect(replace).toHaveBeenCalledTimes(2);
    replace.mockRestore();
  });

  it("keeps its view while its call is under way, and begins anew after that; nothing untrue is said", async () => {
    const close = vi.fn(async () => {});
    const { conversation, item, openView } = await stage(
      [call({ state: "running" })],
      async () => viewOf("new"),
      [viewOf("old", { close })],
    );
    const renewed = conversation.renew("s", TOOLS);
    await new Promise((resolve) => setImmediate(resolve));
    expect(item).toMatchObject({ state: "running", view: "old" });
    expect(close).not.toHaveBeenCalled();
    expect(openView).not.toHaveBeenCalled();
    item.update({ state: "done", result: { content: [] } });
    await renewed;
    expect(item).toMatchObject({ state: "done", view: "new", problem: undefined });
    expect(close).toHaveBeenCalledTimes(1);
  });

  it("does not come back when its entry was taken away, or it was closed, meanwhile", async () => {
    for (const how of ["remove", "closeApp"] as const) {
      let open: (view: GatewayView) => void = () => {};
      const { conversation, item, openView } = await stage(
        [call()],
        () => new Promise((resolve) => (open = resolve)),
        [viewOf("old")],
      );
      const renewed = conversation.renew("s", TOOLS);
      await vi.waitFor(() => expect(openView).toHaveBeenCalled());
      await conversation[how](item);
      const close = vi.fn(async () => {});
      open(viewOf("new", { close }));
      await renewed;
      expect(close, how).toHaveBeenCalledTimes(1);
      expect([item.app, item.view], how).toEqual([undefined, undefined]);
    }
  });
});

describe("an app whose document was not back yet after a reload", () => {
  it("is looked for when its frame is shown or tries again; of several at once the gateway is asked once", async () => {
    const problem = { code: "load_failed", message: "its document is being read" };
    const late = (id: string) =>
      viewOf(id, { opened: { view: `${id}-now`, server: "s", capabilities: {}, uri: "ui://s/a", problem } });
    const views: object[] = [{ view: "a-now", problem }];
    const request = vi.fn(async () => ({ views }));
    const saved = ["a", "b"].map((view) => call({ id: view, view, state: "done" }));
    const { conversation } = await stage(saved, refuse, [late("a"), late("b")], {
      ...{ state: { phase: "open", resumed: true }, request },
    });
    const mount = async () =>
      (await Promise.allSettled(conversation.apps.map(async ({ source }) => source.frame.view))).map(
        (each) => (each.status === "fulfilled" ? each.value : String(each.reason.message)),
      );
    expect(await mount()).toEqual([problem.message, problem.message]);
    expect(request.mock.calls).toEqual([["gateway/views", {}]]);
    const place = { src: "http://p.l.localhost/back" };
    views.splice(0, 1, { view: "a-now", place });
    expect(await mount()).toEqual([place, problem.message]);
    expect(conversation.apps.map(({ source }) => source.problem?.code)).toEqual([undefined, "load_failed"]);
    // The gateway cannot be asked: what was known is told.
    request.mockRejectedValue(new Error("closed"));
    expect(await mount()).toEqual([place, problem.message]);
    expect(request).toHaveBeenCalledTimes(3);
  });
});
