/** The recipe of docs/hosts/recipes.md for TanStack AI, with a scripted model in place of the provider. */
import { createOpenaiChatCompletions } from "@tanstack/ai-openai";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { sharedChromium } from "../../testing/browser.ts";
import {
  callTool,
  say,
  startScriptedModel,
  unauthorized,
  waitFor,
} from "../../testing/model/scripted-model.ts";
import { startChat, viewIn } from "./stage.js";
import { chatRoute } from "./tanstack/tanstack-route.js";

let browser: Browser;
let script: string;

beforeAll(async () => {
  browser = await sharedChromium();
  const { outputFiles } = await build({
    entryPoints: ["examples/chats/tanstack/page.tsx"],
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
  const adapter = createOpenaiChatCompletions("gpt-5.4-mini", "sk-test", { baseURL: model.url });
  const chat = await startChat(browser, script, (upstream) => chatRoute(adapter, upstream));
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
    ...callTool("show", { city: "Rome" }, { index: 0, id: "first" }),
    ...callTool("show", { city: "Nowhere" }, { index: 1, id: "second" }),
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

it("a server that left fails the call, and the model says so", async () => {
  const { page, model, disconnect } = await start();
  const leave = async () => {
    await disconnect();
    return callTool("show", { city: "Rome" });
  };
  model.add(leave, say("I cannot know."));
  await send(page, "How is Rome?");
  await page.getByText("I cannot know.").waitFor();
  await expect
    .poll(() => viewIn(page).locator("li").allTextContents())
    .toEqual(expect.arrayContaining([expect.stringMatching(/^tool-cancelled /)]));
});

it("an error of the API ends the answer, and the page does not get its words", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => logged.mockRestore());
  const { page, model } = await start();
  model.add(unauthorized);
  const answer = page.waitForResponse("**/chat");
  await send(page, "How is Rome?");
  await page.getByText("The answer could not be completed").waitFor();
  expect(await (await answer).text()).not.toMatch(/key/);
  model.add(say("Here I am."));
  await send(page, "And now?");
  await page.getByText("Here I am.").waitFor();
});
