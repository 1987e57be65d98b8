/**
 * Answers questions for the user: what the command line allows, and no to everything else.
 *
 * @module
 */
import type { GatewayAnswer, GatewayQuestion } from "@vitrine/wire";
import type { Allowance, RenderConsent } from "../node/render-page.js";

/** The option that allows a method. Other methods need `all`. */
const BY: Readonly<Record<string, Allowance>> = {
  "tools/call": "calls",
  "ui/open-link": "links",
  "ui/download-file": "downloads",
  "ui/message": "messages",
  "ui/permission": "permissions",
};

/** Answers questions, and records the answers. */
export class RenderConsents {
  readonly given: RenderConsent[] = [];
  readonly #allow: ReadonlySet<Allowance>;

  constructor(allow: readonly Allowance[]) {
    this.#allow = new Set(allow);
  }

  answer({ method, subject, title }: Pick<GatewayQuestion, "method" | "subject" | "title">): GatewayAnswer {
    const by = Object.hasOwn(BY, method) ? (BY[method] ?? "all") : "all";
    const answer = this.#allow.has("all") || this.#allow.has(by) ? "allow" : "deny";
    this.given.push({ method, subject, title, answer, option: `--allow-${by}` });
    return { answer, remember: "once" };
  }
}
