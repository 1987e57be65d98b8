/** The servers in examples/, as processes, with official clients with and without views. */
import type { Client } from "@modelcontextprotocol/client";
import { readToolUi } from "@vitrine/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { byHttp, byStdio, listening } from "../../../testing/server/example-servers.ts";

const open: { close(): Promise<unknown> }[] = [];
const kept = <T extends { close(): Promise<unknown> }>(each: T): T => {
  open.unshift(each);
  return each;
};
afterAll(async () => {
  for (const each of open) await each.close();
});

const linksOf = async (client: Client) =>
  (await client.listTools()).tools.map((tool) => [tool.name, readToolUi(tool).resourceUri]);
const textOf = async (client: Client, name: string, args = {}) => {
  const { content } = await client.callTool({ name, arguments: args });
  return content.map((block) => (block.type === "text" ? block.text : block.type)).join();
};

describe.each(["stdio", "HTTP"])("the examples by %s", (way) => {
  const clients: Record<string, { withViews: Client; without: Client }> = {};
  beforeAll(async () => {
    for (const example of ["measurements", "analysis"]) {
      const url = way === "HTTP" ? kept(await listening(`${example}/server.mjs`, "--http")).url : "";
      const connect = (hasViews: boolean) => (url ? byHttp(url, hasViews) : byStdio(example, hasViews));
      clients[example] = { withViews: kept(await connect(true)), without: kept(await connect(false)) };
    }
  });
  const of = (example: string) => clients[example] as { withViews: Client; without: Client };

  it("link tools with views for a client that shows them", async () => {
    const { withViews } = of("measurements");
    expect(await linksOf(withViews)).toEqual([
      ["dashboard", expect.stringMatching(/^ui:\/\/weather-server\/dashboard\.\w+\.html$/)],
      ["query", "ui://weather-server/query-results"],
      ["query-builder", "ui://weather-server/query-builder"],
      ["refresh", undefined],
    ]);
    const { contents } = await withViews.readResource({ uri: "ui://weather-server/query-results" });
    expect(contents).toMatchObject([
      { mimeType: "text/html;profile=mcp-app", _meta: { ui: { prefersBorder: true } } },
    ]);
    const { withViews: analyst } = of("analysis");
    expect(await linksOf(analyst)).toEqual([
      ["analyze_data", expect.stringMatching(/^ui:\/\/myapp\/dashboard\./)],
    ]);
    // Also under the address without a version.
    const dashboard = await analyst.readResource({ uri: "ui://myapp/dashboard" });
    expect(dashboard.contents).toMatchObject([
      {
        text: expect.stringContaining("new McpApp()"),
        _meta: { ui: { csp: { connectDomains: ["https://api.myapp.com"] } } },
      },
    ]);
  });

  it("give the same as text to a client without views, and omit app-only tools", async () => {
    const { without } = of("measurements");
    const { tools } = await without.listTools();
    expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual([
      ["dashboard", undefined],
      ["query", undefined],
      ["query-builder", undefined],
    ]);
    expect(await textOf(without, "query", { city: "Oslo", warmerThan: 0 })).toContain(
      "| Oslo | 2026-03-02 | 1 | 0 |",
    );
    expect(await textOf(without, "query-builder")).toContain("call query");
    expect(await textOf(of("analysis").without, "analyze_data", { dataset: "sales" })).toBe(
      "sales: 3 values, 100 on average",
    );
    expect(await textOf(of("analysis").without, "analyze_data", { dataset: "no" })).toContain(
      "dataset: There are latest and sales.",
    );
  });
});

it("the folder example: views for one client, text for another", async () => {
  const withViews = kept(await byStdio("discovery"));
  expect(await linksOf(withViews)).toEqual([
    ["greet", "ui://discovery/greet"],
    ["stock", "ui://discovery/stock"],
  ]);
  const without = kept(await byStdio("discovery", false));
  const { tools } = await without.listTools();
  expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual([
    ["greet", undefined],
    ["stock", undefined],
  ]);
  expect(await textOf(without, "greet", { name: "Ada" })).toContain("Hello, Ada!");
  expect(await textOf(without, "greet", { name: "" })).toContain("name: Whom?");
  expect(await textOf(without, "stock")).toContain("| Kettle | 3 | 39 |");
});

it("the back end example answers the view's requests and sends its notifications", async () => {
  const { url } = kept(await listening("analysis/host.mjs"));
  const post = (path: string, body: object, type = "application/json") =>
    fetch(url + path, { method: "POST", headers: { "content-type": type }, body: JSON.stringify(body) });
  let id = 0;
  const ask = async (method: string, params: object) =>
    (await post("/views", { jsonrpc: "2.0", id: ++id, method, params })).json();
  const hello = {
    protocolVersion: "2026-01-26",
    appInfo: { name: "MyApp", version: "1.0.0" },
    appCapabilities: {},
  };
  expect(await ask("ui/initialize", hello)).toMatchObject({
    result: { hostContext: { theme: "dark" }, hostCapabilities: { serverTools: {}, message: {} } },
  });
  const analyzed = { structuredContent: { dataset: "latest", count: 6, mean: 18, largest: 42 } };
  expect(await ask("tools/call", { name: "analyze_data", arguments: { dataset: "latest" } })).toMatchObject({
    result: analyzed,
  });
  expect(await ask("tools/call", { name: "other" })).toMatchObject({
    error: { data: { code: "tool-unknown" } },
  });
  expect(await ask("ui/open-link", { url: "https://example.com/" })).toMatchObject({
    error: { code: -32601 },
  });
  const heard = await post("/calls", { name: "analyze_data", input: { dataset: "latest" } });
  expect(await heard.json()).toMatchObject([
    { method: "ui/notifications/tool-input", params: { arguments: { dataset: "latest" } } },
    { method: "ui/notifications/tool-result", params: analyzed },
  ]);
  expect((await post("/calls", {}, "text/plain")).status).toBe(404);
});
