/** The servers in examples/ as processes, and official clients for them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { uiExtension } from "@vitrine/protocol";

/** An official client, with or without support for views. */
export const officialClient = (hasViews: boolean): Client =>
  new Client(
    { name: "test", version: "1.0.0" },
    { capabilities: hasViews ? { extensions: uiExtension() } : {}, versionNegotiation: { mode: "auto" } },
  );

/** Connects a client to an example server that it starts. */
export async function byStdio(example: string, hasViews = true): Promise<Client> {
  const client = officialClient(hasViews);
  const args = [`examples/${example}/server.mjs`];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return client;
}

/** Connects a client to a running example server. */
export async function byHttp(url: string, hasViews: boolean): Promise<Client> {
  const client = officialClient(hasViews);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

/** Starts a script of examples/ that prints its URL on standard error. */
export async function listening(
  script: string,
  ...args: string[]
): Promise<{ url: string; close(): Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, [`examples/${script}`, ...args], {
    stdio: ["ignore", "inherit", "pipe"],
  });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream });
  const said = await Promise.race([once(lines, "line"), ended.then(() => ["nothing: it has ended"])]);
  const [url] = /http:\S+/.exec(String(said[0])) ?? [];
  if (!url) throw new Error(`${script} said: ${said[0]}`);
  return {
    url,
    close: async () => {
      child.kill();
      await ended;
    },
  };
}
