/** Large messages from a host page to a view arrive whole and in order, whatever their form. */
import type { Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HostApi } from "../../../testing/host/host-page.ts";
import { HostStage } from "../../../testing/host/host-stage.ts";
import { type RawView, rawView } from "../../../testing/host/raw-view.ts";

declare const host: HostApi;
declare const raw: RawView;

let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await HostStage.open();
  await stage.serve("plain", { html: rawView() });
});
afterAll(() => stage.close());
beforeEach(async () => {
  page = await stage.openPage();
});
afterEach(() => page.close());

/**
 * Waits until the view has received so many messages. Returns the method of each, and the length and a digest
 * of its JSON.
 */
async function heard(view: Frame, count: number): Promise<[method: string, length: number, sum: number][]> {
  await view.waitForFunction((least) => raw.heard.length >= least, count);
  return view.evaluate(() =>
    raw.heard.map(({ method, params }) => {
      const text = JSON.stringify(params);
      let sum = 0;
      for (let at = 0; at < text.length; at += 97) sum = (sum * 31 + text.charCodeAt(at)) % 1e9;
      return [method, text.length, sum];
    }),
  );
}

/** The same for the messages that the host page created. */
const made = (name: string): Promise<[length: number, sum: number]> =>
  page.evaluate((what) => {
    const text = JSON.stringify(Object(globalThis)[what]);
    let sum = 0;
    for (let at = 0; at < text.length; at += 97) sum = (sum * 31 + text.charCodeAt(at)) % 1e9;
    return [text.length, sum];
  }, name);

describe("a large message", () => {
  it.each([
    [
      "records",
      'Array.from({ length: 60_000 }, (_, id) => ({ id, name: "näme" + id, tags: [id % 2 === 0] }))',
    ],
    ["a text", '"Grüße 😀 ".repeat(300_000)'],
    ["a text so long that it is written and not copied", '"\\"quoted\\"\\n".repeat(2_600_000)'],
    ["texts in many values", "Array.from({ length: 2000 }, (_, id) => String(id).repeat(500))"],
  ])("arrives whole, between those before and after it: %s", async (_name, value) => {
    const view = await stage.mount(page, "plain");
    await page.evaluate(`{
      const value = ${value};
      globalThis.input = { arguments: { value } };
      globalThis.result = { content: [], structuredContent: { value } };
      const { bridge } = host.app("plain");
      bridge.updateContext({ theme: "dark" });
      bridge.sendToolInput({ value });
      bridge.updateContext({ theme: "light" });
      bridge.sendToolResult(result);
      bridge.updateContext({ theme: "dark" });
    }`);
    const messages = await heard(view, 5);
    expect(messages.map(([method]) => method.split("/").at(-1))).toEqual([
      "host-context-changed",
      "tool-input",
      "host-context-changed",
      "tool-result",
      "host-context-changed",
    ]);
    expect(messages[1]?.slice(1)).toEqual(await made("input"));
    expect(messages[3]?.slice(1)).toEqual(await made("result"));
  });

  it("of text as it came from the wire arrives whole", async () => {
    const view = await stage.mount(page, "plain", { input: {} });
    await page.evaluate(() => {
      const text = `{"content":[],"structuredContent":{"list":[${"0.10000000000000000555,".repeat(150_000)}1]}}`;
      host.sendJson("plain", text);
    });
    const [, [, length] = ["", 0]] = await heard(view, 2);
    expect(length).toBe(
      JSON.stringify({ content: [], structuredContent: { list: [...Array(150_000).fill(0.1), 1] } }).length,
    );
  });

  it("that cannot be sent is reported to its sender, and does not block other messages", async () => {
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    const view = await stage.mount(page, "plain");
    await page.evaluate(() => {
      const { bridge } = host.app("plain");
      bridge?.sendToolInput({ list: [...Array(700_000).fill(1.5), 1n] });
      bridge?.updateContext({ theme: "dark" });
    });
    const messages = await heard(view, 1);
    expect(messages.map(([method]) => method)).toEqual(["ui/notifications/host-context-changed"]);
    await expect.poll(() => errors).toEqual([expect.stringContaining("BigInt")]);
    // Its beginning does not become part of the next one.
    await page.evaluate(() => {
      Object.assign(globalThis, {
        result: { content: [], structuredContent: { list: Array(700_000).fill(2.5) } },
      });
      host.app("plain").bridge?.sendToolResult(Object(globalThis).result);
    });
    const [, second] = await heard(view, 2);
    expect(second?.slice(1)).toEqual(await made("result"));
  });

  it("that is not JSON, or that the view does not confirm, does not block other messages", async () => {
    await page.clock.install();
    const view = await stage.mount(page, "plain", { input: {} });
    await view.evaluate(() => {
      MessagePort.prototype.postMessage = () => {};
    });
    await page.evaluate(() => {
      host.sendJson("plain", `{"content":[],"odd":${"[".repeat(60_000)}}`);
      host.app("plain").bridge?.updateContext({ theme: "dark" });
    });
    await page.clock.runFor(11_000);
    await view.waitForFunction(() => raw.heard.some(({ params }) => params["theme"] === "dark"));
    expect((await heard(view, 2)).map(([method]) => method)).not.toContain("ui/notifications/tool-result");
  });

  it("L12: of a view that is too large is answered", async () => {
    const view = await stage.mount(page, "plain");
    const answer = await view.evaluate(() =>
      raw
        .ask("tools/call", { name: "x".repeat(33_000_000) })
        .catch(({ code, message }) => ({ code, message })),
    );
    expect(answer).toEqual({ code: -32600, message: "too-large" });
  });

  it("T03: reaches a view that speaks text as text", async () => {
    const html = rawView("").replace(
      "const post = (message) => parent.postMessage(",
      "const post = (message) => parent.postMessage(JSON.stringify(",
    );
    await stage.serve("texts", {
      html: html
        .replace('{ jsonrpc: "2.0", ...message }, "*")', '{ jsonrpc: "2.0", ...message }), "*")')
        .replace("({ source, data }) => {", "({ source, data: text }) => { const data = JSON.parse(text);")
        .replace("</script>", "start();</script>"),
    });
    await stage.mount(page, "texts");
    // Once more: it still uses text.
    await (await stage.viewOf(page, "texts")).evaluate(() => location.reload());
    await page.evaluate(() => host.log.until("texts ready", 2));
    const view = await stage.viewOf(page, "texts");
    await page.evaluate(() => {
      const value = Array.from({ length: 100_000 }, (_, id) => ({ id }));
      Object.assign(globalThis, { input: { arguments: { value } } });
      host.app("texts").bridge?.sendToolInput({ value });
    });
    const [first] = await heard(view, 1);
    expect(first?.slice(1)).toEqual(await made("input"));
  });
});
