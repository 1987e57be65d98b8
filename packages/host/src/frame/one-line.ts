/**
 * Names of apps and tools, as a page may show them.
 *
 * @module
 */

/** What is drawn as empty space, with everything invisible that follows: such a run cannot be broken up to stay long. */
const BLANKS = /[\s\p{Z}\p{Cc}\u115f\u1160\u2800\u3164\uffa0][\s\p{Z}\p{Cc}\p{DI}\u2800]*/gu;

/**
 * A name on one line, in which every run of blanks is one space: with hundreds of them, a server could push what stands
 * beside the name out of sight (attack E05). Use it wherever you show a title that a server chose.
 *
 * @example
 * ```ts source="../frame.examples.ts#oneLine"
 * heading.textContent = oneLine(tool.title ?? tool.name);
 * ```
 */
export const oneLine = (name: string): string => name.replace(BLANKS, " ").trim();
