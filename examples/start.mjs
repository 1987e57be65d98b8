/**
 * `node examples/start.mjs`: an MCP server with a weather app, in a chat. The page, the app's proxy and the
 * app have separate origins on loopback.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

async function bundle(entry, format) {
  const { outputFiles } = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    format,
    target: "es2022",
    jsx: "automatic",
    write: false,
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return outputFiles[0].text;
}

/** Loads a module of ours that is written in TypeScript. */
async function load(entry) {
  const outfile = here(`dist/${entry.replace(".ts", ".mjs")}`);
  await build({
    entryPoints: [here(entry)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  return import(pathToFileURL(outfile).href);
}

const css = readFileSync(here("weather/view.css"), "utf8");
const page = (body, script) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Weather</title>
<style>${css}</style>
${body}
<script type="module">${script.replaceAll("</script", "<\\/script")}</script>
</html>`;

const [{ weatherHtml }, { weatherServer }, { connect }, plain, react, script, reactScript] =
  await Promise.all([
    load("weather/script-tag.ts"),
    load("weather/server.ts"),
    load("chat/back-end.ts"),
    bundle("weather/plain.ts", "esm"),
    bundle("weather/react.tsx", "esm"),
    bundle("chat/demo.ts", "esm"),
    bundle("chat/demo-react.tsx", "esm"),
  ]);
const skeleton = "<h1>Weather</h1><p>Waiting…</p><ol></ol><button>Refresh</button>";
const weather = weatherServer({
  "script-tag": weatherHtml(css),
  plain: page(skeleton, plain),
  react: page("", react),
});
const html = readFileSync(here("chat/demo.html"), "utf8");
const reactHtml =
  '<!doctype html><meta charset="utf-8"><title>Vitrine in React</title><body><script type="module" src="/react.js"></script>';

/** The first port from `port` on that is free. */
async function listen(server, port) {
  const error = await new Promise((resolve) =>
    server.once("error", resolve).listen(port, "127.0.0.1", () => resolve()),
  );
  if (error?.code === "EADDRINUSE" && !process.env.PORT) return listen(server, port + 1);
  if (!error) return server.address().port;
  console.error(`Port ${port}: ${error.message}. Set PORT to a free one.`);
  process.exit(1);
}

let answer;
const server = createServer(async (request, response) => {
  const { status, headers, body } = await answer(request).catch(() => new Response("", { status: 500 }));
  response.writeHead(status, Object.fromEntries(headers));
  for await (const chunk of body ?? []) response.write(chunk);
  response.end();
});
const port = await listen(server, Number(process.env.PORT ?? 8090));
const origin = `http://localhost:${port}`;
const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
await weather.connect(serverEnd);
const chat = await connect({
  server: "weather",
  transport: clientEnd,
  origin,
  secret: randomBytes(32),
  port: 0,
});
const policy = `default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; ${chat.policy}`;

answer = async (request) => {
  // Only this page under its own name: no third-party name that was pointed at this machine (DNS rebinding).
  if (request.headers.host !== `localhost:${port}`) return new Response("", { status: 403 });
  const type = (name, more) => ({ headers: { "content-type": `text/${name}; charset=utf-8`, ...more } });
  const pages = { "/": html, "/react": reactHtml };
  const scripts = { "/page.js": script, "/react.js": reactScript };
  const { url, method, headers } = request;
  if (pages[url]) return new Response(pages[url], type("html", { "content-security-policy": policy }));
  if (scripts[url]) return new Response(scripts[url], type("javascript"));
  if (url === "/apps") return chat.apps();
  const asked = { "/rpc": chat.rpc, "/call": chat.call }[url];
  if (!asked) return new Response("", { status: 404 });
  if (headers.origin !== origin) return new Response("", { status: 403 });
  return asked(new Request(origin + url, { method, headers, body: Readable.toWeb(request), duplex: "half" }));
};
console.log(`Vitrine: an app in a chat → ${origin}  (Ctrl-C ends it)`);
