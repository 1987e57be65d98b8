/**
 * Cuts texts that a server chose, before they are kept.
 *
 * @module
 */

/** The first characters of a text. The copy does not keep the whole text in memory, as a slice of a string would. */
export const shortText = (text: string, most: number): string =>
  text.length <= most ? text : Buffer.from(text.slice(0, most)).toString();
