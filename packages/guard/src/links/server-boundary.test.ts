import { JsonText } from "@vitrine/protocol";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { fakeUpstream, tool } from "../../../../testing/fake-upstream.js";
import * as examples from "./guard.examples.js";
import type { ViewCall } from "./link.js";
import { ResourceDirectory } from "./resource-directory.js";
import { ownServerOnly } from "./server-boundary.js";
import { ToolDirectory } from "./tool-directory.js";

const UI = "ui://shop/cart.html";

function setUp(templates: unknown[] = [], uris: unknown[] = []) {
  const upstream = fakeUpstream({
    "tools/list": () => ({
      tools: [tool("cart", { _meta: { ui: { resourceUri: UI, visibility: ["model"] } } })],
    }),
    "resources/list": () => ({ resources: uris.map((uri) => ({ uri, name: "r" })) }),
    "resources/templates/list": () => ({
      resourceTemplates: templates.map((uriTemplate) => ({ uriTemplate, name: "t" })),
    }),
  });
  const resources = new ResourceDirectory(upstream, new ToolDirectory(upstream));
  const link = ownServerOnly("shop", resources);
  const next = vi.fn(async (): Promise<unknown> => ({}));
  const send = (method: string, params: Record<string, unknown> = {}, server = "shop") =>
    link({ view: "v", server, method: method as ViewCall["method"], params }, next);
  return { upstream, resources, next, send, read: (uri: string) => send("resources/read", { uri }) };
}

const unknown = { code: -32000, data: { code: "resource-unknown" } };

describe("resources", () => {
  it("R05: the document of a tool may be read, listed or not", async () => {
    await expect(setUp().read(UI)).resolves.toBeDefined();
  });

  it("I02: resources that the view's own server lists may be read, whatever their scheme", async () => {
    const uris = ["file:///notes/today.md", "ui://shop/a+b%2fc", "https://shop.example/x", "odd:thing"];
    const { read } = setUp([], uris);
    for (const uri of uris) await expect(read(uri)).resolves.toBeDefined();
  });

  it.each([
    ["video://{id}", "video://42"],
    ["video://{id}", "video://a%2Fb"],
    ["db://{table}/rows/{id}", "db://users/rows/1"],
    ["file:///docs/{+path}", "file:///docs/a/b/c.md"],
    ["search://all{?q,page}", "search://all?q=a/b&page=2"],
    ["search://all{?q}", "search://all"],
    ["img://{name}.png", "img://a.b.png"],
    ["x://{a}{b}/c", "x://1/c"],
    ["x://fixed", "x://fixed"],
  ])("I02: %s lets %s be read", async (template, uri) => {
    await expect(setUp([template]).read(uri)).resolves.toBeDefined();
  });

  it.each([
    ["video://{id}", "video://1/2"],
    ["video://{id}", "VIDEO://1"],
    ["db://{table}/rows/{id}", "db://users/cols/1"],
    ["img://{name}.png", "img://a.jpg"],
    ["x://fixed", "x://fixed/more"],
    ["{+uri}", "file:///etc/passwd"],
    ["{scheme}://{x}", "file://x"],
    ["x://{a", "x://1"],
  ])("C04: %s does not let %s be read", async (template, uri) => {
    await expect(setUp([template]).read(uri)).rejects.toMatchObject(unknown);
  });

  it.each([
    "file:///etc/passwd",
    "ui://bank/transfer.html",
    "UI://shop/cart.html",
    "ui://SHOP/cart.html",
    "ui://shop/./cart.html",
    "ui://shop/x/../cart.html",
    "ui://shop/%63art.html",
    "ui://shop//cart.html",
    "ui://shop/cart.html#x",
    " ui://shop/cart.html",
    "ui://shop/cart.html\n",
    "https://shop.example/",
    "",
    `x://${"a".repeat(5000)}`,
  ])("attack C06: %j is not the server's, and the server not asked", async (uri) => {
    const { read, next } = setUp([], ["x://a"]);
    await expect(read(uri)).rejects.toMatchObject(unknown);
    expect(next).not.toHaveBeenCalled();
  });

  it.each([
    "ui://shop/../bank",
    "ui://shop/a%2fb",
    "ui://shop/a%252Fb",
    "ui://shop/a+b",
    "ui://shop/a\\b",
    "ui://shop/%2e%2e/bank",
    "ui://shop/..",
    "ui://shop/.",
    "ui://shop/a%00",
    "ui://shop/a b",
  ])("attack C06: a template does not help %j", async (uri) => {
    await expect(setUp(["ui://shop/{+path}"]).read(uri)).rejects.toMatchObject(unknown);
  });

  it.each([
    "..%2f..%2fetc",
    "%2E%2e/etc",
    "a/../../etc",
    "..\\etc",
    "%252e%252e%255cetc",
    "a/%2e",
    "x?p=../y",
    "a%0a",
  ])("attack C06: no path is hidden in file:///docs/%s", async (path) => {
    await expect(setUp(["file:///docs/{+path}"]).read(`file:///docs/${path}`)).rejects.toMatchObject(unknown);
  });

  it.each(["a..b", "v1.2.txt", ".hidden", "...", "x-.y"])(
    "an honest name with dots stays readable: %s",
    async (name) => {
      await expect(setUp(["file:///docs/{name}"]).read(`file:///docs/${name}`)).resolves.toBeDefined();
    },
  );

  it.each([(value: unknown) => value, (value: unknown) => new JsonText(JSON.stringify(value))])(
    "I02: resources that a tool's result links to may be read, listed or not (%#)",
    async (form) => {
      const { next, read, send } = setUp();
      await expect(read("report://7")).rejects.toMatchObject(unknown);
      const content = [
        { type: "text", text: "see report://8" },
        { type: "resource_link", uri: "report://7", name: "r" },
        { type: "resource", resource: { uri: "report://9", text: "" } },
      ];
      next.mockResolvedValueOnce(form({ content }));
      await send("tools/call", { name: "cart" });
      await expect(read("report://7")).resolves.toBeDefined();
      await expect(read("report://9")).resolves.toBeDefined();
      await expect(read("report://8")).rejects.toMatchObject(unknown);
    },
  );

  it("forgets the oldest of very many links", async () => {
    const { resources } = setUp();
    const link = (n: number) => ({ type: "resource_link", uri: `r://${n}`, name: "r" });
    resources.learn({ content: Array.from({ length: 1001 }, (_, n) => link(n)) });
    expect(await resources.has("r://0")).toBe(false);
    expect(await resources.has("r://1000")).toBe(true);
  });

  it("attack C06: subscriptions and links of downloads are held to the same", async () => {
    const { send } = setUp();
    await expect(send("resources/subscribe", { uri: "file:///x" })).rejects.toMatchObject(unknown);
    const contents = [{ type: "resource_link", uri: "file:///x", name: "x" }];
    await expect(send("ui/download-file", { contents })).rejects.toMatchObject(unknown);
    const own = [
      { type: "resource_link", uri: UI, name: "x" },
      { type: "resource", resource: { uri: "x:y", text: "" } },
    ];
    await expect(send("ui/download-file", { contents: own })).resolves.toBeDefined();
    // Unsubscribing is always allowed, even if the resource is no longer listed.
    await expect(send("resources/unsubscribe", { uri: "file:///x" })).resolves.toBeDefined();
  });

  it("lists once, and again after list_changed or when a view looks for itself", async () => {
    const uris = ["a://1"];
    const { read, send, upstream } = setUp([], uris);
    await read("a://1");
    await read("a://1");
    expect(upstream.asked.filter((method) => method === "resources/list")).toHaveLength(1);
    uris.push("a://2", "a://3");
    await expect(read("a://2")).rejects.toMatchObject(unknown);
    upstream.say("notifications/resources/list_changed");
    await expect(read("a://2")).resolves.toBeDefined();
    uris.push("a://4");
    await send("resources/list");
    await expect(read("a://4")).resolves.toBeDefined();
  });

  it("a server that lists nothing has only its documents; one that fails lets nothing through", async () => {
    const silent = fakeUpstream({ "tools/list": () => ({ tools: [] }) });
    expect(await new ResourceDirectory(silent, new ToolDirectory(silent)).has("a://1")).toBe(false);
    const failing = fakeUpstream({ "resources/list": () => Promise.reject(new Error("away")) });
    await expect(new ResourceDirectory(failing, new ToolDirectory(failing)).has("a://1")).rejects.toThrow(
      "away",
    );
  });

  it("the host may allow resources that the server does not name", async () => {
    const { upstream, resources, next } = setUp();
    const link = examples.ownServerOnlyExample(upstream, resources);
    const read = (uri: string) =>
      link({ view: "v", server: "shop", method: "resources/read", params: { uri } }, next);
    await expect(read("tile://1/2/3")).resolves.toBeDefined();
    await expect(read("tile://1/2/3/../4")).rejects.toMatchObject(unknown);
  });

  it("shows the rule by example", async () => {
    const { upstream } = setUp(["video://{id}"]);
    const { yes, no } = await examples.resourceDirectoryExample(upstream, new ToolDirectory(upstream));
    expect([yes, no]).toEqual([true, false]);
  });

  it("attack C06: no URI and no template throws, or takes long", async () => {
    const nasty = fc.array(
      fc.constantFrom("{", "}", "{a}", "{+b}", "/", "..", "%2e", "%", "ui://", "a", "\\", "\u0000"),
    );
    const text = nasty.map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(text, text, async (template, uri) => {
        const { resources } = setUp([`ui://${template}`]);
        const allowed = await resources.has(`ui://${uri}`);
        if (allowed && template !== uri)
          expect(`/${decodeURI(uri.replace(/%(?![\da-f]{2})/gi, "%25"))}/`).not.toMatch(/[/\\]\.\.?[/\\]/);
      }),
    );
    const { resources } = setUp([`x:${"{a}x".repeat(500)}`]);
    expect(await resources.has(`x:${"x".repeat(2000)}/`)).toBe(false);
  });
});

describe("servers", () => {
  it("attack C03: a call in the name of another server is refused", async () => {
    const { send, next } = setUp();
    const other = { code: -32000, data: { code: "other-server" } };
    await expect(send("tools/call", { name: "cart" }, "bank")).rejects.toMatchObject(other);
    await expect(send("tools/call", { name: "cart", server: "bank" })).rejects.toMatchObject(other);
    await expect(
      send("tools/call", { name: "cart", server: { toString: () => "shop" } }),
    ).rejects.toMatchObject(other);
    expect(next).not.toHaveBeenCalled();
    await expect(send("tools/call", { name: "cart", server: "shop" })).resolves.toBeDefined();
  });

  it("C04: the model is not given the context of other servers", async () => {
    const { send } = setUp();
    const ask = (includeContext: string) => send("sampling/createMessage", { includeContext });
    await expect(ask("allServers")).rejects.toMatchObject({ data: { code: "other-server" } });
    await expect(ask("thisServer")).resolves.toBeDefined();
  });
});

describe("methods", () => {
  it.each([
    "__resources_read__",
    "initialize",
    "roots/list",
    "completion/complete",
    "elicitation/create",
    "__proto__",
    "constructor",
    "ui/resource-teardown",
    "ui/notifications/tool-result",
    "ui/notifications/sandbox-resource-ready",
    "ui/notifications/sandbox-proxy-ready",
    "TOOLS/CALL",
    "tools/call ",
  ])("attack C07: %s is not for views", async (method) => {
    const { send, next } = setUp();
    await expect(send(method)).rejects.toMatchObject({ code: -32601, data: { code: "method-unknown" } });
    expect(next).not.toHaveBeenCalled();
  });

  it.each([
    "ping",
    "ui/initialize",
    "tools/list",
    "prompts/get",
    "notifications/message",
    "notifications/cancelled",
  ])("%s is", async (method) => {
    await expect(setUp().send(method)).resolves.toBeDefined();
  });
});
