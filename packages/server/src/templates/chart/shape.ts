/**
 * Creates SVG shapes from data; text is never parsed as markup.
 *
 * @module
 */
import { put, set } from "../page/dom.js";

/** Creates an SVG element. */
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

/**
 * Colours of the series: distinguishable with colour blindness, and visible on light and dark backgrounds.
 */
export const COLORS: readonly string[] = ["#07b", "#d60", "#897", "#a5f", "#e04", "#957"];

/** A path with a class, in the colour of a series. */
export const path = (name: string, d: string, s = -1): SVGElement =>
  shape("path", { class: name, d, color: COLORS[s % 6] });
