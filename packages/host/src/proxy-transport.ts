/**
 * The host page's end of the wire to a view behind a sandbox proxy.
 *
 * @module
 */
import {
  encodeError,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  type RequestId,
  type Transport,
} from "@vitrine/protocol";
import { cut, encode, PART } from "./encode.js";

/** What a proxy says about its frame. `by` is there when it was the view's own word. */
export interface ProxyReport {
  code:
    | "loaded"
    | "painted"
    | "load_failed"
    | "navigated_away"
    | "csp_violation"
    | "script_error"
    | "console"
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

type Form = ReturnType<typeof encode>;

const RESERVED = "ui/notifications/sandbox-";

/** Characters from which a message goes straight to the view. */
const LARGE = 50_000;
/** Milliseconds that a view may take to hear a large message. */
const PATIENCE = 10_000;
/** Milliseconds of work at a time: under what a person notices, and few enough turns that waiting costs little. */
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
 * Carries messages to a view through its proxy, as JSON text over the port that the proxy offers; large ones go
 * straight to the view's document. Source and origin of the proxy's window are checked on every message; a port is
 * held by one document alone, and dies with it.
 *
 * @example
 * ```ts source="./frame.examples.ts#proxyTransport"
 * // A frame of your own, in place of `<mcp-app>`.
 * const target = iframe.contentWindow as Window;
 * bridge.open(new ProxyTransport({ target, origin: view.origin }));
 * iframe.src = view.src;
 * ```
 */
export class ProxyTransport implements Transport {
  readonly carriesText = true;
  /** Hears what the proxy says about its frame. */
  onreport: ((report: ProxyReport) => void) | undefined;
  /** Called with the answer to a ping: whether somebody did something in the proxy's frame within the last seconds. */
  onpong: ((isActive: unknown) => void) | undefined;
  /**
   * Called after a press in the view, or after Tab that led out of it. The view cannot forge either. It can delay the call,
   * so `at` says when the press was, as `performance.now()` of this page.
   */
  onpress: ((isTab: boolean, at: number) => void) | undefined;
  /** Hears of each message that the view sent past its proxy. None has a meaning. */
  onstray: (() => void) | undefined;
  readonly #options: ProxyTransportOptions;
  /** Leads to the script before the view's document. */
  #presses: MessagePort | undefined;
  #held: 0 | 1 | 2 | undefined;
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
  /** Ends the wait for a view that was given a large message. */
  #heard: (() => void) | undefined;
  /** The view's origin. */
  #view: unknown;

  constructor(options: ProxyTransportOptions) {
    this.#options = options;
    addEventListener("message", this.#hear);
  }

  /** The proxy has come. */
  get isReady(): boolean {
    return !!this.#proxy;
  }

  start(receive: (message: unknown) => void): void {
    this.#receive = receive;
  }

  /** Asks the proxy whether its process still runs, or to show the view that it was made ready without. */
  tell(what: "ping" | "load"): void {
    this.#proxy?.postMessage(JSON.stringify({ jsonrpc: "2.0", method: RESERVED + what }));
  }

  /**
   * Says whether something outside of the view takes keys (1), and whether somebody is typing there (2). If so, the view
   * drops keys that follow when it takes the focus.
   */
  hold(held: 0 | 1 | 2): void {
    this.#held = held;
    this.#presses?.postMessage(held);
  }

  /** Puts the focus into the view. */
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

  /** Sends what waits, in order. */
  async #flush(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const message = this.#waiting.shift();
      try {
        await this.#sendForm(typeof message === "string" ? message : encode(message));
      } catch (error) {
        // Cycles and the like: who made it hears so, and whoever waits for an answer that there is none.
        reportError(error);
        const { id, method } = Object(message) as { id?: RequestId; method?: unknown };
        if (id !== undefined && method === undefined)
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
          // The first are on their way while the last are written.
          direct.postMessage(text);
          parts++;
          text = "";
        }
        text += part;
        if (performance.now() - began < SLICE) continue;
        await new Promise((resolve) => setTimeout(resolve));
        began = performance.now();
        // Whom it was for may be gone.
        if (direct !== this.#direct) return;
      }
    }
    const message = text || form;
    if (!direct || (!parts && isShort(message))) {
      this.#relay(typeof message === "string" ? message : JSON.stringify(message));
      return;
    }
    direct.postMessage({ after: this.#relayed - this.#before, parts, message });
    // Until it was heard nothing else is sent, or that would be heard first.
    await new Promise<void>((resolve) => {
      // A view that does not say so is sent everything by its proxy from then on.
      const timer = setTimeout(() => this.#begin(undefined, 0), PATIENCE);
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
    const { target, origin } = this.#options;
    if (event.source !== target || event.origin !== origin) {
      // A frame that is gone by now has no window, but it had the view's origin.
      const isGone = !event.source && event.origin === this.#view;
      if (isGone || isWithin(event.source, target)) this.onstray?.();
      return;
    }
    // Not before: to look at what a stranger sent is to unpack it here, and an app can reach this window (D03).
    const { data, ports } = event;
    const [port] = ports;
    if (Object(data).method !== `${RESERVED}proxy-ready`) this.deliver(data, ports);
    // B05: the first is the only one.
    else if (port && !this.#proxy) {
      this.#proxy = port;
      port.onmessage = (event) => this.deliver(event.data, event.ports);
      // Takes the port: from now on the proxy speaks on it.
      port.postMessage("");
      if (this.#waiting.length > 0) void this.#flush();
    }
  };

  /** Takes a message as if the proxy had just sent it. */
  deliver(data: unknown, ports: readonly MessagePort[]): void {
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
    if (what === "pong") {
      this.#view = params?.["view"];
      this.onpong?.(params?.["active"]);
    } else if (what === "presses" && ports[0]) {
      // Each document in the frame has a port of its own.
      this.#presses?.close();
      this.#presses = ports[0];
      ports[0].onmessage = ({ data: { tab, at } }) =>
        this.onpress?.(tab === true, performance.now() - Date.now() + Number(at));
      if (this.#held !== undefined) this.hold(this.#held);
    } else if (what === "report") {
      const { code, by, id } = params as ProxyReport;
      // What did not get through is answered all the same (L12).
      if (code === "too_large" && !by && id !== undefined)
        this.send(encodeError(id as RequestId, INVALID_REQUEST, code));
      this.onreport?.(params as ProxyReport);
    } else if (what === "started") this.#begin(ports[0], Number(params?.before));
    // A view that writes text is answered in text, which the proxy does (T03).
    else if (what === "text") this.#begin(undefined, 0);
  }

  /** A document began in the frame: what leads to the one before it leads nowhere. */
  #begin(port: MessagePort | undefined, before: number): void {
    this.#direct?.close();
    this.#direct = port;
    this.#before = before;
    this.#heard?.();
    // Whatever it says means that it heard. It is not looked at: the view may have got hold of the port.
    if (port) port.onmessage = () => (this.#heard ?? this.onstray)?.();
  }

  close(): void {
    this.#waiting = [];
    removeEventListener("message", this.#hear);
    this.#proxy?.close();
    this.#begin(undefined, 0);
  }
}
