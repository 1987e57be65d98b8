/**
 * The official example servers in our host, in a real browser, part one: apps that send messages and
 * requests. They run under the specification's policy, without relaxations. Apps that draw are in
 * `acceptance-drawing.browser.test.ts`.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { HostStage } from "../../../testing/host/host-stage.ts";
import { OfficialApp } from "../../../testing/host/official-app.ts";

let stage: HostStage;
beforeAll(async () => {
  stage = await HostStage.open();
});
afterAll(() => stage?.close());

const BASIC = ["react", "vanillajs", "vue", "svelte", "preact", "solid"];

it.each(BASIC)("T07, C05, I01, I04, I05 and I09: basic-%s", async (framework) => {
  const app = await OfficialApp.open(stage, `basic-${framework}`);
  const { view, result } = app;
  // The result of the model's call, not of one that the view made itself.
  const [first] = result.content;
  await app.shows("Server Time:", first?.type === "text" ? first.text : "none");
  expect(app.server.called).toEqual([]);
  await app.isDrawn();
  await app.keepPicture();

  const time = view.locator("code").first();
  const before = await time.textContent();
  await view.getByRole("button", { name: "Get Server Time" }).click();
  await app.calls("get-time");
  await expect.poll(() => time.textContent(), { timeout: 30_000 }).not.toBe(before);
  expect(await time.textContent()).toMatch(/^\d{4}-\d\d-\d\dT/);

  await view.locator("textarea").fill("Good morning");
  await view.getByRole("button", { name: "Send Message" }).click();
  await app.hears("message", { role: "user", content: [{ type: "text", text: "Good morning" }] });
  await view.locator("input[type=text]").fill("It is written");
  await view.getByRole("button", { name: "Send Log" }).click();
  await app.hears("log", { level: "info", data: "It is written" });
  await view.getByRole("button", { name: "Open Link" }).click();
  await app.hears("open-link", { url: "https://modelcontextprotocol.io/" });
  await app.close();
});

it("T07, X01, I01, I05, I06, I07, I08 and I09: debug", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-debug-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "server.log");
  const app = await OfficialApp.open(stage, "debug", {
    args: [`--log-file=${file}`],
    input: { contentType: "mixed", largeInput: "as the model said" },
  });
  const { view, page } = app;
  const click = (id: string) => view.locator(`#${id}`).click();
  const events = view.locator("#event-log");
  const logged = (text: string) =>
    expect.poll(() => events.textContent(), { timeout: 30_000 }).toContain(text);
  await logged("ontoolinput");
  await logged("as the model said");
  await logged("ontoolresult");
  // It reports every event to its server, so the server's log proves that they arrived.
  await expect.poll(() => readFile(file, "utf8"), { timeout: 30_000 }).toContain('"type":"ontoolresult"');
  await app.shows("openLinks ✓ serverTools ✓ serverResources ✓ logging ✓ message ✓ updateModelContext ✓");
  await app.shows("Display Mode inline", "Host test host v1.0.0", "Width 800px");
  await app.isDrawn();
  await app.keepPicture();

  await click("send-message-text-btn");
  await app.hears("message", { content: [{ type: "text", text: "Hello from debug app!" }] });
  const image = expect.objectContaining({ type: "image", mimeType: "image/png" });
  await click("send-message-image-btn");
  await app.hears("message", { content: [image] });
  for (const level of ["debug", "info", "warning", "error"]) {
    await click(`log-${level}-btn`);
    await app.hears("log", { level, data: "Debug log data" });
  }
  await click("update-context-text-btn");
  await app.hears("model-context", { content: [{ type: "text", text: "Current app state info" }] });
  await click("update-context-structured-btn");
  await app.hears("model-context", { structuredContent: { debugState: expect.anything() } });
  await click("update-context-image-btn");
  await app.hears("model-context", { content: [image] });
  await click("open-link-btn");
  await app.hears("open-link", { url: "https://modelcontextprotocol.io/" });

  for (const mode of ["fullscreen", "pip", "inline"]) {
    await click(`display-${mode}-btn`);
    await app.shows(`Display Mode ${mode}`);
    const shown = app.element.locator("[part=box]");
    await expect.poll(() => shown.getAttribute("data-mode"), { timeout: 30_000 }).toBe(mode);
  }

  await view.locator("#auto-resize-toggle").uncheck();
  const height = async () => (await app.element.locator("iframe").boundingBox())?.height;
  for (const [id, wanted] of [
    ["400x300", 300],
    ["800x600", 600],
  ] as const) {
    await click(`resize-${id}-btn`);
    await expect.poll(height, { timeout: 30_000 }).toBe(wanted);
  }
  await view.locator("#auto-resize-toggle").check();
  await expect.poll(height, { timeout: 30_000 }).toBeGreaterThan(1000);

  for (const type of ["image", "audio", "resource", "resourceLink", "mixed"]) {
    await view.locator("#tool-content-type").selectOption(type);
    await click("clear-log-btn");
    await click("call-debug-tool-btn");
    await logged("server-tool-result");
  }
  await view.locator("#tool-simulate-error").check();
  await click("clear-log-btn");
  await click("call-debug-tool-btn");
  await logged('"isError": true');
  await click("call-debug-refresh-btn");
  await app.calls("debug-refresh");

  await view.locator("[data-toggle=host-info-content]").click();
  await expect.poll(() => view.locator("#host-info-content").isVisible(), { timeout: 30_000 }).toBe(false);
  await page.emulateMedia({ colorScheme: "dark" });
  await view.locator("[data-toggle=host-info-content]").click();
  await app.shows("Theme dark");
  await app.close();
});

it("T07 and I01: system-monitor polls with a tool that only apps may call", async () => {
  const app = await OfficialApp.open(stage, "system-monitor");
  const { view } = app;
  const { hostname } = app.result.structuredContent as { hostname: string };
  await app.shows("System Monitor", hostname);
  await app.calls("poll-system-stats", 2);
  await app.shows(/MEMORY \d+%/, /Uptime \d+[dhm]/);
  await app.calls("poll-system-stats", 3);
  await app.isDrawn();
  await app.keepPicture();

  await view.getByRole("button", { name: "Stop" }).click();
  await app.shows("Start Stopped");
  const before = app.server.called.length;
  await view.getByRole("button", { name: "Start" }).click();
  await app.calls("poll-system-stats", before + 1);
  await app.shows(/Stop \d\d:\d\d:\d\d/);
  await app.close();
});
