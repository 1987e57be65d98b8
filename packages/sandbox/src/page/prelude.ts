/**
 * Runs first in every view's document and reports to the proxy what a frame cannot see from outside: that the
 * document started, that it painted, policy violations, and script errors. All of it is about the view
 * itself, so a view that lies only harms its own diagnosis. The document is not changed otherwise.
 */
import { closeEscapes } from "./escapes.js";
import { inputPorts } from "./input.js";
import { awaitVue, PARENT } from "./parent.js";

/** Restores the guards that `document.open()` removed. */
let guard: (() => void) | undefined;

export function prelude({ proxy = "", copy, token }: DOMStringMap): void {
  awaitVue();
  guard ??= closeEscapes(window, copy !== undefined);
  guard();
  let left = 50;
  const report = (code: string, params: object): void => {
    if (left-- > 0) tell(proxy, "report", { code, ...params });
  };
  const short = (text: unknown): string => `${text ?? ""}`.slice(0, 300);
  addEventListener("securitypolicyviolation", (event) =>
    report("csp-violation", {
      directive: event.effectiveDirective,
      blocked: short(event.blockedURI),
      source: short(event.sourceFile),
      line: event.lineNumber,
    }),
  );
  /**
   * `file:line:column`; the app's own document is `document`, because its address means nothing to the
   * author.
   */
  const place = (where: string): string =>
    short(where.replace(location.origin + location.pathname, "document"));
  addEventListener("error", ({ message, filename, lineno, colno }) =>
    report("script-error", {
      message: short(message),
      place: filename && place(`${filename}:${lineno}:${colno}`),
    }),
  );
  // A rejection has no location: the first one in the stack is where the error was created.
  addEventListener("unhandledrejection", ({ reason }) =>
    report("script-error", {
      message: short(reason?.message ?? reason),
      place: place(/[^\s(@]+:\d+:\d+/.exec(reason?.stack)?.[0] ?? ""),
    }),
  );
  // Whether anything was ever painted: colours, text, an image, a canvas.
  new PerformanceObserver(() => report("painted", {})).observe({ type: "paint", buffered: true });
  // A key that the app does not handle: the host may, but cannot receive it here. Checked afterwards, because
  // this listener is the first of all.
  addEventListener("keydown", (event) => {
    if (event.key === "Escape")
      setTimeout(() => event.defaultPrevented || tell(proxy, "report", { code: "escape" }));
  });
  // `document.open()` removes every listener from the window. A port survives, and restores them.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => prelude({ proxy, copy });
  const ports = inputPorts();
  // The token is sent once, before the view has a script that could replace `parent`.
  tell(proxy, "started", ports[0] ? { token } : {}, [port2, largeMessages(proxy), ...ports]);
}

/**
 * A channel for large messages directly from the host. It bypasses the proxy, whose process would copy them,
 * and they are parsed here, so that their objects are created once. The view receives them like any other.
 * Returns the host's end.
 */
function largeMessages(proxy: string): MessagePort {
  const { port1, port2 } = new MessageChannel();
  /** Number of messages from the proxy. */
  let heard = 0;
  let waiting: { after: number; message: unknown } | undefined;
  /** The parts so far of an incomplete message. */
  let parts: string[] = [];
  const deliver = (force?: boolean): void => {
    if (!waiting || (heard < waiting.after && !force)) return;
    const { message } = waiting;
    waiting = undefined;
    try {
      const data = typeof message === "string" ? JSON.parse(message) : message;
      dispatchEvent(new MessageEvent("message", { source: PARENT, origin: proxy, data }));
    } finally {
      // Requests the next one, whatever happened to this one.
      port1.postMessage(0);
    }
  };
  port1.onmessage = ({ data }) => {
    if (typeof data === "string") {
      parts.push(data);
      return;
    }
    // Parts of an interrupted message may be left.
    if (data.parts) data.message = parts.slice(-data.parts).join("") + data.message;
    parts = [];
    waiting = data;
    // Delivers in order; a lost earlier message must not block this one.
    deliver();
    setTimeout(() => waiting === data && deliver(true), 500);
  };
  addEventListener("message", ({ source, isTrusted }) => {
    if (source !== parent || !isTrusted) return;
    heard++;
    // After all other listeners have received this one.
    if (waiting) setTimeout(() => deliver());
  });
  return port2;
}

/** Sends the proxy a message with a reserved name. */
export const tell = (proxy: string, what: string, params = {}, ports: MessagePort[] = []): void =>
  parent.postMessage({ jsonrpc: "2.0", method: `ui/notifications/sandbox-${what}`, params }, proxy, ports);
