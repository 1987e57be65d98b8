/**
 * The conversation as it is kept over a reload.
 *
 * @module
 */
import type { CallToolResult, Params } from "@vitrine/protocol";
import { isFields, readContent, readResult } from "./foreign.js";

/** How far a call has come. */
export type CallState = "running" | "done" | "failed" | "cancelled";

/** A call of a tool, as it is kept over a reload. */
export interface SavedCall {
  readonly kind: "call";
  readonly id: string;
  readonly at: number;
  readonly server: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  /** There were secrets among the arguments, which are never kept. */
  readonly isInputCut?: boolean | undefined;
  readonly state: CallState;
  readonly result?: CallToolResult | undefined;
  /** There was a result, too large to be kept. */
  readonly isResultLost?: boolean | undefined;
  readonly problem?: string | undefined;
  /** The name of the request that waits for its answer, if no app shows it. */
  readonly request?: string | undefined;
  /** The gateway's name of the app that shows it. */
  readonly view?: string | undefined;
  /** The hash of the document that its app was shown with. */
  readonly document?: string | undefined;
  readonly profile?: string | undefined;
  /** When it was over, in milliseconds since 1970. */
  readonly endedAt?: number | undefined;
}

/** Something that an app said, as it is kept over a reload. */
export interface SavedMessage {
  readonly kind: "message";
  readonly id: string;
  readonly at: number;
  readonly server: string;
  readonly title: string;
  readonly content: Params<"ui/message">["content"];
}

/** One entry, as it is kept. */
export type Saved = SavedCall | SavedMessage;

/** Characters of what is kept: browsers take about five million. */
const MOST_KEPT = 4_000_000;

/** The entries as text: as many of them, and as much of each, as there is room for. */
export function writeSaved(entries: readonly Saved[], most = MOST_KEPT): string {
  const kept = entries.map((entry) => ({ entry, text: JSON.stringify(entry) }));
  let size = kept.reduce((sum, { text }) => sum + text.length + 1, 1);
  // Results first, the largest first; before the others, those of apps, which the gateway mostly has too.
  const results = kept
    .filter(({ entry }) => entry.kind === "call" && entry.result !== undefined)
    .sort((a, b) => Number(hasView(b.entry)) - Number(hasView(a.entry)) || b.text.length - a.text.length);
  for (const each of results) {
    if (size <= most) break;
    const text = JSON.stringify({ ...each.entry, result: undefined, isResultLost: true });
    size -= each.text.length - text.length;
    each.text = text;
  }
  // Then one that leaves no room for the others, else the oldest: what is on screen is what people expect to find.
  while (size > most && kept.length > 0) {
    const largest = kept.reduce((a, b) => (b.text.length > a.text.length ? b : a));
    const [gone] = kept.splice(largest.text.length > most / 4 ? kept.indexOf(largest) : 0, 1);
    size -= (gone?.text.length ?? 0) + 1;
  }
  return `[${kept.map(({ text }) => text).join(",")}]`;
}

const hasView = (entry: Saved): boolean => entry.kind === "call" && entry.view !== undefined;

/** What was kept. What is no entry, because another program wrote it or another version of this one, is left out. */
export function readSaved(text: string | null | undefined): Saved[] {
  let read: unknown;
  try {
    read = JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
  const entries = new Map<string, Saved>();
  for (const each of Array.isArray(read) ? read : []) {
    const entry = readEntry(each);
    if (entry && !entries.has(entry.id)) entries.set(entry.id, entry);
  }
  return [...entries.values()];
}

function readEntry(value: unknown): Saved | undefined {
  if (!isFields(value)) return undefined;
  const { kind, id, at, server, tool, title, input, state } = value;
  if (!isText(id) || !isTime(at) || !isText(server)) return undefined;
  if (kind === "message" && isText(title))
    return { kind, id, at, server, title, content: readContent(value["content"]) };
  if (kind !== "call" || !isText(tool) || !isFields(input) || !isState(state)) return undefined;
  const { isInputCut, result, isResultLost, problem, request, view, document, profile, endedAt } = value;
  return {
    ...{ kind, id, at, server, tool, input, state },
    ...(isInputCut === true && { isInputCut }),
    ...(result !== undefined && { result: readResult(result) }),
    ...(isResultLost === true && { isResultLost }),
    ...(isText(problem) && { problem }),
    ...(isText(request) && { request }),
    ...(isText(view) && { view }),
    ...(isText(document) && { document }),
    ...(isText(profile) && { profile }),
    ...(isTime(endedAt) && { endedAt }),
  };
}

const isText = (value: unknown): value is string => typeof value === "string";
/** A time that a date can be made of. */
const isTime = (value: unknown): value is number =>
  typeof value === "number" && !Number.isNaN(new Date(value).getTime());
const isState = (value: unknown): value is CallState =>
  value === "running" || value === "done" || value === "failed" || value === "cancelled";
