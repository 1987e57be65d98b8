/**
 * Removes secrets from texts that are logged or shown.
 *
 * @module
 */

/** Replaces a secret. */
export const REMOVED = "[removed]";

/**
 * Removes credentials, and query strings, which contain codes and tokens, from a text.
 *
 * @example
 * ```ts source="./support.examples.ts#scrub"
 * const text = scrub("GET https://as.example/token?code=4711 failed");
 * // "GET https://as.example/token?[removed] failed"
 * ```
 */
export function scrub(text: string): string {
  return text
    .replace(/\b(Bearer|Basic)\s+[^\s"',]+/gi, `$1 ${REMOVED}`)
    .replace(/((?:https?|wss?):\/\/|\/)([^\s?"'<>]*)\?[^\s"'<>]+/g, `$1$2?${REMOVED}`)
    .replace(/(:\/\/)[^\s/@"']+@/g, `$1${REMOVED}@`)
    .replace(/\b((?:__Host-)?vitrine(?:-\d+)?=)[^\s;"']+/g, `$1${REMOVED}`);
}
