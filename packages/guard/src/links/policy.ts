/**
 * Decides what a view may do by itself, and what needs the user's approval.
 *
 * @module
 */
import { fileName, warnedName } from "../download.js";
import { readLink } from "../link-policy.js";
import { type Ask, askOnce, type ConsentStore, type Question } from "./consent.js";
import type { Link, ViewCall } from "./link.js";
import { arrayAt } from "./listing.js";
import { Refusal } from "./refusal.js";
import { fingerprint, type ToolDirectory } from "./tool-directory.js";

/** The decision on a call. */
export type Decision = "allow" | "ask" | "deny";

/**
 * Decisions by method, or by method and tool or host: `"tools/call:delete"`, `"ui/open-link:example.com"`. A
 * function gets the whole question. Everything else falls back to {@link defaultDecision}.
 */
export type Policy =
  | { readonly [methodOrSubject: string]: Decision }
  | ((question: Question) => Decision | undefined | Promise<Decision | undefined>);

/** Nothing leaves the conversation except through its own server. */
export const STRICT_POLICY: Policy = {
  "ui/open-link": "deny",
  "ui/download-file": "deny",
  "sampling/createMessage": "deny",
};

/** Options of {@link applyPolicy}. */
export interface PolicyOptions {
  policy?: Policy | undefined;
  /** Asks the user. Without it, calls that need approval are denied. */
  ask?: Ask | undefined;
  /** Stores answers; in memory if absent. */
  consents?: ConsentStore | undefined;
  /** Called for every allowed call, with the decision: `ask` means that the user agreed, now or before. */
  onallowed?: ((call: ViewCall, question: Question, decision: Decision) => void) | undefined;
}

/** Calls without effect outside the conversation. */
const HARMLESS =
  /^(ping$|tools\/list$|resources\/|prompts\/|notifications\/|ui\/(initialize|message|update-model-context|request-display-mode)$|ui\/notifications\/)/;

/**
 * Allows reading, and calls that stay in the conversation; everything else needs approval. A tool's hints
 * come from its server, which the view talks to anyway.
 *
 * @example
 * ```ts source="./guard.examples.ts#defaultDecision"
 * const reading = defaultDecision({ method: "resources/read" }); // "allow"
 * const unknownTool = defaultDecision({ method: "tools/call" }); // "ask"
 * ```
 */
export const defaultDecision = ({ method, tool }: Pick<Question, "method" | "tool">): Decision =>
  HARMLESS.test(method) || (method === "tools/call" && tool?.annotations?.readOnlyHint === true)
    ? "allow"
    : "ask";

const REASONS = new Map(
  Object.entries({
    "tools/call": "The app wants to use a tool that may change something.",
    "ui/open-link": "The app wants to open a page outside of this conversation.",
    "ui/download-file": "The app wants to save files on this device.",
    "ui/message": "The app wants to say in the conversation:",
    "ui/update-model-context": "The app wants to tell the model:",
    "sampling/createMessage": "The app wants to use your model.",
  }),
);

/**
 * Allows, asks or denies each call. A link is checked first, and passed on in the form that was shown.
 *
 * @example
 * ```ts source="./guard.examples.ts#applyPolicy"
 * const link = applyPolicy(tools, {
 *   policy: {
 *     "tools/call:refresh": "allow",
 *     "ui/open-link:docs.example.com": "allow",
 *     "ui/download-file": "deny",
 *   },
 *   ask: show,
 * });
 * ```
 */
export function applyPolicy(
  tools: ToolDirectory,
  { policy = {}, ask, consents, onallowed }: PolicyOptions = {},
): Link {
  const isAllowed = ask && askOnce(ask, consents);
  const decide = async (question: Question) =>
    (typeof policy === "function"
      ? await policy(question)
      : (policy[`${question.method}:${question.subject}`] ?? policy[question.method])) ??
    defaultDecision(question);

  return async (call, next) => {
    const { method, signal } = call;
    const question = await questionOf(call, tools);
    const decision = await decide(question);
    const what = `${method} ${question.subject}`.trim();
    if (decision === "ask") {
      const missing = `${what}: nobody can be asked; give the guard an "ask" function, or allow it in its policy`;
      if (!isAllowed) throw new Refusal("denied", missing);
      if (!(await isAllowed(question, signal))) throw new Refusal("denied", `${what}: the user declined`);
    }
    // Decided again after a question: the policy may have changed while it was open.
    const isAllowedNow = decision === "ask" ? (await decide(question)) !== "deny" : decision === "allow";
    if (!isAllowedNow) throw new Refusal("not-allowed", `${what}: the host does not allow this`);
    onallowed?.(call, question, decision);
    return next(question.params === call.params ? call : { ...call, params: question.params });
  };
}

/**
 * The question about a call, for a policy and for the user.
 *
 * @throws {Refusal} `link-invalid`
 */
export async function questionOf(call: ViewCall, tools: ToolDirectory): Promise<Question> {
  const { view, server, method, params } = call;
  const reason = REASONS.get(method) ?? `The app wants ${method}.`;
  const base = { view, server, method, params, subject: "", title: method, fingerprint: "", reason };
  if (method === "tools/call") {
    const subject = String(params["name"]);
    const tool = await tools.find(subject);
    const { title: hinted, destructiveHint } = tool?.annotations ?? {};
    const title = tool?.title ?? hinted ?? subject;
    return {
      ...base,
      reason: destructiveHint ? reason.replace("change", "delete or overwrite") : reason,
      subject,
      title,
      tool,
      // Computed on demand: a schema can be long, and most calls are allowed.
      get fingerprint() {
        return tool ? fingerprint(tool) : "";
      },
    };
  }
  if (method === "ui/open-link") {
    const link = readLink(params["url"]);
    if (!link.ok) throw new Refusal("link-invalid", link.message);
    return { ...base, params: { ...params, url: link.url }, subject: link.host, title: link.display, link };
  }
  if (method !== "ui/download-file") return base;
  return { ...base, files: arrayAt(params, "contents").map((block) => warnedName(fileName(block))) };
}
