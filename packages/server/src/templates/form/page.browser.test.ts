/** The form in a real browser: filled by a model and by a user, checked, submitted, cancelled. */

import { type FormConfig, form, renderTemplate } from "@vitrine/server/templates";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failing, type ShownTemplate, TemplateStage } from "../../../../../testing/server/template-stage.ts";

let stage: TemplateStage;
beforeAll(async () => {
  stage = await TemplateStage.open();
});
afterAll(() => stage?.close());

const html = (config: FormConfig = {}): string => renderTemplate(form, config);
const said = (text: string) => ({ content: [{ type: "text" as const, text }] });
const submit = (app: ShownTemplate) => app.view.getByRole("button", { name: "Submit" }).click();
const focused = (app: ShownTemplate) =>
  app.view.evaluate(() => document.activeElement?.getAttribute("name") ?? document.activeElement?.tagName);

const JOIN: FormConfig = {
  title: "Join us",
  description: "It takes a minute.",
  fields: [
    { name: "name", label: "Your name", required: true, placeholder: "Ada Lovelace" },
    { name: "email", type: "email", label: "E-mail", required: true, description: "We never share it." },
    { name: "password", type: "password", required: true },
    { name: "age", type: "number", minimum: 18, maximum: 120 },
    { name: "start", type: "date", default: "2026-05-01" },
    {
      name: "plan",
      type: "select",
      options: [
        { value: "b", label: "Basic" },
        { value: 2, label: "Pro" },
      ],
    },
    { name: "about", type: "textarea" },
    { name: "news", type: "checkbox", label: "Send me news", default: false },
    { name: "terms", type: "checkbox", label: "I agree", required: true },
  ],
  submitTool: "join",
  submitArgs: { source: "form" },
  cancelable: true,
};
const label = (app: ShownTemplate, text: string) => app.view.getByLabel(text, { exact: false });

async function fillIn(app: ShownTemplate): Promise<void> {
  await label(app, "Your name").fill("Ada");
  await label(app, "E-mail").fill("ada@example.com");
  await label(app, "password").fill("hunter2");
  await label(app, "age").fill("36");
  await label(app, "plan").selectOption("Pro");
  await label(app, "I agree").check();
}

describe("the form", () => {
  it('checks a box whose default is the string "true", but not "false"', async () => {
    const fields = [
      { name: "on", type: "checkbox", default: "true" },
      { name: "off", type: "checkbox", default: "false" },
    ] as const;
    const app = await stage.show(renderTemplate(form, { fields, submitTool: "join" }), { input: {} });
    await expect.poll(() => label(app, "on").isChecked()).toBe(true);
    expect(await label(app, "off").isChecked()).toBe(false);
    await app.close();
  });

  it("calls its tool with typed values, informs the model and the conversation, and never reveals a password", async () => {
    const app = await stage.show(html(JOIN), { tools: { join: () => said("Welcome, Ada.") } });
    await fillIn(app);
    await submit(app);
    await expect.poll(() => app.heard("message")).toHaveLength(1);
    expect(app.calls).toEqual([
      {
        name: "join",
        arguments: {
          source: "form",
          name: "Ada",
          email: "ada@example.com",
          password: "hunter2",
          age: 36,
          start: "2026-05-01",
          plan: 2,
          news: false,
          terms: true,
        },
      },
    ]);
    expect(await app.view.locator("form [role=status]").textContent()).toBe("Welcome, Ada.");
    const words =
      "name: Ada, email: ada@example.com, age: 36, start: 2026-05-01, plan: Pro, news: No, terms: Yes";
    expect(await app.heard("message")).toMatchObject([{ content: [{ text: `Form submitted: ${words}` }] }]);
    const [context] = await app.heard("model-context");
    expect(context).toMatchObject({ structuredContent: { name: "Ada", age: 36, plan: 2, news: false } });
    expect(JSON.stringify(context)).toContain("join answered: Welcome, Ada.");
    expect(JSON.stringify(context)).not.toContain("hunter2");
    await app.close();
  });

  it("sends one message, however often it is pressed before the answer, and can send again later", async () => {
    const app = await stage.show(html({ fields: [{ name: "city", default: "Berne" }] }));
    const button = app.view.getByRole("button", { name: "Submit" });
    // In one task, so that no answer comes in between.
    await button.evaluate((it: HTMLElement) => [it.click(), it.click()]);
    await expect.poll(() => app.view.locator("form [role=status]").textContent()).toBe("Sent.");
    expect(await app.heard("message")).toMatchObject([
      { content: [{ text: "Form submitted: city: Berne" }] },
    ]);
    await submit(app);
    await expect.poll(() => app.heard("message")).toHaveLength(2);
    await app.close();
  });

  it("shows the problem of each field, focuses the first, and calls nothing", async () => {
    const app = await stage.show(html(JOIN), { tools: { join: () => said("Welcome.") } });
    await label(app, "E-mail").fill("ada");
    await label(app, "age").fill("17");
    await submit(app);
    const invalid = () =>
      app.view
        .locator("[aria-invalid=true]")
        .evaluateAll((all) => all.map((each) => each.getAttribute("name")));
    expect(await invalid()).toEqual(["name", "email", "password", "age", "terms"]);
    expect(await focused(app)).toBe("name");
    const problem = async (name: string): Promise<string> =>
      app.view.getByLabel(name).evaluate((control) =>
        (control.getAttribute("aria-describedby") ?? "")
          .split(" ")
          .map((id) => document.getElementById(id)?.textContent)
          .join(" | "),
      );
    expect(await problem("E-mail")).toMatch(/^We never share it\. \| .*@/);
    expect(await problem("age")).toContain("18");
    await label(app, "Your name").fill("Ada");
    expect(await invalid()).toEqual(["email", "password", "age", "terms"]);
    expect(app.calls).toEqual([]);
    await app.close();
  });

  it("submits once at a time, shows progress, and shows the tool's problems at their fields", async () => {
    let answer: (result: ReturnType<typeof failing>) => void = () => {};
    const app = await stage.show(html({ fields: [{ name: "count", type: "number" }, { name: "address" }] }), {
      tool: { name: "order", inputSchema: { type: "object" } },
      tools: { order: () => new Promise((resolve) => (answer = resolve)) },
    });
    await label(app, "count").fill("12");
    await label(app, "count").press("Enter");
    await expect.poll(() => app.calls).toHaveLength(1);
    expect(await app.text()).toContain("Sending …");
    await label(app, "count").press("Enter");
    const problems = { "address.city": "Which city?", count: "There are 10 left." };
    answer({ ...failing("The input is wrong."), _meta: { "vitrine/problems": problems } });
    await expect.poll(() => app.view.getByRole("alert").textContent()).toBe("The input is wrong.");
    expect(await app.text()).toMatch(/There are 10 left\. address Which city\?/);
    expect(await focused(app)).toBe("count");
    expect(await app.text()).not.toContain("Sending");
    expect(app.calls).toEqual([{ name: "order", arguments: { count: 12 } }]);
    expect(await app.heard("message")).toEqual([]);
    await app.close();
  });

  it("is derived from its tool's schema, and filled by the model, except where the user has typed", async () => {
    const app = await stage.show(html(), {
      tool: {
        name: "order",
        inputSchema: {
          type: "object",
          properties: {
            city: { type: "string", description: "Where to?" },
            size: { enum: [1, 2, 3] },
            count: { type: "integer", minimum: 1 },
            gift: { type: "boolean" },
            tags: { type: "array", items: { type: "string" } },
            more: { type: "object" },
          },
          required: ["city", "gift"],
        },
      },
      tools: { order: () => said("Ordered.") },
    });
    await app.partial({ city: "Ber", count: 1 });
    await expect.poll(() => label(app, "City").inputValue()).toBe("Ber");
    await label(app, "City").fill("Rome");
    await app.input({ city: "Berne", size: 2, count: 3, gift: true, tags: ["a", "b"], more: { x: 1 } });
    await expect.poll(() => label(app, "Count").inputValue()).toBe("3");
    await label(app, "More").fill("{");
    await submit(app);
    expect(await focused(app)).toBe("more");
    await label(app, "More").fill('{"x":2}');
    await submit(app);
    await expect.poll(() => app.calls).toHaveLength(1);
    const values = { city: "Rome", size: 2, count: 3, gift: true, tags: ["a", "b"], more: { x: 2 } };
    expect(app.calls).toEqual([{ name: "order", arguments: values }]);
    await expect.poll(() => app.heard("message")).toHaveLength(1);
    await app.close();
  });

  it("shows the result of its own tool, and its problems; and says when there is nothing to fill in", async () => {
    const tool = {
      name: "order",
      inputSchema: { type: "object" as const, properties: { city: { type: "string" } } },
    };
    const result = { content: [{ type: "text" as const, text: "Ordered 3." }], structuredContent: { id: 7 } };
    const app = await stage.show(html(), { tool, result });
    await expect.poll(() => app.view.locator("form [role=status]").textContent()).toBe("Ordered 3.");
    await app.close();
    const problems = { city: "No such city." };
    const refused = await stage.show(html(), {
      tool,
      result: { ...failing("No."), _meta: { "vitrine/problems": problems } },
    });
    await expect.poll(() => refused.text()).toContain("City No such city.");
    await refused.close();
    const empty = await stage.show(html());
    await expect.poll(() => empty.text()).toContain("There is nothing to fill in.");
    await empty.close();
  });

  it("can be cancelled, if configured", async () => {
    const app = await stage.show(html(JOIN));
    await app.view.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => app.heard("message")).toMatchObject([{ content: [{ text: "Form cancelled" }] }]);
    expect(await app.text()).toBe("Join us Cancelled.");
    await app.close();
  });

  it.each([
    ["light", 900, "en"],
    ["dark", 320, "ar"],
  ] as const)("is for everybody: %s, %i px, %s", async (theme, width, locale) => {
    const app = await stage.show(html(JOIN), { width, context: { theme, locale } });
    await label(app, "Your name").fill("Ada");
    await submit(app);
    await app.expectAccessible();
    await app.expectNoOverflow();
    await app.close();
  });
});
