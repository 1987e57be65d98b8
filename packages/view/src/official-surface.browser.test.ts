/** The same view source on the official SDK and on ours, in the official host, behaves the same. */
import { readFileSync } from "node:fs";
import type { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventLog } from "../../../testing/event-log.ts";
import { CONTEXT, RESULT } from "../../../testing/interop/scene.ts";
import { pageOf, Stage } from "../../../testing/interop/stage.ts";
import type { App } from "./app.js";
import type { RegisteredAppTool } from "./app-tools.js";

// In the pages. `log` is the host's or the view's, depending on where it is read.
declare const bridge: AppBridge;
declare const app: App;
declare const tool: RegisteredAppTool;
declare const askEverything: () => Promise<Record<string, unknown>>;
declare const closeDown: () => Promise<unknown>;
declare const anySchema: unknown;
declare const log: EventLog;

/** Everything that is visible from outside of one run. */
interface Observed {
  asked: unknown;
  told: unknown;
  tools: unknown;
  answered: object;
  toldHost: unknown;
  afterClose: unknown;
}

let stage: Stage;
let theirs: Observed;
let ours: Observed;

beforeAll(async () => {
  const OFFICIAL = "@modelcontextprotocol/ext-apps";
  stage = await Stage.open({
    "/host": await pageOf("interop/official-host.ts"),
    "/theirs": await pageOf("interop/surface-view.ts"),
    "/ours": await pageOf("interop/surface-view.ts", { [OFFICIAL]: "@vitrine/view" }),
  });
  theirs = await observe("/theirs");
  ours = await observe("/ours");
});
afterAll(() => stage?.close());

async function observe(path: string): Promise<Observed> {
  const { host, view } = await stage.open("/host", path, { custom: "yes" });
  await view.evaluate(() => log.until("connected"));

  const asked = await view.evaluate(() => askEverything());
  await host.evaluate(() => log.until("request-teardown"));
  const toldHost = await host.evaluate(() => log.entries);

  await host.evaluate(
    ([result, context]) => {
      bridge.sendToolInputPartial({ arguments: { city: "Ro" } });
      bridge.sendToolInput({ arguments: { city: "Rome" } });
      bridge.sendToolResult(result);
      bridge.sendToolCancelled({ reason: "stopped" });
      bridge.setHostContext({ ...context, theme: "dark" });
      bridge.notification({ method: "x/tell", params: {} });
      bridge.sendResourceListChanged();
    },
    [RESULT, CONTEXT] as const,
  );
  await view.evaluate(() => log.until("notifications/resources/list_changed"));

  const ask = (method: string, params: Record<string, unknown>) =>
    host.evaluate(
      ([method, params]) =>
        (bridge.request as (...args: unknown[]) => Promise<unknown>)
          .call(bridge, { method, params }, anySchema)
          .catch(({ code }: { code: unknown }) => ({ code })),
      [method, params] as const,
    );
  const call = (name: string, args: object) => ask("tools/call", { name, arguments: args });
  const answered: Record<string, unknown> = {
    ping: await ask("ping", {}),
    ask: await ask("x/ask", {}),
    legacy: await ask("x/legacy", {}),
    unknown: await ask("x/nothing", {}),
    double: await call("double", { n: 21 }),
    byDefault: await call("double", {}),
    plain: await call("plain", {}),
    wrongInput: await call("double", { n: "no number" }),
    wrongOutput: await call("wrong", {}),
    failing: await call("failing", {}),
    noTool: await call("nothing", {}),
    wrongParams: await ask("x/ask", { a: "no number" }),
    teardown: await ask("ui/resource-teardown", {}),
  };
  const tools = await host.evaluate(() => bridge.listTools({}));
  await view.evaluate(() => tool.disable());
  await host.evaluate(() => log.until("notifications/tools/list_changed"));
  const { tools: left } = await host.evaluate(() => bridge.listTools({}));
  answered.left = left.map(({ name }) => name);

  const told = await view.evaluate(() => log.entries);
  const afterClose = await view.evaluate(async () => [await closeDown(), log.values("closed").length]);
  return { asked, told, tools, answered, toldHost, afterClose };
}

describe("the same view on the official SDK and on ours", () => {
  it("gets the same answers to its requests", () => {
    expect(ours.asked).toEqual(theirs.asked);
    expect(Object.keys(theirs.asked as object)).toHaveLength(21);
  });
  it("receives the same messages, in the same order", () => {
    expect(ours.told).toEqual(theirs.told);
  });
  it("sends the same messages", () => {
    expect(ours.toldHost).toEqual(theirs.toldHost);
  });
  it("offers the same tools", () => {
    expect(ours.tools).toEqual(theirs.tools);
  });
  it("gives the same answers to the host's requests", () => {
    // Except for the code of two refusals: we blame the host for its own mistakes (L12).
    const badParams = { code: -32602 };
    expect(ours.answered).toEqual({ ...theirs.answered, wrongInput: badParams, noTool: badParams });
    expect(theirs.answered).toMatchObject({ wrongInput: { code: -32603 }, noTool: { code: -32603 } });
  });
  it("ends the same", () => {
    expect(ours.afterClose).toEqual(theirs.afterClose);
  });

  it("may handle by name a method that also has its own property", async () => {
    const { host, view } = await stage.openOnce("/host", "/ours");
    await view.evaluate(() => log.until("connected"));
    const call = () => host.evaluate(() => bridge.callTool({ name: "double", arguments: { n: 1 } }));
    await view.evaluate(() =>
      app.setRequestHandler("tools/call", ({ params }, { mcpReq }) => ({
        content: [{ type: "text", text: `${params.name} by ${mcpReq.method}` }],
      })),
    );
    expect(await call()).toEqual({ content: [{ type: "text", text: "double by tools/call" }] });
    await view.evaluate(() => app.removeRequestHandler("tools/call"));
    await expect(call()).rejects.toThrow("Method not found");
  });

  it("compiles against both with exactly the same calls", () => {
    const source = readFileSync(new URL("official-surface.test-d.ts", import.meta.url), "utf8");
    const [first, second, ...more] = [...source.matchAll(/#region calls\n(.*?)#endregion/gs)].map(
      ([, body]) => body,
    );
    expect(first?.length).toBeGreaterThan(1_000);
    expect(second).toBe(first);
    expect(more).toEqual([]);
  });
});
