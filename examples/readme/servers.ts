import { readSettingsFile } from "@vitrine/gateway";
import { launch, ServerPool } from "@vitrine/servers";

// The servers of an mcpServers file: programs, which run sandboxed, and remote servers.
const { servers } = await readSettingsFile("mcp.json");
const pool = new ServerPool({ launch, onerror: (error) => console.error(error) });
pool.update(servers);

// Ada's connection to a server. It starts with the first request, and again after a crash.
const { upstream } = pool.get("ada", "weather");
console.log(await upstream.request("tools/call", { name: "forecast", arguments: { city: "Oslo" } }));

await pool.close();
