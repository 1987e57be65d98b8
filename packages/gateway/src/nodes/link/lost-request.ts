/**
 * Requests without an answer.
 *
 * @module
 */

/** A request without an answer. */
export class LostRequest extends Error {
  override readonly name = "LostRequest";
  /** Whether the other node may have received it. */
  readonly mayHaveRun: boolean;

  constructor(cause: unknown, mayHaveRun: boolean) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.mayHaveRun = mayHaveRun;
  }
}
