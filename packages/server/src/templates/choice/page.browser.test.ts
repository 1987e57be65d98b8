/**
 * The choice in a real browser: by mouse and keyboard, single and multiple, to a tool and to the
 * conversation.
 */

import { type ChoiceConfig, choice, renderTemplate } from "@vitrine/server/templates";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failing, type ShownTemplate, TemplateStage } from "../../../../../testing/server/template-stage.ts";

let stage: TemplateStage;
beforeAll(async () => {
  stage = await TemplateStage.open();
});
afterAll(() => stage?.close());

const html = (config: ChoiceConfig = {}): string => renderTemplate(choice, config);
// By keyboard: a busy button takes no clicks, but can be pressed.
const submit = (app: ShownTemplate) => app.view.getByRole("button", { name: "Submit" }).press("Enter");
const status = (app: ShownTemplate) => app.view.locator("form [role=status]").textContent();

const PLANS: ChoiceConfig = {
  title: "Your plan",
  question: "Which plan do you want?",
  options: [
    { value: "basic", label: "Basic", description: "One server, and mails are answered within two days." },
    { value: 10, label: "Pro", description: "Ten servers, and someone to call." },
    { value: "none", label: "None for now" },
  ],
};

describe("the choice", () => {
  it("calls its tool with the typed value, once, and informs the model", async () => {
    const config = { ...PLANS, submitTool: "set-plan", submitArgs: { by: "person" }, argument: "plan" };
    const results = [
      failing("The shop is closed."),
      { content: [{ type: "text" as const, text: "Pro it is." }] },
    ];
    const app = await stage.show(html(config), {
      tools: { "set-plan": () => results.shift() ?? failing("again?") },
    });
    await app.view.getByRole("group", { name: "Which plan do you want?" }).waitFor();
    await submit(app);
    expect(await app.view.getByRole("alert").textContent()).toBe("Choose one.");
    // By keyboard: the first has the focus, the arrow goes to the second.
    await app.page.keyboard.press("ArrowDown");
    await app.page.keyboard.press("Enter");
    await expect.poll(() => app.view.getByRole("alert").textContent()).toBe("The shop is closed.");
    await submit(app);
    await expect.poll(() => status(app)).toBe("Pro it is.");
    await submit(app);
    // It is not submitted again.
    expect(await status(app)).toBe("Pro it is.");
    expect(await app.view.getByRole("radio", { name: "Basic" }).isDisabled()).toBe(true);
    const call = { name: "set-plan", arguments: { by: "person", plan: 10 } };
    await expect.poll(() => app.heard("model-context")).toMatchObject([{ structuredContent: { plan: 10 } }]);
    expect(app.calls).toEqual([call, call]);
    await app.close();
  });

  it("accepts several values, and sends a message without a tool", async () => {
    const app = await stage.show(html({ ...PLANS, multiple: true }));
    await app.view.getByRole("checkbox", { name: "Basic" }).check();
    await app.view.getByRole("checkbox", { name: "None" }).check();
    await submit(app);
    await submit(app);
    await expect.poll(() => status(app)).toBe("Chosen: Basic, None for now");
    const text = "Which plan do you want? Basic, None for now";
    await expect.poll(() => app.heard("message")).toMatchObject([{ content: [{ text }] }]);
    await app.close();
  });

  it("sends one message, however often it is pressed before the answer", async () => {
    const app = await stage.show(html(PLANS));
    await app.view.getByRole("radio", { name: "Basic" }).check();
    const button = app.view.getByRole("button", { name: "Submit" });
    // In one task, so that no answer comes in between.
    await button.evaluate((it: HTMLElement) => [it.click(), it.click()]);
    await expect.poll(() => status(app)).toBe("Chosen: Basic");
    expect(await app.heard("message")).toHaveLength(1);
    await app.close();
  });

  it("passes a list for multiple choice, whatever its length", async () => {
    const app = await stage.show(html({ multiple: true, submitTool: "pick" }), {
      data: { question: "What?", options: ["a", 2] },
      tools: { pick: () => ({ content: [] }) },
    });
    await app.view.getByRole("checkbox", { name: "2" }).check();
    await submit(app);
    await expect.poll(() => status(app)).toBe("Chosen: 2");
    expect(app.calls).toEqual([{ name: "pick", arguments: { choice: [2] } }]);
    await app.close();
  });

  it("is filled while the model writes, and keeps the choice", async () => {
    const app = await stage.show(html());
    await app.partial({ question: "Where to?", options: ["Berne", "Ro"] });
    await app.view.getByRole("radio", { name: "Berne" }).check();
    // More options may follow.
    expect(await app.view.getByRole("button", { name: "Submit" }).getAttribute("aria-disabled")).toBe("true");
    await app.view.getByRole("button", { name: "Submit" }).click({ force: true });
    await app.input({ question: "Where to?", options: ["Berne", "Rome"] });
    await app.view.getByRole("radio", { name: "Rome" }).waitFor();
    expect(await app.view.getByRole("radio", { name: "Berne" }).isChecked()).toBe(true);
    await app.result({ content: [{ type: "text", text: "Asked." }] });
    await expect.poll(() => app.text()).not.toContain("Working");
    expect(await app.view.getByRole("radio").count()).toBe(2);
    expect(await app.heard("message")).toEqual([]);
    await submit(app);
    await expect.poll(() => status(app)).toBe("Chosen: Berne");
    expect(await app.heard("message")).toHaveLength(1);
    await app.close();
  });

  it("is submitted once, even if its own tool answers meanwhile", async () => {
    let answer = (): void => {};
    const taken = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const app = await stage.show(html({ submitTool: "pick" }), {
      tools: { pick: () => taken.then(() => ({ content: [] })) },
    });
    await app.input({ options: ["Berne", "Rome"] });
    await app.view.getByRole("radio", { name: "Rome" }).check();
    await submit(app);
    await expect.poll(() => app.calls.length).toBe(1);
    await app.result({ content: [{ type: "text", text: "Asked." }] });
    await expect.poll(() => app.text()).not.toContain("Working");
    const button = app.view.getByRole("button", { name: "Submit" });
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await button.click({ force: true });
    answer();
    await expect.poll(() => status(app)).toBe("Chosen: Rome");
    expect(app.calls).toHaveLength(1);
    await app.close();
  });

  it("says that there is nothing to choose from", async () => {
    const app = await stage.show(html(), { data: { options: [] } });
    await expect.poll(() => app.text()).toBe("Choice There is nothing to choose from.");
    await app.close();
  });

  it.each([
    ["light", 900, "en"],
    ["dark", 320, "ar"],
  ] as const)("is for everybody: %s, %i px, %s", async (theme, width, locale) => {
    const app = await stage.show(html(PLANS), { width, context: { theme, locale } });
    await app.view.getByRole("radio", { name: "Pro" }).check();
    await app.expectAccessible();
    await submit(app);
    await app.expectAccessible();
    await app.expectNoOverflow();
    await app.close();
  });
});
