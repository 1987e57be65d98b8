/**
 * Messages about a server that prints non-protocol lines to stdout.
 *
 * @module
 */
import { printable } from "./terminal.js";

const FIX = ": make it write such lines to stderr";
/**
 * The end of the gateway's message about a failed start with such lines. It goes into logs, so it quotes none
 * of them.
 */
const COUNTED = `lines that are not messages${FIX}`;

const shown = (line: string): string => JSON.stringify(printable(line));

/** For a working server whose output may confuse other clients. */
export const strayLine = (name: string, first: string): string =>
  `${name} printed a line that is not a message: ${shown(first)}; stdout is only for messages, use stderr`;

/** For a server that may still start. */
export const strayNews = (first: string): string =>
  `it printed ${shown(first)}, which is not a message${FIX}`;

/** The reason of a failure, with the first stray line, which may be the cause. */
export function withStray(message: string, first: string | undefined): string {
  if (first === undefined) return message;
  return message.endsWith(COUNTED)
    ? `${message.slice(0, -FIX.length)}, such as ${shown(first)}${FIX}`
    : `${message}; ${strayNews(first)}`;
}
