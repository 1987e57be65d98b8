/**
 * A list of a server, page by page: with the cursors, and with what is wrong between pages.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";
import type { MadeRequest } from "./request-log.js";

/** A list that servers may divide into pages. */
export type PagedList = "tools" | "resources" | "resource templates" | "prompts";

/** The method of each list, the member of its answer, and the member that tells entries apart. */
const LISTS: Record<PagedList, { method: string; key: string; id: string }> = {
  tools: { method: "tools/list", key: "tools", id: "name" },
  resources: { method: "resources/list", key: "resources", id: "uri" },
  "resource templates": { method: "resources/templates/list", key: "resourceTemplates", id: "uriTemplate" },
  prompts: { method: "prompts/list", key: "prompts", id: "name" },
};

/** A page. */
export interface ListPage {
  /** The cursor that was sent; undefined for the first page. */
  readonly cursor: string | undefined;
  /** Names or addresses of its entries. */
  readonly names: readonly string[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
  /** Sentences about what is wrong with it. */
  readonly findings: readonly string[];
  /** Why there is no page. */
  readonly problem?: string | undefined;
  /** Milliseconds, and characters of JSON. */
  readonly duration: number;
  readonly size: number;
}

/** Sends the request for a page. */
export type SendRequest = (method: string, params: Readonly<Record<string, unknown>>) => Promise<MadeRequest>;

/** Fetches the page after those that are known. */
export async function nextPage(
  list: PagedList,
  known: readonly ListPage[],
  send: SendRequest,
): Promise<ListPage> {
  const cursor = known.at(-1)?.next;
  const { outcome } = await send(LISTS[list].method, cursor === undefined ? {} : { cursor });
  const { duration = 0, size = 0, problem } = outcome ?? {};
  const answer = isRecord(outcome?.result) ? outcome.result : {};
  const next = answer["nextCursor"];
  const page = {
    cursor,
    names: [] as string[],
    next: typeof next === "string" ? next : undefined,
    duration,
    size,
  };
  if (problem !== undefined) return { ...page, findings: [], problem };
  const { key, id } = LISTS[list];
  const entries = answer[key];
  if (!Array.isArray(entries))
    return { ...page, findings: [], problem: `The answer has no list with the name ${key}.` };
  const names = entries.map((entry: unknown) =>
    isRecord(entry) && typeof entry[id] === "string" ? entry[id] : `(an entry without ${id})`,
  );
  return { ...page, names, findings: findingsOf(known, { cursor, names, next }) };
}

function findingsOf(
  known: readonly ListPage[],
  { cursor, names, next }: { cursor: string | undefined; names: readonly string[]; next: unknown },
): string[] {
  const findings: string[] = [];
  const seen = new Set(known.flatMap((page) => page.names));
  const repeated = names.filter((name, index) => seen.has(name) || names.indexOf(name) < index);
  if (repeated.length > 0) findings.push(`Listed twice: ${[...new Set(repeated)].slice(0, 5).join(", ")}.`);
  if (next !== undefined && typeof next !== "string") findings.push("Its next cursor is not a string.");
  const cursors = [...known.map((page) => page.cursor), cursor];
  if (typeof next === "string" && cursors.includes(next))
    findings.push("Its next cursor was sent before: the list has no end.");
  if (names.length === 0 && typeof next === "string") findings.push("It is empty, and not the last.");
  return findings;
}
