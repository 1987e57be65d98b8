/**
 * A server that does one thing wrong, chosen by its first argument: `garbage`, `exits`, `quits` (silently),
 * `silent`, `huge`, `banner` (prints a line and works), or `stubborn` (ignores requests to end). Any other
 * argument gives a working server with faulty tools. The second argument is a file: the server writes its
 * process id there, and notes cancelled calls beside it.
 */
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [deed = "", file = ""] = process.argv.slice(2);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const tools = ["echo", "sleep", "fail", "huge", "exit", "escape", "environment", "strict"].map((name) => ({
  name,
  description: `what ${name} does\u001b[31m`,
  inputSchema: {
    type: "object",
    properties: { text: { type: "string" }, count: { type: "integer" }, city: { type: "string" } },
    ...(name === "strict" && { required: ["city"] }),
  },
}));

if (file) writeFileSync(file, `${process.pid}`);
if (deed === "exits") {
  process.stderr.write("no API key: set API_KEY\n");
  process.exit(3);
}
if (deed === "quits") process.exit(4);
if (deed === "garbage") {
  setInterval(() => process.stdout.write("Listening on http://localhost:3000\n"), 20);
}

if (deed === "banner") process.stdout.write("Welcome!\n");
if (deed === "stubborn") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
}

const calls = {
  echo: (id, input) => say({ id, result: text(JSON.stringify(input)) }),
  strict: (id, input) => say({ id, result: text(JSON.stringify(input)) }),
  fail: (id) => say({ id, result: { ...text("the city is unknown"), isError: true } }),
  huge: (id) => say({ id, result: text("x".repeat(100_000_000)) }),
  exit: () => {
    process.stderr.write("out of luck\n");
    process.exit(7);
  },
  escape: (id) => say({ id, result: text("a\u001b]0;title\u0007b") }),
  environment: (id) => say({ id, result: text(JSON.stringify(process.env)) }),
  sleep: (_id, _input, token) => {
    if (token !== undefined)
      say({
        method: "notifications/progress",
        params: { progressToken: token, progress: 1, total: 3, message: "asleep" },
      });
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (deed === "silent" || deed === "garbage") return;
  if (method === "notifications/cancelled" && file) writeFileSync(`${file}.cancelled`, "");
  if (id === undefined) return;
  if (method === "initialize") {
    const serverInfo = { name: "bad", version: "1.0.0" };
    if (deed === "huge") process.stdout.write("x".repeat(100_000_000));
    else say({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") say({ id, result: { tools } });
  else if (method === "tools/call") calls[params.name](id, params.arguments, params._meta?.progressToken);
  else say({ id, error: { code: -32601, message: "Method not found" } });
});
