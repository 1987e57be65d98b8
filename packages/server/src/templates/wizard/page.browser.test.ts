/** The wizard in a real browser: forward, back, reviewed, submitted. */

import { renderTemplate, type WizardConfig, wizard } from "@vitrine/server/templates";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failing, type ShownTemplate, TemplateStage } from "../../../../../testing/server/template-stage.ts";

let stage: TemplateStage;
beforeAll(async () => {
  stage = await TemplateStage.open();
});
afterAll(() => stage?.close());

const CONFIG: WizardConfig = {
  title: "New server",
  steps: [
    {
      title: "Name",
      description: "How people find it.",
      fields: [
        { name: "name", label: "Name", required: true, placeholder: "shop" },
        { name: "key", label: "Key", type: "password" },
      ],
    },
    {
      title: "Size",
      fields: [
        {
          name: "memory",
          label: "Memory",
          type: "select",
          options: [{ value: 4, label: "4 GiB" }],
          default: 4,
        },
        { name: "copies", label: "Copies", type: "number", minimum: 1, required: true },
        { name: "backup", label: "Back up every night", type: "checkbox" },
      ],
    },
  ],
  submitTool: "create",
  submitArgs: { region: "eu" },
  cancelable: true,
};
const html = (): string => renderTemplate(wizard, CONFIG);
const press = (app: ShownTemplate, name: string) =>
  app.view.getByRole("button", { name, exact: true }).click();
const label = (app: ShownTemplate, text: string) => app.view.getByLabel(text, { exact: false });
const heading = (app: ShownTemplate) => app.view.getByRole("heading", { level: 2 }).textContent();
const focused = (app: ShownTemplate) =>
  app.view.evaluate(() => document.activeElement?.getAttribute("name") ?? document.activeElement?.tagName);

async function fillIn(app: ShownTemplate): Promise<void> {
  await label(app, "Name").last().fill("shop");
  await label(app, "Key").fill("hunter2");
  await press(app, "Next");
  await label(app, "Copies").fill("3");
  await press(app, "Next");
}

describe("the wizard", () => {
  it("goes step by step, shows a review, and calls its tool", async () => {
    const says = { content: [{ type: "text" as const, text: "Created." }] };
    const app = await stage.show(html(), { tools: { create: () => says } });
    await fillIn(app);
    expect(await heading(app)).toBe("Is this right?");
    const rows = await app.view.locator("dl > div").allInnerTexts();
    expect(rows.map((row) => row.replace("\n", " "))).toEqual([
      "Name shop",
      "Key ••••••",
      "Memory 4 GiB",
      "Copies 3",
      "Back up every night No",
    ]);
    await press(app, "Submit");
    await expect.poll(() => app.view.locator("form [role=status]").textContent()).toBe("Created.");
    const values = { region: "eu", name: "shop", key: "hunter2", memory: 4, copies: 3, backup: false };
    expect(app.calls).toEqual([{ name: "create", arguments: values }]);
    const text = "Form submitted: name: shop, memory: 4 GiB, copies: 3, backup: No";
    await expect.poll(() => app.heard("message")).toMatchObject([{ content: [{ text }] }]);
    await app.close();
  });

  it("checks each step, announces it, and keeps the input on the way back", async () => {
    const app = await stage.show(html());
    const current = () => app.view.locator("[aria-current=step]").textContent();
    await press(app, "Next");
    expect([await current(), await focused(app)]).toEqual(["Name", "name"]);
    await label(app, "Name").last().fill("shop");
    await app.page.keyboard.press("Enter");
    expect([await current(), await focused(app)]).toEqual(["Size", "H2"]);
    await label(app, "Copies").fill("0");
    await press(app, "Next");
    expect(await focused(app)).toBe("copies");
    await press(app, "Back");
    expect([await current(), await label(app, "Name").last().inputValue()]).toEqual(["Name", "shop"]);
    await press(app, "Next");
    expect(await label(app, "Copies").inputValue()).toBe("0");
    await app.close();
  });

  it("goes back to the step with the tool's problem", async () => {
    const problems = { name: "There is one of that name." };
    const app = await stage.show(html(), {
      tools: { create: () => ({ ...failing("No."), _meta: { "vitrine/problems": problems } }) },
    });
    await fillIn(app);
    await press(app, "Submit");
    await expect.poll(() => heading(app)).toBe("Name");
    expect(await app.text()).toContain("There is one of that name.");
    expect([await focused(app), await app.view.getByRole("alert").textContent()]).toEqual(["name", "No."]);
    await app.close();
  });

  it("is filled by the model in all steps, and can be cancelled", async () => {
    const app = await stage.show(html());
    await app.partial({ name: "sho", copies: 2 });
    await expect.poll(() => label(app, "Name").last().inputValue()).toBe("sho");
    await press(app, "Next");
    expect(await label(app, "Copies").inputValue()).toBe("2");
    await press(app, "Cancel");
    await expect.poll(() => app.heard("message")).toMatchObject([{ content: [{ text: "Form cancelled" }] }]);
    expect(await app.text()).toBe("New server Cancelled.");
    await app.close();
  });

  it.each([
    ["light", 900, "en"],
    ["dark", 320, "ar"],
  ] as const)("is for everybody: %s, %i px, %s", async (theme, width, locale) => {
    const app = await stage.show(html(), { width, context: { theme, locale } });
    await label(app, "Name").last().fill("shop");
    await press(app, "Next");
    await app.expectAccessible();
    await app.expectNoOverflow();
    await label(app, "Copies").fill("3");
    await press(app, "Next");
    await app.expectAccessible();
    await app.close();
  });
});
