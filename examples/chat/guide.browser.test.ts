/** The chat of docs/hosts/chat.md: its files in a folder of their own, started as the guide says. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { UI_MIME_TYPE } from "@vitrine/protocol";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { sharedChromium } from "../../testing/browser.ts";
import { freePort } from "../../testing/free-port.ts";
import { connect } from "./back-end.js";

const SOURCE = fileURLToPath(new URL(".", import.meta.url));
const FOLDER = fileURLToPath(new URL("../dist/guide/", import.meta.url));
const FILES = ["call.ts", "chat.ts", "page.ts", "page.html", "react.tsx", "react-page.tsx"];

let browser: Browser;
let server: ChildProcess | undefined;

beforeAll(async () => {
  await build({
    entryPoints: [`${SOURCE}start.ts`],
    outfile: `${FOLDER}start.mjs`,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  for (const file of FILES) cpSync(SOURCE + file, FOLDER + file);
  browser = await sharedChromium();
});
afterEach(() => server?.kill());
afterAll(() => browser?.close());

/** Starts the chat with this script for its page; resolves with the address that it prints. */
async function start(script: string): Promise<string> {
  const env = { ...process.env, PORT: `${await freePort()}` };
  const child = spawn(process.execPath, ["start.mjs", script], { cwd: FOLDER, env });
  server = child;
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (text: unknown): void => {
      output += text;
      const [, url] = /Open (http:\S+)/.exec(output) ?? [];
      if (url) resolve(url);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", () => reject(new Error(`it ended: ${output}`)));
  });
}

it.each(["page.ts", "react-page.tsx"])(
  "shows an app, and asks before it calls a tool: %s",
  async (script) => {
    const page = await browser.newPage();
    await page.goto(await start(script));
    const app = page.frameLocator("mcp-app iframe").frameLocator("iframe");
    const time = app.getByText(/^\d{4}-\d\d-\d\dT/);
    await time.waitFor();
    const before = await time.textContent();

    await app.getByRole("button", { name: "Get Server Time" }).click();
    const allow = page.getByRole("button", { name: "Allow once" });
    await page.locator('button:not([aria-disabled="true"])', { hasText: "Allow once" }).waitFor();
    const { width, height } = page.viewportSize() ?? { width: 800, height: 600 };
    await page.mouse.move(width - 5, height - 5);
    await allow.click();
    await expect.poll(() => time.textContent()).not.toBe(before);
    await page.close();
  },
);

it("one view with a policy that the sandbox refuses does not stop the others", async () => {
  const mcp = new McpServer({ name: "shop", version: "1.0.0" });
  const views = { good: "https://api.example.com", bad: "*" };
  for (const [name, domain] of Object.entries(views)) {
    const uri = `ui://shop/${name}`;
    const _meta = { ui: { csp: { connectDomains: [domain] } } };
    mcp.registerResource(name, uri, { mimeType: UI_MIME_TYPE }, () => ({
      contents: [{ uri, mimeType: UI_MIME_TYPE, text: "<!doctype html><p>Shop", _meta }],
    }));
    mcp.registerTool(name, { _meta: { ui: { resourceUri: uri } } }, () => ({ content: [] }));
  }
  const [transport, serverEnd] = InMemoryTransport.createLinkedPair();
  await mcp.connect(serverEnd);
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const secret = new Uint8Array(32);
  const chat = await connect({ server: "shop", transport, origin: "http://localhost:1", secret, port: 0 });
  const { apps } = await chat.apps().json();
  expect(apps.map(({ tool }: { tool: { name: string } }) => tool.name)).toEqual(["good"]);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining("bad has no app"));
  warn.mockRestore();
  await chat.close();
});
