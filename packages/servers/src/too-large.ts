/**
 * Messages above a server's limit, of which nothing is kept but their ends.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";

/** What is told of one. */
export const tooLarge = (limit: number): GatewayError =>
  new GatewayError(
    "server-too-large",
    `it sent a message of more than ${limit} bytes: let it send less, or raise limits.message in a settings file`,
  );

const VERSION = /"jsonrpc"\s*:\s*"2\.0"/.source;
const ID = /"id"\s*:\s*("[^"\\]*"|\d+)/.source;
const START = new RegExp(
  `^\\s*\\{\\s*(?:${VERSION}\\s*,\\s*)?(?:${ID}\\s*,\\s*)?(?:${VERSION}\\s*,\\s*)?"(method|result|error)"\\s*:`,
);
/** The last bracket is that of the message, so the member before it is one of the message, and of nothing inside of it. */
const END = new RegExp(`[{,]\\s*${ID}\\s*(?:,\\s*${VERSION}\\s*)?\\}\\s*$`);

/**
 * The id of the request that a message answers, by how it begins; null for one that answers nothing, undefined if that
 * cannot be seen: many servers write the id last.
 */
export function answeredByHead(head: string): string | number | null | undefined {
  const [, id, kind] = START.exec(head) ?? [];
  if (kind === "method") return null;
  return id === undefined ? undefined : JSON.parse(id);
}

/** The same, by how it ends. */
export function answeredByTail(tail: string): string | number | undefined {
  const id = END.exec(tail)?.[1];
  return id === undefined ? undefined : JSON.parse(id);
}
