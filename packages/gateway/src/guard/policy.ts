/**
 * What a view may do by itself, what a person is asked about, and what never happens.
 *
 * @module
 */
import type { Decision, Question } from "@vitrine/guard";
import type { Tool } from "@vitrine/protocol";
import type { ServerSettings } from "@vitrine/servers";
import type { GatewaySettings } from "../config/config.js";
import type { KnownView } from "./guarded-call.js";

/** What stays in the conversation: reads, the model's context, the view's own place. */
const STAYS =
  /^(ping|tools\/list|resources\/(read|list|templates\/list|subscribe|unsubscribe)|prompts\/(list|get)|ui\/(update-model-context|request-display-mode))$|^(ui\/)?notifications\//;

/** What leaves it: a person is asked. */
const LEAVES = /^(ui\/(open-link|download-file|message)|sampling\/createMessage|ui\/permission)$/;

/** What decides. The server's settings come before those for all. */
export interface PolicySources {
  readonly server: Pick<ServerSettings, "policy" | "trusted">;
  readonly settings: Pick<GatewaySettings, "policy" | "strict">;
}

/** What a decision is about; a {@link Question} of the host's is one. */
export type Subject = Pick<Question, "method" | "subject" | "params">;

/** Whether a tool says that it destroys something. */
export const isDestructive = (tool: Tool | undefined): boolean => tool?.annotations?.destructiveHint === true;

/**
 * What the operator said, the server's table first. In each table the first of these keys that is there decides:
 *
 * 1. `view:<its tool or ui:// address>:<method>:<subject>`, such as `view:ui://shop/cart:tools/call:pay`
 * 2. `<method>:<subject>`, such as `tools/call:pay` or `ui/open-link:docs.example.com`
 * 3. `view:<its tool or ui:// address>:<method>`
 * 4. `<method>`
 *
 * So what is said about one tool holds for every view that is not named with it. The subject is the tool, the prompt,
 * the resource's URI or the link's host, letter by letter.
 */
export function operatorDecision(
  { server, settings }: PolicySources,
  { method, subject, params }: Subject,
  view?: KnownView | undefined,
): Decision | undefined {
  // So it is for most, with every call.
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
 * What holds where the operator said nothing: a tool that only reads is allowed, one that destroys is asked about
 * every time, every other is asked about unless its server is trusted; what leaves the conversation is asked about;
 * what stays in it is allowed; and what is neither is denied.
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

/** For how long an answer can be remembered. */
export type Remember = "session" | "always";

/**
 * Which answers to a question can be remembered: none about something destructive, as it is asked with its arguments;
 * and what a person cannot foresee, files and the use of their model, for the session at most.
 */
export function rememberable({ method, tool }: Pick<Question, "method" | "tool">): Remember[] {
  if (method === "tools/call" && isDestructive(tool)) return [];
  return method === "ui/download-file" || method === "sampling/createMessage"
    ? ["session"]
    : ["session", "always"];
}
