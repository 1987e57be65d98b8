/**
 * Errors of models.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";

/** A JSON-RPC code from the range for implementations. `data.code` gives the reason. */
export const MODEL_ERROR = -32051;

/** The reason of a failure. The meaning of a code never changes. */
export type ModelErrorCode =
  /** There is no model of this name. */
  | "model-unknown"
  /** The provider cannot be reached. */
  | "model-unreachable"
  /** The key is missing, or the provider rejects it. */
  | "model-unauthorized"
  /** The library of the provider is not installed. */
  | "model-not-installed"
  /** The account has no credit left: waiting does not help. */
  | "model-no-credit"
  /** Too many requests in too short a time. */
  | "model-rate-limited"
  /** The provider is overloaded. */
  | "model-overloaded"
  /** The answer was cut off. */
  | "model-cut-off"
  /** The response is not an answer of a model. */
  | "model-invalid"
  /** The model does not read a picture or a PDF in the conversation. */
  | "model-no-files"
  /** The provider rejects the request: it is too long, has an unsupported schema, or violates its rules. */
  | "model-refused"
  /** The provider failed without giving a reason. */
  | "model-failed";

/** The machine-readable part of a {@link ModelError}, sent as the error's `data`. */
export interface ModelErrorData {
  readonly code: ModelErrorCode;
  /** Milliseconds until the request may be repeated, if the provider gave a time. */
  readonly retryAfter?: number | undefined;
  /** The HTTP status of the provider's response, if there was one. */
  readonly status?: number | undefined;
}

/**
 * A model did not answer, or not completely. Neither the message nor the data contains a key, a header or an
 * address, and there is no cause, because errors of the libraries contain all of them.
 *
 * @example
 * ```ts source="./model.examples.ts#modelError"
 * try {
 *   for await (const delta of model.stream(request, signal)) if (delta.kind === "text") show(delta.text);
 * } catch (error) {
 *   if (!(error instanceof ModelError)) throw error;
 *   // error.data.code has a fixed meaning, such as "model-rate-limited".
 *   show(error.message);
 *   if (error.data.retryAfter !== undefined) show(`Again in ${error.data.retryAfter} ms.`);
 * }
 * ```
 */
export class ModelError extends VitrineError {
  declare readonly data: ModelErrorData;

  constructor(code: ModelErrorCode, message: string, more: Omit<ModelErrorData, "code"> = {}) {
    super(MODEL_ERROR, message, { data: { ...more, code } });
  }
}
