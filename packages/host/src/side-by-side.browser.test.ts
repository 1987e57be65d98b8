/** An app that moves between the conversation and a pane beside it, by the code of the documentation. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { HostApi } from "../../../testing/host/host-page.ts";
import { HostStage } from "../../../testing/host/host-stage.ts";
import type { PanesApi } from "../../../testing/host/pane-page.ts";
import { type RawView, rawView } from "../../../testing/host/raw-view.ts";

declare const host: HostApi;
declare const panes: PanesApi;
declare const raw: RawView;

let stage: HostStage;
beforeAll(async () => {
  stage = await HostStage.open({ page: "./testing/host/pane-page.ts" });
  await stage.serve("a", { html: rawView("start();", "<input>") });
});
afterAll(() => stage.close());

it("keeps running in the pane, fills it, and comes back", async () => {
  const page = await stage.freshPage();
  const view = await stage.mount(page, "a", { input: { city: "Rome" } });
  const text = view.locator("input");
  await text.fill("typed");
  const size = () =>
    page.locator("#a iframe").evaluate(({ clientWidth, clientHeight }) => [clientWidth, clientHeight]);
  const told = () =>
    view.evaluate(() =>
      raw.heard.flatMap(({ method, params }) => (method.includes("context") ? [params] : [])).at(-1),
    );
  await page.evaluate(() => {
    host.budget.most = 0;
    const pane = document.createElement("div");
    pane.id = "pane";
    Object.assign(pane.style, { position: "fixed", inset: "0 0 auto auto", width: "300px", height: "400px" });
    document.body.append(pane);
    panes.showInPane(pane, host.app("a"));
  });
  await expect.poll(size).toEqual([300, 400]);
  await expect.poll(told).toMatchObject({ containerDimensions: { width: 300, height: 400 } });
  expect(await page.locator("#pane mcp-app").count()).toBe(1);
  expect(await text.inputValue()).toBe("typed");
  await page.evaluate(() => panes.showInConversation(document.body, host.app("a")));
  await view.evaluate(() => raw.tell("ui/notifications/size-changed", { height: 250 }));
  await expect.poll(async () => (await size())[1]).toBe(250);
  expect(await text.inputValue()).toBe("typed");
  expect(await page.evaluate(() => host.log.names("a loading", "a ready", "a idle"))).toEqual([
    "a loading",
    "a ready",
  ]);
});
