/** A server as one file, built with the command in docs/servers: it runs without its packages, anywhere. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, it } from "vitest";
import { officialClient } from "../../../testing/server/example-servers.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const DOCS = readFileSync(join(ROOT, "docs/servers/README.md"), "utf8");
const COMMAND = /npx (esbuild server\.js .*)/.exec(DOCS)?.[1] ?? "";

const SERVER = `
import { appServer, serve, tool, view } from "@vitrine/server";
import { dataTable } from "@vitrine/server/templates";
import { z } from "zod";

const views = [
  view({ name: "text", html: "<title>of a text</title>" }),
  view({ name: "file", file: new URL("./view.html", import.meta.url) }),
  view({ name: "folder", folder: new URL("./built", import.meta.url) }),
  view({ name: "template", template: dataTable, config: { title: "of a template" } }),
];
const tools = views.map((view) =>
  tool({
    name: view.name,
    input: z.object({ city: z.string() }),
    output: z.object({ city: z.string() }),
    view,
    run: ({ city }) => ({ city }),
  }),
);
await serve(appServer({ name: "whole", version: "1.0.0", tools }));
`;

const folder = mkdtempSync(join(tmpdir(), "vitrine-one-file-"));
const written = join(folder, "written");
const shipped = join(folder, "shipped");
let client: Client;
let said = "";

beforeAll(async () => {
  for (const each of [written, shipped]) mkdirSync(each);
  writeFileSync(join(written, "server.js"), SERVER);
  symlinkSync(join(ROOT, "node_modules"), join(written, "node_modules"), "junction");
  execFileSync("npx", COMMAND.split(" "), {
    cwd: written,
    stdio: "pipe",
    shell: process.platform === "win32",
  });
  writeFileSync(join(shipped, "server.mjs"), readFileSync(join(written, "server.mjs")));
  writeFileSync(join(shipped, "view.html"), "<title>of a file</title>");
  mkdirSync(join(shipped, "built"));
  writeFileSync(
    join(shipped, "built/index.html"),
    '<title>of a folder</title><img src="https://a.example/">',
  );
  client = officialClient(true);
  const args = [join(shipped, "server.mjs")];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" });
  transport.stderr?.on("data", (text) => {
    said += text;
  });
  await client.connect(transport);
});

afterAll(async () => {
  await client?.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each(["text", "file", "folder", "template"])(
  "calls its tools, and shows the view of a %s",
  async (name) => {
    const { structuredContent } = await client.callTool({ name, arguments: { city: "Berne" } });
    expect(structuredContent).toEqual({ city: "Berne" });
    const { contents } = await client.readResource({ uri: `ui://whole/${name}` });
    expect(contents).toMatchObject([{ text: expect.stringContaining(`<title>of a ${name}</title>`) }]);
  },
);

it("reports what hosts will block", async () => {
  await expect.poll(() => said).toContain("the view folder uses https://a.example in line 1");
});
