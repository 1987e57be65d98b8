/** The chart in a real browser: its drawing, and its texts. */

import { type ChartConfig, chart, renderTemplate } from "@vitrine/server/templates";
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

const html = (config: ChartConfig = {}): string => renderTemplate(chart, config);
const MONTHS = [
  { month: "January", sales: 10, costs: 5 },
  { month: "February", sales: 30, costs: null },
  { month: "<b>March</b>", sales: -20, costs: 15 },
];

/** The boxes of shapes, rounded. */
const boxes = async (app: ShownTemplate, selector: string) => {
  await app.view.locator(selector).first().waitFor({ state: "attached" });
  return app.view.locator(selector).evaluateAll((all) =>
    all.map((each) => {
      const { x, y, width, height } = (each as SVGGraphicsElement).getBBox();
      return { left: x, top: y, width, height, bottom: y + height, color: each.getAttribute("color") };
    }),
  );
};
/** The points of each stroke of a line. */
const strokes = async (app: ShownTemplate, selector = "path.line.d0"): Promise<number[][][]> => {
  await app.view.locator(selector).first().waitFor({ state: "attached" });
  const d = (await app.view.locator(selector).first().getAttribute("d")) ?? "";
  return d
    .split("M")
    .slice(1)
    .map((part) =>
      part
        .split(/h0L?|L/)
        .filter(Boolean)
        .map((point) => point.split(",").map(Number)),
    );
};
const tip = (app: ShownTemplate): Promise<string | null> => app.view.locator(".tip").textContent();
const ticks = (app: ShownTemplate, anchor: "end" | "middle"): Promise<string[]> =>
  app.view.locator(`svg text[text-anchor=${anchor}]`).allTextContents();

describe("the chart", () => {
  it("draws bars with the height of their values, from zero, side by side", async () => {
    const app = await stage.show(html({ title: "Sales" }), { data: { items: MONTHS } });
    const bars = await boxes(app, "path.fill");
    // Series by series: a missing value has no bar.
    expect(bars).toHaveLength(5);
    const unit = (bars[0]?.height ?? 0) / 10;
    const expected = [10, 30, 20, 5, 15];
    bars.forEach(({ height }, at) => {
      expect(height / unit).toBeCloseTo(expected[at] ?? 0, 1);
    });
    const [january, , march, , costs] = bars;
    expect(march?.top).toBeCloseTo(january?.bottom ?? 0, 0);
    expect(costs?.bottom).toBeCloseTo(january?.bottom ?? 0, 0);
    expect(costs?.left).toBeCloseTo((march?.left ?? 0) + (march?.width ?? 0), 0);
    expect(costs?.color).not.toBe(march?.color);
    expect(await ticks(app, "end")).toEqual(["-20", "-10", "0", "10", "20", "30"]);
    expect(await ticks(app, "middle")).toEqual(["January", "February", "<b>March</b>"]);
    expect(await app.view.locator(".row > span").allTextContents()).toEqual([" sales", " costs"]);
    await app.close();
  });

  it("stacks bars: upwards from zero, and downwards", async () => {
    const app = await stage.show(html({ stacked: true }), { data: MONTHS });
    const [january, , march, costs, other] = await boxes(app, "path.fill");
    expect(costs?.bottom).toBeCloseTo(january?.top ?? 0, 0);
    expect(costs?.left).toBe(january?.left);
    expect(other?.bottom).toBeCloseTo(march?.top ?? 0, 0);
    await app.close();
  });

  it("draws lines with gaps for missing values, and dates spaced by time", async () => {
    const data = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-05", "2026-01-09"].map((day, at) => ({
      day,
      n: [1, 3, null, 2, 2][at],
    }));
    const app = await stage.show(html({ kind: "line" }), { data, context: { locale: "de-DE" } });
    const [first = [], second = [], ...others] = await strokes(app);
    expect([first.length, second.length, others.length]).toEqual([2, 2, 0]);
    const xs = [...first, ...second].map(([x = 0]) => x);
    const day = (xs[1] ?? 0) - (xs[0] ?? 0);
    expect(xs.map((x) => Math.round((10 * (x - (xs[0] ?? 0))) / day))).toEqual([0, 10, 40, 80]);
    const [low = 0, high = 0, middle = 0] = [...first, ...second].map(([, y = 0]) => y);
    expect(middle).toBeCloseTo((low + high) / 2, 0);
    expect((await ticks(app, "middle"))[0]).toBe("01.01.26");
    await app.close();
  });

  it("draws areas down to their base", async () => {
    const data = {
      labels: ["a", "b"],
      series: [
        { label: "one", values: [1, 2] },
        { label: "two", values: [2, 2] },
      ],
    };
    const app = await stage.show(html({ kind: "area", stacked: true }), { data });
    const [one, two] = await boxes(app, "path.fill.area");
    // From 0 to 2, and on that from 1 to 4.
    expect((two?.height ?? 0) / (one?.height ?? 1)).toBeCloseTo(1.5, 1);
    expect(two?.bottom).toBeCloseTo((one?.top ?? 0) + (one?.height ?? 0) / 2, 0);
    await app.close();
  });

  it("draws a ring with a share for each value of its series", async () => {
    const app = await stage.show(html({ kind: "pie", format: "currency", currency: "EUR" }), {
      data: [
        { what: "rent", cost: 500 },
        { what: "food", cost: 250 },
        { what: "less", cost: -9 },
        { what: "fun", cost: 250 },
      ],
    });
    const lengths = app.view
      .locator("[role=img] path.slice")
      .evaluateAll((all) => all.map((each) => (each as SVGPathElement).getTotalLength()));
    const whole = (await lengths).reduce((sum, length) => sum + length, 0);
    expect((await lengths).map((length) => Math.round((100 * length) / whole))).toEqual([50, 25, 0, 25]);
    expect(await app.view.locator(".row > span").allTextContents()).toEqual([
      " rent: €500.00 (50%)",
      " food: €250.00 (25%)",
      " less: -€9.00 (0%)",
      " fun: €250.00 (25%)",
    ]);
    const ring = await app.view.locator("[role=img]").boundingBox();
    const [x, y] = [(ring?.x ?? 0) + (ring?.width ?? 0) / 2, (ring?.y ?? 0) + (ring?.height ?? 0) / 2];
    // Below, on the left: half a turn and an eighth.
    const far = ((ring?.height ?? 0) / 2 - 34) * Math.SQRT1_2;
    await app.page.mouse.move(x - far, y + far);
    expect(await tip(app)).toBe("food: €250.00 (25%)");
    // There is nothing in the middle.
    await app.page.mouse.move(x, y);
    expect(await tip(app)).toBe("");
    await app.close();
  });

  it("moves from value to value by keyboard and pointer, announces each, and calls a tool with one", async () => {
    const app = await stage.show(html({ title: "Sales", unit: "t", onSelectTool: "open" }), {
      data: MONTHS,
      tools: { open: ({ x }) => giving(`Opened ${x}`) },
    });
    const press = async (...keys: string[]): Promise<string | null> => {
      for (const key of keys) await app.page.keyboard.press(key);
      return tip(app);
    };
    await app.focus(app.view.getByRole("application", { name: "Sales: arrow keys" }));
    expect(await press("ArrowRight")).toBe("January\nsales: 10 t");
    expect(await press("ArrowRight", "ArrowDown")).toBe("February\ncosts: —");
    expect(await press("ArrowUp", "ArrowUp", "ArrowLeft", "ArrowLeft")).toBe("January\nsales: 10 t");
    expect(await app.view.locator(".tip").getAttribute("role")).toBe("status");
    await press("ArrowRight", "Enter");
    await expect.poll(() => app.text()).toContain("Opened February");
    expect(await press("Escape")).toBe("");
    const bar = await app.view.locator("path.fill").nth(2).boundingBox();
    const [x, y] = [(bar?.x ?? 0) + (bar?.width ?? 0) / 2, (bar?.y ?? 0) + (bar?.height ?? 0) / 2];
    await app.page.mouse.move(x, y);
    expect(await tip(app)).toBe("<b>March</b>\nsales: -20 t");
    await app.page.mouse.click(x, y);
    await expect
      .poll(() => app.calls)
      .toEqual([
        { name: "open", arguments: { series: "sales", x: "February", value: 30 } },
        { name: "open", arguments: { series: "sales", x: "<b>March</b>", value: -20 } },
      ]);
    // A touch leaves before it clicks.
    await app.view.locator(".plot").dispatchEvent("pointerleave");
    expect(await tip(app)).toBe("");
    await app.view.locator("path.fill").first().dispatchEvent("click");
    expect(await tip(app)).toBe("January\nsales: 10 t");
    await expect.poll(() => app.calls).toHaveLength(3);
    // Above the bars, the nearest one counts.
    await app.page.mouse.move(x, (bar?.y ?? 0) - 60);
    expect(await tip(app)).toBe("<b>March</b>\nsales: -20 t");
    await app.close();
  });

  it("describes itself, shows a table on request, and is redrawn at another width", async () => {
    const app = await stage.show(html({ title: "Sales" }), { data: MONTHS, width: 700 });
    const drawing = app.view.getByRole("img");
    await drawing.waitFor();
    expect(await drawing.getAttribute("aria-label")).toBe(
      "bar chart, sales,costs. Highest: February\nsales: 30. Lowest: <b>March</b>\nsales: -20.",
    );
    const button = app.view.getByRole("button", { name: "Show as table" });
    await app.focus(button);
    await app.page.keyboard.press("Enter");
    expect(await button.getAttribute("aria-expanded")).toBe("true");
    expect(
      await app.view
        .locator("tr")
        .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent))),
    ).toEqual([
      ["month", "sales", "costs"],
      ["January", "10", "5"],
      ["February", "30", "—"],
      ["<b>March</b>", "-20", "15"],
    ]);
    await app.page.keyboard.press("Enter");
    await expect.poll(() => app.view.getByRole("table").count()).toBe(0);
    const width = (): Promise<number> => drawing.evaluate((each) => each.getBoundingClientRect().width);
    const before = await width();
    await app.page.setViewportSize({ width: 500, height: 800 });
    await expect.poll(width).toBeLessThan(before - 100);
    expect(await drawing.evaluate((each) => each.getBoundingClientRect().right <= innerWidth)).toBe(true);
    await app.close();
  });

  it("draws the numbers while a model writes them, and a thousand points with few labels", async () => {
    const items = Array.from({ length: 1000 }, (_, at) => ({ at: `point ${at}`, n: at % 10, m: 1e-9 * at }));
    const app = await stage.show(html({ kind: "line" }), {});
    await app.partial({ items: items.slice(0, 2) });
    expect((await strokes(app))[0]).toHaveLength(2);
    await app.input({ items });
    await app.result(giving("drawn"));
    await expect.poll(async () => (await strokes(app))[0]?.length).toBe(1000);
    const words = await ticks(app, "middle");
    expect(words.length).toBeGreaterThan(3);
    expect(words.length).toBeLessThan(20);
    await app.close();
  });

  it("shows waiting, cancellation, failure and empty results", async () => {
    const app = await stage.show(html(), { input: { city: "Berne", days: 5 } });
    await expect.poll(() => app.text()).toContain("Working …");
    await app.cancel("the model thought again");
    await expect.poll(() => app.text()).toBe("Chart Cancelled: the model thought again");
    await app.close();
    const failed = await stage.show(html(), { result: failing("The database is away.") });
    await expect.poll(() => failed.text()).toBe("Chart The database is away.");
    await failed.close();
    const empty = await stage.show(html(), { data: [{ name: "x" }] });
    await expect.poll(() => empty.text()).toBe("Chart Nothing to show.");
    await empty.close();
  });

  it.each([
    ["light", 900, "en", "area"],
    ["dark", 320, "ar", "bar"],
    ["dark", 320, "en", "pie"],
  ] as const)("is for everybody: %s, %i px, %s, %s", async (theme, width, locale, kind) => {
    const data = MONTHS.map((each, at) => ({
      ...each,
      month: `${"a long name ".repeat(9)}${"x".repeat(99)} ${at}`,
    }));
    const app = await stage.show(html({ title: "Sales", kind }), { data, width, context: { theme, locale } });
    await app.focus(app.view.getByRole("application"));
    await app.page.keyboard.press(locale === "ar" ? "ArrowLeft" : "ArrowRight");
    await app.page.keyboard.press(locale === "ar" ? "ArrowLeft" : "ArrowRight");
    expect(await tip(app)).toMatch(/^a long name .* 1/);
    await app.view.getByRole("button", { name: "Show as table" }).click();
    await app.expectAccessible();
    await app.expectNoOverflow();
    if (locale === "ar") {
      // The first value is on the right.
      const [first, second] = await boxes(app, "path.fill");
      expect(first?.left).toBeGreaterThan(second?.left ?? 0);
    }
    await app.close();
  });
});
