import { memoryPair, Peer, PROTOCOL_VERSION, type RequestContext, type Tool } from "@vitrine/protocol";
import { App } from "@vitrine/view";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type AppToolAudit, type AppToolsOptions, ViewTools } from "./app-tools.js";
import * as examples from "./bridge.examples.js";
import { Bridge } from "./bridge.js";

const INFO = { name: "host", version: "1.0.0" };
const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
  ...more,
});

/** A handwritten view with these tools: it can send more than our runtime would. */
async function offer(
  tools: Tool[] | ((cursor: string | undefined) => object),
  options: AppToolsOptions = {},
  appCapabilities: object = { tools: { listChanged: true } },
) {
  const [viewEnd, hostEnd] = memoryPair();
  const bridge = new Bridge({ info: INFO, instance: "view-1" }).open(hostEnd);
  const view = new Peer<"view">();
  const list = vi.fn(({ cursor }: { cursor?: string | undefined }) =>
    Array.isArray(tools) ? { tools } : (tools(cursor) as { tools: Tool[] }),
  );
  const call = vi.fn(
    async ({ name }: { name: string }, _context: RequestContext): Promise<object> => ({
      content: [{ type: "text", text: name }],
    }),
  );
  view.handle("tools/list", list);
  view.handle("tools/call", call as never);
  view.open(viewEnd);
  await view.request("ui/initialize", { protocolVersion: PROTOCOL_VERSION, appInfo: INFO, appCapabilities });
  view.notify("ui/notifications/initialized", {});
  await vi.advanceTimersByTimeAsync(0);
  return { bridge, view, list, call, tools: new ViewTools(bridge, options) };
}
const names = async (tools: ViewTools) => (await tools.list()).map(({ name }) => name);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("listing a view's tools", () => {
  it("A01: a view without declared tools is not asked for them", async () => {
    const { tools, list } = await offer([tool("a")], {}, {});
    expect(await tools.list()).toEqual([]);
    expect(list).not.toHaveBeenCalled();
  });

  it("A05: names are namespaced; everything else is the view's", async () => {
    const { tools } = await offer([tool("zoom", { title: "Zoom" })], { prefix: "chart" });
    expect(await tools.list()).toEqual([tool("chart__zoom", { title: "Zoom" })]);
  });

  it("A05: all pages are read", async () => {
    const { tools, list } = await offer((cursor) =>
      cursor ? { tools: [tool("b")] } : { tools: [tool("a")], nextCursor: "2" },
    );
    expect(await names(tools)).toEqual(["app__a", "app__b"]);
    expect(list).toHaveBeenCalledTimes(2);
  });

  it("A05, attack C17: there are 50 at most, however many the view has, and however long it turns pages", async () => {
    const many = await offer(Array.from({ length: 10_000 }, (_, index) => tool(`t${index}`)));
    expect(await names(many.tools)).toHaveLength(50);
    const endless = await offer(() => ({ tools: [], nextCursor: "again" }));
    expect(await names(endless.tools)).toEqual([]);
    expect(endless.list).toHaveBeenCalledTimes(50);
  });

  it("A05, attack C17: names that look like others, or break something, are left out; so is the second of a name", async () => {
    const bad = ["zооm", "zo om", "zoom\u200b", "", "a/b", "ｚoom", "x".repeat(65), '"', "zoom\n"];
    const { tools } = await offer([
      ...bad.map((name) => tool(name)),
      tool("zoom"),
      tool("zoom", { title: "2" }),
    ]);
    expect(await tools.list()).toEqual([tool("app__zoom")]);
  });

  it("A05: no tool of a server is shadowed", async () => {
    const taken = (name: string) => name === "app__zoom";
    const { tools, call } = await offer([tool("zoom"), tool("pan")], { taken });
    expect(await names(tools)).toEqual(["app__pan"]);
    await expect(tools.call("app__zoom")).rejects.toMatchObject({ code: "unsupported" });
    expect(call).not.toHaveBeenCalled();
  });

  it("A05: an invalid prefix is the host's mistake", async () => {
    const { bridge } = await offer([]);
    for (const prefix of ["", "a b", "ä", "x".repeat(33)]) {
      expect(() => new ViewTools(bridge, { prefix })).toThrow(expect.objectContaining({ code: "invalid" }));
    }
  });

  it("A03, A05: the list is requested once, until the view announces a change", async () => {
    const { tools, list, view } = await offer([tool("a")]);
    await tools.list();
    await Promise.all([tools.list(), tools.list()]);
    expect(list).toHaveBeenCalledOnce();
    view.notify("notifications/tools/list_changed", {});
    await vi.advanceTimersByTimeAsync(0);
    await tools.list();
    expect(list).toHaveBeenCalledTimes(2);
  });

  it("A05: a view that reports changes all the time is handled once a second", async () => {
    const { tools, view } = await offer([tool("a")]);
    const changed = vi.fn();
    const stop = tools.onchange(changed);
    for (let time = 0; time < 30; time++) {
      view.notify("notifications/tools/list_changed", {});
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(changed.mock.calls.length).toBeGreaterThanOrEqual(3);
    expect(changed.mock.calls.length).toBeLessThanOrEqual(4);
    await vi.advanceTimersByTimeAsync(2_000);
    const { length } = changed.mock.calls;
    stop();
    view.notify("notifications/tools/list_changed", {});
    await vi.advanceTimersByTimeAsync(2_000);
    expect(changed).toHaveBeenCalledTimes(length);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a list that could not be read is requested again", async () => {
    let broken = true;
    const { tools } = await offer(() => (broken ? { tools: "none" } : { tools: [tool("a")] }));
    await expect(tools.list()).rejects.toMatchObject({ code: "invalid" });
    broken = false;
    expect(await names(tools)).toEqual(["app__a"]);
  });
});

describe("calling a view's tools", () => {
  it("A01: by the name here, under the view's own name there", async () => {
    const { tools, call } = await offer([tool("zoom")]);
    const result = await tools.call("app__zoom", { factor: 2 });
    expect(result).toEqual({ content: [{ type: "text", text: "zoom" }] });
    expect(call.mock.calls[0]?.[0]).toEqual({ name: "zoom", arguments: { factor: 2 } });
  });

  it("A05: not by any other", async () => {
    const { tools, call } = await offer([tool("zoom")]);
    for (const name of ["zoom", "app__pan", "other__zoom", "app__"]) {
      await expect(tools.call(name)).rejects.toMatchObject({ code: "unsupported" });
    }
    expect(call).not.toHaveBeenCalled();
  });

  it("A04, attack C19: a closed view has no tools", async () => {
    const { tools, bridge } = await offer([tool("zoom")]);
    await tools.list();
    bridge.close();
    await expect(tools.call("app__zoom")).rejects.toMatchObject({ code: "closed" });
    await expect(tools.list()).rejects.toMatchObject({ code: "closed" });
  });

  it("A04: a disconnected view has no tools, and is asked again when it is back", async () => {
    const { tools, bridge } = await offer([tool("zoom")]);
    await tools.list();
    bridge.detach();
    await expect(tools.call("app__zoom")).rejects.toMatchObject({ code: "closed" });
  });

  it("A04: a call that is under way ends with its view", async () => {
    const { tools, bridge, call } = await offer([tool("zoom")]);
    call.mockImplementation(() => new Promise(() => {}));
    const called = expect(tools.call("app__zoom")).rejects.toMatchObject({ code: "closed" });
    await vi.advanceTimersByTimeAsync(0);
    bridge.close();
    await called;
  });

  it("A05, attack C18: a call has 30 s, whatever progress it makes", async () => {
    const { tools, call } = await offer([tool("zoom")]);
    call.mockImplementation(() => new Promise(() => {}));
    let code: unknown;
    tools.call("app__zoom").catch((error) => {
      code = error.code;
    });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(code).toBeUndefined();
    await vi.advanceTimersByTimeAsync(2);
    expect(code).toBe("timeout");
  });

  it("I12: an aborted call is cancelled at the view", async () => {
    const { tools, call } = await offer([tool("zoom")]);
    const aborted = vi.fn();
    call.mockImplementation(
      (_params, { signal }) => new Promise(() => signal.addEventListener("abort", aborted)),
    );
    const controller = new AbortController();
    const called = expect(tools.call("app__zoom", {}, { signal: controller.signal })).rejects.toMatchObject({
      code: "aborted",
    });
    await vi.advanceTimersByTimeAsync(0);
    controller.abort();
    await called;
    await vi.advanceTimersByTimeAsync(0);
    expect(aborted).toHaveBeenCalledOnce();
  });

  it("A05, attack C18: a result has 10 MB", async () => {
    const { tools, call } = await offer([tool("zoom")]);
    const answer = (structuredContent: unknown) =>
      call.mockResolvedValueOnce({ content: [], structuredContent });
    answer("x".repeat(9_900_000));
    await expect(tools.call("app__zoom")).resolves.toBeDefined();
    answer("x".repeat(10_000_001));
    await expect(tools.call("app__zoom")).rejects.toMatchObject({ code: "invalid" });
    answer(Array(3_000_000).fill(1));
    await expect(tools.call("app__zoom")).rejects.toMatchObject({ code: "invalid" });
    answer({ ["k".repeat(10_000_001)]: 1 });
    await expect(tools.call("app__zoom")).rejects.toMatchObject({ code: "invalid" });
  });

  it("A02, attack C18: an invalid result is an error", async () => {
    const { tools, call } = await offer([tool("zoom")]);
    for (const wrong of [
      {},
      { content: "text" },
      { content: [{ type: "text" }] },
      { content: [], isError: "no" },
    ]) {
      call.mockResolvedValueOnce(wrong);
      await expect(tools.call("app__zoom")).rejects.toMatchObject({ code: "invalid" });
    }
  });
});

describe("approval and records", () => {
  const writes = tool("delete", { annotations: { readOnlyHint: false } });

  it("A06: a tool that is not read-only needs consent; the user sees the tool and its app", async () => {
    const confirm = vi.fn(async () => false);
    const { tools, call } = await offer([writes, tool("bare", { annotations: undefined }), tool("look")], {
      confirm,
    });
    await expect(tools.call("app__delete", { row: 1 })).rejects.toMatchObject({
      message: "app__delete was not allowed",
    });
    await expect(tools.call("app__bare")).rejects.toMatchObject({ code: "unsupported" });
    expect(call).not.toHaveBeenCalled();
    expect(confirm.mock.calls[0]).toEqual([
      { source: "view-1", name: "app__delete", tool: writes, arguments: { row: 1 } },
    ]);
    await tools.call("app__look");
    expect(confirm).toHaveBeenCalledTimes(2);
    confirm.mockResolvedValueOnce(true);
    await expect(tools.call("app__delete")).resolves.toBeDefined();
  });

  it("A06: without a user to ask it is refused", async () => {
    const { tools, call } = await offer([writes]);
    await expect(tools.call("app__delete")).rejects.toMatchObject({ code: "unsupported" });
    expect(call).not.toHaveBeenCalled();
  });

  it("A06: every call is recorded, with how it ended", async () => {
    const entries: AppToolAudit[] = [];
    const { tools, call } = await offer([writes, tool("look")], { audit: (entry) => entries.push(entry) });
    await tools.call("app__look", { at: 1 });
    await tools.call("app__delete").catch(() => {});
    call.mockResolvedValueOnce({ content: [], isError: true });
    await tools.call("app__look");
    call.mockRejectedValueOnce(new Error("broken"));
    await tools.call("app__look").catch(() => {});
    expect(entries.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      "app__look done",
      "app__delete refused",
      "app__look error",
      "app__look error",
    ]);
    expect(entries[0]).toMatchObject({ source: "view-1", arguments: { at: 1 } });
  });
});

describe("our own view", () => {
  it("A01, A03: offers tools, changes them, and is called as the example shows", async () => {
    const [viewEnd, hostEnd] = memoryPair();
    const bridge = new Bridge({ info: INFO }).open(hostEnd);
    const app = new App(INFO, {}, { autoResize: false, autoTheme: false });
    const registered = app.registerTool("zoom", { description: "Zooms" }, () => ({ content: [] }));
    await app.connect(viewEnd);
    await vi.advanceTimersByTimeAsync(0);
    const ask = vi.fn(async () => true);
    expect(await examples.appTools(bridge, [], ask)).toMatchObject({
      offered: [{ name: "chart__zoom", description: "Zooms" }],
      result: { content: [] },
    });
    expect(ask).toHaveBeenCalledOnce();
    const tools = new ViewTools(bridge);
    const changed = vi.fn();
    tools.onchange(changed);
    await tools.list();
    registered.disable();
    await vi.advanceTimersByTimeAsync(0);
    expect(changed).toHaveBeenCalledOnce();
    expect(await tools.list()).toEqual([]);
  });
});
