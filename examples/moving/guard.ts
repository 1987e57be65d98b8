//#region guard
import type { Client } from "@modelcontextprotocol/client";
import { AppBridge } from "@vitrine/host/app-bridge";

const info = { name: "my-chat", version: "1.0.0" };
const capabilities = { serverTools: {}, serverResources: {}, openLinks: {} };

export function bridgeOf(client: Client): AppBridge {
  return new AppBridge(client, info, capabilities, {
    server: "Weather", // your name for the server, as questions to the user show it
    guard: {
      policy: {
        "tools/call:refresh": "allow", // without a question
        "ui/open-link": "allow", // your onopenlink asks by itself
        "ui/download-file": "deny",
      },
    },
  });
}
//#endregion guard
