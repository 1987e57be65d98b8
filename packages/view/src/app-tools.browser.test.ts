/** Tools that the view offers, called by a third-party host. The schemas are zod's. */
import { describe, expect, it } from "vitest";
import { appPage, logOf } from "../../../testing/app-page.js";
import type { App } from "./app.js";
import type { RegisteredAppTool } from "./app-tools.js";

declare const vitrine: typeof import("./index.js");
declare const z: typeof import("zod").z;
declare const app: App;
declare const tools: Record<string, RegisteredAppTool>;
declare const log: unknown[];

const CHANGED = "notifications/tools/list_changed";
const page = appPage();

/** A view with two tools: `add` with schemas, `hello` without. */
async function open() {
  const view = await page.open();
  await view.evaluate(async () => {
    const own = new vitrine.App({ name: "test", version: "1" });
    const add = own.registerTool(
      "add",
      {
        title: "Add",
        description: "Adds two numbers",
        inputSchema: z.object({ a: z.number(), b: z.number().default(10) }),
        outputSchema: z.object({ sum: z.number().max(100) }),
        annotations: { readOnlyHint: true },
        _meta: { own: 1 },
      },
      ({ a, b }, context) => {
        log.push({ a, b, requestId: context.requestId, same: context.mcpReq.signal === context.signal });
        return { content: [], structuredContent: { sum: a + b, extra: "stripped" } as { sum: number } };
      },
    );
    const hello = own.registerTool("hello", {}, (context) => {
      log.push(typeof context.requestId);
      return { content: [{ type: "text", text: "hello" }] };
    });
    Object.assign(globalThis, { app: own, tools: { add, hello } });
    await own.connect();
  });
  return view;
}
const call = (name: string, args?: object) => page.host.request("tools/call", { name, arguments: args });
const names = async (): Promise<string[]> => {
  const { result } = await page.host.request("tools/list");
  return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
};

describe("tools of a view", () => {
  it("A01: are announced in the handshake", async () => {
    await open();
    expect(await page.host.received("ui/initialize")).toMatchObject([
      { params: { appCapabilities: { tools: { listChanged: true } } } },
    ]);
    await page.heard();
    expect(await page.host.received(CHANGED)).toEqual([]);
  });

  it("are listed with their JSON Schemas", async () => {
    await open();
    expect((await page.host.request("tools/list")).result).toMatchObject({
      tools: [
        {
          name: "add",
          title: "Add",
          description: "Adds two numbers",
          inputSchema: {
            type: "object",
            properties: { a: { type: "number" }, b: { type: "number", default: 10 } },
            required: ["a"],
          },
          outputSchema: { type: "object", properties: { sum: { type: "number", maximum: 100 } } },
          annotations: { readOnlyHint: true },
          _meta: { own: 1 },
        },
        { name: "hello", inputSchema: { type: "object", properties: {} } },
      ],
    });
  });

  it("A02: get the schema's output as arguments, and answer with the output schema's result", async () => {
    const view = await open();
    const { id, result } = await call("add", { a: 1 });
    expect(result).toEqual({ content: [], structuredContent: { sum: 11 } });
    expect(await logOf(view)).toEqual([{ a: 1, b: 10, requestId: id, same: true }]);
    expect((await call("hello")).result).toEqual({ content: [{ type: "text", text: "hello" }] });
  });

  it.each([
    ["of a wrong type", { a: "1" }, ["a"]],
    ["that are missing", {}, ["a"]],
    ["that are absent", undefined, ["a"]],
  ])("A02: refuse arguments %s with -32602 and the issues", async (_what, args, path) => {
    const view = await open();
    expect((await call("add", args)).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("input of add"),
      data: [{ path }],
    });
    expect(await logOf(view)).toEqual([]);
  });

  it("A02: do not send output that breaks their schema, unless it is an error", async () => {
    const view = await open();
    expect((await call("add", { a: 1000 })).error).toMatchObject({
      code: -32603,
      message: expect.stringContaining("output of add"),
    });
    await view.evaluate(() => {
      app.registerTool("fails", { outputSchema: z.object({ a: z.number() }) }, () => ({
        content: [],
        isError: true,
      }));
      app.registerTool("throws", {}, () => {
        throw new Error("broken");
      });
    });
    expect((await call("fails")).result).toEqual({ content: [], isError: true });
    expect((await call("throws")).error).toMatchObject({ code: -32603, message: "broken" });
  });

  it("A03: that are disabled, removed or unknown are not listed, and refuse with -32602", async () => {
    const view = await open();
    await view.evaluate(() => tools.add?.disable());
    expect(await names()).toEqual(["hello"]);
    expect((await call("add", { a: 1 })).error?.code).toBe(-32602);
    await view.evaluate(() => tools.add?.enable());
    expect(await names()).toEqual(["add", "hello"]);
    await view.evaluate(() => tools.add?.remove());
    expect(await names()).toEqual(["hello"]);
    expect((await call("add", { a: 1 })).error?.code).toBe(-32602);
    expect((await call("nonsense")).error?.code).toBe(-32602);
    await view.evaluate(() => tools.hello?.remove());
    expect(await names()).toEqual([]);
    expect((await call("hello")).error?.code).toBe(-32602);
  });

  it("can be updated, and registered anew under a name that is free again", async () => {
    const view = await open();
    await view.evaluate(() => {
      tools.add?.update({ title: "Plus", inputSchema: z.object({ a: z.string() }), outputSchema: undefined });
      tools.hello?.update({ inputSchema: z.object({}) });
    });
    expect((await page.host.request("tools/list")).result).toMatchObject({
      tools: [{ title: "Plus", inputSchema: { properties: { a: { type: "string" } } } }, {}],
    });
    expect((await call("add", { a: 1 })).error?.code).toBe(-32602);
    // A tool registered without arguments still takes none.
    expect((await call("hello", {})).result).toMatchObject({ content: [{ text: "hello" }] });
    expect(await logOf(view)).toEqual(["number"]);
    const again = await view.evaluate(() => {
      const register = (): unknown => app.registerTool("add", {}, () => ({ content: [] }));
      try {
        register();
      } catch (error) {
        log.push((error as { code: string }).code);
      }
      tools.add?.remove();
      register();
      return log.at(-1);
    });
    expect(again).toBe("duplicate-handler");
    expect((await call("add")).result).toEqual({ content: [] });
  });

  it("A03, A05: notify the host of changes, once per batch", async () => {
    const view = await open();
    await view.evaluate(() => {
      tools.add?.disable();
      tools.add?.enable();
      tools.hello?.update({ title: "Hi" });
      app.registerTool("more", {}, () => ({ content: [] }));
    });
    await page.heard();
    expect(await page.host.received(CHANGED)).toHaveLength(1);
    await view.evaluate(() => tools.add?.remove());
    await page.heard();
    expect(await page.host.received(CHANGED)).toHaveLength(2);
    // A removed tool sends no more changes.
    await view.evaluate(() => {
      tools.add?.remove();
      tools.add?.enable();
    });
    await page.heard();
    expect(await page.host.received(CHANGED)).toHaveLength(2);
  });

  it("send no change notifications when the app does not announce listChanged", async () => {
    const view = await page.open();
    await view.evaluate(async () => {
      const own = new vitrine.App({ name: "test", version: "1" }, { tools: {} });
      await own.connect();
      own.registerTool("late", {}, () => ({ content: [] }));
    });
    expect(await names()).toEqual(["late"]);
    expect(await page.host.received(CHANGED)).toEqual([]);
  });

  it("with a schema that has no JSON Schema are refused as `unsupported`, and not announced", async () => {
    const view = await page.open();
    const codes = await view.evaluate(async () => {
      const own = new vitrine.App({ name: "test", version: "1" });
      const schema = {
        "~standard": { version: 1, vendor: "plain", validate: (value: unknown) => ({ value }) },
      } as const;
      const attempt = (act: () => void): unknown => {
        try {
          return act();
        } catch (error) {
          return (error as { code: string }).code;
        }
      };
      const first = attempt(() => own.registerTool("a", { inputSchema: schema }, () => ({ content: [] })));
      await own.connect();
      const tool = own.registerTool("a", {}, () => ({ content: [] }));
      return [first, attempt(() => tool.update({ outputSchema: schema }))];
    });
    expect(codes).toEqual(["unsupported", "unsupported"]);
    expect((await page.host.received("ui/initialize"))[0]?.params?.appCapabilities).toEqual({});
    expect(await names()).toEqual(["a"]);
  });

  it("are method not found for a view without tools", async () => {
    await page.connect();
    expect((await page.host.request("tools/list")).error?.code).toBe(-32601);
    expect((await call("add")).error?.code).toBe(-32601);
  });

  it("can be served manually, once the app announces tools", async () => {
    const view = await page.connect();
    expect((await page.host.request("tools/list")).error).toMatchObject({ code: -32601 });
    await view.evaluate(() => {
      app.capabilities.tools = {};
      app.onlisttools = () => ({ tools: [{ name: "own", inputSchema: { type: "object" } }] });
      app.oncalltool = ({ name, arguments: args }) => ({ content: [], structuredContent: { name, args } });
    });
    expect(await names()).toEqual(["own"]);
    expect((await call("own", { a: 1 })).result).toEqual({
      content: [],
      structuredContent: { name: "own", args: { a: 1 } },
    });
  });

  it("report progress, and stop when the host cancels", async () => {
    const view = await open();
    await view.evaluate(() => {
      app.registerTool("slow", {}, async ({ progress, signal }) => {
        progress?.({ progress: 1, total: 2 });
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        log.push("stopped");
        return { content: [] };
      });
    });
    const params = { name: "slow", _meta: { progressToken: "p" } };
    await page.host.post({ id: 5, method: "tools/call", params });
    const [progress] = await page.host.waitFor("notifications/progress");
    expect(progress?.params).toEqual({ progressToken: "p", progress: 1, total: 2 });
    await page.host.notify("notifications/cancelled", { requestId: 5 });
    await page.heard();
    expect(await logOf(view)).toEqual(["stopped"]);
    expect((await page.host.received()).filter(({ id, method }) => id === 5 && !method)).toEqual([]);
  });
});
