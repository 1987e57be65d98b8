/**
 * A tree of things: opened and closed, searched, chosen from.
 *
 * @module
 */
import { builtIn } from "../built-in.js";
import type { JsonSchema } from "../check-config.js";
import type { Template } from "../template.js";
import { labelOf, metaOf, nodesOf, type TreeNodeData } from "./nodes.js";

/** Configuration of {@link treeView}. */
export interface TreeViewConfig {
  readonly title?: string | undefined;
  /** Whether nodes have icons; they have by default. */
  readonly showIcons?: boolean | undefined;
  /** How many levels are open at first; 1 by default: the uppermost nodes are. */
  readonly expandLevel?: number | undefined;
  /** Whether a node can be chosen; none can by default. */
  readonly selectable?: boolean | undefined;
  /** Called with `{ nodeId }` when one is; without it, the conversation is told. */
  readonly onSelectTool?: string | undefined;
  /** Called with `{ nodeId }` for the children of a node that says `hasChildren` and has none with it. */
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
      description: "How many levels are open at first.",
    },
    selectable: { type: "boolean", default: false },
    onSelectTool: { type: "string", minLength: 1, description: "Called with { nodeId } when one is chosen." },
    childrenTool: {
      type: "string",
      minLength: 1,
      description: "Called with { nodeId } for children that did not come with their node.",
    },
  },
  additionalProperties: false,
};

/** Lines of the text; more would only be in the way. */
const MAX_LINES = 200;

/** A Markdown list with lists in it. */
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
 * Shows nodes as a tree. Takes a node, a list of them, or `{ nodes: [...] }`; a node is
 * `{ id, label, icon, iconChar, meta, children, hasChildren }`.
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
