/**
 * A preview of HTML that a server sends: its structure and its text, without anything that loads, runs or leads away.
 *
 * @module
 */

/** Elements that are kept. Of others, only the content is. */
const KEPT = new Set(
  (
    "a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt " +
    "em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark nav ol p pre q rp rt " +
    "ruby s samp section small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr"
  ).split(" "),
);
/** Elements that are left out with their content. */
const DROPPED = new Set(
  "script style template noscript iframe object embed title head textarea select svg math xmp noembed noframes plaintext".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  "alt colspan rowspan dir lang title start reversed open datetime scope width height".split(" "),
);
/** The policy of the preview, beside that of the page, which the frame inherits. */
const POLICY = "default-src 'none'; img-src data:";
const XHTML = "http://www.w3.org/1999/xhtml";
/** Elements that are shown, and their depth. */
const MOST = 20_000;
const DEEPEST = 200;

/**
 * The document of the preview. It is built anew from known elements, because no policy keeps a page from looking up the
 * names in its `<link rel="preconnect">`. Images are shown if they are in the document.
 */
export function previewOf(html: string): string {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const made = document.implementation.createHTMLDocument("");
  let left = MOST;
  const copy = (from: Node, to: Element, depth: number): void => {
    for (const node of from.childNodes) {
      if (left-- <= 0) return;
      if (node.nodeType === Node.TEXT_NODE) to.append(node.textContent ?? "");
      if (!(node instanceof Element) || depth > DEEPEST || node.namespaceURI !== XHTML) continue;
      const name = node.localName;
      if (DROPPED.has(name)) continue;
      if (KEPT.has(name)) {
        const own = made.createElement(name);
        for (const attribute of node.attributes)
          if (mayKeep(name, attribute)) own.setAttribute(attribute.name, attribute.value);
        to.append(own);
        copy(node, own, depth + 1);
      } else copy(node, to, depth + 1);
    }
  };
  copy(parsed.body, made.body, 0);
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><body>${made.body.innerHTML}`;
}

/** Whether an attribute neither loads nor runs anything. */
function mayKeep(element: string, { name, value }: Attr): boolean {
  if (name === "src") return element === "img" && /^data:image\/(png|jpeg|gif|webp|avif);/i.test(value);
  return ATTRIBUTES.has(name);
}
