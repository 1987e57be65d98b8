import { readSettingsFile, startGateway } from "@vitrine/gateway";
import { workbenchFolder } from "@vitrine/workbench";

// The gateway runs the servers of an mcpServers file, and serves the workbench as its page.
const settings = await readSettingsFile("mcp.json");
const gateway = await startGateway(settings, { static: { folder: workbenchFolder } });
console.log(gateway.loginUrl());
process.once("SIGTERM", () => gateway.close());
