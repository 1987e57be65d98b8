/**
 * Documents without scripts.
 *
 * @module
 */

/** Elements, handlers and addresses that run a script, or load something that may. */
const ACTIVE =
  /<(script|iframe|frame|object|embed|portal|base|meta[^>]*http-equiv)\b|[\s"'/]on[a-z]+\s*=|javascript\s*:/i;

/**
 * Whether a document cannot run any script, so that it will never start the handshake. In doubt it returns
 * false: then the document is treated as an app, which must start in time.
 */
export const isStaticDocument = (html: string): boolean => !ACTIVE.test(html);
