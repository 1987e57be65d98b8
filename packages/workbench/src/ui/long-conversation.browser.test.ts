/** A long conversation in the built workbench: it opens at its end, and the rest is drawn afterwards. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { GatewayStage } from "../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench } from "../../../../testing/gateway/workbench-page.ts";
import { type ScriptedModel, say, startScriptedModel } from "../../../../testing/model/scripted-model.ts";
import { connectPage, signIn } from "../../../../testing/workbench/node-page.ts";

/** Enough for a dozen blocks of entries. */
const TURNS = 60;
const ENTRIES = 2 * TURNS;

let stage: GatewayStage;
let model: ScriptedModel;
let address: string;

beforeAll(async () => {
  model = await startScriptedModel([], { otherwise: ({ body }) => say(answerTo(body.messages.length)) });
  stage = await GatewayStage.open(
    {
      mcpServers: {},
      model: { use: "local/scripted", providers: { local: { url: model.url, models: ["scripted"] } } },
    },
    builtWorkbench(),
  );
  const id = await talk();
  address = `#conversation=${id}`;
});
afterAll(async () => {
  await stage?.close();
  await model?.close();
});

/** An answer of several lines; the first question and its answer have a word of their own. */
const answerTo = (messages: number): string =>
  `## Answer\n\n${messages < 4 ? "A pineapple." : "Some text."}\n\n- first\n- second\n\n\`\`\`js\nconst a = 1;\n\`\`\``;

/** Holds a conversation without a page. */
async function talk(): Promise<string> {
  const { gateway } = stage;
  const cookie = await signIn(gateway.loginUrl());
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as unknown as Storage;
  const client = connectPage(() => gateway.origin, cookie, storage, {});
  const { id } = await client.request("conversation/open", {});
  let done = (): void => {};
  let isRunning = false;
  client.on("conversation/changed", ({ changes }) => {
    for (const change of changes) {
      if (change.kind !== "state" || change.isRunning === isRunning) continue;
      isRunning = change.isRunning;
      if (!isRunning) done();
    }
  });
  for (let n = 0; n < TURNS; n++) {
    const isDone = new Promise<void>((resolve) => {
      done = resolve;
    });
    await client.request("conversation/send", { id, content: [{ type: "text", text: `Question ${n}` }] });
    await isDone;
  }
  client.close();
  return id;
}

/** Opens the conversation in a page. A busy one never has an idle moment. */
async function open({ isBusy = false } = {}): Promise<Page> {
  const page = await stage.context.newPage();
  onTestFinished(() => page.close());
  await page.addInitScript((busy) => {
    if (busy) Object.assign(globalThis, { requestIdleCallback: () => 0 });
    // The number of entries when the last one is in the page.
    const observer = new MutationObserver(() => {
      const entries = document.querySelectorAll(".conversation-inner article");
      if (!entries.item(entries.length - 1)?.textContent?.includes("Some text")) return;
      observer.disconnect();
      Object.assign(globalThis, { entriesAtFirst: entries.length });
    });
    observer.observe(document, { childList: true, subtree: true });
  }, isBusy);
  await page.goto(`${stage.gateway.loginUrl()}${address}`);
  await page.locator(".conversation-inner article").last().getByText("Some text").waitFor();
  return page;
}

const entriesIn = (page: Page): Promise<number> => page.locator(".conversation-inner article").count();
const waitingIn = (page: Page): Promise<number> => page.locator("[data-waiting]").count();

describe("a long conversation", () => {
  it("opens at its end, and the rest follows in its order", async () => {
    const page = await open();
    expect(await page.evaluate(() => Reflect.get(globalThis, "entriesAtFirst"))).toBeLessThan(ENTRIES / 2);
    await expect.poll(() => entriesIn(page)).toBe(ENTRIES);
    expect(await waitingIn(page)).toBe(0);
    const questions = await page.locator(".card.own p, .card.own pre").allTextContents();
    expect(questions.filter((text) => text.startsWith("Question"))).toEqual(
      Array.from({ length: TURNS }, (_, n) => `Question ${n}`),
    );
    // The end is where it was.
    const left = await page
      .getByRole("log", { name: "Conversation" })
      .evaluate((log) => log.scrollHeight - log.clientHeight - log.scrollTop);
    expect(left).toBeLessThan(50);
    // Screen readers do not read old entries aloud; new ones they do.
    const live = await page
      .locator(".conversation-block")
      .evaluateAll((blocks) => blocks.map((block) => block.getAttribute("aria-live")));
    expect([live[0], live.at(-1)]).toEqual(["off", null]);
  });

  it("is drawn where the user scrolls to, however busy the page is", async () => {
    const page = await open({ isBusy: true });
    expect(await waitingIn(page)).toBeGreaterThan(3);
    const log = page.getByRole("log", { name: "Conversation" });
    await log.evaluate((element) => element.scrollTo(0, 0));
    await expect.poll(() => log.getByText("Question 0", { exact: true }).isVisible()).toBe(true);
    expect(await waitingIn(page)).toBeGreaterThan(0);
    // Every block on the way up from the end is there when it comes into view.
    await log.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    for (let at = 0; at < 20; at++) {
      await log.hover();
      await page.mouse.wheel(0, -400);
      await expect
        .poll(() =>
          log.evaluate((element) => {
            const { top, bottom } = element.getBoundingClientRect();
            return [...element.querySelectorAll("[data-waiting]")].filter((each) => {
              const box = each.getBoundingClientRect();
              return box.bottom > top && box.top < bottom;
            }).length;
          }),
        )
        .toBe(0);
    }
  });

  it("is searched as a whole, however busy the page is", async () => {
    const page = await open({ isBusy: true });
    await page.getByRole("button", { name: "Find", exact: true }).click();
    await page.getByRole("searchbox", { name: "Find in this conversation" }).fill("pineapple");
    await page.getByText("1 of 1", { exact: true }).waitFor();
    await expect.poll(() => page.getByText("A pineapple.").isVisible()).toBe(true);
    expect(await entriesIn(page)).toBe(ENTRIES);
  });
});
