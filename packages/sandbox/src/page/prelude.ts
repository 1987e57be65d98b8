/**
 * Runs first in every view's document and tells the proxy what a frame cannot see from outside: that the
 * document began, that it drew something, what its policy blocked, what its scripts threw. All of it is about the view itself, so a
 * view that lies here only hurts its own diagnosis. Nothing else of the document is touched.
 */
import { closeEscapes } from "./escapes.js";
import { inputPorts } from "./input.js";
import { awaitVue, PARENT } from "./parent.js";

/** Puts the guards back that `document.open()` took away. */
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
    report("csp_violation", {
      directive: event.effectiveDirective,
      blocked: short(event.blockedURI),
      source: short(event.sourceFile),
      line: event.lineNumber,
    }),
  );
  /** `file:line:column`; the app's own document is `document`, as its address says nothing to its author. */
  const place = (where: string): string =>
    short(where.replace(location.origin + location.pathname, "document"));
  addEventListener("error", ({ message, filename, lineno, colno }) =>
    report("script_error", {
      message: short(message),
      place: filename && place(`${filename}:${lineno}:${colno}`),
    }),
  );
  // A rejection has no place of its own: the first one in the stack is where the error was made.
  addEventListener("unhandledrejection", ({ reason }) =>
    report("script_error", {
      message: short(reason?.message ?? reason),
      place: place(/[^\s(@]+:\d+:\d+/.exec(reason?.stack)?.[0] ?? ""),
    }),
  );
  // Whether anything was ever drawn: colours, text, an image, a canvas.
  new PerformanceObserver(() => report("painted", {})).observe({ type: "paint", buffered: true });
  // A key that the app has no use for: the host may have one, and cannot hear it here.
  // Asked afterwards, as this listener is the first of all.
  addEventListener("keydown", (event) => {
    if (event.key === "Escape")
      setTimeout(() => event.defaultPrevented || tell(proxy, "report", { code: "escape" }));
  });
  // `document.open()` takes every listener from the window. This one stays, and puts them back.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => prelude({ proxy, copy });
  const ports = inputPorts();
  // The token goes out once, before the view has a script that could replace `parent`.
  tell(proxy, "started", ports[0] ? { token } : {}, [port2, largeMessages(proxy), ...ports]);
}

/**
 * A way for large messages straight from the host: past the proxy, whose process would copy them, and parsed here,
 * so that their objects are made once and not by a slow copy between origins. The view hears them like any other.
 * Returns the host's end.
 */
function largeMessages(proxy: string): MessagePort {
  const { port1, port2 } = new MessageChannel();
  /** How many messages came from the proxy. */
  let heard = 0;
  let waiting: { after: number; message: unknown } | undefined;
  /** The beginning of one whose end is still being written. */
  let parts: string[] = [];
  const deliver = (force?: boolean): void => {
    if (!waiting || (heard < waiting.after && !force)) return;
    const { message } = waiting;
    waiting = undefined;
    try {
      const data = typeof message === "string" ? JSON.parse(message) : message;
      dispatchEvent(new MessageEvent("message", { source: PARENT, origin: proxy, data }));
    } finally {
      // The next one may come, whatever became of this one.
      port1.postMessage(0);
    }
  };
  port1.onmessage = ({ data }) => {
    if (typeof data === "string") {
      parts.push(data);
      return;
    }
    // Others may be left of one that could not be finished.
    if (data.parts) data.message = parts.slice(-data.parts).join("") + data.message;
    parts = [];
    waiting = data;
    // What was sent before it comes before it; if it was lost on the way, this one is not.
    deliver();
    setTimeout(() => waiting === data && deliver(true), 500);
  };
  addEventListener("message", ({ source, isTrusted }) => {
    if (source !== parent || !isTrusted) return;
    heard++;
    // After everybody else has heard this one.
    if (waiting) setTimeout(() => deliver());
  });
  return port2;
}

/** Tells the proxy something under a reserved name. */
export const tell = (proxy: string, what: string, params = {}, ports: MessagePort[] = []): void =>
  parent.postMessage({ jsonrpc: "2.0", method: `ui/notifications/sandbox-${what}`, params }, proxy, ports);
