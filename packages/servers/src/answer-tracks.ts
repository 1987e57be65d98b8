/**
 * Tracks how a server answered each request of the official client. The client sends several messages for a
 * call with several rounds, and throws errors of its own after the server's result has arrived.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

type MessageId = string | number;

/** A request with all of its rounds. */
interface Track {
  readonly method: string;
  readonly ids: MessageId[];
  /** Whether the server has answered a round with a result. */
  hasResult: boolean;
  /** Whether the server's last answer is an error, which ends the call. */
  hasError: boolean;
}

/** Watches a transport after the handshake. */
export class AnswerTracks {
  readonly #current = new AsyncLocalStorage<Track>();
  readonly #byId = new Map<MessageId, Track>();

  constructor(transport: Transport) {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      this.#sent(message);
      return send(message, options);
    };
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      this.#received(message);
      onmessage?.call(transport, message, extra);
    };
  }

  /**
   * Makes a request. `failed` gets its error, and whether the call is unfinished: the server had answered
   * with a result, and something other than the server ended the call.
   */
  async run<T>(
    method: string,
    request: () => Promise<T>,
    failed: (error: unknown, isUnfinished: boolean) => Promise<Error>,
  ): Promise<T> {
    const track: Track = { method, ids: [], hasResult: false, hasError: false };
    try {
      return await this.#current.run(track, request);
    } catch (error) {
      throw await failed(error, track.hasResult && !track.hasError);
    } finally {
      for (const id of track.ids) this.#byId.delete(id);
    }
  }

  #sent(message: JSONRPCMessage): void {
    const track = this.#current.getStore();
    // The client may send other requests for this one, such as `tools/list`.
    if (!track || !("method" in message) || !("id" in message) || message.method !== track.method) return;
    track.ids.push(message.id);
    track.hasError = false;
    this.#byId.set(message.id, track);
  }

  #received(message: JSONRPCMessage): void {
    if ("method" in message || message.id === undefined) return;
    const track = this.#byId.get(message.id);
    if (!track) return;
    if ("result" in message) track.hasResult = true;
    else track.hasError = true;
  }
}
