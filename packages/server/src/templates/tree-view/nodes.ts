/** Reads the nodes of a tree from a tool's data, for the page and for the text. */

/** A node from a tool. Every field is optional. */
import { isRecord } from "@vitrine/protocol";
export interface TreeNodeData {
  readonly id?: string | number | undefined;
  /** The displayed name; the id by default. */
  readonly label?: string | undefined;
  /** `folder`, `folder-open`, `file` or `custom`; by default it depends on the children. */
  readonly icon?: string | undefined;
  /** The symbol of a `custom` icon. */
  readonly iconChar?: string | undefined;
  /** Text beside the label, such as a size or a date; or a record of such texts. */
  readonly meta?: unknown;
  readonly children?: readonly TreeNodeData[] | undefined;
  /** Whether there are children to load. */
  readonly hasChildren?: boolean | undefined;
}

/** The nodes in data: a list, one node, or a list in a record that is not a node itself. */
export function nodesOf(data: unknown): readonly TreeNodeData[] {
  const list = Array.isArray(data) ? data : isRecord(data) ? listIn(data) : [];
  return list.filter(isRecord);
}

function listIn(data: Record<string, unknown>): readonly unknown[] {
  const isNode = (data["id"] ?? data["label"]) !== undefined;
  return (!isNode && Object.values(data).find(Array.isArray)) || (Object.keys(data).length ? [data] : []);
}

/** The label of a node. */
export const labelOf = ({ label, id }: TreeNodeData): string => String(label ?? id ?? "");

/** The text beside the label. */
export function metaOf({ meta }: TreeNodeData): string {
  const words = isRecord(meta) ? Object.entries(meta).map(([name, value]) => `${name}: ${value}`) : [meta];
  return words.filter((word) => word !== undefined && word !== null && word !== "").join(" · ");
}
