/**
 * What views that were written from early descriptions of MCP Apps listen for (T06).
 *
 * Tutorials and skills for coding agents still teach names that never were in a published revision, so views that
 * know no others are written to this day. Three kinds of such text are known: one that lists
 * `ui/toolInput`, `ui/toolResult` and `ui/teardown` as the host's messages, one whose handwritten view says
 * `clientInfo` and `capabilities` in `ui/initialize`, as MCP's own `initialize` does, and takes themes from
 * `ui/notifications/context-update` {hostContext}, and mixtures of both.
 *
 * @module
 */
import type { HostContext } from "@vitrine/protocol";

/**
 * Which names a host uses to a view: `standard` only the specification's, `early` those of before as well, `auto`
 * lets {@link looksEarly} decide.
 */
export type Dialect = "auto" | "standard" | "early";

/** The oldest revision that was published. A date before it, or no date at all, was made up. */
const FIRST_REVISION = "2025-11-21";

/**
 * Whether a view's `ui/initialize` shows that it was not written for any published revision: it has neither
 * `appInfo` nor `appCapabilities`, which every SDK since the first has sent, or it asks for a revision from before
 * the first.
 *
 * A view that is taken for an early one by mistake hears names that it does not know, and ignores them (L12).
 *
 * @example
 * ```ts source="./bridge.examples.ts#looksEarly"
 * const early = looksEarly({ clientInfo: { name: "My App", version: "1.0.0" }, capabilities: {} }); // true
 * const today = looksEarly({ appInfo: { name: "a", version: "1" }, appCapabilities: {} }); // false
 * ```
 */
export function looksEarly(initialize: unknown): boolean {
  const { appInfo, appCapabilities, protocolVersion } = Object(initialize) as Record<string, unknown>;
  if (appInfo === undefined && appCapabilities === undefined) return true;
  return typeof protocolVersion === "string" && protocolVersion < FIRST_REVISION;
}

/** The early names of the host's messages that had one. */
const EARLY_NAMES: { readonly [method: string]: string } = {
  "ui/notifications/tool-input": "ui/toolInput",
  "ui/notifications/tool-result": "ui/toolResult",
  "ui/resource-teardown": "ui/teardown",
  "ui/notifications/host-context-changed": "ui/notifications/context-update",
};

/** A host's message as an early view knows it; undefined for one that it knows by no other name. */
export function earlyForm(
  name: string,
  params: object,
  hostContext: HostContext,
): { method: string; params: object } | undefined {
  const method = EARLY_NAMES[name];
  if (!method) return undefined;
  // The whole context: those views take what is not there for a default, and would turn light on a change of locale.
  return { method, params: method.endsWith("update") ? { hostContext } : params };
}
