/**
 * The tasks that users have started at servers that several users share.
 *
 * @module
 */
import type { ServerKey } from "../store/known-servers.js";

/** Tasks that are remembered. */
const MOST = 10_000;

/** Holds whose tasks they are, for as long as the gateway runs: the server does not know its users. */
export class UserTasks {
  readonly #users = new Map<string, string>();

  /** The user has started a task. */
  add(user: string, server: ServerKey, taskId: string): void {
    this.#users.set(keyOf(server, taskId), user);
    const [oldest] = this.#users.keys();
    if (this.#users.size > MOST && oldest !== undefined) this.#users.delete(oldest);
  }

  isOf(user: string, server: ServerKey, taskId: string): boolean {
    return this.#users.get(keyOf(server, taskId)) === user;
  }
}

const keyOf = ({ identity }: ServerKey, taskId: string): string => JSON.stringify([identity, taskId]);
