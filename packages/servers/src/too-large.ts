/**
 * Messages above a server's size limit, of which only both ends are kept.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";

/** The error for a message above the limit. */
export const tooLarge = (limit: number): GatewayError =>
  new GatewayError(
    "server-too-large",
    `it sent a message of more than ${limit} bytes: make the server send less, or raise limits.message in a settings file`,
  );

const VERSION = /"jsonrpc"\s*:\s*"2\.0"/.source;
const ID = /"id"\s*:\s*("[^"\\]*"|\d+)/.source;
const START = new RegExp(
  `^\\s*\\{\\s*(?:${VERSION}\\s*,\\s*)?(?:${ID}\\s*,\\s*)?(?:${VERSION}\\s*,\\s*)?"(method|result|error)"\\s*:`,
);
/**
 * The last bracket closes the message, so the member before it belongs to the message and not to a nested
 * value.
 */
const END = new RegExp(`[{,]\\s*${ID}\\s*(?:,\\s*${VERSION}\\s*)?\\}\\s*$`);

/**
 * Finds the id of the request that a message answers in the start of the message. Null if it is not an
 * answer; undefined if the id is not there, because many servers write it last.
 */
export function answeredByHead(head: string): string | number | null | undefined {
  const [, id, kind] = START.exec(head) ?? [];
  if (kind === "method") return null;
  return id === undefined ? undefined : JSON.parse(id);
}

/** Finds the id in the end of the message. */
export function answeredByTail(tail: string): string | number | undefined {
  const id = END.exec(tail)?.[1];
  return id === undefined ? undefined : JSON.parse(id);
}
