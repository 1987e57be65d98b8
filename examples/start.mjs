/**
 * `npm start`: the weather view, three ways of writing it, in the minimal host. Host and view have origins of
 * their own, `localhost` and `view.localhost`, on one loopback port.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
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
  const { outputFiles } = await build({
    entryPoints: [here(entry)],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
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

const [{ weatherHtml }, plain, react, hostScript] = await Promise.all([
  load("weather/script-tag.ts"),
  bundle("weather/plain.ts", "esm"),
  bundle("weather/react.tsx", "esm"),
  bundle("minimal-host/page.ts", "esm"),
]);
const skeleton = "<h1>Weather</h1><p>Waiting…</p><ol></ol><button>Refresh</button>";
const views = {
  "/script-tag.html": weatherHtml(css),
  "/plain.html": page(skeleton, plain),
  "/react.html": page("", react),
};
const host = {
  "/": readFileSync(here("minimal-host/page.html"), "utf8"),
  "/page.js": hostScript,
};

const serve = ({ url = "/", headers }, response) => {
  const name = headers.host?.split(":")[0];
  const pages = name === "view.localhost" ? views : name === "localhost" ? host : {};
  const body = pages[url.split("?")[0]];
  const type = url.endsWith(".js") ? "text/javascript" : "text/html";
  if (body) response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body);
  else response.writeHead(404).end();
};
const server = createServer(serve);
let port = Number(process.env.PORT || 8090);
server.on("error", (error) => {
  if (error.code !== "EADDRINUSE" || process.env.PORT) {
    console.error(`Port ${port}: ${error.message}. Set PORT to a free one.`);
    process.exit(1);
  }
  server.listen(++port, "127.0.0.1");
});
server.on("listening", () => {
  ({ port } = server.address());
  const announce = () =>
    console.log(`Vitrine: a view in a host → http://localhost:${port}  (Ctrl-C ends it)`);
  // Some systems look for `localhost` there first; others have no IPv6.
  createServer(serve).on("error", announce).listen(port, "::1", announce);
});
server.listen(port, "127.0.0.1");
