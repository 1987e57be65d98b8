/**
 * How often the apps of a server ask, chosen in the question, in the inspector of the server and among the permissions of
 * the built workbench.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Frame, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GatewayStage } from "../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench, WorkbenchPage } from "../../../../testing/gateway/workbench-page.ts";

let stage: GatewayStage;
let workbench: WorkbenchPage;
let page: Page;
let folder: string;

const script = fileURLToPath(new URL("../../../../testing/gateway/demo-server.mjs", import.meta.url));
const demo = (policy: object) => ({
  command: process.execPath,
  args: [script, folder],
  isolation: "process",
  policy,
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-levels-"));
  const mcpServers = { demo: demo({}), free: demo({ "tools/call": "allow" }) };
  stage = await GatewayStage.open({ mcpServers }, builtWorkbench());
  workbench = await WorkbenchPage.open(stage.context, stage.gateway.loginUrl());
  ({ page } = workbench);
});
afterAll(async () => {
  await stage?.close();
  await rm(folder, { recursive: true, force: true });
});

const question = (): Locator => page.getByRole("alertdialog");
const stored = async () =>
  (await stage.gateway.api.consents.list({ user: "local" })).map(
    ({ server, answer }) => `${server} ${answer}`,
  );

async function open(server: string): Promise<Frame> {
  await workbench.newConversation();
  await workbench.tell(`/${server} show {}`);
  const app = await workbench.appIn(workbench.card("Demo"));
  await app.getByText("shown undefined").waitFor();
  return app;
}
const press = (app: Frame, name: string): Promise<void> =>
  app.getByRole("button", { name, exact: true }).click();
const said = (app: Frame) => expect.poll(() => app.locator("#said").textContent());

/** Presses a button of the question until it counts. */
async function answer(name: string): Promise<void> {
  await question().waitFor();
  const button = question().getByRole("button", { name, exact: true });
  await expect
    .poll(async () => {
      await page.mouse.move(1, 1);
      await button.click({ timeout: 1000 }).catch(() => {});
      return button.isVisible();
    })
    .toBe(false);
}
async function choose(level: string): Promise<void> {
  await question().getByText("How often to ask").click();
  await question().getByRole("radio", { name: level }).check();
}

/** Chooses a level in a select, which then shows it. */
async function select(within: Locator, server: string, level: string): Promise<void> {
  await within.getByRole("button", { name: `How often apps of ${server} ask` }).click();
  await page.getByRole("option", { name: new RegExp(`^${level}`) }).click();
}

async function permissions(): Promise<Locator> {
  // An app that was pressed has the focus, and the keys.
  await page.getByRole("textbox", { name: "Message", exact: true }).focus();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Commands" }).getByRole("searchbox").fill("permissions");
  await page.getByRole("menuitem", { name: /^Permissions/ }).click();
  return page.getByRole("dialog", { name: "Permissions" });
}

it("a level that is chosen in a question holds from then on, and nothing is remembered under it", async () => {
  const app = await open("demo");
  await press(app, "change");
  await question().waitFor();
  // Folded, it is not in the way.
  expect(await question().getByRole("radio").first().isVisible()).toBe(false);
  expect(
    await question()
      .getByRole("button", { name: /^Always allow/ })
      .isVisible(),
  ).toBe(true);
  await choose("Always: before every action");
  expect(
    await question()
      .getByRole("button", { name: /^(Always allow|Allow all)/ })
      .count(),
  ).toBe(0);
  await answer("Deny");
  await said(app).toMatch(/^change failed: denied/);
  expect(await stored()).toEqual(["demo ask-always"]);
  // A tool that only reads is not asked about otherwise.
  await press(app, "read");
  await answer("Allow once");
  await said(app).toBe('read: "read done"');
});

it("is still in force after a restart, and is listed among the permissions, where it is undone", async () => {
  await stage.restart();
  await page.goto(`${stage.gateway.loginUrl()}#inspect`);
  const app = await open("demo");
  await press(app, "read");
  await answer("Deny");
  await said(app).toMatch(/^read failed: denied/);
  const list = await permissions();
  const line = list.getByRole("listitem").filter({ hasText: "Apps of demo ask before every action" });
  await line.getByRole("button", { name: /^Remove/ }).click();
  await expect.poll(() => line.count()).toBe(0);
  await list.getByRole("button", { name: "Close" }).click();
  expect(await stored()).toEqual([]);
  await press(app, "read");
  await said(app).toBe('read: "read done"');
  const marks = (await stage.rows({ method: "gateway/ask-level" })).map(({ target, reason }) => [
    target,
    reason,
  ]);
  expect(marks).toEqual([
    ["always", "chosen in a question"],
    ["important", "revoked"],
  ]);
});

it("adds questions to what an operator allows; fewer questions need a second press", async () => {
  const app = await open("free");
  await press(app, "change");
  await said(app).toBe('change: "change done"');
  const list = await permissions();
  await select(list, "free", "Changes only");
  await list.getByText("Apps of free ask before every call that may change something").waitFor();
  await list.getByRole("button", { name: "Close" }).click();
  await press(app, "read");
  await said(app).toBe('read: "read done"');
  await press(app, "change");
  await question().waitFor();
  await choose("Important only: approvals are remembered");
  await answer("Allow once");
  await answer("Yes, ask less often");
  await said(app).toBe('change: "change done"');
  expect(await stored()).toEqual([]);
  await press(app, "read");
  await press(app, "change");
  await said(app).toBe('change: "change done"');
});

it("a denial does not lead to fewer questions", async () => {
  await stage.gateway.api.consents.setLevel({ user: "local" }, { name: "free" }, "changes");
  const app = await open("free");
  await press(app, "change");
  await question().waitFor();
  await choose("Important only: approvals are remembered");
  await answer("Deny");
  await said(app).toMatch(/^change failed: denied/);
  expect(await stored()).toEqual(["free ask-changes"]);
});

it("is on the page of the server", async () => {
  await workbench.inspector.getByRole("radio", { name: "Server" }).click();
  await workbench.inspector.getByRole("button", { name: /The server to inspect/ }).click();
  await page.getByRole("option", { name: "free", exact: true }).click();
  const part = workbench.inspector.getByRole("region", { name: "Questions of its apps" });
  await expect.poll(() => part.getByRole("button").textContent()).toContain("Changes only");
  await select(part, "free", "Always");
  await expect.poll(stored).toEqual(["free ask-always"]);
  await expect.poll(() => part.getByRole("button").textContent()).toContain("Always");
});
