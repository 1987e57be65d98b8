import { Channel } from "./channel.js";
import { CheckedPeer } from "./checked-peer.js";
import { INVALID_PARAMS, VitrineError } from "./errors.js";
import { HOST_END } from "./host-end.js";
import { endOfBrackets, endOfString } from "./json-ends.js";
import { type JsonSchema, jsonSchemaProblem } from "./json-schema.js";
import { JsonText } from "./json-text.js";
import { HostLifecycle, type Outgoing } from "./lifecycle.js";
import { Listeners } from "./listeners.js";
import {
  decodeMessage,
  decodeParams,
  decodeResult,
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResult,
} from "./messages.js";
import { REQUESTS } from "./methods.js";
import { Peer } from "./peer.js";
import { followedPaths, RELOADS_KEY } from "./reloads.js";
import { decode } from "./schema.js";
import { withoutSecrets } from "./secrets.js";
import { acceptText, memoryPair, PortTransport, type Transport } from "./transport.js";
import { negotiateVersion } from "./version.js";
import { ViewLifecycle } from "./view-lifecycle.js";
import { readViewProblem, VIEW_PROBLEM_KEY } from "./view-problem.js";
import { WindowTransport } from "./window-transport.js";

export async function channelExample(transport: Transport) {
  //#region channel
  const channel = new Channel<"view">();
  channel.on("ui/notifications/tool-cancelled", ({ reason }) => {
    document.title = `Cancelled: ${reason ?? "no reason given"}`;
  });
  channel.open(transport);
  const { mode } = await channel.request("ui/request-display-mode", { mode: "fullscreen" });
  //#endregion channel
  return mode;
}

export function jsonSchemaExample(value: unknown) {
  //#region jsonSchema
  const schema: JsonSchema = {
    type: "object",
    properties: { pageSize: { type: "integer", minimum: 1 } },
    additionalProperties: false,
  };
  const problem = jsonSchemaProblem(value, schema, "config"); // "config.pageSize must be 1 or more"
  //#endregion jsonSchema
  return problem;
}

export function listenersExample(show: (path: string) => void, log: (error: unknown) => void) {
  //#region listeners
  const saved = new Listeners<[path: string]>(log);
  const stop = saved.add((path) => show(path));
  saved.notify("notes.txt");
  stop();
  //#endregion listeners
}

export async function peerExample(transport: Transport, signal: AbortSignal, show: (text: string) => void) {
  //#region peer
  const peer = new Peer<"view">();
  peer.handle("tools/call", async ({ name }, context) => {
    context.progress?.({ progress: 1, total: 2 });
    context.signal.throwIfAborted();
    return { content: [{ type: "text", text: `${name} is done` }] };
  });
  peer.open(transport);
  const result = await peer.request(
    "tools/call",
    { name: "search", arguments: { query: "tea" } },
    { signal, timeout: 5_000, onprogress: ({ progress, total }) => show(`${progress} of ${total}`) },
  );
  //#endregion peer
  return result;
}

export function checkedPeerExample(transport: Transport, log: (line: string) => void) {
  //#region checkedPeer
  const peer = new CheckedPeer(HOST_END);
  peer.onreport = ({ code, message }) => log(`${code}: ${message}`);
  peer.handle("ui/open-link", ({ url }) => {
    // `url` is a string: anything else was refused with -32602 and the name of the field.
    return { isError: !url.startsWith("https://") };
  });
  peer.open(transport);
  //#endregion checkedPeer
  return peer;
}

export async function errorExample(peer: Peer<"view">, show: (text: string) => void) {
  //#region error
  try {
    await peer.request("tools/call", { name: "search" }, { timeout: 2_000 });
  } catch (error) {
    if (!(error instanceof VitrineError)) throw error;
    if (error.code === "timeout") show("The server is slow today.");
    else if (error.code === INVALID_PARAMS) show(`The host refused: ${error.message}`);
    else throw error;
  }
  //#endregion error
}

export function decodeExample(input: unknown): string {
  //#region decode
  const decoded = decode(REQUESTS["ui/open-link"].params, input);
  if (!decoded.ok) return decoded.message; // "value.url must be a string, not number"
  return decoded.value.url;
  //#endregion decode
}

export function negotiateVersionExample() {
  //#region negotiateVersion
  const known = negotiateVersion("2025-11-21"); // "2025-11-21"
  const unknown = negotiateVersion("2099-01-01"); // "2026-01-26", our newest
  //#endregion negotiateVersion
  return { known, unknown };
}

export function encodeRequestExample() {
  //#region encodeRequest
  const message = encodeRequest(1, "ui/open-link", { url: "https://example.com" });
  // { jsonrpc: "2.0", id: 1, method: "ui/open-link", params: { url: "https://example.com" } }
  //#endregion encodeRequest
  return message;
}

export function encodeNotificationExample() {
  //#region encodeNotification
  const message = encodeNotification("ui/notifications/size-changed", { height: 320 });
  // { jsonrpc: "2.0", method: "ui/notifications/size-changed", params: { height: 320 } }
  //#endregion encodeNotification
  return message;
}

export function encodeResultExample() {
  //#region encodeResult
  const message = encodeResult(1, "ui/request-display-mode", { mode: "inline" });
  // { jsonrpc: "2.0", id: 1, result: { mode: "inline" } }
  //#endregion encodeResult
  return message;
}

export function encodeErrorExample() {
  //#region encodeError
  const message = encodeError(1, INVALID_PARAMS, "params.url is missing", { field: "params.url" });
  // { jsonrpc: "2.0", id: 1, error: { code: -32602, message: "params.url is missing", data: … } }
  //#endregion encodeError
  return message;
}

export function decodeParamsExample() {
  //#region decodeParams
  const sent = { role: "user", content: { type: "text", text: "Hi" } };
  const read = decodeParams("ui/message", sent); // ok: one block is read as a list of one
  const strict = decodeParams("ui/message", sent, { strict: true });
  // strict.message is "params.content must be an array, not object"
  //#endregion decodeParams
  return { read, strict };
}

export function decodeResultExample(answer: unknown) {
  //#region decodeResult
  const decoded = decodeResult("tools/call", answer);
  const text = decoded.ok
    ? decoded.value.content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join(" ")
    : `bad answer: ${decoded.message}`;
  //#endregion decodeResult
  return text;
}

export function decodeMessageExample(body: unknown) {
  //#region decodeMessage
  const decoded = decodeMessage(body);
  if (!decoded.ok) {
    // Notifications and answers get no answer, however wrong they are.
    return decoded.answer ? encodeError(decoded.id, decoded.rpcCode, decoded.message) : undefined;
  }
  if (decoded.kind === "request") return encodeResult(decoded.message.id, "ping", {});
  return undefined;
  //#endregion decodeMessage
}

export function transportExample(socket: WebSocket): Transport {
  //#region transport
  const parse = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return text; // The peer answers with a parse error.
    }
  };
  const transport: Transport = {
    start(receive, closed) {
      socket.onmessage = ({ data }) => receive(parse(data));
      socket.onclose = closed;
    },
    send: (message) => socket.send(JSON.stringify(message)),
    close() {
      socket.onmessage = socket.onclose = null;
      socket.close();
    },
  };
  //#endregion transport
  return transport;
}

export async function memoryPairExample() {
  //#region memoryPair
  const [viewEnd, hostEnd] = memoryPair();
  const host = new Peer<"host">().open(hostEnd);
  host.handle("ui/open-link", ({ url }) => ({ isError: !URL.canParse(url) }));
  const view = new Peer<"view">().open(viewEnd);
  const { isError } = await view.request("ui/open-link", { url: "https://example.com" });
  //#endregion memoryPair
  view.close();
  return isError;
}

export async function portTransportExample(worker: Worker) {
  //#region portTransport
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ port: port2 }, [port2]);
  const peer = new Peer<"view">().open(new PortTransport(port1));
  await peer.request("ping", {});
  //#endregion portTransport
  return peer;
}

export function acceptTextExample(frame: Window) {
  //#region acceptText
  const transport = new WindowTransport({ target: frame, origin: "https://app-1.sandbox.example" });
  const peer = new CheckedPeer(HOST_END).open(acceptText(transport));
  //#endregion acceptText
  return peer;
}

export function windowTransportExample(iframe: HTMLIFrameElement) {
  //#region windowTransport
  // In a host: one frame, on one origin.
  const target = iframe.contentWindow;
  if (!target) throw new Error("the frame is not in the document");
  const toView = new WindowTransport({ target, origin: "https://app-1.sandbox.example" });
  // In a view: the parent window.
  const toHost = new WindowTransport({ target: window.parent, origin: location.ancestorOrigins?.[0] });
  //#endregion windowTransport
  return { toView, toHost };
}

export function hostLifecycleExample(post: (message: Outgoing) => void, show: (text: string) => void) {
  //#region hostLifecycle
  const life = new HostLifecycle({ now: Date.now });
  // The host may send at any time. Messages that the view must not receive yet are queued.
  for (const message of life.send("ui/notifications/tool-input", { arguments: { city: "Rome" } }))
    post(message);
  // For every message from the view:
  const onMessage = (method: string) => {
    const verdict = life.received(method);
    if (verdict.serve) for (const message of verdict.flush) post(message);
    return verdict.serve;
  };
  // After ui/initialize was answered:
  const onAnswered = () => {
    for (const message of life.answered()) post(message);
  };
  // At `life.deadline`:
  const onDeadline = () => {
    const cause = life.expire();
    if (cause) show(cause.message);
  };
  //#endregion hostLifecycle
  return { life, onMessage, onAnswered, onDeadline };
}

export function viewLifecycleExample() {
  //#region viewLifecycle
  const life = new ViewLifecycle();
  life.enter("connecting");
  life.keep("ui/notifications/tool-input", { arguments: { city: "Rome" } });
  life.enter("ready");
  // For a listener that was added late:
  const input = life.kept.get("ui/notifications/tool-input");
  //#endregion viewLifecycle
  return input;
}

export async function jsonTextExample(body: string) {
  //#region jsonText
  const answer = await fetch("/tools/call", { method: "POST", body });
  // The text of a CallToolResult, on its way to a view that will parse it.
  const result = new JsonText(await answer.text());
  //#endregion jsonText
  return result;
}

export function endOfStringExample() {
  //#region endOfString
  const text = '{"name":"Ada"}';
  const name = text.slice(1, endOfString(text, 1) + 1); // "name", with its quotes
  //#endregion endOfString
  return name;
}

export function endOfBracketsExample() {
  //#region endOfBrackets
  const text = '{"result":{"content":[]},"id":1}';
  const result = text.slice(10, endOfBrackets(text, 10)); // {"content":[]}
  //#endregion endOfBrackets
  return result;
}

export function followedPathsExample() {
  //#region followedPaths
  const capabilities = { experimental: { [RELOADS_KEY]: { paths: ["/home/me/shop/cart.html"] } } };
  const paths = followedPaths(capabilities);
  // ["/home/me/shop/cart.html"]
  //#endregion followedPaths
  return paths;
}

export function readViewProblemExample() {
  //#region readViewProblem
  const tool = {
    name: "cart",
    _meta: { [VIEW_PROBLEM_KEY]: "there is no file ui/cart.html (view-missing)" },
  };
  const why = readViewProblem(tool);
  // "there is no file ui/cart.html (view-missing)"
  //#endregion readViewProblem
  return why;
}

export function withoutSecretsExample() {
  //#region withoutSecrets
  const schema = { properties: { user: { type: "string" }, pin: { type: "string", format: "password" } } };
  const kept = withoutSecrets(schema, { user: "ana", pin: "1234", apiKey: "k" });
  // { user: "ana" }
  //#endregion withoutSecrets
  return kept;
}
