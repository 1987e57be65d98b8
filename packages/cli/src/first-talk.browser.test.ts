/** A first visit, from the printed link to a conversation with a local model about an app of an added server. */
import { mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { LIMIT, sharedChromium } from "../../../testing/browser.ts";
import { inPseudoTerminal, type PseudoTerminal } from "../../../testing/cli/pseudo-terminal.ts";
import { officialServer } from "../../../testing/gateway/gateway-stage.ts";
import { WorkbenchPage } from "../../../testing/gateway/workbench-page.ts";
import { llamaCpp, ollama, vllm } from "../../../testing/model/local-documents.ts";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
} from "../../../testing/model/scripted-model.ts";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/** Programs at the ports where the page looks for them: another one may run on this machine. */
const PROGRAMS = [
  { name: "first-talk", port: 11434, documents: ollama("first-talk") },
  { name: "qwen3-8b", port: 8080, documents: llamaCpp },
  { name: "Qwen/Qwen3-8B", port: 8000, documents: vllm },
];

let home = "";
let browser: Browser;
let vitrine: PseudoTerminal;
let model: ScriptedModel;
let modelName = "";

beforeAll(async () => {
  for (const { name, port, documents } of PROGRAMS) {
    const started = await startScriptedModel([], { ...documents, port }).catch(() => undefined);
    if (!started) continue;
    model = started;
    modelName = name;
    break;
  }
  home = await realpath(await mkdtemp(join(tmpdir(), "vitrine-first-")));
  browser = await sharedChromium();
  vitrine = inPseudoTerminal([process.execPath, MAIN, "--no-open", "--port", "0"], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1" },
  });
}, LIMIT);
afterAll(async () => {
  await browser?.close();
  vitrine?.type("\u0003");
  await vitrine?.code;
  await model?.close();
  await rm(home, { recursive: true, force: true });
}, LIMIT);

const article = (page: Page, text: string): Locator => page.getByRole("article").filter({ hasText: text });

it("somebody adds a model and a server, asks, uses the app, and asks about it", {
  timeout: 180_000,
}, async () => {
  const link = await vi.waitFor(() => {
    const [found] = /http:\/\/\S+/.exec(vitrine.shown()) ?? [];
    if (found === undefined) throw new Error(`no link: ${vitrine.shown()}`);
    return found;
  }, LIMIT);
  const workbench = await WorkbenchPage.open(await browser.newContext(), link, "");
  const { page } = workbench;
  await workbench.button("Skip the tour").click();

  await workbench.button("Choose a model").click();
  const use = workbench.button(`Use ${modelName}`);
  const again = workbench.button("Look again");
  // The page waits half a second for a program. A busy machine takes longer.
  await expect
    .poll(
      async () => {
        if (await again.isVisible()) await again.click();
        return use.isVisible();
      },
      { timeout: LIMIT, interval: 3_000 },
    )
    .toBe(true);
  await use.click();
  const dialog = page.getByRole("dialog");
  await page.getByText(/^Write below: .* answers/).waitFor();

  // A command that ends at once is a problem in sight.
  await add("node no-such-folder/dist/index.js");
  await page.getByText(/^no-such-folder could not be started: .* Details are under Tools\.$/).waitFor();

  // A relative path starts where Vitrine was started, and not beside the settings file.
  await symlink(dirname(dirname(officialServer("budget-allocator"))), join(home, "server-budget-allocator"));
  await add("node server-budget-allocator/dist/index.js --stdio");
  await page.getByText("server-budget-allocator is ready: Get Budget Data. Write below").waitFor();

  model.add(callTool("server-budget-allocator__get-budget-data", {}), say("Here is your budget."));
  await workbench.tell("Show me a budget");
  await workbench.agreeUntil(article(page, "Here is your budget."));
  const view = await workbench.appIn(workbench.lastApp);
  await view.getByText("Allocated: $100,000 / $100,000").waitFor();
  await view.getByRole("combobox").first().selectOption("50000");
  await view.getByText("Allocated: $50,000 / $50,000").waitFor();

  model.add(callTool("app_1__get-allocations", {}), ({ body }) =>
    say(/50,?000/.test(JSON.stringify(body.messages.at(-1)?.content)) ? "It is half now." : "No idea."),
  );
  await workbench.tell("How large is it now?");
  await workbench.agreeUntil(article(page, "It is half now."));
  expect(workbench.complaints).toEqual([]);

  async function add(command: string): Promise<void> {
    const before = vitrine.shown().length;
    await workbench.button("Add a server").click();
    await dialog.getByRole("tab", { name: "Command", exact: true }).click();
    await dialog.getByText(`Paths such as ./server.js start in ${home}.`).waitFor();
    await dialog.getByRole("textbox", { name: "Command", exact: true }).fill(command);
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await expect.poll(() => vitrine.shown().slice(before), { timeout: LIMIT }).toMatch(/\[y\/N\] $/);
    vitrine.type("y\n");
    await dialog.waitFor({ state: "detached" });
  }
});
