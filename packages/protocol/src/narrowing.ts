/**
 * Restrictions that a page may add to a view's policy, to show the view as a stricter host would. A page can
 * only restrict, never allow more.
 *
 * @module
 */
import { CSP_FIELDS } from "./csp.js";
import type { ResourceCsp } from "./ui-meta.js";

/**
 * Declared sources that are blocked anyway, each because a known host blocks them.
 * - `frame-domains`: ignores `frameDomains`, so the app can show no frames of its own.
 * - `insecure-resources`: ignores `http://` in `resourceDomains`, which can only be this machine.
 */
export type Narrowing = "frame-domains" | "insecure-resources";

/** Whether a narrowing blocks a declared source (in normal form). */
const CLOSES: Readonly<Record<Narrowing, (field: keyof ResourceCsp, source: string) => boolean>> = {
  "frame-domains": (field) => field === "frameDomains",
  "insecure-resources": (field, source) => field === "resourceDomains" && source.startsWith("http:"),
};

/** All narrowings. */
export const NARROWINGS = Object.keys(CLOSES) as Narrowing[];

/**
 * Splits the sources that {@link buildCsp} accepted into those that stay and those that are blocked.
 *
 * @example
 * ```ts source="./csp.examples.ts#narrowCsp"
 * const { accepted } = buildCsp({ frameDomains: ["https://maps.example"] });
 * const { csp, narrowed } = narrowCsp(accepted, ["frame-domains"]);
 * // csp is {}, and narrowed is { frameDomains: ["https://maps.example"] }
 * ```
 */
export function narrowCsp(
  accepted: ResourceCsp,
  narrow: readonly Narrowing[],
): { csp: ResourceCsp; narrowed: ResourceCsp } {
  const csp: ResourceCsp = {};
  const narrowed: ResourceCsp = {};
  for (const field of CSP_FIELDS) {
    for (const source of accepted[field] ?? []) {
      const isClosed = narrow.some((each) => CLOSES[each](field, source));
      ((isClosed ? narrowed : csp)[field] ??= []).push(source);
    }
  }
  return { csp, narrowed };
}
