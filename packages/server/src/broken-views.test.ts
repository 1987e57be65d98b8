/** Views whose documents break while a server runs, or never were valid: everything else keeps working. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { uiExtension, VIEW_PROBLEM_KEY } from "@vitrine/protocol";
import { appServer, type RunningServer, serve, tool, view } from "@vitrine/server";
import { chart } from "@vitrine/server/templates";
import { testServer } from "@vitrine/server/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function newFolder(): string {
  const root = mkdtempSync(join(tmpdir(), "vitrine-broken-"));
  open.push(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

async function connect({ url = "" }: RunningServer): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { capabilities: { extensions: uiExtension() } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  open.push(() => client.close());
  return client;
}

/** The text of the only listed view, as a client reads it. */
async function shown(client: Client): Promise<unknown> {
  const { resources } = await client.listResources();
  expect(resources).toHaveLength(1);
  const { contents } = await client.readResource({ uri: resources[0]?.uri ?? "" });
  return contents[0] && "text" in contents[0] && contents[0].text;
}

const sum = tool({
  name: "sum",
  input: z.object({ one: z.number(), two: z.number() }),
  run: ({ one, two }) => `${one + two}`,
});

describe("a file that breaks while a server is served over HTTP", () => {
  it.each([
    ["is deleted", (file: string) => rmSync(file), "view-missing"],
    ["has grown too large", (file: string) => writeFileSync(file, "x".repeat(2000)), "view-too-large"],
    [
      "is no UTF-8 any more",
      (file: string) => writeFileSync(file, Buffer.from([0xff, 0xfe])),
      "view-not-utf8",
    ],
  ])(
    "%s: the last version is shown, the problem reported once, and other tools answer",
    async (_name, breakIt, code) => {
      const file = join(newFolder(), "page.html");
      writeFileSync(file, "<p>good</p>");
      const told = vi.fn();
      const page = view({ name: "page", file });
      const look = tool({ name: "look", view: page, run: () => "looked" });
      const server = appServer({
        name: "x",
        version: "1",
        tools: [look, sum],
        maxViewBytes: 1000,
        onproblem: told,
      });
      const serving = await serve(server, { argv: ["--http"] });
      open.push(() => serving.close());
      const client = await connect(serving);
      expect(await shown(client)).toBe("<p>good</p>");

      breakIt(file);
      const call = () => client.callTool({ name: "sum", arguments: { one: 1, two: 2 } });
      expect((await call()).content).toEqual([{ type: "text", text: "3" }]);
      expect(await shown(client)).toBe("<p>good</p>");
      expect(await shown(await connect(serving))).toBe("<p>good</p>");
      expect((await client.listTools()).tools[0]?._meta).toMatchObject({
        ui: { resourceUri: expect.any(String) },
      });
      expect(told.mock.calls.map(([{ name }, problem]) => [name, problem.code])).toEqual([["page", code]]);
      await expect(server.document(page)).rejects.toMatchObject({ code });

      writeFileSync(file, "<p>mended</p>");
      expect(await shown(client)).toBe("<p>mended</p>");
      expect([...(await server.problems())]).toEqual([]);
      breakIt(file);
      await call();
      expect(told).toHaveBeenCalledTimes(2);
    },
  );
});

it("a broken build does not keep out new clients: they get the previous one, and the next when it is fixed", async () => {
  const folder = join(newFolder(), "dist");
  mkdirSync(folder);
  const write = (html: string) => writeFileSync(join(folder, "index.html"), html);
  write("<p>one</p>");
  const told = vi.fn();
  const page = view({ name: "page", folder });
  const other = view({ name: "other", file: join(folder, "other.html") });
  writeFileSync(join(folder, "other.html"), "other one");
  const server = appServer({ name: "x", version: "1", tools: [], views: [page, other], onproblem: told });
  const read = async () => {
    const tested = await testServer(server);
    const { resources } = (await tested.request("resources/list")) as { resources: { uri: string }[] };
    const all = resources.map(async ({ uri }) => (await tested.view(uri)).html);
    const html = await Promise.all(all);
    await tested.close();
    return html;
  };
  expect(await read()).toEqual(["<p>one</p>", "other one"]);
  write('<script src="gone.js"></script>');
  writeFileSync(join(folder, "other.html"), "other two");
  await server.refresh();
  // Valid views are shown, whatever is broken beside them.
  expect(await read()).toEqual(["<p>one</p>", "other two"]);
  expect(told.mock.calls.map(([{ name }, { code }]) => [name, code])).toEqual([["page", "view-missing"]]);
  write("<p>two</p>");
  await server.refresh();
  expect(await read()).toEqual(["<p>two</p>", "other two"]);
});

it("a problem that was fixed is reported again when it comes back", async () => {
  const folder = newFolder();
  const write = (html: string) => writeFileSync(join(folder, "index.html"), html);
  const page = view({ name: "page", folder });
  const onproblem = vi.fn();
  const server = appServer({ name: "again", version: "1.0.0", tools: [], views: [page], onproblem });
  write("");
  expect((await server.problems()).get("page")).toMatchObject({ code: "view-missing" });
  write("<p>right</p>");
  await server.document(page);
  expect(await server.problems()).toEqual(new Map());
  write("");
  await server.refresh();
  expect(onproblem).toHaveBeenCalledTimes(2);
});

it("of a view with several sources in JavaScript, the same is shown from the start", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "index.html"), "<p>of the folder</p>");
  const page = view({ name: "page", folder, html: "<p>of the text</p>" } as never);
  const server = await testServer(appServer({ name: "both", version: "1.0.0", tools: [], views: [page] }));
  open.push(() => server.close());
  expect((await server.view("ui://both/page")).html).toContain("of the folder");
});

describe("a view that never was readable", () => {
  it("is reported with the reason to the local parent process, and to no other client", async () => {
    const file = join(newFolder(), "never.html");
    const never = tool({ name: "never", view: view({ name: "never", file }), run: () => "words" });
    const server = appServer({ name: "x", version: "1", tools: [never], onproblem: () => {} });
    type Listed = { tools: { _meta?: Record<string, unknown> }[] };
    const metaFor = async (views: boolean) => {
      const tested = await testServer(server, { views });
      const { tools } = (await tested.request("tools/list")) as unknown as Listed;
      await tested.close();
      return tools[0]?._meta?.[VIEW_PROBLEM_KEY];
    };
    expect(await metaFor(true)).toBe(`there is no readable file ${file} (view-missing)`);
    expect(await metaFor(false)).toBeUndefined();
    const serving = await serve(server, { argv: ["--http"] });
    open.push(() => serving.close());
    const { tools } = await (await connect(serving)).listTools();
    expect(JSON.stringify(tools)).not.toContain(file);
  });

  it("is omitted: its tools are listed without it and answer with text, and are announced with it once it is fixed", async () => {
    const file = join(newFolder(), "later.html");
    const output = z.object({ items: z.array(z.object({ city: z.string() })) });
    const run = () => ({ items: [{ city: "Berne" }] });
    const told = vi.fn();
    const later = tool({ name: "later", output, view: view({ name: "later", file }), run });
    // A configuration that no compiler has checked: the template cannot render its text.
    const config = { series: 5 } as never;
    const wrong = tool({
      name: "wrong",
      output,
      view: view({ name: "wrong", template: chart, config }),
      run,
    });
    const silent = tool({ name: "silent", view: wrong.view, run: () => undefined });
    const server = appServer({ name: "x", version: "1", tools: [later, wrong, silent], onproblem: told });
    const tested = await testServer(server);
    expect((await tested.tools()).map((each) => [each.name, each.view])).toEqual([
      ["later", undefined],
      ["wrong", undefined],
      ["silent", undefined],
    ]);
    const words = [{ type: "text", text: "| city |\n| --- |\n| Berne |" }];
    expect((await tested.call("later", {})).content).toEqual(words);
    expect((await tested.call("wrong", {})).content).toEqual(words);
    expect((await tested.call("silent", {})).content).toEqual([
      { type: "text", text: "Chart: nothing to show" },
    ]);
    expect(told.mock.calls.map(([{ name }, { code }]) => [name, code])).toEqual([
      ["later", "view-missing"],
      ["wrong", "config-invalid"],
    ]);
    await tested.close();

    writeFileSync(file, "<p>here</p>");
    const next = await testServer(server);
    expect((await next.view("later")).html).toBe("<p>here</p>");
    await next.close();
  });
});
