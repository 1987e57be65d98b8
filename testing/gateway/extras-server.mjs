// A server on the official SDK with what only inspectors ask for: a list of several pages, a method of its own, and
// skills (`io.modelcontextprotocol/skills`). Its arguments choose the protocol generation (`both`, `modern` or
// `legacy`) and the transport (`stdio` or `http`).
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, ProtocolError, Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [generation = "both", where = "stdio"] = process.argv.slice(2);
const TOOLS = ["apple", "banana", "cherry", "date", "elder"].map((name) => ({
  name,
  description: `Picks one ${name}`,
  inputSchema: { type: "object", properties: {} },
  annotations: { readOnlyHint: true },
}));
const PAGE = 2;

const skillFile = (name, description, body) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;
const FILES = {
  "skill://picking/SKILL.md": skillFile(
    "picking",
    "How to pick fruit",
    "# Picking\n\nSee `references/ripe.md`.",
  ),
  "skill://picking/references/ripe.md": "Red is ripe.\n",
  "skill://garden/watering/SKILL.md": skillFile("watering", "How to water", "Not too much."),
  "skill://daily/SKILL.md": skillFile("daily", "The plan of today", "Today: rest."),
};
/** A file that no entry names. */
const UNLISTED = "skill://picking/references/notes.md";
const entryOf = (uri, content = FILES[uri]) => ({
  uri,
  digest: `sha256:${createHash("sha256").update(content).digest("hex")}`,
  size: Buffer.byteLength(content),
});
const SKILLS = [
  {
    uri: "skill://picking/SKILL.md",
    frontmatter: { name: "picking", description: "How to pick fruit" },
    resources: [entryOf("skill://picking/SKILL.md"), entryOf("skill://picking/references/ripe.md")],
  },
  // Its file has changed since the digest was made, and its description is another.
  {
    uri: "skill://garden/watering/SKILL.md",
    frontmatter: { name: "watering", description: "How to water a lot" },
    resources: [entryOf("skill://garden/watering/SKILL.md", "another content")],
  },
  {
    uri: "skill://daily/SKILL.md",
    frontmatter: { name: "daily", description: "The plan of today" },
    resources: "dynamic",
  },
];

const offset = (cursor) => {
  const at = cursor === undefined ? 0 : Number(/^after-(\d+)$/.exec(cursor)?.[1]);
  if (!Number.isInteger(at)) throw new ProtocolError(-32602, "no such cursor");
  return at;
};

/** The capabilities that the client declares: with each request, or in the handshake. */
const declared = (server, ctx) => {
  const said = ctx.mcpReq.envelope ?? ctx.mcpReq._meta;
  return said?.["io.modelcontextprotocol/clientCapabilities"] ?? server.getClientCapabilities() ?? {};
};

function makeServer() {
  const server = new Server(
    { name: "extras", version: "1.0.0" },
    {
      capabilities: {
        tools: {},
        resources: {},
        extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } },
      },
    },
  );
  server.setRequestHandler("tools/list", ({ params }) => {
    const at = offset(params?.cursor);
    const next = at + PAGE < TOOLS.length ? { nextCursor: `after-${at + PAGE}` } : {};
    return { tools: TOOLS.slice(at, at + PAGE), ...next };
  });
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text", text: `one ${params.name}` }],
  }));
  server.setRequestHandler("resources/list", () => ({ resources: [] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    if (!Object.hasOwn(FILES, uri)) throw new ProtocolError(-32602, "no such resource");
    return { contents: [{ uri, mimeType: "text/markdown", text: FILES[uri] }] };
  });
  const any = z.looseObject({});
  server.setRequestHandler("demo/echo", { params: any }, ({ _meta, ...params }) => ({ said: params }));
  server.setRequestHandler("demo/large", { params: any }, () => ({ text: "x".repeat(5_000_000) }));
  server.setRequestHandler("demo/exit", { params: any }, () => process.exit(3));
  server.setRequestHandler("demo/capabilities", { params: any }, (_, ctx) => ({
    capabilities: declared(server, ctx),
  }));
  server.setRequestHandler("skills/list", { params: any }, () => ({
    skills: SKILLS,
    ttlMs: 1000,
    cacheScope: "private",
  }));
  server.setRequestHandler("skills/get", { params: z.looseObject({ uri: z.string() }) }, ({ uri }) => {
    const skill = SKILLS.find((each) => each.uri === uri);
    if (!skill) throw new ProtocolError(-32602, "no such skill");
    return { skill, ttlMs: 1000, cacheScope: "private" };
  });
  server.setRequestHandler(
    "resources/directory/read",
    { params: z.looseObject({ uri: z.string(), cursor: z.string().optional() }) },
    ({ uri, cursor }) => {
      const inside = [...Object.keys(FILES), UNLISTED].filter((each) => each.startsWith(`${uri}/`));
      if (inside.length === 0) throw new ProtocolError(-32602, "no such directory");
      const names = [...new Set(inside.map((each) => each.slice(uri.length + 1).split("/")[0]))];
      const at = offset(cursor);
      const next = at + 1 < names.length ? { nextCursor: `after-${at + 1}` } : {};
      // A child a page.
      const resources = names.slice(at, at + 1).map((name) => ({
        uri: `${uri}/${name}`,
        name,
        mimeType: inside.includes(`${uri}/${name}`) ? "text/markdown" : "inode/directory",
      }));
      return { resources, ...next, ttlMs: 1000, cacheScope: "private" };
    },
  );
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
