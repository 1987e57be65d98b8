// A server on the npm package of mcp-ui: each tool returns a UI that the package made, in one of its forms.
import { createUIResource, uiActionResultToolCall } from "@mcp-ui/server";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/** Calls a tool when it gets its render data, and shows the answer. */
const htmlString = `<!doctype html><title>App</title><p id="answer">waiting</p><script>
  addEventListener("message", ({ data }) => {
    if (data?.type === "ui-message-response" && data.payload.messageId === "sum")
      document.getElementById("answer").textContent = JSON.stringify(data.payload.response.structuredContent);
    if (data?.type !== "ui-lifecycle-iframe-render-data" || !data.payload.renderData.toolOutput) return;
    window.parent.postMessage({ ...${JSON.stringify(uiActionResultToolCall("add", { a: 1 }))}, messageId: "sum" }, "*");
  });
  window.parent.postMessage({ type: "ui-lifecycle-iframe-ready" }, "*");
</script>`;

const FORMS = {
  text: { encoding: "text" },
  blob: { encoding: "blob" },
  "apps-adapter": { encoding: "text", adapters: { mcpApps: { enabled: true } } },
  "skybridge-adapter": { encoding: "text", adapters: { appsSdk: { enabled: true } } },
  address: { encoding: "text", content: { type: "externalUrl", iframeUrl: process.argv[2] } },
};

const server = new McpServer({ name: "mcp-ui", version: "1.0.0" });
for (const [name, form] of Object.entries(FORMS)) {
  const content = { type: "rawHtml", htmlString };
  const ui = createUIResource({ uri: `ui://forms/${name}`, content, ...form });
  const output = { content: [ui], structuredContent: { of: name } };
  server.registerTool(name, { description: name }, () => output);
}
server.registerTool("add", { annotations: { readOnlyHint: true } }, () => ({
  content: [{ type: "text", text: "2" }],
  structuredContent: { sum: 2 },
}));
await server.connect(new StdioServerTransport());
