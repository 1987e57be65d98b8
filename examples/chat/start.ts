import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { getRequestListener } from "@hono/node-server";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { serveSandbox } from "@vitrine/sandbox/node";
import { build } from "esbuild";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { connect } from "./back-end.js";
import { refuse, signIn, userOf } from "./requests.js";

const [script = "page.ts", command = "npx", ...args] = process.argv.slice(2);
const port = Number(process.env.PORT ?? 8090);
const origin = `http://localhost:${port}`;

// The same secret at every start: with another one, apps lose what they stored in the browser.
if (!existsSync("sandbox.secret")) writeFileSync("sandbox.secret", randomBytes(32), { mode: 0o600 });
const secret = readFileSync("sandbox.secret");

// Requests for names of apps go to the sandbox, all others to the application.
const app = new Hono();
const fallback = getRequestListener(app.fetch);
const { sandbox } = await serveSandbox({ secret, port, hosts: [origin], fallback });

const transport = new StdioClientTransport({
  command,
  args: args.length ? args : ["mcp-server-basic-vanillajs", "--stdio"],
});
const chat = await connect({ server: "clock", transport, sandbox, userOf });
const { outputFiles } = await build({
  entryPoints: [script],
  bundle: true,
  format: "esm",
  jsx: "automatic",
  write: false,
});
// The page may frame the apps, and nothing else; no page may frame it, so no click on it can be stolen.
const policy = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src http://*.localhost:${port}; frame-ancestors 'none'`;

app.use(async (c, next) => refuse(c.req.raw, origin) ?? (await next()));
const invitation = randomBytes(16).toString("base64url");
app.get("/sign-in", (c) => {
  if (c.req.query("key") !== invitation) return c.text("Use the address that the chat printed", 403);
  c.header("set-cookie", signIn("ada"));
  return c.redirect("/");
});
app.use(async (c, next) => (userOf(c.req.raw) ? await next() : c.text("Sign in first", 401)));
app.get("/", (c) => c.html(readFileSync("page.html", "utf8"), 200, { "content-security-policy": policy }));
app.get("/page.js", (c) => c.body(outputFiles[0]?.text ?? "", 200, { "content-type": "text/javascript" }));
app.get("/apps", () => chat.apps());
app.post("/rpc", (c) => chat.rpc(c.req.raw));
app.post("/call", bodyLimit({ maxSize: 1_000_000 }), (c) => chat.call(c.req.raw));
console.log(`Open ${origin}/sign-in?key=${invitation}`);
