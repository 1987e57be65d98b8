/** Behaviour that needs a browser: reloads, duplicated tabs, and a network that goes and comes back. */
import type { OpenedView } from "@vitrine/wire";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { bundle, inlineScript, LIMIT, sharedChromium } from "../../../../testing/browser.ts";
import { SessionStage } from "../../../../testing/session-stage.ts";
import type { GatewayClient } from "./gateway.js";

/** Globals of the page for the test. */
declare const test: { gateway: GatewayClient; phases: string[]; takenOver: number };

const SCRIPT = `
  import { connectGateway } from "@vitrine/host/gateway";
  const test = globalThis.test = { phases: [], takenOver: 0 };
  test.gateway = connectGateway({
    url: "/session",
    onstate: (state) => test.phases.push([state.phase, state.over, state.resumed].join(" ").trim()),
    ontakenover: () => test.takenOver++,
  });
`;

const view: OpenedView = {
  view: "v1",
  server: "weather",
  capabilities: { tools: {} },
  uri: "ui://weather/view",
};

let browser: Browser;
let html: string;
let stage: SessionStage;
let context: BrowserContext;

beforeAll(async () => {
  browser = await sharedChromium();
  html = `<!doctype html><title>Page</title><body>${inlineScript(await bundle(SCRIPT))}`;
});
afterAll(() => browser.close());

beforeEach(async () => {
  stage = await SessionStage.open({ pages: { "/": html } });
  stage.answer = ({ method, params }) =>
    method === "gateway/open" ? view : method === "gateway/views" ? { views: [view] } : params;
  context = await browser.newContext();
  context.setDefaultTimeout(LIMIT);
  onTestFinished(async () => {
    await context.close();
    await stage.close();
  });
});

async function openPage(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`http://localhost:${stage.port}/`);
  await untilOpen(page);
  return page;
}

const untilOpen = (page: Page) => page.waitForFunction(() => test.gateway.state.phase === "open");
const phases = (page: Page) => page.evaluate(() => test.phases);
const call = (page: Page, name: string) =>
  page.evaluate((tool) => test.gateway.request("gateway/call", { server: "weather", name: tool }), name);
const called = () =>
  stage.noted.filter(({ method }) => method === "gateway/call").map(({ params }) => params["name"]);

describe("in a browser", () => {
  it("a page that is reloaded within the grace time finds its session and its views", async () => {
    const page = await openPage();
    expect(await phases(page)).toEqual(["open websocket false"]);
    await page.evaluate(
      async () => void (await test.gateway.openView({ server: "weather", tool: "forecast" })),
    );
    await page.reload();
    await untilOpen(page);
    expect(await phases(page)).toEqual(["open websocket true"]);
    const restored = await page.evaluate(async () => {
      const views = await test.gateway.restoreViews();
      const results = views.map((each) => each.upstream.request("tools/call", { name: "forecast" }));
      return [views.map(({ opened }) => opened.view), await Promise.all(results)];
    });
    expect(restored).toEqual([["v1"], [{ name: "forecast" }]]);
    expect(stage.sessions).toHaveLength(1);
    expect(stage.events).toEqual(["fresh ann"]);
  });

  it("a copy of a tab takes the session over, and both work", async () => {
    const first = await openPage();
    // A window that a page opens starts with a copy of its session storage, like a duplicated tab.
    const [second] = await Promise.all([
      context.waitForEvent("page"),
      first.evaluate(() => void window.open(location.href)),
    ]);
    await second.waitForFunction(() => "test" in globalThis && test.gateway.state.phase === "open");
    expect(await phases(second)).toEqual(["open websocket true"]);
    await first.waitForFunction(() => test.takenOver === 1 && test.gateway.state.phase === "open");
    await call(first, "first");
    await call(second, "second");
    expect(called()).toEqual(["first", "second"]);
    expect(new Set(stage.noted.map(({ session }) => session)).size).toBe(2);
    // Each has a separate session from now on.
    await first.reload();
    await untilOpen(first);
    expect(await phases(first)).toEqual(["open websocket true"]);
    expect(await second.evaluate(() => test.takenOver)).toBe(0);
  });

  it("a network that goes and comes back loses no request", async () => {
    const page = await openPage();
    await context.setOffline(true);
    stage.reset();
    await page.waitForFunction(() => test.gateway.state.phase === "reconnecting");
    const answer = call(page, "asked offline");
    await context.setOffline(false);
    expect(await answer).toEqual({ server: "weather", name: "asked offline" });
    expect((await phases(page)).at(-1)).toMatch(/^open (websocket|http) true$/);
    expect(called()).toEqual(["asked offline"]);
  });

  it("a network that lets no WebSocket pass is crossed by HTTP, through a reload too", async () => {
    stage.letsSockets = false;
    const page = await openPage();
    expect(await phases(page)).toEqual(["open http false"]);
    expect(await call(page, "one")).toEqual({ server: "weather", name: "one" });
    await page.reload();
    await untilOpen(page);
    expect(await phases(page)).toEqual(["open http true"]);
    expect(await call(page, "two")).toEqual({ server: "weather", name: "two" });
  });
});
