/**
 * Transports in the form of the official SDK.
 *
 * @module
 */
import type { BridgeTransport } from "../bridge-transport.js";

/** A transport in the form of the official SDK: its owner sets the functions, and then starts it. */
export interface SdkTransport {
  start(): Promise<void>;
  send(message: never): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** Whether a transport is one of Vitrine's own, whose `start` takes the function that receives messages. */
export const isOwnTransport = (transport: SdkTransport | BridgeTransport): transport is BridgeTransport =>
  transport.start.length > 0;

/** An official transport, as a bridge takes it. Errors of sending go to `onerror`. */
export function fromSdkTransport(
  transport: SdkTransport,
  { onstart, onerror }: { onstart: (started: Promise<void>) => void; onerror: (error: Error) => void },
): BridgeTransport {
  let isClosed = false;
  return {
    start(receive, closed) {
      const { onclose, onerror: before } = transport;
      // Official transports may deliver inside `send`, before the request is pending.
      transport.onmessage = (message: unknown) => queueMicrotask(() => isClosed || receive(message));
      transport.onclose = () => {
        onclose?.();
        if (!isClosed) closed();
      };
      transport.onerror = (error) => {
        before?.(error);
        onerror(error);
      };
      onstart(transport.start());
    },
    send: (message) => void transport.send(message as never).catch(onerror),
    close() {
      if (isClosed) return;
      isClosed = true;
      transport.close().catch(onerror);
    },
  };
}

/** Options of {@link PostMessageTransport}. */
export interface PostMessageTransportOptions {
  /** The origin of the other side. Without it, the origin of the first message counts. */
  origin?: string | undefined;
}

/**
 * The official transport over `postMessage`, with a pinned origin: once the frame has sent something, only that origin
 * can send and receive. The official transport talks to every document that the frame navigates to. So does this one if
 * the origin is `null`, as in a frame without `allow-same-origin`: all documents there have this origin.
 *
 * @example
 * ```ts source="./app-bridge.examples.ts#postMessageTransport"
 * const target = iframe.contentWindow as Window;
 * const { origin } = new URL(iframe.src);
 * await bridge.connect(new PostMessageTransport(target, target, { origin }));
 * ```
 */
export class PostMessageTransport implements SdkTransport {
  onmessage: SdkTransport["onmessage"];
  onclose: SdkTransport["onclose"];
  onerror: SdkTransport["onerror"];
  readonly #target: Pick<Window, "postMessage">;
  readonly #source: MessageEventSource;
  #origin: string | undefined;

  constructor(
    eventTarget: Pick<Window, "postMessage"> = window.parent,
    eventSource: MessageEventSource,
    { origin }: PostMessageTransportOptions = {},
  ) {
    this.#target = eventTarget;
    this.#source = eventSource;
    this.#origin = origin;
  }

  readonly #receive = ({ source, origin, data }: MessageEvent): void => {
    // Messages of other windows are not read, because reading would deserialize them.
    if (source !== this.#source || (this.#origin ?? origin) !== origin) return;
    // Other scripts of the document may post here, too.
    if (typeof data !== "string" && Object(data).jsonrpc !== "2.0") return;
    this.#origin = origin;
    this.onmessage?.(data as never);
  };

  async start(): Promise<void> {
    addEventListener("message", this.#receive);
  }

  async send(message: unknown): Promise<void> {
    const origin = this.#origin ?? "null";
    this.#target.postMessage(message, origin === "null" ? "*" : origin);
  }

  async close(): Promise<void> {
    removeEventListener("message", this.#receive);
    this.onclose?.();
  }
}
