/**
 * Makes one document of a page that a bundler wrote into a folder: scripts, styles and pictures that the page refers to are
 * put into it. A view has no other files: what cannot be put into it is an error here, and not a blank frame later.
 *
 * @module
 */
import { extname } from "node:path";
import { DefinitionError } from "./errors.js";
import { pathInside, readDocument, readFileItself, textOf } from "./read-document.js";

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

/** An element's start, its attributes, and for scripts their end. */
const ELEMENT = /<(script|link|img|source|audio|video)\b((?:"[^"]*"|'[^']*'|[^'">])*)>/gi;
const ATTRIBUTE = /([^\s=/"'<>]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>`]+))?/g;
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

/**
 * Reads the page and all that it needs.
 *
 * @throws {DefinitionError} `view-missing`, `view-not-whole`, `view-too-large`, `path-forbidden`, `view-not-utf8`
 */
export async function inlineFolder(folder: string, entry: string, limit: number): Promise<string> {
  const page = await readDocument(await pathInside(folder, entry), limit);
  const parts: (string | Promise<string>)[] = [];
  let done = 0;
  for (const found of page.matchAll(ELEMENT)) {
    const [whole, tag = "", rest = ""] = found;
    parts.push(
      page.slice(done, found.index),
      inlineElement(folder, entry, whole, tag.toLowerCase(), rest, limit),
    );
    done = found.index + whole.length;
  }
  parts.push(page.slice(done));
  const text = (await Promise.all(parts)).join("");
  return textOf(Buffer.from(text), `the page of ${folder}, with all that it needs,`, limit);
}

async function inlineElement(
  folder: string,
  entry: string,
  whole: string,
  tag: string,
  rest: string,
  limit: number,
): Promise<string> {
  const attributes = attributesOf(rest);
  const key = tag === "link" ? "href" : "src";
  const address = attributes.get(key);
  if (address === undefined || ELSEWHERE.test(address)) return whole;
  const relation = attributes.get("rel")?.toLowerCase() ?? "";
  // What a bundler wants loaded early is in the document already.
  if (tag === "link" && /^(modulepreload|preload|prefetch)$/.test(relation)) return "";
  const path = await pathInside(folder, insideOf(entry, address));
  if (tag === "script") {
    const code = await readDocument(path, limit);
    checkScript(code, address);
    const kept = [...attributes].filter(([name]) => !/^(src|crossorigin|integrity|async|defer)$/.test(name));
    // A script in the document runs at once, where one in a file that is deferred does not: a module always waits.
    if (attributes.has("defer") && !attributes.has("type")) kept.push(["type", "module"]);
    return `<script${written(kept)}>${code.replace(/<\/(script)/gi, "<\\/$1").replaceAll("<!--", "<\\!--")}`;
  }
  if (tag === "link" && relation === "stylesheet") {
    return `<style>${await inlineStyle(folder, insideOf(entry, address), limit)}</style>`;
  }
  return `<${tag}${written(
    [...attributes].map(([name, value]) => [name, name === key ? "" : value] as const),
    {
      [key]: await dataUrl(path, limit),
    },
  )}>`;
}

/** A style sheet with its pictures and fonts in it. */
async function inlineStyle(folder: string, name: string, limit: number): Promise<string> {
  const css = await readDocument(await pathInside(folder, name), limit);
  if (/@import\b/.test(css)) {
    throw new DefinitionError(
      "view-not-whole",
      `${name} has an @import: have the bundler put it into one style sheet`,
    );
  }
  const parts: (string | Promise<string>)[] = [];
  let done = 0;
  for (const found of css.matchAll(/url\(\s*("[^"]*"|'[^']*'|[^)"']*)\s*\)/g)) {
    const address = unquoted(found[1] ?? "").trim();
    const isHere = address !== "" && !ELSEWHERE.test(address);
    const path = isHere && pathInside(folder, insideOf(name, address));
    parts.push(
      css.slice(done, found.index),
      path ? path.then(async (each) => `url("${await dataUrl(each, limit)}")`) : found[0],
    );
    done = found.index + found[0].length;
  }
  parts.push(css.slice(done));
  return (await Promise.all(parts)).join("").replace(/<\/(style)/gi, "<\\/$1");
}

async function dataUrl(path: string, limit: number): Promise<string> {
  const type = TYPES[extname(path).toLowerCase()] ?? "application/octet-stream";
  return `data:${type};base64,${(await readFileItself(path, limit)).toString("base64")}`;
}

/** Other modules of the folder cannot be loaded: there is no folder any more. */
function checkScript(code: string, address: string): void {
  const found = /(?:\bimport\s*\(\s*|\bfrom\s*|\bimport\s*)(["'])(\.{0,2}\/[^"']*)\1/.exec(code);
  if (!found) return;
  throw new DefinitionError(
    "view-not-whole",
    `${address} imports ${found[2]}, which a view cannot load: build one file (in Vite: build.rollupOptions.output.inlineDynamicImports)`,
  );
}

/** An address in a page, as a name in the folder. */
function insideOf(from: string, address: string): string {
  const path = decodeURIComponent(address.replace(/[?#].*$/, ""));
  if (path.startsWith("/")) return path.slice(1);
  const names = from.split("/").slice(0, -1);
  for (const name of path.split("/")) {
    if (name === "..") {
      if (names.length === 0) return path;
      names.pop();
    } else if (name !== ".") names.push(name);
  }
  return names.join("/");
}

function attributesOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", value = ""] of text.matchAll(ATTRIBUTE)) {
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), unquoted(value));
  }
  return found;
}

const unquoted = (value: string): string => value.replace(/^(["'])([\s\S]*)\1$/, "$2");

function written(attributes: (readonly [string, string])[], more: Record<string, string> = {}): string {
  const all = [...attributes.filter(([name]) => !(name in more)), ...Object.entries(more)];
  return all
    .map(([name, value]) => (value === "" ? ` ${name}` : ` ${name}="${value.replaceAll('"', "&quot;")}"`))
    .join("");
}
