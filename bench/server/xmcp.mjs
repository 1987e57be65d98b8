/**
 * The same twenty tools and views with xmcp, a framework that compiles a server into one minified file. Its
 * compiler comes with a hundred megabytes of packages, so it is not a dependency: it is installed once,
 * beside other caches, and used from there.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ROOT, versionOf } from "../contenders.mjs";
import { COUNT, DOCUMENT } from "./document.mjs";

export const XMCP = "1.1.3";
const run = promisify(execFile);

const config = `export default {
  stdio: true,
  typescript: { skipTypeCheck: true },
  paths: { tools: "src/tools", prompts: false, resources: "src/resources" },
};
`;

// The flat key: with the nested one it would offer another view for each tool.
const toolOf = (at) => `import { z } from "zod";
export const schema = { city: z.string() };
export const outputSchema = { city: z.string(), high: z.number() };
export const metadata = {
  name: "tool-${at}",
  description: "A tool with a view",
  _meta: { "ui/resourceUri": "ui://bench/view-${at}.html" },
};
export default ({ city }) => ({
  content: [{ type: "text", text: \`\${city} 21\` }],
  structuredContent: { city, high: 21 },
});
`;

const viewOf = (at) => `import { DOCUMENT } from "../../../document";
export const metadata = { name: "view-${at}", mimeType: "text/html;profile=mcp-app" };
export default () => DOCUMENT;
`;

/**
 * Installs and compiles it. Returns the path of the server; undefined, after printing why, if that is not
 * possible.
 */
export async function xmcpServer() {
  const folder = join(ROOT, `node_modules/.cache/vitrine-bench/xmcp-${XMCP}`);
  const write = (name, text) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  const dependencies = { xmcp: XMCP, "@xmcp-dev/compiler": XMCP, zod: versionOf("zod") };
  write("package.json", JSON.stringify({ private: true, type: "module", dependencies }));
  write("tsconfig.json", JSON.stringify({ include: ["src"] }));
  write("xmcp.config.ts", config);
  write("src/document.ts", `export const DOCUMENT = ${JSON.stringify(DOCUMENT)};\n`);
  for (let at = 0; at < COUNT; at++) {
    write(`src/tools/tool-${at}.ts`, toolOf(at));
    write(`src/resources/(ui)/bench/view-${at}.ts`, viewOf(at));
  }
  const options = { cwd: folder, timeout: 300_000 };
  const compiler = "node_modules/xmcp/dist/cli.js";
  try {
    if (!existsSync(join(folder, compiler)))
      await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], options);
    await run(process.execPath, [compiler, "build"], options);
    return join(folder, "dist/stdio.js");
  } catch (error) {
    console.log(`Without xmcp, which could not be installed and compiled here: ${error.message}`);
    return undefined;
  }
}
