/** A registry with a single package: an MCP server that needs no other package. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const PACKAGE = "tiny-mcp-server";

const SCRIPT = `#!/usr/bin/env node
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const { protocolVersion } = params ?? {};
  const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "tiny", version: "1.0.0" }, tools: [] };
  const error = { code: -32601, message: "Method not found" };
  const known = method === "initialize" || method === "tools/list" || method === "ping";
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(known ? { result } : { error }) }));
});
`;

/** Starts the registry. `close` ends it. */
export async function serveOnePackage(): Promise<{ url: string; close(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-one-package-"));
  const manifest = { name: PACKAGE, version: "1.0.0", bin: { [PACKAGE]: "server.cjs" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "server.cjs"), SCRIPT);
  execFileSync("npm", ["pack", "--silent"], { cwd: folder });
  const tarball = readFileSync(join(folder, `${PACKAGE}-1.0.0.tgz`));
  rmSync(folder, { recursive: true });
  let url = "";
  const server = createServer(({ url: path }, response) => {
    if (path?.endsWith(".tgz")) response.end(tarball);
    else if (path === `/${PACKAGE}`) {
      const version = { ...manifest, dist: { tarball: `${url}${PACKAGE}/-/${PACKAGE}-1.0.0.tgz` } };
      const document = { name: PACKAGE, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } };
      response.setHeader("content-type", "application/json").end(JSON.stringify(document));
    } else response.writeHead(404, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url, close };
}
