/**
 * Sanitizes names of apps and tools for display.
 *
 * @module
 */

/** Blank characters with all invisible ones that follow, so that a run cannot be split to stay long. */
const BLANKS = /[\s\p{Z}\p{Cc}\u115f\u1160\u2800\u3164\uffa0][\s\p{Z}\p{Cc}\p{DI}\u2800]*/gu;

/**
 * A name on one line, with every run of blanks reduced to one space: with hundreds of them, a server could
 * push text beside the name out of sight. Use it wherever you show a title that a server chose.
 *
 * @example
 * ```ts source="../frame.examples.ts#oneLine"
 * heading.textContent = oneLine(tool.title ?? tool.name);
 * ```
 */
export const oneLine = (name: string): string => name.replace(BLANKS, " ").trim();
