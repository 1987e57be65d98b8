/** All users of a stage at work: each of them has a program and a page, and some of them talk with a model. */
import type { GatewayClient } from "@vitrine/host/gateway";
import { pause } from "../pause.ts";
import type { Clients } from "./clients.ts";
import type { ClientCall } from "./facts.ts";

/** Options of {@link Load}. */
export interface LoadOptions {
  /** Milliseconds between two calls of a client. */
  readonly think: number;
  /** Every n-th user talks with a model as well. */
  readonly talkers: number;
}

/** Milliseconds for a call to be answered, when all faults are over. */
const ANSWER = 60_000;

/** Work that goes on until it is stopped. */
export class Load {
  readonly #clients: Clients;
  readonly #options: LoadOptions;
  readonly #pages = new Map<string, GatewayClient>();
  #loops: Promise<void>[] = [];
  #isOver = true;

  constructor(clients: Clients, options: LoadOptions) {
    this.#clients = clients;
    this.#options = options;
  }

  /** Begins, with the same pages as before. */
  start(): void {
    this.#isOver = false;
    const { users } = this.#clients;
    this.#loops = users.flatMap((user, n) => [
      this.#repeat(() => this.#clients.callByProgram(user)),
      this.#repeat(() => this.#clients.callByPage(this.#pageOf(user), user)),
      ...(n % this.#options.talkers === 0
        ? [this.#repeat(() => this.#clients.talk(this.#pageOf(user), user))]
        : []),
    ]);
  }

  /** Pages are opened one by one, when their users begin. */
  #pageOf(user: string): GatewayClient {
    const page = this.#pages.get(user) ?? this.#clients.page(user);
    this.#pages.set(user, page);
    return page;
  }

  async #repeat(call: () => Promise<unknown>): Promise<void> {
    while (!this.#isOver) {
      // Not all at once: users are no chorus.
      await pause(this.#options.think * (0.5 + Math.random()));
      await call();
    }
  }

  /** Resolves when every user has had answers to a program and a page since now; rejects with those who have none. */
  async answered(): Promise<void> {
    const from = this.#clients.history.length;
    const missing = (): string[] => {
      const ok = new Set<string>();
      for (const { user, by, end } of this.#clients.history.slice(from))
        if (end === "ok") ok.add(`${user} by ${by}`);
      return this.#clients.users
        .flatMap((user) => [`${user} by program`, `${user} by page`])
        .filter((each) => !ok.has(each));
    };
    const deadline = performance.now() + ANSWER;
    while (missing().length > 0) {
      if (performance.now() > deadline) throw new Error(`no answer for ${missing().join(", ")}`);
      await pause(50);
    }
  }

  /** Milliseconds from a moment until the first call that a user began later, and that was answered. */
  takeover(user: string, from: number): number | undefined {
    const ends = this.#clients.history
      .filter((call: ClientCall) => call.user === user && call.end === "ok" && call.beganAt >= from)
      .map(({ endedAt = 0 }) => endedAt);
    return ends.length > 0 ? Math.min(...ends) - from : undefined;
  }

  /** Ends, when the calls that have begun have ended. Calls that are never answered are violations. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.race([Promise.all(this.#loops), pause(30_000)]);
  }
}
