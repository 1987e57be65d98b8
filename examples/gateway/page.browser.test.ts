/** The page of docs/gateway/run.md, with a gateway behind it, as a user sees it. */
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLog, type RunningGateway, readSettings, startGateway } from "@vitrine/gateway";
import { build } from "esbuild";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedChromium } from "../../testing/browser.ts";
import { officialServer } from "../../testing/gateway/gateway-stage.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

let folder: string;
let gateway: RunningGateway;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-page-"));
  const files = join(folder, "page");
  await mkdir(files);
  await copyFile(here("index.html"), join(files, "index.html"));
  const outfile = join(files, "page.js");
  await build({ entryPoints: [here("page.ts")], outfile, bundle: true, format: "esm" });
  const settings = await readSettings({
    mcpServers: {
      clock: {
        command: process.execPath,
        args: [officialServer("basic-vanillajs"), "--stdio"],
        isolation: "process",
      },
    },
    listen: { port: 0 },
    sandbox: { port: 0 },
    dataFolder: join(folder, "data"),
  });
  gateway = await startGateway(settings, { log: createLog({ level: "silent" }), static: { folder: files } });
  browser = await sharedChromium();
  page = await browser.newPage();
  await page.goto(gateway.loginUrl());
});

afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

const view = (): FrameLocator =>
  page.locator("mcp-app iframe").contentFrame().locator("iframe").contentFrame();

it("shows an app, asks in its frame before the app calls a tool, and has the app after a reload", async () => {
  await page.getByRole("button", { name: "clock: get-time" }).click();
  const time = view().locator("#server-time");
  await expect.poll(() => time.textContent()).toMatch(/^\d{4}-/);
  const first = await time.textContent();

  await view().getByRole("button", { name: "Get Server Time" }).click();
  const question = page.getByRole("alertdialog", { name: "clock asks" });
  // The app fills the page, so the question has no room beside it and is behind a button.
  await page.getByRole("button", { name: "Answer" }).click();
  await question.waitFor();
  const allow = question.getByRole("button", { name: "Allow once" });
  await expect.poll(() => allow.getAttribute("aria-disabled")).not.toBe("true");
  await allow.click();
  await expect.poll(() => question.count()).toBe(0);
  await expect.poll(() => time.textContent()).not.toBe(first);
  expect(await time.textContent()).toMatch(/^\d{4}-/);

  await page.reload();
  await expect.poll(() => view().locator("#server-time").textContent()).toBe(first);
});
