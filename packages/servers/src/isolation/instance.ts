/**
 * The mark of a server's processes. Each server that is started gets a value of its own in its environment. What it
 * starts inherits it, in whatever session or process group it hides, so that it can be found and ended.
 *
 * @module
 */
import { randomBytes } from "node:crypto";

/** The variable that carries the mark. */
export const MARK = "VITRINE_INSTANCE";

/** The first part of all marks of this gateway, so that its watchdog finds them. */
export const GATEWAY = randomBytes(8).toString("hex");

/** One start of one server. */
export interface Instance {
  readonly id: string;
  /** The value of {@link MARK}. */
  readonly mark: string;
}

/** A mark that nobody had before. */
export function newInstance(): Instance {
  const id = randomBytes(8).toString("hex");
  return { id, mark: `${GATEWAY}.${id}` };
}
