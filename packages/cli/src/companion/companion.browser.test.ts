/**
 * An agent without a screen, and a user with a browser: the companion as it is started, and the workbench
 * that it opens.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { sharedChromium } from "../../../../testing/browser.ts";
import { textsOf } from "../../../../testing/cli/companion-stage.ts";
import { officialServer } from "../../../../testing/gateway/gateway-stage.ts";
import { WorkbenchPage } from "../../../../testing/gateway/workbench-page.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const LAB = fileURLToPath(new URL("../../dist/demos/lab.js", import.meta.url));

let folder: string;
let agent: Client;
let browser: Browser;
let workbench: WorkbenchPage;

/** Starts the agent, and with it the companion; returns the user's link. */
async function start(): Promise<string> {
  const servers = [`node ${officialServer("basic-vanillajs")} --stdio`, `node ${LAB}`];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "companion", ...servers, "--no-open", "--port", "0", "--data", join(folder, "data")],
    // Ignores the settings of the user who runs the tests.
    env: { PATH: process.env["PATH"] ?? "", HOME: folder },
    cwd: folder,
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (data) => {
    said += data;
  });
  agent = new Client({ name: "agent", version: "1" });
  await agent.connect(transport);
  await vi.waitFor(() => expect(said).toMatch(/http:\S+login\S+/), { timeout: 60_000 });
  return /http:\S+login\S+/.exec(said)?.[0] ?? "";
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-agent-"));
  const [url, launched] = await Promise.all([start(), sharedChromium()]);
  browser = launched;
  workbench = await WorkbenchPage.open(await browser.newContext(), url);
});

afterAll(async () => {
  await browser?.close();
  await agent?.close();
  await rm(folder, { recursive: true, force: true });
});

const call = async (name: string, input: Record<string, unknown> = {}): Promise<string[]> =>
  textsOf(await agent.callTool({ name, arguments: input }));

it("the app opens for the user, and messages that they write there reach the agent", async () => {
  const { tools } = await agent.listTools();
  const clock = tools.find(({ name }) => name.endsWith("__get-time"))?.name ?? "";
  const [said, shown] = await call(clock);
  expect(said).toMatch(/\d{4}-\d\d-\d\d/);
  expect(shown).toMatch(/^App 1 .* is open in the user's browser/);
  const view = await workbench.appIn(workbench.lastApp);
  const waiting = call("app_context", { wait: 60 });
  await view.getByRole("button", { name: "Send Message" }).click();
  await workbench.agree();
  expect((await waiting)[1]).toMatch(/App 1 .* wrote on the user's behalf:\n {2}> /);
});

it("the page names the agent, explains how messages reach it, and does not mention models and keys", async () => {
  const { page } = workbench;
  await page.getByText("Agent: agent 1").waitFor();
  await page.getByText(/^agent 1 reads what you write here with the result of its next call/).waitFor();
  await page.getByPlaceholder("Message agent 1, or / for a tool").waitFor();
  expect(await page.getByText(/No model|API_KEY|add a model/).count()).toBe(0);
  expect(await workbench.lastApp.getByText("by agent", { exact: true }).count()).toBe(1);
});

it("the user writes to the agent beside the apps, and no model answers instead", async () => {
  await workbench.tell("Show me a die.");
  await workbench.page
    .getByRole("article")
    .filter({ hasText: "Show me a die." })
    .getByText("not read yet")
    .waitFor();
  expect((await call("app_context", { wait: 30 }))[1]).toContain("The user wrote:\n  > Show me a die.");
  expect(await workbench.page.getByText("add a model").count()).toBe(0);
});

it("the agent drives the open app: read-only tools run at once, others after the user has approved them (A06)", async () => {
  const { tools } = await agent.listTools();
  const apps = workbench.page.locator("article mcp-app");
  const before = await apps.count();
  await call(tools.find(({ name }) => name.endsWith("__app_tools"))?.name ?? "");
  await expect.poll(() => apps.count()).toBe(before + 1);
  const view = await workbench.appIn(workbench.lastApp);
  const named = async (end: string): Promise<string | undefined> =>
    (await agent.listTools()).tools.find(({ name }) => name.endsWith(end))?.name;
  await expect.poll(() => named("__roll_dice")).toMatch(/^app_\d+__roll_dice$/);
  const [rolled = ""] = await call((await named("__roll_dice")) ?? "", { sides: 6 });
  const [, number = ""] = /The die shows (\d)/.exec(rolled) ?? [];
  await view.getByText(new RegExp(`^roll_dice: ${number} of 6$`)).waitFor();
  const painting = call((await named("__paint")) ?? "", { hue: 120 });
  await workbench.page.getByText(/^The agent "agent" wants to use a tool of this app/).waitFor();
  await workbench.agree();
  await painting;
  await view.getByText("paint: 120").waitFor();
});

it("a reloaded page closes nothing; a closed browser removes the tools of its apps", async () => {
  await workbench.page.reload();
  await workbench.appIn(workbench.lastApp);
  await expect.poll(async () => JSON.stringify(await agent.listTools())).toContain("__roll_dice");
  expect((await call("app_context")).join("\n")).not.toContain("was closed");
  const apps = workbench.page.getByRole("article").filter({ has: workbench.page.locator("mcp-app") });
  const before = await apps.count();
  await apps
    .last()
    .getByRole("button", { name: /^Remove .* from the conversation$/ })
    .click();
  await expect.poll(() => apps.count()).toBe(before - 1);
  await expect.poll(async () => JSON.stringify(await agent.listTools())).not.toContain("__roll_dice");
  expect((await call("app_context", { wait: 30 })).join("\n")).toMatch(
    /App \d+ .* was closed: its tools are gone/,
  );
});

it("nothing is thrown in the page, and it keeps to its policy", () => {
  expect(workbench.complaints).toEqual([]);
});
