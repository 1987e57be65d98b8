/** A user who adds servers in the page of `vitrine`, and answers in its terminal. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { LIMIT, sharedChromium } from "../../../testing/browser.ts";
import { inPseudoTerminal, type PseudoTerminal } from "../../../testing/cli/pseudo-terminal.ts";
import { PROBE_SERVER } from "../../../testing/gateway/gateway-stage.ts";
import { WorkbenchPage } from "../../../testing/gateway/workbench-page.ts";
import { type OAuthServer, startOAuthServer } from "../../../testing/oauth-server.ts";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const SDK_SERVER = fileURLToPath(new URL("../../../testing/gateway/sdk-server.mjs", import.meta.url));

let home = "";
let browser: Browser;
let context: BrowserContext;
let vitrine: PseudoTerminal;
let workbench: WorkbenchPage;
let page: Page;
let remote: ChildProcess;
let address = "";
let oauth: OAuthServer;

const settings = (): string => join(home, ".config", "vitrine", "mcp.json");
const written = async () => JSON.parse(await readFile(settings(), "utf8")).mcpServers;

/** Runs `vitrine` in a terminal, and opens its page. */
async function start(): Promise<void> {
  answered = 0;
  vitrine = inPseudoTerminal([process.execPath, MAIN, "--no-open", "--port", "0"], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1" },
  });
  const url = await vi.waitFor(() => {
    const [found] = /http:\/\/\S+/.exec(vitrine.shown()) ?? [];
    if (found === undefined) throw new Error(`no address: ${vitrine.shown()}`);
    return found;
  }, 60_000);
  context = await browser.newContext();
  workbench = await WorkbenchPage.open(context, url);
  page = workbench.page;
  context.setDefaultTimeout(10_000);
}

async function stop(): Promise<void> {
  await context?.close();
  vitrine.type("\u0003");
  await vitrine.code;
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "vitrine-add-"));
  remote = spawn(process.execPath, [SDK_SERVER, "both", "http"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: remote.stdout ?? process.stdin })) {
    address = `http://127.0.0.1:${line}/mcp`;
    break;
  }
  oauth = await startOAuthServer();
  browser = await sharedChromium();
  await start();
}, 120_000);
afterAll(async () => {
  await stop();
  await browser.close();
  remote.kill();
  await oauth.close();
  await rm(home, { recursive: true, force: true });
}, 60_000);

const dialog = (): Locator => page.getByRole("dialog");
const section = (name: string): Locator =>
  page
    .locator(".server")
    .filter({ has: page.getByRole("button", { name: `More about ${name}`, exact: true }) });
const state = (name: string, text: string): Promise<void> =>
  section(name).locator(".badge").first().filter({ hasText: text }).waitFor({ timeout: LIMIT });

async function openTab(name: string): Promise<void> {
  await workbench.button("Add a server").click();
  await dialog().getByRole("tab", { name, exact: true }).click();
}

async function choose(server: string, item: string): Promise<void> {
  await workbench.button(`More about ${server}`).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

/** Length of the terminal's text up to the last answer. */
let answered = 0;

/** Answers the question in the terminal, which shows a text. */
async function answer(text: string, part: string): Promise<void> {
  // Long lines continue behind a mark.
  const asked = (): string =>
    vitrine
      .shown()
      .slice(answered)
      .replaceAll(/\r?\n {2}│ /g, "");
  await expect.poll(asked, { timeout: LIMIT }).toMatch(/\[y\/N\] $/);
  expect(asked()).toContain(part);
  answered = vitrine.shown().length;
  vitrine.type(`${text}\n`);
}

async function violations(): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }).then(({ violations }) => violations)",
  );
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

describe("a user adds", { timeout: 120_000 }, () => {
  it("a server by its address, with the keyboard alone, and it starts after the answer in the terminal", async () => {
    await workbench.button("Add a server").focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
    await page.keyboard.type(address);
    await page.keyboard.press("Tab");
    await page.keyboard.type("remote");
    expect(await violations()).toEqual([]);
    await page.keyboard.press("Enter");
    await answer("y", address);
    await dialog().waitFor({ state: "detached" });
    await state("remote", "ready");
    await section("remote").getByRole("option", { name: "echo" }).waitFor();
    expect(await written()).toEqual({ remote: { url: address } });
  });

  it("a server that needs a sign-in", async () => {
    await openTab("Address");
    await dialog().getByRole("textbox", { name: "Address" }).fill(oauth.mcp);
    await dialog().getByRole("textbox", { name: "Name", exact: true }).fill("private");
    await dialog().getByRole("button", { name: "Add", exact: true }).click();
    await answer("y", oauth.mcp);
    await state("private", "sign in");
    const opened = context.waitForEvent("page");
    await section("private").getByRole("link", { name: "Sign in" }).click();
    await state("private", "ready");
    await (await opened).close();
  });

  it("a command from pasted JSON: it starts after the answer in the terminal, and its app opens", async () => {
    await openTab("Paste");
    const text = `{
  // From the documents of the server
  "mcpServers": {
    "probe": {
      "command": ${JSON.stringify(process.execPath)},
      "args": [${JSON.stringify(PROBE_SERVER)}],
      "env": { "API_KEY": "s3cret-of-probe", },
    },
    "wrong": { "args": [] },
  },
}`;
    await dialog().getByRole("textbox", { name: "JSON" }).fill(text.replace('"mcpServers"', '"mcpServers'));
    await dialog()
      .getByText(/^Line 3: /)
      .waitFor();
    await dialog().getByRole("textbox", { name: "JSON" }).fill(text);
    await dialog().getByText(PROBE_SERVER).waitFor();
    await dialog()
      .getByRole("checkbox", { name: /^wrong/ })
      .press("Space");
    expect(await violations()).toEqual([]);
    await dialog().getByRole("button", { name: "Add", exact: true }).click();
    await dialog().getByText("Answer in the terminal: probe").waitFor();
    await dialog()
      .getByText(/^vitrine add .*probe -- /)
      .waitFor();
    expect(await violations()).toEqual([]);
    expect(await written()).not.toHaveProperty("probe");
    await answer("y", PROBE_SERVER);
    await dialog().waitFor({ state: "detached" });
    await state("probe", "ready");
    expect(JSON.stringify(await written())).not.toContain("s3cret-of-probe");
    expect(vitrine.shown()).not.toContain("s3cret-of-probe");
    await workbench.tell("/probe probe {}");
    const view = await workbench.appIn(workbench.card("probe"));
    await view.getByText("Sample").waitFor();
  });

  it("a command that the terminal declines: it is neither started nor written", async () => {
    const marker = join(home, "started");
    await openTab("Command");
    await dialog().getByRole("textbox", { name: "Command", exact: true }).fill(`touch ${marker}`);
    await dialog().getByRole("textbox", { name: "Name", exact: true }).fill("evil");
    await dialog().getByRole("button", { name: "Add", exact: true }).click();
    await answer("n", marker);
    await dialog().getByText("Declined in the terminal: evil").waitFor();
    await dialog().getByRole("button", { name: "Dismiss" }).click();
    await dialog().waitFor({ state: "detached" });
    expect([existsSync(marker), Object.keys(await written())]).toEqual([
      false,
      ["remote", "private", "probe"],
    ]);
  });

  it("a server from a file of another program", async () => {
    await mkdir(join(home, ".cursor"), { recursive: true });
    await writeFile(
      join(home, ".cursor", "mcp.json"),
      JSON.stringify({ mcpServers: { imported: { url: address }, other: { command: "other-server" } } }),
    );
    await openTab("Import");
    const cursor = dialog().getByRole("region", { name: "Cursor" });
    await cursor.getByText("other-server").waitFor();
    await cursor.getByRole("checkbox", { name: /^imported/ }).press("Space");
    await dialog().getByRole("button", { name: "Add", exact: true }).click();
    await dialog().waitFor({ state: "detached" });
    await state("imported", "ready");
  });
});

describe("a user", { timeout: 120_000 }, () => {
  it("edits the variables of a command, which the terminal confirms; values are never shown", async () => {
    await choose("probe", "Edit…");
    expect(await dialog().getByLabel("Value of API_KEY").inputValue()).toBe("");
    await dialog().getByRole("button", { name: "Add a variable" }).click();
    await dialog().getByRole("textbox", { name: "Name of variable 2" }).fill("MODE");
    await dialog().getByRole("checkbox", { name: "MODE is a secret" }).press("Space");
    await dialog().getByRole("textbox", { name: "Value of MODE" }).fill("fast");
    const before = (await written()).probe;
    await dialog().getByRole("button", { name: "Save" }).click();
    await answer("y", "MODE");
    await dialog().waitFor({ state: "detached" });
    await expect.poll(async () => (await written()).probe.env).toEqual({ ...before.env, MODE: "fast" });
    await state("probe", "ready");
  });

  it("reads the log of a server", async () => {
    await choose("probe", "Logs");
    await dialog().getByRole("log").getByText("ready").last().waitFor();
    expect(await violations()).toEqual([]);
    await dialog().getByRole("button", { name: "Close" }).click();
  });

  it("chooses in the menu how often the apps of a server ask", async () => {
    const level = () => dialog().getByRole("button", { name: "How often apps of remote ask" });
    await choose("remote", "How often its apps ask…");
    await expect.poll(() => level().textContent()).toContain("Important only");
    await level().click();
    await page.getByRole("option", { name: /^Always/ }).click();
    await expect.poll(() => level().textContent()).toContain("Always");
    expect(await violations()).toEqual([]);
    await dialog().getByRole("button", { name: "Close" }).click();
    await choose("remote", "How often its apps ask…");
    await expect.poll(() => level().textContent()).toContain("Always");
    await dialog().getByRole("button", { name: "Close" }).click();
  });

  it("disables and enables a server", async () => {
    await choose("remote", "Disable");
    await state("remote", "disabled");
    expect((await written()).remote.disabled).toBe(true);
    await choose("remote", "Enable");
    await state("remote", "ready");
  });

  it("removes a server", async () => {
    await choose("imported", "Remove…");
    await dialog().getByRole("button", { name: "Remove" }).click();
    await section("imported").waitFor({ state: "detached" });
    expect(await written()).not.toHaveProperty("imported");
  });

  it("finds the servers again after a reload, and after a restart of vitrine", async () => {
    await page.reload();
    await state("probe", "ready");
    await stop();
    await start();
    for (const name of ["remote", "private", "probe", "weather"]) await section(name).waitFor();
    await state("remote", "ready");
    await state("probe", "ready");
  });

  it("sees nothing thrown in the page", () => {
    expect(workbench.complaints).toEqual([]);
  });
});
