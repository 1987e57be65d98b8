/** Examples of the doc comments here; compiled with the tests. */
import { launch } from "./isolation/launch.js";
import { ServerPool } from "./pool.js";
import { identityOf } from "./server-identity.js";
import type { ServerSettings } from "./settings.js";

export async function serverPool(settings: ReadonlyMap<string, ServerSettings>): Promise<unknown> {
  //#region serverPool
  const pool = new ServerPool({ launch });
  pool.update(settings);
  const { upstream } = pool.get("ada", "weather");
  const result = await upstream.request("tools/call", { name: "forecast", arguments: { city: "Oslo" } });
  await pool.close();
  //#endregion serverPool
  return result;
}

export function identityOfExample() {
  //#region identityOf
  const good = identityOf({ command: "npx", args: ["-y", "@good/server-x"], folder: "/home/ana" });
  const evil = identityOf({ command: "npx", args: ["-y", "@evil/server-x"], folder: "/home/ana" });
  const remote = identityOf({ url: "https://mcp.example.com:8443/mcp" });
  // Three different identities, although two are named "server-x".
  //#endregion identityOf
  return { good, evil, remote };
}
