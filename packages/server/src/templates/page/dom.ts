/**
 * Creates elements from data. Text is never parsed as markup, so nothing from a tool, a model or a
 * configuration can become markup.
 *
 * @module
 */

type Child = Node | string | number | false | null | undefined;
type Properties = Record<string, string | number | boolean | null | undefined | ((event: never) => unknown)>;

/**
 * Creates an element. Functions become listeners, `false` and `undefined` omit an attribute, `true` sets it
 * to the empty string.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value as EventListener);
    else set(made, name, value);
  }
  put(made, ...children);
  return made;
}

/** Sets or removes an attribute. */
export function set(
  target: Element,
  name: string,
  value: string | number | boolean | null | undefined,
): void {
  if (value === false || value === undefined || value === null) target.removeAttribute(name);
  else target.setAttribute(name, value === true ? "" : String(value));
}

/** Replaces the children of an element. */
export function put(target: Element, ...children: Child[]): void {
  target.replaceChildren(
    ...children.flatMap((child) =>
      child === false || child === null || child === undefined
        ? []
        : [child instanceof Node ? child : String(child)],
    ),
  );
}

let last = 0;
/** An id that is unique in the page. */
export const newId = (): string => `v${++last}`;
