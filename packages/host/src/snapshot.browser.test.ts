/** Apps that a page shows from a snapshot, after their server is gone. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { METHOD_NOT_FOUND, UI_MIME_TYPE } from "@vitrine/protocol";
import { type ServedSandbox, serveSandbox } from "@vitrine/sandbox/node";
import type { BrowserContext, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { bundle, inlineScript, type Site, serveSite, sharedChromium } from "../../../testing/browser.ts";
import { type RawView, rawView } from "../../../testing/host/raw-view.ts";
import type { SnapshotApi } from "../../../testing/host/snapshot-page.tsx";

declare const page: SnapshotApi;
declare const raw: RawView;

const URI = "ui://weather/page.html";
const API = "https://api.example";
const RESULT = { content: [{ type: "text" as const, text: "Sunny in Rome" }] };
/** Counts its starts in its own storage. */
const HTML = rawView(`localStorage.setItem("starts", Number(localStorage.getItem("starts")) + 1); start();`);

let site: Site;
let context: BrowserContext;
let served: ServedSandbox;
let sandbox: string;
/** Snapshots of an app whose call has ended, and of one whose call has not, from a server that is closed by now. */
let ended: string;
let running: string;

beforeAll(async () => {
  const script = await bundle(`import "./testing/host/snapshot-page.tsx";`);
  site = await serveSite({ "/": `<!doctype html><meta charset="utf-8"><body>${inlineScript(script)}` });
  context = await (await sharedChromium()).newContext();
  served = await serveSandbox({
    secret: "a secret for tests only",
    hosts: [site.origin()],
    port: 0,
    pageViews: true,
  });
  sandbox = `http://{role}.{label}.localhost:${served.port}`;
  const [server, url] = await serveWeather();
  const host = await context.newPage();
  await host.goto(`${site.origin()}/`);
  const save = (isEnded: boolean): Promise<string> =>
    host.evaluate((given) => page.save(...given), [url, sandbox, isEnded] as const);
  ended = await save(true);
  running = await save(false);
  await host.close();
  server.closeAllConnections();
  server.close();
});
afterAll(async () => {
  await context?.close();
  await site?.close();
  await served?.close();
});

async function serveWeather(): Promise<[Server, string]> {
  const handle = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: "weather", version: "1.0.0" });
      server.registerTool(
        "forecast",
        {
          title: "Forecast",
          inputSchema: z.object({ city: z.string() }),
          _meta: { ui: { resourceUri: URI } },
        },
        async () => RESULT,
      );
      server.registerResource("page", URI, { mimeType: UI_MIME_TYPE }, async () => ({
        contents: [
          { uri: URI, mimeType: UI_MIME_TYPE, text: HTML, _meta: { ui: { csp: { connectDomains: [API] } } } },
        ],
      }));
      return server;
    }),
  );
  const server = createServer((request, response) => {
    for (const name of ["origin", "headers"]) response.setHeader(`access-control-allow-${name}`, "*");
    response.setHeader("access-control-expose-headers", "*");
    if (request.method === "OPTIONS") response.end();
    else handle(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`];
}

/** Shows a snapshot in a new page; returns the page, and how the app ended. */
async function show(
  text: string,
  options: { server?: string; sandbox?: string } = {},
  surface: "element" | "React" = "element",
) {
  const host = await context.newPage();
  onTestFinished(() => host.close());
  await host.goto(`${site.origin()}/`);
  const shown = await host.evaluate((given) => page.show(...given), [
    surface,
    text,
    { sandbox, ...options },
  ] as const);
  return { host, shown };
}

function viewOf(host: Page): Frame {
  const view = host.frames().find((frame) => frame.parentFrame()?.parentFrame());
  if (!view) throw new Error("no view");
  return view;
}

const partOf = (host: Page, name: string): Promise<string | null> =>
  host.locator(`mcp-app [part~="${name}"]`).first().textContent();

describe.each(["element", "React"] as const)("a snapshot, on %s", (surface) => {
  it("shows the app with its input, result and storage, and says that the server is not there", async () => {
    const { host, shown } = await show(ended, {}, surface);
    expect(shown).toEqual({ state: "ready" });
    const view = viewOf(host);
    await view.waitForFunction(() => raw.heard.some(({ method }) => method.endsWith("tool-result")));
    const calls = await view.evaluate(() =>
      raw.heard.filter(({ method }) => method.includes("/tool-")).map(({ params }) => params),
    );
    expect(calls).toEqual([{ arguments: { city: "Rome" } }, expect.objectContaining(RESULT)]);
    expect(Number(await view.evaluate(() => localStorage.getItem("starts")))).toBeGreaterThan(1);
    expect(await partOf(host, "notice")).toBe("Saved copy: its server is not connected.");
    expect(await partOf(host, "title")).toBe("Forecast");
  });
});

describe("an app of a snapshot", () => {
  it("reads why its server does not answer, and is promised nothing of it", async () => {
    const { host } = await show(ended);
    const asked = await viewOf(host).evaluate(async () => {
      const answers: unknown[] = [];
      for (const [method, params] of [
        ["tools/call", { name: "forecast", arguments: {} }],
        ["resources/read", { uri: "ui://weather/page.html" }],
      ] as const)
        await raw.ask(method, params).catch(({ code, message }) => answers.push({ code, message }));
      const { hostCapabilities } = await raw.start();
      return { answers, hostCapabilities };
    });
    const refusal = {
      code: METHOD_NOT_FOUND,
      message: "this app is shown from a snapshot, without its server",
    };
    expect(asked.answers).toEqual([refusal, refusal]);
    expect(Object.keys(asked.hostCapabilities)).not.toContain("serverTools");
    expect(Object.keys(asked.hostCapabilities)).not.toContain("serverResources");
  });

  it("has the policy of its document", async () => {
    const { host } = await show(ended);
    const blocked = await viewOf(host).evaluate(
      (api) =>
        new Promise((resolve) => {
          addEventListener("securitypolicyviolation", ({ blockedURI }) => resolve(blockedURI));
          // The declared one fails in the network, later.
          void fetch(api).catch(() => {});
          void fetch("https://other.example").catch(() => {});
        }),
      API,
    );
    expect(blocked).toBe("https://other.example/");
  });

  it("whose call had not ended learns that it never will", async () => {
    const { host, shown } = await show(running);
    expect(shown).toEqual({ state: "ready" });
    const view = viewOf(host);
    const cancelled = await view.waitForFunction(() =>
      raw.heard.find(({ method }) => method === "ui/notifications/tool-cancelled"),
    );
    expect(await cancelled.evaluate((message) => message?.params)).toEqual({
      reason: "the call had not ended when it was saved",
    });
  });

  it("has no storage of its server under another identity", async () => {
    const { host } = await show(ended, { server: `a stranger ${crypto.randomUUID()}` });
    expect(await viewOf(host).evaluate(() => localStorage.getItem("starts"))).toBe("1");
  });
});

describe("a value that cannot come back", () => {
  it.each([
    ["a newer version", { version: 2 }, "this is not a snapshot of an app, or of a newer version"],
    ["no document", { document: undefined }, "the snapshot has no document"],
    [
      "a policy that is not valid",
      { document: { html: HTML, csp: { connectDomains: ["a b"] } } },
      "connectDomains",
    ],
  ])("says so in its place, with the result as text: %s", async (_why, change, detail) => {
    const { host, shown } = await show(JSON.stringify({ ...JSON.parse(ended), ...change }));
    expect(shown).toMatchObject({ state: "failed", failure: { code: "bad-resource" } });
    const failure = await partOf(host, "failure");
    expect(failure).toContain(detail);
    expect(failure).toContain("Sunny in Rome");
  });

  it.each(["null", "[]", '"text"', '{"version":1,"result":7,"tool":3,"input":[]}'])(
    "does not throw: %s",
    async (text) => {
      expect((await show(text)).shown).toMatchObject({ state: "failed", failure: { code: "bad-resource" } });
    },
  );
});
