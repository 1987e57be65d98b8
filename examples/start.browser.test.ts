/** The example chat as a user sees it: every view in the chat, every button. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { sharedChromium } from "../testing/browser.ts";

const START = fileURLToPath(new URL("start.mjs", import.meta.url));

let server: ChildProcess;
let address: string;
let browser: Browser;
let page: Page;
let errors: string[];

/** Starts the example on a free port; resolves with the URL that it prints. */
function start(): Promise<string> {
  const child = spawn(process.execPath, [START], { env: { ...process.env, PORT: "0" } });
  server = child;
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (text: unknown): void => {
      said += text;
      const [url] = /http:\/\/localhost:\d+/.exec(said) ?? [];
      if (url) resolve(url);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`it ended: ${said}`)));
  });
}

beforeAll(async () => {
  [address, browser] = await Promise.all([start(), sharedChromium()]);
});
afterAll(async () => {
  server?.kill();
  await browser?.close();
});

beforeEach(async () => {
  errors = [];
  page = await browser.newPage();
  page.on("pageerror", ({ message }) => errors.push(message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(address);
});
afterEach(async () => {
  await page.close();
  expect(errors).toEqual([]);
});

const view = () => page.frameLocator("#stage iframe").frameLocator("iframe");
const forecast = () => view().locator("ol").textContent();
const press = (name: string) => page.getByRole("button", { name }).click();
const says = (text: string) => page.getByRole("status").getByText(text).waitFor();
const logged = (method: string) => page.locator("#log li", { hasText: method });

async function seesForecast(): Promise<void> {
  await view().getByRole("heading", { name: "Lisbon" }).waitFor();
  await view().getByText("5 days").waitFor();
  await expect.poll(() => view().locator("ol li").count(), { timeout: 20_000 }).toBe(5);
}

it.each(["script-tag", "plain", "react"])("shows the %s view, and every button works", async (name) => {
  await page.locator("mcp-app").evaluate((app) => app.setAttribute("data-old", ""));
  await page.getByLabel("View").selectOption(name);
  await page.locator(`mcp-app[data-view="${name}"]:not([data-old])`).waitFor();
  await expect.poll(() => page.locator("mcp-app").count()).toBe(1);
  await seesForecast();

  const before = await forecast();
  await view().getByRole("button", { name: "Refresh" }).click();
  await expect.poll(forecast, { timeout: 20_000 }).not.toBe(before);
  expect(await logged("tools/call").count()).toBe(1);

  await press("Dark theme");
  await view().locator('html[data-theme="dark"]').waitFor({ state: "attached" });

  await view()
    .locator("html")
    .evaluate((root) => root.setAttribute("data-old", ""));
  await press("Reload");
  await view().locator("html:not([data-old])").waitFor({ state: "attached" });
  await seesForecast();
  await view().locator('html[data-theme="dark"]').waitFor({ state: "attached" });

  await press("Close");
  await says("The view was closed.");
  expect(await page.locator("mcp-app").count()).toBe(0);
  await press("Light theme");
  await press("Reload");
  await press("Close");
});

it("opens only the last of two views that are chosen quickly", async () => {
  await seesForecast();
  await page.getByLabel("View").evaluate((select: HTMLSelectElement) => {
    for (select.value of ["plain", "react"]) select.dispatchEvent(new Event("change"));
  });
  await page.locator('mcp-app[data-view="react"]').waitFor();
  // The previous app is still asked to finish.
  await expect.poll(() => page.locator("mcp-app").count()).toBe(1);
  await seesForecast();
  expect(await logged("ui/initialize").count()).toBe(1);
});

it("closes while the model still writes", async () => {
  await page.getByLabel("View").evaluate(async (select: HTMLSelectElement) => {
    const opened = new Promise<void>((resolve) => {
      new MutationObserver(() => document.querySelector("mcp-app[data-view=plain]") && resolve()).observe(
        document.body,
        { subtree: true, childList: true, attributes: true },
      );
    });
    select.value = "plain";
    select.dispatchEvent(new Event("change"));
    await opened;
    document.getElementById("close")?.click();
  });
  await says("The view was closed.");
  // Longer than the model takes to write.
  await page.waitForTimeout(900);
  expect(await page.locator("mcp-app").count()).toBe(0);
});

it("the same in React", async () => {
  await page.goto(`${address}/react`);
  await page.getByRole("button", { name: /^Use / }).first().waitFor();
  for (const use of await page.getByRole("button", { name: /^Use / }).all()) await use.click();
  await page.locator("mcp-app").nth(2).waitFor();
  for (const app of await page.locator("mcp-app").all()) {
    const inside = app.frameLocator("iframe").frameLocator("iframe");
    await inside.getByRole("heading", { name: "Lisbon" }).waitFor();
    await expect.poll(() => inside.locator("ol li").count(), { timeout: 20_000 }).toBe(5);
  }
});

it("attack C04: a tool that the model does not see cannot be called in its name", async () => {
  const call = (name: string) =>
    page.evaluate(async (tool) => {
      const answer = await fetch("/call", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: tool, input: { city: "Rome" } }),
      });
      return answer.status;
    }, name);
  expect(await call("weather-plain")).toBe(200);
  errors = [];
  expect(await call("forecast")).toBe(404);
  errors = [];
});
