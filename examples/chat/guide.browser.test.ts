/** The chat of docs/hosts/chat.md: its files in a folder of their own, started as the guide says. */
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { UI_MIME_TYPE } from "@vitrine/protocol";
import { Sandbox } from "@vitrine/sandbox";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { sharedChromium } from "../../testing/browser.ts";
import { canBeFramed, SAFE, sendExactly, startProgram, statusesOf } from "../../testing/host/started-chat.ts";
import { connect } from "./back-end.js";

const SOURCE = fileURLToPath(new URL(".", import.meta.url));
const FOLDER = fileURLToPath(new URL("../dist/guide/", import.meta.url));
const FILES = ["call.ts", "chat.ts", "page.ts", "page.html", "react.tsx", "react-page.tsx"];

let browser: Browser;

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
afterAll(() => browser?.close());

/** Starts the chat with this script for its page; resolves with the address that it prints. */
const start = (script: string): Promise<string> => startProgram(FOLDER, ["start.mjs", script]);

/** Calls of the tool by the page. */
const CALLS = "/call";

it.each(["page.ts", "react-page.tsx"])(
  "shows an app, calls its tool once, and asks before the app calls a tool: %s",
  async (script) => {
    const page = await browser.newPage();
    const calls: string[] = [];
    page.on("request", (sent) => void (new URL(sent.url()).pathname === CALLS && calls.push(sent.url())));
    await page.goto(await start(script));
    if (script.startsWith("react")) await page.getByRole("button", { name: "Use Get Time" }).click();
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
    // React's StrictMode runs effects twice.
    expect(calls).toHaveLength(1);
    await page.close();
  },
);

it("runs nothing for requests of other sites, of strangers, and by other names", async () => {
  const address = new URL(await start("page.ts"));
  const { origin } = address;
  expect(await statusesOf(address, CALLS, { name: "get-time", input: {} })).toEqual(SAFE);
  const rpc = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get-time" } };
  expect(await statusesOf(address, "/rpc", rpc)).toEqual(SAFE);
  for (const path of ["/", "/apps", "/page.js"])
    expect((await sendExactly(new URL(path, origin))).status).toBe(401);
  expect((await sendExactly(new URL("/sign-in?key=guessed", origin))).status).toBe(403);
  expect(await canBeFramed(browser, address)).toBe(false);
  const { cookie } = await sendExactly(address);
  const headers = { cookie, origin, "content-type": "application/json" };
  const body = JSON.stringify({ name: "get-time", input: { text: "x".repeat(2_000_000) } });
  expect((await sendExactly(new URL(CALLS, origin), { method: "POST", headers, body })).status).toBe(413);
});

it("serves apps on the same listener, which answers other pages of theirs with nothing", async () => {
  const address = new URL(await start("page.ts"));
  const { cookie } = await sendExactly(address);
  const { text } = await sendExactly(new URL("/apps", address), { headers: { cookie } });
  const [{ view }] = JSON.parse(text).apps;
  const { host, pathname } = new URL(view.src);
  const at = (path: string) => sendExactly(new URL(path, address), { headers: { host, cookie } });
  expect((await at(pathname)).status).toBe(200);
  for (const path of ["/", "/apps", "/sign-in", "/page.js"])
    expect(await at(path)).toMatchObject({ status: 404, text: "Nothing here.\n" });
});

/** A back end with a small server, for users who say who they are. */
async function backEnd(mcp: McpServer) {
  const [transport, serverEnd] = InMemoryTransport.createLinkedPair();
  await mcp.connect(serverEnd);
  const sandbox = new Sandbox({
    secret: new Uint8Array(32),
    origin: "http://{role}.{label}.localhost:1",
    hosts: ["http://localhost:1"],
  });
  const userOf = ({ headers }: Request): string | undefined => headers.get("user") ?? undefined;
  const chat = await connect({ server: "shop", transport, sandbox, userOf });
  onTestFinished(() => chat.close());
  return chat;
}

it("forty users at once have limits of their own", async () => {
  const mcp = new McpServer({ name: "shop", version: "1.0.0" });
  mcp.registerTool("look", { annotations: { readOnlyHint: true } }, () => ({ content: [] }));
  const { rpc } = await backEnd(mcp);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "look" } });
  const look = async (user: string): Promise<number> => {
    const headers = { user, "content-type": "application/json" };
    return (await rpc(new Request("http://localhost:1/rpc", { method: "POST", headers, body }))).status;
  };
  const times = async (count: number, user: string): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, () => look(user)));
  const flood = times(1000, "mallory");
  const users = Array.from({ length: 40 }, (_, index) => times(10, `user ${index}`));
  expect(new Set((await Promise.all(users)).flat())).toEqual(new Set([200]));
  expect(await flood).toContain(429);
});

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
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const chat = await backEnd(mcp);
  const { apps } = await chat.apps().json();
  expect(apps.map(({ tool }: { tool: { name: string } }) => tool.name)).toEqual(["good"]);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining("bad has no app"));
  warn.mockRestore();
});
