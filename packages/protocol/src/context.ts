/**
 * Host context changes: the host computes them, the view merges them.
 *
 * @module
 */
import type { HostContext } from "./hosts.js";
import { sameJson } from "./same-json.js";
import { isObject } from "./schema.js";

/**
 * The host context key with which our hosts identify a view's instance. It stays the same after a remount.
 */
export const INSTANCE_KEY = "vitrine/instance";

/**
 * The experimental capability with which a view says when our hosts may release it, far from the screen: `{ when:
 * "always" }` for a view that restores its state, `{ when: "never" }` for one that must keep running. By default, a
 * view is released until the user has used it.
 */
export const RELEASE_KEY = "vitrine/release";

/** A change of host context: only the changed keys, with `null` for removed keys. */
export type HostContextUpdate = { [K in keyof HostContext]?: HostContext[K] | null };

/**
 * Merges a change into a host context. Each key of the change replaces the whole value of that key. A key
 * with the value `null` or `undefined` is removed, so that a host can withdraw a value. The given context is
 * never modified.
 *
 * The update is untrusted input: a value that is not an object changes nothing, and no key in it reaches an
 * object's prototype.
 *
 * @example
 * ```ts source="./context.examples.ts#mergeHostContext"
 * const before: HostContext = { theme: "light", locale: "en-GB" };
 * const after = mergeHostContext(before, { theme: "dark", locale: null });
 * // after is { theme: "dark" }; before is unchanged.
 * ```
 */
export function mergeHostContext(current: HostContext = {}, update: unknown): HostContext {
  // Kept small, because it is part of the view's inline runtime.
  return isObject(update)
    ? Object.fromEntries(Object.entries({ ...current, ...update }).filter(([, value]) => value != null))
    : current;
}

/**
 * Computes the change between two host contexts, for `ui/notifications/host-context-changed`: keys with a new
 * value, and `null` for removed keys. Returns `undefined` if nothing changed. Values are compared by content,
 * so a copy is not a change. `null` in a context equals an absent key, as in JSON.
 *
 * Views built with the official SDK refuse `null` for the standard keys. `postMessage` can carry `undefined`,
 * so a host can send them `undefined` instead: pass `asJson: false`. {@link mergeHostContext} accepts both.
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
