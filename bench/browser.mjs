/**
 * Shared by the browser measurements: one Chromium, and pages on loopback under any `*.localhost` name. (The
 * tests have the same in testing/browser.ts, which Node 20 cannot import.)
 *
 * @module
 */
import { createServer } from "node:http";
import { chromium } from "playwright-core";
import { CHROMIUM_ARGS, findChromium } from "../scripts/chromium.mjs";

/** Starts Chromium. */
export function launch() {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("no Chromium: run `node scripts/chromium.mjs` first");
  return chromium.launch({ executablePath, args: CHROMIUM_ARGS });
}

/**
 * Headers of every page. Isolation makes the clock finer: 5 µs instead of 100. The policy is the default one
 * of MCP Apps for a view, which has no `eval`.
 */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "cross-origin",
};
const VIEW_POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'";

/** Serves pages by path; each is a function of the request's query. Paths under /view/ get a view's policy. */
export async function serve(pages) {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    const page = pages[pathname];
    const policy = pathname.startsWith("/view/") ? { "content-security-policy": VIEW_POLICY } : {};
    response.writeHead(page ? 200 : 404, { ...HEADERS, ...policy }).end(page?.(searchParams));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: (name) => `http://${name}.localhost:${server.address().port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A page with one inline module, as MCP Apps are. */
export const pageOf = (code, before = "") =>
  `<!doctype html><html><head><meta charset="utf-8"><title>bench</title>${before}</head><body>` +
  `<script type="module">${inline(code)}</script></body></html>`;

/** Text that is safe inside a script element. */
export const inline = (code) => code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
