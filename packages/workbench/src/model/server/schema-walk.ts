/**
 * Visits the parts of a JSON Schema that a server sent. The work is linear in the size of the schema, whatever
 * its references point to, and nothing recurses, so depth costs no stack.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";

/** A schema inside of a schema. */
export interface SchemaPart {
  readonly schema: Readonly<Record<string, unknown>>;
  /** The step from the part around it, such as `.city`, `[]` or `.anyOf[1]`. */
  readonly step: string;
  readonly around?: SchemaPart | undefined;
}

/** A part with a `$ref`. */
export interface SchemaReference {
  readonly part: SchemaPart;
  /**
   * `recursive` closes a cycle. `missing` points to nothing in the schema. `external` points to another
   * document.
   */
  kind: "local" | "recursive" | "missing" | "external";
}

/** The outcome of a visit. */
export interface SchemaWalk {
  /** Every part once, the root first. */
  readonly parts: readonly SchemaPart[];
  readonly references: readonly SchemaReference[];
  /** Properties whose schema is `true` or `false`. */
  readonly booleans: readonly Omit<SchemaPart, "schema">[];
  /** Objects in one another at most, without repetitions by recursion. */
  readonly levels: number;
  readonly properties: number;
  /** Whether the schema has more parts than were visited. */
  readonly isCut: boolean;
}

/** Parts that are visited. */
export const MOST_PARTS = 10_000;

/** Definitions add no level where they are written. They come last: a part's place is where it is used. */
const DEFINITIONS = ["$defs", "definitions"];
const MAPS = ["properties", "patternProperties", "dependentSchemas"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SINGLE = [
  ...["additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems"],
  ...["contains", "propertyNames", "not", "if", "then", "else"],
];

interface Edge extends Omit<SchemaPart, "schema"> {
  readonly schema: unknown;
  readonly reference?: SchemaReference | undefined;
  readonly isDefinition?: boolean | undefined;
}

interface Frame {
  readonly part: SchemaPart;
  /** How the part was reached. */
  readonly by: Edge;
  readonly edges: readonly Edge[];
  /** 1 for an object with properties. */
  readonly own: number;
  next: number;
  levels: number;
}

/** Visits a schema. Values that are no schemas are left out. */
export function walkSchema(root: unknown): SchemaWalk {
  const parts: SchemaPart[] = [];
  const references: SchemaReference[] = [];
  const booleans: Omit<SchemaPart, "schema">[] = [];
  /** Levels of finished parts; undefined while a part is on the stack. */
  const known = new Map<object, number | undefined>();
  const targets = new Map<string, unknown>();
  const stack: Frame[] = [];
  let properties = 0;
  let isCut = false;

  const enter = (by: Edge): void => {
    const { schema, step, around } = by;
    if (!isRecord(schema)) return;
    if (parts.length >= MOST_PARTS) {
      isCut = true;
      return;
    }
    const part: SchemaPart = { schema, step, around };
    parts.push(part);
    known.set(schema, undefined);
    const ref = schema["$ref"];
    const edges = [...(typeof ref === "string" ? [follow(part, ref)] : []), ...edgesOf(part)];
    const named = isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : [];
    properties += named.length;
    for (const [name, each] of named)
      if (typeof each === "boolean") booleans.push({ step: `.${name}`, around: part });
    const own = named.length > 0 ? 1 : 0;
    stack.push({ part, by, edges, own, next: 0, levels: own });
  };
  const follow = (part: SchemaPart, ref: string): Edge => {
    if (!targets.has(ref)) targets.set(ref, targetOf(root, ref));
    const target = targets.get(ref);
    const kind = !ref.startsWith("#") ? "external" : target === undefined ? "missing" : "local";
    const reference: SchemaReference = { part, kind };
    references.push(reference);
    return { schema: target, step: "", around: part, reference };
  };

  enter({ schema: root, step: "" });
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const edge = frame.edges[frame.next++];
    if (!edge) {
      stack.pop();
      known.set(frame.part.schema, frame.levels);
      const above = stack.at(-1);
      if (above) deepen(above, frame.by, frame.levels);
    } else if (!isRecord(edge.schema) || !known.has(edge.schema)) {
      enter(edge);
    } else {
      const levels = known.get(edge.schema);
      if (levels !== undefined) deepen(frame, edge, levels);
      else {
        // The part is around itself. Nesting alone cannot do that, so the cycle has a reference.
        const closing = edge.reference ?? stack.findLast(({ by }) => by.reference)?.by.reference;
        if (closing) closing.kind = "recursive";
      }
    }
  }
  return { parts, references, booleans, levels: rootLevels(known, root), properties, isCut };
}

const rootLevels = (known: ReadonlyMap<object, number | undefined>, root: unknown): number =>
  (isRecord(root) ? known.get(root) : undefined) ?? 0;

function deepen(frame: Frame, { isDefinition }: Edge, levels: number): void {
  if (!isDefinition) frame.levels = Math.max(frame.levels, levels + frame.own);
}

function edgesOf(part: SchemaPart): Edge[] {
  const { schema } = part;
  const edges: Edge[] = [];
  const add = (value: unknown, step: string, isDefinition = false): void => {
    if (isRecord(value)) edges.push({ schema: value, step, around: part, isDefinition });
  };
  const addMap = (key: string, before: string, isDefinition = false): void => {
    const map = schema[key];
    if (!isRecord(map)) return;
    for (const [name, each] of Object.entries(map)) add(each, before + name, isDefinition);
  };
  for (const key of MAPS) addMap(key, key === "properties" ? "." : `.${key}.`);
  for (const key of LISTS) {
    const list = schema[key];
    if (Array.isArray(list)) for (const [index, each] of list.entries()) add(each, `.${key}[${index}]`);
  }
  for (const key of SINGLE) add(schema[key], `.${key}`);
  const { items } = schema;
  if (Array.isArray(items)) for (const [index, each] of items.entries()) add(each, `[${index}]`);
  else add(items, "[]");
  for (const key of DEFINITIONS) addMap(key, `.${key}.`, true);
  return edges;
}

/** The value that a reference points to; undefined if there is none. An anchor counts as something. */
function targetOf(root: unknown, ref: string): unknown {
  if (!ref.startsWith("#")) return undefined;
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return true;
  let at: unknown = root;
  for (const segment of ref.slice(2).split("/")) {
    const name = unescaped(segment);
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

function unescaped(segment: string): string {
  const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Characters of a place. */
const MOST_PLACE = 80;

/** Where a part is, such as `filter.tags[]`; empty for the root. A long place is cut at its beginning. */
export function placeOf({ step, around }: Omit<SchemaPart, "schema">): string {
  let place = step;
  for (let at = around; at && place.length <= MOST_PLACE; at = at.around) place = at.step + place;
  return place.length > MOST_PLACE ? `…${place.slice(-MOST_PLACE)}` : place.replace(/^\./, "");
}
