import { readSettingsFile } from "./config/read.js";
import { startGateway } from "./gateway.js";

export async function startGatewayExample(show: (link: string) => void) {
  //#region startGateway
  const settings = await readSettingsFile("mcp.json");
  const gateway = await startGateway(settings, { static: { folder: "public" } });
  // Opened in a browser, it signs that browser in, once.
  show(gateway.loginUrl());
  process.once("SIGTERM", () => gateway.close());
  //#endregion startGateway
}
