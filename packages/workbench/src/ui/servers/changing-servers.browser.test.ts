/** The built workbench with servers that come late, have many tools, or are removed from the settings. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningGateway, readSettings } from "@vitrine/gateway";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LIMIT, sharedChromium } from "../../../../../testing/browser.ts";
import { PROBE_SERVER, startTestGateway } from "../../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench } from "../../../../../testing/gateway/workbench-page.ts";

const SLOW_SEND_SERVER = fileURLToPath(
  new URL("../../../../../testing/gateway/slow-send-server.mjs", import.meta.url),
);

let folder: string;
let browser: Browser;
let gateway: RunningGateway;
let page: Page;

const probe = (...args: string[]) => ({ command: process.execPath, args: [PROBE_SERVER, ...args] });
const many = { many: probe("--more=150") };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-changing-servers-"));
  browser = await sharedChromium();
  const settings = { mcpServers: { ...many, gone: probe() } };
  ({ gateway } = await startTestGateway(settings, folder, builtWorkbench()));
  const context = await browser.newContext();
  context.setDefaultTimeout(LIMIT);
  page = await context.newPage();
  await page.goto(`${gateway.loginUrl()}#inspect`);
});
afterAll(async () => {
  await page?.context().close();
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

const type = async (text: string): Promise<void> => {
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill(text);
  await message.press("Enter");
};

it("a tool that is typed before the list of tools has loaded is called, and its app is shown: the last of 152", async () => {
  await type("/many more-150 {}");
  await expect.poll(() => page.locator("mcp-app iframe").count()).toBe(1);
  await page
    .locator("mcp-app iframe")
    .contentFrame()
    .locator("iframe")
    .contentFrame()
    .getByText("Sample")
    .waitFor();
});

it("a server that is removed from the settings vanishes, and its open app shows that", async () => {
  await type("/gone probe {}");
  await expect.poll(() => page.locator("mcp-app iframe").count()).toBe(2);
  const section = page.locator(".server-title").getByText("gone", { exact: true });
  await expect.poll(() => section.count()).toBe(1);
  gateway.update(
    await readSettings({ listen: { port: 0 }, sandbox: { port: 0 }, dataFolder: folder, mcpServers: many }),
  );
  await expect.poll(() => section.count()).toBe(0);
  await expect.poll(() => page.locator("mcp-app iframe").count()).toBe(1);
  await page.getByText("The server “gone” was removed from the settings").waitFor();
});

it("attack E08: a typed tool that two servers have is called at neither, even if one of them lists its tools later", async () => {
  const calls = join(folder, "calls");
  await writeFile(calls, "");
  const server = (name: string, delay: number) => ({
    command: process.execPath,
    args: [SLOW_SEND_SERVER, name, `${delay}`, calls],
    isolation: "process",
  });
  const settings = { mcpServers: { mail: server("mail", 4000), evil: server("evil", 1000) } };
  const slow = await startTestGateway(settings, join(folder, "slow"), builtWorkbench());
  const other = await page.context().newPage();
  try {
    await other.goto(`${slow.gateway.loginUrl()}#inspect`);
    const message = other.getByRole("textbox", { name: "Message" });
    await message.fill('/send {"text":"private"}');
    await message.press("Enter");
    await other.getByText("Several servers have a tool “send”").waitFor();
    expect(await readFile(calls, "utf8")).toBe("");
    await message.fill('/mail send {"text":"private"}');
    await message.press("Enter");
    await expect.poll(() => readFile(calls, "utf8")).toBe('mail {"text":"private"}\n');
  } finally {
    await other.close();
    await slow.gateway.close();
  }
});
