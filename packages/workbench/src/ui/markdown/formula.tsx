/**
 * Renders formulas as MathML elements. Loaded when there is a formula.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import { createElement, type ReactNode } from "react";
import temml from "temml";

/** The elements of a formula; undefined if it is not valid TeX. */
export type FormulaOf = (tex: string, isBlock: boolean) => ReactNode | undefined;

/** Presentational MathML. Anything else is left out, with what is inside it. */
const ELEMENTS = new Set(
  "math merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover".split(
    " ",
  ),
);
/** Attributes without addresses, scripts and names. */
const ATTRIBUTES = new Set(
  "accent accentunder columnspan depth display displaystyle dir fence form height largeop linethickness lspace mathvariant maxsize minsize movablelimits notation rowspan rspace scriptlevel separator stretchy symmetric voffset width".split(
    " ",
  ),
);
/** Styles without addresses. They are set by script, which the page's policy allows. */
const STYLES = /^(?:padding|margin|border|textAlign|verticalAlign|width|height|color|background)[A-Za-z]*$/;
/** Maximum depth and number of elements: a formula with more is shown as its source. */
const DEPTH = 60;
const MOST = 3_000;

/** The types of the package name this function differently, depending on how modules are resolved. */
const toTree = (tex: string, options: object): unknown => {
  const { __renderToMathMLTree: render } = recordOf(temml);
  if (typeof render !== "function") throw new TypeError("this version of Temml makes no tree");
  return render(tex, options);
};

/** Renders a formula. It defines nothing for others, opens no address, and expands only so far. */
export const formulaOf: FormulaOf = (tex, isBlock) => {
  try {
    const tree: unknown = toTree(tex, {
      displayMode: isBlock,
      throwOnError: true,
      trust: false,
      maxExpand: 200,
      maxSize: [10, 10],
      macros: {},
    });
    return elementOf(tree, { left: MOST }, 0, 0);
  } catch {
    return undefined;
  }
};

function elementOf(node: unknown, count: { left: number }, depth: number, key: number): ReactNode {
  if (--count.left < 0 || depth > DEPTH) throw new RangeError("the formula is too large");
  const { type, text, children, attributes, style } = recordOf(node);
  if (typeof text === "string") return text;
  const inner = (Array.isArray(children) ? children : []).map((child, at) =>
    elementOf(child, count, depth + 1, at),
  );
  // A fragment, as for several rows.
  if (typeof type !== "string" || type === "") return inner;
  if (!ELEMENTS.has(type)) return null;
  const given = Object.entries(recordOf(attributes)).filter(([name]) => ATTRIBUTES.has(name));
  const styles = Object.entries(recordOf(style)).filter(
    ([name, value]) => STYLES.test(name) && !/url|\\|;|^\s*-/i.test(String(value)),
  );
  const asText = (entries: [string, unknown][]): Record<string, string> =>
    Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
  return createElement(type, { key, ...asText(given), style: asText(styles) }, ...inner);
}
