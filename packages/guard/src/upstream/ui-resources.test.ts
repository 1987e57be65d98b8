import { UI_MIME_TYPE, VitrineError } from "@vitrine/protocol";
import { describe, expect, it } from "vitest";
import { fakeUpstream, tool } from "../../../../testing/fake-upstream.js";
import { uiResourcesExample } from "./ui-resources.examples.js";
import { UiResources } from "./ui-resources.js";

const URI = "ui://shop/cart.html";
const linked = (uri: unknown, name = "cart") => tool(name, { _meta: { ui: { resourceUri: uri } } });

function shop(links: unknown[] = [URI], ui: { content?: object; listing?: object } = {}) {
  let version = 1;
  const upstream = fakeUpstream({
    "tools/list": () => ({
      tools: [tool("plain"), ...links.map((uri, index) => linked(uri, `tool${index}`))],
    }),
    "resources/read": ({ uri }) => ({
      contents: [
        {
          uri,
          mimeType: UI_MIME_TYPE,
          text: `<!doctype html><p>${version}`,
          ...(ui.content && { _meta: { ui: ui.content } }),
        },
      ],
    }),
    "resources/list": () => ({
      resources: [{ uri: URI, name: "cart", ...(ui.listing && { _meta: { ui: ui.listing } }) }],
    }),
  });
  const reads = () => upstream.asked.filter((method) => method === "resources/read").length;
  return { upstream, reads, change: () => version++ };
}
const html = async (resources: UiResources, uri = URI): Promise<unknown> => {
  const document = await resources.read(uri);
  return document.ok ? document.html : document;
};

describe("prefetch", () => {
  it("C06: reads every UI once, at connection, and keeps it", async () => {
    const { upstream, reads } = shop();
    const resources = new UiResources(upstream);
    const views = await resources.prefetch();
    expect(views.map(({ tool: { name }, uri, document }) => [name, uri, document.ok])).toEqual([
      ["tool0", URI, true],
    ]);
    await Promise.all([resources.read(URI), resources.read(URI)]);
    expect(reads()).toBe(1);
  });

  it.each(["notifications/resources/list_changed", "notifications/resources/updated"] as const)(
    "C06: %s invalidates the cache",
    async (notification) => {
      const { upstream, change } = shop();
      const resources = new UiResources(upstream);
      expect(await html(resources)).toBe("<!doctype html><p>1");
      change();
      expect(await html(resources)).toBe("<!doctype html><p>1");
      upstream.say(notification, { uri: URI });
      expect(await html(resources)).toBe("<!doctype html><p>2");
    },
  );

  it("C06: an update of another resource drops nothing; after close no updates are handled", async () => {
    const { upstream, reads } = shop();
    const resources = new UiResources(upstream);
    await resources.read(URI);
    upstream.say("notifications/resources/updated", { uri: "ui://shop/other.html" });
    await resources.read(URI);
    expect(reads()).toBe(1);
    resources.close();
    expect(upstream.listeners).toBe(0);
  });

  it.each([
    ["server-too-large", "document-too-large"],
    ["server-exited", "content-missing"],
  ])("reports for a document that a gateway could not get because of %s: %s", async (why, code) => {
    const { upstream } = shop();
    upstream.answers["resources/read"] = () => {
      throw new VitrineError(-32050, "it does not work", { data: { code: why } });
    };
    expect(await html(new UiResources(upstream))).toMatchObject({
      code,
      message: `the server did not return ${URI}: it does not work`,
    });
  });

  it("reads a few at a time, and of a server with very many not all", async () => {
    const { upstream } = shop(Array.from({ length: 300 }, (_, index) => `ui://shop/${index}.html`));
    const { "resources/read": read } = upstream.answers;
    let now = 0;
    let most = 0;
    upstream.answers["resources/read"] = async (params) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve));
      now--;
      return read?.(params);
    };
    expect(await new UiResources(upstream).prefetch()).toHaveLength(100);
    expect(most).toBe(4);
  });

  it("a failure is not kept, and stops no other", async () => {
    const { upstream } = shop([URI, "ui://shop/gone.html"]);
    const answer = upstream.answers["resources/read"];
    upstream.answers["resources/read"] = (params) => {
      if (params["uri"] !== URI) throw new Error("no such resource");
      return answer?.(params);
    };
    const resources = new UiResources(upstream);
    const views = await resources.prefetch();
    expect(views.map(({ document }) => document.ok)).toEqual([true, false]);
    expect(views[1]?.document).toMatchObject({ message: expect.stringContaining("no such resource") });
    upstream.answers["resources/read"] = answer ?? (() => ({}));
    expect(await html(resources, "ui://shop/gone.html")).toBe("<!doctype html><p>1");
  });
});

it("D23: a document that comes as a blob stays the same, byte by byte", async () => {
  const written = Buffer.from("<!doctype html><p>Grüße, 世界 🙂 \u0085\u00a0\u2028\0");
  const { upstream } = shop();
  upstream.answers["resources/read"] = ({ uri }) => ({
    contents: [{ uri, mimeType: UI_MIME_TYPE, blob: written.toString("base64") }],
  });
  const [view] = await new UiResources(upstream).prefetch();
  if (!view?.document.ok) throw new Error(JSON.stringify(view));
  expect(Buffer.from(view.document.html).equals(written)).toBe(true);
});

describe("metadata", () => {
  it("C05: the content's own counts", async () => {
    const { upstream } = shop([URI], { content: { prefersBorder: true }, listing: { domain: "shop" } });
    expect(await new UiResources(upstream).read(URI)).toMatchObject({
      from: "content",
      meta: { prefersBorder: true },
    });
    expect(upstream.asked).not.toContain("resources/list");
  });

  it("C05: the listing's is the fallback", async () => {
    const { upstream } = shop([URI], { listing: { domain: "shop" } });
    expect(await new UiResources(upstream).read(URI)).toMatchObject({
      from: "listing",
      meta: { domain: "shop" },
    });
  });

  it("C05: a document with a listing that could not be read is not cached", async () => {
    const { upstream, reads } = shop([URI], { listing: { prefersBorder: true } });
    const { "resources/list": list } = upstream.answers;
    upstream.answers["resources/list"] = () => {
      throw new Error("timed out");
    };
    const resources = new UiResources(upstream);
    expect(await resources.read(URI)).toMatchObject({ ok: true, meta: {} });
    if (list) upstream.answers["resources/list"] = list;
    expect(await resources.read(URI)).toMatchObject({ ok: true, meta: { prefersBorder: true } });
    await resources.read(URI);
    expect(reads()).toBe(2);
  });

  it("C05, R05: a server that cannot list resources has no listing", async () => {
    const { upstream } = shop();
    upstream.answers["resources/list"] = () => {
      throw new Error("out of order");
    };
    expect(await new UiResources(upstream).read(URI)).toMatchObject({ ok: true, from: "none" });
  });
});

describe("links with another scheme", () => {
  const link = "mcp-app://shop/cart.html";

  it("C08, T09: are refused with a cause that can be read, without asking the server", async () => {
    const { upstream, reads } = shop([link]);
    const [view] = await new UiResources(upstream).prefetch();
    expect(view).toMatchObject({ uri: link, document: { ok: false, code: "uri-invalid" } });
    expect(reads()).toBe(0);
  });

  it("T09: are accepted as ui:// if the operator allows it, for this scheme only", async () => {
    const { upstream } = shop([link, "other://shop/x"]);
    const views = await new UiResources(upstream, { schemes: ["mcp-app"] }).prefetch();
    expect(views[0]?.document).toMatchObject({ ok: true, uri: "ui://shop/cart.html", problems: [] });
    expect(views[1]?.document).toMatchObject({ ok: false, code: "uri-invalid" });
  });

  it("C08: a link that is not a string is a cause too", async () => {
    const { upstream } = shop([42]);
    const [view] = await new UiResources(upstream).prefetch();
    expect(view?.document).toMatchObject({ ok: false, code: "uri-invalid" });
  });
});

it("the example behaves as its comments say", async () => {
  const { upstream } = shop([URI, "mcp-app://shop/x"]);
  const said: string[] = [];
  const register = async ({ html: text }: { html?: string | undefined }) => ({ src: text }) as never;
  const views = await uiResourcesExample(upstream, { register }, (text) => said.push(text));
  expect(views).toEqual([{ src: "<!doctype html><p>1" }]);
  expect(said).toEqual([expect.stringContaining("tool1 has no app")]);
});
