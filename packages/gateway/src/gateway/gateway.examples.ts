import type { GatewaySettings } from "../config/config.js";
import { readSettingsFile } from "../config/read.js";
import { watchSettings } from "../config/watch.js";
import { startGateway } from "./gateway.js";

export async function startGatewayExample(show: (link: string) => void) {
  //#region startGateway
  const settings = await readSettingsFile("mcp.json");
  const gateway = await startGateway(settings, { static: { folder: "public" } });
  // The link signs a browser in, once. With users in the settings, pass the user: loginUrl("ana").
  show(gateway.loginUrl());
  process.once("SIGTERM", () => gateway.close());
  //#endregion startGateway
}

export async function hostExample(settings: GatewaySettings, chats: Map<string, string[]>) {
  //#region host
  const gateway = await startGateway(settings, {
    host: ({ user }, server) => ({
      // A view's `ui/message` goes to the chat of the user whose program shows it.
      handlers: { message: ({ content }) => void chats.get(user)?.push(server, JSON.stringify(content)) },
      initialize: () => ({ hostContext: { theme: "dark" } }),
    }),
  });
  //#endregion host
  return gateway;
}

export async function answerExample(settings: GatewaySettings) {
  //#region answer
  const gateway = await startGateway(settings, {
    // Only this tool may change something.
    answer: ({ server, method, subject }) =>
      server === "board" && method === "tools/call" && subject === "add-card" ? "allow" : "deny",
  });
  //#endregion answer
  return gateway;
}

export async function updateExample(file: string, log: (line: string) => void) {
  //#region update
  const watch = await watchSettings(file, async (settings) => void (await starting).update(settings), {
    onerror: (error) => log(error.message),
  });
  // A change that comes while the gateway starts is applied when it has.
  const starting = startGateway(watch.current);
  const gateway = await starting;
  //#endregion update
  return { gateway, watch };
}
