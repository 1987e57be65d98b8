/**
 * A tool's result when data alone is not enough.
 *
 * @module
 */
import type { CallToolResult } from "@modelcontextprotocol/server";

type Content = CallToolResult["content"];

/** Data with further details. */
export class Reply<Data> {
  readonly data: Data;
  readonly details: ReplyDetails;

  constructor(data: Data, details: ReplyDetails) {
    this.data = data;
    this.details = details;
  }
}

/** Details besides the data. */
export interface ReplyDetails {
  /** Replaces the text that is made from the data. */
  readonly text?: string | undefined;
  /** More content for the model after the text: images, links to resources. */
  readonly content?: Content | undefined;
  /** Only for the view: hosts do not show it to the model. */
  readonly meta?: Record<string, unknown> | undefined;
}

/**
 * Returns data with custom text, images, or metadata that only the view sees.
 *
 * @example
 * ```ts source="./server.examples.ts#reply"
 * const picture = tool({
 *   name: "map",
 *   output: z.object({ city: z.string() }),
 *   // Only the view gets `meta`: the model does not see it.
 *   run: () => reply({ city: "Berne" }, { text: "A map of Berne", meta: { tiles: 12 } }),
 * });
 *
 * ```
 */
export function reply<Data>(data: Data, details: ReplyDetails): Reply<Data> {
  return new Reply(data, details);
}
