/**
 * Code that the pages of the demos share.
 *
 * @module
 */
import type { HostCapabilities } from "@vitrine/protocol";

type Attributes = Record<string, string | number | boolean | undefined>;
type Children = (Node | string)[];

/** The element with this id. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element ${id}`);
  return element;
}

/** Creates an element. Text is never parsed as markup; attributes that are false or undefined are omitted. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Children
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
export function draw<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Children
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** Sets attributes and adds children. */
function fill<E extends Element>(element: E, attributes: Attributes, children: Children): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : `${value}`);
  }
  element.append(...children);
  return element;
}

/** Hides elements whose `data-needs` capability the host lacks. */
export function hideUnsupported(capabilities: HostCapabilities | undefined): void {
  const able: Record<string, unknown> = { ...capabilities };
  for (const element of document.querySelectorAll<HTMLElement>("[data-needs]"))
    element.hidden = !able[element.dataset["needs"] ?? ""];
}

/** The message of an error. */
export function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : `${error}`;
}

/** The text of a tool's result; throws if the tool failed. */
export function textOf(result: { content?: unknown; isError?: boolean | undefined }): string {
  const blocks: { type?: string; text?: string }[] = Array.isArray(result.content) ? result.content : [];
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  if (result.isError) throw new Error(text || "The tool failed.");
  return text;
}
