/**
 * The access log: a line for each request.
 *
 * @module
 */
import type { ServerResponse } from "node:http";
import type { Log } from "./logging.js";

/** The logged part of a request. Never its address, whose query may contain a secret. */
export interface LoggedRequest {
  method: string;
  route: string;
  status: number;
  user: string | undefined;
  seconds: number;
  trace: string;
}

/** Logs requests when their answers have been sent, or their connections closed. */
export class AccessLog {
  readonly #log: Log;
  readonly #isOn: () => boolean;

  constructor(log: Log, isOn: () => boolean) {
    this.#log = log;
    this.#isOn = isOn;
  }

  /** Follows an answer from its beginning. Returns a function that is told what it is; undefined if the log is off. */
  follow(outgoing: ServerResponse): ((logged: LoggedRequest) => void) | undefined {
    if (!this.#isOn()) return undefined;
    const began = performance.now();
    // Node takes the connection away from an answer that has been sent.
    const { socket } = outgoing.req;
    const before = socket.bytesWritten;
    return ({ method, route, status, user, trace }) => {
      const end = (): void => {
        const ms = Math.round((performance.now() - began) * 10) / 10;
        this.#log.info(
          { method, route, status, user, ms, bytes: socket.bytesWritten - before, trace },
          "request",
        );
      };
      if (outgoing.closed) end();
      else outgoing.once("close", end);
    };
  }

  /** Logs an upgrade, when it is accepted or refused. */
  upgraded(logged: Omit<LoggedRequest, "seconds" | "trace">): void {
    if (this.#isOn()) this.#log.info(logged, "request");
  }
}
