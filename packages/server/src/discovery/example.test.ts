/** The example in examples/discovery, as a process. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readToolUi, uiExtension } from "@vitrine/protocol";
import { expect, it } from "vitest";

it("offers a tool with a template and one with a document, over stdio, without a problem", async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ["examples/discovery/server.mjs"],
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (data) => (stderr += data));
  const client = new Client({ name: "test", version: "1" }, { capabilities: { extensions: uiExtension() } });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    expect(tools.map((each) => [each.name, readToolUi(each).resourceUri])).toEqual([
      ["greet", "ui://discovery/greet"],
      ["stock", "ui://discovery/stock"],
    ]);
    const { structuredContent } = await client.callTool({ name: "greet", arguments: { name: "Ada" } });
    expect(structuredContent).toEqual({ greeting: "Hello, Ada!" });
    expect(await client.callTool({ name: "stock" })).toMatchObject({
      content: [{ text: expect.stringContaining("| Green tea | 42 | 4.5 |") }],
    });
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0];
    expect(await read("ui://discovery/greet")).toMatchObject({
      text: expect.stringContaining('send({\n  id: 1,\n  method: "ui/initialize"'),
    });
    expect(await read("ui://discovery/stock")).toMatchObject({
      text: expect.stringContaining('"label":"In stock"'),
    });
    expect(stderr).toBe("");
  } finally {
    await client.close();
  }
});
