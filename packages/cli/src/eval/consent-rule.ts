/**
 * Answers the questions of a run in place of the user, by the file's `allow`.
 *
 * @module
 */
import type { GatewayOptions } from "@vitrine/gateway";
import { isMeant, nameOf } from "./tool-names.js";

type Answer = NonNullable<GatewayOptions["answer"]>;

/** Something that was asked, and denied. */
export interface Denial {
  /** The entry for `allow` that would have allowed it; undefined if none can. */
  readonly allow?: string | undefined;
  /** As a phrase: `weather/forecast`, `ui/open-link to example.com`. */
  readonly what: string;
}

/** Only an explicit rule allows. Everything else that would be asked is denied, and noted. */
export class ConsentRule {
  readonly #allow: readonly string[];
  readonly #denied = new Map<string, Denial>();

  constructor(allow: readonly string[]) {
    this.#allow = allow;
  }

  get denied(): readonly Denial[] {
    return [...this.#denied.values()];
  }

  readonly answer: Answer = ({ server, method, subject }) => {
    const tool = { server, tool: subject };
    const isTool = method === "tools/call" || method === "app-tools/call";
    const isAllowed = this.#allow.some((rule) => (isTool ? isMeant(rule, tool) : rule === method));
    if (isAllowed) return "allow";
    const what = isTool ? nameOf(tool) : `${method}${subject === "" ? "" : ` (${subject})`} of ${server}`;
    const allow = isTool ? nameOf(tool) : method.startsWith("ui/") ? method : undefined;
    this.#denied.set(what, { what, allow });
    return "deny";
  };
}
