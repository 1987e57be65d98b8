/**
 * Shared by stdio and HTTP.
 *
 * @module
 */

/** Maximum bytes of a client's message: arguments may contain files in base64. */
export const MAX_MESSAGE = 16 * 2 ** 20;

/** A running service. */
export interface RunningService {
  close(): Promise<void>;
}
