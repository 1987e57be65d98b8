/**
 * Reads all pages of a server's lists.
 *
 * @module
 */

import { JsonText, METHOD_NOT_FOUND } from "@vitrine/protocol";
import type { Server } from "@vitrine/servers";

const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
} as const;

/** Maximum pages and entries, because a server could continue forever. */
const MAX_PAGES = 1_000;
const MAX_ENTRIES = 100_000;

/** The parsed answer. */
export const answerOf = (result: unknown): Record<string, unknown> =>
  Object(result instanceof JsonText ? result.parse() : result);

/** All entries of a list; empty for a server without this list. */
export async function listAll(
  { upstream }: Pick<Server, "upstream">,
  method: keyof typeof LISTS,
  signal?: AbortSignal,
): Promise<Record<string, unknown>[]> {
  const entries: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && entries.length < MAX_ENTRIES; page++) {
    const result = await upstream
      .request(method, cursor === undefined ? {} : { cursor }, { signal })
      .catch((error: unknown) => {
        if (Object(error)["code"] === METHOD_NOT_FOUND) return {};
        throw error;
      });
    const value = answerOf(result);
    const list: unknown = value[LISTS[method]];
    if (Array.isArray(list)) for (const each of list) if (Object(each) === each) entries.push(each);
    if (typeof value["nextCursor"] !== "string") break;
    cursor = value["nextCursor"];
  }
  return entries;
}
