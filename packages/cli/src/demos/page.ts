/**
 * The documents of the demos' apps, and how a server offers them.
 *
 * What runs in a page is written as functions of these files and goes into the document as their text: checked like all
 * other code, and no build step stands between. Such a function may use the page's globals and the other functions that
 * are passed along with it, and nothing else of its module.
 *
 * @module
 */
import type { McpServer } from "@modelcontextprotocol/server";
import { UI_MIME_TYPE } from "@vitrine/protocol";
import { viewScript } from "@vitrine/view/script";
import { STYLE } from "./style.js";

/** An app's document, before it is one. */
export interface Page {
  /** The app's name, as the host is told. */
  name: string;
  title: string;
  style?: string;
  body: string;
  /** Functions of the page, by their text; the last one is called. None: a page without the runtime. */
  script?: readonly ((...args: never[]) => unknown)[];
}

/** Writes the document. */
export function writePage({ name, title, style = "", body, script = [] }: Page): string {
  const start = script.at(-1);
  const scripts = start
    ? `<script>${viewScript({ name, version: "1.0.0" })}</script>
<script>
${script.join("\n")}
${start.name}();
</script>`
    : "";
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}${style}</style>
${body}
${scripts}
</html>
`;
}

/** Offers a document as an app, and gives its address, for the `_meta.ui` of tools. */
export function registerPage(server: McpServer, page: Page): string {
  const uri = `ui://${page.name}.html`;
  const text = writePage(page);
  const _meta = { ui: { prefersBorder: true } };
  server.registerResource(page.name, uri, { title: page.title, mimeType: UI_MIME_TYPE, _meta }, () => ({
    contents: [{ uri, mimeType: UI_MIME_TYPE, text, _meta }],
  }));
  return uri;
}
