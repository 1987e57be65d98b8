/** Folders that change while clients are connected. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { uiExtension } from "@vitrine/protocol";
import { type Discovered, discover } from "@vitrine/server/discovery";
import { afterEach, describe, expect, it, vi } from "vitest";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

class Project {
  readonly root = mkdtempSync(join(tmpdir(), "vitrine-watch-"));

  constructor(files: Record<string, unknown> = {}) {
    open.push(() => rmSync(this.root, { recursive: true, force: true }));
    this.write(files);
  }

  write(files: Record<string, unknown>): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      writeFileSync(join(this.root, path), typeof content === "string" ? content : JSON.stringify(content));
    }
  }

  remove(path: string): void {
    rmSync(join(this.root, path), { recursive: true });
  }

  async discover(): Promise<Discovered> {
    const found = await discover({ root: this.root, name: "shop", version: "1", watch: true });
    open.push(() => found.close());
    return found;
  }
}

/** A client, and the notifications it received. */
async function connect(found: Discovered, generation: "2025" | "2026", url?: string) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities: { extensions: uiExtension() },
      versionNegotiation: generation === "2025" ? { mode: "legacy" } : { mode: { pin: "2026-07-28" } },
    },
  );
  const told: string[] = [];
  client.setNotificationHandler("notifications/tools/list_changed", () => void told.push("tools"));
  client.setNotificationHandler("notifications/resources/list_changed", () => void told.push("resources"));
  client.setNotificationHandler(
    "notifications/resources/updated",
    ({ params }) => void told.push(params.uri),
  );
  const handle = url === undefined ? serveStdio(found.server.create, { transport: ours }) : undefined;
  await client.connect(url === undefined ? theirs : new StreamableHTTPClientTransport(new URL(url)));
  open.push(
    () => handle?.close(),
    () => client.close(),
  );
  const uri = "ui://shop/cart";
  if (generation === "2025") await client.subscribeResource({ uri });
  else
    await client.listen({ toolsListChanged: true, resourcesListChanged: true, resourceSubscriptions: [uri] });
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  const addresses = async () => (await client.listResources()).resources.map((each) => each.uri);
  const read = async (address = uri) => {
    const [content] = (await client.readResource({ uri: address })).contents;
    return content && "text" in content ? content.text : undefined;
  };
  const call = async (name: string) => {
    const [content] = (await client.callTool({ name })).content;
    return content?.type === "text" ? content.text : undefined;
  };
  return { client, told, names, addresses, read, call };
}

const moduleThatSays = (text: string) => `export default { run: () => ${JSON.stringify(text)} };`;

describe.each(["2025", "2026"] as const)("a client of %s that is connected", (generation) => {
  it("sees tools and views being added, changed and removed, and is notified", async () => {
    const project = new Project();
    const found = await project.discover();
    const { told, names, addresses, read, call } = await connect(found, generation);
    expect(await names()).toEqual([]);

    project.write({
      "tools/cart/tool.mjs": moduleThatSays("one"),
      "tools/cart/ui/index.html": "<p>one</p>",
      "ui/alone/index.html": "alone",
    });
    await expect.poll(() => addresses()).toEqual(["ui://shop/cart", "ui://shop/alone"]);
    expect(await names()).toEqual(["cart"]);
    expect(await call("cart")).toBe("one");
    expect(await read()).toBe("<p>one</p>");
    expect(told).toEqual(expect.arrayContaining(["tools", "resources"]));

    project.write({ "tools/cart/tool.mjs": moduleThatSays("two!") });
    await expect.poll(() => call("cart")).toBe("two!");

    told.length = 0;
    project.write({ "tools/cart/ui/index.html": "<p>two</p>" });
    await expect.poll(() => read()).toBe("<p>two</p>");
    await expect.poll(() => told).toContain("ui://shop/cart");

    told.length = 0;
    project.remove("tools/cart");
    await expect.poll(() => addresses()).toEqual(["ui://shop/alone"]);
    expect(await names()).toEqual([]);
    await expect.poll(() => told).toEqual(expect.arrayContaining(["tools", "resources"]));
    await expect(read()).rejects.toThrow();
    expect(found.problems).toEqual([]);
  });
});

it("notifies HTTP clients through their open subscriptions", async () => {
  const project = new Project({ "ui/cart/index.html": "one" });
  const found = await project.discover();
  const serving = await found.serve({ argv: ["--http"] });
  open.push(() => serving.close());
  const { told, read, addresses } = await connect(found, "2026", serving.url);
  project.write({ "ui/cart/index.html": "two!", "ui/more/index.html": "more" });
  await expect.poll(() => told).toEqual(expect.arrayContaining(["ui://shop/cart", "resources"]));
  await expect.poll(() => addresses()).toEqual(["ui://shop/cart", "ui://shop/more"]);
  expect(await read()).toBe("two!");
});

it("keeps the last good version when an edit breaks it, reports it once, and continues when it is fixed", async () => {
  const written: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
  const table = (title: unknown) => ({ template: "data-table", config: { title } });
  const project = new Project({
    "tools/cart/tool.mjs": moduleThatSays("one"),
    "tools/cart/ui/ui.meta.json": table("First"),
  });
  const found = await project.discover();
  open.push((await found.serve({ argv: ["--http"] })).close);
  const { told, names, read, call } = await connect(found, "2025");
  project.write({ "tools/cart/tool.mjs": "export default {", "tools/cart/ui/ui.meta.json": table(1) });
  await expect
    .poll(() => found.problems.map(({ file, code }) => [file, code]))
    .toEqual([
      ["tools/cart/tool.mjs", "tool-invalid"],
      ["tools/cart/ui/ui.meta.json", "config-invalid"],
    ]);
  expect(await names()).toEqual(["cart"]);
  expect(await call("cart")).toBe("one");
  expect(await read()).toContain("First");
  expect(told).toEqual([]);
  await found.reload();
  expect(written).toEqual([
    expect.stringMatching(/ is served at http:/),
    expect.stringMatching(/^tools\/cart\/tool\.mjs: it cannot be loaded/),
    expect.stringMatching(/^tools\/cart\/ui\/ui\.meta\.json:1: config\.title must be a string/),
  ]);

  project.write({
    "tools/cart/tool.mjs": moduleThatSays("two!"),
    "tools/cart/ui/ui.meta.json": table("Second"),
  });
  await expect.poll(() => found.problems).toEqual([]);
  await expect.poll(() => call("cart")).toBe("two!");
  expect(await read()).toContain("Second");
});

it("lets a running call finish with the old version", async () => {
  const project = new Project({
    "tools/slow/tool.mjs": `export default { run: async () => {
      await new Promise((resolve) => { globalThis.vitrineGoOn = resolve; });
      return "old";
    } };`,
  });
  const found = await project.discover();
  const { call, told } = await connect(found, "2026");
  const slow = call("slow");
  const goOn = (): (() => void) | undefined => Reflect.get(globalThis, "vitrineGoOn");
  await expect.poll(goOn).toBeDefined();
  open.push(() => Reflect.deleteProperty(globalThis, "vitrineGoOn"));
  project.write({ "tools/slow/tool.mjs": moduleThatSays("new") });
  await expect.poll(() => told).toContain("tools");
  expect(await call("slow")).toBe("new");
  goOn()?.();
  expect(await slow).toBe("old");
});

it("stays silent when nothing changed, and notices a folder that was renamed into place", async () => {
  const project = new Project({ "ui/cart/index.html": "one", "draft/index.html": "moved" });
  const found = await project.discover();
  const { told, addresses } = await connect(found, "2025");
  project.write({ "log.txt": "x", "tools/readme.md": "no tool", "ui/cart/index.html": "one" });
  await found.reload();
  renameSync(join(project.root, "draft"), join(project.root, "ui/moved"));
  await expect.poll(() => addresses()).toEqual(["ui://shop/cart", "ui://shop/moved"]);
  await expect.poll(() => told).toEqual(expect.arrayContaining(["resources"]));
  expect(told).not.toContain("ui://shop/cart");
});

it("drops closed clients, and stops watching once it is closed", async () => {
  const project = new Project({ "ui/cart/index.html": "one" });
  const found = await project.discover();
  const { client, told } = await connect(found, "2025");
  await client.close();
  project.write({ "ui/cart/index.html": "two!" });
  const view = () => found.server.views.get("cart")?.source;
  await expect.poll(view).toEqual({ html: "two!" });
  expect(told).toEqual([]);
  await found.close();
  project.write({ "ui/cart/index.html": "three" });
  await found.reload();
  expect(view()).toEqual({ html: "three" });
});
