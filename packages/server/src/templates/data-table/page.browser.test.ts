/** The data table in a real browser: sorting, search, pages, download. */

import { type DataTableConfig, dataTable, renderTemplate } from "@vitrine/server/templates";
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

const html = (config: DataTableConfig = {}): string => renderTemplate(dataTable, config);
const cells = (app: ShownTemplate, column = 1): Promise<string[]> =>
  app.view.locator(`tbody td:nth-child(${column})`).allTextContents();

const CITIES = [
  { name: "Zürich", people: 443_037, founded: "0015-01-01", capital: false },
  { name: "Berne", people: 137_995, founded: "1191-04-01", capital: true },
  { name: "Ascona", people: null, founded: "1224-06-30", capital: false },
  { name: "Basel 10", people: 9, founded: "0374-01-01", capital: false },
  { name: "Basel 9", people: 10, founded: "0374-01-02", capital: false },
];

declare const counts: { made: number; written: number };

/** Runs in the page: counts created formatters and formatted values. */
function countWriting(): void {
  const counts = { made: 0, written: 0 };
  const counting = <Made extends { format(value: never): string }>(
    Real: new (...given: never[]) => Made,
  ): unknown =>
    function Counting(...given: never[]): { format(value: never): string } {
      const real = new Real(...given);
      counts.made++;
      return {
        format: (value) => {
          counts.written++;
          return real.format(value);
        },
      };
    };
  Object.assign(globalThis, { counts });
  Object.assign(Intl, {
    NumberFormat: counting(Intl.NumberFormat),
    DateTimeFormat: counting(Intl.DateTimeFormat),
  });
}

describe("the data table", () => {
  it.each([
    ["a list in text", CITIES],
    ["items", { items: CITIES }],
    ["another single list", { cities: CITIES }],
  ])("accepts %s, finds its columns, and formats values", async (_what, data) => {
    const app = await stage.show(html(), { data, context: { locale: "de-CH" } });
    await app.view.getByRole("table").waitFor();
    expect(await app.view.locator("th").allInnerTexts()).toEqual(["name", "people", "founded", "capital"]);
    expect(await cells(app)).toEqual(["Zürich", "Berne", "Ascona", "Basel 10", "Basel 9"]);
    expect((await cells(app, 2))[0]).toMatch(/^443['’]037$/);
    expect((await cells(app, 2)).slice(2)).toEqual(["", "9", "10"]);
    expect((await cells(app, 3))[1]).toMatch(/1191/);
    expect(await cells(app, 4)).toEqual(["No", "Yes", "No", "No", "No"]);
    await app.close();
  });

  it("sorts by the column's type, both ways, and announces it; missing values are last", async () => {
    const app = await stage.show(html({ title: "Cities" }), { data: CITIES });
    const press = (name: string) => app.view.getByRole("button", { name, exact: true }).click();
    const heading = (name: string) => app.view.getByRole("columnheader", { name });
    await press("people");
    expect(await cells(app)).toEqual(["Basel 10", "Basel 9", "Berne", "Zürich", "Ascona"]);
    expect(await heading("people").getAttribute("aria-sort")).toBe("ascending");
    await press("people");
    expect(await cells(app)).toEqual(["Zürich", "Berne", "Basel 9", "Basel 10", "Ascona"]);
    expect(await heading("people").getAttribute("aria-sort")).toBe("descending");
    await press("name");
    expect(await cells(app)).toEqual(["Ascona", "Basel 9", "Basel 10", "Berne", "Zürich"]);
    expect(await heading("people").getAttribute("aria-sort")).toBeNull();
    // By keyboard, too.
    await app.focus(app.view.getByRole("button", { name: "founded" }));
    await app.page.keyboard.press("Enter");
    expect(await cells(app)).toEqual(["Zürich", "Basel 10", "Basel 9", "Berne", "Ascona"]);
    await app.close();
  });

  it("sorts only sortable columns, and hides disabled features", async () => {
    const config = {
      columns: [
        { key: "name", label: "City" },
        { key: "people", sortable: true, align: "center" as const },
      ],
      searchable: false,
      downloadable: false,
    };
    const app = await stage.show(html(config), { data: CITIES });
    expect(await app.view.getByRole("button").allTextContents()).toEqual(["people"]);
    expect(await app.view.locator("th").allInnerTexts()).toEqual(["City", "people"]);
    expect(await app.view.getByRole("searchbox").count()).toBe(0);
    expect(
      await app.view
        .locator("td")
        .nth(1)
        .evaluate((cell) => getComputedStyle(cell).textAlign),
    ).toBe("center");
    await app.close();
  });

  it("searches all columns, turns pages, and keeps the keyboard focus", async () => {
    const rows = Array.from({ length: 60 }, (_, at) => ({
      id: at + 1,
      name: at % 2 ? "odd one" : "even one",
    }));
    const app = await stage.show(html(), { data: rows });
    const status = app.view.getByRole("status").last();
    expect(await status.textContent()).toBe("1–25 of 60");
    await app.focus(app.view.getByRole("button", { name: "Next" }));
    await app.page.keyboard.press("Enter");
    await app.page.keyboard.press("Enter");
    expect(await status.textContent()).toBe("51–60 of 60");
    expect(await cells(app)).toEqual(["51", "52", "53", "54", "55", "56", "57", "58", "59", "60"]);
    expect(await app.view.getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
    await app.view.getByRole("searchbox").fill("one odd");
    expect(await status.textContent()).toBe("1–25 of 30");
    await app.view.getByRole("searchbox").fill("nowhere");
    expect(await status.textContent()).toBe("Nothing found.");
    await app.close();
  });

  it("offers the search result as a file, safe in a spreadsheet", async () => {
    const rows = [
      { name: 'a "quoted", one', formula: "=1+1" },
      { name: "-5", formula: -5 },
      { name: "other", formula: "" },
    ];
    const app = await stage.show(html({ title: "My / Data" }), { data: rows });
    await app.view.getByRole("searchbox").fill("5");
    await app.view.getByRole("searchbox").fill("");
    await app.view.getByRole("button", { name: "Save as CSV" }).click();
    await expect.poll(() => app.heard("download")).toHaveLength(1);
    const text = 'name,formula\r\n"a ""quoted"", one",\'=1+1\r\n\'-5,-5\r\nother,';
    expect((await app.heard("download"))[0]).toMatchObject({
      contents: [{ resource: { uri: "file:///My-Data.csv", mimeType: "text/csv", text } }],
    });
    await app.close();
  });

  it("opens links through the host, and no other kind of address", async () => {
    const data = [{ site: "https://example.com/a" }, { site: "javascript:alert(1)" }];
    const app = await stage.show(html({ columns: [{ key: "site", type: "link" }] }), { data });
    expect(await app.view.locator("a").count()).toBe(1);
    await app.view.locator("a").click();
    await expect.poll(() => app.heard("open-link")).toMatchObject([{ url: "https://example.com/a" }]);
    await app.close();
  });

  it("shows waiting, cancellation, failure and empty results", async () => {
    const app = await stage.show(html(), { input: { city: "Berne" } });
    await expect.poll(() => app.text()).toContain("Working …");
    await app.cancel("the model thought again");
    await expect.poll(() => app.text()).toContain("Cancelled: the model thought again");
    await app.close();
    const failed = await stage.show(html(), { result: failing("The database is away.") });
    await expect.poll(() => failed.view.getByRole("alert").textContent()).toBe("The database is away.");
    expect(await failed.text()).not.toContain("…");
    await failed.close();
    const empty = await stage.show(html(), { data: [] });
    await expect.poll(() => empty.text()).toContain("Nothing to show.");
    await empty.close();
  });

  it("stays fast with 10,000 rows: only one page is in the document, and only new cells are formatted", async () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => ({
      id: 10_000 - at,
      name: `row ${at}`,
      day: `2026-01-${10 + (at % 20)}`,
    }));
    const app = await stage.show(html());
    await app.view.evaluate(countWriting);
    /** Created formatters, and values formatted since the last call. */
    const counted = (): Promise<{ made: number; written: number }> =>
      app.view.evaluate(() => {
        const { made, written } = counts;
        counts.written = 0;
        return { made, written };
      });
    await app.input({});
    await app.result(giving({ items: rows }));
    await expect.poll(() => app.view.locator("tbody tr").count()).toBe(25);
    // Numbers and dates of one page, and which rows they are.
    const ofPage = 2 * 25 + 3;
    expect(await counted()).toEqual({ made: 3, written: ofPage });
    await app.view.getByRole("button", { name: "id" }).click();
    expect((await cells(app))[0]).toBe("1");
    await app.view.getByRole("button", { name: "Next" }).click();
    expect((await cells(app))[0]).toBe("26");
    expect(await counted()).toEqual({ made: 3, written: 2 * ofPage });
    const search = app.view.getByRole("searchbox");
    await search.fill("row 9");
    expect(await counted()).toEqual({ made: 3, written: 2 * 10_000 + ofPage });
    // Searched text is cached.
    await search.fill("row 99");
    expect(await counted()).toEqual({ made: 3, written: ofPage });
    expect((await cells(app, 2))[0]).toBe("row 9999");
    await app.close();
  });

  it("accepts one record", async () => {
    const app = await stage.show(html(), { data: { name: "Berne", people: 137_995 } });
    await app.view.getByRole("table").waitFor();
    expect(await app.view.locator("th").allInnerTexts()).toEqual(["name", "people"]);
    expect(await app.view.locator("td").allTextContents()).toEqual(["Berne", "137,995"]);
    expect(await app.view.getByRole("status").last().textContent()).toBe("1 of 1");
    await app.close();
  });

  it.each([
    ["light", 900, "en"],
    ["dark", 320, "ar"],
  ] as const)("is for everybody: %s, %i px, %s", async (theme, width, locale) => {
    const app = await stage.show(html({ title: "Cities" }), {
      data: CITIES,
      width,
      context: { theme, locale },
    });
    await app.expectAccessible();
    await app.expectNoOverflow();
    const direction = () => app.view.evaluate(() => document.documentElement.dir);
    await expect.poll(direction).toBe(locale === "ar" ? "rtl" : "ltr");
    await app.close();
  });
});
