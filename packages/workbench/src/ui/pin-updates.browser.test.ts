/**
 * New calls of a tool that update its pinned app, in the built workbench.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Frame, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { GatewayStage } from "../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench, WorkbenchPage } from "../../../../testing/gateway/workbench-page.ts";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
} from "../../../../testing/model/scripted-model.ts";

let stage: GatewayStage;
let model: ScriptedModel;
let workbench: WorkbenchPage;
let page: Page;
let folder: string;

const script = fileURLToPath(new URL("../../../../testing/gateway/demo-server.mjs", import.meta.url));
const demo = (...more: string[]) => ({
  command: process.execPath,
  args: [script, folder, ...more],
  isolation: "process",
  policy: { "tools/call": "allow" },
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-pin-updates-"));
  model = await startScriptedModel();
  stage = await GatewayStage.open(
    {
      // The same program with another identity.
      mcpServers: { demo: demo(), twin: demo("twin") },
      model: { use: "local/scripted", providers: { local: { url: model.url, models: ["scripted"] } } },
    },
    builtWorkbench(),
  );
  workbench = await WorkbenchPage.open(stage.context, stage.gateway.loginUrl());
  ({ page } = workbench);
  await workbench.button("Inspect").click();
});
afterAll(async () => {
  await stage?.close();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => workbench.newConversation());

const apps = (): Locator => page.locator("article.card:has(mcp-app)");
const pinned = (): Locator => page.locator("article[data-pinned]");
const rows = (text: string): Locator => page.locator("article.pinned-row").filter({ hasText: text });
/** Found anew each time: a reloaded app has other frames. */
const inApp = (selector: string): Locator =>
  pinned().locator("mcp-app iframe").contentFrame().locator("iframe").contentFrame().locator(selector);
/** Waits for the result that the pinned app shows; while it reloads, there is none. */
const shows = (text: string) =>
  expect
    .poll(() =>
      inApp("#result")
        .textContent({ timeout: 1000 })
        .catch(() => undefined),
    )
    .toBe(text);
const press = (card: Locator, name: string): Promise<void> =>
  card.getByRole("button", { name }).press("Enter");
const appOf = (card: Locator): Promise<Frame> => workbench.appIn(card);

async function call(tool: string, text: string): Promise<void> {
  await workbench.tell(`/${tool} ${JSON.stringify({ text })}`);
}

/** Opens an app, pins it, and lets new calls update it. */
async function pin(tool = "show", doesFollow = true): Promise<void> {
  await call(`demo ${tool}`, "one");
  await expect.poll(() => apps().count()).toBe(1);
  await appOf(apps());
  await press(apps(), `Pin: ${tool}`);
  await expect.poll(() => pinned().count()).toBe(1);
  const toggle = pinned().getByRole("button", { name: `Update with new calls: ${tool}` });
  expect(await toggle.getAttribute("aria-pressed")).toBe("false");
  if (!doesFollow) return;
  await toggle.press("Enter");
  await expect.poll(() => toggle.getAttribute("aria-pressed")).toBe("true");
}

it("by default, a new call opens another app", async () => {
  await pin("show", false);
  await call("demo show", "two");
  await expect.poll(() => apps().count()).toBe(2);
  await shows("shown one");
});

it("L04: a new call reloads the pinned app in its place, and is a row that leads to it", async () => {
  await pin();
  await shows("shown one");
  await (await appOf(pinned())).evaluate(() => Object.assign(globalThis, { mark: "one" }));
  const before = await pinned().boundingBox();
  await call("demo show", "two");
  await shows("shown two");
  const app = await appOf(pinned());
  expect(await inApp("#input").textContent()).toBe('{"text":"two"}');
  // A view gets its input once, so this is a new document.
  expect(await app.evaluate(() => Reflect.get(globalThis, "mark"))).toBeUndefined();
  expect(await pinned().boundingBox()).toEqual(before);
  expect(await apps().count()).toBe(1);
  await rows("The pinned app shows it.").waitFor();
  expect(await rows("").locator("mcp-app").count()).toBe(0);
  // The card of the app has what it shows, and runs that again.
  await pinned().getByRole("button", { name: "Arguments" }).click();
  await expect.poll(() => pinned().locator(".call-details").textContent()).toContain("two");
  await press(rows(""), "Go to the pinned app: show");
  expect(await pinned().evaluate((card) => card === document.activeElement)).toBe(true);
  await press(pinned(), "Run again: show");
  await expect.poll(() => rows("").count()).toBe(2);
  await shows("shown two");
  // Without its app, the card has its own arguments again.
  await press(pinned(), "Close app: show");
  const card = page.locator("article.card").first();
  await card.getByRole("button", { name: "Arguments" }).waitFor();
  await expect.poll(() => card.locator(".call-details").textContent()).toContain("one");
});

it("a call of the model updates it too, and a reload of the page keeps all of it", async () => {
  await pin();
  model.add(callTool("demo__show", { text: "by the model" }), say("There it is."));
  await workbench.tell("Show it.");
  await shows("shown by the model");
  await call("demo show", "three");
  await shows("shown three");
  expect(await apps().count()).toBe(1);
  await rows("The pinned app shows a later call.").waitFor();
  await rows("The pinned app shows it.").waitFor();
  await page.reload();
  await expect.poll(() => pinned().count()).toBe(1);
  await shows("shown three");
  expect(await apps().count()).toBe(1);
  expect(await rows("").count()).toBe(2);
  await call("demo show", "four");
  await shows("shown four");
  expect(await apps().count()).toBe(1);
});

it("another tool, and the same tool of another server, open their own apps", async () => {
  await pin();
  await call("twin show", "twin");
  await expect.poll(() => apps().count()).toBe(2);
  await call("demo show-slow", "slow");
  await expect.poll(() => apps().count()).toBe(3);
  await shows("shown one");
  expect(await rows("").count()).toBe(0);
});

it("a call that is cancelled leaves the app as it is", async () => {
  await pin("show-slow");
  const app = await appOf(pinned());
  await app.evaluate(() => Object.assign(globalThis, { mark: "first" }));
  await writeFile(join(folder, "hold"), "");
  try {
    await call("demo show-slow", "two");
    await rows("The pinned app will show it.").waitFor();
    await press(rows(""), "Cancel");
    await page.locator("article.card").filter({ hasText: "cancelled" }).waitFor();
  } finally {
    await rm(join(folder, "hold"), { force: true });
  }
  expect(await rows("").count()).toBe(0);
  expect(await apps().count()).toBe(1);
  expect(await (await appOf(pinned())).evaluate(() => Reflect.get(globalThis, "mark"))).toBe("first");
});

it("without the pin, the next call opens its own app; a removed call gives the app back its own", async () => {
  await pin();
  await call("demo show", "two");
  await shows("shown two");
  await workbench.remove(rows(""));
  await shows("shown one");
  await press(pinned(), "Unpin: show");
  await expect.poll(() => pinned().count()).toBe(0);
  await call("demo show", "three");
  await expect.poll(() => apps().count()).toBe(2);
});
