/**
 * Apps that are pinned beside the conversation, in the built workbench.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GatewayStage } from "../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench, WorkbenchPage } from "../../../../testing/gateway/workbench-page.ts";

let stage: GatewayStage;
let workbench: WorkbenchPage;
let page: Page;
let folder: string;

const script = fileURLToPath(new URL("../../../../testing/gateway/demo-server.mjs", import.meta.url));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-pins-"));
  stage = await GatewayStage.open(
    {
      mcpServers: {
        demo: {
          command: process.execPath,
          args: [script, folder],
          isolation: "process",
          policy: { "tools/call": "allow" },
        },
      },
    },
    builtWorkbench(),
  );
  workbench = await WorkbenchPage.open(stage.context, stage.gateway.loginUrl());
  ({ page } = workbench);
  // The conversation has the page for itself.
  await workbench.button("Inspect").click();
});
afterAll(async () => {
  await stage?.close();
  await rm(folder, { recursive: true, force: true });
});

const cards = (): Locator => page.locator("article.card:has(mcp-app)");
const pinned = (): Locator => page.locator("article[data-pinned]");

async function box(of: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const found = await of.boundingBox();
  if (!found) throw new Error("it is not there");
  return found;
}

/** Opens an app with a text that it has only until it is loaded again. */
async function open(text: string): Promise<void> {
  const count = await cards().count();
  await workbench.tell(`/demo show ${JSON.stringify({ text })}`);
  await expect.poll(() => cards().count()).toBe(count + 1);
  const app = await workbench.appIn(cards().last());
  await app.evaluate((mark) => Object.assign(globalThis, { mark }), text);
}

const markIn = async (card: Locator): Promise<unknown> =>
  (await workbench.appIn(card)).evaluate(() => Reflect.get(globalThis, "mark"));

it("pinned apps stand beside the conversation, go on without a reload, and are there after the page was reloaded", async () => {
  await open("one");
  await open("two");
  await open("three");
  // By key: a pinned card leaves the list, and what is below moves under the pointer.
  for (const at of [0, 1]) {
    await cards().nth(at).getByRole("button", { name: "Pin: show" }).press("Enter");
    await expect.poll(() => pinned().count()).toBe(at + 1);
  }
  expect(await Promise.all([0, 1, 2].map((at) => markIn(cards().nth(at))))).toEqual(["one", "two", "three"]);

  const [first, second] = await Promise.all([box(pinned().nth(0)), box(pinned().nth(1))]);
  const flow = await box(page.locator(".conversation-list"));
  const field = await box(page.getByRole("textbox", { name: "Message" }));
  const head = await box(page.locator(".conversation-head"));
  for (const place of [first, second]) {
    expect(place.x).toBeGreaterThanOrEqual(flow.x + flow.width - 1);
    expect(place.x).toBeGreaterThanOrEqual(field.x + field.width);
    expect(place.x + place.width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
  }
  expect(first.y).toBeGreaterThanOrEqual(head.y + head.height - 1);
  expect(second.y).toBeGreaterThanOrEqual(first.y + first.height - 1);
  // They stay while the conversation continues.
  await open("four");
  expect(await box(pinned().nth(0))).toEqual(first);
  expect(await page.getByText("Demo is pinned beside the conversation.").count()).toBe(2);

  await page.reload();
  await expect.poll(() => pinned().count()).toBe(2);
  await pinned().nth(0).getByRole("button", { name: "Unpin: show" }).press("Enter");
  await expect.poll(() => pinned().count()).toBe(1);
  const back = await box(cards().first());
  expect(back.x + back.width).toBeLessThanOrEqual(flow.x + flow.width);
});

it("a narrow page keeps pinned apps between the messages", async () => {
  await page.setViewportSize({ width: 700, height: 900 });
  await expect.poll(() => pinned().count()).toBe(0);
  await page.setViewportSize({ width: 1600, height: 1000 });
  await expect.poll(() => pinned().count()).toBe(1);
});

it("an app that is closed leaves its place", async () => {
  await pinned().getByRole("button", { name: "Close app: show" }).press("Enter");
  await expect.poll(() => pinned().count()).toBe(0);
  expect(await page.locator(".conversation[data-pins]").count()).toBe(0);
});
