/**
 * Ends what was started: all of it, also when a part of it does not end.
 *
 * @module
 */

/** Something that is to be ended. */
export interface End {
  /** What it is, in words. */
  readonly what: string;
  readonly end: () => Promise<unknown>;
}

/** Milliseconds that one of them may take. */
const LONGEST = 10_000;

/** Ends them one after the other; returns a sentence for each that did not end. */
export async function endAll(ends: readonly End[], longest = LONGEST): Promise<string[]> {
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
