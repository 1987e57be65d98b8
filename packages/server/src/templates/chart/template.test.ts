/** The chart as text, its configuration, size and colours. */
import { type ChartConfig, chart, renderTemplate } from "@vitrine/server/templates";
import { describe, expect, it } from "vitest";
import { sharesOf } from "./ring.js";
import { COLORS } from "./shape.js";

const text = (data: unknown, config: ChartConfig = {}): string | undefined => chart.text?.(data, config);
const ROWS = [
  { month: "Jan", sales: 3, costs: 1 },
  { month: "Feb | March", sales: 5, costs: null },
];

describe("a chart without a view", () => {
  it("is a sentence and a table", () => {
    expect(text(ROWS, { title: "Sales", unit: "t" })).toBe(
      "Sales: Highest: 5 t (Feb | March, sales). Lowest: 1 t (Jan, costs).\n\n" +
        "| month | sales (t) | costs (t) |\n| --- | --- | --- |\n| Jan | 3 | 1 |\n| Feb \\| March | 5 |  |",
    );
    expect(text({ labels: ["a"], series: [{ label: "n", values: [0.25] }] }, { format: "percent" })).toBe(
      "Every value is 25 %.\n\n|   | n |\n| --- | --- |\n| a | 25 % |",
    );
    expect(text([1, 2], { format: "currency", currency: "EUR" })).toContain(
      "Highest: 2 EUR (2). Lowest: 1 EUR (1).",
    );
  });

  it("shortens a long table, and says when there is nothing", () => {
    expect(text(Array.from({ length: 150 }, (_, at) => at))).toMatch(/\| 100 \| 99 \|\n\n… and 50 more$/);
    expect(text([])).toBe("Nothing to show.");
    expect(text("No sales yet")).toBe("No sales yet");
  });
});

describe("shares of a ring", () => {
  it("are fractions of the whole; missing and negative values have none", () => {
    expect(sharesOf({ key: "", label: "", values: [1, undefined, -5, 3] })).toEqual([0.25, 0, 0, 0.75]);
    expect(sharesOf({ key: "", label: "", values: [0, 0] })).toEqual([0, 0]);
  });
});

describe("the document of a chart", () => {
  it("has 20,000 bytes at most", () => {
    expect(Buffer.byteLength(renderTemplate(chart, { title: "Sales" }))).toBeLessThanOrEqual(20_000);
  });

  it.each([
    [{ kinds: "bar" }, 'config has an unknown field "kinds" (did you mean kind?)'],
    [{ kind: "donut" }, 'config.kind must be one of "bar", "line", "area", "pie"'],
    [{ series: [] }, "config.series must have 1 or more"],
    [{ series: [{ label: "x" }] }, "config.series[0].key is missing"],
    [{ currency: "euro" }, "config.currency must match ^[A-Z]{3}$"],
    [{ height: 20 }, "config.height must be 120 or more"],
    [{ stacked: 1 }, "config.stacked must be true or false"],
  ])("is refused for %j", (config, message) => {
    expect(() => renderTemplate(chart, config as ChartConfig)).toThrow(`chart: ${message}`);
  });
});

/** Colour vision: full, without red, without green, without blue (Machado and others, 2009). */
const SIGHTS = [
  [1, 0, 0, 0, 1, 0, 0, 0, 1],
  [0.152, 1.053, -0.205, 0.115, 0.786, 0.099, -0.004, -0.048, 1.052],
  [0.367, 0.861, -0.228, 0.28, 0.673, 0.047, -0.012, 0.043, 0.969],
  [1.256, -0.077, -0.179, -0.078, 0.931, 0.148, 0.005, 0.691, 0.304],
];

/** Linear light of a colour like `#07b`: red, green and blue. */
const light = (color: string): number[] =>
  [...color.slice(1)].map((digit) => {
    const part = (Number.parseInt(digit, 16) * 17) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });

const brightness = ([red = 0, green = 0, blue = 0]: readonly number[]): number =>
  0.2126 * red + 0.7152 * green + 0.0722 * blue;

/** Position of a colour in perceptual space (CIE L*a*b*), where distance is perceived difference. */
function seen(color: string, sight: readonly number[]): number[] {
  const [red = 0, green = 0, blue = 0] = light(color);
  const [r = 0, g = 0, b = 0] = [0, 3, 6].map((at) =>
    Math.min(
      1,
      Math.max(0, (sight[at] ?? 0) * red + (sight[at + 1] ?? 0) * green + (sight[at + 2] ?? 0) * blue),
    ),
  );
  const root = (part: number): number => (part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116);
  const y = root(brightness([r, g, b]));
  const x = root((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const z = root((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

describe("the colours of series", () => {
  it("have a contrast of at least 3:1 on light and dark backgrounds", () => {
    const dark = brightness([0x1b, 0x1b, 0x1f].map((part) => ((part / 255 + 0.055) / 1.055) ** 2.4));
    for (const color of COLORS) {
      const own = brightness(light(color)) + 0.05;
      expect(1.05 / own, `${color} on light`).toBeGreaterThanOrEqual(3);
      expect(own / (dark + 0.05), `${color} on dark`).toBeGreaterThanOrEqual(3);
    }
  });

  it("are distinguishable with colour blindness", () => {
    for (const sight of SIGHTS) {
      const all = COLORS.map((color) => seen(color, sight));
      all.forEach((one, at) => {
        for (const other of all.slice(0, at))
          expect(Math.hypot(...one.map((part, axis) => part - (other[axis] ?? 0)))).toBeGreaterThan(20);
      });
    }
  });
});
