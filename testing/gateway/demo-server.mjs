/**
 * A server whose app has a button for each request that an app can make. The server records its calls in a
 * file, so that tests can count them: `node demo-server.mjs <folder>`. A file `hold` in the folder blocks
 * slow tools. The text of a file `edition` is appended to the app, as if its source had changed.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { viewScript } from "@vitrine/view/script";
import { z } from "zod";

const [folder = "."] = process.argv.slice(2);
const mimeType = "text/html;profile=mcp-app";
const note = (text) => appendFileSync(join(folder, "calls.log"), `${text}\n`);
const said = (text) => ({ content: [{ type: "text", text }] });
const edition = existsSync(join(folder, "edition")) ? readFileSync(join(folder, "edition"), "utf8") : "";
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

const HTML = `<!doctype html>
<meta charset="utf-8">
<title>Demo</title>
<style>
  body { font: 15px system-ui; margin: 12px; color: CanvasText }
  div { display: flex; flex-wrap: wrap; gap: 8px }
  output { display: block; margin-top: 8px; white-space: pre-wrap }
</style>
<div></div>
<p>input <output id="input"></output></p>
<p>result <output id="result"></output></p>
<p>said <output id="said"></output></p>
<p>${edition}</p>
<script>${viewScript({ name: "demo", version: "1.0.0" })}</script>
<script>
  const app = new vitrine.App();
  const show = (id, value) => (document.getElementById(id).textContent = value);
  app.ontoolinput = ({ arguments: input }) => show("input", JSON.stringify(input));
  app.ontoolresult = ({ content }) => show("result", content[0].text);
  app.ontoolcancelled = ({ reason }) => show("result", "cancelled: " + reason);
  const call = (name) => async () => {
    const onprogress = ({ progress }) => show("said", name + " " + progress);
    const { content } = await app.callServerTool({ name, arguments: {} }, { onprogress });
    return content[0].text;
  };
  const text = (value) => [{ type: "text", text: value }];
  const ACTS = {
    read: call("read"),
    change: call("change"),
    destroy: call("destroy"),
    slow: call("slow"),
    "slow read": call("slow-read"),
    crash: call("crash"),
    link: () => app.openLink({ url: "https://example.com/path?q=1" }),
    message: () => app.sendMessage({ role: "user", content: text("hello") }),
    context: () => app.updateModelContext({ content: text("what the model should know") }),
    download: () =>
      app.downloadFile({
        contents: [{ type: "resource", resource: { uri: "file:///notes.txt", mimeType: "text/plain", text: "notes" } }],
      }),
  };
  for (const [name, act] of Object.entries(ACTS)) {
    const button = document.createElement("button");
    button.textContent = name;
    button.onclick = async () => {
      show("said", name + " …");
      try {
        show("said", name + ": " + JSON.stringify(await act()));
      } catch ({ code, message, data }) {
        show("said", name + " failed: " + (data?.code ?? code) + " " + message);
      }
    };
    document.querySelector("div").append(button);
  }
  app.connect();
</script>`;

const server = new McpServer({ name: "demo", version: "1.0.0" });

function tool(name, title, annotations, act, ui) {
  const _meta = ui && { ui: { resourceUri: ui } };
  const inputSchema = z.object({ text: z.string().optional() });
  server.registerTool(
    name,
    { title, annotations, inputSchema, ...(_meta && { _meta }) },
    async (input, ctx) => {
      note(name);
      return said((await act?.(input, ctx)) ?? `${name} done`);
    },
  );
}

/** Reports its progress, and continues until nothing holds it. */
async function slowly(_input, ctx) {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  for (let progress = 1; progress === 1 || existsSync(join(folder, "hold")); progress++) {
    if (progressToken !== undefined)
      await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress } });
    await pause();
  }
}

tool("show", "Demo", { readOnlyHint: true }, ({ text }) => `shown ${text}`, "ui://demo/page.html");
tool("show-slow", "Slow demo", { readOnlyHint: true }, slowly, "ui://demo/page.html");
tool("record", "Recorder", { readOnlyHint: true }, undefined, "ui://demo/record.html");
tool("read", "Read the notes", { readOnlyHint: true });
tool("change", "Change the notes", {});
tool("destroy", "Delete all notes", { destructiveHint: true });
tool("slow", "Copy the notes", {}, slowly);
tool("slow-read", "Search the notes", { readOnlyHint: true }, slowly);
tool("crash", "Crash", { readOnlyHint: true }, () => process.exit(3));

for (const [name, ui] of [
  ["page", {}],
  ["record", { permissions: { camera: {}, microphone: {} } }],
]) {
  const uri = `ui://demo/${name}.html`;
  server.registerResource(name, uri, { mimeType }, async () => ({
    contents: [{ uri, mimeType, text: HTML, _meta: { ui } }],
  }));
}

await server.connect(new StdioServerTransport());
