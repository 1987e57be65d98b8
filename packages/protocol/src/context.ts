/**
 * Host context: how a change is merged by the view and made by the host (X02).
 *
 * @module
 */
import type { HostContext } from "./hosts.js";
import { sameJson } from "./same-json.js";
import { isObject } from "./schema.js";

/** The key of a host context under which our hosts name the view's instance: the same name after a remount. */
export const INSTANCE_KEY = "vitrine/instance";

/** A change of host context: only the keys that changed, with `null` for a key that is gone. */
export type HostContextUpdate = { [K in keyof HostContext]?: HostContext[K] | null };

/**
 * Merges a change into a host context (X02): each key of the change replaces the key of that name as a whole.
 * A key that is there with the value `null` or `undefined` is removed, so that a host can take back what it
 * said (D11). The context given is never changed.
 *
 * The update comes from outside: what is not an object changes nothing, and no name in it reaches an object's
 * prototype.
 *
 * @example
 * ```ts source="./context.examples.ts#mergeHostContext"
 * const before: HostContext = { theme: "light", locale: "en-GB" };
 * const after = mergeHostContext(before, { theme: "dark", locale: null });
 * // after is { theme: "dark" }; before is as it was.
 * ```
 */
export function mergeHostContext(current: HostContext = {}, update: unknown): HostContext {
  // This function is part of the view's inline runtime: small on purpose.
  return isObject(update)
    ? Object.fromEntries(Object.entries({ ...current, ...update }).filter(([, value]) => value != null))
    : current;
}

/**
 * What changed between two host contexts, for `ui/notifications/host-context-changed` (X02): keys with a new
 * value, and `null` for keys that are gone (D11). `undefined` when nothing changed. Values are compared by
 * content, so a copy is no change. `null` in a context is the same as an absent key, as it is on the wire.
 *
 * Views built with the official SDK refuse `null` for the standard keys. Over `postMessage`, which keeps
 * `undefined`, a host can send them `undefined` in its place, which is what there is when it is not `asJson`;
 * {@link mergeHostContext} takes either.
 *
 * @example
 * ```ts source="./context.examples.ts#diffHostContext"
 * const before: HostContext = { theme: "light", displayMode: "inline", locale: "en-GB" };
 * const after: HostContext = { theme: "dark", displayMode: "inline" };
 * const update = diffHostContext(before, after);
 * // update is { theme: "dark", locale: null }
 * ```
 */
export function diffHostContext(
  before: HostContext,
  after: HostContext,
  asJson = true,
): HostContextUpdate | undefined {
  const update: HostContextUpdate = {};
  for (const key of Object.keys({ ...before, ...after })) {
    if (key === "__proto__" || key === "constructor" || key === "prototype") continue;
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    const now = Object.hasOwn(after, key) ? after[key] : undefined;
    if (!sameJson(old ?? null, now ?? null)) update[key] = now ?? (asJson ? null : undefined);
  }
  return Object.keys(update).length > 0 ? update : undefined;
}
