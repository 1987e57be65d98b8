/**
 * The script that the built workbench loads: before the first app, after it, and when a part of it is missing.
 */
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GatewayStage, officialServer } from "../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench } from "../../../../testing/gateway/workbench-page.ts";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
} from "../../../../testing/model/scripted-model.ts";

/** Bytes of script before the first app, gzip. */
const BUDGET = 250_000;

let model: ScriptedModel;
let stage: GatewayStage;
/** A copy of the page's folder, from which files can be taken away. */
let folder: string;
let context: BrowserContext;
let page: Page;

/** Notes when the first app is shown: `drawn` is the page's time in milliseconds. */
const WATCH = `{
  const look = () => {
    if (document.querySelector("mcp-app")?.state === "ready") globalThis.drawn = performance.now();
    else requestAnimationFrame(look);
  };
  addEventListener("DOMContentLoaded", look);
}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-start-"));
  await cp(builtWorkbench(), folder, { recursive: true });
  model = await startScriptedModel();
  stage = await GatewayStage.open(
    {
      mcpServers: {
        basic: {
          command: process.execPath,
          args: [officialServer("basic-vanillajs"), "--stdio"],
          policy: { "tools/call": "allow" },
        },
      },
      model: { use: "local/scripted", providers: { local: { url: model.url, models: ["scripted"] } } },
    },
    folder,
  );
});
afterAll(async () => {
  await stage?.close();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A first visit: nothing is cached or remembered. */
beforeEach(async () => {
  const browser = stage.context.browser();
  if (!browser) throw new Error("the context has no browser");
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(WATCH);
  page = await context.newPage();
  await page.goto(stage.gateway.loginUrl());
  await page.getByText("What would you like to do?").waitFor();
  return () => context.close();
});

/** The names of the scripts that were requested, up to a time of the page. */
const scripts = async (until = "Infinity"): Promise<string[]> =>
  page.evaluate(
    `performance.getEntriesByType("resource").filter(({ startTime }) => startTime <= ${until}).map(({ name }) => name).filter((name) => /\\/assets\\/.*\\.js$/.test(name)).map((name) => name.split("/").at(-1))`,
  );

const weigh = async (names: readonly string[]): Promise<number> => {
  const texts = await Promise.all([...new Set(names)].map((name) => readFile(join(folder, "assets", name))));
  return texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
};

const ask = async (): Promise<void> => {
  model.add(callTool("basic__get-time", {}), say("The time is above."));
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.fill("What time is it?");
  await field.press("Enter");
  await expect.poll(() => page.evaluate("globalThis.drawn")).toBeDefined();
};

describe("the script of the page", () => {
  it("fits its budget until the first app is drawn, and the rest follows", async () => {
    await ask();
    const before = await scripts("drawn");
    expect(before.length).toBeGreaterThan(1);
    expect(await weigh(before)).toBeLessThan(BUDGET);
    expect(before.filter((name) => name.startsWith("inspector-pane-"))).toEqual([]);
    await expect.poll(async () => (await scripts()).join()).toMatch(/inspector-pane-.*schema-form-/s);
    // Large and seldom needed.
    expect((await scripts()).join()).not.toContain("formula-");
  });

  it("is there before it is needed, when the pointer is over the button", async () => {
    expect((await scripts()).join()).not.toContain("settings-dialog-");
    await button("Settings of this conversation").hover();
    await expect.poll(async () => (await scripts()).join()).toContain("settings-dialog-");
    // Not because everything is loaded after a while.
    expect((await scripts()).join()).not.toContain("markdown-parser-");
  });
});

const button = (name: string): Locator => page.getByRole("button", { name, exact: true });
const problem = (): Locator => page.getByRole("alert").filter({ hasText: "cannot be loaded" });

/** Takes the file of a part away; returns a function that puts it back. */
async function without(part: string): Promise<() => Promise<void>> {
  const name = (await readdir(join(folder, "assets"))).find(
    (each) => each.startsWith(`${part}-`) && each.endsWith(".js"),
  );
  if (name === undefined) throw new Error(`the page has no ${part}`);
  const [from, to] = [join(folder, "assets", name), join(folder, name)];
  await rename(from, to);
  return () => rename(to, from);
}

describe("a part that cannot be loaded", () => {
  it("says so, and is loaded when the user tries again", async () => {
    const back = await without("settings-dialog");
    await button("Settings of this conversation").click();
    await problem().waitFor();
    expect(await problem().textContent()).toMatch(/^The settings cannot be loaded: /);
    await button("Try again").click();
    await problem().waitFor();
    await back();
    await button("Try again").click();
    await page.getByRole("dialog").waitFor();
    expect(await problem().count()).toBe(0);
  });

  it("asks for a reload after an update, which loads the new page", async () => {
    const back = await without("models-dialog");
    const index = join(folder, "index.html");
    const before = await readFile(index, "utf8");
    await writeFile(index, before.replace(/\/assets\/index-[\w-]+\.js/, "/assets/other.js"));
    await button("Models").click();
    await problem().waitFor();
    expect(await problem().textContent()).toContain("Vitrine was updated after this page was opened");
    await back();
    await writeFile(index, before);
    await Promise.all([page.waitForEvent("load"), button("Reload the page").click()]);
    await button("Models").click();
    await page.getByRole("dialog").waitFor();
  });
});
