/** `<McpApp>` in React 18 and 19: one app per component, however often it is rendered. */
import { spawnSync } from "node:child_process";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundle } from "../../../testing/browser.ts";
import { HostStage } from "../../../testing/host/host-stage.ts";
import { type RawView, rawView } from "../../../testing/host/raw-view.ts";
import type { ReactApi } from "../../../testing/host/react-page.tsx";
import { react18 } from "../../../testing/react-18.ts";

declare const chat: ReactApi;
declare const raw: RawView;

describe.each([18, 19])("React %i", (version) => {
  let stage: HostStage;
  let page: Page;
  beforeAll(async () => {
    const alias = version === 18 ? await react18() : undefined;
    stage = await HostStage.open({ page: "./testing/host/react-page.tsx", alias });
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

  it("is the version under test", async () => {
    expect(await page.evaluate(() => chat.version)).toMatch(new RegExp(`^${version}\\.`));
  });

  it("a server renders its element, without a complaint", async () => {
    const code = await bundle(
      `import { createElement } from "react";
      import { renderToString } from "react-dom/server.browser";
      import { McpApp } from "@vitrine/host/react";
      const props = { info: { name: "chat", version: "1.0.0" }, title: "a", view: new Promise(() => {}) };
      console.log(renderToString(createElement(McpApp, { ...props, className: "app", "data-turn": "1", input: {} })));
      process.exit(); // React keeps a channel open.`,
      { format: "esm", alias: version === 18 ? await react18() : {} },
    );
    // On its own: this process has what frameworks add for tests.
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-"], {
      input: code,
      encoding: "utf8",
      timeout: 30_000,
    });
    expect(stdout.trim()).toBe('<mcp-app data-turn="1" class="app"></mcp-app>');
    expect(stderr).toBe("");
  });

  it("StrictMode mounts it once", async () => {
    expect(await page.locator("mcp-app iframe").count()).toBe(1);
    expect(await page.evaluate(() => chat.log.names("ready", "loading"))).toEqual(["loading", "ready"]);
  });

  it("L04, L06: sends the tool call once, as its props come", async () => {
    await page.evaluate(() => chat.set({ partialInput: { city: "R" } }));
    await page.evaluate(() => chat.set({ input: { city: "Rome" } }));
    await page.evaluate(() => chat.set({ result: { content: [] } }));
    // The same values, written anew.
    await page.evaluate(() => chat.set({ input: { city: "Rome" }, result: { content: [] } }));
    expect(await page.evaluate(() => chat.log.values("error"))).toEqual([]);
    await page.evaluate(() => chat.set({ input: { city: "Paris" }, result: { content: [] } }));
    await page.evaluate(() => chat.set({ input: { city: "Oslo" } }));
    await expect
      .poll(heard)
      .toEqual([
        "ui/notifications/tool-input-partial",
        "ui/notifications/tool-input",
        "ui/notifications/tool-result",
      ]);
    expect(await page.evaluate(() => chat.log.values("error"))).toEqual([
      {
        code: "out-of-order",
        message: expect.stringMatching(/^input was not sent again.*another `call` or `key`/),
      },
    ]);
  });

  it("takes attributes of elements, and changes them", async () => {
    await page.evaluate(() =>
      chat.set({
        className: "first",
        style: { opacity: 0.5 },
        slot: "apps",
        "aria-describedby": "chat",
        "data-turn": "1",
        hidden: true,
      }),
    );
    const attributes = () =>
      page
        .locator("mcp-app")
        .evaluate(({ attributes: list }) =>
          Object.fromEntries(
            [...list]
              .filter(({ name }) => !/^(id|hidden)$/.test(name))
              .map(({ name, value }) => [name, value]),
          ),
        );
    const given = {
      class: "first",
      style: "opacity: 0.5;",
      slot: "apps",
      "aria-describedby": "chat",
      "data-turn": "1",
    };
    expect(await attributes()).toEqual(given);
    expect(await page.locator("mcp-app").isVisible()).toBe(false);
    await page.evaluate(() => chat.set({ className: "second", hidden: false }));
    expect(await attributes()).toEqual({ ...given, class: "second" });
    expect(await page.locator("mcp-app").isVisible()).toBe(true);
    expect(await page.locator("mcp-app iframe").count()).toBe(1);
  });

  it("sets `keep` as an attribute, and removes it", async () => {
    await page.evaluate(() => chat.set({ keep: true }));
    await expect.poll(() => page.locator("mcp-app[keep]").count()).toBe(1);
    await page.evaluate(() => chat.set({ keep: false }));
    await expect.poll(() => page.locator("mcp-app[keep]").count()).toBe(0);
  });

  it("follows its dimensions, and tells the app", async () => {
    const size = () =>
      page.locator("mcp-app iframe").evaluate(({ clientWidth, clientHeight }) => [clientWidth, clientHeight]);
    await page.evaluate(() => chat.set({ dimensions: { width: 300, height: 200 } }));
    await expect.poll(size).toEqual([300, 200]);
    const told = async () =>
      (await view()).evaluate(() =>
        raw.heard.flatMap(({ method, params }) =>
          /context/.test(method) ? [Object(params).containerDimensions] : [],
        ),
      );
    await expect.poll(async () => (await told()).at(-1)).toEqual({ width: 300, height: 200 });
    await page.evaluate(() => chat.set({ dimensions: { width: 300, height: 240 } }));
    await expect.poll(size).toEqual([300, 240]);
    // The app decides again, up to the limit.
    await (await view()).evaluate(() => raw.tell("ui/notifications/size-changed", { height: 500 }));
    await page.evaluate(() => chat.set({ dimensions: { maxHeight: 400 } }));
    await expect.poll(async () => (await size())[1]).toBe(400);
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

  it.runIf(version === 19)(
    "continues while it is inactive, and is the same when it is shown again",
    async () => {
      await page.evaluate(() => chat.set({ input: { city: "Rome" } }));
      await expect.poll(heard).toEqual(["ui/notifications/tool-input"]);
      const before = await view();
      await page.evaluate(() => chat.set({ isInactive: true }));
      await expect.poll(() => page.locator("mcp-app").isVisible()).toBe(false);
      await page.evaluate(() => chat.set({ isInactive: false, result: { content: [] } }));
      const call = async () => (await heard()).filter((method) => method.includes("/tool-"));
      await expect.poll(call).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-result"]);
      expect(await view()).toBe(before);
    },
  );

  it("shows another call in the same place, with its own input and result", async () => {
    const calls = async (): Promise<unknown[]> =>
      (await heard()).length === 0
        ? []
        : (await view()).evaluate(() =>
            raw.heard.filter(({ method }) => method.includes("/tool-")).map(({ params }) => params),
          );
    const resultOf = (text: string) => ({ content: [{ type: "text" as const, text }] });
    await page.evaluate(
      (result) => chat.set({ call: 1, input: { city: "Rome" }, result }),
      resultOf("sunny"),
    );
    await expect.poll(calls).toEqual([{ arguments: { city: "Rome" } }, resultOf("sunny")]);
    const element = await page.locator("mcp-app").elementHandle();
    await page.evaluate(() => chat.set({ call: 2, input: { city: "Oslo" }, result: undefined }));
    await expect.poll(() => calls().catch(() => [])).toEqual([{ arguments: { city: "Oslo" } }]);
    await page.evaluate((result) => chat.set({ result }), resultOf("snow"));
    await expect.poll(calls).toEqual([{ arguments: { city: "Oslo" } }, resultOf("snow")]);
    expect(await page.locator("mcp-app").evaluate((app, before) => app === before, element)).toBe(true);
    expect(await page.evaluate(() => chat.log.values("error"))).toEqual([]);
    expect(await page.evaluate(() => chat.log.names("closed"))).toEqual([]);
  });

  it("L11: receives its call again when a reordered list has moved it", async () => {
    const result = { content: [] };
    await page.evaluate(
      (given) => chat.set({ isFirst: true, input: { city: "Rome" }, result: given }),
      result,
    );
    const calls = async (): Promise<string[]> =>
      (await heard().catch(() => [])).filter((method) => method.includes("/tool-"));
    const both = ["ui/notifications/tool-input", "ui/notifications/tool-result"];
    await expect.poll(calls).toEqual(both);
    await page.evaluate(() => chat.log.clear());
    // React moves the element that comes later now: the app.
    await page.evaluate(() => chat.set({ isFirst: false }));
    await page.evaluate(() => chat.log.until("ready"));
    await expect.poll(calls).toEqual(both);
    expect(await page.evaluate(() => chat.log.names("error", "closed"))).toEqual([]);
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
});
