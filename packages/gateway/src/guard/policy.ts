/**
 * The policy: which calls are allowed, need approval, or are denied.
 *
 * @module
 */
import type { Decision, Question } from "@vitrine/guard";
import type { Tool } from "@vitrine/protocol";
import type { ServerSettings } from "@vitrine/servers";
import type { GatewaySettings } from "../config/config.js";
import type { KnownView } from "./guarded-call.js";

/** Methods without effects outside of the conversation: reads, the model's context, the view's own layout. */
const STAYS =
  /^(ping|tools\/list|resources\/(read|list|templates\/list|subscribe|unsubscribe)|prompts\/(list|get)|ui\/(update-model-context|request-display-mode))$|^(ui\/)?notifications\//;

/** Methods with effects outside of the conversation, which need approval. */
const LEAVES = /^(ui\/(open-link|download-file|message)|sampling\/createMessage|ui\/permission)$/;

/** The sources of decisions. The server's settings take precedence over the global ones. */
export interface PolicySources {
  readonly server: Pick<ServerSettings, "policy" | "trusted">;
  readonly settings: Pick<GatewaySettings, "policy" | "strict">;
}

/** The subject of a decision, such as a {@link Question} of the guard. */
export type Subject = Pick<Question, "method" | "subject" | "params">;

/** Whether a tool declares itself destructive. */
export const isDestructive = (tool: Tool | undefined): boolean => tool?.annotations?.destructiveHint === true;

/**
 * The operator's decision, from the server's table first. In each table, the first existing key decides:
 *
 * 1. `view:<its tool or ui:// address>:<method>:<subject>`, such as `view:ui://shop/cart:tools/call:pay`
 * 2. `<method>:<subject>`, such as `tools/call:pay` or `ui/open-link:docs.example.com`
 * 3. `view:<its tool or ui:// address>:<method>`
 * 4. `<method>`
 *
 * A rule about one tool therefore applies to every view that has no rule of its own for that tool. The
 * subject is the tool, the prompt, the resource's URI or the link's host, compared exactly.
 */
export function operatorDecision(
  { server, settings }: PolicySources,
  { method, subject, params }: Subject,
  view?: KnownView | undefined,
): Decision | undefined {
  // The usual case, and this runs for every call.
  if (isEmpty(server.policy) && isEmpty(settings.policy)) return undefined;
  const about = subject || String(params["uri"] ?? params["name"] ?? "");
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
 */
export function defaultPolicy(
  { server, settings }: PolicySources,
  { method, tool }: Pick<Question, "method" | "tool">,
): Decision {
  if (method === "tools/call") {
    if (isDestructive(tool)) return "ask";
    return tool?.annotations?.readOnlyHint === true || (server.trusted && !settings.strict) ? "allow" : "ask";
  }
  if (STAYS.test(method)) return "allow";
  return LEAVES.test(method) ? "ask" : "deny";
}

/** How long an answer can be remembered. */
export type Remember = "session" | "always";

/**
 * How long the answer to a question can be remembered: never for destructive tools, because the question
 * shows their arguments; and for files and use of the model, which the user cannot foresee, for the session
 * at most.
 */
export function rememberable({ method, tool }: Pick<Question, "method" | "tool">): Remember[] {
  if (method === "tools/call" && isDestructive(tool)) return [];
  return method === "ui/download-file" || method === "sampling/createMessage"
    ? ["session"]
    : ["session", "always"];
}
