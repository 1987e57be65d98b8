/** The modes of the page, its palette and its keys, with the built workbench and the server of the tests. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningGateway } from "@vitrine/gateway";
import axe from "axe-core";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMIT, sharedChromium } from "../../../../../testing/browser.ts";
import { officialServer, startTestGateway } from "../../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench } from "../../../../../testing/gateway/workbench-page.ts";

let folder: string;
let browser: Browser;
let gateway: RunningGateway;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-shell-"));
  browser = await sharedChromium();
  const clock = {
    command: process.execPath,
    args: [officialServer("basic-vanillajs"), "--stdio"],
    isolation: "process",
    policy: { "tools/call": "allow" },
  };
  ({ gateway } = await startTestGateway({ mcpServers: { clock } }, folder, builtWorkbench()));
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(LIMIT);
  page = await context.newPage();
  await page.goto(gateway.loginUrl());
});
afterAll(async () => {
  await context?.close();
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

const inspector = (where = page): Locator => where.getByRole("region", { name: "Inspector" });
const tools = (where = page): Locator => where.getByRole("region", { name: "Servers and tools" });
const field = (): Locator => page.getByRole("textbox", { name: "Message", exact: true });
const palette = (): Locator => page.getByRole("dialog", { name: "Commands" });
const clockApp = (): Locator =>
  page.locator("mcp-app iframe").contentFrame().locator("iframe").contentFrame().locator("#server-time");

/** Opens the palette and types. */
async function search(text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await palette().getByRole("searchbox").fill(text);
}

async function axeFinds(): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await run.run(document, { iframes: false });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}

describe("the mode for using apps", () => {
  it("is the first one, and shows the conversation alone", async () => {
    await field().waitFor();
    expect(await inspector().isVisible()).toBe(false);
    expect(await tools().isVisible()).toBe(false);
    expect(await axeFinds()).toEqual([]);
  });

  it("shows the tools on demand", async () => {
    const button = page.getByRole("button", { name: "Tools", exact: true });
    await button.click();
    await tools().waitFor();
    await button.click();
    await tools().waitFor({ state: "hidden" });
  });

  it("changes with a key, keeps an app running, and is remembered", async () => {
    await field().fill("/get-time {}");
    await field().press("Enter");
    await clockApp().waitFor();
    const element = await page.locator("mcp-app").elementHandle();
    const frame = await page.locator("mcp-app iframe").elementHandle();
    const outer = await frame?.contentFrame();
    await outer?.evaluate(() => Object.assign(globalThis, { isSame: true }));
    await page.keyboard.press("Control+i");
    await inspector().waitFor();
    await tools().waitFor();
    // A frame that was moved would have loaded again.
    expect(await outer?.evaluate(() => "isSame" in globalThis)).toBe(true);
    expect(await element?.evaluate(({ isConnected }) => isConnected)).toBe(true);
    await page.reload();
    await inspector().waitFor();
    await page.getByRole("button", { name: "Inspect", exact: true }).click();
    await inspector().waitFor({ state: "hidden" });
    await clockApp().waitFor();
  });

  it("is not the first one where the address asks for the inspector, until the user switches", async () => {
    const other = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const opened = await other.newPage();
    await opened.goto(`${gateway.loginUrl()}#inspect`);
    await inspector(opened).waitFor();
    await opened.keyboard.press("Control+i");
    await inspector(opened).waitFor({ state: "hidden" });
    await opened.goto(`${gateway.origin}/#inspect`);
    await opened.reload();
    await opened.getByRole("textbox", { name: "Message", exact: true }).waitFor();
    expect(await inspector(opened).isVisible()).toBe(false);
    await other.close();
  });
});

describe("the tour of the first visit", () => {
  const tour = (where: Page): Locator => where.getByRole("complementary", { name: "Tour" });

  it("leads through four places, covers none of them, and never comes back by itself", async () => {
    const other = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    other.setDefaultTimeout(LIMIT);
    const opened = await other.newPage();
    await opened.goto(gateway.loginUrl());
    for (const [title, place] of [
      ["Open an app", ".composer-box"],
      ["Choose a model", ".conversation-head .models-button"],
      ["Add your own server", ".tools-button"],
      ["Look under the hood", ".inspect-button"],
    ] as const) {
      await tour(opened).getByRole("heading", { name: title }).waitFor();
      const card = await tour(opened).boundingBox();
      for (const each of [place, ".composer-box", ".start-more"]) {
        const box = await opened.locator(each).first().boundingBox();
        if (!card || !box) throw new Error(`${each} is not there`);
        const isApart =
          box.x >= card.x + card.width ||
          box.x + box.width <= card.x ||
          box.y >= card.y + card.height ||
          box.y + box.height <= card.y;
        expect(isApart, each).toBe(true);
      }
      const outline = await opened
        .locator(place)
        .first()
        .evaluate((element) => getComputedStyle(element).outlineStyle);
      expect(outline, place).toBe("solid");
      await tour(opened)
        .getByRole("button", { name: /Next|Done/ })
        .click();
    }
    await tour(opened).waitFor({ state: "detached" });
    await opened.reload();
    await opened.getByText("What would you like to do?").waitFor();
    expect(await tour(opened).count()).toBe(0);
    // Its command shows it again.
    await opened.keyboard.press("Control+k");
    await opened.getByRole("dialog", { name: "Commands" }).getByRole("searchbox").fill("tour");
    await opened.keyboard.press("Enter");
    await tour(opened).getByRole("button", { name: "Skip the tour" }).click();
    await tour(opened).waitFor({ state: "detached" });
    await other.close();
  });

  it("is not there for somebody who comes to inspect, and a reload ends it", async () => {
    const other = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const opened = await other.newPage();
    await opened.goto(`${gateway.loginUrl()}#inspect`);
    await inspector(opened).waitFor();
    expect(await tour(opened).count()).toBe(0);
    await opened.evaluate(() => localStorage.clear());
    await opened.goto(`${gateway.origin}/`);
    await tour(opened).waitFor();
    await opened.reload();
    await opened.getByText("What would you like to do?").waitFor();
    expect(await tour(opened).count()).toBe(0);
    await other.close();
  });
});

describe("the palette", () => {
  it("calls for a tool by a word of its description, and returns to the conversation", async () => {
    await search("get time");
    expect(await axeFinds()).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await palette().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await tools().waitFor({ state: "hidden" });
    await expect.poll(() => page.locator("mcp-app").count()).toBe(2);
  });

  it("finds commands and says when it finds nothing", async () => {
    await search("dark");
    await palette().getByRole("menuitem", { name: "Theme: Dark" }).click();
    await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe("dark");
    await search("no such thing");
    await palette().getByText("Nothing has “no such thing” in its name.").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await palette().waitFor({ state: "detached" });
  });

  it("opens other conversations", async () => {
    await page.keyboard.press("Control+Shift+O");
    await expect.poll(() => page.locator("mcp-app").count()).toBe(0);
    await search("time");
    await palette().getByRole("menuitem").last().click();
    await expect.poll(() => page.locator("mcp-app").count()).toBe(2);
  });
});

describe("keys", () => {
  it("do nothing where somebody types, unless Ctrl is held", async () => {
    await field().fill("");
    await field().press("?");
    await field().press("/");
    expect(await field().inputValue()).toBe("?/");
    await field().fill("");
  });

  it("are listed, and lead to the message field", async () => {
    await page.getByRole("log", { name: "Conversation" }).focus();
    await page.keyboard.press("?");
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await list.getByText("Ctrl + K").waitFor();
    expect(await axeFinds()).toEqual([]);
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    await page.getByRole("log", { name: "Conversation" }).focus();
    await page.keyboard.press("/");
    await expect.poll(() => field().evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await field().inputValue()).toBe("");
  });
});
