/**
 * The page between the host and a view. It shows one view, relays messages between the two, and tells the host
 * what happens to the frame. It decides nothing: policies are response headers, the rest is the host's.
 *
 * A host that takes the port offered with `sandbox-proxy-ready` is spoken to in JSON text: a large message
 * crosses to another process many times faster than as objects, and a view's flood or giant stops here, in the
 * view's own process. Any other host, such as one built on the official SDK, is spoken to by `postMessage`, in
 * objects.
 */
type Message = { jsonrpc?: unknown; method?: unknown; id?: unknown; params?: Record<string, unknown> };

const { hosts = "", view = "", token } = document.body.dataset;
const frame = document.querySelector("template")?.content.firstChild as HTMLIFrameElement;
/** The host page's origin, where the browser tells it: a message for an origin that it does not have is logged as an error. */
const HOSTS = hosts.split(" ").filter((each) => each === (location.ancestorOrigins?.[0] ?? each));
const RESERVED = "ui/notifications/sandbox-";
/** Most characters in a message of a view, and in what it says about itself; most levels in either. */
const LONGEST = 32e6;
const LONGEST_REPORT = 1e4;
const DEEPEST = 500;
/** Most messages in a burst, and in each millisecond after it. */
const BURST = 5000;
const PER_MS = 2;

// S02: not un-framed, and not in a page that could reach in.
let reachable = parent === window;
try {
  reachable ||= !!parent.document;
} catch {
  // As it must be: the host page has another origin.
}
if (reachable) throw new Error("only inside its host");

/** The host page's origin, and the port it took, once it spoke. */
let host: string | undefined;
let taken: MessagePort | undefined;
let viewSendsText = false;
/** Makes a document that was there before say once more that it began. */
let again: MessagePort | undefined;
/** Tells of presses and Tab in the view, until the host has it. Only the script before a document has its other end. */
let presses: MessagePort | undefined;
/** What leads straight to the view, until the host has it. */
let direct: MessagePort[] = [];
/** How many messages the frame was sent, and how many of them before this view was there. */
let relayed = 0;
let before = 0;
let html: string | undefined;
/** The frame's document asked for its HTML. */
let waiting = false;
/** The frame's document began, and has neither finished loading nor left; one did once. */
let started = false;
let begun = false;
/** It was kept from going elsewhere: whatever it still says, an error page takes its place. */
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
/** What a reserved method says; undefined for any other. */
const read = (method: string): string | undefined =>
  method.startsWith(RESERVED) ? method.slice(RESERVED.length) : undefined;
const tell = (what: string, params?: object): void => toHost(reserved(what, params));
const report = (code: string, params?: object): void => tell("report", { ...params, code });

function toHost(message: Message, text = JSON.stringify(message)): void {
  if (taken) taken.postMessage(text);
  // Where the target is not the parent's origin nothing is delivered.
  else for (const origin of host ? [host] : HOSTS) parent.postMessage(message, origin);
}

/** Hands the host the way for large messages; where they stand among the others is a matter of counting. */
function offer(): void {
  // T03: what goes past this page arrives as an object.
  if (viewSendsText) direct = [];
  if (taken && direct[0]) taken.postMessage(JSON.stringify(reserved("started", { before })), direct);
  // Straight to the host: a view that is busy keeps this page busy too.
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
    // D11: JSON has only null for what is gone, and official views want undefined.
    if (method === "ui/notifications/host-context-changed" && !viewSendsText)
      for (const key in params) params[key] ??= undefined;
    relayed++;
    toView(viewSendsText ? JSON.stringify(message) : message);
  }
}

/** Only to a document that asked: an app that runs has no use for it. */
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
    // No JSON, and nothing that could be: no message of this protocol.
    report("malformed");
    return;
  }
  const { method, id, params } = Object(message) as Message;
  const what = read(name);
  const ofItself = what === "report";
  if (what === "started") {
    begun = true;
    started = !left;
    waiting = false;
    const [first, large, press] = ports;
    again = first;
    direct = large ? [large] : [];
    // A view can say that it started, too, but it does not know the token.
    if (press && params?.token === token) presses = press;
    before = relayed;
    offer();
  } else if (what === "waiting") {
    waiting = true;
    handOver();
  } else if (length > (ofItself ? LONGEST_REPORT : LONGEST))
    // The host answers by the id, unless that is what is large.
    report("too_large", { id: JSON.stringify(id)?.length < 99 ? id : undefined, method: name });
  else if (isDeep(message, DEEPEST)) report("malformed");
  else if (ofItself) tell("report", { ...params, by: "view" });
  else if (what !== undefined) report("reserved", { method: name });
  else {
    // T03: a view is answered in the form it speaks.
    if (isText && method !== undefined && !viewSendsText) {
      viewSendsText = true;
      tell("text");
    }
    toHost(message, text);
  }
}

/** Chromium reads and writes JSON of any depth; whoever walks through it later runs out of stack. */
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
  // S08: source and origin, both. What a stranger sends is not even looked at, which would unpack it.
  if (source === parent && HOSTS.includes(origin) && origin === (host ??= origin)) fromHost(event.data);
  else if (source === frame.contentWindow && origin === view) fromView(event.data, event.ports);
});

/**
 * What was loaded: a view says that it began, an error page says nothing. That word may be late, and a view that
 * wrote its document anew gives it when it is asked.
 */
function judge(load: number, deadline: number): void {
  // Something else was loaded since, and is judged by itself.
  if (load !== loads) return;
  if (!started && Date.now() < deadline) {
    setTimeout(judge, 20, load, deadline);
    return;
  }
  report(started ? "loaded" : begun ? "navigated_away" : "load_failed");
  started = false;
}

// This page's policy names the one address that the frame may show: a navigation elsewhere is blocked, and heard.
addEventListener("securitypolicyviolation", ({ effectiveDirective: directive, blockedURI: blocked }) => {
  left = true;
  started = false;
  report("csp_violation", { directive, blocked: blocked.slice(0, 300) });
});

// Made ready before it is needed: the view's document comes as text, and stays that until it is told otherwise.
if (location.hash === "#later") frame.src += "?later";
document.body.append(frame);
for (const origin of HOSTS) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => {
    taken = port1;
    host = origin;
    offer();
    if (data) fromHost(JSON.parse(data));
  };
  parent.postMessage(reserved("proxy-ready"), origin, [port2]);
}
