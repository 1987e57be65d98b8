/** A node of the tree, and its elements. */
import { element, set } from "../page/dom.js";
import { labelOf, metaOf, nodesOf, type TreeNodeData } from "./nodes.js";
import type { TreeViewConfig } from "./template.js";

/** A node. Its element is created when it is first shown: most never are. */
export class TreeNode {
  readonly data: TreeNodeData;
  readonly parent: TreeNode | undefined;
  readonly level: number;
  readonly label: string;
  readonly #config: TreeViewConfig;
  #isAsked = false;
  children: TreeNode[];
  isOpen = false;
  /** Whether it matches the filter, or leads to a match. */
  isFound = true;
  /** Whether its children are being loaded. */
  isBusy = false;
  /**
   * The focusable element. Children are outside of it, so that their names are not part of its accessible
   * name.
   */
  item: HTMLElement | undefined;
  #place: HTMLElement | undefined;

  constructor(data: TreeNodeData, config: TreeViewConfig, parent?: TreeNode) {
    this.data = data;
    this.parent = parent;
    this.level = parent ? parent.level + 1 : 0;
    this.label = labelOf(data);
    this.#config = config;
    this.children = this.#nodes(data.children);
  }

  #nodes(data: unknown): TreeNode[] {
    return nodesOf(data).map((each) => new TreeNode(each, this.#config, this));
  }

  get id(): string | number {
    return this.data.id ?? this.label;
  }

  get mustAsk(): boolean {
    return (
      this.#config.childrenTool !== undefined &&
      this.data.hasChildren === true &&
      !this.#isAsked &&
      !this.children.length
    );
  }

  get isBranch(): boolean {
    return this.children.length > 0 || this.mustAsk;
  }

  /** Adds the children that the server returned: nodes, or this node with its children. */
  take(data: unknown): void {
    this.#isAsked = true;
    this.children = this.#nodes(Object(data).children ?? data);
  }

  /** Returns the up-to-date element, with its visible children. */
  show(): HTMLElement {
    this.item ??= this.#make();
    this.#place ??= element("li", { role: "none" }, this.item);
    this.update();
    return this.#place;
  }

  /** Updates the element, if it exists. */
  update(): void {
    if (!this.item) return;
    const isOpen = this.isOpen && this.children.length > 0;
    set(this.item, "aria-expanded", this.isBranch && String(isOpen));
    set(this.item, "aria-busy", this.isBusy && "true");
    this.#place?.children[1]?.remove();
    if (isOpen) this.#place?.append(element("ul", { role: "group" }, ...shown(this.children)));
  }

  set isSelected(isSelected: boolean) {
    if (this.item) set(this.item, "aria-selected", String(isSelected));
  }

  #make(): HTMLElement {
    const { icon = this.isBranch ? "folder" : "file", iconChar } = this.data;
    const meta = metaOf(this.data);
    const symbol = element(
      "span",
      { class: `icon ${iconChar ? "" : icon}`, "aria-hidden": "true" },
      iconChar,
    );
    const item = element(
      "div",
      {
        role: "treeitem",
        tabindex: -1,
        "aria-level": this.level + 1,
        "aria-selected": this.#config.selectable && "false",
      },
      element("span", { class: "arrow" }),
      this.#config.showIcons !== false && symbol,
      element("span", { class: "label" }, this.label, meta && " ", meta && element("small", {}, meta)),
    );
    nodes.set(item, this);
    return item;
  }
}

const nodes = new WeakMap<Element, TreeNode>();

/** The node of an element. */
export const nodeAt = (item: Element | null | undefined): TreeNode | undefined =>
  item ? nodes.get(item) : undefined;

/** The elements of nodes that pass the filter. */
export const shown = (siblings: readonly TreeNode[]): HTMLElement[] =>
  siblings.filter(({ isFound }) => isFound).map((node) => node.show());

/** All nodes, depth first. */
export function* everyNode(siblings: readonly TreeNode[]): Generator<TreeNode> {
  for (const node of siblings) {
    yield node;
    yield* everyNode(node.children);
  }
}
