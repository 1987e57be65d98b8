/**
 * Questions of servers in the built workbench: when an answer counts, and what other pages show (attack C21).
 */
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { GatewayStage } from "../../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench, WorkbenchPage } from "../../../../../testing/gateway/workbench-page.ts";
import { type ScriptedModel, say, startScriptedModel } from "../../../../../testing/model/scripted-model.ts";

const ASKING = fileURLToPath(new URL("../../../../../testing/gateway/asking-v1-server.mjs", import.meta.url));

let stage: GatewayStage;
let model: ScriptedModel;
let workbench: WorkbenchPage;
let page: Page;
beforeAll(async () => {
  model = await startScriptedModel();
  stage = await GatewayStage.open(
    {
      mcpServers: { asking: { command: process.execPath, args: [ASKING] } },
      model: { use: "local/scripted", providers: { local: { url: model.url, models: ["scripted"] } } },
    },
    builtWorkbench(),
  );
  workbench = await WorkbenchPage.open(stage.context, stage.gateway.loginUrl());
  ({ page } = workbench);
  await page.getByRole("listbox", { name: "Tools of asking", exact: true }).waitFor();
});
afterAll(async () => {
  await stage?.close();
  await model?.close();
});
beforeEach(async () => {
  await page.evaluate(() => Reflect.deleteProperty(performance, "now"));
  await workbench.newConversation();
});

/** Calls a tool of the server manually. */
const call = async (tool: string, input: object): Promise<void> => {
  const message = page.getByRole("textbox", { name: "Message", exact: true });
  await message.fill(`/asking ${tool} ${JSON.stringify(input)}`);
  // The result may already cover the field when the key is released.
  await message.press("Enter");
};
const ask = (method: string, params: object): Promise<void> => call("ask", { method, params });
const dialog = (): Locator => page.getByRole("alertdialog");
const button = (name: string): Locator => dialog().getByRole("button", { name, exact: true });
const answered = (text: string | RegExp): Promise<void> =>
  workbench.card("ask").getByText(text).first().waitFor();
/** Stops the clock when a question appears: however slow the machine, an answer is too soon. */
const stopClock = (): Promise<void> =>
  page.evaluate(() => {
    const watch = new MutationObserver(() => {
      if (!document.querySelector("[role=alertdialog]")) return;
      watch.disconnect();
      const now = performance.now();
      performance.now = () => now;
    });
    watch.observe(document.body, { childList: true, subtree: true });
  });

const sampling = {
  messages: [{ role: "user", content: { type: "text", text: "Name a fruit" } }],
  maxTokens: 100,
};
const form = {
  mode: "form",
  message: "Where to?",
  requestedSchema: { type: "object", properties: { city: { type: "string", title: "City" } } },
};
const url = "https://accounts.example.com/login";
const away = { mode: "url", message: "Sign in", url, elicitationId: "e1" };

it.each([
  ["sampling/createMessage", sampling, "Allow", "Deny", /denied|reject|no/i],
  ["elicitation/create", form, "Answer", "Decline", /decline/],
  ["elicitation/create", away, "Open accounts.example.com", "Cancel", /cancel/],
])(
  "attack C21: %s is agreed to when it was seen for a moment, and not before",
  async (method, params, yes, no, end) => {
    await stopClock();
    await ask(method, params);
    await dialog().waitFor();
    expect(await button(yes).getAttribute("aria-disabled")).toBe("true");
    expect(await button(yes).evaluate((shown) => getComputedStyle(shown).opacity)).toBe("0.5");
    await button(yes).click({ force: true });
    await button(yes).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Space");
    expect(await dialog().count()).toBe(1);
    // An unintended no does no harm.
    await button(no).click();
    await answered(end);
    expect(page.context().pages()).toHaveLength(1);
    expect(model.requests).toHaveLength(0);
  },
);

it("attack C21: text that was being typed when a form appeared does not answer it", async () => {
  await stopClock();
  await ask("elicitation/create", form);
  await dialog().getByRole("textbox", { name: "City" }).fill("Berne");
  await page.keyboard.press("Enter");
  expect(await dialog().count()).toBe(1);
  // The control: when time passes, the same key answers.
  await page.evaluate(() => Reflect.deleteProperty(performance, "now"));
  await expect.poll(() => button("Answer").getAttribute("aria-disabled")).toBe("false");
  await dialog().getByRole("textbox", { name: "City" }).press("Enter");
  await answered(/Berne/);
});

it("attack C21: a script's press approves nothing, and a user's does", async () => {
  model.add(say("A leek."));
  await ask("sampling/createMessage", sampling);
  await expect.poll(() => button("Allow").getAttribute("aria-disabled")).toBe("false");
  await button("Allow").evaluate((shown: HTMLElement) => shown.click());
  expect(await dialog().count()).toBe(1);
  await button("Allow").click();
  await answered(/A leek\./);
});

it("a server reports that it is done with the page that it sent the user to, and the workbench shows that", async () => {
  await ask("elicitation/create", away);
  await button("Open accounts.example.com").click();
  await answered(/accept/);
  for (const each of page.context().pages()) if (each !== page) await each.close();
  const line = page.getByRole("status").filter({ hasText: "accounts.example.com" });
  await line.getByText(/is open in another tab/).waitFor();
  await call("complete", { elicitationId: "e1" });
  await line
    .getByText(/Done: the server asking has received what it needs from accounts\.example\.com/)
    .waitFor();
  await line.getByRole("button", { name: "OK" }).click();
  await expect.poll(() => line.count()).toBe(0);
});
