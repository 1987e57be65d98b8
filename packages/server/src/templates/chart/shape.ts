/**
 * Shapes of a drawing, made from data: all text is text.
 *
 * @module
 */
import { put, set } from "../page/dom.js";

/** Makes an SVG element. */
export function shape(
  tag: "svg" | "path" | "text",
  attributes: Readonly<Record<string, string | number | undefined>>,
  ...children: readonly (Node | string)[]
): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const name in attributes) set(made, name, attributes[name]);
  put(made, ...children);
  return made;
}

/** Of the series: told apart by people who see fewer colours too, and seen on light and on dark paper. */
export const COLORS: readonly string[] = ["#07b", "#d60", "#897", "#a5f", "#e04", "#957"];

/** A path of a class, in the colour of a series. */
export const path = (name: string, d: string, s = -1): SVGElement =>
  shape("path", { class: name, d, color: COLORS[s % 6] });
