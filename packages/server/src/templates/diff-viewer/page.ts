/** The page of the diff viewer. */

import { element, put, set } from "../page/dom.js";
import { type Kit, startPage } from "../page/kit.js";
import { writeNumber } from "../page/write.js";
import { type Comparison, compare, type Line, stretchesOf } from "./comparison.js";
import { highlight } from "./highlight.js";
import type { DiffViewerConfig } from "./template.js";

/** Maximum lines shown at first; a button shows more. */
const AT_ONCE = 500;
const MODES = ["Split", "Unified"];
const KINDS = { "+": "Added", "-": "Removed", " ": "" };

startPage<DiffViewerConfig>("diff-viewer", "Diff Viewer", (kit) => new DiffViewer(kit));

const row = (...cells: HTMLElement[]): HTMLElement => element("div", { role: "row" }, ...cells);
const unseen = (text: string): HTMLElement => element("span", { class: "unseen" }, text);

class DiffViewer {
  readonly #kit: Kit<DiffViewerConfig>;
  readonly #counts = element("span", { class: "row" });
  readonly #modes: HTMLButtonElement[];
  #isSplit: boolean;
  #compared: Comparison | undefined;
  /** Indexes of the open folds. */
  readonly #open = new Set<number>();
  #limit = AT_ONCE;

  constructor(kit: Kit<DiffViewerConfig>) {
    this.#kit = kit;
    // A split view needs a wide frame.
    const { viewMode = innerWidth < 600 ? "unified" : "split" } = kit.config;
    this.#isSplit = viewMode === "split";
    this.#modes = MODES.map((label, at) => {
      const onclick = (): void => {
        this.#isSplit = at === 0;
        this.redraw();
      };
      return element("button", { type: "button", onclick }, label);
    });
    const group = element("div", { class: "row", role: "group", "aria-label": "Layout" }, ...this.#modes);
    put(kit.tools, this.#counts, group);
    this.redraw();
  }

  /** Only texts of several lines: others may be file names. */
  written(input: Record<string, unknown>): unknown {
    return /\n/.test(`${input["left"] ?? input["original"]}`) && input;
  }

  data(data: unknown): void {
    this.#compared = compare(data);
    this.redraw();
  }

  redraw(): void {
    this.#modes.forEach((button, at) => {
      set(button, "aria-pressed", `${this.#isSplit === (at === 0)}`);
    });
    if (!this.#compared) return;
    const { lines, added, removed, nothing } = this.#compared;
    // While the model writes, another message is shown.
    if (!this.#kit.place.inert) this.#kit.say(nothing);
    put(
      this.#counts,
      element("span", { class: "plus" }, `+${writeNumber(this.#kit, added)}`, unseen(" lines added")),
      element("span", { class: "minus" }, `−${writeNumber(this.#kit, removed)}`, unseen(" lines removed")),
    );
    put(this.#kit.place, lines.length > 0 && this.#table(lines));
  }

  #table(all: readonly Line[]): HTMLElement {
    const { leftTitle = "Original", rightTitle = "Modified" } = this.#kit.config;
    const titles = this.#isSplit ? [leftTitle, rightTitle] : [`${leftTitle} → ${rightTitle}`];
    const rows = [
      row(...titles.map((title) => element("div", { role: "columnheader", class: "cell" }, title))),
    ];
    let room = this.#limit;
    let rest = 0;
    stretchesOf(all).forEach(({ lines, isFolded }, at) => {
      if (room > 0 && isFolded && !this.#open.has(at)) {
        room--;
        const label = `⋯ ${writeNumber(this.#kit, lines.length)} unchanged lines`;
        rows.push(this.#opener(label, rows.length, () => this.#open.add(at)));
      } else {
        const shown = lines.slice(0, Math.max(room, 0));
        rows.push(...(this.#isSplit ? this.#pairs(shown) : shown.map((line) => row(this.#cell(line)))));
        rest += lines.length - shown.length;
        room -= shown.length;
      }
    });
    const more = `Show more of ${writeNumber(this.#kit, rest)} lines`;
    if (rest > 0) rows.push(this.#opener(more, rows.length, () => (this.#limit *= 3)));
    const table = element("div", { role: "table", class: this.#isSplit && "split" }, ...rows);
    // Selecting on one side copies only that side.
    table.onpointerdown = ({ target }) =>
      set(table, "data-from", (target as Element).closest("[data-side]")?.getAttribute("data-side"));
    return element(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Differences" },
      table,
    );
  }

  /** A button that stands for hidden lines. */
  #opener(label: string, place: number, open: () => unknown): HTMLElement {
    const onclick = (): void => {
      open();
      this.redraw();
      // Keep the focus at the opened lines.
      const first = this.#kit.place.querySelectorAll<HTMLElement>("[role=row]")[place];
      if (first) first.tabIndex = -1;
      first?.focus();
    };
    const button = element("button", { type: "button", onclick }, label);
    return row(element("div", { role: "cell", class: "cell fold" }, button));
  }

  /** Rows of a split view: removed lines beside their replacements. */
  #pairs(lines: readonly Line[]): HTMLElement[] {
    const rows: HTMLElement[] = [];
    for (let at = 0; at < lines.length; ) {
      const take = (sign: Line["sign"]): Line[] => {
        const from = at;
        while (lines[at]?.sign === sign) at++;
        return lines.slice(from, at);
      };
      const [old, now, same] = [take("-"), take("+"), take(" ")];
      const beside = (one: Line | undefined, other: Line | undefined): HTMLElement =>
        row(this.#cell(one, "left"), this.#cell(other, "right"));
      for (let n = 0; n < Math.max(old.length, now.length); n++) rows.push(beside(old[n], now[n]));
      rows.push(...same.map((line) => beside(line, line)));
    }
    return rows;
  }

  /** Numbers and signs come from CSS, so copying takes only the text. */
  #cell(line: Line | undefined, side?: "left" | "right"): HTMLElement {
    const { sign = " ", text = "" } = line ?? {};
    const drawn = (what: unknown, className?: string): HTMLElement =>
      element("span", { class: className, "data-n": `${what || ""}` });
    const { showLineNumbers = true, syntaxHighlight = true } = this.#kit.config;
    const kind = KINDS[sign];
    return element(
      "div",
      { role: "cell", class: `cell ${line ? kind : "none"}`, "data-side": side },
      showLineNumbers && side !== "right" && drawn(line?.left, "at"),
      showLineNumbers && side !== "left" && drawn(line?.right, "at"),
      drawn(sign.replace("-", "−")),
      element("code", {}, kind && unseen(`${kind}: `), ...(syntaxHighlight ? highlight(text) : [text])),
    );
  }
}
