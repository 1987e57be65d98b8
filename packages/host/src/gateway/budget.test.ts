/** Limit on the size of the gateway's client. Bytes are gzip, level 9, of esbuild's minified module. */
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const ELEMENT = `export * from "./packages/host/dist/element.js";`;
const CLIENT = `export * from "@vitrine/host/gateway";`;

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT, sourcefile: "entry.js", loader: "js" },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

const weigh = async (source: string): Promise<number> => gzipSync(await bundle(source), { level: 9 }).length;

describe("the gateway's client", () => {
  it("fits its budget, beside <mcp-app>", async () => {
    const added = (await weigh(ELEMENT + CLIENT)) - (await weigh(ELEMENT));
    expect(added).toBeGreaterThan(1000);
    expect(added).toBeLessThanOrEqual(BUDGET);
  });

  it("is not in <mcp-app>", async () => {
    expect(await bundle(ELEMENT)).not.toContain("vitrine-transport");
  });

  it("D22: writes nothing to the console, and needs no eval", async () => {
    expect(await bundle(CLIENT)).not.toMatch(/\bconsole\b|\beval\s*\(|\bFunction\s*\(/);
  });
});

/**
 * Sessions, two kinds of transports, recovery from a lost one, calls with progress, views in an `<mcp-app>`,
 * and the gateway's requests to a page in a conversation. 50 of them let a page notice a dead event stream,
 * and cancel with a full queue; 35 tell callers that a lost call may have run, and keep an action done whose
 * report cannot be sent; 25 protect a view from another server that has its server's name after a restart;
 * 15 tell the gateway that an app did not answer in time; 130 protect pending calls from another server that
 * takes the name; 60 come from the order in which a bundler meets three packages instead of one; 25 keep
 * several large messages at once within the other side's memory; 125 settle every request: two under one id,
 * those that cannot be repeated, and those that never left the page; 30 tell the page which server it last
 * saw; 10 are the listeners that all packages share; 90 pass results from a conversation on to its views, so
 * that each crosses the connection once.
 */
const BUDGET = 8_785;
