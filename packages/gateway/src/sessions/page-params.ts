/**
 * The requests of a page: types of their handlers, and schemas of their params.
 *
 * @module
 */
import {
  type ContentBlock,
  contentBlock,
  decode,
  INVALID_PARAMS,
  type JsonText,
  NARROWINGS,
  type Narrowing,
  type Progress,
  type Shape,
  type Tool,
  toolSchema,
  VIEW_DIALECTS,
  type ViewDialect,
  VitrineError,
} from "@vitrine/protocol";
import type { CompletionSource, ConversationCall, GatewayRequests } from "@vitrine/wire";
import { CLIENT_CAPABILITIES } from "../asks/index.js";
import { LEVELS } from "../config/inspection-methods.js";
import { SETUP_PARAMS } from "../setup/setup-params.js";

/** A request of the page, without its params. */
export interface PageRequest {
  readonly key: string | undefined;
  readonly signal: AbortSignal;
  readonly mayBeOld: boolean;
  /** The W3C `traceparent` of the request. */
  readonly trace: string;
  /** Runs the action when the page has been sent the answer. */
  afterAnswer(action: () => void): void;
  readonly onprogress?: ((progress: Progress) => void) | undefined;
}

/** The answer to a request of the page. */
export type PageAnswer<M extends keyof GatewayRequests> =
  | GatewayRequests[M]["result"]
  | Promise<GatewayRequests[M]["result"] | JsonText>;

const STRING: Shape<string> = { kind: "string" };
const RECORD: Shape<Record<string, unknown>> = { kind: "record", values: { kind: "unknown" } };
/** Only known narrowings: any other value is rejected. */
const NARROW: Shape<Narrowing[]> = { kind: "array", items: { kind: "literal", values: NARROWINGS } };
const DIALECTS: Shape<ViewDialect[]> = { kind: "array", items: { kind: "literal", values: VIEW_DIALECTS } };
const shape = <T>(fields: Record<string, Shape>, optional: Record<string, Shape> = {}): Shape<T> => ({
  kind: "object",
  fields,
  optional,
});

const CALL: Shape<ConversationCall> = shape({ conversation: STRING, item: STRING });
const NUMBER: Shape<number> = { kind: "number" };
const BOOLEAN: Shape<boolean> = { kind: "boolean" };
const CONTENT: Shape<ContentBlock[]> = { kind: "array", items: contentBlock };
const TOOLS: Shape<Tool[]> = { kind: "array", items: toolSchema };

const STRINGS: Shape<Record<string, string>> = { kind: "record", values: STRING };
/** A request about a server that the user inspects. */
const inspected = <T>(fields: Record<string, Shape> = {}, optional: Record<string, Shape> = {}): Shape<T> =>
  shape({ server: STRING, ...fields }, { identity: STRING, ...optional });
const SOURCE: Shape<CompletionSource> = {
  kind: "union",
  options: [
    shape({ type: { kind: "literal", values: ["ref/prompt"] }, name: STRING }),
    shape({ type: { kind: "literal", values: ["ref/resource"] }, uri: STRING }),
  ],
};

const PARAMS: { readonly [M in keyof GatewayRequests]: Shape<GatewayRequests[M]["params"]> } = {
  "gateway/servers": shape({}),
  "gateway/catalogue": shape({ server: STRING }, { for: { kind: "literal", values: ["model", "app"] } }),
  "gateway/open": shape(
    { server: STRING },
    {
      tool: STRING,
      uri: STRING,
      arguments: RECORD,
      call: CALL,
      narrow: NARROW,
      dialects: DIALECTS,
      identity: STRING,
      isFollowed: BOOLEAN,
    },
  ),
  "gateway/show": shape({ name: STRING, html: STRING }, { meta: RECORD, narrow: NARROW, dialects: DIALECTS }),
  "gateway/cancel": shape({ view: STRING }),
  "gateway/close": shape({ view: STRING }),
  "gateway/views": shape({}, { isFollowed: BOOLEAN }),
  "gateway/call": shape({ server: STRING, name: STRING }, { arguments: RECORD, identity: STRING }),
  "gateway/start": shape({ server: STRING }),
  "gateway/restart": shape({ server: STRING }),
  ...SETUP_PARAMS,
  "gateway/read": inspected({ uri: STRING }),
  "gateway/prompt": inspected({ name: STRING }, { arguments: STRINGS }),
  "gateway/complete": inspected(
    { ref: SOURCE, argument: shape({ name: STRING, value: STRING }) },
    { context: shape({}, { arguments: STRINGS }) },
  ),
  "gateway/subscribe": inspected({ uri: STRING }),
  "gateway/unsubscribe": inspected({ uri: STRING }),
  "gateway/set-log-level": inspected({ level: { kind: "literal", values: [...LEVELS] } }),
  "gateway/roots": inspected(
    {},
    { roots: { kind: "array", items: shape({ uri: STRING }, { name: STRING }) } },
  ),
  "gateway/capabilities": inspected(
    {},
    { hidden: { kind: "array", items: { kind: "literal", values: [...CLIENT_CAPABILITIES] } } },
  ),
  "gateway/ping": inspected(),
  "gateway/request": inspected({ method: STRING }, { params: RECORD }),
  "gateway/watch": inspected({}, { messages: BOOLEAN }),
  "gateway/unwatch": inspected(),
  "gateway/task-start": inspected({ name: STRING }, { arguments: RECORD, ttl: NUMBER }),
  "gateway/tasks": inspected(),
  "gateway/task": inspected({ taskId: STRING }),
  "gateway/task-result": inspected({ taskId: STRING }),
  "gateway/task-cancel": inspected({ taskId: STRING }),
  "gateway/icon": inspected({ src: STRING }),
  "gateway/sign-in": inspected(),
  "gateway/sign-in-start": inspected(),
  "gateway/sign-in-refresh": inspected(),
  "gateway/sign-in-forget": inspected(),
  "conversation/list": shape({}, { search: STRING, limit: NUMBER, before: NUMBER }),
  "conversation/open": shape({}, { id: STRING }),
  "conversation/leave": shape({ id: STRING }),
  "conversation/send": shape({ id: STRING, content: CONTENT }, { view: STRING, model: STRING }),
  "conversation/call": shape(
    { id: STRING, server: STRING, tool: STRING },
    { arguments: RECORD, page: RECORD, identity: STRING },
  ),
  "conversation/retry": shape({ id: STRING, item: STRING }, { model: STRING }),
  "conversation/settings": shape({
    id: STRING,
    settings: shape({}, { model: STRING, system: STRING, temperature: NUMBER }),
  }),
  "conversation/edit": shape({ id: STRING, item: STRING, content: CONTENT }),
  "conversation/regenerate": shape({ id: STRING, item: STRING }, { model: STRING }),
  "conversation/show-version": shape({ id: STRING }, { version: STRING }),
  "conversation/branch": shape({ id: STRING, item: STRING }),
  "conversation/stop": shape({ id: STRING }, { item: STRING }),
  "conversation/context": shape(
    { id: STRING, view: STRING },
    { content: CONTENT, structuredContent: RECORD },
  ),
  "conversation/app-tools": shape({ id: STRING, view: STRING, tools: TOOLS }),
  "conversation/keep": shape({ id: STRING, item: STRING, page: RECORD }),
  "conversation/remove": shape({ id: STRING, item: STRING }),
  "conversation/rename": shape({ id: STRING, title: STRING }),
  "conversation/delete": shape({ id: STRING }),
  "conversation/model-view": shape({ id: STRING }),
  "conversation/model-call": shape({ id: STRING, name: STRING }, { arguments: RECORD }),
  "model/state": shape({}),
  "model/choose": shape({}, { model: STRING }),
  "model/providers": shape({}),
  "model/save": shape(
    { name: STRING, type: { kind: "literal", values: ["openai", "anthropic", "google", "compatible"] } },
    { url: STRING, key: STRING },
  ),
  "model/forget": shape({ name: STRING, what: { kind: "literal", values: ["key", "provider"] } }),
  "model/list": shape({ provider: STRING }),
  "model/detect": shape({}),
  "model/test": shape({ model: STRING }),
};

/** Whether it is exactly one of the known methods, and not a name of `Object.prototype`. */
export const isPageMethod = (method: string): method is keyof GatewayRequests =>
  Object.hasOwn(PARAMS, method);

/** @throws {VitrineError} `INVALID_PARAMS` if the params do not match the method's schema */
export function pageParams<M extends keyof GatewayRequests>(
  method: M,
  params: unknown,
): GatewayRequests[M]["params"] {
  const decoded = decode(PARAMS[method], params, "params");
  if (decoded.ok) return decoded.value;
  throw new VitrineError(INVALID_PARAMS, decoded.message, { data: { field: decoded.field } });
}
