/**
 * What the demos' apps share. All of it runs in the page.
 *
 * @module
 */
import type { AppCapabilities, HostCapabilities } from "@vitrine/protocol";
import type { App } from "@vitrine/view";

/** What the script of `viewScript` defines. */
declare const vitrine: { App: new (info?: undefined, capabilities?: AppCapabilities) => App };

type Attributes = Record<string, string | number | boolean | undefined>;
type Children = (Node | string)[];

/** An app that is not connected yet. */
export function startApp(capabilities?: AppCapabilities): App {
  return new vitrine.App(undefined, capabilities);
}

/** The element with this id. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element ${id}`);
  return element;
}

/** Makes an element. Text stays text, whoever wrote it; an attribute that is false or undefined is not there. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Children
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an element of a drawing. */
export function draw<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Children
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** What both do. */
export function fill<E extends Element>(element: E, attributes: Attributes, children: Children): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : `${value}`);
  }
  element.append(...children);
  return element;
}

/** Hides what this host cannot do: elements say by `data-needs` which capability they need. */
export function hideUnsupported(capabilities: HostCapabilities | undefined): void {
  const able: Record<string, unknown> = { ...capabilities };
  for (const element of document.querySelectorAll<HTMLElement>("[data-needs]"))
    element.hidden = !able[element.dataset["needs"] ?? ""];
}

/** What went wrong, in a sentence. */
export function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : `${error}`;
}

/** The text of a tool's result; thrown if the tool failed. */
export function textOf(result: { content?: unknown; isError?: boolean | undefined }): string {
  const blocks: { type?: string; text?: string }[] = Array.isArray(result.content) ? result.content : [];
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  if (result.isError) throw new Error(text || "The tool failed.");
  return text;
}
