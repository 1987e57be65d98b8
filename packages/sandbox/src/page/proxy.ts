/**
 * The page between the host and a view. It shows one view, relays messages, and reports events of the frame
 * to the host. It decides nothing: policies are response headers, and the rest is up to the host.
 *
 * A host that takes the port offered with `sandbox-proxy-ready` gets JSON text: a large message crosses to
 * another process many times faster than as objects, and a view's flood or giant message stops here, in the
 * view's own process. Any other host, such as one built on the official SDK, gets objects by `postMessage`.
 */
import { matchesHost } from "./match-host.js";

type Message = { jsonrpc?: unknown; method?: unknown; id?: unknown; params?: Record<string, unknown> };

const { hosts = "", view = "", token } = document.body.dataset;
const frame = document.querySelector("template")?.content.firstChild as HTMLIFrameElement;
const HOSTS = hosts.split(" ");
const isHost = (origin: string): boolean => HOSTS.some((source) => matchesHost(source, origin));
/** The host page's origin, if the browser reveals it: a message to a wrong origin is logged as an error. */
const page = location.ancestorOrigins?.[0];
/**
 * The target of messages to a page. Only origins of the web can be named; the policy has already decided which page is
 * around this one.
 */
const targetOf = (source: string): string => (/^https?:[^*]+$/.test(source) ? source : "*");
const TARGETS = new Set((page === undefined ? HOSTS : isHost(page) ? [page] : []).map(targetOf));
const RESERVED = "ui/notifications/sandbox-";
/** Maximum characters of a view's message and of its reports, and maximum depth of both. */
const LONGEST = 32e6;
const LONGEST_REPORT = 1e4;
const DEEPEST = 500;
/** Maximum messages in a burst, and per millisecond after it. */
const BURST = 5000;
const PER_MS = 2;

// Must be framed, and not by a page that could access it.
let reachable = parent === window;
try {
  reachable ||= !!parent.document;
} catch {
  // Expected: the host page has another origin.
}
if (reachable) throw new Error("only inside its host");

/** The host page's origin and port, after its first message. */
let host: string | undefined;
let taken: MessagePort | undefined;
let viewSendsText = false;
/** Makes an existing document report its start again. */
let again: MessagePort | undefined;
/**
 * The port that reports presses and Tab in the view, until the host takes it. Only the script before a
 * document has its other end.
 */
let presses: MessagePort | undefined;
/** The direct channel to the view, until the host takes it. */
let direct: MessagePort[] = [];
/** Number of messages to the frame, and of those before this view. */
let relayed = 0;
let before = 0;
let html: string | undefined;
/** Whether the frame's document asked for its HTML. */
let waiting = false;
/** Whether the frame's document started, and has neither finished loading nor left; whether one ever did. */
let started = false;
let begun = false;
/** Whether a navigation was blocked: an error page replaces the view, whatever it still sends. */
let left = false;
let loads = 0;
let budget = BURST;
let counted = 0;
let flooded = false;

const reserved = (what: string, params = {}): Message => ({
  jsonrpc: "2.0",
  method: RESERVED + what,
  params,
});
/** The name of a reserved method; undefined for any other. */
const read = (method: string): string | undefined =>
  method.startsWith(RESERVED) ? method.slice(RESERVED.length) : undefined;
const tell = (what: string, params?: object): void => toHost(reserved(what, params));
const report = (code: string, params?: object): void => tell("report", { ...params, code });

function toHost(message: Message, text = JSON.stringify(message)): void {
  if (taken) taken.postMessage(text);
  // If the origin does not match the parent's, the message is not delivered.
  else for (const target of host ? [targetOf(host)] : TARGETS) parent.postMessage(message, target);
}

/** Offers the host the channel for large messages; counting restores their order. */
function offer(): void {
  // Direct messages arrive as objects.
  if (viewSendsText) direct = [];
  if (taken && direct[0]) taken.postMessage(JSON.stringify(reserved("started", { before })), direct);
  // Directly to the host, because a busy view keeps this page busy too.
  if (taken && presses) taken.postMessage(JSON.stringify(reserved("presses")), [presses]);
  if (taken) {
    direct = [];
    presses = undefined;
  }
}

function toView(message: unknown): void {
  frame.contentWindow?.postMessage(message, view === "null" ? "*" : view);
}

function fromHost(message: Message | null): void {
  const method = `${message?.method}`;
  const params = message?.params;
  const what = read(method);
  if (what === "resource-ready") {
    html = `${params?.html}`;
    handOver();
  }
  // A press in any frame of the view activates this page too, and no script can forge it.
  else if (what === "ping") tell("pong", { active: navigator.userActivation?.isActive, view });
  else if (what === "load") {
    html ??= "";
    handOver();
  } else if (what === undefined) {
    // JSON has only null for removed keys, but official views expect undefined.
    if (method === "ui/notifications/host-context-changed" && !viewSendsText)
      for (const key in params) params[key] ??= undefined;
    relayed++;
    toView(viewSendsText ? JSON.stringify(message) : message);
  }
}

/** Only to a document that asked: a running app has no use for it. */
function handOver(): void {
  if (!waiting || html === undefined) return;
  waiting = false;
  toView(html);
}

function fromView(data: unknown, ports: readonly MessagePort[]): void {
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
  let length: number;
  let name: string;
  try {
    message = isText ? JSON.parse(data) : data;
    text = isText ? data : JSON.stringify(data);
    ({ length } = text);
    name = `${Object(message).method}`.slice(0, 99);
  } catch {
    // Neither JSON nor convertible: not a message of this protocol.
    report("malformed");
    return;
  }
  const { method, id, params }: Message = Object(message);
  const what = read(name);
  const ofItself = what === "report";
  if (what === "started") {
    begun = true;
    started = !left;
    waiting = false;
    const [first, large, press] = ports;
    again = first;
    direct = large ? [large] : [];
    // A view can also report a start, but it does not know the token.
    if (press && params?.token === token) presses = press;
    before = relayed;
    offer();
  } else if (what === "waiting") {
    waiting = true;
    handOver();
  } else if (length > (ofItself ? LONGEST_REPORT : LONGEST))
    // The host answers by id, unless the id is what is too large.
    report("too-large", { id: JSON.stringify(id)?.length < 99 ? id : undefined, method: name });
  else if (isDeep(message, DEEPEST)) report("malformed");
  else if (ofItself) tell("report", { ...params, by: "view" });
  else if (what !== undefined) report("reserved", { method: name });
  else {
    // A view is answered in its own form.
    if (isText && method !== undefined && !viewSendsText) {
      viewSendsText = true;
      tell("text");
    }
    toHost(message, text);
  }
}

/** Chromium handles JSON of any depth, but code that recurses over it later could run out of stack. */
function isDeep(value: unknown, left: number): boolean {
  if (Object(value) !== value) return false;
  for (const key in value as object)
    if (!left || isDeep((value as Record<string, unknown>)[key], left - 1)) return true;
  return false;
}

frame.onload = () => {
  if (!started) again?.postMessage(0);
  judge(++loads, Date.now() + 1000);
};

addEventListener("message", (event) => {
  const { source, origin } = event;
  // Checks source and origin. Messages of others are not read at all, because reading would deserialize them.
  if (source === parent && isHost(origin) && origin === (host ??= origin)) fromHost(event.data);
  else if (source === frame.contentWindow && origin === view) fromView(event.data, event.ports);
});

/**
 * Decides what was loaded: a view reports its start, an error page does not. The report may be late, and a
 * view that rewrote its document sends it on request.
 */
function judge(load: number, deadline: number): void {
  // A later load is judged separately.
  if (load !== loads) return;
  if (!started && Date.now() < deadline) {
    setTimeout(judge, 20, load, deadline);
    return;
  }
  report(started ? "loaded" : begun ? "navigated-away" : "load-failed");
  started = false;
}

// This page's policy names the only address that the frame may show: other navigations are blocked and
// reported.
addEventListener("securitypolicyviolation", ({ effectiveDirective: directive, blockedURI: blocked }) => {
  left = true;
  started = false;
  report("csp-violation", { directive, blocked: blocked.slice(0, 300) });
});

// Preloaded: the view's document arrives as text, and stays text until the host shows it.
if (location.hash === "#later") frame.src += "?later";
document.body.append(frame);
for (const target of TARGETS) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => {
    taken = port1;
    host = target;
    offer();
    if (data) fromHost(JSON.parse(data));
  };
  parent.postMessage(reserved("proxy-ready"), target, [port2]);
}
