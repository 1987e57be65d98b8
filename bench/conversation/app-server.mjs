/**
 * A server whose app reports when it receives a message: `draw` has the app, `note` has none, and `report`
 * is for the app. Reports go to the URL in `REPORT_TO`.
 */
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { viewScript } from "@vitrine/view/script";
import { z } from "zod";

/** Milliseconds between an app's heartbeats. */
const PULSE = 10_000;

const HTML = `<!doctype html>
<meta charset="utf-8"><title>Drawing</title>
<p id="shown">Nothing yet</p>
<script>const began = { document: Math.round(performance.timeOrigin), script: Date.now() };</script>
<script>${viewScript({ name: "drawing", version: "1.0.0" })}</script>
<script>
  const app = new vitrine.App();
  let isTold = false;
  let name = "";
  const report = (kind, at) =>
    app.callServerTool({ name: "report", arguments: { kind, name, at, ...began } }).catch(() => {});
  const take = (kind, text) => {
    const at = Date.now();
    name = text.split(":")[0];
    shown.textContent = text;
    report(kind, at);
  };
  app.ontoolinputpartial = ({ arguments: input }) => {
    if (isTold || !input?.text?.includes(":")) return;
    isTold = true;
    take("partial", input.text);
  };
  app.ontoolresult = ({ content }) => {
    take("result", content[0].text);
    setInterval(() => report("alive", Date.now()), ${PULSE});
  };
  app.connect();
</script>
`;

const server = new McpServer({ name: "bench", version: "1.0.0" });
const annotations = { readOnlyHint: true };
const uri = "ui://bench/drawing";
const mimeType = "text/html;profile=mcp-app";
server.registerResource("drawing", uri, { mimeType }, async () => ({
  contents: [{ uri, mimeType, text: HTML }],
}));
const echo = async ({ text }) => ({ content: [{ type: "text", text }] });
const inputSchema = z.object({ text: z.string() });
server.registerTool("draw", { inputSchema, annotations, _meta: { ui: { resourceUri: uri } } }, echo);
server.registerTool("note", { inputSchema, annotations }, echo);
server.registerTool(
  "report",
  {
    inputSchema: z.object({
      kind: z.string(),
      name: z.string(),
      at: z.number(),
      document: z.number(),
      script: z.number(),
    }),
    annotations,
    _meta: { ui: { visibility: ["app"] } },
  },
  async (said) => {
    await fetch(process.env.REPORT_TO, { method: "POST", body: JSON.stringify(said) });
    return { content: [] };
  },
);
await server.connect(new StdioServerTransport());
