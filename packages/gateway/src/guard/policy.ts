/**
 * The policy: which calls are allowed, need approval, or are denied.
 *
 * @module
 */
import type { Decision, Question } from "@vitrine/guard";
import { type Permission, recordOf, type Tool } from "@vitrine/protocol";
import type { ServerSettings } from "@vitrine/servers";
import type { GatewaySettings } from "../config/config.js";
import {
  APP_TOOL_METHOD,
  ELICITATION_METHOD,
  PERMISSION_METHOD,
  SAMPLING_METHOD,
} from "../config/policy-key.js";
import { askerOf, type KnownView } from "./guarded-call.js";

/** Methods without effects outside of the conversation: reads, the model's context, the view's own layout. */
const STAYS =
  /^(ping|tools\/list|resources\/(read|list|templates\/list|subscribe|unsubscribe)|prompts\/(list|get)|ui\/(update-model-context|request-display-mode))$|^(ui\/)?notifications\//;

/** Methods with effects outside of the conversation, which need approval. */
const LEAVES: ReadonlySet<string> = new Set([
  "ui/open-link",
  "ui/download-file",
  "ui/message",
  SAMPLING_METHOD,
  ELICITATION_METHOD,
  PERMISSION_METHOD,
]);

/** The sources of decisions. The server's settings take precedence over the global ones. */
export interface PolicySources {
  readonly server: Pick<ServerSettings, "policy" | "trusted"> & Partial<Pick<ServerSettings, "permissions">>;
  readonly settings: Pick<GatewaySettings, "policy" | "strict">;
}

/** The subject of a decision, such as a {@link Question} of the guard. */
export type Subject = Pick<Question, "method" | "subject" | "params">;

/** Methods whose subject is a name. */
const NAMED: ReadonlySet<string> = new Set(["tools/call", "prompts/get"]);

/**
 * The subject of a request's params: the URI of a resource, or the name of a tool or a prompt; for a completion, that of its prompt or template. Only the member that the
 * method defines counts, because params may have others too.
 */
export function subjectOf(method: string, params: Record<string, unknown>): string {
  if (NAMED.has(method)) return String(params["name"] ?? "");
  if (method === "completion/complete") {
    const { name, uri } = recordOf(params["ref"]);
    return String(name ?? uri ?? "");
  }
  return method.startsWith("resources/") ? String(params["uri"] ?? "") : "";
}

/** Whether a tool declares itself destructive. */
export const isDestructive = (tool: Tool | undefined): boolean => tool?.annotations?.destructiveHint === true;

/**
 * The decision on an action: the operator's, or the default. Nobody but the user can answer a server's
 * question, so it is asked even if a table allows it.
 */
export function decide(sources: PolicySources, question: Question, view: KnownView | undefined): Decision {
  const decision = operatorDecision(sources, question, view) ?? defaultPolicy(sources, question);
  return decision === "allow" && question.method === ELICITATION_METHOD ? "ask" : decision;
}

/**
 * The operator's decision, from the server's table first. In each table, the first existing key decides:
 *
 * 1. `view:<its tool or ui:// address>:<method>:<subject>`, such as `view:ui://shop/cart:tools/call:pay`
 * 2. `<method>:<subject>`, such as `tools/call:pay` or `ui/open-link:docs.example.com`
 * 3. `view:<its tool or ui:// address>:<method>`
 * 4. `<method>`
 *
 * A rule about one tool therefore applies to every view that has no rule of its own for that tool. The
 * subject is the tool, the prompt, the resource's URI or the link's host, compared exactly. The server's
 * `permissions` are a short form of `ui/permission:<subject>`, and take precedence.
 */
export function operatorDecision(
  { server, settings }: PolicySources,
  { method, subject, params }: Subject,
  view?: KnownView | undefined,
): Decision | undefined {
  const { permissions = {} } = server;
  if (method === PERMISSION_METHOD && Object.hasOwn(permissions, subject))
    return permissions[subject as Permission];
  // The usual case, and this runs for every call.
  if (isEmpty(server.policy) && isEmpty(settings.policy)) return undefined;
  const about = subject || subjectOf(method, params);
  const names = [view?.uri, view?.tool].filter((name) => name !== undefined);
  const keys = [
    ...(about ? names.map((name) => `view:${name}:${method}:${about}`) : []),
    ...(about ? [`${method}:${about}`] : []),
    ...names.map((name) => `view:${name}:${method}`),
    method,
  ];
  for (const table of [server.policy, settings.policy]) {
    const key = keys.find((candidate) => Object.hasOwn(table, candidate));
    if (key !== undefined) return table[key];
  }
  return undefined;
}

function isEmpty(table: object): boolean {
  for (const _key in table) return false;
  return true;
}

/**
 * The decision without a rule of the operator: a read-only tool is allowed; a destructive tool needs approval
 * every time; any other tool needs approval unless its server is trusted. Effects outside of the conversation
 * need approval, effects inside are allowed, and everything else is denied.
 *
 * A user who names a server on the command line trusts its apps with its tools, but not the model, which may
 * have read anything.
 */
export function defaultPolicy(
  { server, settings }: PolicySources,
  { method, tool, view }: Pick<Question, "method" | "tool"> & Partial<Pick<Question, "view">>,
): Decision {
  if (method === APP_TOOL_METHOD) return tool?.annotations?.readOnlyHint === true ? "allow" : "ask";
  if (method === "tools/call") {
    if (isDestructive(tool)) return "ask";
    const isTrusted = server.trusted && !settings.strict && askerOf(view) !== "model";
    return tool?.annotations?.readOnlyHint === true || isTrusted ? "allow" : "ask";
  }
  if (STAYS.test(method)) return "allow";
  return LEAVES.has(method) ? "ask" : "deny";
}

/** How long an answer can be remembered. */
export type Remember = "session" | "always";

/**
 * How long the answer to a question can be remembered: never for destructive tools and requests to the model
 * or the user, because the question shows what will happen this time; and for files, which the user cannot
 * foresee, and tools of apps, which end with the app, for the session at most.
 */
export function rememberable({ method, tool }: Pick<Question, "method" | "tool">): Remember[] {
  if (method === SAMPLING_METHOD || method === ELICITATION_METHOD || isDestructive(tool)) return [];
  return method === "ui/download-file" || method === APP_TOOL_METHOD ? ["session"] : ["session", "always"];
}
