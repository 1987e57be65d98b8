/**
 * The allowed methods, by actor, and the schemas of their params.
 *
 * @module
 */
import { Refusal, type ViewCall } from "@vitrine/guard";
import { decode, HOST_END, INVALID_PARAMS, type Shape, type Tool, VitrineError } from "@vitrine/protocol";
import { INSPECTION, isInspection, onlyInspects } from "../config/inspection-methods.js";
import { APP_TOOL_METHOD } from "../config/policy-key.js";
import { checkAnyMethod, isOnlyWritten, mayAffectOthers } from "./any-request.js";
import type { GuardedCall } from "./guarded-call.js";

type ViewMethod = ViewCall["method"];

/** Methods that the page performs itself with a permit, because the gateway cannot open links. */
const BY_THE_PAGE: ReadonlySet<string> = new Set<ViewMethod>([
  "ui/open-link",
  "ui/message",
  "ui/update-model-context",
  "ui/download-file",
  "ui/request-display-mode",
]);

/** Methods that a server answers. */
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

/** Notifications that affect only the page, which has handled them already: nothing is recorded. */
const UNRECORDED = /^(ping$|notifications\/(?!message$)|ui\/notifications\/)/;

const MAX_NAME = 1000;

/**
 * Exact names, without those of `Object.prototype`. The handshake and the sandbox's own messages stay in the
 * page.
 */
const METHODS: ReadonlyMap<string, Shape> = new Map<string, Shape>(
  Object.entries({ ...HOST_END.requests, ...HOST_END.notifications, ...INSPECTION }).filter(
    ([method]) => method !== "ui/initialize" && !method.includes("/sandbox-"),
  ),
);

const isMethod = (method: string): method is ViewMethod => METHODS.has(method);

/** Whether a server answers the method. */
const isByTheServer = (method: string): boolean => BY_THE_SERVER.has(method) || isInspection(method);

/** Whether the page performs the method itself, with a permit. */
export const isByThePage = (method: string): boolean => BY_THE_PAGE.has(method);

/** Whether it is a method that only a user can send, who writes it. */
const isWritten = (method: string): boolean => isOnlyWritten(method, METHODS.has(method));

/** Whether the method may affect other users of a server that all users share. */
export const affectsOthers = (method: string): boolean => mayAffectOthers(method, METHODS.has(method));

/** Whether the server must be running to decide about the method. */
export const needsServer = (method: string): boolean =>
  isByTheServer(method) || isWritten(method) || method === "ui/download-file";

/** Whether the call goes to a server or an app, which may have run it although no answer came. */
export const isSentOut = ({ method, asWritten }: Pick<GuardedCall, "method" | "asWritten">): boolean =>
  asWritten === true || isByTheServer(method) || method === APP_TOOL_METHOD;

/** Whether the method may be repeated if its outcome is unknown: it only reads, or sets a state. */
export const isRepeatable = (method: string): boolean =>
  (isByTheServer(method) && method !== "tools/call") ||
  method === "ui/update-model-context" ||
  method === "ui/request-display-mode";

/** Whether the call changes nothing, according to its server. */
export const onlyReads = (method: string, tool: Tool | undefined): boolean =>
  method === "tools/call"
    ? tool?.annotations?.readOnlyHint === true
    : (BY_THE_SERVER.has(method) && !method.endsWith("subscribe")) || onlyInspects(method);

/** How the call is recorded: durably on disk, without waiting, or not at all. A request that a user writes always is. */
export function recordingOf({
  method,
  asWritten,
}: Pick<GuardedCall, "method" | "asWritten">): "durable" | "loose" | "none" {
  if (asWritten) return "durable";
  return UNRECORDED.test(method) ? "none" : method === "notifications/message" ? "loose" : "durable";
}

/**
 * Returns the method if the actor may use it and its params are valid. The model may only call tools. The user
 * may also inspect the server, which nobody else may, and send a request that is written by hand with any params. Permits are for views, because only a view has a page that could use one.
 */
export function allowedMethod(
  { actor, method, params, asWritten }: GuardedCall,
  permit: boolean,
): ViewMethod {
  if (asWritten && actor === "host" && !permit) {
    checkAnyMethod(method);
    // The links compare names of methods, and pass on those that they do not know.
    return method as ViewMethod;
  }
  const fits =
    isMethod(method) && mayUse(actor, method) && (!permit || (actor === "view" && BY_THE_PAGE.has(method)));
  if (!fits) throw new Refusal("method-unknown", `${shown(method)} is not available here`);
  const decoded = decode(METHODS.get(method) ?? { kind: "unknown" }, params, "params");
  if (!decoded.ok)
    throw new VitrineError(INVALID_PARAMS, decoded.message, { data: { field: decoded.field } });
  // Names are repeated in messages; those of real tools are far shorter.
  if (method === "tools/call" && String(params["name"]).length > MAX_NAME) {
    throw new Refusal("tool-unknown", `no tool has a name of more than ${MAX_NAME} characters`);
  }
  return method;
}

/** The user's own reads and settings beside tool calls. Views read as well, within the boundary of their server. */
const READ_BY_USER: ReadonlySet<string> = new Set<ViewMethod>([
  "ping",
  "tools/call",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/get",
]);

function mayUse(actor: GuardedCall["actor"], method: string): boolean {
  if (actor === "host") return READ_BY_USER.has(method) || isInspection(method);
  return actor === "model" ? method === "tools/call" : !isInspection(method);
}

/** Shows a name from outside in a message. */
const shown = (name: string): string => JSON.stringify(name.slice(0, 100));
