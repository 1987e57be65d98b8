/** `<McpApp>` in React: one app per component, however often it is rendered. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
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

it("X02: sends context changes", async () => {
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

it("continues while it is hidden, and is the same when it is shown again", async () => {
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

it("is removed with its component", async () => {
  await page.evaluate(() => chat.unmount());
  await page.evaluate(() => chat.log.until("closed"));
  expect(await page.locator("iframe").count()).toBe(0);
});

describe("a message that the app must not receive", () => {
  const errors = () => page.evaluate(() => chat.log.values("error"));
  const expectChat = async (): Promise<void> => {
    expect(await page.locator("#chat").textContent()).toBe("The chat");
    expect(await page.locator("mcp-app").count()).toBe(1);
  };

  it("L07: a result after `cancelled` is reported and the chat stays mounted", async () => {
    await page.evaluate(() => chat.set({ input: { city: "Rome" }, cancelled: "stopped by the user" }));
    await page.evaluate(() => chat.set({ result: { content: [] } }));
    await expect.poll(errors).toEqual([
      {
        code: "out-of-order",
        message: "ui/notifications/tool-result was not sent: the tool call is over",
      },
    ]);
    await expectChat();
    expect(await heard()).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-cancelled"]);
    // Reported once, however often the component renders.
    await page.evaluate(() => chat.set({ mood: "second" }));
    await page.evaluate(() => chat.set({ mood: "third" }));
    expect(await errors()).toHaveLength(1);
  });

  it("L04: a result without an input is reported, waits, and is sent after the input", async () => {
    await page.evaluate(() => chat.set({ result: { content: [] } }));
    await expect.poll(errors).toMatchObject([{ code: "out-of-order" }]);
    await expectChat();
    expect(await heard()).toEqual([]);
    await page.evaluate(() => chat.set({ input: {} }));
    await expect.poll(heard).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-result"]);
    expect(await errors()).toHaveLength(1);
  });

  it("L05: a partial input after an input that the bridge sent is reported", async () => {
    await page.evaluate(() => chat.bridge()?.sendToolInput({ city: "Rome" }));
    await page.evaluate(() => chat.set({ partialInput: { city: "R" } }));
    await expect.poll(errors).toMatchObject([{ code: "out-of-order" }]);
    await expectChat();
  });

  it("L08: everything after teardown is reported", async () => {
    await page.evaluate(() => chat.bridge()?.teardown("enough"));
    await page.evaluate(() => chat.set({ partialInput: {}, context: { locale: "it-IT" } }));
    await page.evaluate(() => chat.set({ input: {}, result: { content: [] }, cancelled: "no" }));
    await expect
      .poll(errors)
      .toMatchObject([{ code: "closed" }, { code: "closed" }, { code: "closed" }, { code: "closed" }]);
    await expectChat();
  });

  it("the bridge's listeners receive the same report, with or without `onError`", async () => {
    await page.evaluate(() => chat.bridge()?.on("report", ({ code }) => chat.log.add("report", code)));
    await page.evaluate(() => chat.set({ result: { content: [] } }));
    await expect.poll(() => page.evaluate(() => chat.log.values("report"))).toEqual(["out-of-order"]);
  });

  it("an app that cannot be made is reported and the chat stays mounted", async () => {
    await page.evaluate(() => chat.openWithoutGuard());
    await expect.poll(errors).toMatchObject([{ code: "invalid" }]);
    expect(await page.locator("#chat").textContent()).toBe("The chat");
  });

  it("an `onError` that throws does not unmount the chat", async () => {
    await page.evaluate(() => chat.set({ isErrorThrown: true, result: { content: [] } }));
    await expect.poll(errors).toHaveLength(1);
    await expectChat();
  });
});
