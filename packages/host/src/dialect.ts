/**
 * Message names of early descriptions of MCP Apps.
 *
 * Tutorials and skills for coding agents still teach names that were in no published revision, so such views
 * are still being written. Three kinds are known: descriptions with `ui/toolInput`, `ui/toolResult` and
 * `ui/teardown` as the host's messages; a handwritten view with `clientInfo` and `capabilities` in
 * `ui/initialize`, as in MCP's own `initialize`, that takes themes from `ui/notifications/context-update`
 * {hostContext}; and mixtures of both.
 *
 * @module
 */

import type { HostContext } from "@vitrine/protocol";
import { recordOf } from "@vitrine/protocol";

/**
 * The names that a host uses: `standard` only the specification's, `early` also the early ones, `auto` lets
 * {@link looksEarly} decide.
 */
export type Dialect = "auto" | "standard" | "early";

/** The oldest published revision. An earlier date, or no date, was invented. */
const FIRST_REVISION = "2025-11-21";

/**
 * Whether a view's `ui/initialize` shows that it was not written for any published revision: it has neither
 * `appInfo` nor `appCapabilities`, which every SDK has sent, or it asks for a revision before the first.
 *
 * A view that is wrongly classified as early receives unknown names, and ignores them.
 *
 * @example
 * ```ts source="./bridge.examples.ts#looksEarly"
 * const early = looksEarly({ clientInfo: { name: "My App", version: "1.0.0" }, capabilities: {} }); // true
 * const today = looksEarly({ appInfo: { name: "a", version: "1" }, appCapabilities: {} }); // false
 * ```
 */
export function looksEarly(initialize: unknown): boolean {
  const { appInfo, appCapabilities, protocolVersion } = recordOf(initialize);
  if (appInfo === undefined && appCapabilities === undefined) return true;
  return typeof protocolVersion === "string" && protocolVersion < FIRST_REVISION;
}

/** Early names of the host's messages. */
const EARLY_NAMES: { readonly [method: string]: string } = {
  "ui/notifications/tool-input": "ui/toolInput",
  "ui/notifications/tool-result": "ui/toolResult",
  "ui/resource-teardown": "ui/teardown",
  "ui/notifications/host-context-changed": "ui/notifications/context-update",
};

/** The early form of a host's message; undefined if it has none. */
export function earlyForm(
  name: string,
  params: object,
  hostContext: HostContext,
): { method: string; params: object } | undefined {
  const method = EARLY_NAMES[name];
  if (!method) return undefined;
  // The whole context: these views use defaults for missing keys, and would turn light on a change of locale.
  return { method, params: method.endsWith("update") ? { hostContext } : params };
}
