/**
 * The message of anything that was thrown. PostgreSQL's driver throws `AggregateError`s without a message of
 * their own.
 */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
