/**
 * What both ways of serving share.
 *
 * @module
 */

/** Bytes of a message from a client: arguments may have files in them, in base64. */
export const MAX_MESSAGE = 16 * 2 ** 20;

/** Something that is served. */
export interface Serving {
  close(): Promise<void>;
}
