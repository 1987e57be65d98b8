/**
 * Marks a server's processes. Each started server gets a unique value in its environment. Its child processes
 * inherit it, in any session or process group, so that they can be found and ended.
 *
 * @module
 */
import { randomBytes } from "node:crypto";

/** The variable that contains the mark. */
export const MARK = "VITRINE_INSTANCE";

/** The common prefix of all marks of this gateway, for its watchdog. */
export const GATEWAY = randomBytes(8).toString("hex");

/** A single start of a server. */
export interface Instance {
  readonly id: string;
  /** The value of {@link MARK}. */
  readonly mark: string;
}

/** Creates a unique mark. */
export function newInstance(): Instance {
  const id = randomBytes(8).toString("hex");
  return { id, mark: `${GATEWAY}.${id}` };
}
