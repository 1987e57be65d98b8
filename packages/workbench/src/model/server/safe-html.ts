/**
 * A preview of HTML that a server sends: its structure and its text, without anything that loads, runs or leads away.
 *
 * @module
 */

const words = (text: string): Set<string> => new Set(text.split(" "));

/** Elements that are kept. Of others, only the content is. */
const KEPT = words(
  "a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt " +
    "em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark nav ol p pre q rp rt " +
    "ruby s samp section small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr",
);
/** Elements that are left out with their content. */
const DROPPED = words(
  "script style template noscript iframe object title textarea select svg math xmp noembed noframes",
);
const ATTRIBUTES = words(
  "alt colspan rowspan dir lang title start reversed open datetime scope width height",
);
/** The policy of the preview, beside that of the page, which the frame inherits. */
const POLICY = "default-src 'none'; img-src data:";
/** Characters of the source that are shown. */
const MOST = 1_000_000;

const NAME = /[a-z][\w:-]*/iy;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;

/**
 * The document of the preview. It is written anew from known elements, because no policy keeps a page from looking up
 * the names in its `<link rel="preconnect">`. The browser does not parse the source: it reports what a policy forbids
 * even in documents that are never shown. Images are shown if they are in the document.
 */
export function previewOf(html: string): string {
  const source = html.slice(0, MOST);
  let body = "";
  let at = 0;
  while (at < source.length) {
    const start = source.indexOf("<", at);
    if (start === -1) break;
    body += textOf(source.slice(at, start));
    const isClosing = source[start + 1] === "/";
    NAME.lastIndex = start + (isClosing ? 2 : 1);
    const [name] = NAME.exec(source) ?? [];
    if (name === undefined) {
      const isText = !/[!?/]/.test(source[start + 1] ?? "");
      if (isText) body += "&lt;";
      at = isText ? start + 1 : endOfComment(source, start);
      continue;
    }
    const from = start + (isClosing ? 2 : 1) + name.length;
    const end = endOfTag(source, from);
    const element = name.toLowerCase();
    at = end;
    if (DROPPED.has(element)) at = isClosing ? end : endOfElement(source, element, end);
    else if (KEPT.has(element) && isClosing) body += `</${element}>`;
    else if (KEPT.has(element)) body += `<${element}${keptOf(element, source.slice(from, end - 1))}>`;
  }
  body += textOf(source.slice(at));
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><body>${body}`;
}

/** Text, whose characters may be written as `&…;`. */
const textOf = (text: string): string => text.replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The place after the next occurrence of a text; the end of the source if there is none. Never searched again then. */
function after(source: string, text: string, from: number): number {
  const at = source.indexOf(text, from);
  return at === -1 ? source.length : at + text.length;
}

const endOfComment = (source: string, start: number): number =>
  source.startsWith("<!--", start) ? after(source, "-->", start + 4) : after(source, ">", start);

/** The end of a tag, whose values in quotes may contain `>`. */
function endOfTag(source: string, from: number): number {
  let quote = "";
  for (let at = from; at < source.length; at++) {
    const character = source[at] ?? "";
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === ">") return at + 1;
    else if (character === '"' || character === "'") quote = character;
  }
  return source.length;
}

/** The end of an element that is left out with its content. */
function endOfElement(source: string, element: string, from: number): number {
  const closing = new RegExp(`</${element}`, "gi");
  closing.lastIndex = from;
  return closing.exec(source) ? after(source, ">", closing.lastIndex) : source.length;
}

/** The attributes that neither load nor run anything. */
function keptOf(element: string, attributes: string): string {
  let kept = "";
  for (const [, name = "", double, single, bare] of attributes.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    const value = double ?? single ?? bare ?? "";
    const isPicture =
      element === "img" && key === "src" && /^data:image\/(png|jpeg|gif|webp|avif);/i.test(value);
    if (isPicture || ATTRIBUTES.has(key)) kept += ` ${key}="${textOf(value).replaceAll('"', "&quot;")}"`;
  }
  return kept;
}
