/**
 * The host page's transport to a view behind a sandbox proxy.
 *
 * @module
 */
import {
  encodeError,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isRequestId,
  recordOf,
  type Transport,
} from "@vitrine/protocol";
import { cut, encode, PART } from "./encode.js";

/** A proxy's report about its frame. `by` is set if it came from the view. */
export interface ProxyReport {
  code:
    | "loaded"
    | "painted"
    | "load-failed"
    | "navigated-away"
    | "csp-violation"
    | "script-error"
    | "console"
    | "escape"
    | "flooded"
    | "too-large"
    | "malformed"
    | "reserved";
  by?: "view";
  [detail: string]: unknown;
}

/** Location of the proxy. */
export interface ProxyTransportOptions {
  /** The proxy's window. */
  target: Window;
  /** The proxy's origin. */
  origin: string;
  /** The view's document, if the sandbox does not have it: sent as soon as the proxy is ready. */
  html?: string | undefined;
}

type Form = ReturnType<typeof encode>;

const RESERVED = "ui/notifications/sandbox-";

/** Characters above which a message goes directly to the view. */
const LARGE = 50_000;
/** Milliseconds that a view may take to receive a large message. */
const RECEIVE_TIMEOUT = 10_000;
/** Milliseconds of work at a time: imperceptible, but long enough that pauses cost little. */
const SLICE = 40;

/** Whether a window is somewhere inside another one. */
function isWithin(source: MessageEventSource | null, target: Window): boolean {
  let at = source;
  while (at && "parent" in at && at !== at.parent) {
    at = at.parent;
    if (at === target) return true;
  }
  return false;
}

const isShort = (form: unknown): form is string => typeof form === "string" && form.length < LARGE;

/**
 * Sends messages to a view through its proxy, as JSON text over the port that the proxy offers; large ones go
 * directly to the view's document. Source and origin of the proxy's window are checked on every message; a
 * port belongs to one document, and dies with it.
 *
 * @example
 * ```ts source="./frame.examples.ts#proxyTransport"
 * // Your own frame instead of `<mcp-app>`.
 * const target = iframe.contentWindow as Window;
 * bridge.open(new ProxyTransport({ target, origin: view.origin }));
 * iframe.src = view.src;
 * ```
 */
export class ProxyTransport implements Transport {
  readonly carriesText = true;
  /** Called with the proxy's reports about its frame. */
  onreport: ((report: ProxyReport) => void) | undefined;
  /**
   * Called with the answer to a ping: whether the user was active in the proxy's frame within the last
   * seconds.
   */
  onpong: ((isActive: unknown) => void) | undefined;
  /**
   * Called after a press in the view, or after Tab that left it. The view cannot forge either, but it can
   * delay the call, so `at` is the time of the press, as `performance.now()` of this page.
   */
  onpress: ((isTab: boolean, at: number) => void) | undefined;
  /** Called for each message that the view sent past its proxy. Such messages are ignored. */
  onstray: (() => void) | undefined;
  readonly #options: ProxyTransportOptions;
  /** Port to the script before the view's document. */
  #presses: MessagePort | undefined;
  #held: 0 | 1 | 2 | undefined;
  #receive: (message: unknown) => void = () => {};
  #proxy: MessagePort | undefined;
  /** The port for large messages, and the number of other messages before the view started. */
  #direct: MessagePort | undefined;
  #before = 0;
  /** Number of messages through the proxy. */
  #relayed = 0;
  /** Messages that wait for the proxy, or for a large message before them. */
  #waiting: unknown[] = [];
  #busy = false;
  /** Ends the wait for a view that received a large message. */
  #heard: (() => void) | undefined;
  /** The view's origin. */
  #view: unknown;

  constructor(options: ProxyTransportOptions) {
    this.#options = options;
    addEventListener("message", this.#hear);
  }

  /** Whether the proxy has loaded. */
  get isReady(): boolean {
    return !!this.#proxy;
  }

  start(receive: (message: unknown) => void): void {
    this.#receive = receive;
  }

  /** Pings the proxy's process, or makes it show its preloaded view, with the document if the sandbox has none. */
  tell(what: "ping" | "load" | "resource-ready", params?: { html: string }): void {
    this.#proxy?.postMessage(JSON.stringify({ jsonrpc: "2.0", method: RESERVED + what, params }));
  }

  /**
   * Sends whether something outside of the view takes keys (1), and whether the user is typing there (2). If
   * so, the view drops keys after it takes the focus.
   */
  hold(held: 0 | 1 | 2): void {
    this.#held = held;
    this.#presses?.postMessage(held);
  }

  /** Moves the focus into the view. */
  focus(): void {
    this.#presses?.postMessage("focus");
  }

  send(message: unknown): void {
    const isFree = this.#proxy && !this.#busy;
    const form = isFree && encode(message);
    if (isShort(form)) this.#relay(form);
    else {
      this.#waiting.push(typeof form === "string" ? form : message);
      if (isFree) void this.#flush();
    }
  }

  /** Sends the queue, in order. */
  async #flush(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const message = this.#waiting.shift();
      try {
        await this.#sendForm(typeof message === "string" ? message : encode(message));
      } catch (error) {
        // Cycles and similar: the sender gets the error, and a waiting requester gets an error answer.
        reportError(error);
        const { id, method } = recordOf(message);
        if (isRequestId(id) && method === undefined)
          this.#relay(JSON.stringify(encodeError(id, INTERNAL_ERROR, "cannot be sent")));
      }
    }
    this.#busy = false;
  }

  async #sendForm(form: Form): Promise<void> {
    const direct = this.#direct;
    const isText = typeof form === "string";
    let text = "";
    let parts = 0;
    if (isText || Symbol.iterator in form) {
      let began = performance.now();
      for (const part of isText ? cut(form) : form) {
        if (direct && text.length >= PART) {
          // The first parts are sent while the last are serialized.
          direct.postMessage(text);
          parts++;
          text = "";
        }
        text += part;
        if (performance.now() - began < SLICE) continue;
        await new Promise((resolve) => setTimeout(resolve));
        began = performance.now();
        // The recipient may be gone.
        if (direct !== this.#direct) return;
      }
    }
    const message = text || form;
    if (!direct || (!parts && isShort(message))) {
      this.#relay(typeof message === "string" ? message : JSON.stringify(message));
      return;
    }
    direct.postMessage({ after: this.#relayed - this.#before, parts, message });
    // Nothing else is sent until it was received, or it would arrive first.
    await new Promise<void>((resolve) => {
      // A view that does not confirm gets everything through its proxy from then on.
      const timer = setTimeout(() => this.#begin(undefined, 0), RECEIVE_TIMEOUT);
      this.#heard = () => {
        clearTimeout(timer);
        this.#heard = undefined;
        resolve();
      };
    });
  }

  #relay(text: string): void {
    this.#relayed++;
    this.#proxy?.postMessage(text);
  }

  readonly #hear = (event: MessageEvent): void => {
    const { target, origin, html } = this.#options;
    if (event.source !== target || event.origin !== origin) {
      // A removed frame has no window, but it had the view's origin.
      const isGone = !event.source && event.origin === this.#view;
      if (isGone || isWithin(event.source, target)) this.onstray?.();
      return;
    }
    // Not before: reading a stranger's message would deserialize it here, and any app can reach this window.
    const { data, ports } = event;
    const [port] = ports;
    if (Object(data).method !== `${RESERVED}proxy-ready`) this.deliver(data, ports);
    // Only the first port counts.
    else if (port && !this.#proxy) {
      this.#proxy = port;
      port.onmessage = (event) => this.deliver(event.data, event.ports);
      // Takes the port: from now on the proxy uses it.
      port.postMessage("");
      // Before all other messages.
      if (html !== undefined) this.tell("resource-ready", { html });
      if (this.#waiting.length > 0) void this.#flush();
    }
  };

  /** Handles a message as if the proxy had just sent it. */
  deliver(data: unknown, ports: readonly MessagePort[]): void {
    let message = data;
    try {
      if (typeof data === "string") message = JSON.parse(data);
    } catch {
      // The peer answers unparsable text.
    }
    const { method, params: given } = recordOf(message);
    if (typeof method !== "string" || !method.startsWith(RESERVED)) {
      this.#receive(message);
      return;
    }
    const what = method.slice(RESERVED.length);
    const params = recordOf(given);
    if (what === "pong") {
      this.#view = params["view"];
      this.onpong?.(params["active"]);
    } else if (what === "presses" && ports[0]) {
      // Each document in the frame has its own port.
      this.#presses?.close();
      this.#presses = ports[0];
      ports[0].onmessage = ({ data: { tab, at } }) =>
        this.onpress?.(tab === true, performance.now() - Date.now() + Number(at));
      if (this.#held !== undefined) this.hold(this.#held);
    } else if (what === "report") {
      const { code, by, id } = params;
      // An undeliverable request is answered anyway.
      if (code === "too-large" && !by && isRequestId(id)) this.send(encodeError(id, INVALID_REQUEST, code));
      this.onreport?.(params as unknown as ProxyReport);
    } else if (what === "started") this.#begin(ports[0], Number(params["before"]));
    // A view that sends text gets text, which the proxy handles.
    else if (what === "text") this.#begin(undefined, 0);
  }

  /** A document started in the frame: ports to the previous one are dead. */
  #begin(port: MessagePort | undefined, before: number): void {
    this.#direct?.close();
    this.#direct = port;
    this.#before = before;
    this.#heard?.();
    // Any message means that it was received. It is not read: the view may have obtained the port.
    if (port) port.onmessage = () => (this.#heard ?? this.onstray)?.();
  }

  close(): void {
    this.#waiting = [];
    removeEventListener("message", this.#hear);
    this.#proxy?.close();
    this.#begin(undefined, 0);
  }
}
