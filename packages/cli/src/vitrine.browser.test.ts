/** The command without arguments, and a user's first steps: the demos in the workbench that it serves. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedChromium } from "../../../testing/browser.ts";
import { WorkbenchPage } from "../../../testing/gateway/workbench-page.ts";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

let folder: string;
let vitrine: ChildProcess;
let browser: Browser;
let workbench: WorkbenchPage;

/** Starts the command; returns the URL that it prints. */
async function start(): Promise<string> {
  const child = spawn(process.execPath, [MAIN, "--no-open", "--port", "0", "--data", join(folder, "data")], {
    // Ignores the settings of the user who runs the tests.
    env: { PATH: process.env["PATH"], HOME: folder },
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  vitrine = child;
  let complaint = "";
  child.stderr.on("data", (data) => {
    complaint += data;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error(`it ended: ${complaint}`);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-first-"));
  const [url, launched] = await Promise.all([start(), sharedChromium()]);
  browser = launched;
  workbench = await WorkbenchPage.open(await browser.newContext(), url);
});

afterAll(async () => {
  await browser?.close();
  if (vitrine?.exitCode === null) {
    vitrine.kill("SIGINT");
    await once(vitrine, "exit");
  }
  await rm(folder, { recursive: true, force: true });
});

it("shows the weather at the first press, and the app can be used", async () => {
  await workbench.page.locator(".start-app", { hasText: "Weather forecast" }).click();
  const view = await workbench.appIn(workbench.card("Weather forecast"));
  await view.getByRole("heading", { name: "Lisbon" }).waitFor();
  await view.getByRole("textbox", { name: "Another city" }).fill("Oslo");
  await view.getByRole("button", { name: "Show", exact: true }).click();
  await view.getByRole("heading", { name: "Oslo" }).waitFor();
  // Developers read the app's console in the inspector.
  await view.evaluate("console.info('written by the app')");
  const inspector = workbench.page.getByRole("region", { name: "Inspector" });
  await inspector.getByRole("tab", { name: /^Console/ }).click();
  await inspector.getByRole("log").getByText("written by the app").waitFor();
});

it("shows the board, which can be added to without a question, and fills the page until Esc", async () => {
  await workbench.pick({ server: "board", title: "Show the board" });
  const card = await workbench.run("Show the board");
  const view = await workbench.appIn(card);
  await view.getByRole("textbox", { name: "New card" }).fill("Buy cherries");
  await view.getByRole("button", { name: "Add", exact: true }).click();
  await view.locator("[data-column=todo]").getByText("Buy cherries").waitFor();
  const mode = (): Promise<string | null> => card.locator("mcp-app dialog").getAttribute("data-mode");
  await view.getByRole("button", { name: "Fullscreen" }).click();
  await expect.poll(mode).toBe("fullscreen");
  await workbench.page.keyboard.press("Escape");
  await expect.poll(mode).toBe("inline");
  // It is the same app, and knows its display mode.
  await view.getByRole("button", { name: "Fullscreen" }).waitFor();
  await view.getByText("Buy cherries").first().waitFor();
});

it("shows the progress of a slow tool, and cancels the call", async () => {
  await workbench.pick({ server: "lab", title: "A slow tool" });
  await workbench.fill({ seconds: "600" });
  const card = await workbench.run("A slow tool");
  const bar = card.getByRole("progressbar");
  await expect.poll(() => bar.getAttribute("aria-valuenow").then(Number)).toBeGreaterThan(0);
  await card.getByText(/^\d[\d.]* of 600 seconds$/).waitFor();
  await card.getByRole("button", { name: "Cancel" }).click();
  await card.getByText("cancelled", { exact: true }).waitFor();
  await bar.waitFor({ state: "detached" });
});

it("nothing is thrown in the page, and it keeps to its policy", () => {
  expect(workbench.complaints).toEqual([]);
});
