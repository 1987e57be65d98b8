/** The detail card in a real browser: its contents and its buttons. */

import { type DetailConfig, detail, renderTemplate } from "@vitrine/server/templates";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  failing,
  giving,
  type ShownTemplate,
  TemplateStage,
} from "../../../../../testing/server/template-stage.ts";

let stage: TemplateStage;
beforeAll(async () => {
  stage = await TemplateStage.open();
});
afterAll(() => stage?.close());

const html = (config: DetailConfig = {}): string => renderTemplate(detail, config);
const pairs = (app: ShownTemplate): Promise<string[]> =>
  app.view
    .locator("dl > div")
    .evaluateAll((all) => all.map((each) => [...each.children].map((part) => part.textContent).join(": ")));

const PARCEL = {
  id: 4711,
  to: "<b>Ada</b>",
  due: "2026-03-01",
  paid: false,
  weight: 1234.5,
  note: null,
  site: "https://example.com/4711",
  tags: ["fragile", "cold"],
  sender: { name: "Grace", address: { town: "Berne" } },
  stops: [{ town: "Rome" }, { town: "Oslo" }],
};

describe("the detail card", () => {
  it("displays values by type, records as sections and lists as lists", async () => {
    const app = await stage.show(html(), { data: [PARCEL], context: { locale: "de-DE" } });
    await app.view.locator("dl").first().waitFor();
    expect(await pairs(app)).toEqual([
      "id: 4.711",
      "to: <b>Ada</b>",
      "due: 01.03.2026",
      "paid: No",
      "weight: 1.234,5",
      "note: —",
      "site: https://example.com/4711",
      "tags: fragilecold",
      "name: Grace",
      "town: Berne",
      "town: Rome",
      "town: Oslo",
    ]);
    expect(await app.view.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["sender", "stops"]);
    expect(await app.view.getByRole("heading", { level: 3 }).allTextContents()).toEqual(["address"]);
    expect(await app.view.locator("dd li").allTextContents()).toEqual(["fragile", "cold"]);
    await app.view.locator("a").click();
    await expect.poll(() => app.heard("open-link")).toMatchObject([{ url: "https://example.com/4711" }]);
    await app.close();
  });

  it("shows the configured fields, in their order and types", async () => {
    const fields = [
      { key: "weight", label: "Grams", type: "text" as const },
      { key: "tags", type: "badge" as const },
      { key: "missing" },
      { key: "to", type: "link" as const },
    ];
    const app = await stage.show(html({ fields }), { data: PARCEL });
    await app.view.locator("dl").waitFor();
    expect(await pairs(app)).toEqual(["Grams: 1234.5", "tags: fragilecold", "missing: —", "to: <b>Ada</b>"]);
    expect(await app.view.locator(".badge").allTextContents()).toEqual(["fragile", "cold"]);
    expect(await app.view.locator("a, section, button").count()).toBe(0);
    await app.close();
  });

  it("calls a tool with fields of the record, once at a time, and shows the returned record", async () => {
    let answer: (() => void) | undefined;
    const waiting = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const args = { id: "{id}", deep: { tags: ["{tags}", "x{id}"] }, no: "{no}", keep: false };
    const app = await stage.show(html({ actions: [{ label: "Pay", tool: "pay", args, style: "main" }] }), {
      data: PARCEL,
      tools: {
        pay: async () => {
          await waiting;
          return giving({ ...PARCEL, paid: true });
        },
      },
    });
    const button = app.view.getByRole("button", { name: "Pay" });
    await app.focus(button);
    await app.page.keyboard.press("Enter");
    await expect.poll(() => app.text()).toContain("Pay …");
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await app.page.keyboard.press("Enter");
    answer?.();
    await expect.poll(() => pairs(app)).toContain("paid: Yes");
    await expect.poll(() => app.view.getByRole("status").textContent()).toBe("done");
    const sent = { id: 4711, deep: { tags: [["fragile", "cold"], "x{id}"] }, keep: false };
    expect(app.calls).toEqual([{ name: "pay", arguments: sent }]);
    expect(await button.evaluate((each) => each === document.activeElement)).toBe(true);
    await expect.poll(() => app.heard("model-context")).toHaveLength(1);
    await app.close();
  });

  it("asks for confirmation, takes Escape for no, and shows errors", async () => {
    const action = { label: "Return", tool: "return", confirm: "Send it back?", style: "danger" as const };
    const app = await stage.show(html({ actions: [action, { label: "Other", tool: "other" }] }), {
      data: PARCEL,
      tools: { return: () => failing("It is gone."), other: () => giving({ id: 1 }) },
    });
    const button = app.view.getByRole("button", { name: "Return" });
    await button.click();
    await app.view.getByRole("alertdialog", { name: "Send it back?" }).waitFor();
    expect(await app.view.evaluate(() => document.activeElement?.textContent)).toBe("Cancel");
    await app.page.keyboard.press("Escape");
    await app.view.getByRole("button", { name: "Other" }).waitFor();
    expect(await app.view.evaluate(() => document.activeElement?.textContent)).toBe("Return");
    expect(app.calls).toEqual([]);
    await button.click();
    await app.view.getByRole("alertdialog").getByRole("button", { name: "Return" }).click();
    await expect.poll(() => app.view.getByRole("alert").textContent()).toBe("It is gone.");
    // Data of another record does not replace this one.
    await app.view.getByRole("button", { name: "Other" }).click();
    await expect.poll(() => app.view.getByRole("status").textContent()).toBe("done");
    expect(await pairs(app)).toContain("to: <b>Ada</b>");
    await app.close();
  });

  it("shows a message if there is nothing to show, and plain text as it is", async () => {
    const empty = await stage.show(html(), { data: [] });
    await expect.poll(() => empty.text()).toContain("Nothing to show.");
    await empty.close();
    const text = await stage.show(html(), {
      result: { content: [{ type: "text", text: "Just <i>words</i>" }] },
    });
    await expect.poll(() => text.text()).toContain("Just <i>words</i>");
    await text.close();
  });

  it.each([
    ["light", 900, "en"],
    ["dark", 320, "ar"],
  ] as const)("is for everybody: %s, %i px, %s", async (theme, width, locale) => {
    const actions = [
      { label: "Pay", tool: "pay", style: "main" as const },
      { label: "Return", tool: "return", style: "danger" as const, confirm: "Send it back?" },
    ];
    const data = { ...PARCEL, long: "x".repeat(400) };
    const app = await stage.show(html({ title: "Parcel", actions }), {
      data,
      width,
      context: { theme, locale },
    });
    await app.view.locator("dl").first().waitFor();
    await app.expectAccessible();
    await app.view.getByRole("button", { name: "Return" }).click();
    await app.expectAccessible();
    await app.expectNoOverflow();
    await app.close();
  });
});
