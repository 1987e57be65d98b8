import { JsonText } from "@vitrine/protocol";
import { describe, expect, it, vi } from "vitest";
import { fakeUpstream, tool, visibleTo } from "../../../../testing/fake-upstream.js";
import * as examples from "./guard.examples.js";
import type { ViewCall } from "./link.js";

const call = (method: ViewCall["method"], params: Record<string, unknown> = {}): ViewCall => ({
  view: "v",
  server: "shop",
  method,
  params,
});

function setUp() {
  const tools = [
    tool("open"),
    tool("inner", visibleTo("app")),
    tool("secret", visibleTo("model")),
    tool("none", visibleTo()),
  ];
  const upstream = fakeUpstream({ "tools/list": () => ({ tools }) });
  const link = examples.onlyVisibleToolsExample(upstream);
  const next = vi.fn(async (): Promise<unknown> => ({ content: [] }));
  return {
    tools,
    upstream,
    next,
    callTool: (name: string) => link(call("tools/call", { name }), next),
    link,
  };
}

describe("onlyVisibleTools", () => {
  it.each(["open", "inner"])("C03: a view may call %s", async (name) => {
    const { callTool, next } = setUp();
    expect(await callTool(name)).toEqual({ content: [] });
    expect(next).toHaveBeenCalledOnce();
  });

  it.each(["secret", "none"])("attack C01, D1: %s is refused, and the server not called", async (name) => {
    const { callTool, next } = setUp();
    await expect(callTool(name)).rejects.toMatchObject({ code: -32000, data: { code: "tool-not-visible" } });
    expect(next).not.toHaveBeenCalled();
  });

  it.each(["gone", "", "__proto__", "constructor", "other/open", "OPEN", "open "])(
    "attack C02: the unknown tool %j is refused, and the server not called",
    async (name) => {
      const { callTool, next } = setUp();
      await expect(callTool(name)).rejects.toMatchObject({ code: -32000, data: { code: "tool-unknown" } });
      expect(next).not.toHaveBeenCalled();
    },
  );

  it("attack C02: a tool added after the list is denied until it is listed again", async () => {
    const { callTool, tools, upstream } = setUp();
    await callTool("open");
    tools.push(tool("late"));
    await expect(callTool("late")).rejects.toMatchObject({ data: { code: "tool-unknown" } });
    upstream.say("notifications/tools/list_changed");
    await expect(callTool("late")).resolves.toBeDefined();
  });

  it("C03: a tool that is taken from views is refused from then on", async () => {
    const { callTool, tools, upstream } = setUp();
    await callTool("open");
    tools[0] = tool("open", visibleTo("model"));
    upstream.say("notifications/tools/list_changed");
    await expect(callTool("open")).rejects.toMatchObject({ data: { code: "tool-not-visible" } });
  });

  it.each([(value: unknown) => value, (value: unknown) => new JsonText(JSON.stringify(value))])(
    "I03: a view's list has only tools that it may call, and a cursor stays (%#)",
    async (form) => {
      const { link, tools, next } = setUp();
      next.mockResolvedValue(form({ tools, nextCursor: "2" }));
      const result = await link(call("tools/list"), next);
      expect(result).toMatchObject({ tools: [{ name: "open" }, { name: "inner" }], nextCursor: "2" });
    },
  );

  it("I03: a view may call a tool that it has listed itself, although the server never announces changes", async () => {
    const { callTool, link, tools, next } = setUp();
    await callTool("open");
    tools.push(tool("late"));
    await link(call("tools/list"), next);
    await expect(callTool("late")).resolves.toBeDefined();
  });

  it("lets everything else pass untouched", async () => {
    const { link, next, upstream } = setUp();
    await link(call("prompts/get", { name: "secret" }), next);
    expect(next).toHaveBeenCalledOnce();
    expect(upstream.asked).toEqual([]);
  });
});
