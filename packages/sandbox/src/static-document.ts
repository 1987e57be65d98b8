/**
 * Documents that only show something.
 *
 * @module
 */

/** What runs a script, or brings in something that may: elements, handlers, addresses. */
const ACTIVE =
  /<(script|iframe|frame|object|embed|portal|base|meta[^>]*http-equiv)\b|[\s"'/]on[a-z]+\s*=|javascript\s*:/i;

/**
 * Whether a document cannot run any script, so that it will never begin the handshake. It says no when in doubt: then the document is treated as an app,
 * which must start in time (L13).
 */
export const isStaticDocument = (html: string): boolean => !ACTIVE.test(html);
