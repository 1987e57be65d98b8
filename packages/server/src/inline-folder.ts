/**
 * Combines a bundler's page into one document: scripts, styles and images of the page are inlined. A view has
 * no other files, so a file that cannot be inlined is an error here rather than a blank frame later.
 *
 * @module
 */
import { extname } from "node:path";
import { checkedText } from "./check-document.js";
import { checkScript } from "./check-script.js";
import { DefinitionError } from "./errors.js";
import { nameInFolder } from "./name-in-folder.js";
import { pathInside, readDocument, readFileItself } from "./read-document.js";

const TYPES: Readonly<Record<string, string>> = {
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".avif": "image/avif",
  ".ico": "image/x-icon",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
};

/** Attributes whose file is inlined, by element. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  link: ["href"],
  img: ["src"],
  input: ["src"],
  source: ["src"],
  track: ["src"],
  audio: ["src"],
  video: ["src", "poster"],
  image: ["href", "xlink:href"],
};

/** Attributes whose file would be a separate document, by element. */
const FRAMED: Readonly<Record<string, readonly string[]>> = {
  iframe: ["src"],
  object: ["data"],
  embed: ["src"],
  use: ["href", "xlink:href"],
};

/** Matches a comment, a whole script or style element, or the start tag of any other element. */
const PART =
  /<!--[\s\S]*?(?:-->|$)|<(script|style)\b((?:"[^"]*"|'[^']*'|[^'">])*)>([\s\S]*?)(?:<\/\1\b[^>]*>|$)|<([a-z][\w-]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/gi;
const ATTRIBUTE = /([^\s=/"'<>]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>`]+))?/g;
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;
/** In a style sheet: comments and strings, which stay unchanged; imports; and URLs. */
const STYLE_PART =
  /\/\*[\s\S]*?(?:\*\/|$)|(@import)\s*(?:url\(\s*)?("[^"]*"|'[^']*'|[^)"';\s]*)|url\(\s*("[^"]*"|'[^']*'|[^)"']*)\s*\)|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/gi;

/** The page to inline. */
interface Page {
  readonly folder: string;
  readonly entry: string;
  readonly limit: number;
  readonly imports: ReadonlyMap<string, string>;
}

/**
 * Reads the page and inlines everything that it needs.
 *
 * @throws {DefinitionError} `view-missing`, `view-not-whole`, `view-too-large`, `path-forbidden`,
 * `view-not-utf8`
 */
export async function inlineFolder(folder: string, entry: string, limit: number): Promise<string> {
  const html = await readDocument(await pathInside(folder, entry), limit);
  const page = { folder, entry, limit, imports: importsOf(html) };
  const text = await replaced(
    html,
    PART,
    async ([whole, raw = "", rawRest = "", inner = "", tag = "", rest = ""]) => {
      if (/^script$/i.test(raw)) return inlineScript(page, whole, attributesOf(rawRest), inner);
      if (/^style$/i.test(raw)) {
        const at = "<>".length + raw.length + rawRest.length;
        return `${whole.slice(0, at)}${await inlineStyle(page, inner, entry)}${whole.slice(at + inner.length)}`;
      }
      return tag === "" ? whole : inlineElement(page, whole, tag.toLowerCase(), attributesOf(rest));
    },
  );
  return checkedText(text, `the page of ${folder}, with everything that it needs,`, limit);
}

async function inlineScript(
  page: Page,
  whole: string,
  attributes: ReadonlyMap<string, string>,
  inner: string,
): Promise<string> {
  const { folder, entry, limit } = page;
  const address = attributes.get("src");
  // Other types are data or templates and do not run.
  const isRun = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i.test(
    attributes.get("type")?.trim() ?? "",
  );
  if (address === undefined) {
    if (isRun) await checkScript({ ...page, code: inner, name: `a script in ${entry}`, file: entry });
    return whole;
  }
  if (ELSEWHERE.test(address)) return whole;
  const file = nameInFolder(entry, address);
  const code = await readDocument(await pathInside(folder, file), limit);
  if (isRun) await checkScript({ ...page, code, name: address, file });
  // An inline classic script cannot be deferred, so it becomes a module, which always is.
  const waits = isRun && attributes.has("defer");
  const kept = [...attributes].filter(
    ([name]) => !/^(src|crossorigin|integrity|async|defer)$/.test(name) && !(waits && name === "type"),
  );
  if (waits) kept.push(["type", "module"]);
  const safe = code.replace(/<\/(script)/gi, "<\\/$1").replaceAll("<!--", "<\\!--");
  return `<script${written(kept)}>${safe}</script>`;
}

async function inlineElement(
  page: Page,
  whole: string,
  tag: string,
  attributes: ReadonlyMap<string, string>,
): Promise<string> {
  const { entry } = page;
  const relation = attributes.get("rel")?.toLowerCase() ?? "";
  const link = tag === "link" ? attributes.get("href") : undefined;
  if (link !== undefined && !ELSEWHERE.test(link)) {
    // Preloads are unnecessary: the files are inlined.
    if (/^(modulepreload|preload|prefetch)$/.test(relation)) return "";
    if (relation === "stylesheet") {
      const media = attributes.get("media");
      return `<style${written(media ? [["media", media]] : [])}>${await inlineStyleFile(page, link)}</style>`;
    }
  }
  for (const name of FRAMED[tag] ?? []) {
    const address = attributes.get(name);
    if (address && !ELSEWHERE.test(address))
      throw new DefinitionError(
        "view-not-whole",
        `${entry} has <${tag} ${name}="${address}">, but a view is one document: move its content into the page`,
      );
  }
  const changed = new Map<string, string>();
  for (const name of ADDRESSES[tag] ?? []) {
    const address = attributes.get(name);
    if (address && !ELSEWHERE.test(address)) changed.set(name, await dataUrl(page, entry, address));
  }
  const set = attributes.get("srcset");
  if (set) changed.set("srcset", await inlineSet(page, set));
  const style = attributes.get("style");
  if (style?.includes("url("))
    changed.set("style", await inlineStyle(page, style.replaceAll("&quot;", '"'), entry));
  if ([...changed].every(([name, value]) => attributes.get(name) === value)) return whole;
  const isClosed = /\/\s*>$/.test(whole);
  return `<${tag}${written([...attributes].map(([name, value]) => [name, changed.get(name) ?? value]))}${isClosed ? " /" : ""}>`;
}

/** `srcset`: addresses, each with its size. */
const inlineSet = (page: Page, set: string): Promise<string> =>
  replaced(
    set,
    /([^\s,]\S*[^\s,]|[^\s,])((?:\s+[\d.]+[wxh])*)/gi,
    async ([whole, address = "", size = ""]) =>
      ELSEWHERE.test(address) ? whole : `${await dataUrl(page, page.entry, address)}${size}`,
  );

async function inlineStyleFile(page: Page, address: string): Promise<string> {
  const file = nameInFolder(page.entry, address);
  const css = await readDocument(await pathInside(page.folder, file), page.limit);
  return (await inlineStyle(page, css, file)).replace(/<\/(style)/gi, "<\\/$1");
}

/** Inlines the images and fonts of a style sheet. */
const inlineStyle = (page: Page, css: string, file: string): Promise<string> =>
  replaced(css, STYLE_PART, async ([whole, rule, imported = "", quoted]) => {
    if (rule !== undefined && !ELSEWHERE.test(unquoted(imported)))
      throw new DefinitionError(
        "view-not-whole",
        `${file} has an @import: let the bundler combine the style sheets`,
      );
    const address = unquoted(quoted ?? "").trim();
    const isHere = address !== "" && !ELSEWHERE.test(address);
    return isHere ? `url("${await dataUrl(page, file, address)}")` : whole;
  });

async function dataUrl({ folder, limit }: Page, from: string, address: string): Promise<string> {
  const path = await pathInside(folder, nameInFolder(from, address));
  const type = TYPES[extname(path).toLowerCase()] ?? "application/octet-stream";
  return `data:${type};base64,${(await readFileItself(path, limit)).toString("base64")}`;
}

/** The entries of the page's import map. Invalid JSON counts as empty, as in a browser. */
function importsOf(html: string): ReadonlyMap<string, string> {
  const [, json] = /<script\b[^>]*\btype\s*=\s*["']?importmap\b[^>]*>([\s\S]*?)<\/script/i.exec(html) ?? [];
  try {
    const { imports } = Object(JSON.parse(json ?? "{}"));
    return new Map(Object.entries(Object(imports)).map(([name, address]) => [name, String(address)]));
  } catch {
    return new Map();
  }
}

/** `replaceAll` with an asynchronous replacement. */
async function replaced(
  text: string,
  pattern: RegExp,
  replace: (found: RegExpExecArray) => Promise<string>,
): Promise<string> {
  const parts: (string | Promise<string>)[] = [];
  let done = 0;
  for (const found of text.matchAll(pattern)) {
    parts.push(text.slice(done, found.index), replace(found));
    done = found.index + found[0].length;
  }
  return (await Promise.all([...parts, text.slice(done)])).join("");
}

function attributesOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", value = ""] of text.matchAll(ATTRIBUTE)) {
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), unquoted(value));
  }
  return found;
}

const unquoted = (value: string): string => value.replace(/^(["'])([\s\S]*)\1$/, "$2");

const written = (attributes: readonly (readonly [string, string])[]): string =>
  attributes
    .map(([name, value]) => (value === "" ? ` ${name}` : ` ${name}="${value.replaceAll('"', "&quot;")}"`))
    .join("");
