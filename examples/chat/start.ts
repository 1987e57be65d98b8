import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { build } from "esbuild";
import { Hono } from "hono";
import { connect } from "./back-end.js";

const [script = "page.ts", command = "npx", ...args] = process.argv.slice(2);
const port = Number(process.env.PORT ?? 8090);
const origin = `http://localhost:${port}`;

// The same secret at every start: with another one, apps lose what they stored in the browser.
if (!existsSync("sandbox.secret")) writeFileSync("sandbox.secret", randomBytes(32), { mode: 0o600 });
const secret = readFileSync("sandbox.secret");

const transport = new StdioClientTransport({
  command,
  args: args.length ? args : ["mcp-server-basic-vanillajs", "--stdio"],
});
const chat = await connect({ server: "clock", transport, origin, secret, port: port + 1 });
const { outputFiles } = await build({ entryPoints: [script], bundle: true, format: "esm", write: false });
const policy = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; ${chat.policy}`;

const app = new Hono();
app.use(async (c, next) => {
  // Refuse other names of this machine (DNS rebinding) and requests of other pages (CSRF).
  const mine = c.req.header("host") === new URL(origin).host;
  const fromPage = c.req.method !== "POST" || c.req.header("origin") === origin;
  return mine && fromPage ? next() : c.text("Forbidden", 403);
});
app.get("/", (c) => c.html(readFileSync("page.html", "utf8"), 200, { "content-security-policy": policy }));
app.get("/page.js", (c) => c.body(outputFiles[0]?.text ?? "", 200, { "content-type": "text/javascript" }));
app.get("/apps", () => chat.apps());
app.post("/rpc", (c) => chat.rpc(c.req.raw));
app.post("/call", (c) => chat.call(c.req.raw));
serve({ fetch: app.fetch, hostname: "localhost", port }, () => console.log(`Open ${origin}`));
