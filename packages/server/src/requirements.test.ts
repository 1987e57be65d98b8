/**
 * The requirements of part R, tested on a running server with the official client, as any other host would
 * see it.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { readToolUi, uiExtension } from "@vitrine/protocol";
import { appServer, reply, serve, tool, view } from "@vitrine/server";
import { dataTable } from "@vitrine/server/templates";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const csp = { connectDomains: ["https://api.example", "https://*.maps.example:8443"] };
const page = view({ name: "page", html: "<!doctype html><p>Grüße</p>", csp, prefersBorder: false });
const table = view({ name: "table", template: dataTable, config: {} });
const cities = z.object({ items: z.array(z.object({ city: z.string() })) });
const items = [{ city: "Berne" }, { city: "Rome" }];
const show = tool({ name: "show", output: cities, view: page, run: () => ({ items }) });
const list = tool({ name: "list", output: cities, view: table, run: () => ({ items }) });
const own = tool({
  name: "own",
  output: cities,
  view: page,
  run: () => reply({ items }, { text: "Two cities.", meta: { tiles: 12 } }),
});
const silent = tool({ name: "silent", view: table, run: () => undefined });
const inner = tool({ name: "inner", visibility: ["app"], run: () => "for views" });

const server = appServer({ name: "shop", version: "1.0.0", tools: [show, list, own, silent, inner] });
let url = "";
beforeEach(async () => {
  const serving = await serve(server, { argv: ["--http"] });
  open.push(() => serving.close());
  url = serving.url ?? "";
});

/** A client with or without UI support. */
async function connect(
  showsUis = true,
  transport: Parameters<Client["connect"]>[0] = new StreamableHTTPClientTransport(new URL(url)),
): Promise<Client> {
  const capabilities = showsUis ? { extensions: uiExtension() } : {};
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  await client.connect(transport);
  open.push(() => client.close());
  return client;
}

/** A client with a session, as over stdio: HTTP requests do not carry the client's capabilities. */
async function connectForLong(showsUis: boolean): Promise<Client> {
  const [theirs, ours] = InMemoryTransport.createLinkedPair();
  await (await server.create()).connect(theirs);
  return connect(showsUis, ours);
}

it("R01, R02, R03 and R07: every link is a ui:// address that reads as an HTML document with exactly the MIME type", async () => {
  const client = await connect();
  const { tools } = await client.listTools();
  const links = tools.flatMap((each) => readToolUi(each).resourceUri ?? []);
  expect(links).toHaveLength(4);
  for (const uri of links) {
    expect(uri).toMatch(/^ui:\/\/shop\//);
    const { contents } = await client.readResource({ uri });
    expect(contents).toEqual([
      expect.objectContaining({
        uri,
        mimeType: "text/html;profile=mcp-app",
        text: expect.stringMatching(/^<!doctype html>/i),
      }),
    ]);
  }
});

it("R04 and R13: a view's declarations are on its list entry and on its content, unchanged", async () => {
  const client = await connect();
  const { resources } = await client.listResources();
  const listed = resources.find(({ name }) => name === "page");
  expect(listed?._meta).toEqual({ ui: { csp, prefersBorder: false } });
  const { contents } = await client.readResource({ uri: listed?.uri ?? "" });
  expect(contents[0]?._meta).toEqual(listed?._meta);
});

it("R08 and R09: tools declare their visibility, and no policies", async () => {
  const { tools } = await (await connect()).listTools();
  const ui = Object.fromEntries(tools.map(({ name, _meta }) => [name, Object(_meta)["ui"]]));
  expect(ui["inner"]).toEqual({ visibility: ["app"] });
  expect(Object.keys(ui["show"])).toEqual(["resourceUri"]);
});

it.each(["show", "list", "own", "silent"])(
  "R10: a tool with a UI answers with text as well, to every client: %s",
  async (name) => {
    for (const showsUis of [true, false]) {
      const { content } = await (await connect(showsUis)).callTool({ name, arguments: {} });
      expect(content).toEqual([{ type: "text", text: expect.stringMatching(/\w/) }]);
    }
  },
);

it("R11: a client without UIs gets the same tools without them, and no app-only tools", async () => {
  const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
  expect(await names(await connectForLong(true))).toEqual(["show", "list", "own", "silent", "inner"]);
  const plain = await connectForLong(false);
  expect(await names(plain)).toEqual(["show", "list", "own", "silent"]);
  expect(JSON.stringify((await plain.listTools()).tools)).not.toContain("ui://");
});

it("R12: data is in structuredContent, text is in content, and view-only metadata is in _meta", async () => {
  const result = await (await connect()).callTool({ name: "own", arguments: {} });
  expect(result).toEqual({
    content: [{ type: "text", text: "Two cities." }],
    structuredContent: { items },
    _meta: { tiles: 12 },
  });
});

describe("R13", () => {
  it.each(["*", "https://*", "api.example; script-src *", "https://a.example/path?x", "javascript:alert(1)"])(
    "R13: %j is not a valid origin: the author gets the error before any host does",
    (value) => {
      expect(() => view({ name: "wide", html: "", csp: { connectDomains: [value] } })).toThrow(
        /connectDomains/,
      );
    },
  );
});
