/** Data that the chart reads, and data that it omits. */
import { describe, expect, it } from "vitest";
import { chartOf } from "./chart-data.js";

const ROWS = [
  { month: "Jan", sales: 3, costs: 1 },
  { month: "Feb", sales: 5, costs: -2 },
];
const sales = { key: "sales", label: "sales", values: [3, 5] };
const costs = { key: "costs", label: "costs", values: [1, -2] };

describe("data of a chart", () => {
  it.each([
    ["a list of records", ROWS],
    ["items", { items: ROWS, total: 2 }],
    ["another list", { page: 1, months: ROWS }],
  ])("is read from %s", (_what, data) => {
    expect(chartOf(data, {})).toEqual({
      name: "month",
      x: ["Jan", "Feb"],
      time: false,
      series: [sales, costs],
    });
  });

  it("is read from labels with series, which may have the same name", () => {
    const series = [
      { label: "a", values: [1, 2, 3] },
      { label: "a", values: [4] },
      { values: "no" },
      null,
      { values: [0] },
    ];
    expect(chartOf({ labels: [2024, "B"], series }, {})).toMatchObject({
      x: [2024, "B"],
      series: [
        { label: "a", values: [1, 2] },
        { label: "a", values: [4, undefined] },
        { label: "5", values: [0, undefined] },
      ],
    });
  });

  it("is read from plain numbers, which are counted", () => {
    expect(chartOf([3, 5], {})).toMatchObject({ x: [1, 2], series: [{ label: "value", values: [3, 5] }] });
  });

  it("has the x values and series of the configuration, in its order", () => {
    const config = {
      x: "costs",
      series: [{ key: "sales", label: "Sold" }, { key: "none" }, { key: "month" }],
    };
    const { x, series } = chartOf(ROWS, config);
    expect(x).toEqual([1, -2]);
    expect(series).toEqual([{ ...sales, label: "Sold" }]);
    // Without a non-numeric field, the first is the x value.
    expect(chartOf([{ year: 2024, n: 1 }], {})).toMatchObject({
      name: "year",
      x: [2024],
      series: [{ key: "n" }],
    });
  });

  it("reads numbers in strings if configured, and skips other strings", () => {
    const values = ["1.5", " 2 ", "", " ", "12 km", null, {}, [], true, 1e300, -7];
    const data = values.map((v, at) => ({ name: `${at}`, v }));
    expect(chartOf(data, { series: [{ key: "v" }] }).series[0]?.values).toEqual([
      1.5,
      2,
      ...Array(8).fill(undefined),
      -7,
    ]);
  });

  it.each([
    [undefined],
    [null],
    ["text"],
    [5],
    [[]],
    [{}],
    [{ items: [] }],
    [[{ a: "x" }]],
    [{ labels: [], series: [] }],
    [[[]]],
  ])("has nothing to draw in %j", (data) => {
    expect(chartOf(data, {}).series).toEqual([]);
  });

  it("recognizes dates, and whether they are on one day", () => {
    const timeOf = (...x: unknown[]): unknown =>
      chartOf(
        x.map((day) => ({ day, n: 1 })),
        {},
      ).time;
    expect(timeOf("2026-03-01", "1970-01-01")).toBe("dateStyle");
    expect(timeOf("2026-03-01")).toBe("dateStyle");
    expect(timeOf("2026-03-01T10:00Z", "2026-03-01T11:30:00.5+01:00")).toBe("timeStyle");
    expect(timeOf("2026-03-01T10:00Z", "2026-03-02T10:00Z")).toBe("dateStyle");
    expect(timeOf("2026-03-01", "soon")).toBe(false);
    expect(timeOf("2026-03-01", null)).toBe(false);
  });

  it("accepts x values of any kind, and keys that are dangerous elsewhere", () => {
    const data = JSON.parse('[{"__proto__":{"toString":1},"n":1},{"__proto__":null,"n":2},{"n":3}]');
    expect(chartOf(data, { x: "__proto__" })).toMatchObject({
      x: ['{"toString":1}', "", expect.any(String)],
      series: [{ key: "n", values: [1, 2, 3] }],
    });
    expect(chartOf(data, { x: "toString" }).series).toHaveLength(1);
  });
});
