/**
 * The pages of the sandbox, as text.
 *
 * @module
 */
import type { ViewDialect } from "@vitrine/protocol";
import { SANDBOX, SANDBOX_WITH_ORIGIN } from "./headers.js";
import { doctype } from "./page/doctype.js";
import { SHIM_WAITS } from "./page/shim-waits.js";
import { CONSOLE, DIRECT, LOADER, PROXY, SHIM, WHY } from "./page-text.js";

/** The hash of the proxy's script for its policy. */
export const proxyScriptHash: Promise<string> = hash(PROXY);

/** The hash of the script of {@link whyPage}. */
export const whyScriptHash: Promise<string> = hash(WHY);

/** The page that explains why an app does not load. */
export const whyPage = (page: {
  hosts: readonly string[];
  embedders: readonly string[];
  isKnown: boolean;
  /** Whether the page made the view itself, which the sandbox does not allow. */
  isOff: boolean;
}): string =>
  `<!doctype html><title>Why</title><body data-hosts="${page.hosts.join(" ")}" data-embedders="${page.embedders.join(" ")}"${page.isKnown ? " data-known" : ""}${page.isOff ? " data-off" : ""}><script>${WHY}</script>`;

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
  // All values are our own origins, addresses or names, without special HTML characters.
  return (
    "<!doctype html><title>App</title>" +
    "<style>body{margin:0;overflow:hidden}iframe{display:block;border:0;width:100%;height:100vh}</style>" +
    `<body data-hosts="${page.hosts.join(" ")}" data-view="${view}" data-token="${page.token}"><template>` +
    `<iframe title="App" sandbox="${sandbox}" allow="${page.allow}" src="${page.src}"></iframe>` +
    `</template><script>${PROXY}</script>`
  );
}

/** Input of the script before a view's document. */
export interface BeforeView {
  proxy: string;
  /** Known only to the proxy and this script: proves to the proxy that a message is not from the view. */
  token: string;
  /** Whether to report console output. */
  console?: boolean | undefined;
  /** Whether the view may write to the clipboard. */
  copy?: boolean | undefined;
  /** Dialects that are translated for the view. */
  dialects?: readonly ViewDialect[] | undefined;
}

/**
 * The script before a view's own HTML, on the same line, so that line numbers stay the same. A script before
 * the doctype would cause quirks mode, so the document's doctype is repeated before it; a document without
 * one keeps its quirks mode.
 */
export const beforeDocument = (html: string, view: BeforeView): string =>
  `${doctype(html)}${scripts(view, DIRECT)}${shim(view)}`;

const scripts = ({ proxy, token, console, copy }: BeforeView, text: string): string =>
  `<script data-proxy="${proxy}" data-token="${token}"${copy ? " data-copy" : ""}>${text}</script>` +
  (console ? `<script data-proxy="${proxy}">${CONSOLE}</script>` : "");

/** The script that translates dialects. As `text/plain` it only waits for the loader, which writes it. */
const shim = ({ proxy, dialects = [] }: BeforeView, type = ""): string =>
  dialects.length > 0
    ? `<script${type} data-proxy="${proxy}" data-dialects="${dialects.join(" ")}">${SHIM}</script>`
    : "";

/** The view's document when its HTML comes by message. */
export const loaderPage = (view: BeforeView): string =>
  `<!doctype html><title>App</title>${scripts(view, LOADER)}${shim(view, SHIM_WAITS)}`;

/** The script before a view's HTML that is preloaded: everything after it is text. */
export const beforeText = (view: BeforeView): string => `${loaderPage(view)}<plaintext hidden>`;

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
