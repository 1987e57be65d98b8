/** The same server, by stdio and by HTTP. */
import { request } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { uiExtension } from "@vitrine/protocol";
import { appServer, InputError, PROBLEMS_KEY, type RunningServer, serve, tool, view } from "@vitrine/server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";

const page = view({ name: "page", html: "<p>here</p>" });
const order = tool({
  name: "order",
  input: z.object({ city: z.string().min(1, "Name a city."), count: z.number().int().default(1) }),
  output: z.object({ left: z.number() }),
  view: page,
  run: ({ count }) => {
    if (count > 10) throw new InputError({ count: "There are 10 left." });
    return { left: 10 - count };
  },
});
const server = appServer({ name: "shop", version: "1.0.0", tools: [order] });

let serving: RunningServer | undefined;
afterEach(() => serving?.close());

const status = (url: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers }, (answer) => resolve(answer.resume().statusCode))
      .on("error", reject)
      .end();
  });

describe("by HTTP", () => {
  it("serves tools and views to both generations, on this machine only", async () => {
    serving = await serve(server, { argv: ["--http"] });
    const url = serving.url ?? "";
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    for (const mode of ["legacy", "auto"] as const) {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      const { structuredContent } = await client.callTool({
        name: "order",
        arguments: { city: "Berne", count: 3 },
      });
      expect(structuredContent).toEqual({ left: 7 });
      const { resources } = await client.listResources();
      const { contents } = await client.readResource({ uri: resources[0]?.uri ?? "" });
      expect(contents).toMatchObject([{ text: "<p>here</p>" }]);
      await client.close();
    }
    expect(await status(url, { host: "evil.example" })).toBe(403);
    for (const origin of ["https://evil.example", "null", "http://localhost.evil.example"])
      expect(await status(url, { origin })).toBe(403);
    expect(await status(url, { origin: "http://localhost:3000" })).not.toBe(403);
    expect(await status(url.replace("/mcp", "/other"), {})).toBe(404);
  });

  it("accepts the largest request of a page, and answers larger ones", async () => {
    const measure = tool({
      name: "measure",
      input: z.object({ data: z.string() }),
      run: ({ data }) => `${data.length}`,
    });
    serving = await serve(appServer({ name: "x", version: "1", tools: [measure] }), { argv: ["--http"] });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(serving.url ?? "")));
    const send = (size: number) =>
      client.callTool({ name: "measure", arguments: { data: "x".repeat(size) } });
    expect((await send(10_000_000)).content).toEqual([{ type: "text", text: "10000000" }]);
    await expect(send(17_000_000)).rejects.toThrow(/413|too large/i);
    await client.close();
  });

  it("reports problems of views at startup, once, and serves the rest", async () => {
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const broken = view({ name: "broken", file: "/no/such/file" });
    const lost = tool({ name: "lost", view: broken, run: () => "in words" });
    serving = await serve(appServer({ name: "x", version: "1", tools: [lost, order] }), { argv: ["--http"] });
    const client = new Client(
      { name: "test", version: "1" },
      { capabilities: { extensions: uiExtension() } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(serving.url ?? "")));
    const { tools } = await client.listTools();
    expect(tools.map(({ name, _meta }) => [name, _meta !== undefined])).toEqual([
      ["lost", false],
      ["order", true],
    ]);
    expect((await client.callTool({ name: "lost" })).content).toEqual([{ type: "text", text: "in words" }]);
    expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(["page"]);
    await client.close();
    const said = written.mock.calls.map(([text]) => String(text)).join("");
    written.mockRestore();
    expect(said).toBe(
      `the view broken: there is no readable file /no/such/file (view-missing)\nx is served at ${serving.url}\n`,
    );
  });

  it("prints its address, and reports a port in use", async () => {
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    serving = await serve(server, { argv: ["--http"] });
    const said = written.mock.calls.map(([text]) => String(text)).join("");
    expect(said).toBe(`shop is served at ${serving.url}\n`);
    const { port } = new URL(serving.url ?? "");
    await expect(serve(server, { argv: ["--http", port] })).rejects.toMatchObject({
      code: "port-in-use",
      message: expect.stringContaining(`port ${port} is in use`),
    });
    written.mockRestore();
  });
});

it("reports at startup what views use and do not declare", async () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const far = view({ name: "far", html: '<script src="https://cdn.example/a.js"></script>' });
  serving = await serve(appServer({ name: "x", version: "1", tools: [], views: [far] }), {
    argv: ["--http"],
  });
  const said = written.mock.calls.map(([text]) => String(text)).join("");
  written.mockRestore();
  expect(said).toMatch(/the view far uses https:\/\/cdn\.example in line 1.*resourceDomains/);
});

describe("invalid input", () => {
  it("is reported by argument: the schema's problems and the tool's", async () => {
    serving = await serve(server, { argv: ["--http"] });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(serving.url ?? "")));
    const call = (args: object) =>
      client.callTool({ name: "order", arguments: args as Record<string, unknown> });
    expect(await call({ city: "", count: 1.5 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^The input is wrong\. city: Name a city\.; count: /) }],
      _meta: {
        "vitrine/code": "input-invalid",
        [PROBLEMS_KEY]: { city: "Name a city.", count: expect.any(String) },
      },
    });
    expect(await call({ city: "Berne", count: 11 })).toMatchObject({
      isError: true,
      _meta: { "vitrine/code": "input-invalid", [PROBLEMS_KEY]: { count: "There are 10 left." } },
    });
    expect(await call({ city: "Berne" })).toMatchObject({ structuredContent: { left: 9 } });
    await client.close();
  });
});
