/**
 * A model, as the gateway sees one: messages and tools go in, and what it says comes out as it says it.
 *
 * @module
 */
import type { ModelUsage } from "@vitrine/wire";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ImagePart {
  readonly type: "image";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

export interface ToolCallPart {
  readonly type: "call";
  /** The provider's own name for the call. */
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ToolResultPart {
  readonly type: "result";
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

/** One message to the model. */
export type ModelMessage =
  | { readonly role: "user"; readonly content: readonly (TextPart | ImagePart)[] }
  | { readonly role: "assistant"; readonly content: readonly (TextPart | ToolCallPart)[] }
  | { readonly role: "tool"; readonly content: readonly ToolResultPart[] };

/** A tool, under a name that every provider takes: 1 to 64 of `A-Z a-z 0-9 _ -`. */
export interface ModelTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** What a model is asked. */
export interface ModelRequest {
  readonly system?: string | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** Tokens of the answer, at most. */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
}

/** What it says, piece by piece. */
export type ModelDelta =
  | { readonly kind: "text"; readonly text: string }
  /** It begins to call a tool. */
  | { readonly kind: "call"; readonly id: string; readonly name: string }
  /** The next part of the JSON of that call's arguments. */
  | { readonly kind: "arguments"; readonly id: string; readonly text: string }
  /** That call is written. */
  | { readonly kind: "called"; readonly id: string }
  | { readonly kind: "usage"; readonly usage: ModelUsage }
  /** The last one. */
  | { readonly kind: "end"; readonly reason: "stop" | "length" | "tools" | "filtered" | "other" };

/** One model of one provider. */
export interface Model {
  /** `provider/name`. */
  readonly id: string;
  /** For people. */
  readonly label: string;
  /**
   * Asks it. What comes ends with an `end`, or fails with a `ModelError`. When the signal is aborted it ends at once, and
   * throws the signal's reason.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelDelta>;
}
