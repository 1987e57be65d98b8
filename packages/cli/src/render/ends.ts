/**
 * Closes resources: all of them, even if one fails.
 *
 * @module
 */

/** A resource to close. */
export interface Closable {
  /** Its name for messages. */
  readonly what: string;
  readonly end: () => Promise<unknown>;
}

/** Maximum milliseconds for each. */
const LONGEST = 10_000;

/** Closes them one after the other; returns a message for each failure. */
export async function endAll(ends: readonly Closable[], longest = LONGEST): Promise<string[]> {
  const problems: string[] = [];
  for (const { what, end } of ends) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it took longer than ${longest} ms`)), longest);
    });
    try {
      await Promise.race([end(), late]);
    } catch (error) {
      problems.push(`${what} did not end: ${Object(error).message ?? error}`);
    } finally {
      clearTimeout(timer);
    }
  }
  return problems;
}
