/** Writing an app with `vitrine dev`: saved changes appear, and no state is lost. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { viewScript } from "@vitrine/view/script";
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedChromium } from "../../../testing/browser.ts";
import { WorkbenchPage } from "../../../testing/gateway/workbench-page.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const serverThatSays = (word: string): string => `
import { appServer, serve, tool, view } from "@vitrine/server";
const page = view({ name: "counter", folder: new URL("./dist", import.meta.url) });
const run = () => ({ said: ${JSON.stringify(word)}, by: process.pid });
await serve(appServer({ name: "counter", version: "1.0.0", tools: [tool({ name: "count", view: page, run })] }));
`;

const pageWith = (title: string): string => `<!doctype html>
<html lang="en">
<title>Counter</title>
<h1>${title}</h1>
<button>0</button>
<output></output>
<script src="./vitrine.js"></script>
<script>
  const app = new vitrine.App();
  const button = document.querySelector("button");
  const show = () => { button.textContent = app.state.get() ?? 0; };
  button.onclick = () => { app.state.set((app.state.get() ?? 0) + 1); show(); };
  app.ontoolresult = ({ structuredContent: { said, by } }) => {
    document.querySelector("output").textContent = said + " by " + by;
  };
  app.connect().then(show);
</script>
`;

let folder: string;
let vitrine: ChildProcess;
let browser: Browser;
let workbench: WorkbenchPage;
let said = "";

async function start(): Promise<string> {
  vitrine = spawn(
    process.execPath,
    [at("../dist/main.js"), "dev", "counter.mjs", "--no-open", "--port", "0", "--data", join(folder, "data")],
    { env: { PATH: process.env["PATH"], HOME: folder }, cwd: folder, stdio: ["ignore", "pipe", "pipe"] },
  );
  vitrine.stderr?.on("data", (data) => {
    said += data;
  });
  for await (const line of createInterface({ input: vitrine.stdout as NodeJS.ReadableStream })) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error(`it ended: ${said}`);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-loop-"));
  await symlink(at("../../../node_modules"), join(folder, "node_modules"));
  await mkdir(join(folder, "dist"));
  await writeFile(join(folder, "counter.mjs"), serverThatSays("hello"));
  await writeFile(join(folder, "dist/index.html"), pageWith("First"));
  await writeFile(join(folder, "dist/vitrine.js"), viewScript({ name: "counter", version: "1.0.0" }));
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

/** Waits for something in an app. An app that is being removed cannot be queried. */
const seen = (shown: Locator): Promise<void> =>
  expect.poll(() => shown.isVisible().catch(() => false)).toBe(true);

it("a view that is saved takes the place of the one that runs: with its data and its state, and no new start", async () => {
  await workbench.pick({ server: "counter", title: "count" });
  const card = await workbench.run("count");
  const app = card.frameLocator("mcp-app iframe").frameLocator("iframe");
  await app.getByRole("button", { name: "0" }).click();
  await app.getByRole("button", { name: "1" }).click();
  const shown = await app.getByText(/^hello by \d+$/).textContent();

  await writeFile(join(folder, "dist/index.html"), pageWith("Second"));
  await seen(app.getByRole("heading", { name: "Second" }));
  await seen(app.getByRole("button", { name: "2" }));
  await seen(app.getByText(`${shown}`, { exact: true }));
  expect(said).not.toContain("restarting");

  // The problem is reported, and the running version stays.
  await writeFile(join(folder, "dist/index.html"), '<script src="./nowhere.js"></script>');
  await expect.poll(() => said).toMatch(/nowhere\.js.*\(view-missing\)/);
  await app.getByRole("button", { name: "2" }).click();
  await writeFile(join(folder, "dist/index.html"), pageWith("Third"));
  await seen(app.getByRole("heading", { name: "Third" }));
  await seen(app.getByRole("button", { name: "3" }));
});

it("a saved tool is restarted: the conversation continues, and the next call uses the new tool", async () => {
  const app = workbench.card("count").frameLocator("mcp-app iframe").frameLocator("iframe");
  const before = await app.getByText(/^hello by \d+$/).textContent();
  await writeFile(join(folder, "counter.mjs"), serverThatSays("good evening"));
  await expect.poll(() => said).toMatch(/counter\.mjs changed: restarting[\s\S]*ready/);
  await app.getByRole("button", { name: "3" }).click();
  await seen(app.getByRole("button", { name: "4" }));
  expect(await app.getByText(/^hello by \d+$/).textContent()).toBe(before);
  const all = workbench.page.getByRole("article", { name: "count", exact: true });
  await workbench.button("Run").click();
  await expect.poll(() => all.count()).toBe(2);
  const second = all.last().frameLocator("mcp-app iframe").frameLocator("iframe");
  await seen(second.getByText(/^good evening by \d+$/));
  await seen(second.getByRole("button", { name: "0" }));
  expect(workbench.complaints).toEqual([]);
});
