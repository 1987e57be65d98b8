/**
 * `node examples/start.mjs`: an MCP server with a weather app, in a chat. The page, the app's proxy and the
 * app have separate origins on loopback.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { serveSandbox } from "@vitrine/sandbox/node";
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

const [{ weatherHtml }, { weatherServer }, { connect }, { refuse }, plain, react, script, reactScript] =
  await Promise.all([
    load("weather/script-tag.ts"),
    load("weather/server.ts"),
    load("chat/back-end.ts"),
    load("chat/requests.ts"),
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

let answer;
/** This page, on the sandbox's listener: other names are those of apps. */
const fallback = async (request, response) => {
  const { status, headers, body } = await answer(request).catch(() => new Response("", { status: 500 }));
  response.writeHead(status, Object.fromEntries(headers));
  for await (const chunk of body ?? []) response.write(chunk);
  response.end();
};

/** Listens on the first port from `port` on that is free. */
async function listen(port) {
  try {
    const hostsAt = async (free) => [`http://localhost:${free}`];
    return await serveSandbox({ secret: randomBytes(32), port, hostsAt, fallback });
  } catch (error) {
    if (error.code === "EADDRINUSE" && !process.env.PORT) return listen(port + 1);
    console.error(`Port ${port}: ${error.message}. Set PORT to a free one.`);
    process.exit(1);
  }
}

const { sandbox, port } = await listen(Number(process.env.PORT ?? 8090));
const origin = `http://localhost:${port}`;
const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
await weather.connect(serverEnd);
// For one user on this machine: nobody signs in.
const userOf = () => "you";
const chat = await connect({ server: "weather", transport: clientEnd, sandbox, userOf });
const policy = `default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-src http://*.localhost:${port}`;

answer = async (incoming) => {
  const { url, method, headers } = incoming;
  const body = method === "POST" ? { body: Readable.toWeb(incoming), duplex: "half" } : {};
  const request = new Request(origin + url, { method, headers, ...body });
  const refused = refuse(request, origin);
  if (refused) return refused;
  const type = (name, more) => ({ headers: { "content-type": `text/${name}; charset=utf-8`, ...more } });
  const pages = { "/": html, "/react": reactHtml };
  const scripts = { "/page.js": script, "/react.js": reactScript };
  if (pages[url]) return new Response(pages[url], type("html", { "content-security-policy": policy }));
  if (scripts[url]) return new Response(scripts[url], type("javascript"));
  if (url === "/apps") return chat.apps();
  const asked = { "/rpc": chat.rpc, "/call": chat.call }[url];
  return asked ? asked(request) : new Response("", { status: 404 });
};
console.log(`Vitrine: an app in a chat → ${origin}  (Ctrl-C ends it)`);
