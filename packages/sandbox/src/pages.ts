/**
 * The pages of the sandbox, as text.
 *
 * @module
 */
import { SANDBOX, SANDBOX_WITH_ORIGIN } from "./headers.js";
import { DIRECT, LOADER, PROXY } from "./page-text.js";

/** The hash of the proxy's script, as its policy names it. */
export const proxyScriptHash: Promise<string> = hash(PROXY);

/** The proxy page, with the view's frame in it: the browser asks for the view before any script has run. */
export function proxyPage(page: {
  hosts: readonly string[];
  view: string;
  src: string;
  allow: string;
  opaque: boolean;
}): string {
  const sandbox = page.opaque ? SANDBOX : SANDBOX_WITH_ORIGIN;
  const view = page.opaque ? "null" : page.view;
  // Every value is an origin, an address or a name of ours: none has a character that HTML would mind.
  return (
    '<!doctype html><meta charset="utf-8"><title>App</title>' +
    "<style>body{margin:0;overflow:hidden}iframe{display:block;border:0;width:100%;height:100vh}</style>" +
    `<script data-hosts="${page.hosts.join(" ")}" data-view="${view}">${PROXY}</script>` +
    `<body><iframe title="App" sandbox="${sandbox}" allow="${page.allow}" src="${page.src}"></iframe>`
  );
}

/** What stands before a view's own HTML, on the same line, so that line numbers stay what they are. */
export const beforeDocument = (html: string): string =>
  `${hasDoctype(html) ? "<!doctype html>" : ""}<script>${DIRECT}</script>`;

/** Whether the document begins with a doctype, as a parser sees it: one without keeps the quirks it was written for. */
function hasDoctype(html: string): boolean {
  let at = 0;
  for (;;) {
    while (/\s/.test(html[at] ?? "")) at++;
    if (!html.startsWith("<!--", at)) return /^<!doctype/i.test(html.slice(at, at + 9));
    const end = html.indexOf("-->", at + 4);
    if (end < 0) return false;
    at = end + 3;
  }
}

/** The view's document when its HTML comes by message. */
export const loaderPage = (proxy: string): string =>
  `<!doctype html><meta charset="utf-8"><title>App</title><script data-proxy="${proxy}">${LOADER}</script>`;

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
