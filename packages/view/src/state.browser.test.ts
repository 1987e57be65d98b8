/** State of a view across remounts, in a browser, under a third-party host. */
import type { Frame } from "playwright-core";
import { describe, expect, it } from "vitest";
import { appPage, connectApp } from "../../../testing/app-page.js";
import type { App } from "./app.js";

declare const vitrine: typeof import("./index.js");
declare const app: App;

const page = appPage({}, true);
const TOOL = { name: "a", inputSchema: { type: "object" } };
/**
 * Host contexts for which state is kept, or not. Chromium's incognito windows block the storage of other
 * sites.
 */
async function open(context: Record<string, unknown>, sandbox?: string): Promise<Frame> {
  await page.host.open(page.site.origin("host.app"));
  const url = `${page.site.origin("view.app")}/view`;
  const view = await page.host.mount({ url, context, ...(sandbox && { sandbox }) });
  await connectApp(view);
  return view;
}
const reload = async (view: Frame): Promise<void> => {
  await page.host.reload();
  await connectApp(view);
};
const get = (view: Frame): Promise<unknown> => view.evaluate(() => app.state.get() ?? "nothing");
const set = (view: Frame, value: unknown): Promise<void> =>
  view.evaluate((given) => app.state.set(given), value);

describe("state", () => {
  it("is the last value set", async () => {
    const view = await open({});
    expect(await get(view)).toBe("nothing");
    await set(view, { page: 2 });
    expect(await get(view)).toEqual({ page: 2 });
    await set(view, [0]);
    expect(await get(view)).toEqual([0]);
    await set(view, undefined);
    expect(await get(view)).toBe("nothing");
  });

  it.each([
    ["the instance id that the host sends", { "vitrine/instance": "one" }],
    ["the tool call, if its id is a string", { toolInfo: { id: "call_1", tool: TOOL } }],
    ["the instance before the tool call", { "vitrine/instance": "two", toolInfo: { id: 1, tool: TOOL } }],
  ])("is restored after a reload, by %s", async (_what, context) => {
    const view = await open(context);
    await set(view, { page: 2 });
    await reload(view);
    expect(await get(view)).toEqual({ page: 2 });
    await set(view, undefined);
    await reload(view);
    expect(await get(view)).toBe("nothing");
  });

  it.each([
    ["another instance", { "vitrine/instance": "three" }, { "vitrine/instance": "four" }],
    [
      "a tool call with the same number",
      { toolInfo: { id: 7, tool: TOOL } },
      { toolInfo: { id: 7, tool: TOOL } },
    ],
    ["a host that sends no id", {}, {}],
  ])("is not restored for %s", async (_what, context, other) => {
    const view = await open(context);
    await set(view, { page: 2 });
    const result = { protocolVersion: "2026-01-26", hostInfo: {}, hostCapabilities: {}, hostContext: other };
    await page.host.answer("ui/initialize", { result });
    await reload(view);
    expect(await get(view)).toBe("nothing");
  });

  it("set before connect is kept", async () => {
    const view = await open({ "vitrine/instance": "early" });
    await view.evaluate(async () => {
      await app.close();
      const own = new vitrine.App({ name: "test", version: "1" });
      own.state.set("early");
      await own.connect();
    });
    await reload(view);
    expect(await get(view)).toBe("early");
  });

  it("lives as long as the document where storage is blocked: a sandbox without an origin", async () => {
    const view = await open({ "vitrine/instance": "blocked" }, "allow-scripts");
    expect(await view.evaluate(blocked)).toBe(true);
    await set(view, { page: 2 });
    expect(await get(view)).toEqual({ page: 2 });
    await reload(view);
    expect(await get(view)).toBe("nothing");
  });

  it("lives as long as the document where storage is blocked: another site, incognito", async () => {
    const view = await page.connect({ context: { "vitrine/instance": "incognito" } });
    expect(await view.evaluate(blocked)).toBe(true);
    await set(view, { page: 2 });
    expect(await get(view)).toEqual({ page: 2 });
  });
});

const blocked = (): boolean => {
  try {
    return !sessionStorage;
  } catch {
    return true;
  }
};
