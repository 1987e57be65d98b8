/** Servers seen by the official client, with and without views, in both protocol generations. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { InMemoryTransport, UrlElicitationRequiredError } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { readToolUi, uiExtension } from "@vitrine/protocol";
import { type AppServer, appServer, reply, type ToolContext, tool, view } from "@vitrine/server";
import { choice, dataTable, form } from "@vitrine/server/templates";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";

const folder = mkdtempSync(join(tmpdir(), "vitrine-server-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A client of the older generation (a handshake) or the newer one (capabilities in every request). */
async function connect(server: AppServer, generation: "2025" | "2026", hasViews = true): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(server.create, { transport: ours });
  const options: ClientOptions = {
    capabilities: hasViews ? { extensions: uiExtension() } : {},
    versionNegotiation: generation === "2025" ? { mode: "legacy" } : { mode: { pin: "2026-07-28" } },
  };
  const client = new Client({ name: "test", version: "1.0.0" }, options);
  await client.connect(theirs);
  open.push(
    () => client.close(),
    () => handle.close(),
  );
  return client;
}

const days = z.array(z.object({ day: z.string(), high: z.number() }));
const forecastView = view({
  name: "forecast",
  title: "Forecast",
  html: "<!doctype html><title>Forecast</title>",
  csp: { connectDomains: ["https://api.example"] },
  prefersBorder: true,
});
const forecast = tool({
  name: "forecast",
  description: "The weather in a city",
  input: z.object({ city: z.string(), count: z.number().default(2) }),
  output: z.object({ city: z.string(), days }),
  view: forecastView,
  run: ({ city, count }) => ({
    city,
    days: Array.from({ length: count }, (_, at) => ({ day: `day ${at + 1}`, high: 20 + at })),
  }),
});
const refresh = tool({ name: "refresh", visibility: ["app"], view: forecastView, run: () => "done" });
const plain = tool({ name: "plain", visibility: ["model"], run: () => "no view here" });
const weather = appServer({ name: "The Weather", version: "1.0.0", tools: [forecast, refresh, plain] });

describe.each(["2025", "2026"] as const)("a client of %s", (generation) => {
  it("R02, R05, R06 and R08: gets tools with their views, under both keys, and reads them", async () => {
    const client = await connect(weather, generation);
    expect(client.getServerCapabilities()).toMatchObject({ extensions: uiExtension() });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["forecast", "refresh", "plain"]);
    const [first, second, third] = tools;
    const { resourceUri = "", problems } = readToolUi(first);
    expect(problems).toEqual([]);
    expect(resourceUri).toMatch(/^ui:\/\/the-weather\/forecast\.[0-9a-f]{12}\.html$/);
    expect(first?._meta).toEqual({ ui: { resourceUri }, "ui/resourceUri": resourceUri });
    expect(readToolUi(second)).toMatchObject({ resourceUri, visibility: ["app"] });
    expect(third?._meta).toEqual({ ui: { visibility: ["model"] } });

    const ui = { csp: { connectDomains: ["https://api.example"] }, prefersBorder: true };
    const mimeType = "text/html;profile=mcp-app";
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([
      { name: "forecast", title: "Forecast", uri: resourceUri, mimeType, _meta: { ui } },
    ]);
    const { contents } = await client.readResource({ uri: resourceUri });
    expect(contents).toEqual([
      { uri: resourceUri, mimeType, text: "<!doctype html><title>Forecast</title>", _meta: { ui } },
    ]);
  });

  it("without views gets no view metadata, and the same content as text", async () => {
    const client = await connect(weather, generation, false);
    const { tools } = await client.listTools();
    expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual([
      ["forecast", undefined],
      ["plain", undefined],
    ]);
    const { content, structuredContent } = await client.callTool({
      name: "forecast",
      arguments: { city: "Berne" },
    });
    expect(structuredContent).toEqual({
      city: "Berne",
      days: [
        { day: "day 1", high: 20 },
        { day: "day 2", high: 21 },
      ],
    });
    expect(content).toEqual([
      {
        type: "text",
        text: "- city: Berne\n\ndays:\n\n| day | high |\n| --- | --- |\n| day 1 | 20 |\n| day 2 | 21 |",
      },
    ]);
  });

  it("is distinguished by the tool itself", async () => {
    const seen: ToolContext["ui"][] = [];
    const asks = tool({
      name: "asks",
      run: (_input, { ui, signal }) => {
        expect(signal.aborted).toBe(false);
        seen.push(ui);
        return ui;
      },
    });
    const server = appServer({ name: "x", version: "1", tools: [asks] });
    await (await connect(server, generation, true)).callTool({ name: "asks" });
    await (await connect(server, generation, false)).callTool({ name: "asks" });
    expect(seen).toEqual(["yes", "no"]);
  });

  it("gets errors about its input, and about a tool's invalid result", async () => {
    const output = z.object({ count: z.number() });
    const wrong = tool({
      name: "wrong",
      output,
      run: () => ({ count: "many" }) as unknown as { count: number },
    });
    const throws = tool({
      name: "throws",
      output,
      run: () => Promise.reject(new Error("the kettle is broken")),
    });
    const asks = tool({
      name: "asks",
      run: () => Promise.reject(new UrlElicitationRequiredError([])),
    });
    const client = await connect(
      appServer({ name: "x", version: "1", tools: [wrong, throws, asks, forecast] }),
      generation,
    );
    const call = (name: string, args = {}) => client.callTool({ name, arguments: args });
    const failure = (code: string, message: RegExp) => ({
      isError: true,
      content: [{ type: "text", text: expect.stringMatching(message) }],
      _meta: { "vitrine/code": code },
    });
    expect(await call("wrong")).toMatchObject(
      failure("result-invalid", /^the result of wrong violates its output schema: count: .*number/),
    );
    expect(await call("throws")).toMatchObject(failure("tool-failed", /^the kettle is broken$/));
    expect(await call("forecast", { city: 1 })).toMatchObject(failure("input-invalid", /city/));
    // Errors with a meaning for the SDK stay the SDK's; in the newer generation that is another kind of
    // request.
    await expect(call("asks")).rejects.toMatchObject({ code: generation === "2025" ? -32042 : -32603 });
    // The rest keeps working.
    expect(await call("forecast", { city: "Rome", count: 0 })).toMatchObject({
      structuredContent: { city: "Rome", days: [] },
    });
  });
});

it.each(["2025", "2026"] as const)(
  "tools learn what each client of the same server shows, %s",
  async (generation) => {
    const ui: string[] = [];
    const asks = tool({
      name: "asks",
      run: (_input, context) => void ui.push({ ...context }.ui) as undefined,
    });
    const server = appServer({ name: "x", version: "1", tools: [asks] });
    const clients = [await connect(server, generation, true), await connect(server, generation, false)];
    for (const client of [...clients, ...clients]) await client.callTool({ name: "asks" });
    expect(ui).toEqual(["yes", "no", "yes", "no"]);
  },
);

describe("over HTTP, stateless", () => {
  const post = async (server: AppServer, method: string, params: object = {}) => {
    const request = new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const text = await (await server.http().fetch(request)).text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).result;
  };

  it("offers views to clients with unknown capabilities, and gives them text as well", async () => {
    const { tools } = await post(weather, "tools/list");
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(["forecast", "refresh", "plain"]);
    expect(readToolUi(tools[0]).resourceUri).toBeDefined();
    const ui: string[] = [];
    const asks = tool({ name: "asks", run: (_input, context) => void ui.push(context.ui) as undefined });
    await post(appServer({ name: "x", version: "1", tools: [asks] }), "tools/call", {
      name: "asks",
      arguments: {},
    });
    expect(ui).toEqual(["unknown"]);
    const { content } = await post(weather, "tools/call", { name: "forecast", arguments: { city: "Berne" } });
    expect(content[0].text).toContain("Berne");
  });

  it("name the tool in a page that calls it, if there is exactly one: not every host says whose view it is", async () => {
    const book = view({ name: "book", template: form });
    const input = z.object({ people: z.number() });
    const offer = (...names: string[]) => ({
      tools: names.map((name) => tool({ name, description: name, input, view: book, run: () => "done" })),
    });
    const server = appServer({ name: "inn", version: "1.0.0", ...offer("reserve") });
    const read = async () => {
      const { text, hash } = await server.document(book);
      const [, json = ""] = /id="config">(.*?)<\/script>/.exec(text) ?? [];
      return { hash, tool: JSON.parse(json).tool };
    };
    const first = await read();
    expect(first.tool).toMatchObject({ name: "reserve", inputSchema: { required: ["people"] } });
    await server.replace(offer("reserve", "waitlist"));
    expect((await read()).tool).toBeUndefined();
    await server.replace(offer("waitlist"));
    const last = await read();
    expect(last.tool).toMatchObject({ name: "waitlist" });
    expect(last.hash).not.toBe(first.hash);
    const client = await connect(server, "2026");
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([expect.stringContaining(last.hash)]);
  });

  it("reads documents once for all requests", async () => {
    let made = 0;
    const counted = view({ name: "counted", html: () => `<p>${++made}</p>` });
    const server = appServer({ name: "x", version: "1", tools: [], views: [counted] });
    await post(server, "resources/list");
    const { resources } = await post(server, "resources/list");
    expect((await post(server, "resources/read", { uri: resources[0].uri })).contents[0].text).toBe(
      "<p>1</p>",
    );
    expect(made).toBe(1);
  });
});

describe("addresses", () => {
  it("change with the view's metadata too: with another policy, it is another document", async () => {
    const addressWith = async (domains: string[]) => {
      const page = view({ name: "page", html: "<p>one</p>", csp: { connectDomains: domains } });
      const server = appServer({ name: "x", version: "1", tools: [], views: [page] });
      return (await (await connect(server, "2026")).listResources()).resources[0]?.uri;
    };
    const first = await addressWith(["https://a.example"]);
    expect(await addressWith(["https://a.example"])).toBe(first);
    expect(await addressWith([])).not.toBe(first);
  });

  it("say how long a document may be cached: a day with a hash in the address, not at all with a fixed one", async () => {
    const views = [
      view({ name: "hashed", html: "one" }),
      view({ name: "fixed", html: "two", uri: "ui://x/fixed" }),
    ];
    const server = appServer({ name: "x", version: "1", tools: [], views });
    const sent = vi.spyOn(InMemoryTransport.prototype, "send");
    const client = await connect(server, "2026");
    const { resources } = await client.listResources();
    for (const { uri } of resources) await client.readResource({ uri });
    // Read on the wire: the client does not expose it.
    const answers = sent.mock.calls.map(([message]) => ("result" in message ? message.result : undefined));
    sent.mockRestore();
    expect(answers.filter((answer) => answer && "contents" in answer)).toMatchObject([
      { contents: [{ text: "one" }], ttlMs: 86_400_000, cacheScope: "public" },
      { contents: [{ text: "two" }], ttlMs: 0 },
    ]);
  });

  it("change with the document, and the old ones still work", async () => {
    const file = join(folder, "page.html");
    writeFileSync(file, "<p>one</p>");
    const page = view({ name: "page", file });
    const server = appServer({ name: "x", version: "1", tools: [], views: [page] });
    const addressOfNow = async () => {
      const { resources } = await (await connect(server, "2026")).listResources();
      return resources[0]?.uri ?? "";
    };
    const first = await addressOfNow();
    expect(await addressOfNow()).toBe(first);
    writeFileSync(file, "<p>two!</p>");
    const second = await addressOfNow();
    expect(second).not.toBe(first);
    const client = await connect(server, "2026");
    const read = async (uri: string) => {
      const { contents } = await client.readResource({ uri });
      const [content] = contents;
      expect(content?.uri).toBe(uri);
      return content && "text" in content ? content.text : undefined;
    };
    expect(await read(first)).toBe("<p>one</p>");
    expect(await read(second)).toBe("<p>two!</p>");
    // An unknown version, and no version.
    expect(await read("ui://x/page.000000000000.html")).toBe("<p>two!</p>");
    expect(await read("ui://x/page")).toBe("<p>two!</p>");
    const unknown = await read("ui://x/nothing").catch((error) => error);
    expect(unknown.message).toContain("no view named nothing");
    // Not as a server error.
    expect(unknown.code).not.toBe(-32603);
  });
});

describe("a tool's result", () => {
  const answer = async (run: ReturnType<typeof tool>) => {
    const client = await connect(appServer({ name: "x", version: "1", tools: [run] }), "2026");
    return client.callTool({ name: run.name });
  };

  it("may have its own text, images, and metadata for the view alone", async () => {
    const output = z.object({ city: z.string() });
    const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
    const run = () => reply({ city: "Berne" }, { text: "A map", content: [image], meta: { tiles: 12 } });
    const { content, structuredContent, _meta } = await answer(tool({ name: "map", output, run }) as never);
    expect(content).toEqual([{ type: "text", text: "A map" }, image]);
    expect(structuredContent).toEqual({ city: "Berne" });
    expect(_meta).toMatchObject({ tiles: 12 });
  });

  it("uses the tool's own text if there is one, and may be empty", async () => {
    const output = z.object({ city: z.string() });
    const text = ({ city }: { city: string }) => `It is ${city}.`;
    const told = tool({ name: "told", output, text, run: () => ({ city: "Rome" }) });
    expect((await answer(told as never)).content).toEqual([{ type: "text", text: "It is Rome." }]);
    expect((await answer(tool({ name: "silent", run: () => undefined }) as never)).content).toEqual([]);
  });
});

describe("an invalid definition", () => {
  it("throws with a code", async () => {
    const other = view({ name: "forecast", html: "another" });
    expect(() => appServer({ name: "x", version: "1", tools: [forecast], views: [other] })).toThrow(
      expect.objectContaining({
        code: "name-taken",
        message: "two views of x are named forecast: rename one of them",
      }),
    );
    expect(() => appServer({ name: "x", version: "1", tools: [plain, plain] })).toThrow(
      expect.objectContaining({ code: "name-taken" }),
    );
    for (const name of ["", "a b", "../x", "a/b", "a..b", ".hidden", "x".repeat(101)]) {
      expect(() => view({ name, html: "" }), name).toThrow(expect.objectContaining({ code: "name-invalid" }));
    }
    expect(() => view({ name: "x", html: "", csp: { connectDomains: "all" as never } })).toThrow(
      expect.objectContaining({ code: "meta-invalid", message: expect.stringContaining("csp") }),
    );
    for (const origin of ["*", "http://api.example.com", "https://api.example.com/v1"])
      expect(() => view({ name: "x", html: "", csp: { connectDomains: [origin] } }), origin).toThrow(
        expect.objectContaining({
          code: "meta-invalid",
          message: expect.stringMatching(/^the view x: csp\.connectDomains\[0\] /),
        }),
      );
    const told = vi.fn();
    const large = view({ name: "large", html: "x".repeat(2_000_000) });
    const missing = view({ name: "missing", file: join(folder, "none.html") });
    const failing = view({ name: "failing", html: () => Promise.reject(new Error("no ink")) });
    const nothing = view({ name: "nothing", html: () => undefined as never });
    const endless: Record<string, unknown> = {};
    endless["title"] = endless;
    const round = view({ name: "round", template: dataTable, config: endless });
    const far = view({ name: "far", file: new URL("https://x.example/page.html") });
    const wide = view({
      name: "wide",
      template: choice,
      config: { options: Array(50).fill("x".repeat(30_000)) },
    });
    const views = [large, missing, failing, nothing, round, far, wide];
    const server = appServer({ name: "x", version: "1", tools: [], views, onproblem: told });
    const codes = async () => [...(await server.problems())].map(([name, { code }]) => [name, code]);
    expect(await codes()).toEqual([
      ["large", "view-too-large"],
      ["missing", "view-missing"],
      ["failing", "view-failed"],
      ["nothing", "view-failed"],
      ["round", "view-failed"],
      ["far", "view-failed"],
      ["wide", "view-too-large"],
    ]);
    await expect(server.document(missing)).rejects.toMatchObject({ code: "view-missing" });
    await expect(server.document(failing)).rejects.toMatchObject({
      message: "the document of the view failing could not be created: no ink",
    });
    // It is read again.
    writeFileSync(join(folder, "none.html"), "<p>here</p>");
    expect((await server.document(missing)).text).toBe("<p>here</p>");
    expect(await codes()).toEqual([
      ["large", "view-too-large"],
      ["failing", "view-failed"],
      ["nothing", "view-failed"],
      ["round", "view-failed"],
      ["far", "view-failed"],
      ["wide", "view-too-large"],
    ]);
    expect(told.mock.calls.map(([{ name }, { code }]) => [name, code])).toEqual([
      ["large", "view-too-large"],
      ["missing", "view-missing"],
      ["failing", "view-failed"],
      ["nothing", "view-failed"],
      ["round", "view-failed"],
      ["far", "view-failed"],
      ["wide", "view-too-large"],
    ]);
  });
});

it("leaves resources and prompts of the official SDK to the author", async () => {
  const server = appServer({
    name: "x",
    version: "1",
    tools: [plain],
    extend: (made) => {
      made.registerResource("note", "note://1", {}, () => ({
        contents: [{ uri: "note://1", text: "Hello" }],
      }));
      made.registerPrompt("ask", {}, () => ({ messages: [] }));
    },
  });
  const client = await connect(server, "2025");
  expect((await client.readResource({ uri: "note://1" })).contents).toMatchObject([{ text: "Hello" }]);
  expect((await client.listPrompts()).prompts).toMatchObject([{ name: "ask" }]);
});
