/** Files of views that are saved while clients are connected. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { followedPaths, uiExtension } from "@vitrine/protocol";
import {
  type AnyTool,
  type AppServer,
  appServer,
  type RunningServer,
  serve,
  tool,
  view,
} from "@vitrine/server";
import { discover } from "@vitrine/server/discovery";
import { afterEach, expect, it, vi } from "vitest";

const open: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  for (const close of open.splice(0).reverse()) await close();
});

function project(files: Record<string, string>): { root: string; write(path: string, text: string): void } {
  const root = mkdtempSync(join(tmpdir(), "vitrine-follow-"));
  open.push(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return { root, write };
}

/** A client and its notifications, with the paths that the server watches. */
async function connect({ url = "" }: RunningServer) {
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: { extensions: uiExtension() }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const told: string[] = [];
  client.setNotificationHandler("notifications/tools/list_changed", () => void told.push("tools"));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  open.push(() => client.close());
  await client.listen({ toolsListChanged: true });
  const shown = async (): Promise<unknown[]> => {
    const { resources } = await client.listResources();
    const read = resources.map(async ({ uri }) => (await client.readResource({ uri })).contents[0]);
    return (await Promise.all(read)).map((content) => content && "text" in content && content.text);
  };
  return { told, shown, paths: () => followedPaths(client.getServerCapabilities()) };
}

/** A server with a view in a file, and one in a folder. */
const shopIn = (root: string, reloads?: boolean): AppServer =>
  appServer<readonly AnyTool[]>({
    name: "shop",
    version: "1",
    reloads,
    tools: [
      tool({ name: "cart", view: view({ name: "cart", file: join(root, "cart.html") }), run: () => "" }),
    ],
    views: [view({ name: "help", folder: join(root, "dist") })],
  });

async function serveShop(root: string, reloads?: boolean): Promise<RunningServer> {
  const serving = await serve(shopIn(root, reloads), { argv: ["--http"] });
  open.push(() => serving.close());
  return serving;
}

it("a saved file and a rebuilt folder are shown from then on; clients are notified", async () => {
  const { root, write } = project({ "cart.html": "one", "dist/index.html": "built once" });
  const { told, shown, paths } = await connect(await serveShop(root, true));
  expect(paths().sort()).toEqual([join(root, "cart.html"), join(root, "dist")]);
  expect((await shown()).sort()).toEqual(["built once", "one"]);
  write("cart.html", "two");
  await expect.poll(() => told).toEqual(["tools"]);
  expect((await shown()).sort()).toEqual(["built once", "two"]);
  // Like bundlers: the folder is deleted and created again.
  rmSync(join(root, "dist"), { recursive: true });
  write("dist/index.html", '<script src="./page.js"></script>');
  write("dist/page.js", "built(2)");
  await expect.poll(async () => (await shown()).sort()).toEqual(["<script>built(2)</script>", "two"]);
});

it("a file is watched even if a build deletes and recreates its folder", async () => {
  const { root, write } = project({ "out/page.html": "one" });
  const page = view({ name: "page", file: join(root, "out/page.html") });
  const shop = appServer({ name: "shop", version: "1", reloads: true, tools: [], views: [page] });
  const serving = await serve(shop, { argv: ["--http"] });
  open.push(() => serving.close());
  const { shown } = await connect(serving);
  for (const edition of ["two", "three"]) {
    rmSync(join(root, "out"), { recursive: true });
    write("out/page.html", "half");
    write("out/page.html", edition);
    await expect.poll(shown).toEqual([edition]);
  }
  write("out/page.html", "four");
  await expect.poll(shown).toEqual(["four"]);
});

it("a broken one is reported, and the last good version stays until it is fixed", async () => {
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const { root, write } = project({ "cart.html": "one", "dist/index.html": "built once" });
  const { told, shown } = await connect(await serveShop(root, true));
  write("dist/index.html", '<script type="module" src="/@vite/client"></script>');
  await expect
    .poll(() => said.mock.calls.map(([text]) => String(text)).join(""))
    .toMatch(/index\.html loads \/@vite\/client.*\(view-not-built\)\n/);
  expect(told).toEqual([]);
  write("dist/index.html", "mended");
  await expect.poll(() => told).toEqual(["tools"]);
  expect((await shown()).sort()).toEqual(["mended", "one"]);
});

it("nothing is watched or announced by default; `vitrine dev` enables it through the environment", async () => {
  const { root } = project({ "cart.html": "one", "dist/index.html": "built", "ui/help/index.html": "help" });
  expect((await connect(await serveShop(root))).paths()).toEqual([]);
  vi.stubEnv("VITRINE_RELOADS", "1");
  expect((await connect(await serveShop(root))).paths()).toHaveLength(2);
  expect((await connect(await serveShop(root, false))).paths()).toEqual([]);
  const found = await discover({ root, name: "shop", version: "1" });
  open.push(() => found.close());
  const serving = await found.serve({ argv: ["--http"] });
  open.push(() => serving.close());
  expect((await connect(serving)).paths()).toEqual([
    ...["tool.js", "tool.mjs", "tool.ts", "tool.json", "ui"].map((name) => join(root, "tools/*", name)),
    join(root, "ui/*"),
  ]);
});

it("of two concurrent changes, the last one requested wins", async () => {
  const { root, write } = project({ "cart.html": "one", "dist/index.html": "built" });
  const shop = shopIn(root, true);
  const serving = await serve(shop, { argv: ["--http"] });
  open.push(() => serving.close());
  const client = await connect(serving);
  write("cart.html", "two");
  const { tools, views } = shop.options;
  const refreshed = shop.refresh();
  const replaced = shop.replace({ tools: [], views: views ?? [] });
  await Promise.all([refreshed, replaced]);
  expect(shop.options.tools).toEqual([]);
  expect(await client.shown()).toEqual(["built"]);
  await Promise.all([shop.replace({ tools, views: views ?? [] }), shop.refresh()]);
  expect((await client.shown()).sort()).toEqual(["built", "two"]);
});
