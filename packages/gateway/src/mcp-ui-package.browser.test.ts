/** T07: UIs that the npm package of mcp-ui makes, taken over the wire and shown by the whole product in Chromium. */
import { fileURLToPath } from "node:url";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Site, serveSite } from "../../../testing/browser.js";
import type { GatewayPageApi } from "../../../testing/gateway/gateway-page.js";
import { GatewayStage } from "../../../testing/gateway/gateway-stage.js";

declare const host: GatewayPageApi;

const SERVER = fileURLToPath(new URL("../../../testing/dialects/mcp-ui-server.mjs", import.meta.url));

let stage: GatewayStage;
let site: Site;
let page: Page;
beforeAll(async () => {
  site = await serveSite({ "/app": "<!doctype html><title>Shop</title><p>The shop" });
  const args = [SERVER, `${site.origin("shop")}/app`];
  stage = await GatewayStage.open({
    mcpServers: { forms: { command: process.execPath, args, isolation: "process" } },
  });
  page = await stage.openPage();
}, 120_000);
afterAll(async () => {
  await stage?.close();
  await site?.close();
});

async function show(tool: string): Promise<Frame> {
  const id = `${tool}-${await page.evaluate(() => document.querySelectorAll("mcp-app").length)}`;
  const opened = await page.evaluate(
    ([id, tool]) => host.openResult(id, { server: "forms", tool, arguments: {} }),
    [id, tool] as const,
  );
  expect(opened.problem).toBeUndefined();
  await page.evaluate((id) => host.log.until(`${id} ready`), id);
  return stage.viewOf(page, id);
}

it.each(["text", "blob", "apps-adapter", "skybridge-adapter"])(
  "T07: a UI of mcp-ui as %s gets its data, and calls a tool",
  async (tool) => {
    const view = await show(tool);
    await expect.poll(() => view.locator("#answer").textContent()).toBe('{"sum":2}');
  },
);

it("T07: the page of an external URL is shown in a frame", async () => {
  const view = await show("address");
  await expect.poll(() => view.childFrames()[0]?.url()).toBe(`${site.origin("shop")}/app`);
  await expect.poll(() => view.childFrames()[0]?.locator("p").textContent()).toBe("The shop");
});
