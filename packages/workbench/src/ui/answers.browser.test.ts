/**
 * The model in the built workbench: answers that fail, questions about its calls, messages for its next
 * turn, and highlighted search results.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GatewayStage } from "../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench, WorkbenchPage } from "../../../../testing/gateway/workbench-page.ts";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
  unauthorized,
  waitFor,
} from "../../../../testing/model/scripted-model.ts";
import { accessibilityProblems } from "../../../../testing/server/template-stage.ts";

let stage: GatewayStage;
let model: ScriptedModel;
let workbench: WorkbenchPage;
let page: Page;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-answers-"));
  model = await startScriptedModel();
  const script = fileURLToPath(new URL("../../../../testing/gateway/demo-server.mjs", import.meta.url));
  const server = { command: process.execPath, args: [script, folder], isolation: "process" };
  stage = await GatewayStage.open(
    {
      mcpServers: { demo: server },
      model: { use: "local/scripted", providers: { local: { url: model.url, models: ["scripted"] } } },
    },
    builtWorkbench(),
  );
  await stage.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  workbench = await WorkbenchPage.open(stage.context, stage.gateway.loginUrl());
  ({ page } = workbench);
});
afterAll(async () => {
  await stage?.close();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => workbench.newConversation());

const articles = (text: string | RegExp): Locator => page.getByRole("article").filter({ hasText: text });
const quiet = (): Promise<void> => workbench.button("Stop").waitFor({ state: "detached" });
const press = (name: string): Promise<void> => page.getByRole("button", { name, exact: true }).last().click();
const seriousProblems = async (): Promise<string[]> =>
  (await accessibilityProblems(page.mainFrame())).filter((each) => !/^(region|heading-order):/.test(each));
/** Screenshots for design work: `SHOTS=folder`. */
const shot = async (name: string): Promise<void> => {
  const to = process.env["SHOTS"];
  if (to) await page.screenshot({ path: join(to, `${name}.png`) });
};

describe("an answer that fails", () => {
  it("explains why once, and is retried in its place", async () => {
    model.add(unauthorized, say("Here I am."));
    await workbench.tell("Hello?");
    await quiet();
    await expect.poll(() => articles(/requires a key/).count()).toBe(1);
    await shot("failed");
    expect(await seriousProblems()).toEqual([]);
    await press("Retry");
    await articles("Here I am.").waitFor();
    await expect.poll(() => articles(/requires a key/).count()).toBe(0);
    expect(await articles("Hello?").count()).toBe(1);
  });

  it("lets the user rewrite the message: the old one and the failure disappear", async () => {
    model.add(unauthorized, say("Clearer."));
    await workbench.tell("Helo?");
    await quiet();
    await press("Edit the message");
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    await expect.poll(() => field.inputValue()).toBe("Helo?");
    await shot("editing");
    await field.fill("Hello, please.");
    await field.press("Enter");
    await articles("Clearer.").waitFor();
    expect(await articles("Helo?").count()).toBe(0);
    expect(await articles(/requires a key/).count()).toBe(0);
    const asked = model.requests.at(-1)?.body.messages.filter(({ role }) => role === "user");
    expect(asked).toHaveLength(1);
  });

  it("is copied, with the error", async () => {
    model.add(unauthorized);
    await workbench.tell("Hello?");
    await quiet();
    await press("Copy the answer");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /requires a key.*\(model-unauthorized\)/,
    );
  });

  it("that is empty is shown as such", async () => {
    model.add(say(""), say("Now."));
    await workbench.tell("Hello?");
    await articles("The answer is empty").waitFor();
    await shot("empty");
    await press("Retry");
    await articles("Now.").waitFor();
  });
});

describe("a call of the model", () => {
  it("waits for the user, shows that, and is asked about at the end of the conversation", async () => {
    model.add(say("A long story. ".repeat(400)), callTool("demo__change", {}), say("Changed."));
    await workbench.tell("Tell me much.");
    await quiet();
    await workbench.tell("Change it.");
    const question = page.getByRole("log").getByRole("alertdialog");
    await question.waitFor();
    await expect.poll(() => question.evaluate(isInSight)).toBe(true);
    await expect
      .poll(() => workbench.card("Change the notes").textContent())
      .toContain("Waiting for your answer");
    await expect.poll(() => workbench.card("Change the notes").textContent()).toContain("by the model");
    expect(await page.getByText("Waiting for the server").count()).toBe(0);
    await shot("question");
    await workbench.agree();
    await articles("Changed.").waitFor();
    await expect.poll(() => question.count()).toBe(0);
  });

  it("that was allowed for the session is listed among the permissions, in a sentence, and can be removed", async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Commands" }).getByRole("searchbox").fill("permissions");
    await page.getByRole("menuitem", { name: /^Permissions/ }).click();
    const list = page.getByRole("dialog", { name: "Permissions" });
    const line = list
      .getByRole("listitem")
      .filter({ hasText: "The model may use all ordinary tools of demo" });
    await line.getByText("for this session").waitFor();
    await line.getByRole("button", { name: /^Remove/ }).click();
    await list.getByText("You have allowed nothing for longer than once.").waitFor();
    await list.getByRole("button", { name: "Close" }).click();
  });

  it("whose arguments are not JSON opens no app, and blames the model", async () => {
    model.add(callTool("demo__show", "{text: Rome}"), say("Sorry."));
    await workbench.tell("Show it.");
    await articles("Sorry.").waitFor();
    const card = workbench.card("Demo");
    await expect.poll(() => card.textContent()).toMatch(/The model wrote arguments that are not valid JSON/);
    expect(await card.locator("mcp-app").count()).toBe(0);
    await shot("not-json");
  });

  it("whose arguments break off closes the app that was shown while they were written", async () => {
    let open = (): void => {};
    const seen = new Promise<void>((resolve) => {
      open = resolve;
    });
    model.add(
      [callTool("demo__show", '{"text":"Ro'), waitFor(seen), { do: "arguments", index: 0, text: "\n" }],
      say("Sorry."),
    );
    await workbench.tell("Show it.");
    await workbench.card("Demo").locator("mcp-app").waitFor();
    open();
    await articles("Sorry.").waitFor();
    await expect.poll(() => page.locator("mcp-app").count()).toBe(0);
    expect(await workbench.card("Demo").textContent()).not.toContain("Why is it blank");
  });
});

it("a message that waits for its turn is marked", async () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  model.add([say("One"), waitFor(opened)], say("Two"));
  await workbench.tell("First.");
  await articles("One").waitFor();
  await workbench.tell("Second.");
  await articles("Second.").getByText("queued").waitFor();
  await shot("queued");
  open();
  await articles("Two").waitFor();
  expect(await articles("Second.").getByText("queued").count()).toBe(0);
});

it("I06: a chip shows the changes since the model received it last, and disappears when the model has received them", async () => {
  model.add(callTool("demo__show", { text: "Rome" }), say("Shown."), say("I see."), say("I see that, too."));
  await workbench.tell("Show it.");
  await workbench.agreeUntil(articles("Shown.").first());
  const view = await workbench.appIn(workbench.lastApp);
  const put = (cart: object): Promise<unknown> =>
    view.evaluate(`app.updateModelContext({ structuredContent: ${JSON.stringify(cart)} })`);
  const chips = page.getByRole("region", { name: "Context of apps for the model" });
  await put({ cherries: 1, plums: 3 });
  await chips.getByRole("button", { name: /^Demo: \{"cherries":1/ }).waitFor();
  await workbench.tell("Look.");
  await articles("I see.").waitFor();
  await expect.poll(() => chips.count()).toBe(0);
  await put({ cherries: 2, plums: 3 });
  await chips.getByRole("button", { name: /^Demo: "cherries": 1 → "cherries": 2$/ }).click();
  const changes = page.getByRole("region", { name: "Changes since the model received it last" });
  await changes.waitFor();
  expect(await changes.locator("ins").allInnerTexts()).toEqual([expect.stringContaining('"cherries": 2')]);
  expect(await changes.locator("del").allInnerTexts()).toEqual([expect.stringContaining('"cherries": 1')]);
  await shot("chip");
  expect(await seriousProblems()).toEqual([]);
  await page.keyboard.press("Escape");
  await workbench.tell("Look again.");
  await articles("I see that, too.").waitFor();
  await expect.poll(() => chips.count()).toBe(0);
});

it("a search shows the words that it found, and their author", async () => {
  model.add(say("The abbey of Melk is above the Danube."));
  await workbench.tell("What can we visit on the way to Vienna?");
  await articles("abbey of Melk").waitFor();
  await quiet();
  await workbench.button("Conversations").click();
  const list = page.getByRole("dialog", { name: "Conversations" });
  await list.getByRole("searchbox", { name: "Search conversations" }).fill("DANUBE melk");
  const row = list.getByRole("button", { name: /^What can we visit/ });
  await expect.poll(() => row.textContent()).toMatch(/scripted.*: The abbey of Melk is above the Danube\./);
  await expect.poll(() => row.locator("mark").allInnerTexts()).toEqual(["Melk", "Danube"]);
  await shot("search");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
});

it("nothing is thrown in the page, and it keeps to its policy", () => {
  expect(workbench.complaints).toEqual([]);
});

function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= window.innerHeight;
}
