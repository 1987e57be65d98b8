import { McpApp } from "@vitrine/view/mcp-app";

const app = new McpApp({ appInfo: { name: "dashboard", version: "1.0.0" } });
app.ontoolinput = (args) => document.body.replaceChildren(`Analyzing ${args.dataset}`);
app.ontoolresult = (result) => document.body.replaceChildren(JSON.stringify(result.structuredContent));
const { hostContext } = await app.connect();
document.body.className = hostContext.theme ?? "light";
