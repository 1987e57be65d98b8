/** The diff viewer in a real browser: both layouts, folds, copying, and accessibility. */

import { type DiffViewerConfig, diffViewer, renderTemplate } from "@vitrine/server/templates";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failing, type ShownTemplate, TemplateStage } from "../../../../../testing/server/template-stage.ts";

let stage: TemplateStage;
beforeAll(async () => {
  stage = await TemplateStage.open();
});
afterAll(() => stage?.close());

const html = (config: DiffViewerConfig = {}): string => renderTemplate(diffViewer, config);
/** Rows as drawn: numbers, sign and text of each cell. */
const rows = (app: ShownTemplate): Promise<string[]> =>
  app.view.locator("[role=row]").evaluateAll((all) =>
    all.map((row) =>
      [...row.querySelectorAll("[role=cell]")]
        .map((cell) =>
          [...cell.children]
            .map((part) => part.getAttribute("data-n") ?? part.textContent)
            .join(" ")
            .trim(),
        )
        .join(" | "),
    ),
  );

const filler = Array.from({ length: 20 }, (_, at) => `line ${at}`);
const OLD = ["const a = 1; // one", ...filler, "bye", "last"].join("\n");
const NEW = ["const a = 2; // one", "let b;", ...filler, "last"].join("\n");

describe("the diff viewer", () => {
  it("shows differences side by side, folds the rest, and opens it by keyboard", async () => {
    const app = await stage.show(html({ leftTitle: "v1", rightTitle: "v2" }), {
      data: { left: OLD, right: NEW },
      width: 900,
    });
    expect(await app.view.getByRole("columnheader").allTextContents()).toEqual(["v1", "v2"]);
    expect(await app.text()).toContain("+2 lines added −2 lines removed");
    const shown = await rows(app);
    expect(shown.slice(1, 4)).toEqual([
      "1 − Removed: const a = 1; // one | 1 + Added: const a = 2; // one",
      " | 2 + Added: let b;",
      "2   line 0 | 3   line 0",
    ]);
    expect(shown).toHaveLength(12);
    const fold = app.view.getByRole("button", { name: "14 unchanged lines" });
    await app.focus(fold);
    await app.page.keyboard.press("Enter");
    await expect.poll(() => rows(app)).toHaveLength(25);
    expect(await app.view.evaluate(() => document.activeElement?.textContent)).toBe("line 3line 3");
    // Opened folds stay open in the other mode.
    await app.view.getByRole("button", { name: "Unified" }).click();
    expect(await app.view.getByRole("button", { name: "Unified" }).getAttribute("aria-pressed")).toBe("true");
    expect(await app.view.getByRole("button", { name: "Split" }).getAttribute("aria-pressed")).toBe("false");
    const unified = await rows(app);
    expect(unified).toHaveLength(26);
    expect(unified.slice(1, 5)).toEqual([
      "1  − Removed: const a = 1; // one",
      "1 + Added: const a = 2; // one",
      "2 + Added: let b;",
      "2 3   line 0",
    ]);
    await app.close();
  });

  it("has no numbers or colours if switched off, and data is never markup", async () => {
    const evil = `<img src=x onerror="parent.x()"> return "</code><b>"`;
    const config = { viewMode: "unified", showLineNumbers: false, syntaxHighlight: false } as const;
    const app = await stage.show(html(config), { data: { original: "", modified: evil }, width: 900 });
    expect(await app.view.locator("code").allTextContents()).toEqual([`Added: ${evil}`]);
    expect(await app.view.locator("code span:not(.unseen), img, b").count()).toBe(0);
    expect(await app.view.locator(".at").count()).toBe(0);
    await app.close();
    const coloured = await stage.show(html(), { data: { original: "", modified: `${evil} // 1` } });
    const tokens = coloured.view.locator("code span:not(.unseen)");
    const classes = await tokens.evaluateAll((all) =>
      all.map((each) => `${each.className} ${each.textContent}`),
    );
    expect(classes).toEqual(['string "parent.x()"', "keyword return", 'string "</code><b>"', "comment // 1"]);
    expect(await coloured.view.locator(".at").count()).toBeGreaterThan(0);
    await coloured.close();
  });

  it("accepts known changes", async () => {
    const changes = [
      { value: "same\n", count: 1, lineNumber: 10 },
      { value: "old\nolder\n", removed: true, count: 2 },
      { value: "new\n", added: true, count: 1 },
    ];
    const app = await stage.show(html({ viewMode: "unified" }), { data: { left: "x", right: "y", changes } });
    expect((await rows(app)).slice(1)).toEqual([
      "10 10   same",
      "11  − Removed: old",
      "12  − Removed: older",
      "11 + Added: new",
    ]);
    await app.close();
  });

  it("copies only the text of the selected side", async () => {
    const app = await stage.show(html(), {
      data: { left: "top\nold\nend", right: "top\nnew\nend" },
      width: 900,
    });
    const cell = (text: string) => app.view.locator("[data-side=right] code", { hasText: text });
    const [from, to] = [await cell("top").boundingBox(), await cell("end").boundingBox()];
    if (!from || !to) throw new Error("nothing to select");
    await app.page.mouse.move(from.x + 1, from.y + 5);
    await app.page.mouse.down();
    await app.page.mouse.move(to.x + 60, to.y + 8, { steps: 4 });
    await app.page.mouse.up();
    const selected = await app.view.evaluate(() => getSelection()?.toString().split(/\s+/));
    expect(selected).toEqual(["top", "new", "end"]);
    await app.close();
  });

  it("stays fast with 5,000 lines a side that share little: only some are in the document", async () => {
    const lines = (of: string) =>
      Array.from({ length: 5000 }, (_, at) => (at % 3 ? `${of} ${at}` : "}")).join("\n");
    const app = await stage.show(html(), { data: { left: lines("old"), right: lines("new") }, width: 900 });
    await app.view.getByRole("button", { name: /Show more of/ }).click();
    await expect.poll(() => app.view.locator("[role=row]").count()).toBeGreaterThan(600);
    expect(await app.view.locator("[role=row]").count()).toBeLessThan(1510);
    await app.close();
  });

  it("shows a message if there is nothing to show, or an error", async () => {
    const same = await stage.show(html(), { data: { left: OLD, right: OLD } });
    await expect.poll(() => same.text()).toContain("No differences.");
    await same.close();
    const none = await stage.show(html(), { data: {} });
    await expect.poll(() => none.text()).toContain("Nothing to compare.");
    await none.close();
    const failed = await stage.show(html(), { result: failing("No such file.") });
    await expect.poll(() => failed.view.getByRole("alert").textContent()).toBe("No such file.");
    await failed.close();
  });

  it.each([
    ["light", 900, "en"],
    ["dark", 320, "ar"],
  ] as const)("is for everybody: %s, %i px, %s", async (theme, width, locale) => {
    const data = { left: OLD, right: `${NEW}\n${"long ".repeat(60)}"text" 12` };
    const app = await stage.show(html({ title: "Changes" }), { data, width, context: { theme, locale } });
    await app.view.getByRole("table").waitFor();
    await app.expectAccessible();
    await app.expectNoOverflow();
    // A split view needs a wide frame.
    expect(await app.view.getByRole("columnheader").count()).toBe(width === 900 ? 2 : 1);
    await app.close();
  });
});
