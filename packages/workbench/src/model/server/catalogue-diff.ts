/**
 * Compares the lists of a server with earlier ones.
 *
 * @module
 */
import type { ServerCatalogue } from "@vitrine/wire";
import { type FieldChange, jsonDiff } from "./json-diff.js";

/** The kinds of things that a server lists. */
export type ListedKind = "tool" | "resource" | "template" | "prompt";

/** Something that was added, removed, or changed. */
export interface ListedChange {
  readonly kind: ListedKind;
  /** The tool's or prompt's name, or the address. */
  readonly name: string;
  readonly change: "added" | "removed" | "changed";
  /** The fields that differ, of something changed. */
  readonly fields: readonly FieldChange[];
}

/** The lists of a catalogue that are compared. */
export type CatalogueLists = Pick<ServerCatalogue, "tools" | "resources" | "templates" | "prompts">;

/** The lists alone, for a comparison later. */
export const listsOf = ({ tools, resources, templates, prompts }: ServerCatalogue): CatalogueLists => ({
  tools,
  resources,
  templates,
  prompts,
});

/** The changes: first the removed, then the changed, then the added things of each kind. */
export function catalogueDiff(before: CatalogueLists, after: CatalogueLists): ListedChange[] {
  return [
    ...diffOf("tool", before.tools, after.tools, ({ name }) => name),
    ...diffOf("resource", before.resources, after.resources, ({ uri }) => uri),
    ...diffOf("template", before.templates, after.templates, ({ uriTemplate }) => uriTemplate),
    ...diffOf("prompt", before.prompts, after.prompts, ({ name }) => name),
  ];
}

function diffOf<T>(
  kind: ListedKind,
  before: readonly T[],
  after: readonly T[],
  nameOf: (thing: T) => string,
): ListedChange[] {
  const old = new Map(before.map((thing) => [nameOf(thing), thing]));
  const now = new Map(after.map((thing) => [nameOf(thing), thing]));
  const removed = [...old.keys()].filter((name) => !now.has(name));
  const added = [...now.keys()].filter((name) => !old.has(name));
  const changed = [...now].flatMap(([name, thing]): ListedChange[] => {
    const fields = old.has(name) ? jsonDiff(old.get(name), thing) : [];
    return fields.length > 0 ? [{ kind, name, change: "changed", fields }] : [];
  });
  return [
    ...removed.map((name): ListedChange => ({ kind, name, change: "removed", fields: [] })),
    ...changed,
    ...added.map((name): ListedChange => ({ kind, name, change: "added", fields: [] })),
  ];
}
