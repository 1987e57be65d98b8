/**
 * The examples in three hosts: ours, the official `AppBridge` and `@mcp-ui/client`, with their servers as
 * processes behind an official client. Each view shows its tool's result; a click calls a tool and shows the
 * answer.
 */
import { readFileSync } from "node:fs";
import type { Client } from "@modelcontextprotocol/client";
import type { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import { type CallToolResult, readToolUi, type Tool } from "@vitrine/protocol";
import { testServer } from "@vitrine/server/testing";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shop } from "../../../examples/servers/rate.js";
import type { EventLog } from "../../../testing/event-log.ts";
import type { RendererProps } from "../../../testing/interop/mcp-ui-host.tsx";
import { CONTEXT } from "../../../testing/interop/scene.ts";
import { pageOf, Stage } from "../../../testing/interop/stage.ts";
import { byStdio } from "../../../testing/server/example-servers.ts";
import { TemplateStage } from "../../../testing/server/template-stage.ts";

// In the pages.
declare const bridge: AppBridge;
declare const log: EventLog;
declare const setProps: (changes: Partial<RendererProps>) => void;
declare const callTool: (params: object) => Promise<CallToolResult>;

interface Example {
  readonly server: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  /** Expected text before and after a click. */
  readonly shows: RegExp;
  readonly button: string;
  readonly answers: RegExp;
  /** Input to fill in first. */
  readonly select?: string;
}

const EXAMPLES: readonly Example[] = [
  {
    server: "discovery",
    tool: "greet",
    input: { name: "Ada" },
    shows: /Hello, Ada!/,
    button: "Greet everybody",
    answers: /Hello, everybody!/,
  },
  // Tables: a click sorts.
  {
    server: "discovery",
    tool: "stock",
    input: {},
    shows: /Stock[\s\S]*Green tea\s+42\s+4\.5\s+Kettle\s+3\s+39/,
    button: "In stock",
    answers: /Kettle\s+3\s+39\s+Green tea\s+42/,
  },
  {
    server: "measurements",
    tool: "query",
    input: { warmerThan: 0 },
    shows: /Berne[\s\S]*Lisbon[\s\S]*Oslo[\s\S]*5 of 5/,
    button: "°C",
    answers: /Oslo[\s\S]*Berne[\s\S]*Lisbon/,
  },
  {
    server: "measurements",
    tool: "dashboard",
    input: {},
    shows: /Reading 1[\s\S]*Lisbon: 19 °C/,
    button: "Refresh",
    answers: /Reading [2-9]/,
  },
  // A template's page.
  {
    server: "measurements",
    tool: "query-builder",
    input: {},
    shows: /Warmer than/,
    select: "Oslo",
    button: "Submit",
    answers: /2026-03-02/,
  },
  {
    server: "analysis",
    tool: "analyze_data",
    input: { dataset: "sales" },
    shows: /Connected[\s\S]*Analyzing: sales[\s\S]*"mean": 100/,
    button: "Refresh Data",
    answers: /"mean": 18/,
  },
];

/** An example's view, with its tool's result. */
interface Ready extends Example {
  readonly client: Client;
  readonly listed: Tool;
  readonly html: string;
  readonly result: CallToolResult;
}

const clients = new Map<string, Client>();
const ready: Ready[] = [];
let stage: Stage;
let ours: TemplateStage;

beforeAll(async () => {
  for (const example of EXAMPLES) {
    const client = clients.get(example.server) ?? (await byStdio(example.server));
    clients.set(example.server, client);
    const { tools } = await client.listTools();
    const listed = tools.find(({ name }) => name === example.tool) as Tool;
    const { contents } = await client.readResource({ uri: readToolUi(listed).resourceUri ?? "" });
    const [content] = contents;
    const result = (await client.callTool({
      name: example.tool,
      arguments: example.input,
    })) as CallToolResult;
    ready.push({
      ...example,
      client,
      listed,
      html: content && "text" in content ? content.text : "",
      result,
    });
  }
  const proxy = readFileSync(new URL("../../../testing/interop/sandbox-proxy.html", import.meta.url), "utf8");
  ours = await TemplateStage.open();
  stage = await Stage.open({
    "/official": await pageOf("interop/official-host.ts"),
    "/mcp-ui": await pageOf("interop/mcp-ui-host.tsx"),
    "/proxy": proxy,
    ...Object.fromEntries(ready.map(({ tool, html }) => [`/${tool}`, html])),
  });
});
afterAll(async () => {
  await stage?.close();
  await ours?.close();
  for (const client of clients.values()) await client.close();
});

/** Reads, clicks, and reads again. */
async function drive(view: Frame, { shows, select, button, answers }: Ready): Promise<void> {
  const text = async (): Promise<string> => (await view.locator("body").allInnerTexts()).join();
  await expect.poll(text).toMatch(shows);
  if (select) await view.locator("select").selectOption(select);
  expect(await text()).not.toMatch(answers);
  await view.getByRole("button", { name: button }).click();
  await expect.poll(text).toMatch(answers);
}

/** Makes the host page pass the view's calls to the real server. */
const connectPage = (page: Page, { client }: Ready): Promise<unknown> =>
  page.exposeFunction("callTool", (params: Parameters<Client["callTool"]>[0]) => client.callTool(params));

it("the author's own template runs as well", async () => {
  const server = await testServer(shop);
  const { html } = await server.view("rate");
  const rate = async (args: object) =>
    (await server.call("rate", args as { stars: number })) as CallToolResult;
  const shown = await ours.show(html, { data: { stars: 2 }, tools: { rate } });
  await expect.poll(() => shown.text()).toContain("2 of 5");
  await shown.view.getByRole("button", { name: "★ 4" }).click();
  await expect.poll(() => shown.text()).toContain("4 of 5");
  await shown.expectAccessible();
  await shown.close();
  await server.close();
});

describe("the examples run", () => {
  it("in our host", async () => {
    for (const example of ready) {
      const { client, listed, input, result } = example;
      const { tools } = await client.listTools();
      const functions = tools.map(({ name }) => [
        name,
        async (args: Record<string, unknown>) =>
          (await client.callTool({ name, arguments: args })) as CallToolResult,
      ]);
      const shown = await ours.show(example.html, {
        tool: listed,
        input,
        result,
        tools: Object.fromEntries(functions),
      });
      await drive(shown.view, example);
      await shown.close();
    }
  });

  it("in the official AppBridge", async () => {
    for (const example of ready) {
      const { host, view } = await stage.open("/official", `/${example.tool}`);
      await connectPage(host, example);
      await host.evaluate(
        async ([input, result]) => {
          bridge.oncalltool = (params) => callTool(params) as never;
          await log.until("initialized");
          await bridge.sendToolInput({ arguments: input });
          await bridge.sendToolResult(result as never);
        },
        [example.input, example.result] as const,
      );
      await drive(view, example);
      await host.close();
    }
  });

  it("in @mcp-ui/client", async () => {
    for (const example of ready) {
      const { host, view: proxy } = await stage.open("/mcp-ui", "/proxy", { html: `/${example.tool}` });
      const inside = (): Frame | undefined => proxy.childFrames()[0];
      const view = inside() ?? (await host.waitForEvent("frameattached", { predicate: () => !!inside() }));
      await connectPage(host, example);
      const { listed: tool, input, result } = example;
      await host.evaluate((props) => setProps({ ...props, onCallTool: (params) => callTool(params) }), {
        hostContext: { ...CONTEXT, toolInfo: { tool } },
        toolInput: input,
        toolResult: result,
      });
      await drive(view, example);
      await host.close();
    }
  });
});
