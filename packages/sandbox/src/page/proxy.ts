/**
 * The page between the host and a view. It shows one view, relays messages between the two, and tells the host
 * what happens to the frame. It decides nothing: policies are response headers, the rest is the host's.
 *
 * A host that takes the port offered with `sandbox-proxy-ready` is spoken to in JSON text: a large message
 * crosses to another process many times faster than as objects, and a view's flood or giant stops here, in the
 * view's own process. Any other host, such as one built on the official SDK, is spoken to by `postMessage`, in
 * objects.
 */
import { LARGE } from "./prelude.js";

type Message = { method?: unknown; id?: unknown; params?: Record<string, unknown> };

const { hosts = "", view = "" } = (document.currentScript as HTMLScriptElement).dataset;
const HOSTS = hosts.split(" ");
const RESERVED = "ui/notifications/sandbox-";
/** Most characters in a message of a view; most messages in a burst, and in each millisecond after it. */
const LONGEST = 32e6;
const BURST = 5000;
const PER_MS = 2;

// S02: not un-framed, and not in a page that could reach in.
let reachable = parent === window;
try {
  reachable ||= !!parent.document;
} catch {
  // As it must be: the host page has another origin.
}
if (reachable) throw new Error("This page works only inside its host.");

/** The host page's origin, and the port it took, once it spoke. */
let host: string | undefined;
let taken: MessagePort | undefined;
let viewSendsText = false;
let html: string | undefined;
/** The frame's document began, and has not finished loading. */
let started = false;
let loads = 0;
let budget = BURST;
let counted = 0;
let flooded = false;

const tell = (what: string, params: object): void =>
  toHost({ jsonrpc: "2.0", method: RESERVED + what, params } as Message);
const report = (code: string, params?: object): void => tell("report", { ...params, code });

function toHost(message: Message, text = JSON.stringify(message)): void {
  if (taken) taken.postMessage(text);
  // Where the target is not the parent's origin nothing is delivered.
  else for (const origin of host ? [host] : HOSTS) parent.postMessage(message, origin);
}

function toView(message: unknown, ports: readonly MessagePort[] = []): void {
  frames[0]?.postMessage(message, view === "null" ? "*" : view, [...ports]);
}

function fromHost(message: Message | null, ports: readonly MessagePort[]): void {
  const method = `${message?.method}`;
  const params = message?.params;
  if (method === `${RESERVED}resource-ready`) {
    html = `${params?.html}`;
    // It asks when it is there; if it was there first, it asked in vain.
    toView(html);
  } else if (method === `${RESERVED}ping`) tell("pong", {});
  else if (!method.startsWith(RESERVED)) {
    // D11: JSON has only null for what is gone, and official views want undefined.
    if (method === "ui/notifications/host-context-changed" && !viewSendsText)
      for (const key in params) params[key] ??= undefined;
    toView(viewSendsText ? JSON.stringify(message) : message, ports);
  }
}

function fromView(data: unknown): void {
  const now = performance.now();
  budget = Math.min(BURST, budget + (now - counted) * PER_MS) - 1;
  counted = now;
  if (budget < 0) {
    budget = 0;
    if (!flooded) report("flooded");
    flooded = true;
    return;
  }
  flooded &&= budget < BURST / 2;
  const isText = typeof data === "string";
  let message: Message;
  let text: string;
  try {
    message = isText ? JSON.parse(data) : data;
    text = isText ? data : JSON.stringify(data);
  } catch {
    // No JSON, or nested too deep to be written: no message of this protocol.
    report("malformed");
    return;
  }
  const { method, id, params } = Object(message) as Message;
  const name = `${method}`.slice(0, 99);
  if (name === `${RESERVED}started`) started = true;
  else if (name === `${RESERVED}waiting`) html !== undefined && toView(html);
  else if (name === `${RESERVED}report`) tell("report", { ...params, by: "view" });
  else if (name.startsWith(RESERVED)) report("reserved", { method: name });
  else if (text?.length > LONGEST) report("too_large", { id, method: name });
  else {
    // T03: a view is answered in the form it speaks.
    viewSendsText ||= isText && method !== undefined;
    toHost(message, text);
  }
}

addEventListener("message", ({ source, origin, data, ports }) => {
  // S08: source and origin, both.
  if (source === parent && HOSTS.includes(origin) && origin === (host ??= origin)) fromHost(data, ports);
  else if (source === frames[0] && origin === view) fromView(data);
});

// The frame's load event does not bubble, but it can be captured before the frame is in the page.
document.addEventListener("load", () => judge(Date.now() + 1000), true);

/** What was loaded: a view says that it began, an error page says nothing. That word may be late. */
function judge(deadline: number): void {
  if (!started && Date.now() < deadline) {
    setTimeout(judge, 20, deadline);
    return;
  }
  report(started ? "loaded" : loads ? "navigated_away" : "load_failed");
  started = false;
  loads++;
}

// This page's policy names the one origin that the frame may show: a navigation elsewhere is blocked, and heard.
addEventListener("securitypolicyviolation", ({ effectiveDirective: directive, blockedURI: blocked }) =>
  report("csp_violation", { directive, blocked }),
);

for (const origin of HOSTS) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data, ports }) => {
    taken = port1;
    host = origin;
    // The host's library writes reserved methods first and in this form; the rest of a large text is the view's.
    if (data.length > 1e5 && !viewSendsText && !data.startsWith(`{"jsonrpc":"2.0","method":"${RESERVED}`))
      toView({ [LARGE]: data }, ports);
    else if (data) fromHost(JSON.parse(data), ports);
  };
  parent.postMessage({ jsonrpc: "2.0", method: `${RESERVED}proxy-ready`, params: {} }, origin, [port2]);
}
