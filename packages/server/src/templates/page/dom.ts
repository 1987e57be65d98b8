/**
 * Elements, made from data: all text is text. Nothing here takes markup, so nothing that comes from a tool, a model or a
 * configuration can become some.
 *
 * @module
 */

type Child = Node | string | number | false | null | undefined;
type Properties = Record<string, string | number | boolean | null | undefined | ((event: never) => unknown)>;

/** Makes an element. Functions are listeners, `false` and `undefined` leave an attribute out, `true` sets it empty. */
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

/** Sets an attribute, or takes it away. */
export function set(
  target: Element,
  name: string,
  value: string | number | boolean | null | undefined,
): void {
  if (value === false || value === undefined || value === null) target.removeAttribute(name);
  else target.setAttribute(name, value === true ? "" : String(value));
}

/** Replaces what is in an element. */
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
/** An id that nothing else in the page has. */
export const newId = (): string => `v${++last}`;
