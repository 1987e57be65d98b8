/**
 * From no model to an answer about an app, in the built workbench: a model server on this machine is found, tested and used;
 * then providers, keys, settings of a conversation, costs and titles.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readSettings } from "@vitrine/gateway";
import { openSecrets } from "@vitrine/servers";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayStage } from "../../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench, WorkbenchPage } from "../../../../../testing/gateway/workbench-page.ts";
import { ollama } from "../../../../../testing/model/local-documents.ts";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
  unauthorized,
  usage,
} from "../../../../../testing/model/scripted-model.ts";
import { accessibilityProblems } from "../../../../../testing/server/template-stage.ts";

const KEY = "sk-S3CRET-0123456789abcdef";

let stage: GatewayStage;
let local: ScriptedModel;
let router: ScriptedModel;
let workbench: WorkbenchPage;
let page: Page;
let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-models-"));
  file = join(folder, "mcp.json");
  local = await startScriptedModel([], {
    ...ollama("qwen3:8b"),
    title: ({ text }) => (text.includes("Rome") ? say("The weather in Rome") : []),
  });
  const price = { prompt: "0.000002", completion: "0.00001" };
  const many = Array.from({ length: 300 }, (_, at) => ({
    id: `maker/model-${at}`,
    context_length: 128_000,
    pricing: price,
  }));
  router = await startScriptedModel([], { list: many, title: [] });
  const free = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => free.once("listening", resolve));
  const { port: nowhere } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const script = fileURLToPath(new URL("../../../../../testing/gateway/demo-server.mjs", import.meta.url));
  const base = {
    mcpServers: { demo: { command: process.execPath, args: [script, folder], isolation: "process" } },
  };
  stage = await GatewayStage.open(base, builtWorkbench(), {
    detection: {
      timeout: 3_000,
      ports: {
        Ollama: Number(new URL(local.url).port),
        "LM Studio": nowhere,
        "llama.cpp": nowhere,
        vLLM: nowhere,
      },
    },
    setup: {
      file,
      reading: {},
      canAsk: false,
      lines: () => undefined,
      command: () => undefined,
      confirm: async () => false,
      isApproved: async () => true,
      importPlaces: () => [],
      written: async (text) => {
        const { dataFolder } = stage;
        const secrets = (at: string) => openSecrets({ folder: at });
        const read = await readSettings({ ...base, dataFolder, ...JSON.parse(text) }, { secrets });
        stage.gateway.update(read);
      },
    },
  });
  workbench = await WorkbenchPage.open(stage.context, stage.gateway.loginUrl());
  ({ page } = workbench);
}, 120_000);
afterAll(async () => {
  await stage?.close();
  await local?.close();
  await router?.close();
  await rm(folder, { recursive: true, force: true });
});

const dialog = (): Locator => page.getByRole("dialog", { name: "Models" });
const articles = (text: string | RegExp): Locator => page.getByRole("article").filter({ hasText: text });
const serious = async (): Promise<string[]> =>
  (await accessibilityProblems(page.mainFrame())).filter((each) => !/^(region|heading-order):/.test(each));
const shot = async (name: string): Promise<void> => {
  const to = process.env["SHOTS"];
  if (to) await page.screenshot({ path: join(to, `${name}.png`) });
};

describe("models in the page", () => {
  it("goes from no model to an answer about an app of a server", async () => {
    await page.getByText("Open an app, or choose a model and write what you want.").waitFor();
    await workbench.button("Models").click();
    await dialog().getByText("Ollama").waitFor();
    await dialog().getByText("up to 41k tokens").waitFor();
    await shot("models-found");
    expect(await serious()).toEqual([]);
    await dialog().getByRole("button", { name: "Use qwen3:8b" }).click();
    await dialog().getByText("qwen3:8b (ollama) answers.").waitFor();
    local.add([say("Hi."), callTool("say_hello", { word: "vitrine" }), usage(40, 5)], unauthorized);
    await dialog()
      .getByRole("button", { name: /ollama/ })
      .click();
    await dialog().getByRole("button", { name: "Test qwen3:8b" }).click();
    await dialog().getByText("can call tools").waitFor();
    await dialog().getByText("40 tokens in, 5 out").waitFor();
    await shot("models-tested");
    expect(await serious()).toEqual([]);
    await dialog().getByRole("button", { name: "Test qwen3:8b" }).click();
    await dialog().getByText("model-unauthorized").waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
      model: { providers: { ollama: { url: local.url, privateNetwork: true } } },
    });

    local.add(callTool("demo__show", { city: "Rome" }), [say("It shows Rome."), usage(100, 20)]);
    await workbench.tell("Show me Rome");
    await articles("It shows Rome.").waitFor();
    const app = await workbench.appIn(workbench.lastApp);
    await app.getByText('{"city":"Rome"}').waitFor();
    // Its price is unknown, so there is no cost.
    await articles("It shows Rome.").getByText("100 tokens in, 20 out", { exact: true }).waitFor();
    // The model writes the title after the first answer.
    await page.getByRole("heading", { name: "The weather in Rome" }).waitFor();
    await shot("models-answer");
  });

  it("adds a provider at an address of this machine where a model server answers, and no other private one, and shows its many models, prices and the cost", async () => {
    await workbench.button("Models").click();
    await dialog()
      .getByRole("button", { name: /Provider/ })
      .click();
    await page.getByRole("option", { name: /Another address/ }).click();
    await dialog().getByRole("textbox", { name: "Address" }).fill("https://10.0.0.7/v1");
    await dialog().getByLabel("Key, if it needs one").fill(KEY);
    await workbench.button("Add").click();
    await dialog().getByText('"url": "https://10.0.0.7/v1", "privateNetwork": true').waitFor();
    await shot("models-private");
    await dialog().getByRole("textbox", { name: "Address" }).fill(router.url);
    await workbench.button("Add").click();
    await dialog().getByText("300 models; the first 60 are shown").waitFor();
    await dialog()
      .getByRole("searchbox", { name: /Search the models/ })
      .fill("model-27 ");
    await dialog().getByText("maker/model-27 ").first().waitFor();
    await dialog().getByText("up to 128k tokens · $2 in, $10 out per million tokens").first().waitFor();
    await shot("models-list");
    expect(await serious()).toEqual([]);
    await dialog().getByRole("button", { name: "Use maker/model-27", exact: true }).click();
    await dialog().getByText("maker/model-27 (local) answers.").waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();
    // The same conversation, another model, and each answer names its own.
    router.add([say("From the router."), usage(1_000, 200)]);
    await workbench.tell("And now?");
    await articles("From the router.").getByText("≈ $0.004").waitFor();
    await articles("From the router.").getByRole("heading", { name: "maker/model-27 (local)" }).waitFor();
    await articles("It shows Rome.").getByRole("heading", { name: "qwen3:8b (ollama)" }).waitFor();
    // The other model's answers have no price.
    await page.getByText("at least $0.004").waitFor();
    expect(router.requests[0]?.headers["authorization"]).toBe(`Bearer ${KEY}`);
    const shown = await page.evaluate(
      () => document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }),
    );
    expect(shown).not.toContain(KEY);
    expect(await readFile(file, "utf8")).not.toContain(KEY);
  });

  it("keeps the model of a conversation across a reload, and other conversations theirs", async () => {
    await page.reload();
    await page
      .getByRole("button", {
        name: /maker\/model-27 \(local\).*The model that answers|The model that answers.*maker\/model-27/,
      })
      .waitFor();
    await workbench.newConversation();
    await workbench.chooseModel(/qwen3/);
    local.add(say("Local."));
    await workbench.tell("Hello");
    await articles("Local.").waitFor();
    await workbench.openConversation(/The weather in Rome/);
    router.add(say("Router again."));
    await workbench.tell("Still there?");
    await articles("Router again.").waitFor();
    expect(router.requests).toHaveLength(2);
  });

  it("takes instructions and a temperature for the conversation", async () => {
    await workbench.newConversation();
    await workbench.chooseModel(/qwen3/);
    await page.getByRole("button", { name: "Settings of this conversation" }).click();
    const settings = page.getByRole("dialog", { name: "Settings of this conversation" });
    await settings.getByLabel("Instructions for the model").fill("Answer in French.");
    await settings.getByLabel("Temperature, from 0 to 2").fill("3");
    await settings.getByText("Write a number from 0 to 2.").waitFor();
    await settings.getByLabel("Temperature, from 0 to 2").fill("0.3");
    await shot("models-settings");
    expect(await serious()).toEqual([]);
    await settings.getByRole("button", { name: "Save" }).click();
    await settings.waitFor({ state: "detached" });
    local.add(say("Bonjour."));
    await workbench.tell("Hello");
    await articles("Bonjour.").waitFor();
    const body = local.requests.at(-1)?.body;
    expect(body?.["temperature"]).toBe(0.3);
    expect(`${body?.messages[0]?.content}`).toMatch(/Answer in French\.$/);
    await page.getByRole("button", { name: "Settings of this conversation (changed)" }).waitFor();
  });

  it("removes a provider, with its key", async () => {
    await workbench.button("Models").click();
    await dialog()
      .getByRole("button", { name: /local 127\.0\.0\.1/ })
      .click();
    await dialog().getByText("Key stored").waitFor();
    await dialog().getByRole("button", { name: "Remove local" }).click();
    await dialog()
      .getByRole("button", { name: /local 127\.0\.0\.1/ })
      .waitFor({ state: "detached" });
    expect(await readFile(file, "utf8")).not.toContain("secret");
    await dialog().getByRole("button", { name: "Close" }).click();
  });

  it("fits into a phone, and complains about nothing", async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await workbench.button("Models").click();
    await dialog().getByText("Ollama", { exact: true }).waitFor();
    await shot("models-phone");
    const { scrollWidth, clientWidth } = await dialog().evaluate(
      ({ scrollWidth: scroll, clientWidth: client }) => ({
        scrollWidth: scroll,
        clientWidth: client,
      }),
    );
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    expect(workbench.complaints).toEqual([]);
  });
});
