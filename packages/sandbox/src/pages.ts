/**
 * The pages of the sandbox, as text.
 *
 * @module
 */
import { SANDBOX, SANDBOX_WITH_ORIGIN } from "./headers.js";
import { CONSOLE, DIRECT, LOADER, PROXY } from "./page-text.js";

/** The hash of the proxy's script, as its policy names it. */
export const proxyScriptHash: Promise<string> = hash(PROXY);

/** The proxy page; its script shows the view's frame. */
export function proxyPage(page: {
  hosts: readonly string[];
  view: string;
  src: string;
  allow: string;
  opaque: boolean;
  token: string;
}): string {
  const sandbox = page.opaque ? SANDBOX : SANDBOX_WITH_ORIGIN;
  const view = page.opaque ? "null" : page.view;
  // Every value is an origin, an address or a name of ours: none has a character that HTML would mind.
  return (
    "<!doctype html><title>App</title>" +
    "<style>body{margin:0;overflow:hidden}iframe{display:block;border:0;width:100%;height:100vh}</style>" +
    `<body data-hosts="${page.hosts.join(" ")}" data-view="${view}" data-token="${page.token}"><template>` +
    `<iframe title="App" sandbox="${sandbox}" allow="${page.allow}" src="${page.src}"></iframe>` +
    `</template><script>${PROXY}</script>`
  );
}

/** What the script before a view's document is told. */
export interface BeforeView {
  proxy: string;
  /** Known to the proxy and this script alone: proves to the proxy that a message is not the view's. */
  token: string;
  /** Report what is written to the console. */
  console?: boolean | undefined;
  /** The view was granted the clipboard. */
  copy?: boolean | undefined;
}

/**
 * What stands before a view's own HTML, on the same line, so that line numbers stay what they are. A script
 * there takes the place of the doctype and would give the document quirks, so the same doctype comes before it; a
 * document without one keeps the quirks that it was written for.
 */
export const beforeDocument = (html: string, view: BeforeView): string =>
  `${doctype(html)}${scripts(view, DIRECT)}`;

const scripts = ({ proxy, token, console, copy }: BeforeView, text: string): string =>
  `<script data-proxy="${proxy}" data-token="${token}"${copy ? " data-copy" : ""}>${text}</script>` +
  (console ? `<script data-proxy="${proxy}">${CONSOLE}</script>` : "");

/** What a parser passes over on its way to the doctype: white space, comments, and what it takes for comments. */
const BEFORE_DOCTYPE =
  /[\t\n\f\r ]+|<!--(?:-?>|[\s\S]*?--!?>)|<\?[^>]*>|<!(?!--|doctype)[^>]*>|<\/(?:[^a-z>][^>]*)?>/iy;
const DOCTYPE = /<!doctype[^>]*>/iy;

/** The document's doctype, if a parser finds one. */
function doctype(html: string): string {
  let at = 0;
  // Token by token, as a parser does: one pattern for all of them would go back over hostile text for ever.
  const take = (token: RegExp): string => {
    token.lastIndex = at;
    const [text = ""] = token.exec(html) ?? [];
    at += text.length;
    return text;
  };
  while (take(BEFORE_DOCTYPE));
  return take(DOCTYPE).replace(/[\n\r]/g, " ");
}

/** The view's document when its HTML comes by message. */
export const loaderPage = (view: BeforeView): string =>
  `<!doctype html><title>App</title>${scripts(view, LOADER)}`;

/** What stands before a view's HTML that is fetched before it is needed: all that follows is text. */
export const beforeText = (view: BeforeView): string => `${loaderPage(view)}<plaintext hidden>`;

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
