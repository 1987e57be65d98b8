/** Our helpers and the official ones, side by side: a client sees the same. */
import { Client } from "@modelcontextprotocol/client";
import * as official from "@modelcontextprotocol/ext-apps/server";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { uiExtension } from "@vitrine/protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as ours from "./official.js";

type Helpers = Pick<typeof ours, "registerAppTool" | "registerAppResource">;

/** The contents of a server written with these helpers, as a client sees them. */
async function seen(helpers: Helpers): Promise<unknown> {
  const server = new McpServer({ name: "x", version: "1" });
  const answer = () => ({ content: [{ type: "text" as const, text: "done" }] });
  const nested = { ui: { resourceUri: "ui://x/a", visibility: ["app" as const] }, other: 1 };
  helpers.registerAppTool(
    server,
    "nested",
    { inputSchema: z.object({ city: z.string() }), _meta: nested },
    answer,
  );
  helpers.registerAppTool(
    server,
    "flat",
    { description: "d", _meta: { "ui/resourceUri": "ui://x/b" } },
    answer,
  );
  helpers.registerAppTool(server, "shape", { inputSchema: { city: z.string() }, _meta: nested }, answer);
  helpers.registerAppTool(server, "hidden", { _meta: { ui: { visibility: ["model" as const] } } }, answer);
  const ui = { prefersBorder: true, csp: { connectDomains: ["https://a.example"] } };
  const read = (uri: URL) => ({
    contents: [{ uri: uri.href, mimeType: ours.RESOURCE_MIME_TYPE, text: "<p>", _meta: { ui } }],
  });
  helpers.registerAppResource(server, "View", "ui://x/a", { description: "d", _meta: { ui } }, read);
  helpers.registerAppResource(server, "Other", "ui://x/b", { mimeType: "text/html" }, read);
  const client = new Client({ name: "c", version: "1" });
  const [one, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  const found = {
    tools: (await client.listTools()).tools,
    resources: (await client.listResources()).resources,
    document: await client.readResource({ uri: "ui://x/a" }),
    result: await client.callTool({ name: "shape", arguments: { city: "Berne" } }),
    wrong: await client.callTool({ name: "shape", arguments: {} }),
  };
  await client.close();
  return found;
}

describe("the official helpers", () => {
  it("R02, R05 and R06: are the same with our import", async () => {
    const [mine, theirs] = await Promise.all([seen(ours), seen(official as unknown as Helpers)]);
    expect(mine).toEqual(theirs);
    expect(mine).toMatchObject({
      tools: [
        { name: "nested", _meta: { "ui/resourceUri": "ui://x/a" } },
        { name: "flat", _meta: { ui: { resourceUri: "ui://x/b" } } },
        {},
        {},
      ],
    });
  });

  it("have the same constants", () => {
    expect([ours.EXTENSION_ID, ours.RESOURCE_MIME_TYPE, ours.RESOURCE_URI_META_KEY]).toEqual([
      official.EXTENSION_ID,
      official.RESOURCE_MIME_TYPE,
      official.RESOURCE_URI_META_KEY,
    ]);
    for (const capabilities of [undefined, null, {}, { extensions: {} }, { extensions: uiExtension() }]) {
      expect(ours.getUiCapability(capabilities)).toEqual(official.getUiCapability(capabilities));
    }
  });
});
