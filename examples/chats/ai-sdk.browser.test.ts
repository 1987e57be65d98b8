/** The recipe of docs/hosts/recipes.md for the Vercel AI SDK, with a scripted model in place of the provider. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { sharedChromium } from "../../testing/browser.ts";
import { callTool, say, startScriptedModel, waitFor } from "../../testing/model/scripted-model.ts";
import { chatRoute } from "./ai-sdk/route.js";
import { startChat, viewIn } from "./stage.js";

let browser: Browser;
let script: string;

beforeAll(async () => {
  browser = await sharedChromium();
  const { outputFiles } = await build({
    entryPoints: ["examples/chats/ai-sdk/page.tsx"],
    bundle: true,
    format: "esm",
    jsx: "automatic",
    write: false,
  });
  script = outputFiles[0]?.text ?? "";
});
afterAll(() => browser?.close());

async function start() {
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  const provider = createOpenAICompatible({ name: "scripted", baseURL: model.url });
  const chat = await startChat(browser, script, (upstream) => chatRoute(provider("scripted"), upstream));
  return { ...chat, model };
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

it("an app gets its input while the model writes it, then the result, and the model gets its text", async () => {
  const { page, model, called } = await start();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const [begin, ...rest] = callTool("show", { city: "Rome, in Italy" }, { fragment: 14 });
  if (!begin) throw new Error("no call");
  model.add([begin, rest[0] ?? [], waitFor(held), ...rest.slice(1)], say("It is ", "sunny."));
  await send(page, "How is Rome?");
  const items = viewIn(page).locator("li");
  // The model is still writing.
  await expect.poll(() => items.allTextContents()).toContain('tool-input-partial {"city":"Rome,"}');
  expect(called).not.toHaveBeenCalled();
  release();
  await expect
    .poll(() => items.allTextContents())
    .toEqual(
      expect.arrayContaining([
        'tool-input {"city":"Rome, in Italy"}',
        'tool-result {"city":"Rome, in Italy","degrees":21}',
      ]),
    );
  await page.getByText("It is sunny.").waitFor();
  expect(called).toHaveBeenCalledExactlyOnceWith("Rome, in Italy");

  model.add(say("As I said."));
  await send(page, "Really?");
  await page.getByText("As I said.").waitFor();
  for (const { text } of model.requests.slice(1)) {
    expect(text).toContain("Sunny in Rome, in Italy");
    expect(text).not.toContain("a secret of the app");
  }
  expect(model.requests).toHaveLength(3);
  expect(called).toHaveBeenCalledOnce();
  // The next turn changed nothing for the app.
  expect((await items.allTextContents()).filter((text) => text.startsWith("tool-result"))).toHaveLength(1);
});

it("two calls of one answer have an app each, and a call that the user stops is cancelled everywhere", async () => {
  const { page, model, called, aborted } = await start();
  model.add([
    ...callTool("show", { city: "Rome" }, { index: 0 }),
    ...callTool("show", { city: "Nowhere" }, { index: 1 }),
  ]);
  await send(page, "How is Rome, and how is Nowhere?");
  const shown = (index: number) => viewIn(page, index).locator("li").allTextContents();
  await expect.poll(() => shown(0)).toContain('tool-result {"city":"Rome","degrees":21}');
  await expect.poll(() => shown(1)).toContain('tool-input {"city":"Nowhere"}');
  await expect.poll(() => called).toHaveBeenCalledTimes(2);
  await page.getByRole("button", { name: "Stop" }).click();
  await expect.poll(() => shown(1)).toContain('tool-cancelled "Stopped"');
  await expect.poll(() => aborted).toHaveBeenCalledOnce();
  expect((await shown(0)).join()).not.toContain("tool-cancelled");
});

/** Presses a button of a question as a user does: it must have been in sight for a while. */
async function approve(page: Page): Promise<void> {
  await page.locator('button:not([aria-disabled="true"])', { hasText: "Allow" }).waitFor();
  const { width, height } = page.viewportSize() ?? { width: 800, height: 600 };
  await page.mouse.move(width - 5, height - 5);
  await page.getByRole("button", { name: "Allow" }).click();
}

it("a call that changes something waits for the user's approval, and runs once", async () => {
  const { page, model, called } = await start();
  model.add(callTool("book", { city: "Rome" }), say("It is booked."));
  await send(page, "Book a room in Rome.");
  const items = viewIn(page).locator("li");
  await expect.poll(() => items.allTextContents()).toContain('tool-input {"city":"Rome"}');
  await page.getByText('weather: run book with {"city":"Rome"}?').waitFor();
  // A script is no user.
  await page.getByRole("button", { name: "Allow" }).evaluate((button: HTMLElement) => button.click());
  expect(called).not.toHaveBeenCalled();
  await approve(page);
  await page.getByText("It is booked.").waitFor();
  await expect.poll(() => items.allTextContents()).toContain('tool-result {"city":"Rome"}');
  expect(called).toHaveBeenCalledExactlyOnceWith("book Rome");
  expect((await items.allTextContents()).join()).not.toContain("tool-cancelled");
});

it("a call that the user denies never runs: the app is cancelled, and the model knows", async () => {
  const { page, model, called } = await start();
  model.add(
    [
      ...callTool("show", { city: "Rome" }, { index: 0 }),
      ...callTool("book", { city: "Rome" }, { index: 1 }),
    ],
    say("Then not."),
  );
  await send(page, "Book a room in Rome.");
  // A tool that only reads needs no approval.
  await expect
    .poll(() => viewIn(page, 0).locator("li").allTextContents())
    .toContain('tool-result {"city":"Rome","degrees":21}');
  const items = viewIn(page, 1).locator("li");
  await expect.poll(() => items.allTextContents()).toContain('tool-input {"city":"Rome"}');
  expect((await items.allTextContents()).join()).not.toContain("tool-cancelled");
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("Then not.").waitFor();
  await expect.poll(() => items.allTextContents()).toContain('tool-cancelled "Denied"');
  expect(called).toHaveBeenCalledExactlyOnceWith("Rome");
  expect(model.requests.at(-1)?.text).toMatch(/denied/i);
});
