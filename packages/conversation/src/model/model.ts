/**
 * The interface of a model: takes messages and tools, and streams the answer.
 *
 * @module
 */
import type { ModelFacts, ModelUsage } from "@vitrine/wire";

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

/** A PDF. Providers read its text and its pages. */
export interface FilePart {
  readonly type: "file";
  /** Base64. */
  readonly data: string;
  readonly mimeType: "application/pdf";
  readonly name: string;
}

/** A part of a user's message. */
export type UserPart = TextPart | ImagePart | FilePart;

export interface ToolCallPart {
  readonly type: "call";
  /** The provider's id of the call. */
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

/** A message to the model. */
export type ModelMessage =
  | { readonly role: "user"; readonly content: readonly UserPart[] }
  | { readonly role: "assistant"; readonly content: readonly (TextPart | ToolCallPart)[] }
  | { readonly role: "tool"; readonly content: readonly ToolResultPart[] };

/** A tool, with a name that every provider accepts: 1 to 64 of `A-Z a-z 0-9 _ -`. */
export interface ModelTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A request to a model. */
export interface ModelRequest {
  readonly system?: string | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** Maximum number of tokens of the answer. */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
}

/** A part of the answer. */
export type ModelDelta =
  | { readonly kind: "text"; readonly text: string }
  /** The start of a tool call. */
  | { readonly kind: "call"; readonly id: string; readonly name: string }
  /** The next part of the call's arguments, as JSON. */
  | { readonly kind: "arguments"; readonly id: string; readonly text: string }
  /** The call's arguments are complete. */
  | { readonly kind: "called"; readonly id: string }
  | { readonly kind: "usage"; readonly usage: ModelUsage }
  /** The end of the answer. */
  | { readonly kind: "end"; readonly reason: "stop" | "length" | "tools" | "filtered" | "other" };

/** A model of a provider. */
export interface Model {
  /** `provider/name`. */
  readonly id: string;
  /** For display. */
  readonly label: string;
  /** The known facts about it now. */
  readonly facts?: ModelFacts | undefined;
  /**
   * Sends a request. The stream ends with an `end`, or throws a `ModelError`. If the signal aborts, it throws
   * the signal's reason at once.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelDelta>;
}
