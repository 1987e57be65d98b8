/**
 * What is said of a server that prints to stdout what is no message.
 *
 * @module
 */
import { printable } from "./terminal.js";

const FIX = ": let it write such lines to stderr";
/** How the gateway ends why a start failed, if there were such lines; it goes into logs, and names none of them. */
const COUNTED = `lines that are no messages${FIX}`;

const shown = (line: string): string => JSON.stringify(printable(line));

/** Of one that works, and prints what other clients may stumble over. */
export const strayLine = (name: string, first: string): string =>
  `${name} printed what is no message: ${shown(first)}; stdout is for messages alone, use stderr`;

/** Of one that may yet come to work. */
export const strayNews = (first: string): string => `it printed ${shown(first)}, which is no message${FIX}`;

/** Why it failed, with the first of the lines, if there are any: they may be why. */
export function withStray(message: string, first: string | undefined): string {
  if (first === undefined) return message;
  return message.endsWith(COUNTED)
    ? `${message.slice(0, -FIX.length)}, such as ${shown(first)}${FIX}`
    : `${message}; ${strayNews(first)}`;
}
