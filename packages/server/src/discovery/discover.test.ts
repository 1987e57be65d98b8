/** Servers made of folders, seen by the official client. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { uiExtension, VIEW_PROBLEM_KEY } from "@vitrine/protocol";
import { PROBLEMS_KEY, tool, view } from "@vitrine/server";
import { type Discovered, type DiscoverOptions, discover } from "@vitrine/server/discovery";
import { afterEach, describe, expect, it, vi } from "vitest";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A folder with these files; values other than strings are written as JSON. */
function folderWith(files: Record<string, unknown>): string {
  const root = mkdtempSync(join(tmpdir(), "vitrine-discover-"));
  open.push(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
  return root;
}

const find = (files: Record<string, unknown>, more: Partial<DiscoverOptions> = {}): Promise<Discovered> =>
  discover({ root: folderWith(files), name: "shop", version: "1.0.0", ...more });

async function connect({ server }: Discovered): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(server.create, { transport: ours });
  const client = new Client({ name: "test", version: "1" }, { capabilities: { extensions: uiExtension() } });
  await client.connect(theirs);
  open.push(
    () => handle.close(),
    () => client.close(),
  );
  return client;
}

/** The client's view: tools by name with their `_meta`, and resources by address. */
async function seen(discovered: Discovered) {
  const client = await connect(discovered);
  const { tools } = await client.listTools();
  const { resources } = await client.listResources();
  const read = async (uri: string) => {
    const { contents } = await client.readResource({ uri });
    const [content] = contents;
    if (!content || !("text" in content)) throw new Error(`${uri} has no text`);
    return content;
  };
  return {
    client,
    tools: Object.fromEntries(tools.map((each) => [each.name, each])),
    resources: Object.fromEntries(resources.map((each) => [each.uri, each])),
    read,
  };
}

const HTML = "<!doctype html><title>Cart</title>";
const hello = { description: "Says hello", result: "Hello" };
/** A module whose tool defines its own view. */
const withView = (details: object): string =>
  `export default { view: ${JSON.stringify({ ...details, source: { html: HTML } })}, run: () => "here" };`;
const linked = (uri: string, visibility = ["model", "app"]) => ({
  ui: { resourceUri: uri, visibility },
  "ui/resourceUri": uri,
});

describe("a folder is a view", () => {
  it("with index.html or ui.meta.json, of a tool or alone, one level deep, at ui://server/folder", async () => {
    const found = await find({
      "tools/cart/tool.json": hello,
      "tools/cart/ui/index.html": HTML,
      "ui/orders/ui.meta.json": { template: "data-table" },
      "ui/nothing/readme.txt": "no view",
      "ui/deep/inner/index.html": "too deep",
      "ui/page.html": "no folder",
    });
    expect(found.problems).toEqual([]);
    const { resources, read } = await seen(found);
    expect(Object.keys(resources)).toEqual(["ui://shop/cart", "ui://shop/orders"]);
    expect(await read("ui://shop/cart")).toEqual({
      uri: "ui://shop/cart",
      mimeType: "text/html;profile=mcp-app",
      text: HTML,
      _meta: { ui: { prefersBorder: true } },
    });
    expect((await read("ui://shop/orders")).text).toContain('<script type="application/json" id="config">');
  });

  it("with the metadata of ui.meta.json, in the list and when read; the rest has defaults", async () => {
    const meta = {
      csp: { connectDomains: ["https://api.example.com"] },
      permissions: { camera: {} },
      prefersBorder: false,
      domain: "shop.example.com",
    };
    const { resources, read } = await seen(
      await find({
        "ui/cart/index.html": HTML,
        "ui/cart/ui.meta.json": { $schema: "x", name: "My cart", description: "What you buy", meta },
        "ui/plain/index.html": HTML,
      }),
    );
    expect(resources["ui://shop/cart"]).toMatchObject({
      name: "cart",
      title: "My cart",
      description: "What you buy",
      mimeType: "text/html;profile=mcp-app",
      _meta: { ui: meta },
    });
    expect((await read("ui://shop/cart"))._meta).toEqual({ ui: meta });
    expect(resources["ui://shop/plain"]).toMatchObject({
      description: "UI resource for plain",
      _meta: { ui: { prefersBorder: true } },
    });
  });

  it("in a tool's folder rather than the standalone one with the same name", async () => {
    const { read, resources } = await seen(
      await find({
        "tools/cart/tool.json": hello,
        "tools/cart/ui/index.html": "of the tool",
        "ui/cart/index.html": "alone",
      }),
    );
    expect(Object.keys(resources)).toEqual(["ui://shop/cart"]);
    expect((await read("ui://shop/cart")).text).toBe("of the tool");
  });

  it("with its document rather than a template, at the configured entrypoint", async () => {
    const { read } = await seen(
      await find({
        "ui/both/index.html": HTML,
        "ui/both/ui.meta.json": { template: "data-table" },
        "ui/named/start.html": '<script src="./code/start.js"></script>',
        "ui/named/code/start.js": "console.log(1)",
        "ui/named/ui.meta.json": { entrypoint: "start.html" },
      }),
    );
    expect((await read("ui://shop/both")).text).toBe(HTML);
    expect((await read("ui://shop/named")).text).toBe("<script>console.log(1)</script>");
  });

  it("that is also found by its name alone, and under no other", async () => {
    const { client, read } = await seen(await find({ "ui/cart/index.html": HTML }, { name: "The Shop" }));
    expect((await read("ui://the-shop/cart")).text).toBe(HTML);
    expect(await read("ui://cart")).toMatchObject({ uri: "ui://cart", text: HTML });
    for (const uri of ["ui://none", "ui://the-shop/none", "ui://the-shop/..%2fcart", "file:///etc/passwd"])
      await expect(client.readResource({ uri }), uri).rejects.toThrow();
  });
});

describe("a tool of a folder", () => {
  it("is linked with the view of its folder, for models and apps", async () => {
    const { tools } = await seen(
      await find({
        "tools/cart/tool.json": { ...hello, name: "show_cart", title: "Cart" },
        "tools/cart/ui/index.html": HTML,
        "tools/plain/tool.json": hello,
      }),
    );
    expect(tools["show_cart"]).toMatchObject({ title: "Cart", _meta: linked("ui://shop/cart") });
    expect(tools["plain"]?._meta).toBeUndefined();
  });

  it("keeps its own metadata: an address, under either key, or its visibility", async () => {
    const ui = (said: object) => ({ ...hello, _meta: { ui: said, own: 1 } });
    const found = await find({
      "tools/other/tool.json": ui({ resourceUri: "ui://shop/shared" }),
      "tools/other/ui/index.html": HTML,
      "tools/app/tool.json": ui({ visibility: ["app"] }),
      "tools/app/ui/index.html": HTML,
      "tools/far/tool.json": ui({ resourceUri: "ui://elsewhere/x", visibility: ["model"] }),
      "tools/flat/tool.json": { ...hello, _meta: { "ui/resourceUri": "ui://shop/shared" } },
      "ui/shared/index.html": "shared",
    });
    expect(found.problems).toEqual([]);
    const { tools } = await seen(found);
    expect(tools["other"]?._meta).toEqual({ ...linked("ui://shop/shared"), own: 1 });
    expect(tools["app"]?._meta).toEqual({ ...linked("ui://shop/app", ["app"]), own: 1 });
    expect(tools["far"]?._meta).toEqual({ ...linked("ui://elsewhere/x", ["model"]), own: 1 });
    expect(tools["flat"]?._meta).toEqual(linked("ui://shop/shared"));
  });

  it("may be a module, named after the folder unless it sets a name", async () => {
    const { client, tools } = await seen(
      await find({
        "tools/one/tool.mjs": `export default { description: "One", run: () => ({ sum: 3 }) };`,
        "tools/one/ui/ui.meta.json": { template: "data-table" },
        "tools/two/tool.mjs": `export default { name: "second", visibility: ["app"], run: () => [1, 2] };`,
        "tools/two/ui/index.html": HTML,
      }),
    );
    expect(tools["one"]).toMatchObject({ description: "One", _meta: linked("ui://shop/one") });
    expect(tools["second"]?._meta).toEqual(linked("ui://shop/two", ["app"]));
    expect(await client.callTool({ name: "one" })).toMatchObject({
      structuredContent: { sum: 3 },
      content: [{ type: "text", text: expect.stringContaining("3") }],
    });
    expect(await client.callTool({ name: "second" })).toMatchObject({ structuredContent: { items: [1, 2] } });
  });

  it("may be JSON with a function beside it; its input is checked by argument", async () => {
    const { client, tools } = await seen(
      await find({
        "tools/add/tool.json": {
          inputSchema: {
            type: "object",
            properties: { a: { type: "number" }, b: { type: "number" } },
            required: ["a"],
          },
          outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
          annotations: { readOnlyHint: true },
          handler: "./add.mjs",
        },
        "tools/add/add.mjs":
          "export default ({ a, b = 0 }, { signal }) => ({ sum: signal.aborted ? 'x' : a + b });",
      }),
    );
    expect(tools["add"]).toMatchObject({
      inputSchema: { required: ["a"] },
      annotations: { readOnlyHint: true },
    });
    const call = (args: Record<string, unknown>) => client.callTool({ name: "add", arguments: args });
    expect(await call({ a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
    expect(await call({})).toMatchObject({ isError: true, _meta: { [PROBLEMS_KEY]: { a: "is missing" } } });
    expect(await call({ a: 1, b: "2" })).toMatchObject({
      isError: true,
      _meta: { [PROBLEMS_KEY]: { b: "must be number" } },
    });
  });

  it("moves an address on its result from the flat key to the nested one", async () => {
    const server = pathToFileURL(join(import.meta.dirname, "../../dist/index.js")).href;
    const { client } = await seen(
      await find({
        "tools/old/tool.mjs": `import { reply } from ${JSON.stringify(server)};
          export default { run: () => reply({ a: 1 }, { meta: { "ui/resourceUri": "ui://shop/x", own: 1 } }) };`,
      }),
    );
    const { _meta } = await client.callTool({ name: "old" });
    expect(_meta).toMatchObject({ ui: { resourceUri: "ui://shop/x" }, own: 1 });
    expect(_meta).not.toHaveProperty("ui/resourceUri");
  });

  it("yields to one defined in code, and so does a view", async () => {
    const found = await find(
      { "tools/cart/tool.json": hello, "ui/page/index.html": "found" },
      {
        tools: [tool({ name: "cart", run: () => "in code" })],
        views: [view({ name: "page", html: "in code" })],
      },
    );
    expect(found.problems).toMatchObject([
      { file: "tools/cart", code: "name-taken" },
      { file: "ui/page", code: "name-taken" },
    ]);
    const { client, resources } = await seen(found);
    expect(await client.callTool({ name: "cart" })).toMatchObject({ content: [{ text: "in code" }] });
    expect(Object.keys(resources)).toEqual([expect.stringMatching(/^ui:\/\/shop\/page\..*\.html$/)]);
  });
});

describe("a problem", () => {
  const uiMeta = (content: unknown) => ({ "ui/broken/ui.meta.json": content });
  const META = "ui/broken/ui.meta.json";
  const template = "data-table";
  it.each([
    ["no JSON", uiMeta('{\n  "name": "x",\n}'), META, "json-invalid", /not JSON/, 3],
    ["no object", uiMeta("[]"), META, "meta-invalid", /must be an object/, 1],
    [
      "an unknown field",
      uiMeta({ name: "x", tmplate: 1 }),
      META,
      "meta-invalid",
      /"tmplate" \(did you mean template\?\)/,
      3,
    ],
    [
      "a field of another type",
      uiMeta({ meta: { prefersBorder: "no" } }),
      META,
      "meta-invalid",
      /^meta\.prefersBorder must be true or false/,
      3,
    ],
    [
      "an unknown template",
      uiMeta({ template: "tabel" }),
      META,
      "template-unknown",
      /^template must be one of .*data-table.*tabel/,
      2,
    ],
    [
      "an unknown setting",
      uiMeta({ template, config: { pageSise: 1 } }),
      META,
      "config-invalid",
      /^config has an unknown field "pageSise" \(did you mean pageSize/,
      4,
    ],
    [
      "a wrong setting",
      uiMeta({ template, config: { columns: [{ key: "a" }, { label: "b" }] } }),
      META,
      "config-invalid",
      /^config\.columns\[1\]\.key is missing/,
      8,
    ],
    ["settings of nothing", uiMeta({ config: {} }), META, "meta-invalid", /^config needs a template/, 2],
    [
      "an origin that is none",
      uiMeta({ meta: { csp: { connectDomains: ["https://a.com/path?x"] } } }),
      META,
      "meta-invalid",
      /^meta\.csp\.connectDomains\[0\]/,
      5,
    ],
    [
      "an origin without encryption",
      uiMeta({ meta: { csp: { frameDomains: ["http://a.com"] } } }),
      META,
      "meta-invalid",
      /^meta\.csp\.frameDomains\[0\] must match/,
      5,
    ],
    ["neither document nor template", uiMeta({}), META, "view-missing", /neither/, undefined],
    [
      "a missing entrypoint",
      uiMeta({ template, entrypoint: "x.html" }),
      META,
      "view-missing",
      /^entrypoint: there is no file/,
      3,
    ],
    [
      "an entrypoint elsewhere",
      { ...uiMeta({ entrypoint: "../good/index.html" }) },
      META,
      "path-forbidden",
      /^entrypoint: .*inside/,
      2,
    ],
    [
      "a document that is too large",
      { "ui/broken/index.html": "x".repeat(2001) },
      "ui/broken/index.html",
      "view-too-large",
      /2001 bytes/,
      undefined,
    ],
    [
      "a document that is not whole",
      { "ui/broken/index.html": '<script src="a.js"></script>' },
      "ui/broken/index.html",
      "view-missing",
      /a\.js/,
      undefined,
    ],
    ["a name that is none", { "ui/a b/index.html": HTML }, "ui/a b", "name-invalid", /"a b"/, undefined],
    ["a tool without a file", { "tools/x/readme.md": "" }, "tools/x", "tool-missing", /tool\.js/, undefined],
    [
      "a tool twice",
      { "tools/x/tool.json": hello, "tools/x/tool.js": "" },
      "tools/x/tool.json",
      "tool-invalid",
      /also a tool\.js/,
      undefined,
    ],
    ["a tool of no JSON", { "tools/x/tool.json": "{" }, "tools/x/tool.json", "json-invalid", /not JSON/, 1],
    [
      "a tool that does nothing",
      { "tools/x/tool.json": { name: "x" } },
      "tools/x/tool.json",
      "tool-invalid",
      /"handler" or "result"/,
      1,
    ],
    [
      "a schema that is none",
      {
        "tools/x/tool.json": {
          ...hello,
          inputSchema: { type: "object", properties: { a: { type: "text" } } },
        },
      },
      "tools/x/tool.json",
      "tool-invalid",
      /^inputSchema is not a JSON Schema/,
      4,
    ],
    [
      "a result that the schema forbids",
      { "tools/x/tool.json": { outputSchema: { type: "object", required: ["a"] }, result: {} } },
      "tools/x/tool.json",
      "tool-invalid",
      /^result\.a is missing/,
      8,
    ],
    [
      "metadata that hosts do not know",
      { "tools/x/tool.json": { ...hello, _meta: { ui: { visibility: "all" } } } },
      "tools/x/tool.json",
      "meta-invalid",
      /^_meta\.ui\.visibility/,
      6,
    ],
    [
      "a view that is not there",
      { "tools/x/tool.json": { ...hello, _meta: { ui: { resourceUri: "ui://shop/none" } } } },
      "tools/x",
      "view-missing",
      /ui:\/\/shop\/none/,
      undefined,
    ],
    [
      "a function elsewhere",
      { "tools/x/tool.json": { handler: "../../ui/x.mjs" } },
      "tools/x/tool.json",
      "path-forbidden",
      /inside tools\/x/,
      undefined,
    ],
    [
      "a function that is none",
      { "tools/x/tool.json": { handler: "h.mjs" }, "tools/x/h.mjs": "export default 1" },
      "tools/x/h.mjs",
      "tool-invalid",
      /must be a function/,
      undefined,
    ],
    [
      "a module that throws",
      { "tools/x/tool.mjs": "throw new Error('no kettle')" },
      "tools/x/tool.mjs",
      "tool-invalid",
      /no kettle/,
      undefined,
    ],
    [
      "a module without a tool",
      { "tools/x/tool.mjs": "export const a = 1" },
      "tools/x/tool.mjs",
      "tool-invalid",
      /default export/,
      undefined,
    ],
    [
      "a module whose schema has no JSON Schema",
      {
        "tools/x/tool.mjs":
          'const input = { "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }) } };\nexport default { input, run: () => "" };',
      },
      "tools/x/tool.mjs",
      "tool-invalid",
      /^input cannot be shown to clients: .*Zod 4\.2/,
      undefined,
    ],
    [
      "a module whose schema JSON Schema cannot say",
      {
        "tools/x/tool.mjs":
          'const json = () => { throw new Error("no dates"); };\nconst input = { "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }), jsonSchema: { input: json, output: json } } };\nexport default { input, run: () => "" };',
      },
      "tools/x/tool.mjs",
      "tool-invalid",
      /^input cannot be shown to clients: no dates$/,
      undefined,
    ],
    [
      "a module without a function",
      { "tools/x/tool.mjs": "export default {}" },
      "tools/x/tool.mjs",
      "tool-invalid",
      /^run must be/,
      undefined,
    ],
    [
      "a name that tools cannot have",
      { "tools/x/tool.json": { ...hello, name: "a b" } },
      "tools/x",
      "name-invalid",
      /"a b"/,
      undefined,
    ],
    [
      "two tools of one name",
      { "tools/x/tool.json": { ...hello, name: "good" } },
      "tools/x",
      "name-taken",
      /good/,
      undefined,
    ],
    [
      "two modules with a view of one name",
      { "tools/x/tool.mjs": withView({ name: "page" }), "tools/y/tool.mjs": withView({ name: "page" }) },
      "tools/y",
      "name-taken",
      /another view has the name page/,
      undefined,
    ],
    [
      "two modules with a view of one address",
      {
        "tools/x/tool.mjs": withView({ name: "a", uri: "ui://shop/same" }),
        "tools/y/tool.mjs": withView({ name: "b", uri: "ui://shop/same" }),
      },
      "tools/y",
      "name-taken",
      /another view has the address ui:\/\/shop\/same/,
      undefined,
    ],
    [
      "a module with the view of a folder's address",
      {
        "tools/x/tool.mjs": withView({ name: "b", uri: "ui://shop/other" }),
        "ui/other/index.html": HTML,
      },
      "ui/other",
      "name-taken",
      /another view has the address ui:\/\/shop\/other/,
      undefined,
    ],
  ])(
    "is reported with file, line and field, and the rest is served: %s",
    async (_what, files, file, code, message, line) => {
      const found = await find(
        { "tools/good/tool.json": hello, "tools/good/ui/index.html": HTML, ...files },
        { maxViewBytes: 2000 },
      );
      expect(found.problems).toEqual([
        { file, code, message: expect.stringMatching(message), ...(line !== undefined && { line }) },
      ]);
      const { client, read } = await seen(found);
      expect(await client.callTool({ name: "good" })).toMatchObject({ content: [{ text: "Hello" }] });
      expect((await read("ui://shop/good")).text).toBe(HTML);
      // Never a link to a missing view.
      for (const { _meta } of (await client.listTools()).tools) {
        const { resourceUri = "ui://shop/good" } = Object(_meta?.["ui"]);
        expect(await read(resourceUri)).toMatchObject({ text: expect.any(String) });
        expect(_meta?.["ui/resourceUri"] ?? resourceUri).toBe(resourceUri);
      }
      // An invalid view is omitted, never served empty.
      await expect(client.readResource({ uri: "ui://shop/broken" })).rejects.toThrow();
    },
  );

  it("with a view leaves the tool, as text only", async () => {
    const found = await find({
      "tools/cart/tool.json": { result: { items: [{ name: "Tea", count: 2 }] } },
      "tools/cart/ui/ui.meta.json": "{}}",
      "ui/cart/index.html": "another, which does not come in",
    });
    expect(found.problems).toMatchObject([{ file: "tools/cart/ui/ui.meta.json", code: "json-invalid" }]);
    const { client, tools, resources } = await seen(found);
    expect(tools["cart"]?._meta).toEqual({
      [VIEW_PROBLEM_KEY]: expect.stringMatching(/^tools\/cart\/ui\/ui\.meta\.json:1: .*\(json-invalid\)$/),
    });
    expect(resources).toEqual({});
    expect(await client.callTool({ name: "cart" })).toMatchObject({
      structuredContent: { items: [{ name: "Tea", count: 2 }] },
      content: [{ text: expect.stringContaining("| Tea | 2 |") }],
    });
  });

  it("are symbolic links anywhere", async () => {
    const secret = join(folderWith({ "index.html": "secret", "tool.json": hello }), "");
    const root = folderWith({
      "ui/file/readme": "",
      "ui/meta/index.html": HTML,
      "ui/asset/index.html": '<img src="a.png">',
      "tools/tool/readme": "",
      "tools/ui/tool.json": hello,
      "tools/handler/tool.json": { handler: "h.mjs" },
    });
    const link = (from: string, to = join(secret, "index.html")) => symlinkSync(to, join(root, from));
    link("ui/file/index.html");
    link("ui/meta/ui.meta.json");
    link("ui/asset/a.png");
    link("ui/folder", secret);
    link("tools/tool/tool.json", join(secret, "tool.json"));
    link("tools/ui/ui", secret);
    link("tools/handler/h.mjs");
    const found = await discover({ root, name: "shop", version: "1" });
    expect(found.problems.map(({ file, code }) => [file, code])).toEqual(
      expect.arrayContaining(
        [
          "ui/file/index.html",
          "ui/meta/ui.meta.json",
          "ui/asset/index.html",
          "ui/folder",
          "tools/tool/tool.json",
          "tools/ui/ui",
          "tools/handler/h.mjs",
        ].map((file) => [file, "path-forbidden"]),
      ),
    );
    const { tools, resources } = await seen(found);
    expect(resources).toEqual({});
    expect(Object.keys(tools)).toEqual(["ui"]);
    const linked = folderWith({});
    symlinkSync(secret, join(linked, "ui"));
    expect((await discover({ root: linked, name: "shop", version: "1" })).problems).toMatchObject([
      { file: "ui", code: "path-forbidden" },
    ]);
  });

  it("is a document in another encoding", async () => {
    const root = folderWith({ "ui/latin/readme": "" });
    writeFileSync(join(root, "ui/latin/index.html"), Buffer.from([0x3c, 0x70, 0x3e, 0xe9]));
    const { problems } = await discover({ root, name: "shop", version: "1" });
    expect(problems).toMatchObject([{ file: "ui/latin/index.html", code: "view-not-utf8" }]);
  });

  it("is a missing root; an empty one says what to create", async () => {
    await expect(discover({ root: "/no/such", name: "x", version: "1" })).rejects.toMatchObject({
      code: "view-missing",
    });
    expect((await find({})).problems).toMatchObject([{ file: ".", code: "tool-missing" }]);
  });

  it("is written to stderr on serve, one per line", async () => {
    const found = await find({ "ui/broken/ui.meta.json": '{ "nam": 1 }', "ui/good/index.html": HTML });
    const written: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
    const serving = await found.serve({ argv: ["--http"] });
    vi.restoreAllMocks();
    await serving.close();
    expect(written.filter((line) => !line.includes(" is served at "))).toEqual([
      'ui/broken/ui.meta.json:1: it has an unknown field "nam" (did you mean name?) (meta-invalid)\n',
    ]);
  });
});

describe("tool.ts", () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  /** Without the option. */
  const isImported = major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);

  /** In a separate process: here Vite imports TypeScript, not Node. */
  async function foundByNode(): Promise<{ problems: unknown[]; said: unknown[] }> {
    const root = folderWith({
      "tools/x/tool.ts": 'const word: string = "typed";\nexport default { run: (): string => word };',
    });
    const code = `import { discover } from "@vitrine/server/discovery";
      const { problems, server } = await discover({ root: ${JSON.stringify(root)}, name: "shop", version: "1" });
      const said = await Promise.all(server.options.tools.map((tool) => tool.run({}, {})));
      console.log(JSON.stringify({ problems, said }));`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", code], {
      timeout: 30_000,
    });
    return JSON.parse(stdout);
  }

  it.skipIf(isImported)("has a solution, if Node cannot import TypeScript", async () => {
    const message =
      "this version of Node cannot import TypeScript: compile it to tool.js, or use Node 22.18 or later";
    expect(await foundByNode()).toEqual({
      problems: [{ file: "tools/x/tool.ts", code: "tool-invalid", message }],
      said: [],
    });
  });

  it.runIf(isImported)("is a tool, where Node imports TypeScript", async () => {
    expect(await foundByNode()).toEqual({ problems: [], said: ["typed"] });
  });
});

it("advises what to declare in ui.meta.json for a page, whether the file exists or not", async () => {
  const html = '<script>fetch("https://api.example/v1")</script>';
  const found = await find({
    "tools/x/tool.json": hello,
    "tools/x/ui/index.html": html,
    "tools/x/ui/ui.meta.json": { meta: { prefersBorder: false } },
    "ui/y/index.html": html,
  });
  const advice = await found.server.advice();
  const add = '"meta": { "csp": { "connectDomains": ["https://api.example"] } }';
  expect(advice.map(({ message }) => message.replace(/^.*block it: /, "")).sort()).toEqual([
    `add ${add} to tools/x/ui/ui.meta.json`,
    `add ${add} to ui/y/ui.meta.json`,
  ]);
  const meta = JSON.parse(`{ ${add} }`);
  const mended = await find({ "ui/y/index.html": html, "ui/y/ui.meta.json": meta });
  expect(await mended.server.advice()).toEqual([]);
});

it("scans folders with other names, if configured", async () => {
  const files = {
    "functions/greet/tool.json": hello,
    "pages/help/index.html": HTML,
    "tools/not/tool.json": hello,
  };
  const found = await find(files, { toolsFolder: "functions", uiFolder: "pages" });
  const { tools, resources } = await seen(found);
  expect([Object.keys(tools), Object.keys(resources)]).toEqual([["greet"], ["ui://shop/help"]]);
});

it("accepts the author's own templates", async () => {
  const mine = {
    name: "mine",
    title: "Mine",
    script: "",
    style: "",
    schema: {
      type: "object" as const,
      properties: { size: { type: "integer" as const } },
      additionalProperties: false,
    },
  };
  const files = {
    "ui/a/ui.meta.json": { template: "mine", config: { size: 3 } },
    "ui/b/ui.meta.json": { template: "mine", config: { size: "3" } },
  };
  const found = await find(files, { templates: [mine] });
  expect(found.problems).toMatchObject([{ file: "ui/b/ui.meta.json", code: "config-invalid" }]);
  expect((await (await seen(found)).read("ui://shop/a")).text).toContain('{"size":3}');
});
