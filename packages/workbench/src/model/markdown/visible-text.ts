/**
 * Makes characters visible that change the order of the others.
 *
 * @module
 */

/** Embeddings, overrides and isolates. They can make a text look like another one. */
const BIDI = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text in which bidirectional controls are shown by their code point, such as `⟨U+202E⟩`. Right-to-left
 * letters need none of them.
 */
export const visibleText = (text: string): string =>
  text.replace(BIDI, (control) => `⟨U+${control.charCodeAt(0).toString(16).toUpperCase()}⟩`);
