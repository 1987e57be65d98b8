/**
 * The built workbench with servers that show each of its screens: apps, failures, questions, and a server that does not start.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { LIMIT, sharedChromium } from "../browser.ts";
import { SetupStage } from "../gateway/setup-stage.ts";
import { builtWorkbench, WorkbenchPage } from "../gateway/workbench-page.ts";
import { type ScriptedModel, startScriptedModel } from "../model/scripted-model.ts";
import { freezePages } from "../pictures/frozen-page.ts";

const program = (path: string, ...args: string[]) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(path, import.meta.url)), ...args],
  isolation: "process",
});

/** A gateway on a settings file, a model, and a page that always looks the same. */
export class ScreensStage {
  readonly setup: SetupStage;
  readonly model: ScriptedModel;
  readonly context: BrowserContext;
  readonly workbench: WorkbenchPage;
  /** Where a server records its calls. */
  readonly #calls: string;

  private constructor(
    setup: SetupStage,
    model: ScriptedModel,
    context: BrowserContext,
    workbench: WorkbenchPage,
    calls: string,
  ) {
    this.#calls = calls;
    this.setup = setup;
    this.model = model;
    this.context = context;
    this.workbench = workbench;
  }

  static async open(): Promise<ScreensStage> {
    const calls = await mkdtemp(join(tmpdir(), "vitrine-screens-"));
    const model = await startScriptedModel();
    const text = JSON.stringify({
      mcpServers: {
        board: program("../../packages/cli/dist/demos/board.js"),
        lab: program("../../packages/cli/dist/demos/lab.js"),
        kinds: program("./kinds-server.mjs", calls),
        asking: program("../gateway/asking-v1-server.mjs"),
        everything: program("../gateway/whole-server.mjs", "legacy"),
        remote: { url: "https://mcp.example.com/mcp", disabled: true },
        broken: {
          command: process.execPath,
          args: ["-e", 'console.error("cannot find the recipes"); process.exit(3)'],
          isolation: "process",
        },
      },
      model: { use: "local/scripted", providers: { local: { url: model.url, models: ["scripted"] } } },
    });
    const nowhere = { Ollama: 1, "LM Studio": 1, "llama.cpp": 1, vLLM: 1 };
    const setup = await SetupStage.open({
      text,
      page: builtWorkbench(),
      detection: { timeout: 1_000, ports: nowhere },
    });
    const browser = await sharedChromium();
    const context = await browser.newContext({ locale: "en-US", colorScheme: "light" });
    context.setDefaultTimeout(LIMIT);
    await freezePages(context);
    const workbench = await WorkbenchPage.open(context, setup.gateway.loginUrl());
    return new ScreensStage(setup, model, context, workbench, calls);
  }

  get page(): Page {
    return this.workbench.page;
  }

  /** A dialog over the page. */
  get dialog(): Locator {
    return this.page.getByRole("dialog");
  }

  async close(): Promise<void> {
    await this.context.close();
    await this.setup.close();
    await this.model.close();
    await rm(this.#calls, { recursive: true, force: true });
  }
}
