/** The page of the tree. */

import { callTool } from "../page/call.js";
import { element, put, set } from "../page/dom.js";
import { type Kit, startPage } from "../page/kit.js";
import { sendMessage } from "../page/tell.js";
import { writeNumber } from "../page/write.js";
import { moved } from "./keys.js";
import { everyNode, nodeAt, shown, TreeNode } from "./node.js";
import { metaOf, nodesOf } from "./nodes.js";
import type { TreeViewConfig } from "./template.js";

startPage<TreeViewConfig>("tree-view", "Tree View", (kit) => new Tree(kit));

const ITEM = "[role=treeitem]";

class Tree {
  readonly #kit: Kit<TreeViewConfig>;
  readonly #tree: HTMLElement;
  readonly #count = element("p", { class: "note", role: "status" });
  readonly #filter: HTMLInputElement;
  #roots: TreeNode[] = [];
  /** Nodes that were open before filtering, which opens others. */
  #wereOpen: Set<TreeNode> | undefined;
  /** Number of matches. */
  #found: number | undefined;
  #selected: TreeNode | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(kit: Kit<TreeViewConfig>) {
    this.#kit = kit;
    this.#tree = element("ul", {
      role: "tree",
      "aria-label": kit.config.title ?? "Tree View",
      onclick: (event: MouseEvent) => this.#click(event.target as Element),
      onkeydown: (event: KeyboardEvent) => this.#key(event),
      onfocusin: ({ target }: FocusEvent) => this.#stopAt(target as Element),
    });
    this.#filter = element("input", {
      type: "search",
      placeholder: "Filter",
      "aria-label": "Filter the tree",
      oninput: () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#find(), 200);
      },
    });
  }

  /** Accepts nodes, or one node with children. */
  written({ nodes, ...node }: Record<string, unknown>): unknown {
    return nodesOf(nodes)[0] ? nodes : nodesOf(node["children"])[0] && node;
  }

  data(data: unknown): void {
    const { config } = this.#kit;
    const { expandLevel = 1 } = config;
    this.#roots = nodesOf(data).map((each) => new TreeNode(each, config));
    for (const node of everyNode(this.#roots)) node.isOpen = node.level < expandLevel && !node.mustAsk;
    this.#selected = this.#wereOpen = undefined;
    put(this.#kit.tools, this.#roots.length > 0 && this.#filter);
    put(this.#kit.place, this.#tree, this.#count);
    this.#find();
  }

  redraw(): void {
    this.#say();
  }

  /** Shows nodes that contain all words of the filter, and their ancestors. */
  #find(): void {
    const words = this.#filter.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const nodes = [...everyNode(this.#roots)];
    if (words.length) this.#wereOpen ??= new Set(nodes.filter(({ isOpen }) => isOpen));
    const { length } = words;
    let found = 0;
    for (const node of nodes) {
      node.isFound = length === 0;
      // Nodes that were added since keep their state.
      if (this.#wereOpen) node.isOpen = !length && this.#wereOpen.has(node);
    }
    if (length) {
      for (const node of nodes) {
        const text = `${node.label} ${metaOf(node.data)}`.toLocaleLowerCase();
        if (!words.every((word) => text.includes(word))) continue;
        found++;
        node.isFound = true;
        for (let up = node.parent; up && !(up.isFound && up.isOpen); up = up.parent)
          up.isFound = up.isOpen = true;
      }
      // A match without matching children can still be opened.
      for (const node of nodes) if (node.parent?.isFound && !node.parent.isOpen) node.isFound = true;
    } else this.#wereOpen = undefined;
    put(this.#tree, ...shown(this.#roots));
    this.#stopAt(this.#items().find((item) => item.tabIndex === 0) ?? this.#tree.querySelector(ITEM));
    this.#found = length ? found : undefined;
    this.#say();
  }

  #say(): void {
    const found = this.#found;
    const all = [...everyNode(this.#roots)].length;
    const items = `${writeNumber(this.#kit, all)} ${all === 1 ? "item" : "items"}`;
    const text = found === undefined ? items : `${writeNumber(this.#kit, found)} of ${items}`;
    set(this.#tree, "hidden", all === 0 || found === 0);
    put(this.#count, all === 0 ? "Nothing to show." : found === 0 ? "Nothing found." : text);
  }

  #items(): HTMLElement[] {
    return [...this.#tree.querySelectorAll<HTMLElement>(ITEM)];
  }

  /** Exactly one node is in the tab order: the last focused one. */
  #stopAt(target: Element | null): void {
    for (const item of this.#tree.querySelectorAll("[tabindex='0']")) set(item, "tabindex", -1);
    if (target) set(target, "tabindex", 0);
  }

  #click(target: Element): void {
    const node = nodeAt(target.closest(ITEM));
    if (!node) return;
    node.item?.focus();
    if (this.#kit.config.selectable && !target.matches(".arrow")) void this.#select(node);
    else void this.#open(node, !node.isOpen);
  }

  #key(event: KeyboardEvent): void {
    const node = nodeAt(event.target as Element);
    if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
    const isRightToLeft = document.documentElement.dir === "rtl";
    const [inward, outward] = isRightToLeft ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
    const { key } = event;
    let next: Element | null | undefined;
    if (key === inward && node.isBranch && !node.isOpen) void this.#open(node, true);
    else if (key === inward) next = node.item?.nextElementSibling?.querySelector(ITEM);
    else if (key === outward && node.isBranch && node.isOpen) void this.#open(node, false);
    else if (key === outward) next = node.parent?.item;
    else if (key === "Enter" || key === " ")
      void (this.#kit.config.selectable ? this.#select(node) : this.#open(node, !node.isOpen));
    else {
      next = moved(this.#items(), event.target as Element, key);
      if (!next) return;
    }
    event.preventDefault();
    (next as HTMLElement | null | undefined)?.focus();
  }

  async #open(node: TreeNode, isOpen: boolean): Promise<void> {
    if (!node.isBranch || node.isBusy) return;
    if (isOpen && node.mustAsk && !(await this.#ask(node))) return;
    node.isOpen = isOpen;
    node.update();
  }

  /** Loads the children of a node. */
  async #ask(node: TreeNode): Promise<boolean> {
    const { childrenTool = "" } = this.#kit.config;
    node.isBusy = true;
    node.update();
    this.#kit.say(`Loading ${node.label} …`, true);
    const { ok, data } = await callTool(this.#kit, childrenTool, { nodeId: node.id });
    node.isBusy = false;
    if (ok) node.take(data);
    node.update();
    this.#kit.say(ok && !node.isBranch ? `Nothing in ${node.label}.` : "");
    this.#say();
    return ok;
  }

  async #select(node: TreeNode): Promise<void> {
    if (this.#selected) this.#selected.isSelected = false;
    this.#selected = node;
    node.isSelected = true;
    const nodeId = node.id;
    const { onSelectTool } = this.#kit.config;
    if (!onSelectTool) return void sendMessage(this.#kit, `Selected: ${nodeId}`);
    this.#kit.say(`${node.label} …`, true);
    const { ok, data } = await callTool(this.#kit, onSelectTool, { nodeId });
    // A later selection has its own message.
    if (this.#selected === node)
      this.#kit.say(!ok ? "" : typeof data === "string" ? data : `Selected: ${node.label}`);
  }
}
