/** The command without a settings file: a model that a user adds in the page answers about a demo, and after a restart. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedChromium } from "../../../testing/browser.ts";
import { WorkbenchPage } from "../../../testing/gateway/workbench-page.ts";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
} from "../../../testing/model/scripted-model.ts";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const KEY = "sk-S3CRET-0123456789abcdef";

let folder: string;
let vitrine: ChildProcess;
let browser: Browser;
let model: ScriptedModel;

/** Starts the command; returns the URL that it prints. */
async function start(): Promise<string> {
  const child = spawn(process.execPath, [MAIN, "--no-open", "--port", "0"], {
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

async function stop(): Promise<void> {
  if (vitrine?.exitCode !== null) return;
  vitrine.kill("SIGINT");
  await once(vitrine, "exit");
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-models-"));
  model = await startScriptedModel([], { models: ["small"] });
  browser = await sharedChromium();
});

afterAll(async () => {
  await browser?.close();
  await stop();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
});

it("a model that is added in the page answers at once, and after a restart, beside the demos", async () => {
  const workbench = await WorkbenchPage.open(await browser.newContext(), await start());
  const { page } = workbench;
  await workbench.button("Models").click();
  const dialog = page.getByRole("dialog", { name: "Models" });
  await dialog.getByRole("button", { name: /Provider/ }).click();
  await page.getByRole("option", { name: /Another address/ }).click();
  await dialog.getByRole("textbox", { name: "Address" }).fill(model.url);
  await dialog.getByLabel("Key, if it needs one").fill(KEY);
  await workbench.button("Add").click();
  await dialog.getByRole("button", { name: "Use small" }).click();
  await dialog.getByText("small (local) answers.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  model.add(callTool("weather__forecast", { city: "Oslo" }), say("Here is Oslo."));
  await workbench.tell("How is the weather in Oslo?");
  await page.getByRole("article").filter({ hasText: "Here is Oslo." }).waitFor();
  const view = await workbench.appIn(workbench.lastApp);
  await view.getByRole("heading", { name: "Oslo" }).waitFor();
  await page.context().close();
  await stop();
  const text = await readFile(join(folder, ".config", "vitrine", "mcp.json"), "utf8");
  expect(text).toContain("$" + "{secret:model-local-");
  expect(text).not.toContain(KEY);

  const again = await WorkbenchPage.open(await browser.newContext(), await start());
  model.add(say("Still here."));
  await again.tell("Hello?");
  await again.page.getByRole("article").filter({ hasText: "Still here." }).waitFor();
  expect(model.requests.every(({ headers }) => headers["authorization"] === `Bearer ${KEY}`)).toBe(true);
  // The file has no servers, so the demos are still there.
  await again.page.getByRole("listbox", { name: "Tools of weather" }).waitFor();
});
