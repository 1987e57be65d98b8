/**
 * What a tool gives back when data alone does not say it.
 *
 * @module
 */
import type { CallToolResult } from "@modelcontextprotocol/server";

type Content = CallToolResult["content"];

/** Data, and how it is told. */
export class Reply<Data> {
  readonly data: Data;
  readonly details: ReplyDetails;

  constructor(data: Data, details: ReplyDetails) {
    this.data = data;
    this.details = details;
  }
}

/** What may be said besides the data. */
export interface ReplyDetails {
  /** In place of the text that is made from the data. */
  readonly text?: string | undefined;
  /** More for the model, after the text: pictures, links to resources. */
  readonly content?: Content | undefined;
  /** For the view alone: hosts do not show it to the model. */
  readonly meta?: Record<string, unknown> | undefined;
}

/**
 * Data with a text of its own, with pictures, or with something that only the view is to know.
 *
 * @example
 * ```ts source="./server.examples.ts#reply"
 * const picture = tool({
 *   name: "map",
 *   output: z.object({ city: z.string() }),
 *   // `meta` is for the view alone: the model does not see it.
 *   run: () => reply({ city: "Berne" }, { text: "A map of Berne", meta: { tiles: 12 } }),
 * });
 *
 * ```
 */
export function reply<Data>(data: Data, details: ReplyDetails): Reply<Data> {
  return new Reply(data, details);
}
