/** Server settings for tests, and checks for leftover processes. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { identityOf } from "../../packages/servers/src/server-identity.ts";
import type { ServerSettings, StdioSettings } from "../../packages/servers/src/settings.ts";

const isolation = {
  driver: "process",
  network: true,
  read: [],
  write: [],
  memory: 2 ** 30,
  processes: 100,
  tmp: 2 ** 26,
} as const;

/** Settings of a server, with every default. */
export const serverSettings = (
  name: string,
  transport: ServerSettings["transport"],
  limits: Partial<ServerSettings["limits"]> = {},
): ServerSettings => ({
  name,
  identity: transport.type === "stdio" ? identityOf(transport) : identityOf({ url: transport.url }),
  transport,
  start: "lazy",
  stateless: false,
  trusted: false,
  policy: {},
  idempotent: [],
  relax: [],
  permissions: {},
  schemes: [],
  limits: {
    sizes: {},
    rates: {},
    concurrency: {},
    timeout: 60_000,
    startTimeout: 60_000,
    idle: 600_000,
    message: 64 * 1024 * 1024,
    ...limits,
  },
});

/** A Node program as a stdio server, in a plain process. */
export const nodeServer = (
  script: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): StdioSettings => ({
  type: "stdio",
  command: process.execPath,
  args: [script, ...args],
  env: { PATH: process.env["PATH"] ?? "", ...env },
  folder: process.cwd(),
  isolation,
});

/** The server that misbehaves on command. */
export const FAULTY = fileURLToPath(new URL("./faulty-server.mjs", import.meta.url));

/** Whether a process exists and runs. */
export function isAlive(pid: number): boolean {
  try {
    // An ended process whose parent has not waited for it is still listed.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
