/**
 * The host page's end of the wire to a view behind a sandbox proxy.
 *
 * @module
 */
import { encodeError, INTERNAL_ERROR, type RequestId, type Transport } from "@vitrine/protocol";
import { encode } from "./encode.js";

/** What a proxy says about its frame. `by` is there when it was the view's own word. */
export interface ProxyReport {
  code:
    | "loaded"
    | "load_failed"
    | "navigated_away"
    | "csp_violation"
    | "script_error"
    | "escape"
    | "flooded"
    | "too_large"
    | "malformed"
    | "reserved";
  by?: "view";
  [detail: string]: unknown;
}

/** Where the proxy is. */
export interface ProxyTransportOptions {
  /** The proxy's window. */
  target: Window;
  /** The proxy's origin. */
  origin: string;
}

const RESERVED = "ui/notifications/sandbox-";

/** Characters from which a message goes straight to the view. */
const LARGE = 50_000;

/**
 * Carries messages to a view through its proxy, as JSON text over the port that the proxy offers; large ones go
 * straight to the view's document. Source and origin of the proxy's window are checked on every message; a port is
 * held by one document alone, and dies with it.
 */
export class ProxyTransport implements Transport {
  readonly carriesText = true;
  /** Hears what the proxy says about its frame. */
  onreport: ((report: ProxyReport) => void) | undefined;
  /** Hears the answer to {@link ping}. */
  onpong: (() => void) | undefined;
  readonly #options: ProxyTransportOptions;
  #receive: (message: unknown) => void = () => {};
  #proxy: MessagePort | undefined;
  /** The way for large messages, and how many others the proxy had passed on when the view was not there yet. */
  #direct: MessagePort | undefined;
  #before = 0;
  /** How many messages went by the proxy. */
  #relayed = 0;
  /** What was sent before the proxy was there, or while a large message before it is on its way. */
  #waiting: unknown[] = [];
  #busy = false;
  #closed = false;
  /** Ends the wait for a view that was given a large message. */
  #heard: () => void = () => {};

  constructor(options: ProxyTransportOptions) {
    this.#options = options;
    addEventListener("message", this.#hear);
  }

  /** The proxy is there. */
  get isReady(): boolean {
    return !!this.#proxy;
  }

  start(receive: (message: unknown) => void): void {
    this.#receive = receive;
  }

  /** A proxy that was made ready without its view shows it now. */
  load(): void {
    this.#tell("load");
  }

  /** Asks the proxy whether its process still runs. */
  ping(): void {
    this.#tell("ping");
  }

  send(message: unknown): void {
    if (!this.#proxy || this.#busy) {
      this.#waiting.push(message);
      return;
    }
    const form = encode(message);
    if (typeof form === "string" && form.length < LARGE) this.#relay(form);
    else void this.#flush(form);
  }

  /** Sends a large message and what waits behind it, in order. */
  async #flush(first?: ReturnType<typeof encode>): Promise<void> {
    this.#busy = true;
    if (first !== undefined) await this.#sendForm(await first);
    while (this.#waiting.length > 0 && !this.#closed) {
      const message = this.#waiting.shift();
      try {
        await this.#sendForm(await encode(message));
      } catch {
        // Cycles and the like: whoever waits for an answer hears that there is none.
        const { id, method } = Object(message) as { id?: RequestId; method?: unknown };
        if (id !== undefined && method === undefined)
          this.#relay(JSON.stringify(encodeError(id, INTERNAL_ERROR, "cannot be sent")));
      }
    }
    this.#busy = false;
  }

  async #sendForm(form: string | object): Promise<void> {
    const direct = this.#direct;
    if (!direct || (typeof form === "string" && form.length < LARGE)) {
      this.#relay(typeof form === "string" ? form : JSON.stringify(form));
      return;
    }
    direct.postMessage({ after: this.#relayed - this.#before, message: form });
    // Until it was heard nothing else is sent, or that would be heard first.
    await new Promise<void>((resolve) => {
      this.#heard = resolve;
    });
  }

  #relay(text: string): void {
    this.#relayed++;
    this.#proxy?.postMessage(text);
  }

  readonly #hear = (event: MessageEvent): void => {
    if (event.source !== this.#options.target || event.origin !== this.#options.origin) return;
    // Not before: to look at what a stranger sent is to unpack it here, and an app can reach this window (D03).
    const { data, ports } = event;
    const [port] = ports;
    if (Object(data).method !== `${RESERVED}proxy-ready`) this.#deliver(data, ports);
    // B05: the first is the only one.
    else if (port && !this.#proxy) {
      this.#proxy = port;
      port.onmessage = (event) => this.#deliver(event.data, event.ports);
      // Takes the port: from now on the proxy speaks on it.
      port.postMessage("");
      if (this.#waiting.length > 0) void this.#flush();
    }
  };

  #deliver(data: unknown, ports: readonly MessagePort[]): void {
    let message = data;
    try {
      if (typeof data === "string") message = JSON.parse(data);
    } catch {
      // The peer answers what cannot be parsed.
    }
    const { method, params } = Object(message) as { method?: unknown; params?: Record<string, unknown> };
    if (typeof method !== "string" || !method.startsWith(RESERVED)) {
      this.#receive(message);
      return;
    }
    const what = method.slice(RESERVED.length);
    if (what === "pong") this.onpong?.();
    else if (what === "report") this.onreport?.(params as ProxyReport);
    else if (what === "started") this.#begin(ports[0], Number(params?.before));
    // A view that writes text is answered in text, which the proxy does (T03).
    else if (what === "text") this.#begin(undefined, 0);
  }

  /** A document began in the frame: what leads to the one before it leads nowhere. */
  #begin(port: MessagePort | undefined, before: number): void {
    this.#direct?.close();
    this.#direct = port;
    this.#before = before;
    this.#heard();
    // Whatever it says means that it heard. It is not looked at: the view may have got hold of the port.
    if (port) port.onmessage = () => this.#heard();
  }

  #tell(what: string): void {
    this.#proxy?.postMessage(JSON.stringify({ jsonrpc: "2.0", method: RESERVED + what }));
  }

  close(): void {
    this.#closed = true;
    this.#waiting = [];
    removeEventListener("message", this.#hear);
    this.#proxy?.close();
    this.#begin(undefined, 0);
  }
}
