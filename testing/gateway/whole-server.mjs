// A server on the official SDK with everything that a user can inspect. Its arguments choose the protocol generation
// (`both`, `modern` or `legacy`) and the transport (`stdio` or `http`).
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { completable, createMcpHandler, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [generation = "both", where = "stdio"] = process.argv.slice(2);
const CITIES = ["Bergen", "Berlin", "Bern", "Oslo", "Rome"];
const COUNTRIES = { Bergen: "Norway", Oslo: "Norway", Berlin: "Germany" };
/** A picture of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** A table, and a page that tries to run and to load. `EVIL` is an address that must get no request. */
const EVIL = process.env.EVIL ?? "http://127.0.0.1:9";
const TYPED = {
  csv: 'city,said\r\nOslo,"cold, and ""wet"""\r\nRome,"two\r\nlines"\r\n',
  page: `<!doctype html><head><title>t</title><link rel="preconnect" href="${EVIL}"><link rel="stylesheet" href="${EVIL}/a.css">
<meta http-equiv="refresh" content="0;url=${EVIL}/refresh"><base href="${EVIL}/"></head><body background="${EVIL}/b.png">
<h1>Good day</h1><p onclick="alert(1)">A <b>bold</b> word and a <a href="${EVIL}/link" ping="${EVIL}/ping">link</a>.</p>
<script>document.title = "ran"; fetch("${EVIL}/fetch")</script><img src="${EVIL}/i.png" alt="far" onerror="alert(1)">
<img src="data:image/png;base64,${PIXEL}" alt="near"><iframe src="${EVIL}/frame"></iframe><video src="${EVIL}/v.mp4" poster="${EVIL}/p.png"></video>
<svg><a href="${EVIL}/svg"><image href="${EVIL}/s.png" /></a></svg><form action="${EVIL}/form"><button>Send</button></form>
<template shadowrootmode="open"><link rel="preconnect" href="${EVIL}"></template><style>body { background: url(${EVIL}/css.png) }</style>`,
};
const PAPER = `%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Count 2 /Kids [3 0 R 4 0 R]>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200]>> endobj
4 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200]>> endobj
trailer <</Root 1 0 R>>
%%EOF`;
const text = (value) => ({
  content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
});
const reads = { readOnlyHint: true };

function makeServer() {
  const server = new McpServer(
    {
      name: "whole",
      version: "1.2.0",
      title: "Everything",
      icons: [{ src: `data:image/png;base64,${PIXEL}`, mimeType: "image/png" }],
    },
    {
      instructions: "Ask for the weather of a **city**.",
      capabilities: {
        logging: {},
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
      },
    },
  );
  const startsWith = (typed) => CITIES.filter((city) => city.toLowerCase().startsWith(typed.toLowerCase()));

  let visits = 0;
  server.registerResource("notes", "note://today", { mimeType: "text/markdown" }, () => ({
    contents: [{ uri: "note://today", mimeType: "text/markdown", text: `# Today\n\n${++visits} reads` }],
  }));
  const typed = { csv: "text/csv", page: "text/html", paper: "application/pdf" };
  for (const [name, mimeType] of Object.entries(typed)) {
    const uri = `typed://${name}`;
    const contents =
      name === "paper" ? { blob: Buffer.from(PAPER).toString("base64") } : { text: TYPED[name] };
    server.registerResource(name, uri, { mimeType }, () => ({ contents: [{ uri, mimeType, ...contents }] }));
  }
  server.registerResource("pixel", "pixel://one", { mimeType: "image/png" }, () => ({
    contents: [{ uri: "pixel://one", mimeType: "image/png", blob: PIXEL }],
  }));
  server.registerResource(
    "forecast",
    new ResourceTemplate("weather://{country}/{city}", {
      list: undefined,
      complete: {
        city: (typed, context) => {
          const country = context?.arguments?.country;
          return startsWith(typed).filter((city) => !country || COUNTRIES[city] === country);
        },
      },
    }),
    { mimeType: "application/json", description: "The weather of a city" },
    (uri, { country, city }) => ({
      contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify({ country, city }) }],
    }),
  );
  server.registerPrompt(
    "compare",
    {
      title: "Compare cities",
      description: "Compares the weather of two cities",
      argsSchema: z.object({ first: completable(z.string(), startsWith), second: z.string().optional() }),
    },
    ({ first, second = "home" }) => ({
      description: `${first} and ${second}`,
      messages: [
        { role: "user", content: { type: "text", text: `Compare ${first} with ${second}.` } },
        { role: "assistant", content: { type: "text", text: "With pleasure." } },
      ],
    }),
  );

  const empty = z.object({});
  server.registerTool(
    "add",
    {
      description: "Adds two numbers",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: reads,
    },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  server.registerTool(
    "log",
    { inputSchema: z.object({ level: z.string(), line: z.string() }), annotations: reads },
    async ({ level, line }, ctx) => {
      await ctx.mcpReq.log(level, line, "whole");
      return text("logged");
    },
  );
  server.registerTool("change_note", { inputSchema: empty, annotations: reads }, async () => {
    await server.server.sendResourceUpdated({ uri: "note://today" });
    return text("changed");
  });
  server.registerTool("grow", { inputSchema: empty, annotations: reads }, async () => {
    server.registerTool("grown", { inputSchema: empty }, async () => text("new"));
    return text("grown");
  });
  server.registerTool("steps", { inputSchema: empty, annotations: reads }, async (_, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [1, 2, 3]) {
      await ctx.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 3 },
      });
    }
    return text("three");
  });
  server.registerTool("fail", { inputSchema: empty, annotations: reads }, async () => {
    throw new Error("it broke");
  });
  // Asks by its result; the SDK turns that into a request for clients of the first generation.
  server.registerTool(
    "ask",
    { inputSchema: z.object({ method: z.string(), params: z.any() }), annotations: reads },
    async ({ method, params }, ctx) => {
      const { inputResponses } = ctx.mcpReq;
      if (inputResponses) return text(inputResponses.it);
      return {
        resultType: "input_required",
        inputRequests: { it: { method, params } },
        requestState: "asked",
      };
    },
  );
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
  return server;
}

if (where === "http") {
  const handle = toNodeHandler(
    createMcpHandler(makeServer, generation === "modern" ? { legacy: "reject" } : {}),
  );
  const listener = createServer(handle).listen(0, "127.0.0.1", () => {
    process.stdout.write(`${listener.address().port}\n`);
  });
} else if (generation === "legacy") {
  await makeServer().connect(new StdioServerTransport());
} else {
  serveStdio(makeServer, generation === "modern" ? { legacy: "reject" } : {});
}
