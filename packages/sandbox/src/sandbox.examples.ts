import { serveSandbox } from "./node.js";
import { MemoryRecords } from "./records.js";
import { Sandbox, type SandboxOptions } from "./sandbox.js";

export function recordsInMemory(options: SandboxOptions) {
  //#region memoryRecords
  const sandbox = new Sandbox({ ...options, records: new MemoryRecords(50_000_000) });
  //#endregion memoryRecords
  return sandbox;
}

export async function sandboxOfAnyRuntime(secret: string, request: Request) {
  //#region sandbox
  const sandbox = new Sandbox({
    secret,
    origin: "https://{role}-{label}.apps.example.com",
    hosts: ["https://chat.example.com"],
  });
  // The host side registers a server's document, and gives `src` to its page ...
  const { src, policy } = await sandbox.register({
    server: "https://weather.example/mcp",
    html: "<!doctype html><h1>Sunny</h1>",
    meta: { csp: { connectDomains: ["https://api.weather.example"] } },
  });
  // ... whose frame requests it here.
  const response = await sandbox.fetch(request);
  //#endregion sandbox
  return { src, policy, response };
}

export async function sandboxOnNode(secret: string) {
  //#region serveSandbox
  const { sandbox, close } = await serveSandbox({ secret, hosts: ["http://localhost:8090"] });
  const view = await sandbox.register({ server: "weather", html: "<!doctype html><h1>Sunny</h1>" });
  // view.src is http://p.<label>.localhost:8091/<name>
  await close();
  //#endregion serveSandbox
  return view;
}
