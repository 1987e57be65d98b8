/**
 * A tree with expandable nodes, search and selection.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { builtIn } from "../built-in.js";
import type { Template } from "../template.js";
import { labelOf, metaOf, nodesOf, type TreeNodeData } from "./nodes.js";

/** Configuration of {@link treeView}. */
export interface TreeViewConfig {
  readonly title?: string | undefined;
  /** Whether nodes have icons; true by default. */
  readonly showIcons?: boolean | undefined;
  /** Number of initially open levels; 1 by default, which opens the top nodes. */
  readonly expandLevel?: number | undefined;
  /** Whether a node can be selected; false by default. */
  readonly selectable?: boolean | undefined;
  /** Called with `{ nodeId }` when a node is selected; by default, the conversation gets a message. */
  readonly onSelectTool?: string | undefined;
  /** Called with `{ nodeId }` to load the children of a node with `hasChildren` and no children. */
  readonly childrenTool?: string | undefined;
}

const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Tree View" },
    showIcons: { type: "boolean", default: true },
    expandLevel: {
      type: "integer",
      minimum: 0,
      default: 1,
      description: "Number of initially open levels.",
    },
    selectable: { type: "boolean", default: false },
    onSelectTool: {
      type: "string",
      minLength: 1,
      description: "Called with { nodeId } when a node is selected.",
    },
    childrenTool: {
      type: "string",
      minLength: 1,
      description: "Called with { nodeId } to load the children of a node.",
    },
  },
  additionalProperties: false,
};

/** Maximum lines of the text. */
const MAX_LINES = 200;

/** A nested Markdown list. */
function textOfTree(data: unknown): string {
  const lines: string[] = [];
  let count = 0;
  const write = (nodes: readonly TreeNodeData[], indent: string): void => {
    for (const node of nodes) {
      const meta = metaOf(node);
      const line = `${indent}- ${labelOf(node)}${meta && ` (${meta})`}`.replace(/\s*\n\s*/g, " ");
      if (++count <= MAX_LINES) lines.push(line);
      write(nodesOf(node.children), `${indent}  `);
    }
  };
  write(nodesOf(data), "");
  if (count > MAX_LINES) lines.push(`\n… and ${count - MAX_LINES} more`);
  return lines.join("\n") || "(nothing)";
}

/**
 * Shows nodes as a tree. Accepts a node, a list of nodes, or `{ nodes: [...] }`. A node is `{ id, label,
 * icon, iconChar, meta, children, hasChildren }`.
 *
 * @example
 * ```ts source="../../server.examples.ts#treeView"
 * const files = view({
 *   name: "files",
 *   template: treeView,
 *   config: { title: "Project", selectable: true, onSelectTool: "open_file", childrenTool: "list_folder" },
 * });
 *
 * ```
 */
export const treeView: Template<TreeViewConfig> = builtIn({
  name: "tree-view",
  title: "Tree View",
  schema,
  text: (data) => textOfTree(data),
});
