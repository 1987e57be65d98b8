/**
 * Finds links and submit buttons under a click: on its path, and in closed shadow roots, which the path
 * omits. Like `originals.ts`, it captures everything that it calls before the view's own scripts run.
 */
import { getter, nameOf, pathOf } from "./originals.js";

const { apply } = Reflect;
const { random } = Math;
const { appendChild } = Node.prototype;
const { remove, setAttribute } = Element.prototype;
const { getPropertyValue } = CSSStyleDeclaration.prototype;
const createElement = document.createElement.bind(document);
const styleOf = getComputedStyle.bind(window);
const namespaceOf = getter<string | null>(Element.prototype, "namespaceURI");
const buttonType = getter<string>(HTMLButtonElement.prototype, "type");
const inputType = getter<string>(HTMLInputElement.prototype, "type");
const openRoot = getter<ShadowRoot | null>(Element.prototype, "shadowRoot");

/** Elements that can have a shadow root, besides custom elements. */
const HOSTS = " article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span ";
const hosts = new Set(HOSTS.split(" "));
const { has } = Set.prototype;

function mayBeHost(name: string): boolean {
  for (let index = 0; index < name.length; index++) if (name[index] === "-") return true;
  return apply(has, hosts, [name]);
}

/**
 * Whether an element has a closed shadow root. No property reveals it, but an unslotted child has no style,
 * and no slot has a random name.
 */
function isClosedHost(element: Element, name: string): boolean {
  if (!mayBeHost(name) || openRoot(element)) return false;
  const child = createElement("i");
  apply(setAttribute, child, ["slot", `${random()}`]);
  apply(appendChild, element, [child]);
  const display: string = apply(getPropertyValue, styleOf(child), ["display"]);
  apply(remove, child, []);
  return display === "";
}

function isSubmit(element: Element, name: string): boolean {
  try {
    const type = name === "button" ? buttonType(element) : name === "input" ? inputType(element) : "";
    return type === "submit" || type === "image";
  } catch {
    // An element of that name in another namespace.
    return false;
  }
}

function mayNavigate(element: Element, name: string): boolean {
  const isLink = name === "a" || name === "area";
  // In Firefox every MathML element can be a link.
  const isMath = namespaceOf(element) === "http://www.w3.org/1998/Math/MathML";
  return isLink || isMath || isSubmit(element, name) || isClosedHost(element, name);
}

/** Whether a click may follow a link or submit a form. */
export function clickMayNavigate(click: Event): boolean {
  const path = pathOf(click);
  for (let index = 0; index < path.length; index++) {
    const node = path[index] as Element;
    const name = nameOf(node);
    if (name && mayNavigate(node, name)) return true;
  }
  return false;
}

/** Whether Enter may submit a form: in a single-line field, or in a hidden element. */
export function enterMaySubmit(key: Event): boolean {
  const [node] = pathOf(key) as Element[];
  if (!node) return false;
  const name = nameOf(node);
  return name === "input" || name === "select" || isClosedHost(node, name);
}
