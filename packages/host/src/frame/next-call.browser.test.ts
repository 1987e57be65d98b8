/** Several calls of a tool in one app: a later call is shown in the place of the one before. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { HostApi } from "../../../../testing/host/host-page.ts";
import { HostStage } from "../../../../testing/host/host-stage.ts";
import { type RawView, rawView } from "../../../../testing/host/raw-view.ts";

declare const host: HostApi;
declare const raw: RawView;

/** Stores the reason of its teardown, and reports its height once it has a result. */
const HTML = rawView(`start();
  tell("ui/notifications/size-changed", { height: 40 });
  raw.answers["ui/resource-teardown"] = ({ reason }) => {
    sessionStorage.setItem("asked", reason);
    return {};
  };
  addEventListener("message", ({ data }) => {
    if (data.method === "ui/notifications/tool-result") tell("ui/notifications/size-changed", { height: 700 });
  });`);
const resultOf = (text: string) => ({ content: [{ type: "text" as const, text }] });

let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await HostStage.open();
  await stage.serve("a", { html: HTML });
});
afterAll(() => stage.close());
beforeEach(async () => {
  page = await stage.freshPage();
  await stage.mount(page, "a", { input: { city: "Rome" }, result: resultOf("sunny") });
  await expect.poll(height).toBe(700);
});

const height = (): Promise<number> =>
  page.locator("#a [part=stage]").evaluate((element) => element.clientHeight);
/** Messages of the call that the app has received; nothing while it loads. */
const calls = async (): Promise<unknown> => {
  const view = await stage.viewOf(page, "a").catch(() => undefined);
  return view
    ?.evaluate(() => raw.heard.filter(({ method }) => method.includes("/tool-")).map(({ params }) => params))
    .catch(() => undefined);
};
const showNext = (): Promise<void> =>
  page.evaluate(async (result) => {
    const { frame } = host.app("a");
    await frame?.nextCall();
    frame?.bridge.sendToolInput({ city: "Oslo" });
    frame?.bridge.sendToolResult(result);
  }, resultOf("snow"));
const OSLO = [{ arguments: { city: "Oslo" } }, resultOf("snow")];

it("L04, L08: the app stores its state, loads again, and receives the new call once", async () => {
  await showNext();
  await expect.poll(calls).toEqual(OSLO);
  const view = await stage.viewOf(page, "a");
  expect(await view.evaluate(() => sessionStorage.getItem("asked"))).toBe("another call");
  expect(await page.locator("#a iframe").count()).toBe(1);
});

it("keeps its height until it has drawn the new call", async () => {
  await page.evaluate(() => {
    const stageOf = host.app("a").shadowRoot?.querySelector("[part=stage]") as Element;
    new MutationObserver(() => host.log.add("height", stageOf.clientHeight)).observe(stageOf, {
      attributeFilter: ["style"],
    });
  });
  await showNext();
  await expect.poll(calls).toEqual(OSLO);
  await expect.poll(() => page.locator("#a [data-drawing]").count()).toBe(0);
  expect(new Set(await page.evaluate(() => host.log.values("height")))).toEqual(new Set([700]));
});

it("stays in the corner of the window", async () => {
  await page.evaluate(() => host.app("a").frame?.setDisplayMode("pip"));
  await showNext();
  await expect.poll(calls).toEqual(OSLO);
  expect(await page.locator("#a [part=box]").getAttribute("data-mode")).toBe("pip");
});

it("shows it to a released app when that comes back", async () => {
  await page.evaluate(() => {
    host.budget.most = 0;
    host.app("a").style.marginTop = "9000px";
  });
  await page.evaluate(() => host.log.until("a released"));
  await showNext();
  expect(await page.evaluate(() => host.app("a").state)).toBe("released");
  await page.evaluate(() => host.app("a").scrollIntoView());
  await expect.poll(calls).toEqual(OSLO);
});

it("tries again with the new call after a failure", async () => {
  await page.evaluate(() => host.app("a").shadowRoot?.querySelector("iframe")?.remove());
  await page.evaluate(() => host.log.until("a failed"));
  await showNext();
  await expect.poll(calls).toEqual(OSLO);
});
