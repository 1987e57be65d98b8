/**
 * The host's side of the channel to a view, with the protocol and message order of a real host.
 *
 * @module
 */
import {
  acceptText,
  CheckedPeer,
  encodeError,
  HOST_END,
  HostLifecycle,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  type NotificationFrom,
  type Outgoing,
  type Params,
  recordOf,
  type Transport,
  VitrineError,
} from "@vitrine/protocol";
import { after, now, turn } from "./real-time.js";

/** Number of consecutive idle turns after which everything is quiet. */
const QUIET_TURNS = 3;

/** A view's channel. */
export class TestViewChannel {
  readonly peer = new CheckedPeer(HOST_END);
  readonly #life: HostLifecycle;
  readonly #wire: Transport;
  readonly #odd: (error: VitrineError) => void;
  /** Pending requests of the view. */
  readonly #asked = new Set<unknown>();
  #deliver: (message: unknown) => void = () => {};
  #initializing: unknown;
  /** Counts messages. */
  #passed = 0;
  #moved: () => void = () => {};

  constructor(wire: Transport, limit: number, odd: (error: VitrineError) => void) {
    this.#life = new HostLifecycle({ now, limits: { initialize: limit, initialized: limit } });
    this.#wire = acceptText(wire);
    this.#odd = odd;
    this.peer.onreport = odd;
    this.peer.open(this.#mount());
    this.#wire.start(
      (message) => this.#receive(message),
      () => {},
    );
  }

  /** Waits until the view is ready; rejects with the cause on a timeout. */
  async ready(): Promise<void> {
    while (this.#life.phase !== "ready") {
      const left = (this.#life.deadline ?? 0) - now();
      await new Promise<void>((resolve) => {
        const leave = after(Math.max(0, left), resolve);
        this.#moved = () => {
          leave();
          resolve();
        };
      });
      const cause = this.#life.expire();
      if (cause) throw new VitrineError("timeout", cause.message);
    }
  }

  /** Sends a notification, now or when the view is ready. */
  tell<M extends NotificationFrom<"host">>(method: M, params: Params<M>): void {
    this.#flush(this.#life.send(method, params));
  }

  /** Waits until all requests of the view are answered and no more messages pass. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      const before = this.#passed;
      await turn();
      quiet = before === this.#passed && this.#asked.size === 0 ? quiet + 1 : 0;
    }
  }

  /** Tears down the view, and closes the channel. */
  async close(reason: string): Promise<void> {
    if (this.#life.teardown()) await this.#teardown(reason);
    this.#life.closed();
    this.peer.close();
    this.#wire.close();
  }

  async #teardown(reason: string): Promise<void> {
    const limit = Math.max(0, (this.#life.deadline ?? 0) - now());
    let forget = (): void => {};
    const outOfTime = new Promise<void>((resolve) => {
      forget = after(limit, () => {
        const cause = this.#life.expire();
        if (cause) this.#odd(new VitrineError("timeout", cause.message));
        resolve();
      });
    });
    const answered = this.peer.request("ui/resource-teardown", { reason }, { timeout: 0 });
    // A view without a handler refuses, which is as good as an answer.
    const refused = (error: VitrineError): void => {
      if (error.code !== METHOD_NOT_FOUND && error.code !== "closed") this.#odd(error);
    };
    await Promise.race([answered.catch(refused), outOfTime]);
    // A finished test must not wait for it.
    forget();
  }

  /**
   * The peer's transport. Each start of the view gets a new one, because a peer that reopens drops its calls.
   */
  #mount(): Transport {
    return {
      start: (receive) => {
        this.#deliver = receive;
      },
      send: (message) => this.#send(message),
      close: () => {
        this.#deliver = () => {};
      },
    };
  }

  #send(message: unknown): void {
    this.#passed++;
    this.#wire.send(message);
    const { id, method, result } = recordOf(message);
    if (method !== undefined) return;
    this.#asked.delete(id);
    if (result === undefined || id !== this.#initializing) return;
    this.#initializing = undefined;
    this.#flush(this.#life.answered());
    this.#moved();
  }

  #receive(message: unknown): void {
    this.#passed++;
    const { jsonrpc, id, method } = recordOf(message);
    if (typeof method === "string" && jsonrpc === "2.0") {
      const verdict = this.#life.received(method);
      const isRequest = typeof id === "string" || typeof id === "number";
      if (!verdict.serve) {
        this.#odd(new VitrineError(verdict.code, `${method}: ${verdict.message}`));
        if (isRequest) this.#wire.send(encodeError(id, INVALID_REQUEST, verdict.message));
        return;
      }
      if (verdict.remounted) {
        this.#asked.clear();
        this.peer.open(this.#mount());
      }
      this.#flush(verdict.flush);
      this.#moved();
      if (isRequest) this.#asked.add(id);
      if (method === "ui/initialize") this.#initializing = id;
      if (method === "notifications/cancelled") this.#asked.delete(requestIdOf(message));
    }
    this.#deliver(message);
  }

  #flush(messages: readonly Outgoing[]): void {
    for (const { method, params } of messages) this.peer.notify(method as NotificationFrom<"host">, params);
  }
}

const requestIdOf = (message: unknown): unknown => recordOf(recordOf(message)["params"])["requestId"];
