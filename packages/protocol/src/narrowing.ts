/**
 * What a page may take away from the policy of a view, to show it as a stricter host would. A page can ask for nothing
 * that opens something.
 *
 * @module
 */
import { CSP_FIELDS } from "./csp.js";
import type { ResourceCsp } from "./ui-meta.js";

/**
 * What is closed although it is declared; each because a known host closes it.
 * - `frame-domains`: `frameDomains` counts for nothing, and the app can show no frame of its own.
 * - `insecure-resources`: `http://` in `resourceDomains`, which can only be this machine, counts for nothing.
 */
export type Narrowing = "frame-domains" | "insecure-resources";

/** Whether a declared source, in normal form, is closed by it. */
const CLOSES: Readonly<Record<Narrowing, (field: keyof ResourceCsp, source: string) => boolean>> = {
  "frame-domains": (field) => field === "frameDomains",
  "insecure-resources": (field, source) => field === "resourceDomains" && source.startsWith("http:"),
};

/** Every narrowing that there is. */
export const NARROWINGS = Object.keys(CLOSES) as Narrowing[];

/**
 * Divides what {@link buildCsp} accepted into what stays and what is closed.
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
