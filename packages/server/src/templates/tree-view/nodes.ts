/** Nodes of a tree, as tools give them: read for the page and for the text alike. */

/** What a tool says of a node. All of it may be missing. */
export interface TreeNodeData {
  readonly id?: string | number | undefined;
  /** The id by default. */
  readonly label?: string | undefined;
  /** `folder`, `folder-open`, `file` or `custom`; found out from the children by default. */
  readonly icon?: string | undefined;
  /** The symbol of a `custom` icon. */
  readonly iconChar?: string | undefined;
  /** A word beside the label: a size, a date; a record of them, too. */
  readonly meta?: unknown;
  readonly children?: readonly TreeNodeData[] | undefined;
  /** There are children that have to be asked for. */
  readonly hasChildren?: boolean | undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The nodes in data: a list, one node, or a list under some name of a record that is no node itself. */
export function nodesOf(data: unknown): readonly TreeNodeData[] {
  const list = Array.isArray(data) ? data : isRecord(data) ? listIn(data) : [];
  return list.filter(isRecord);
}

function listIn(data: Record<string, unknown>): readonly unknown[] {
  const isNode = (data["id"] ?? data["label"]) !== undefined;
  return (!isNode && Object.values(data).find(Array.isArray)) || (Object.keys(data).length ? [data] : []);
}

/** What a node is called. */
export const labelOf = ({ label, id }: TreeNodeData): string => String(label ?? id ?? "");

/** The word beside it. */
export function metaOf({ meta }: TreeNodeData): string {
  const words = isRecord(meta) ? Object.entries(meta).map(([name, value]) => `${name}: ${value}`) : [meta];
  return words.filter((word) => word !== undefined && word !== null && word !== "").join(" · ");
}
