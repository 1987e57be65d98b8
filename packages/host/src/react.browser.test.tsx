/** `<McpApp>` in React: one app per component, however often it is rendered. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { HostStage } from "../../../testing/host/host-stage.ts";
import { type RawView, rawView } from "../../../testing/host/raw-view.ts";
import type { ReactApi } from "../../../testing/host/react-page.tsx";

declare const chat: ReactApi;
declare const raw: RawView;

let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await HostStage.open({ page: "./testing/host/react-page.tsx" });
  await stage.serve("weather", { html: rawView() });
});
afterAll(() => stage.close());
beforeEach(async () => {
  page = await stage.openPage();
  await page.evaluate(() => chat.open("weather"));
  await page.evaluate(() => chat.log.until("ready"));
});
afterEach(() => page.close());

const view = () => stage.viewOf(page, "app");
const heard = async (): Promise<string[]> =>
  (await view()).evaluate(() => raw.heard.map(({ method }) => method));

it("StrictMode mounts it once", async () => {
  expect(await page.locator("mcp-app iframe").count()).toBe(1);
  expect(await page.evaluate(() => chat.log.names("ready", "loading"))).toEqual(["loading", "ready"]);
});

it("L04, L06: sends the tool call once, as its props come", async () => {
  await page.evaluate(() => chat.set({ partialInput: { city: "R" } }));
  await page.evaluate(() => chat.set({ input: { city: "Rome" } }));
  await page.evaluate(() => chat.set({ result: { content: [] } }));
  await page.evaluate(() => chat.set({ input: { city: "Paris" }, result: { content: [] } }));
  await expect
    .poll(heard)
    .toEqual([
      "ui/notifications/tool-input-partial",
      "ui/notifications/tool-input",
      "ui/notifications/tool-result",
    ]);
});

it("X02: tells what changed in the context", async () => {
  await page.evaluate(() => chat.set({ context: { locale: "it-IT" } }));
  await expect.poll(heard).toEqual(["ui/notifications/host-context-changed"]);
});

it("calls the handlers of the last render", async () => {
  await page.evaluate(() => chat.set({ mood: "second" }));
  await (await view()).evaluate(() =>
    raw.ask("ui/message", { role: "user", content: [{ type: "text", text: "hello" }] }),
  );
  expect(await page.evaluate(() => chat.log.values("message"))).toEqual(["second: hello"]);
});

it("gives the bridge to a ref", async () => {
  await page.evaluate(() => chat.bridge()?.sendToolCancelled("enough"));
  await expect.poll(heard).toEqual(["ui/notifications/tool-cancelled"]);
});

it("goes on while it is hidden, and is the same when it is shown again", async () => {
  await page.evaluate(() => chat.set({ input: { city: "Rome" } }));
  await expect.poll(heard).toEqual(["ui/notifications/tool-input"]);
  const before = await view();
  await page.evaluate(() => chat.set({ hidden: true }));
  await expect.poll(() => page.locator("mcp-app").isVisible()).toBe(false);
  await page.evaluate(() => chat.set({ hidden: false, result: { content: [] } }));
  const call = async () => (await heard()).filter((method) => method.includes("/tool-"));
  await expect.poll(call).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-result"]);
  expect(await view()).toBe(before);
});

it("goes with its component", async () => {
  await page.evaluate(() => chat.unmount());
  await page.evaluate(() => chat.log.until("closed"));
  expect(await page.locator("iframe").count()).toBe(0);
});
