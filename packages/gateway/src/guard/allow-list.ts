/**
 * Which methods there are, for whom, and what their params must look like.
 *
 * @module
 */
import { Refusal, type ViewCall } from "@vitrine/guard";
import { decode, HOST_END, INVALID_PARAMS, type Schema, type Tool, VitrineError } from "@vitrine/protocol";
import type { GuardedCall } from "./guarded-call.js";

type ViewMethod = ViewCall["method"];

/** What the page does, once it has a permit: the gateway itself has no links to open. */
const BY_THE_PAGE: ReadonlySet<string> = new Set<ViewMethod>([
  "ui/open-link",
  "ui/message",
  "ui/update-model-context",
  "ui/download-file",
  "ui/request-display-mode",
]);

/** What a server answers. */
const BY_THE_SERVER: ReadonlySet<string> = new Set<ViewMethod>([
  "tools/call",
  "tools/list",
  "resources/read",
  "resources/list",
  "resources/templates/list",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/list",
  "prompts/get",
]);

/** Has no effect but on the page, which has done it: nothing of it is kept. */
const UNRECORDED = /^(ping$|notifications\/(?!message$)|ui\/notifications\/)/;

const MAX_NAME = 1000;

/** Exact names, and none that `Object.prototype` has. The handshake and the sandbox's own words end in the page. */
const METHODS: ReadonlyMap<string, Schema> = new Map<string, Schema>(
  Object.entries({ ...HOST_END.requests, ...HOST_END.notifications }).filter(
    ([method]) => method !== "ui/initialize" && !method.includes("/sandbox-"),
  ),
);

const isMethod = (method: string): method is ViewMethod => METHODS.has(method);

/** Whether the page does it itself, with a permit. */
export const isByThePage = (method: string): boolean => BY_THE_PAGE.has(method);

/** Whether the server must be there to say whether it may be done. */
export const needsServer = (method: string): boolean =>
  BY_THE_SERVER.has(method) || method === "ui/download-file";

/** Whether it may be done again when nobody knows whether it was: it only reads, or says how something is to be. */
export const isRepeatable = (method: string): boolean =>
  (BY_THE_SERVER.has(method) && method !== "tools/call") ||
  method === "ui/update-model-context" ||
  method === "ui/request-display-mode";

/** Whether it changes nothing, as far as its server says. */
export const onlyReads = (method: string, tool: Tool | undefined): boolean =>
  method === "tools/call"
    ? tool?.annotations?.readOnlyHint === true
    : BY_THE_SERVER.has(method) && !method.endsWith("subscribe");

/** What the call does to the record: an entry that must be on disk, one that may be lost, or none. */
export const recordingOf = (method: string): "durable" | "loose" | "none" =>
  UNRECORDED.test(method) ? "none" : method === "notifications/message" ? "loose" : "durable";

/**
 * The method, if this actor may ask for it at all, with params of its shape (attacks C07, C15). The person and
 * the model call tools alone; permits are for views, as there is nobody else whose page could use one.
 */
export function allowedMethod({ actor, method, params }: GuardedCall, permit: boolean): ViewMethod {
  const fits =
    isMethod(method) &&
    ((actor !== "host" && actor !== "model") || method === "tools/call") &&
    (!permit || (actor === "view" && BY_THE_PAGE.has(method)));
  if (!fits) throw new Refusal("method-unknown", `${shown(method)} cannot be asked for here`);
  const decoded = decode(METHODS.get(method) ?? { kind: "unknown" }, params, "params");
  if (!decoded.ok)
    throw new VitrineError(INVALID_PARAMS, decoded.message, { data: { field: decoded.field } });
  // Names come back in messages; those of real tools are far from this.
  if (method === "tools/call" && String(params["name"]).length > MAX_NAME) {
    throw new Refusal("tool-unknown", `no tool has a name of more than ${MAX_NAME} characters`);
  }
  return method;
}

/** A name from outside, for a message. */
const shown = (name: string): string => JSON.stringify(name.slice(0, 100));
