/** The chat of docs/hosts/tool-loop.md, with a scripted model in place of OpenAI and Anthropic. */
import { cpSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { build } from "esbuild";
import OpenAI from "openai";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { sharedChromium } from "../../testing/browser.ts";
import { canBeFramed, SAFE, sendExactly, startProgram, statusesOf } from "../../testing/host/started-chat.ts";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
  unauthorized,
  waitFor,
} from "../../testing/model/scripted-model.ts";
import { startChat, viewIn } from "./stage.js";
import { answersTo } from "./tool-loop/answers.js";
import { startConversation as startAnthropic } from "./tool-loop/anthropic.js";
import type { Conversation } from "./tool-loop/loop.js";
import { startConversation as startOpenAI } from "./tool-loop/openai.js";

const SOURCE = fileURLToPath(new URL("tool-loop/", import.meta.url));
const FOLDER = fileURLToPath(new URL("../dist/tool-loop/", import.meta.url));

const APIS: Record<string, (model: ScriptedModel) => Conversation> = {
  OpenAI: ({ url }) => startOpenAI(new OpenAI({ baseURL: url, apiKey: "sk-test", maxRetries: 0 })),
  Anthropic: ({ url }) =>
    startAnthropic(new Anthropic({ baseURL: url.replace(/\/v1$/, ""), apiKey: "sk-test", maxRetries: 0 })),
};

/** The pages, with their scripts. */
const PAGES = ["page.ts", "assistant-page.tsx"];
const PAIRS = PAGES.flatMap((page) => Object.keys(APIS).map((api) => [page, api] as const));

let browser: Browser;
const scripts = new Map<string, string>();

beforeAll(async () => {
  browser = await sharedChromium();
  for (const page of PAGES) {
    const { outputFiles } = await build({
      entryPoints: [SOURCE + page],
      bundle: true,
      format: "esm",
      jsx: "automatic",
      write: false,
    });
    scripts.set(page, outputFiles[0]?.text ?? "");
  }
});
afterAll(() => browser?.close());

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

describe.each(PAIRS)("%s with %s", (script, api) => {
  const converse = (model: ScriptedModel) => (APIS[api] as (typeof APIS)[string])(model);

  async function start() {
    const model = await startScriptedModel();
    onTestFinished(() => model.close());
    const answer = (upstream: Parameters<typeof answersTo>[0]["upstream"]) =>
      answersTo({ upstream, userOf: () => "ada", startConversation: () => converse(model) });
    const html = script === "page.ts" ? readFileSync(`${SOURCE}page.html`, "utf8") : undefined;
    const chat = await startChat(browser, scripts.get(script) ?? "", answer, html);
    const items = (index = 0) => viewIn(chat.page, index).locator("li").allTextContents();
    return { ...chat, model, items };
  }

  it("an app gets its input while the model writes it, then the result, and the model gets its text", async () => {
    const { page, model, called, items } = await start();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const [begin, ...rest] = callTool("show", { city: "Rome, in Italy" }, { fragment: 14 });
    if (!begin) throw new Error("no call");
    model.add(
      [say("Let me see."), begin, rest[0] ?? [], waitFor(held), ...rest.slice(1)],
      say("It is ", "sunny."),
    );
    await send(page, "How is Rome?");
    // The model is still writing.
    await expect.poll(() => items()).toContain('tool-input-partial {"city":"Rome,"}');
    expect(called).not.toHaveBeenCalled();
    release();
    await page.getByText("It is sunny.").waitFor();
    await expect
      .poll(() => items())
      .toEqual(
        expect.arrayContaining([
          'tool-input {"city":"Rome, in Italy"}',
          'tool-result {"city":"Rome, in Italy","degrees":21}',
        ]),
      );
    expect(called).toHaveBeenCalledExactlyOnceWith("Rome, in Italy");

    model.add(say("As I said."));
    await send(page, "Really?");
    await page.getByText("As I said.").waitFor();
    for (const { text } of model.requests.slice(1)) {
      expect(text).toContain("Let me see.");
      expect(text).toContain("Sunny in Rome, in Italy");
      expect(text).not.toContain("a secret of the app");
    }
    expect(model.requests).toHaveLength(3);
    // The next answer changed nothing for the app.
    expect((await items()).filter((text) => /result|cancelled/.test(text))).toHaveLength(1);
  });

  it("a call that the user stops is cancelled everywhere, and the conversation goes on", async () => {
    const { page, model, called, aborted, items } = await start();
    model.add([
      ...callTool("show", { city: "Rome" }, { index: 0 }),
      ...callTool("show", { city: "Nowhere" }, { index: 1 }),
    ]);
    await send(page, "How is Rome, and how is Nowhere?");
    await expect.poll(() => items(0)).toContain('tool-result {"city":"Rome","degrees":21}');
    await expect.poll(() => items(1)).toContain('tool-input {"city":"Nowhere"}');
    await expect.poll(() => called).toHaveBeenCalledTimes(2);
    await page.getByRole("button", { name: "Stop" }).click();
    await expect.poll(() => items(1)).toContain('tool-cancelled "Stopped"');
    await expect.poll(() => aborted).toHaveBeenCalledOnce();
    expect((await items(0)).join()).not.toContain("tool-cancelled");

    model.add(say("As you like."));
    await send(page, "Never mind.");
    await page.getByText("As you like.").waitFor();
    // Both calls were answered for the model: its API refuses the conversation otherwise.
    expect(model.requests.at(-1)?.text).toContain("Sunny in Rome");
    expect(model.requests.at(-1)?.text).toContain("Stopped");
  });

  it("the model reads why a call failed, and may call no tool that is for apps alone", async () => {
    const { page, model, called, items } = await start();
    model.add(
      [
        ...callTool("show", '{"city":"Ro', { index: 0 }),
        ...callTool("refresh", {}, { index: 1 }),
        ...callTool("unknown", {}, { index: 2 }),
      ],
      say("That failed."),
    );
    await send(page, "How is Rome?");
    await page.getByText("That failed.").waitFor();
    await expect.poll(async () => (await items()).join()).toMatch(/tool-cancelled ".*JSON/);
    expect(called).not.toHaveBeenCalled();
    const [first, second] = model.requests;
    expect(first?.text).toContain('"book"');
    expect(first?.text).not.toContain('"refresh"');
    expect(second?.text).toContain("There is no tool refresh");
    expect(second?.text).toContain("There is no tool unknown");
  });

  it("a server that left fails the call, and the model says so", async () => {
    const { page, model, disconnect, items } = await start();
    const leave = async () => {
      await disconnect();
      return callTool("show", { city: "Rome" });
    };
    model.add(leave, say("I cannot know."));
    await send(page, "How is Rome?");
    await page.getByText("I cannot know.").waitFor();
    await expect.poll(async () => (await items()).join()).toContain("tool-cancelled");
  });

  it("an error of the API ends the answer, and the page does not get its words", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => logged.mockRestore());
    const { page, model } = await start();
    model.add(unauthorized);
    await send(page, "How is Rome?");
    await page.getByText("The answer could not be completed").waitFor();
    expect(await page.locator("main").textContent()).not.toMatch(/key/);
    expect(logged).toHaveBeenCalledOnce();
    model.add(say("Here I am."));
    await send(page, "And now?");
    await page.getByText("Here I am.").waitFor();
  });
});

describe.each(Object.entries(APIS))("%s", (_name, converse) => {
  it("forty users at once have conversations of their own, and one answer at a time", async () => {
    const model = await startScriptedModel([], {
      otherwise: ({ text }) => say(`You are ${/I am (user-\d+-)/.exec(text)?.[1]}`),
    });
    onTestFinished(() => model.close());
    const upstream = {
      server: "none",
      capabilities: {},
      request: () => Promise.reject(new Error("it has no tools")),
      listen: () => () => {},
    };
    const userOf = ({ headers }: Request) => headers.get("user") ?? undefined;
    const answer = answersTo({ upstream, userOf, startConversation: () => converse(model) });
    const ask = async (user: string, text: unknown): Promise<string> => {
      const init = { method: "POST", headers: { user }, body: JSON.stringify({ text }) };
      const got = await answer(new Request("http://localhost/chat", init));
      return `${got.status} ${await got.text()}`;
    };
    const users = Array.from({ length: 40 }, (_, index) => `user-${index}-`);
    const answers = await Promise.all(users.map((user) => ask(user, `I am ${user}`)));
    for (const [index, user] of users.entries()) {
      expect(answers[index]).toContain(`"You are ${user}"`);
      expect(await ask(user, "Who am I?")).toContain(`"You are ${user}"`);
    }
    for (const { text } of model.requests.slice(-40)) expect(text.match(/I am user-/g)).toHaveLength(1);
    const both = await Promise.all([ask("user-1-", "Once"), ask("user-1-", "Twice")]);
    expect(both.map((text) => text.slice(0, 3)).sort()).toEqual(["200", "429"]);
    expect(await ask("user-1-", { no: "text" })).toMatch(/^400/);
  });
});

describe("start.ts", () => {
  beforeAll(async () => {
    await build({
      entryPoints: [`${SOURCE}start.ts`],
      outfile: `${FOLDER}start.mjs`,
      bundle: true,
      format: "esm",
      platform: "node",
      packages: "external",
    });
    for (const file of ["page.ts", "page.html", "ask.ts", "loop.ts"]) cpSync(SOURCE + file, FOLDER + file);
  });

  async function start() {
    const model = await startScriptedModel();
    onTestFinished(() => model.close());
    const env = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: model.url };
    return { model, address: new URL(await startProgram(FOLDER, ["start.mjs"], env)) };
  }

  it("shows the app of a tool that the model calls", async () => {
    const { model, address } = await start();
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    model.add(callTool("get-time", {}), say("It is late."));
    await page.goto(address.href);
    await send(page, "What time is it?");
    await page.getByText("It is late.").waitFor();
    const app = page.frameLocator("mcp-app iframe").frameLocator("iframe");
    await app.getByText(/^\d{4}-\d\d-\d\dT/).waitFor();
  });

  it("runs nothing for requests of other sites, of strangers, and by other names", async () => {
    const { model, address } = await start();
    model.add(say("Hello."));
    expect(await statusesOf(address, "/chat", { text: "Hello" })).toEqual(SAFE);
    expect(model.requests).toHaveLength(1);
    const rpc = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get-time" } };
    expect(await statusesOf(address, "/rpc", rpc)).toEqual(SAFE);
    for (const path of ["/", "/apps", "/page.js"])
      expect((await sendExactly(new URL(path, address))).status).toBe(401);
    expect((await sendExactly(new URL("/sign-in?key=guessed", address))).status).toBe(403);
    expect(await canBeFramed(browser, address)).toBe(false);
    const { cookie } = await sendExactly(address);
    const headers = { cookie, origin: address.origin, "content-type": "application/json" };
    const body = JSON.stringify({ text: "x".repeat(2_000_000) });
    expect((await sendExactly(new URL("/chat", address), { method: "POST", headers, body })).status).toBe(
      413,
    );
    expect(model.requests).toHaveLength(1);
  });
});
