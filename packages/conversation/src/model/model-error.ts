/**
 * Why a model did not answer.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";

/** JSON-RPC: one of the codes that are left to implementations. Why is in `data.code`. */
export const MODEL_ERROR = -32051;

/** What went wrong; the meaning of a word never changes. */
export type ModelErrorCode =
  /** There is no model of that name. */
  | "model-unknown"
  /** Its provider cannot be reached. */
  | "model-unreachable"
  /** There is no key, or the provider does not take it. */
  | "model-unauthorized"
  /** The library of its provider is not installed. */
  | "model-not-installed"
  /** The account has nothing left: to wait does not help. */
  | "model-no-credit"
  /** Too much was asked of it in too short a time. */
  | "model-rate-limited"
  /** The provider has too much to do. */
  | "model-overloaded"
  /** The answer ended in the middle. */
  | "model-cut-off"
  /** What came is no answer of a model. */
  | "model-invalid"
  /** The provider does not take what it was asked: too long, a schema it does not understand, its rules. */
  | "model-refused"
  /** The provider failed, and does not say why. */
  | "model-failed";

/** What a {@link ModelError} says to programs. It crosses the wire as the error's `data`. */
export interface ModelErrorData {
  readonly code: ModelErrorCode;
  /** Milliseconds after which it may be asked again, if the provider said so. */
  readonly retryAfter?: number | undefined;
  /** The status of the provider's answer, if there was one. */
  readonly status?: number | undefined;
}

/**
 * A model did not answer, or not to the end. Neither its message nor its data has a key, a header or an address in it, and
 * it has no cause: what the libraries throw has all of them.
 *
 * @example
 * ```ts source="./model.examples.ts#modelError"
 * try {
 *   for await (const delta of model.stream(request, signal)) if (delta.kind === "text") show(delta.text);
 * } catch (error) {
 *   if (!(error instanceof ModelError)) throw error;
 *   // error.data.code is a word that never changes its meaning, such as "model-rate-limited".
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
