/** The page of the data table. */

import { element, put, set } from "../page/dom.js";
import { type Kit, listOf, startPage } from "../page/kit.js";
import { handFile } from "../page/tell.js";
import { writeDate, writeNumber } from "../page/write.js";
import type { Column, ColumnType, DataTableConfig } from "./template.js";

type Row = Record<string, unknown>;
type SomeColumn = Column & { type: ColumnType };

startPage<DataTableConfig>("data-table", "Data", (kit) => new Table(kit));

class Table {
  readonly #kit: Kit<DataTableConfig>;
  readonly #body = element("tbody");
  readonly #head = element("tr");
  readonly #pages = element("div", { class: "row pages" });
  readonly #search: HTMLInputElement;
  #rows: Row[] = [];
  /** Rows that match the search, in order. */
  #found: readonly Row[] = [];
  /** Searchable text of each row, created on first use. */
  #texts = new WeakMap<Row, string>();
  #columns: SomeColumn[] = [];
  #sort: { key: string; isDown: boolean } | undefined;
  #page = 0;

  constructor(kit: Kit<DataTableConfig>) {
    this.#kit = kit;
    const { searchable = true, downloadable = true } = kit.config;
    this.#search = element("input", {
      type: "search",
      placeholder: "Search",
      "aria-label": "Search the table",
      oninput: () => this.#find(),
    });
    const save = element("button", { type: "button" }, "Save as CSV");
    save.onclick = () => void this.#save(save);
    // Accesses a protected field: no other page needs it, and a public accessor would be in all of them.
    const { hostCapabilities } = kit.view["host"];
    put(kit.tools, searchable && this.#search, downloadable && hostCapabilities?.downloadFile && save);
  }

  /** Accepts only lists of records: `rows: 25` could be an argument for a number of rows. */
  written({ items, rows }: Row): unknown {
    return [items, rows].find((list) => Array.isArray(list) && list[0] === Object(list[0]));
  }

  data(data: unknown): void {
    this.#rows = listOf(data);
    this.#texts = new WeakMap();
    this.#columns = columnsOf(this.#kit.config.columns, this.#rows);
    put(this.#head, ...this.#columns.map((column) => this.#heading(column)));
    const caption = element("caption", { class: "unseen" }, this.#kit.config.title ?? "Data");
    const table = element("table", {}, caption, element("thead", {}, this.#head), this.#body);
    put(
      this.#kit.place,
      element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table" }, table),
      this.#pages,
    );
    this.#find();
  }

  #heading({ key, label = key, sortable, type, align }: SomeColumn): HTMLElement {
    const text = sortable
      ? element("button", { type: "button", onclick: () => this.#sortBy(key) }, label)
      : label;
    return element("th", { scope: "col", class: alignment(type, align), "data-key": key }, text);
  }

  #sortBy(key: string): void {
    this.#sort = { key, isDown: this.#sort?.key === key && !this.#sort.isDown };
    this.#find();
  }

  /** Filters and sorts the rows, and shows the first page. */
  #find(): void {
    const words = this.#search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const rows = this.#rows.filter((row) => words.every((word) => this.#text(row).includes(word)));
    const { key, isDown } = this.#sort ?? {};
    const column = this.#columns.find((each) => each.key === key);
    this.#found = column ? sorted(rows, column, this.#kit.locale, isDown) : rows;
    this.#turn(0);
  }

  #text(row: Row): string {
    let text = this.#texts.get(row);
    if (text === undefined) {
      text = this.#columns
        .map((column) => this.#written(row, column))
        .join("\n")
        .toLocaleLowerCase();
      this.#texts.set(row, text);
    }
    return text;
  }

  #turn(page: number): void {
    const rows = this.#found;
    const size = this.#kit.config.pageSize ?? 25;
    const count = size > 0 ? Math.max(1, Math.ceil(rows.length / size)) : 1;
    this.#page = Math.min(Math.max(page, 0), count - 1);
    const shown = size > 0 ? rows.slice(this.#page * size, (this.#page + 1) * size) : rows;
    for (const heading of this.#head.children) {
      const isIt = (heading as HTMLElement).dataset["key"] === this.#sort?.key;
      set(heading, "aria-sort", isIt && (this.#sort?.isDown ? "descending" : "ascending"));
    }
    put(
      this.#body,
      ...shown.map((row) => element("tr", {}, ...this.#columns.map((column) => this.#cell(row, column)))),
    );
    this.#showPages(rows.length, count, size);
  }

  #showPages(rows: number, count: number, size: number): void {
    const number = (value: number): string => writeNumber(this.#kit, value);
    const first = this.#page * size + 1;
    const range = count > 1 ? `${number(first)}–${number(Math.min(rows, first + size - 1))}` : number(rows);
    const nothing = this.#rows.length === 0 ? "Nothing to show." : "Nothing found.";
    const text = rows === 0 ? nothing : `${range} of ${number(count > 1 ? rows : this.#rows.length)}`;
    const turn = (by: number, label: string): HTMLButtonElement => {
      const isEnd = this.#page + by < 0 || this.#page + by >= count;
      return element(
        "button",
        { type: "button", disabled: isEnd, onclick: () => this.#turn(this.#page + by) },
        label,
      );
    };
    const had = (document.activeElement as HTMLElement | null)?.textContent;
    const buttons = count > 1 ? [turn(-1, "Previous"), turn(1, "Next")] : [];
    put(
      this.#pages,
      element("span", { class: "note", role: "status" }, text),
      count > 1 && element("span", { class: "row" }, ...buttons),
    );
    // Keep the focus on the pressed button.
    buttons.find((each) => each.textContent === had && !each.disabled)?.focus();
  }

  #cell(row: Row, column: SomeColumn): HTMLElement {
    const { type, align } = column;
    const text = this.#written(row, column);
    const href = type === "link" && /^https?:\/\//.test(text) ? text : undefined;
    const open = (event: Event): void => {
      event.preventDefault();
      if (href)
        void this.#kit.view
          .sendRequest("ui/open-link", { url: href })
          .catch(({ message }) => this.#kit.complain(message));
    };
    return element(
      "td",
      { class: alignment(type, align) },
      href ? element("a", { href, onclick: open }, text) : text,
    );
  }

  /** Formats a value for users. */
  #written(row: Row, { key, type }: SomeColumn): string {
    const value = row[key];
    if (isNothing(value)) return "";
    if (type === "number" && typeof value === "number")
      return writeNumber(this.#kit, value, { maximumFractionDigits: 20 });
    if (type === "date") return writeDate(this.#kit, value);
    if (type === "boolean") return value === true || value === "true" ? "Yes" : "No";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  }

  async #save(button: HTMLButtonElement): Promise<void> {
    set(button, "aria-disabled", "true");
    const lines = [
      this.#columns.map(({ key, label = key }) => csv(label)),
      ...this.#found.map((row) => this.#columns.map(({ key }) => csv(row[key]))),
    ];
    const name = `${(this.#kit.config.title ?? "data").replace(/[^\p{L}\p{N}]+/gu, "-")}.csv`;
    await handFile(this.#kit, name, "text/csv", lines.map((line) => line.join(",")).join("\r\n"));
    set(button, "aria-disabled", false);
  }
}

const isNothing = (value: unknown): boolean => value === null || value === undefined || value === "";

function columnsOf(given: readonly Column[] | undefined, rows: readonly Row[]): SomeColumn[] {
  const keys = new Set<string>();
  if (!given) for (const row of rows.slice(0, 100)) for (const key of Object.keys(row)) keys.add(key);
  const columns: readonly Column[] = given ?? [...keys].map((key) => ({ key, sortable: true }));
  return columns.map((column) => ({
    ...column,
    type: column.type ?? typeOf(rows.slice(0, 100).map((row) => row[column.key])),
  }));
}

/** The common type of all present values. */
function typeOf(values: readonly unknown[]): ColumnType {
  const there = values.filter((value) => !isNothing(value));
  const all = (isIt: (value: unknown) => boolean): boolean => there.length > 0 && there.every(isIt);
  if (all((value) => typeof value === "number")) return "number";
  if (all((value) => typeof value === "boolean")) return "boolean";
  if (all((value) => typeof value === "string" && /^\d{4}-\d\d-\d\d(T\d\d:\d\d\S*)?$/.test(value)))
    return "date";
  return "text";
}

/** Sorts rows by a column; missing values come last in both directions. */
function sorted(rows: readonly Row[], { key, type }: SomeColumn, locale: string, isDown?: boolean): Row[] {
  const isNumber = type === "number" || type === "boolean";
  // Parsed once per row, not per comparison.
  const read = (value: unknown): string | number =>
    isNumber ? Number(value) : type === "date" ? Date.parse(`${value}`) : `${value}`;
  const there = rows.filter((row) => !isNothing(row[key])).map((row) => [read(row[key]), row] as const);
  // Numeric collation takes three times as long.
  const numeric = there.some(([value]) => /\p{N}/u.test(`${value}`));
  const { compare } = new Intl.Collator(locale, { numeric });
  const order = (one: string | number, other: string | number): number =>
    typeof one === "number" ? one - Number(other) : compare(one, `${other}`);
  const sign = isDown ? -1 : 1;
  there.sort(([one], [other]) => sign * order(one, other));
  return [...there.map(([, row]) => row), ...rows.filter((row) => isNothing(row[key]))];
}

const alignment = (type: ColumnType, align = type === "number" ? "end" : "start"): string | undefined =>
  align === "start" ? undefined : align;

/** Formats a value for CSV. Text that a spreadsheet would treat as a formula is escaped. */
function csv(value: unknown): string {
  const text = isNothing(value) ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
