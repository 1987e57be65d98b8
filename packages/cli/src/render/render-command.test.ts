/** Results for apps that were never shown. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import { Terminal } from "../terminal.js";
import { renderCommand } from "./render-command.js";
import type { RenderOptions } from "./render-options.js";
import type { RenderResult } from "./render-result.js";

const BAD = `node ${fileURLToPath(new URL("../../../../testing/cli/bad-server.mjs", import.meta.url))}`;
const folder = mkdtempSync(join(tmpdir(), "vitrine-unrendered-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shop = join(folder, "shop.mjs");
writeFileSync(
  shop,
  `import { createInterface } from "node:readline";
  const cart = {
    name: "cart",
    description: "x".repeat(Number(process.argv[2] ?? 0)),
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    _meta: { ui: { resourceUri: "ui://shop/cart.html" } },
  };
  const answers = {
    initialize: ({ protocolVersion }) =>
      ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "Shop", version: "2" } }),
    "tools/list": () => ({ tools: [cart] }),
    "resources/read": ({ uri }) =>
      ({ contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: "<p>cart" }] }),
  };
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const result = answers[method]?.(params);
    const answer = result ? { result } : { error: { code: -32601, message: "Method not found" } };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
  });`,
);

/** None of these cases needs a browser. */
const browser = { newContext: () => Promise.reject(new Error("no browser")) } as unknown as Browser;

async function rendered(server: string, options: RenderOptions): Promise<RenderResult> {
  const out = new PassThrough({ encoding: "utf8" });
  await renderCommand(
    server,
    { ...options, json: true },
    { terminal: new Terminal(out, new PassThrough()), browser },
  );
  return JSON.parse(String(out.read()));
}

it.each<[string, RenderOptions, string, string, string]>([
  ["an unknown tool", { tool: ["card"] }, "", "tool-unknown", ""],
  ["wrong arguments", { tool: ["cart"] }, "", "arguments-invalid", "ui://shop/cart.html"],
  ["a list that is too large", { tool: ["cart"] }, " 5000000", "server-too-large", ""],
])("reports for %s everything that was known by then", async (_what, options, more, code, resourceUri) => {
  const { cause, server, timings, resourceUri: uri } = await rendered(`node ${shop}${more}`, options);
  expect({ code: cause?.code, server, uri }).toEqual({
    code,
    server: { name: "Shop", version: "2" },
    uri: resourceUri,
  });
  expect(timings.connected).toBeGreaterThan(0);
  expect(timings.toolResult).toBeNull();
});

it("reports a server's stray line, with a solution", async () => {
  const { cause, timings } = await rendered(`${BAD} garbage`, { tool: ["echo"], timeout: 1500 });
  expect(cause).toMatchObject({
    code: "server-failed",
    message: expect.stringMatching(
      /lines that are not messages, such as "Listening on http:\/\/localhost:3000": make it write such lines to stderr/,
    ),
  });
  expect(timings.connected).toBeNull();
});
