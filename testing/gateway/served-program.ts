/** A server program that listens over HTTP, and prints its port. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A running server program. */
export interface ServedProgram {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a program of `testing/gateway` whose first line is its port. */
export async function serveProgram(path: string, args: readonly string[]): Promise<ServedProgram> {
  const child: ChildProcess = spawn(process.execPath, [path, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = child.stdout ? await once(child.stdout, "data") : [];
  return {
    url: `http://127.0.0.1:${String(port).trim()}/mcp`,
    close: async () => {
      if (child.signalCode !== null || child.exitCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
