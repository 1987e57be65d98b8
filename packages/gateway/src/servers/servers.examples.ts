/** Examples of the doc comments here; compiled with the tests. */
import type { ServerSettings } from "../config/server-types.js";
import { launch } from "../isolation/launch.js";
import { ServerPool } from "./pool.js";

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
