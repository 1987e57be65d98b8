/** Recordings and the grid in the built page, with an official app. The second gateway has no servers at all. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningGateway } from "@vitrine/gateway";
import { workbenchFolder } from "@vitrine/workbench";
import axe from "axe-core";
import type { Browser, FrameLocator, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LIMIT, sharedChromium } from "../../../../../testing/browser.js";
import { officialServer, startTestGateway } from "../../../../../testing/gateway/gateway-stage.js";
import { readRecording } from "../../model/recording/recording.js";

let folder: string;
let gateway: RunningGateway;
let elsewhere: RunningGateway;
let browser: Browser;
let page: Page;
/** Texts of the app's clock: initially, and after its button was pressed. */
let times: string[];
let file: string;

const open = async (at: RunningGateway): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(LIMIT);
  const opened = await context.newPage();
  await opened.goto(`${at.loginUrl()}#inspect`);
  await opened.getByRole("button", { name: "Recording" }).waitFor();
  return opened;
};
const appIn = (where: Pick<Page, "locator">, index = 0): FrameLocator =>
  where.locator("mcp-app").nth(index).locator("iframe").contentFrame().locator("iframe").contentFrame();
const timeIn = async (app: FrameLocator): Promise<string> =>
  `${await app.locator("#server-time").textContent()}`;
const play = (where: Page, path: string): Promise<void> =>
  where.getByLabel("Recording", { exact: true }).and(where.locator("input")).setInputFiles(path);

/** Accessibility problems for users of screen readers and keyboards, or with weak eyesight. */
async function axeFinds(where: Page, part: string): Promise<string[]> {
  await where.evaluate(axe.source);
  return where.evaluate(async (selector) => {
    const { axe: run } = globalThis as unknown as { axe: typeof axe };
    // Frame contents belong to the app.
    const { violations } = await run.run(selector, { iframes: false });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  }, part);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-replay-"));
  file = join(folder, "clock.vitrine.jsonl");
  const clock = {
    command: process.execPath,
    args: [officialServer("basic-vanillajs"), "--stdio"],
    isolation: "process",
    policy: { "tools/call": "allow" },
  };
  const start = (mcpServers: object, name: string) =>
    startTestGateway({ mcpServers }, join(folder, name), workbenchFolder);
  [{ gateway }, { gateway: elsewhere }, browser] = await Promise.all([
    start({ clock }, "data"),
    start({}, "elsewhere"),
    sharedChromium(),
  ]);
  page = await open(gateway);
  await page.getByText("Get Time").first().click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await elsewhere?.close();
  await rm(folder, { recursive: true, force: true });
});

it("saves a recording of an app's actions, and of the user's actions in it", async () => {
  const app = appIn(page);
  await expect.poll(() => timeIn(app)).toMatch(/^\d{4}-/);
  const first = await timeIn(app);
  await app.getByRole("button", { name: "Get Server Time" }).click();
  await expect.poll(() => timeIn(app)).not.toBe(first);
  times = [first, await timeIn(app)];
  expect(times[1]).toMatch(/^\d{4}-/);

  await page.getByRole("button", { name: "Recording" }).click();
  await page.getByRole("menuitem", { name: "Save a recording" }).click();
  const dialog = page.getByRole("dialog", { name: "Save a recording" });
  await dialog.getByText("E-mail addresses").click();
  await dialog.getByText(/best effort/).waitFor();
  // By position: reports at once whether it exists, and what is there.
  const hidden = dialog.getByRole("textbox", { name: "Also remove" });
  await hidden.fill("user");
  await dialog.getByText(/^user: begin with params, result or error/).waitFor();
  expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  await hidden.fill("params.appInfo.version, params.nowhere");
  await dialog.getByText("params.appInfo.version: 1 value").waitFor();
  await dialog.getByText("params.nowhere: no match").waitFor();
  expect(await axeFinds(page, ".recording-dialog")).toEqual([]);
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save" }).click();
  expect((await download).suggestedFilename()).toBe("clock-get-time.vitrine.jsonl");
  await (await download).saveAs(file);

  const { header, events } = readRecording(await readFile(file, "utf8"));
  expect(header).toMatchObject({
    server: "clock",
    profile: "strict",
    tool: { name: "get-time" },
    dropped: 0,
  });
  expect(header.redacted).toHaveLength(6);
  expect(header.redacted).toContain("values at params.appInfo.version: 1");
  expect(header).not.toHaveProperty("restored");
  const deeds = events.flatMap((event) => ("m" in event && event.d === "in" ? [event] : []));
  expect(deeds.find(({ m }) => m["method"] === "tools/call")?.person).toBe(true);
  expect(deeds.find(({ m }) => m["method"] === "ui/initialize")?.person).toBeUndefined();
});

it("shows one app in a grid, without calling its tool again, and closes its copies", async () => {
  const calls = async (): Promise<number> =>
    (await gateway.api.audit.query({ user: "local" }, { limit: 1000 })).filter(
      ({ method }) => method === "tools/call",
    ).length;
  const before = await calls();
  await page.getByRole("button", { name: "Grid" }).click();
  const grid = page.getByRole("dialog", { name: "Grid" });
  await expect.poll(() => grid.locator("mcp-app").count()).toBe(4);
  for (const index of [0, 1, 2, 3]) await expect.poll(() => timeIn(appIn(grid, index))).toBe(times[0]);
  await grid.getByRole("figure", { name: "Vitrine, strict, mobile, dark" }).waitFor();
  expect(await axeFinds(page, ".grid-view")).toEqual([]);

  await grid.getByRole("button", { name: "VS Code" }).click();
  await grid.getByRole("button", { name: "Dark" }).click();
  await expect.poll(() => grid.getByRole("figure").count()).toBe(4);
  await grid.getByRole("figure", { name: "VS Code, desktop, light" }).locator("mcp-app").waitFor();
  expect(await calls()).toBe(before);

  await grid.getByRole("button", { name: "Close" }).click();
  await expect.poll(() => page.locator("mcp-app").count()).toBe(1);
});

it("warns about an app from before a reload that it may have stored state", async () => {
  await page.reload();
  await expect.poll(() => timeIn(appIn(page))).toBe(times[0]);
  await page.getByText("Get Time").last().click();
  await page.getByRole("button", { name: "Recording" }).click();
  await page.getByRole("menuitem", { name: "Save a recording" }).click();
  const dialog = page.getByRole("dialog", { name: "Save a recording" });
  await dialog.getByText(/was open before/).waitFor();
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save" }).click();
  const saved = join(folder, "restored.vitrine.jsonl");
  await (await download).saveAs(saved);
  expect(readRecording(await readFile(saved, "utf8")).header.restored).toBe(true);
});

it("lists the presses in the app, which a page cannot repeat; covers nothing; and shows the app in a grid", async () => {
  const other = await open(elsewhere);
  const lines = (await readFile(file, "utf8")).split("\n");
  const called = lines.findIndex((line) => line.includes('"method":"tools/call"'));
  const { t } = JSON.parse(lines[called] ?? "");
  const path = join(folder, "pressed.vitrine.jsonl");
  const act = JSON.stringify({ t, did: { click: "Get Server Time" } });
  await writeFile(path, lines.toSpliced(called, 0, act).join("\n"));
  await play(other, path);
  const bar = other.getByRole("region", { name: "Replay" });
  await bar.getByText(/cannot press anything inside an app/).waitFor();
  await bar
    .getByRole("listitem")
    .getByText(/^pressed “Get Server Time” after message \d+$/)
    .waitFor();
  await bar.getByRole("button", { name: "Same", exact: true }).waitFor();

  for (const size of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    await other.setViewportSize(size);
    const boxOf = async (part: Locator) =>
      (await part.boundingBox()) ?? expect.fail(`${part} is not to be seen`);
    const conversation = await boxOf(other.getByRole("region", { name: "Conversation" }));
    const { y, height } = await boxOf(bar);
    expect(conversation.y + conversation.height).toBeLessThanOrEqual(y + 1);
    const tabs = other.getByRole("navigation", { name: "Panes" });
    const end = (await tabs.isVisible()) ? (await boxOf(tabs)).y : size.height;
    expect(y + height).toBeLessThanOrEqual(end + 1);
    expect(await axeFinds(other, ".replay-bar")).toEqual([]);
  }

  await other.setViewportSize({ width: 1280, height: 800 });
  await other.getByRole("button", { name: "Grid" }).click();
  const grid = other.getByRole("dialog", { name: "Grid" });
  await grid.getByText("of clock, from a recording").waitFor();
  await expect.poll(() => grid.locator("mcp-app").count()).toBe(4);
  for (const index of [0, 1, 2, 3]) await expect.poll(() => timeIn(appIn(grid, index))).toBe(times[0]);
  await grid.getByRole("button", { name: "Close" }).click();
  await expect.poll(() => other.locator("mcp-app").count()).toBe(1);
  await other.context().close();
});

it("plays a recording without the server: the same screen, step by step, and after the same press", async () => {
  const other = await open(elsewhere);
  await play(other, file);
  const app = appIn(other);
  const bar = other.getByRole("region", { name: "Replay" });
  await expect.poll(() => timeIn(app)).toBe(times[0]);
  await bar.getByRole("button", { name: "Same", exact: true }).waitFor();
  // The recording has ended, but a press is a user's action, which is never repeated automatically.
  await app.getByRole("button", { name: "Get Server Time" }).click();
  await expect.poll(() => timeIn(app)).toBe(times[1]);
  await bar.getByRole("button", { name: "Same", exact: true }).click();
  await other.getByText("3 of its messages were compared").waitFor();
  await other.keyboard.press("Escape");
  expect(await axeFinds(other, ".replay-bar")).toEqual([]);

  // Back to a point before the result, and forward again.
  const { events } = readRecording(await readFile(file, "utf8"));
  const messages = events.filter((event) => "m" in event);
  const result = messages.findIndex(
    (event) => "m" in event && event.m["method"] === "ui/notifications/tool-result",
  );
  const slider = bar.getByRole("slider", { name: "Position" });
  await slider.focus();
  await slider.press("Home");
  await bar.getByText(`0 of ${messages.length}`).waitFor();
  for (let position = 1; position <= result + 1; position++) {
    await bar.getByRole("button", { name: "Next message" }).click();
    await bar.getByText(`${position} of ${messages.length}`).waitFor();
    if (position === result) await expect.poll(() => timeIn(app)).toBe("Loading...");
  }
  await expect.poll(() => timeIn(app)).toBe(times[0]);
  await other.context().close();
});

it("attack E09: a recording is marked as one, under any name, and takes no display mode by itself", async () => {
  const other = await open(elsewhere);
  const [header = "", ...events] = (await readFile(file, "utf8")).trimEnd().split("\n");
  const title = `Your Bank${"\u3164".repeat(400)}`;
  const forged = JSON.stringify({ ...JSON.parse(header), server: "bank", title });
  const { t } = JSON.parse(events.at(-1) ?? "");
  const method = "ui/notifications/host-context-changed";
  const m = { jsonrpc: "2.0", method, params: { displayMode: "fullscreen" } };
  const path = join(folder, "forged.vitrine.jsonl");
  await writeFile(path, [forged, ...events, JSON.stringify({ t, d: "out", m })].join("\n"));
  await play(other, path);
  await expect.poll(() => timeIn(appIn(other))).toBe(times[0]);
  const bar = other.getByRole("region", { name: "Replay" });
  await bar
    .getByText(`${events.length} of ${events.length}`)
    .or(bar.getByText(/\b(\d+) of \1\b/))
    .first()
    .waitFor();
  expect(await other.locator("mcp-app").locator("dialog[data-mode=fullscreen]").count()).toBe(0);
  await other.getByText("Recording of bank", { exact: true }).waitFor();
  await other.getByRole("article").getByText("recording", { exact: true }).waitFor();
  // The control: the user may, and still sees what it is.
  await other.getByRole("button", { name: /^Full screen/ }).click();
  await other.locator("mcp-app").locator("dialog[data-mode=fullscreen]").waitFor();
  expect(await other.getByText("Recording of bank", { exact: true }).isVisible()).toBe(true);
  await other.context().close();
});

it("reports the differences of a changed document, and the problem of a file", async () => {
  const other = await open(elsewhere);
  const changed = (await readFile(file, "utf8")).replaceAll("Get Time App", "Another App");
  const [header = "", ...rest] = changed.split("\n");
  const [, ...recorded] = (await readFile(file, "utf8")).split("\n");
  expect(rest).not.toEqual(recorded);
  const path = join(folder, "changed.vitrine.jsonl");
  await writeFile(path, [header, ...recorded].join("\n"));
  await play(other, path);
  await other.getByRole("button", { name: "1 difference" }).click();
  await other.getByText(/appInfo.name was "Get Time App" and is "Another App"/).waitFor();
  await other.keyboard.press("Escape");

  await writeFile(path, [header, "{}"].join("\n"));
  await play(other, path);
  await other
    .getByRole("alert")
    .getByText(/changed.vitrine.jsonl cannot be played: line 2: "t" must be/)
    .waitFor();
});
