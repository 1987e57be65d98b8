import { VitrineError } from "@vitrine/protocol";
import { describe, expect, it } from "vitest";
import { fakeUpstream, tool } from "../../../testing/fake-upstream.ts";
import { CatalogueCache } from "./catalogue.js";
import type { CatalogueChange } from "./server.js";

const uri = "ui://shop/cart.html";
const page = (text: string, meta?: object) => ({
  contents: [{ uri, mimeType: "text/html;profile=mcp-app", text, ...(meta && { _meta: { ui: meta } }) }],
});
const cart = (more: object = {}) => tool("cart", { _meta: { ui: { resourceUri: uri } }, ...more });

function catalogueOf(tools: unknown[] = [cart(), tool("other")]) {
  const upstream = fakeUpstream({
    "tools/list": () => ({ tools }),
    "resources/list": () => ({ resources: [] }),
    "resources/templates/list": () => ({ resourceTemplates: [] }),
    "resources/read": () => page("<p>1"),
  });
  const catalogue = new CatalogueCache(upstream);
  const changes: CatalogueChange[] = [];
  const listen = () => catalogue.onChange((some) => changes.push(...some));
  return { upstream, catalogue, changes, listen };
}
const count = (list: readonly string[], method: string) => list.filter((one) => one === method).length;

describe("ServerCatalogue", () => {
  it("lists once for all callers, and again only the parts that the server reports as changed", async () => {
    const { upstream, catalogue } = catalogueOf();
    const [first] = await Promise.all([catalogue.get(), catalogue.get()]);
    expect(await catalogue.get()).toEqual(first);
    expect(count(upstream.asked, "tools/list")).toBe(1);
    upstream.say("notifications/prompts/list_changed");
    await catalogue.get();
    expect(count(upstream.asked, "tools/list")).toBe(1);
    expect(count(upstream.asked, "prompts/list")).toBe(2);
    upstream.say("notifications/tools/list_changed");
    await catalogue.get();
    expect(count(upstream.asked, "tools/list")).toBe(2);
    expect(count(upstream.asked, "resources/read")).toBe(1);
  });

  it("C03: reports a changed tool with both hashes, without a request for the catalogue", async () => {
    const { upstream, catalogue, changes, listen } = catalogueOf();
    listen();
    await catalogue.get();
    expect(changes).toEqual([]);
    upstream.answers["tools/list"] = () => ({ tools: [cart({ description: "now does more" })] });
    upstream.say("notifications/tools/list_changed");
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    await expect
      .poll(() => changes)
      .toEqual([
        { kind: "tool", name: "cart", before: hash, after: hash },
        { kind: "tool", name: "other", before: hash },
      ]);
    expect(changes[0]?.before).not.toBe(changes[0]?.after);
  });

  it("lists the tools of a server that never answers another list, and does not wait for that list again", async () => {
    const { upstream, catalogue } = catalogueOf();
    const late = () => {
      throw new VitrineError("timeout", "the server did not answer in time");
    };
    upstream.answers["resources/templates/list"] = late;
    for (let times = 0; times < 2; times++)
      expect(await catalogue.get()).toMatchObject({
        tools: { length: 2 },
        templates: [],
        missing: ["Its resource templates could not be listed: the server did not answer in time"],
      });
    expect(count(upstream.asked, "resources/templates/list")).toBe(1);
    upstream.answers["tools/list"] = late;
    upstream.say("notifications/tools/list_changed");
    await expect(catalogue.get()).rejects.toMatchObject({ code: "timeout" });
  });

  it("treats a tool whose members are in another order as unchanged", async () => {
    const { upstream, catalogue, changes, listen } = catalogueOf([
      { name: "a", inputSchema: { type: "object", x: 1 } },
    ]);
    listen();
    await catalogue.get();
    upstream.answers["tools/list"] = () => ({
      tools: [{ inputSchema: { x: 1, type: "object" }, name: "a" }],
    });
    upstream.say("notifications/tools/list_changed");
    await catalogue.get();
    expect(changes).toEqual([]);
  });

  it.each([
    ["its text", page("<p>2")],
    ["its allowed origins", page("<p>1", { csp: { connectDomains: ["https://evil.example"] } })],
  ])("reports a changed UI: %s", async (_, next) => {
    const { upstream, catalogue, changes, listen } = catalogueOf();
    listen();
    const { views } = await catalogue.get();
    upstream.answers["resources/read"] = () => next;
    upstream.say("notifications/resources/updated", { uri });
    await expect.poll(() => changes.length).toBe(1);
    expect(changes[0]).toMatchObject({ kind: "view", name: uri, before: views[0]?.hash });
    expect((await catalogue.get()).views[0]?.hash).toBe(changes[0]?.after);
  });

  it("C03: repeats a listing during which the server reported a change", async () => {
    const { upstream, catalogue } = catalogueOf();
    let first = true;
    upstream.answers["tools/list"] = () => {
      if (!first) return { tools: [] };
      first = false;
      upstream.say("notifications/tools/list_changed");
      return { tools: [tool("gone")] };
    };
    expect((await catalogue.get()).tools).toEqual([]);
  });

  it("stops listing a server that keeps reporting changes, or that has endless pages", async () => {
    const { upstream, catalogue, listen } = catalogueOf();
    listen();
    upstream.answers["tools/list"] = () => {
      upstream.say("notifications/tools/list_changed");
      return { tools: Array.from({ length: 500 }, (_, n) => tool(`t${n}`)), nextCursor: "more" };
    };
    expect((await catalogue.get()).tools.length).toBe(10_000);
    catalogue.close();
  });

  it.each([
    ["resources", "resources/list", "Its resources"],
    ["templates", "resources/templates/list", "Its resource templates"],
    ["prompts", "prompts/list", "Its prompts"],
  ] as const)(
    "reports why a list of %s failed, keeps the other lists, and tries again later",
    async (part, method, its) => {
      const { upstream, catalogue } = catalogueOf();
      upstream.answers[method] = () => {
        throw new VitrineError(-32603, "not now");
      };
      expect(await catalogue.get()).toMatchObject({
        tools: { length: 2 },
        views: [{ uri, hash: expect.any(String) }],
        [part]: [],
        missing: [`${its} could not be listed: not now`],
      });
      upstream.answers[method] = () => ({
        [method.includes("templates") ? "resourceTemplates" : part]: [{ name: "y" }],
      });
      const now = await catalogue.get();
      expect(now[part]).toHaveLength(1);
      expect(now.missing).toBeUndefined();
      expect(count(upstream.asked, "tools/list")).toBe(1);
    },
  );

  it("keeps the pages before a failed page, and truncates the server's explanation", async () => {
    const { upstream, catalogue } = catalogueOf();
    upstream.answers["prompts/list"] = ({ cursor }) => {
      if (cursor !== undefined) throw new VitrineError(-32603, "x".repeat(10_000));
      return { prompts: [{ name: "y" }], nextCursor: "more" };
    };
    const { prompts, missing } = await catalogue.get();
    expect(prompts).toHaveLength(1);
    expect(missing).toEqual([`Not all of its prompts could be listed: ${"x".repeat(500)}`]);
  });

  it("fails if the tools cannot be listed, and does not cache the failure", async () => {
    const { upstream, catalogue } = catalogueOf();
    const { "tools/list": list = () => ({}) } = upstream.answers;
    upstream.answers["tools/list"] = () => {
      throw new Error("not now");
    };
    await expect(catalogue.get()).rejects.toThrow("not now");
    upstream.answers["tools/list"] = list;
    expect((await catalogue.get()).tools).toHaveLength(2);
  });

  it("skips invalid entries and unreadable UIs", async () => {
    const { upstream, catalogue } = catalogueOf([
      null,
      7,
      "x",
      cart(),
      tool("bad", { _meta: { ui: { resourceUri: "ui://shop/no" } } }),
    ]);
    upstream.answers["resources/read"] = (params) => {
      if (params["uri"] !== uri) throw new Error("no");
      return page("<p>1");
    };
    const { tools, views } = await catalogue.get();
    expect(tools.length).toBe(2);
    expect(views.map(({ document, hash }) => [document.ok, hash !== undefined])).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it("returns the same UIs until one of them changes, whatever the other lists do", async () => {
    const { upstream, catalogue } = catalogueOf();
    upstream.answers["resources/list"] = () => {
      throw new Error("not now");
    };
    const views = await catalogue.views();
    upstream.say("notifications/resources/updated", { uri: "note://1" });
    upstream.say("notifications/prompts/list_changed");
    expect(await catalogue.views()).toBe(views);
    upstream.answers["resources/read"] = () => page("<p>2");
    upstream.say("notifications/resources/updated", { uri });
    const [changed] = await catalogue.views();
    expect(changed?.hash).not.toBe(views[0]?.hash);
  });

  it("reports a UI that becomes readable", async () => {
    const { upstream, catalogue, changes, listen } = catalogueOf();
    upstream.answers["resources/read"] = () => ({ contents: [] });
    listen();
    expect((await catalogue.get()).views).toMatchObject([{ uri, document: { ok: false }, hash: undefined }]);
    upstream.answers["resources/read"] = () => page("<p>1");
    await catalogue.document(uri);
    await expect.poll(() => changes).toMatchObject([{ kind: "view", name: uri, before: undefined }]);
    await catalogue.document(uri);
    expect(changes).toHaveLength(1);
  });

  it("removes its listeners when it is closed", () => {
    const { upstream, catalogue } = catalogueOf();
    catalogue.close();
    expect(upstream.listeners).toBe(0);
  });
});
