import type { GatewayView } from "@vitrine/host/gateway";
import { INSTANCE_KEY } from "@vitrine/protocol";
import type { CallItem as ToldCall } from "@vitrine/wire";
import { describe, expect, it, vi } from "vitest";
import {
  callOf,
  StagedGateway,
  StagedPage,
  storageOf,
  viewOf,
} from "../../../../../testing/workbench/conversation-stage.js";
import { AppModel } from "../app/app-model.js";
import type { PageCall } from "../app/call-item.js";
import { STRICT } from "../profiles/profile.js";
import { PageConversation, type PageConversationOptions } from "./conversation.js";

const CALL = { conversation: "c", item: "a" };
const TOOLS = new Set(["t"]);
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A page with a call that is shown in the view `old`; `open` opens the next one. */
async function stage(
  open: () => Promise<GatewayView>,
  more: {
    call?: Partial<ToldCall>;
    view?: Partial<GatewayView>;
    options?: Partial<PageConversationOptions>;
  } = {},
) {
  const gateway = new StagedGateway().keep("c", [callOf("a", more.call)]);
  const page = new StagedPage(gateway);
  const openView = vi.fn(open);
  page.onopen = openView;
  page.views = [viewOf("old", { call: CALL }, more.view)];
  const options: PageConversationOptions = {
    gateway: page.gateway,
    storage: storageOf({ "vitrine-conversation": "c" }),
    look: () => ({}),
    profile: () => STRICT,
    ...more.options,
  };
  const conversation = new PageConversation(options);
  await conversation.restore();
  const [item] = conversation.items as PageCall[];
  if (!item) throw new Error("nothing was restored");
  return { gateway, page, conversation, item, openView, options };
}

/** A running app, and a record of the calls to it. */
function running(item: PageCall): string[] {
  const done: string[] = [];
  const app = item.app;
  if (!app) throw new Error("there is no app");
  app.state = "ready";
  const note = (deed: string) => async (): Promise<void> => void done.push(deed);
  Object.assign(app, { finish: note("finish"), close: note("close") });
  return done;
}
const placed = (id: string, more: Partial<GatewayView> = {}): GatewayView =>
  viewOf(id, { place: { src: id, origin: "o" } as never }, more);

describe("an app whose UI has changed", () => {
  it("is the same to itself, shows the same call, and looks as it did", async () => {
    const { page, conversation, item, options } = await stage(async () => viewOf("new"));
    const nameOf = (): unknown => item.app?.source.frame.context?.[INSTANCE_KEY];
    expect(nameOf()).toBe("a");
    const before = item.app;
    const renewed = vi.fn();
    conversation.onrenewed = renewed;
    // The look of new apps is independent.
    Object.assign(options, { look: () => ({ theme: "dark" }) });
    await conversation.renew("s", TOOLS);
    expect(item.app).not.toBe(before);
    expect([item.view, nameOf(), item.app?.look]).toEqual(["new", "a", {}]);
    expect(renewed.mock.calls).toEqual([[before, item.app]]);
    expect(page.of("gateway/open")).toMatchObject([{ call: CALL }]);
  });

  it("of another tool, or another server, stays", async () => {
    const { conversation, openView } = await stage(async () => viewOf("new"));
    await conversation.renew("s", new Set(["other"]));
    await conversation.renew("other", TOOLS);
    expect(openView).not.toHaveBeenCalled();
  });

  it("is opened again one time at a time, and once more if it changed meanwhile", async () => {
    const opened: ((view: GatewayView) => void)[] = [];
    const { conversation, item, openView } = await stage(
      () => new Promise((resolve) => opened.push(resolve)),
    );
    const renewed = conversation.renew("s", TOOLS);
    await vi.waitFor(() => expect(openView).toHaveBeenCalledTimes(1));
    void conversation.renew("s", TOOLS);
    void conversation.renew("s", TOOLS);
    await settled();
    expect(openView).toHaveBeenCalledTimes(1);
    opened[0]?.(viewOf("second"));
    await vi.waitFor(() => expect(openView).toHaveBeenCalledTimes(2));
    opened[1]?.(viewOf("third"));
    await renewed;
    expect(openView).toHaveBeenCalledTimes(2);
    expect(item.view).toBe("third");
  });

  it("stays until the next one, started unseen, has sent its first message", async () => {
    let speak = (): void => {};
    const said = new Promise<void>((resolve) => (speak = resolve));
    const start = vi.fn((_place: unknown) => ({ said, drop: () => {} }));
    const { conversation, item } = await stage(async () => placed("new"), { options: { start } });
    const done = running(item);
    const renewed = conversation.renew("s", TOOLS);
    await vi.waitFor(() => expect(start).toHaveBeenCalledWith({ src: "new", origin: "o" }));
    await settled();
    expect([done, item.view]).toEqual([[], "old"]);
    speak();
    await renewed;
    expect([done, item.view]).toEqual([["finish", "close"], "new"]);
  });

  it("stays if there is no new one, and its call explains why; the next change is tried again", async () => {
    let isBroken = true;
    const { conversation, item } = await stage(async () => {
      if (isBroken) throw new Error("no such document");
      return placed("new");
    });
    const done = running(item);
    await conversation.renew("s", TOOLS);
    expect([done, item.view, item.problem]).toEqual([[], "old", "no such document"]);
    isBroken = false;
    await conversation.renew("s", TOOLS);
    expect([done, item.view, item.problem]).toEqual([["finish", "close"], "new", undefined]);
  });

  it("appears where none was available before", async () => {
    let isBroken = true;
    const gateway = new StagedGateway().keep("c", [callOf("a")]);
    const page = new StagedPage(gateway);
    page.onopen = async () => {
      if (isBroken) throw new Error("no such document");
      return placed("new");
    };
    const storage = storageOf({ "vitrine-conversation": "c" });
    const conversation = new PageConversation({
      gateway: page.gateway,
      storage,
      look: () => ({}),
      profile: () => STRICT,
    });
    await conversation.restore();
    const [item] = conversation.items as [PageCall];
    await vi.waitFor(() => expect(item.problem).toBe("no such document"));
    isBroken = false;
    await conversation.renew("s", TOOLS);
    expect([item.view, item.problem]).toEqual(["new", undefined]);
  });

  it("that was closed while the next one was started: that one is ended, too", async () => {
    let speak = (): void => {};
    const said = new Promise<void>((resolve) => (speak = resolve));
    const drop = vi.fn();
    const close = vi.fn(async () => {});
    const { conversation, item } = await stage(async () => placed("new", { close }), {
      options: { start: () => ({ said, drop }) },
    });
    running(item);
    const renewed = conversation.renew("s", TOOLS);
    await settled();
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
    const { conversation, item } = await stage(async () => placed(names.shift() ?? "none"));
    running(item);
    const replace = vi.spyOn(AppModel.prototype, "replace").mockReturnValueOnce(new Promise(() => {}));
    void conversation.renew("s", TOOLS);
    await vi.waitFor(() => expect(item.view).toBe("silent"));
    await conversation.renew("s", TOOLS);
    expect(item.view).toBe("good");
    expect(replace).toHaveBeenCalledTimes(2);
    replace.mockRestore();
  });

  it.each(["writing", "running"] as const)(
    "keeps its view while its call is %s, and restarts after that; nothing untrue is shown",
    async (state) => {
      const close = vi.fn(async () => {});
      const { gateway, conversation, item, openView } = await stage(async () => viewOf("new"), {
        call: { state },
        view: { close },
      });
      const renewed = conversation.renew("s", TOOLS);
      await settled();
      expect(item).toMatchObject({ state, view: "old" });
      expect(close).not.toHaveBeenCalled();
      expect(openView).not.toHaveBeenCalled();
      gateway.put("c", callOf("a", { result: { content: [] } }));
      await renewed;
      expect(item).toMatchObject({ state: "done", view: "new", problem: undefined });
      expect(close).toHaveBeenCalledTimes(1);
    },
  );

  it.each(["remove", "closeApp", "open"] as const)(
    "does not come back after %s, though it was on its way",
    async (how) => {
      let open: (view: GatewayView) => void = () => {};
      const { conversation, item, openView } = await stage(() => new Promise((resolve) => (open = resolve)));
      const renewed = conversation.renew("s", TOOLS);
      await vi.waitFor(() => expect(openView).toHaveBeenCalled());
      await (how === "open" ? conversation.open() : conversation[how](item));
      const close = vi.fn(async () => {});
      open(viewOf("new", {}, { close }));
      await renewed;
      expect(close).toHaveBeenCalledTimes(1);
      expect([item.app, item.view]).toEqual([undefined, undefined]);
    },
  );
});
