/**
 * The documents of the demos' apps, and their registration.
 *
 * Page code is written as functions in these files and inserted into the document as text: it is checked like
 * all other code, and needs no build step. Such a function may use the page's globals and the other functions
 * passed with it, but nothing else of its module.
 *
 * @module
 */
import type { McpServer } from "@modelcontextprotocol/server";
import { UI_MIME_TYPE } from "@vitrine/protocol";
import { viewScript } from "@vitrine/view/script";
import { STYLE } from "./style.js";

/** Source of an app's document. */
export interface Page {
  /** The app's name for the host. */
  name: string;
  title: string;
  style?: string;
  body: string;
  /**
   * Functions whose text goes into the page; the last one is called. Without any, the page has no runtime.
   */
  script?: readonly ((...args: never[]) => unknown)[];
}

/** Renders the document. */
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

/** Registers a document as an app, and returns its address for the `_meta.ui` of tools. */
export function registerPage(server: McpServer, page: Page): string {
  const uri = `ui://${page.name}.html`;
  const text = writePage(page);
  const _meta = { ui: { prefersBorder: true } };
  server.registerResource(page.name, uri, { title: page.title, mimeType: UI_MIME_TYPE, _meta }, () => ({
    contents: [{ uri, mimeType: UI_MIME_TYPE, text, _meta }],
  }));
  return uri;
}
