// An MCP server without dependencies that misbehaves as its tools are called, or as its arguments say.
import { appendFileSync, closeSync } from "node:fs";
import { createInterface } from "node:readline";

const modes = new Set([...process.argv.slice(2), ...(process.env.MODES ?? "").split(" ")]);
/** The message that is sent while a long line is on its way. */
let later;
const say = (message) => {
  const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
  if (later) later.push(line);
  else process.stdout.write(line);
};
const answer = (id, result) => say({ id, result });
const text = (value) => ({ content: [{ type: "text", text: value }] });
const log = (line) => process.env.LOG && appendFileSync(process.env.LOG, `${process.pid} ${line}\n`);

log("start");
if (modes.has("exit-at-start")) {
  process.stderr.write("no configuration found\n");
  process.exit(3);
}
if (modes.has("banner")) process.stdout.write(`${"=".repeat(1000)}\nWelcome!\n`);
if (modes.has("ignore-sigterm")) process.on("SIGTERM", () => {});

const hints = { safe: { readOnlyHint: true }, again: { idempotentHint: true } };
const names = [
  "echo",
  "slow",
  "safe",
  "again",
  "exit",
  "garbage",
  "huge",
  "huge-notice",
  "halves",
  "twice",
  "strangers",
  "shuffle",
];
const more = [
  "flood-stderr",
  "deaf",
  "null-ids",
  "fail",
  "progress",
  "change",
  "pid",
  "large",
  "no-json",
  "large-modern",
  "mute",
];
let version = 1;
const held = [];
const tools = () =>
  [...names, ...more].map((name) => ({
    name,
    description: `${name} ${version}`,
    inputSchema: { type: "object" },
    ...(hints[name] && { annotations: hints[name] }),
    ...(name === "echo" && { _meta: { ui: { resourceUri: "ui://faulty/page.html" } } }),
  }));
const page = () => `<!doctype html><p>version ${version}${modes.has("huge-page") ? "x".repeat(2 << 20) : ""}`;

/** Answers after a delay; never, if there is no answer. */
const answerLater = (id, { text: value, after = 0 }) => {
  if (value !== undefined) setTimeout(() => answer(id, text(value)), after);
};

/** Writes one line, no faster than it is read. */
const long = async (head, bytes, tail) => {
  later = [];
  process.stdout.write(head);
  const part = "x".repeat(1 << 20);
  for (let sent = 0; sent < bytes; sent += part.length) {
    if (!process.stdout.write(part)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
  process.stdout.write([tail, ...later].join(""));
  later = undefined;
};

const calls = {
  echo: (id, args) => answer(id, text(String(args.text))),
  pid: (id) => answer(id, text(String(process.pid))),
  slow: (id, args) => answerLater(id, args),
  safe: (id, args) => answerLater(id, args),
  again: (id, args) => answerLater(id, args),
  exit: (_id, { code = 1 }) => {
    process.stderr.write("I give up\n");
    process.exitCode = code;
    process.exit();
  },
  garbage: (id, { count = 5, text: value = "after garbage" }) => {
    for (let n = 0; n < count; n++) process.stdout.write(`this is no message ${n} {"jsonrpc"\n`);
    process.stdout.write('[]\n42\n"x"\n\n{"jsonrpc":"1.0","id":7,"results":1}\n');
    answer(id, text(value));
  },
  huge: async (id, { bytes, idAt = "before" }) => {
    const name = `"id":${JSON.stringify(id)}`;
    const result = '"result":{"content":[{"type":"text","text":"';
    await long(
      idAt === "before" ? `{"jsonrpc":"2.0",${name},${result}` : `{${result}`,
      bytes,
      idAt === "after" ? `"}]},"jsonrpc":"2.0",${name}}\n` : '"}]}}\n',
    );
  },
  "huge-notice": async (id, { bytes }) => {
    await long('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"', bytes, '"}}\n');
    answer(id, text("after the notice"));
  },
  halves: (id, { text: value = "grüße 👋 welt" }) => {
    const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, result: text(value) })}\n`);
    let at = 0;
    const next = () => {
      process.stdout.write(bytes.subarray(at, ++at));
      if (at < bytes.length) setImmediate(next);
    };
    next();
  },
  twice: (id, { text: value = "first" }) => {
    answer(id, text(value));
    answer(id, text("second"));
    say({ id, error: { code: -32000, message: "third" } });
  },
  strangers: (id, args) => {
    for (const other of ["v999999", "v0", 999999, "x", -1]) answer(other, text("stolen"));
    answer(id, text(String(args.text)));
  },
  shuffle: (id, { text: value, of }) => {
    held.push([id, value]);
    if (held.length < of) return;
    while (held.length > 0) {
      const [[one, mine]] = held.splice(Math.floor(Math.random() * held.length), 1);
      answer(one, text(mine));
    }
  },
  "flood-stderr": async (id, { bytes, text: value = "flooded" }) => {
    const part = `${"e".repeat((1 << 16) - 1)}\n`;
    for (let sent = 0; sent < bytes; sent += part.length) {
      if (!process.stderr.write(part)) await new Promise((resolve) => process.stderr.once("drain", resolve));
    }
    process.stderr.write("the last words\n");
    answer(id, text(value));
  },
  deaf: (id, { text: value = "I hear nothing" }) => {
    answer(id, text(value));
    lines.pause();
    process.stdin.pause();
    // Stays alive, so that the test sees more than an ended process.
    setInterval(() => {}, 1000);
  },
  // Closes its output and stays alive.
  mute: () => {
    closeSync(1);
    setInterval(() => {}, 1000);
  },
  "null-ids": (id) => {
    for (const odd of [null, "", "0", true]) say({ id: odd, error: { code: -32600, message: "odd" } });
    answer(id, text("after null"));
  },
  fail: (id) => say({ id, error: { code: -32099, message: "as it should", data: { why: "test" } } }),
  progress: (id, { steps, every }, meta) => {
    let step = 0;
    const timer = setInterval(() => {
      const params = { progressToken: meta?.progressToken, progress: ++step, total: steps };
      say({ method: "notifications/progress", params });
      if (step < steps) return;
      clearInterval(timer);
      answer(id, text("done"));
    }, every);
  },
  change: (id) => {
    version++;
    say({ method: "notifications/tools/list_changed" });
    say({ method: "notifications/resources/updated", params: { uri: "ui://faulty/page.html" } });
    answer(id, text("changed"));
  },
  "no-json": (id, { bytes, type = "resource_link" }) => {
    const block = `{"type":"${type}","text":"${"y".repeat(bytes)}","uri":NaN}`;
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[${block}]}}\n`);
  },
  large: (id, { bytes, text: value = "" }) => answer(id, text(value + "y".repeat(bytes))),
};

const pages = (list, cursor, size) => {
  const from = Number(cursor ?? 0);
  const next = from + size < list.length ? { nextCursor: String(from + size) } : {};
  return [list.slice(from, from + size), next];
};

const methods = {
  initialize: (id, params) =>
    answer(id, {
      protocolVersion: params.protocolVersion,
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: {},
      },
      serverInfo: { name: "faulty", version: "1.0.0" },
    }),
  ping: (id) => (modes.has("no-ping") ? undefined : answer(id, {})),
  "tools/list": (id, params) => {
    const [some, next] = pages(tools(), params?.cursor, 7);
    answer(id, { tools: some, ...next });
  },
  "tools/call": (id, { name, arguments: args = {}, _meta }) => {
    log(`call ${name}`);
    // The external effect of a call, under the caller's key; tests count these.
    if (args.key !== undefined) log(`effect ${args.key} ${Date.now()}`);
    calls[name](id, args, _meta);
  },
  "resources/list": (id) => {
    const name = modes.has("huge-list") ? "x".repeat(2 << 20) : "page";
    answer(id, { resources: [{ uri: "ui://faulty/page.html", name }] });
  },
  "resources/templates/list": (id) =>
    answer(id, { resourceTemplates: [{ uriTemplate: "x://{y}", name: "t" }] }),
  "resources/subscribe": (id, { uri }) => {
    log(`subscribe ${uri}`);
    answer(id, {});
  },
  "resources/unsubscribe": (id) => answer(id, {}),
  "resources/read": (id, { uri }) => {
    log(`read ${uri}`);
    answer(id, { contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: page() }] });
  },
  "prompts/list": (id) => {
    log("prompts");
    if (modes.has("exit-on-prompts")) process.exit(1);
    answer(id, { prompts: [{ name: "hello" }] });
  },
};

const lines = createInterface({ input: process.stdin });
let isFirst = true;
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method?.startsWith("notifications/")) {
    log(`${method} ${params?.requestId ?? ""}`);
    return;
  }
  if (modes.has("silent")) return;
  if (modes.has("die-on-probe") && isFirst && method !== "initialize") process.exit(2);
  isFirst = false;
  const run = methods[method];
  if (run) run(id, params);
  else if (!modes.has("mute-on-unknown")) say({ id, error: { code: -32601, message: "Method not found" } });
});
lines.on("close", () => {
  if (!modes.has("ignore-sigterm")) process.exit(0);
});
