/** A test suite that is selected by name and never confirms anything, with the settings of docs/host-test.md. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningGateway } from "@vitrine/gateway";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LIMIT, sharedChromium } from "../../../../testing/browser.ts";
import { officialServer, startTestGateway } from "../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench } from "../../../../testing/gateway/workbench-page.ts";
import type { HostTestApi } from "../model/host-test/host-test-api.ts";

declare const __mcpAppsHost: HostTestApi;

let folder: string;
let browser: Browser;
let gateway: RunningGateway;
let page: Page;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-host-test-docs-"));
  const document = await readFile(new URL("../../../../docs/host-test.md", import.meta.url), "utf8");
  const [, json = ""] = /```json\n([\s\S]*?)```/.exec(document) ?? [];
  // The document uses a placeholder server; everything else is as written there.
  const { mcpServers } = JSON.parse(json);
  const args = [officialServer("basic-vanillajs"), "--stdio"];
  mcpServers.core = { ...mcpServers.core, command: process.execPath, args, isolation: "process" };
  browser = await sharedChromium();
  ({ gateway } = await startTestGateway({ mcpServers }, join(folder, "data"), builtWorkbench(), {
    testMode: true,
  }));
  const context = await browser.newContext();
  context.setDefaultTimeout(LIMIT);
  page = await context.newPage();
  await page.goto(`${gateway.loginUrl()}#inspect`);
  await page.waitForFunction(() => "__mcpAppsHost" in globalThis);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

it("finds the suite core by the name of its server, and nothing that its app does waits for an answer", async () => {
  await page.evaluate(() => __mcpAppsHost.resetEnvironment());
  const handle = await page.evaluateHandle(() => __mcpAppsHost.displayTestApp("core"));
  const [view] = (await handle.asElement()?.contentFrame())?.childFrames() ?? [];
  if (!view) throw new Error("there is no app");
  await view.getByRole("button", { name: "Get Server Time" }).click();
  await view.getByRole("button", { name: "Send Message" }).click();
  const said = () => page.evaluate(() => __mcpAppsHost.getConversation());
  await expect.poll(said).toContainEqual(expect.objectContaining({ role: "user", from: expect.anything() }));
  const popup = page.waitForEvent("popup");
  await view.getByRole("button", { name: "Open Link" }).click();
  await (await popup).close();
  expect(await page.getByRole("alertdialog").count()).toBe(0);
  expect(await page.evaluate(() => __mcpAppsHost.callTool("get-time"))).toMatchObject({
    content: [{ type: "text" }],
  });
});
