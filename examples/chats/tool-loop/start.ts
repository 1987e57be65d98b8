import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { nodeListener } from "@vitrine/guard/node";
import { serveSandbox } from "@vitrine/sandbox/node";
import { build } from "esbuild";
import express from "express";
import { answersTo } from "./answers.js";
import { connect } from "./back-end.js";
import { startConversation } from "./openai.js"; // Or "./anthropic.js".
import { refuse, signIn, userOf } from "./requests.js";

const [script = "page.ts", command = "npx", ...args] = process.argv.slice(2);
const port = Number(process.env.PORT ?? 8090);
const origin = `http://localhost:${port}`;
if (!existsSync("sandbox.secret")) writeFileSync("sandbox.secret", randomBytes(32), { mode: 0o600 });
const secret = readFileSync("sandbox.secret");

// Requests for names of apps go to the sandbox, all others to Express.
const app = express();
const { sandbox } = await serveSandbox({ secret, port, hosts: [origin], fallback: app });
const transport = new StdioClientTransport({
  command,
  args: args.length ? args : ["mcp-server-basic-vanillajs", "--stdio"],
});
const chat = await connect({ server: "clock", transport, sandbox, userOf });
const answers = answersTo({ upstream: chat.upstream, userOf, startConversation });
const { outputFiles } = await build({
  entryPoints: [script],
  bundle: true,
  format: "esm",
  jsx: "automatic",
  write: false,
});
// The page may frame the apps, and nothing else; no page may frame it, so no click on it can be stolen.
const policy = `default-src 'none'; script-src 'self'; connect-src 'self'; frame-src http://*.localhost:${port}; frame-ancestors 'none'`;

/** A request as the checks of the guide read it. */
const read = ({ method, headers }: express.Request) =>
  new Request(origin, { method: method === "GET" ? "GET" : "POST", headers: headers as HeadersInit });
app.use(async (request, response, next) => {
  const refused = refuse(read(request), origin);
  if (refused) response.status(refused.status).send(await refused.text());
  else next();
});
const invitation = randomBytes(16).toString("base64url");
app.get("/sign-in", ({ query }, response) => {
  if (query.key !== invitation) response.status(403).send("Use the address that the chat printed");
  else response.set("set-cookie", signIn("ada")).redirect("/");
});
app.use((request, response, next) => {
  if (userOf(read(request))) next();
  else response.status(401).send("Sign in first");
});
app.use(express.json({ limit: "1mb" }));
app.get("/", (_, response) =>
  response.set("content-security-policy", policy).sendFile("page.html", { root: "." }),
);
app.get("/page.js", (_, response) => response.type("js").send(outputFiles[0]?.text));
app.get(
  "/apps",
  nodeListener(() => chat.apps()),
);
app.post("/rpc", nodeListener(chat.rpc));
app.post("/chat", nodeListener(answers));
console.log(`Open ${origin}/sign-in?key=${invitation}`);
