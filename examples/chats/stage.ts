/** A chat with the back end of docs/hosts/chat.md, one MCP server, and the page of a test. */
import { getRequestListener } from "@hono/node-server";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import type { Upstream } from "@vitrine/guard";
import { UI_MIME_TYPE } from "@vitrine/protocol";
import { serveSandbox } from "@vitrine/sandbox/node";
import { Hono } from "hono";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { onTestFinished, vi } from "vitest";
import { z } from "zod";
import { freePort } from "../../testing/free-port.ts";
import { rawView } from "../../testing/host/raw-view.ts";
import { connect } from "../chat/back-end.js";

/** A view that writes down every message of its host. */
const VIEW = rawView(
  `const list = document.querySelector("ol");
  start();
  addEventListener("message", ({ data }) => {
    if (!data.method) return;
    const { arguments: input, structuredContent, reason } = data.params ?? {};
    const item = list.appendChild(document.createElement("li"));
    item.textContent = data.method.split("/").at(-1) + " " + JSON.stringify(input ?? structuredContent ?? reason ?? null);
  });`,
  "<ol></ol>",
);

const PAGE = '<!doctype html><main></main><script type="module" src="/page.js"></script>';

/** Starts the chat. `script` is the page's; `answer` makes the handler of `/chat`. */
export async function startChat(
  browser: Browser,
  script: string,
  answer?: (upstream: Upstream) => (request: Request) => Promise<Response>,
  html: string = PAGE,
) {
  const called = vi.fn();
  const aborted = vi.fn();
  const uri = "ui://weather/page";
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  const mimeType = UI_MIME_TYPE;
  server.registerResource("page", uri, { mimeType }, () => ({ contents: [{ uri, mimeType, text: VIEW }] }));
  server.registerTool(
    "show",
    {
      inputSchema: z.object({ city: z.string() }),
      annotations: { readOnlyHint: true },
      _meta: { ui: { resourceUri: uri } },
    },
    async ({ city }, { mcpReq: { signal } }) => {
      called(city);
      if (city === "Nowhere")
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      if (signal.aborted) aborted();
      return {
        content: [{ type: "text", text: `Sunny in ${city}` }],
        structuredContent: { city, degrees: 21 },
        _meta: { forTheApp: "a secret of the app" },
      };
    },
  );
  server.registerTool(
    "book",
    { inputSchema: z.object({ city: z.string() }), _meta: { ui: { resourceUri: uri } } },
    ({ city }) => {
      called(`book ${city}`);
      return { content: [{ type: "text", text: `Booked a room in ${city}` }], structuredContent: { city } };
    },
  );
  server.registerTool("refresh", { _meta: { ui: { visibility: ["app"] } } }, () => {
    called("refresh");
    return { content: [] };
  });
  const [transport, serverEnd] = InMemoryTransport.createLinkedPair();
  await server.connect(serverEnd);

  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const app = new Hono();
  const served = await serveSandbox({
    secret: new Uint8Array(32),
    port,
    hosts: [origin],
    fallback: getRequestListener(app.fetch, { overrideGlobalObjects: false }),
  });
  const chat = await connect({ server: "weather", transport, sandbox: served.sandbox, userOf: () => "ada" });
  const handle = answer?.(chat.upstream);
  const policy = `default-src 'none'; script-src 'self'; connect-src 'self'; frame-src http://*.localhost:${port}`;
  app.get("/", (c) => c.html(html, 200, { "content-security-policy": policy }));
  app.get("/page.js", (c) => c.body(script, 200, { "content-type": "text/javascript" }));
  app.get("/apps", () => chat.apps());
  app.post("/rpc", (c) => chat.rpc(c.req.raw));
  app.post("/call", (c) => chat.call(c.req.raw));
  if (handle) app.post("/chat", (c) => handle(c.req.raw));
  const page = await browser.newPage();
  onTestFinished(async () => {
    await page.close();
    await chat.close();
    await served.close();
  });
  await page.goto(origin);
  return { page, called, aborted, disconnect: () => server.close() };
}

export const viewIn = (page: Page, index = 0): FrameLocator =>
  page.locator("mcp-app").nth(index).locator("iframe").contentFrame().locator("iframe").contentFrame();
