/** The page of the chart. */
import { callTool } from "../page/call.js";
import { element, put, set } from "../page/dom.js";
import { startPage } from "../page/kit.js";
import { writeDate, writeNumber } from "../page/write.js";
import { drawAxes, type Mark, type WriteNumber, type WritePlace } from "./axes.js";
import { chartOf } from "./chart-data.js";
import { drawRing, sharesOf } from "./ring.js";
import { abs, max, min } from "./scale.js";
import { path, shape } from "./shape.js";
import type { ChartConfig } from "./template.js";

// A single function, to keep the page small: minifiers shorten local names, but not member names.
startPage<ChartConfig>("chart", "Chart", (kit) => {
  const {
    title = "Chart",
    kind = "bar",
    stacked,
    format,
    currency = "USD",
    unit,
    height: given,
    onSelectTool,
  } = kit.config;
  const isPie = kind === "pie";
  let chart = chartOf(0, {});
  let marks: Mark[] = [];
  /** Index of the highlighted value; -1 for none. */
  let at = -1;
  /** 1 for left to right, -1 for right to left. */
  let way = 1;

  const number: WriteNumber = (value, digits) =>
    writeNumber(kit, value, {
      style: format === "number" ? undefined : format,
      currency,
      // Numbers that are too long to read digit by digit.
      notation: /e/.test(`${value}`) ? "scientific" : digits ? "compact" : undefined,
      maximumSignificantDigits: digits ?? (format === "currency" ? undefined : 12),
    }) + (unit ? ` ${unit}` : "");
  const place: WritePlace = (x, isShort) => {
    const text = `${x}`;
    const { time } = chart;
    if (!time) return text;
    return writeDate(
      kit,
      text,
      isShort ? { [time]: "short" } : { dateStyle: "medium", timeStyle: text[10] ? "short" : undefined },
    );
  };
  const written = (value: number | undefined): string => (value === undefined ? "—" : number(value));

  /** Text of a value. */
  const told = ([, one, i]: Mark): string => {
    const text = written(one.values[i]);
    const name = place(chart.x[i]);
    return isPie
      ? `${name}: ${text} (${writeNumber(kit, sharesOf(one)[i] ?? 0, { style: "percent" })})`
      : `${name}\n${one.label}: ${text}`;
  };

  const drawing = shape("svg", { role: "img" });
  /** Marks the highlighted value. */
  const ring = path("line ring", "");
  const tip = element("p", { class: "tip", role: "status" });
  const legend = element("div", { class: "row" });
  const table = element("table", { tabindex: 0, hidden: true });
  const plot = element(
    "div",
    {
      class: "plot",
      tabindex: 0,
      role: "application",
      "aria-label": `${title}: arrow keys`,
      onkeydown: (event: KeyboardEvent) => {
        const { key } = event;
        const row = chart.x.length;
        const by = { ArrowRight: way, ArrowLeft: -way, ArrowDown: row, ArrowUp: -row }[key];
        if (by) show(marks[at + by] ? at + by : max(at, 0));
        else if (key === "Escape" && at + 1) show();
        else if (key === "Enter") void select();
        else return;
        event.preventDefault();
      },
      onpointermove: point,
      onpointerleave: () => show(),
      onblur: () => show(),
      // After a touch, the pointer has left by now, so highlight again.
      onclick: (event: PointerEvent) => {
        point(event);
        void select();
      },
    },
    drawing,
    tip,
  );
  const turn = element("button", {}, "Show as table");
  turn.onclick = () => {
    const isShown = table.hidden;
    table.hidden = !isShown;
    set(turn, "aria-expanded", `${isShown}`);
    redraw();
  };
  // Deferred: the drawing changes the height, and an observer reports each size only once.
  new ResizeObserver(() => requestAnimationFrame(redraw)).observe(plot);

  const redraw = (): void => {
    const { name, x, series } = chart;
    const [one] = series;
    const width = plot.clientWidth;
    if (!one || !width) return;
    const height = given ?? max(200, min(width / 2, 320));
    const shapes: Element[] = [];
    way = document.dir === "rtl" ? -1 : 1;
    marks = isPie
      ? drawRing(one, width, height, shapes)
      : drawAxes(chart, kind, stacked, width, height, way, number, place, shapes);
    put(drawing, ...shapes, ring);
    set(drawing, "width", width);
    set(drawing, "height", height);
    const names = series.map(({ label }) => label);
    // A summary for screen readers.
    const value = ([, { values }, i]: Mark): number => Number(values[i]);
    const sorted = marks
      .filter((mark) => value(mark) < 1e300)
      .sort((one, other) => value(one) - value(other));
    const ends = [sorted.at(-1), sorted[0]].map((mark) => mark && told(mark)).join(". Lowest: ");
    set(drawing, "aria-label", `${kind} chart, ${names}. Highest: ${ends}.`);
    // More shares are not readable.
    const entries = isPie ? marks.slice(0, 12).map(told) : names;
    put(
      legend,
      ...entries.map((text, s) =>
        element(
          "span",
          {},
          shape(
            "svg",
            { "aria-hidden": "true" },
            path(/^[bp]/.test(kind) ? "line slice" : `line d${s % 3}`, "M2 7h20", s),
          ),
          " ",
          text,
        ),
      ),
    );
    const row = (tag: "th" | "td", cells: readonly string[]): HTMLElement =>
      element("tr", {}, ...cells.map((text, column) => element(column ? tag : "th", {}, text)));
    if (!table.hidden)
      put(
        table,
        row("th", [name, ...names]),
        ...x.map((each, i) => row("td", [place(each), ...series.map(({ values }) => written(values[i]))])),
      );
    show(at);
  };

  /** Highlights a value and shows its text, or clears the highlight. */
  const show = (which = -1): void => {
    const mark = marks[which];
    if (which !== at) put(tip, mark && told(mark));
    at = which;
    set(ring, "d", mark && `M${mark[0]}h0`);
    if (!mark) return;
    const [[x, y]] = mark;
    const share = (100 * x) / plot.clientWidth;
    tip.style.cssText = `left:${share}%;top:${y}px;translate:-${share}% -120%`;
  };

  /** The value whose shape was hit, else the nearest one in the nearest column; in a ring, none. */
  function point({ target, offsetX, offsetY }: PointerEvent): void {
    const far = marks.map(([[x, y], , , node]) =>
      node === target ? -1 : abs(x - offsetX) * 1e4 + abs(y - offsetY),
    );
    show(far.indexOf(min(...far, isPie ? 0 : Infinity)));
  }

  const select = async (): Promise<void> => {
    const mark = marks[at];
    if (!mark || !onSelectTool) return;
    const [, { key, values }, i] = mark;
    const value = values[i];
    if (value === undefined) return;
    const args = { series: key, x: chart.x[i], value };
    const { ok, text } = await callTool(kit, onSelectTool, args);
    kit.say(ok ? text : "");
  };

  return {
    /** Draws the numbers while the model writes them. */
    written: (input) => (input["items"] ?? input["labels"]) && chartOf(input, kit.config).series[0] && input,
    data: (data) => {
      // The highlighted value has changed.
      show();
      chart = chartOf(data, kit.config);
      const isDrawn = chart.series[0];
      put(kit.tools, isDrawn && turn);
      put(kit.place, ...(isDrawn ? [plot, legend, table] : []));
      if (isDrawn) redraw();
      else kit.say(typeof data === "string" ? data : "Nothing to show.");
    },
    redraw,
  };
});
