/**
 * Selects the entries of a conversation that are shown, if it has several versions.
 *
 * @module
 */
import type { ConversationItem, VersionItem } from "./conversation.js";

/** An entry, as far as its version matters. */
type Versioned = { readonly id: string; readonly kind: string; readonly inVersion?: string | undefined };
type Shown<T> = Exclude<T, { kind: "version" }>;

const isVersion = (item: Versioned | VersionItem): item is VersionItem => item.kind === "version";

/**
 * The entries of the version that is shown: its own, and those of the versions before it up to where each was
 * left. Entries are in order of arrival.
 *
 * @example
 * ```ts source="./versions.examples.ts#shownItems"
 * const shown = shownItems(conversation.items);
 * const lines = shown.map((item) => (item.kind === "user" ? "You" : item.kind));
 * ```
 */
export function shownItems<T extends Versioned | VersionItem>(items: readonly T[]): Shown<T>[] {
  const versions = new Map<string, VersionItem>();
  for (const item of items) if (isVersion(item)) versions.set(item.id, item);
  const entries = items.filter((item): item is Shown<T> => !isVersion(item));
  if (versions.size === 0) return entries;
  const places = new Map(items.map(({ id }, at) => [id, at]));
  /** The last place of each version that is shown. */
  const until = new Map<string | undefined, number>();
  let end = Number.POSITIVE_INFINITY;
  let version = [...versions.values()].findLast(({ isShown }) => isShown);
  // A version that leads to itself is shown once.
  while (version && !until.has(version.id)) {
    until.set(version.id, end);
    end = version.after === undefined ? -1 : (places.get(version.after) ?? -1);
    version = version.parent === undefined ? undefined : versions.get(version.parent);
  }
  if (!until.has(undefined)) until.set(undefined, end);
  return entries.filter((item) => {
    const own = "inVersion" in item ? item.inVersion : undefined;
    return (places.get(item.id) ?? 0) <= (until.get(own) ?? -1);
  });
}

/** The versions of the conversation from an entry on. */
export interface AlternativeVersions {
  /** The version of each, in order; undefined for the first version of the conversation. */
  readonly versions: readonly (string | undefined)[];
  /** Which of them is shown. */
  readonly shown: number;
}

/**
 * The places where a conversation has several versions, by the first shown entry after each.
 *
 * @example
 * ```ts source="./versions.examples.ts#alternatives"
 * for (const [item, { versions, shown }] of alternatives(conversation.items))
 *   show(`${item}: version ${shown + 1} of ${versions.length}`);
 * ```
 */
export function alternatives<T extends Versioned | VersionItem>(
  items: readonly T[],
): Map<string, AlternativeVersions> {
  const found = new Map<string, AlternativeVersions>();
  const shown = shownItems(items);
  const groups = new Map<string, VersionItem[]>();
  for (const item of items) {
    if (!isVersion(item)) continue;
    const place = JSON.stringify([item.parent ?? null, item.after ?? null]);
    groups.set(place, [...(groups.get(place) ?? []), item]);
  }
  for (const [first] of groups.values()) {
    if (!first) continue;
    const { parent, after } = first;
    const at = after === undefined ? -1 : shown.findIndex(({ id }) => id === after);
    // The place is in a version that is not shown.
    if (after !== undefined && at < 0) continue;
    const next = shown[at + 1];
    if (!next) continue;
    const group = groups.get(JSON.stringify([parent ?? null, after ?? null])) ?? [];
    const versions = [parent, ...group.map(({ id }) => id)];
    const own = "inVersion" in next ? next.inVersion : undefined;
    const place = versions.indexOf(ancestorIn(items, own, versions));
    if (place >= 0) found.set(next.id, { versions, shown: place });
  }
  return found;
}

/** The version, or the one that it came from, that is in a list. */
function ancestorIn<T extends Versioned | VersionItem>(
  items: readonly T[],
  version: string | undefined,
  versions: readonly (string | undefined)[],
): string | undefined {
  let own = version;
  for (let step = 0; step < items.length && !versions.includes(own); step++)
    own = items.find((item): item is T & VersionItem => isVersion(item) && item.id === own)?.parent;
  return own;
}

/** The version of the last entry that is shown before a place, and that entry. */
export function forkBefore(
  items: readonly ConversationItem[],
  item: string,
): Pick<VersionItem, "parent" | "after"> | undefined {
  const shown = shownItems(items);
  const at = shown.findIndex(({ id }) => id === item);
  if (at < 0) return undefined;
  const before = shown[at - 1];
  return before
    ? { parent: before.inVersion, after: before.id }
    : // All versions that share nothing leave the first one.
      { parent: undefined, after: undefined };
}
