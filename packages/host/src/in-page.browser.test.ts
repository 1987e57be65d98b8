/** Apps of a page that has their HTML, without a back end that reads resources. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { UI_MIME_TYPE } from "@vitrine/protocol";
import { type ServedSandbox, type ServeSandboxOptions, serveSandbox } from "@vitrine/sandbox/node";
import type { BrowserContext, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { bundle, inlineScript, type Site, serveSite, sharedChromium } from "../../../testing/browser.ts";
import type { InPageApi } from "../../../testing/host/in-page-page.tsx";
import { type RawView, rawView } from "../../../testing/host/raw-view.ts";
import { until } from "../../../testing/sandbox-stage.ts";

declare const page: InPageApi;
declare const raw: RawView;

const READY = { state: "ready" };
const API = "https://api.example";

let site: Site;
let context: BrowserContext;
let served: ServedSandbox;
let sandbox: string;
beforeAll(async () => {
  const script = await bundle(`import "./testing/host/in-page-page.tsx";`);
  site = await serveSite({ "/": `<!doctype html><meta charset="utf-8"><body>${inlineScript(script)}` });
  context = await (await sharedChromium()).newContext();
  [served, sandbox] = await serve();
});
afterAll(async () => {
  await context?.close();
  await site?.close();
  await served?.close();
});

/** A sandbox, and the pattern of its origins. */
async function serve(options: Partial<ServeSandboxOptions> = {}): Promise<[ServedSandbox, string]> {
  const started = await serveSandbox({
    secret: "a secret for tests only",
    hosts: [site.origin()],
    port: 0,
    pageViews: true,
    ...options,
  });
  return [started, `http://{role}.{label}.localhost:${started.port}`];
}

/** The same for one test. */
async function serveOnce(options: Partial<ServeSandboxOptions>): Promise<[ServedSandbox, string]> {
  const started = await serve(options);
  onTestFinished(() => started[0].close());
  return started;
}

async function open(origin = site.origin()): Promise<Page> {
  const opened = await context.newPage();
  onTestFinished(() => opened.close());
  await opened.goto(`${origin}/`);
  return opened;
}

/** The views of a page, in the order in which they were shown. */
const viewsOf = (host: Page): Frame[] => host.frames().filter((frame) => frame.parentFrame()?.parentFrame());

async function viewOf(host: Page): Promise<Frame> {
  const [view] = viewsOf(host);
  if (!view) throw new Error("no view");
  return view;
}

const heardInput = (view: Frame): Promise<void> =>
  until(async () =>
    expect(await view.evaluate(() => raw.heard.map(({ params }) => params))).toContainEqual({
      arguments: { city: "Rome" },
    }),
  );

describe.each(["element", "AppFrame", "React"] as const)("a page with the HTML, on %s", (surface) => {
  it("shows the app, which gets its input", async () => {
    const host = await open();
    const options = { server: "weather", sandbox };
    expect(
      await host.evaluate(([where, html, more]) => page.show(where, { html }, more), [
        surface,
        rawView(),
        options,
      ] as const),
    ).toMatchObject(READY);
    await heardInput(await viewOf(host));
  });
});

describe("a document of another dialect", () => {
  const WIDGET = `<!doctype html><p id="out"></p><script>
    const show = () => { document.getElementById("out").textContent = JSON.stringify(window.openai.toolInput); };
    addEventListener("openai:set_globals", show);
  </script>`;

  it("T07: is translated without a back end", async () => {
    const host = await open();
    const options = { server: "weather", sandbox };
    expect(
      await host.evaluate(([html, more]) => page.show("element", { html, dialects: ["apps-sdk"] }, more), [
        WIDGET,
        options,
      ] as const),
    ).toMatchObject(READY);
    const view = await viewOf(host);
    await expect.poll(() => view.locator("#out").textContent()).toBe('{"city":"Rome"}');
  });

  it("is not where the sandbox has switched it off", async () => {
    const host = await open();
    const [, off] = await serveOnce({ dialects: [] });
    const asked = host.evaluate(
      ([html, more]) => page.show("element", { html, dialects: ["apps-sdk"] }, more),
      [WIDGET, { server: "weather", sandbox: off }] as const,
    );
    asked.catch(() => {});
    await until(async () => {
      const view = await viewOf(host);
      expect(
        await view.evaluate(() => [document.querySelectorAll("#out").length, typeof Object(window).openai]),
      ).toEqual([1, "undefined"]);
    });
  });
});

describe("the sandbox enforces", () => {
  it("the same headers as for a registered view, except that browsers keep nothing", async () => {
    const host = await open();
    const headers: Record<string, string>[] = [];
    host.on("response", (response) => {
      if (response.frame().parentFrame()) headers.push(response.headers());
    });
    const meta = {
      csp: { connectDomains: [API], frameDomains: ["https://maps.example"] },
      permissions: { camera: {}, clipboardWrite: {} },
    };
    const rules = { grant: () => true, narrow: ["frame-domains"], relax: ["wasm-unsafe-eval"] } as const;
    const [strict, pattern] = await serveOnce({ pageViews: rules });
    const options = { server: "weather", sandbox: pattern };
    await host.evaluate(([given, more]) => page.show("element", given, more), [
      { ...meta, html: rawView() },
      options,
    ] as const);
    const registered = await strict.sandbox.register({
      server: "weather",
      meta,
      host: site.origin(),
      ...rules,
    });
    await host.evaluate(([src, html]) => page.showAddress(src, html), [registered.src, rawView()] as const);
    const plain = headers.map(({ date: _, "cache-control": caching, ...rest }) => [
      caching,
      JSON.stringify(rest)
        .replace(/\b([pv])\.[a-z2-7]{26}\./g, "$1.label.")
        .replace(/(label\.localhost:\d+)\/[\w-]+/g, "$1/name"),
    ]);
    expect(plain).toHaveLength(4);
    const [proxy, view, ofRegistered, viewOfRegistered] = plain;
    expect([proxy?.[0], view?.[0]]).toEqual(["no-store", "no-store"]);
    // Their addresses have other lengths.
    const withoutLength = (text = ""): string => text.replace(/"content-length":"\d+"/, "");
    expect(withoutLength(proxy?.[1])).toBe(withoutLength(ofRegistered?.[1]));
    expect(withoutLength(view?.[1])).toBe(withoutLength(viewOfRegistered?.[1]));
    expect(view?.[1]).toContain(`connect-src ${API};`);
    expect(view?.[1]).toContain("frame-src 'none'");
    expect(view?.[1]).toContain("camera=(self)");
  });

  it("nothing that is not declared, and grants no permission by itself", async () => {
    const host = await open();
    const asking = { html: rawView(), permissions: { camera: {}, microphone: {} } };
    await host.evaluate(([given, options]) => page.show("element", given, options), [
      asking,
      { server: "weather", sandbox },
    ] as const);
    const view = await viewOf(host);
    expect(
      await view.evaluate(
        (url) =>
          new Promise((resolve) => {
            document.addEventListener("securitypolicyviolation", ({ effectiveDirective, originalPolicy }) =>
              resolve([effectiveDirective, originalPolicy.includes("connect-src 'none'")]),
            );
            fetch(url).catch(() => {});
          }),
        API,
      ),
    ).toEqual(["connect-src", true]);
    expect(
      await view.evaluate(() =>
        (
          document as Document & { featurePolicy: { allowedFeatures(): string[] } }
        ).featurePolicy.allowedFeatures(),
      ),
    ).not.toEqual(expect.arrayContaining(["camera"]));
  });

  it("that a view stays under its policy: it cannot lead its frame to a looser one", async () => {
    const host = await open();
    const options = { server: "weather", sandbox };
    const loose = { html: "<!doctype html>", csp: { connectDomains: [API] } };
    const target = await host.evaluate(([given, more]) => page.addressOf(given, more), [
      loose,
      options,
    ] as const);
    await host.evaluate(([html, more]) => page.show("element", { html }, more), [
      rawView(),
      options,
    ] as const);
    const view = await viewOf(host);
    const [before, other] = [view.url(), target.replace("//p.", "//v.")];
    expect(new URL(other).origin).toBe(new URL(before).origin);
    await view.evaluate((url) => {
      location.href = url;
    }, other);
    await expect.poll(() => host.locator("mcp-app [part~=failure]").textContent()).toContain("left its page");
    expect(host.frames().map((frame) => frame.url())).not.toContain(other);
  });

  it("origins: one for a server and page, another one for every other", async () => {
    const [many, pattern] = await serveOnce({ hosts: [site.origin(), site.origin("other")] });
    const originOf = async (origin: string, server: string, domain?: string): Promise<string> => {
      const host = await open(origin);
      const document = { html: rawView(), ...(domain && { domain }) };
      await host.evaluate(([given, more]) => page.show("element", given, more), [
        document,
        { server, sandbox: pattern },
      ] as const);
      return (await viewOf(host)).evaluate(() => globalThis.origin);
    };
    const one = await originOf(site.origin(), "one");
    expect(await originOf(site.origin(), "one")).toBe(one);
    const registered = await many.sandbox.register({ server: "one", html: "" });
    const all = [
      one,
      registered.viewOrigin,
      await originOf(site.origin(), "two"),
      await originOf(site.origin(), "one", "dashboard"),
      await originOf(site.origin("other"), "one"),
    ];
    expect(new Set(all).size).toBe(5);
  });
});

describe("the sandbox refuses", () => {
  const failed = (cause: string) => ({ state: "failed", failure: { code: "load-failed", cause } });
  const document = { html: rawView() };

  it("pages, unless it is set up for them", async () => {
    const [, pattern] = await serveOnce({ pageViews: false });
    const host = await open();
    const options = { server: "weather", sandbox: pattern };
    expect(
      await host.evaluate(([given, more]) => page.show("element", given, more), [document, options] as const),
    ).toMatchObject({ ...failed("view-unknown"), failure: { detail: expect.stringContaining("pageViews") } });
  });

  it("pages that are not its hosts", async () => {
    const stranger = await open(site.origin("stranger"));
    const options = { server: "weather", sandbox };
    expect(
      await stranger.evaluate(([given, more]) => page.show("element", given, more), [
        document,
        options,
      ] as const),
    ).toMatchObject(failed("not-a-host"));
  });

  it("the address of another page", async () => {
    const [, pattern] = await serveOnce({ hosts: [site.origin(), site.origin("other")] });
    const host = await open();
    const options = { server: "weather", sandbox: pattern };
    const src = await host.evaluate(([given, more]) => page.addressOf(given, more), [
      document,
      options,
    ] as const);
    const other = await open(site.origin("other"));
    expect(
      await other.evaluate(([address, html]) => page.showAddress(address, html), [
        src,
        document.html,
      ] as const),
    ).toMatchObject({ state: "failed" });
    expect(
      await host.evaluate(([address, html]) => page.showAddress(address, html), [
        src,
        document.html,
      ] as const),
    ).toMatchObject(READY);
  });

  it("the origin of another app", async () => {
    const host = await open();
    const addressOf = (server: string): Promise<string> =>
      host.evaluate(([given, more]) => page.addressOf(given, more), [document, { server, sandbox }] as const);
    const [mine, theirs] = [new URL(await addressOf("mine")), new URL(await addressOf("theirs"))];
    expect(
      await host.evaluate(([address, html]) => page.showAddress(address, html), [
        theirs.origin + mine.pathname,
        document.html,
      ] as const),
    ).toMatchObject(failed("view-unknown"));
  });

  it("metadata that a policy cannot contain: the user reads why", async () => {
    const host = await open();
    const bad = { ...document, csp: { connectDomains: ["https://a.example; script-src *"] } };
    expect(
      await host.evaluate(([given, more]) => page.show("element", given, more), [
        bad,
        { server: "weather", sandbox },
      ] as const),
    ).toMatchObject({
      state: "failed",
      failure: { code: "bad-resource", detail: expect.stringContaining("connectDomains") },
    });
  });
});

describe("a document by message", () => {
  it("of five million characters arrives whole, and comes back after a reload", async () => {
    const host = await open();
    const html = rawView("start();", `<p hidden>${"Grüße 😀 ".repeat(600_000)}</p>`);
    await host.evaluate(([given, more]) => page.show("element", { html: given }, more), [
      html,
      { server: "weather", sandbox },
    ] as const);
    const view = await viewOf(host);
    expect(await view.evaluate(() => document.querySelector("p")?.textContent?.length)).toBe(5_400_000);
    await view.evaluate(() => {
      Object.assign(globalThis, { before: true });
      location.reload();
    });
    await until(async () => expect(await view.evaluate(() => "before" in globalThis)).toBe(false));
    await heardInput(view);
  });

  it("without a script is shown without a handshake", async () => {
    const host = await open();
    const html = "\uFEFF<!doctype html><h1>Sunny</h1>";
    expect(
      await host.evaluate(([given, more]) => page.show("element", { html: given }, more), [
        html,
        { server: "weather", sandbox },
      ] as const),
    ).toMatchObject(READY);
    const view = await viewOf(host);
    await until(async () => expect(await view.evaluate(() => document.body.textContent)).toBe("Sunny"));
    expect(await view.evaluate(() => document.compatMode)).toBe("CSS1Compat");
  });

  it("is preloaded without running, and never shown for another", async () => {
    const host = await open();
    const options = { server: "weather", sandbox };
    const documents = ["one", "two"].map((title) => ({
      html: rawView(`document.title = "${title}"; start();`),
    }));
    await host.evaluate(([all, more]) => page.warm(all, more), [documents, options] as const);
    await until(() => expect(viewsOf(host)).toHaveLength(2));
    const frames = viewsOf(host);
    for (const frame of frames) {
      await frame.waitForLoadState("load");
      expect(await frame.evaluate(() => [document.title, "raw" in globalThis])).toEqual(["App", false]);
    }
    await host.evaluate(([given, more]) => page.show("element", given, more), [
      documents[1] ?? { html: "" },
      options,
    ] as const);
    const titles = await Promise.all(viewsOf(host).map((frame) => frame.title()));
    expect(titles.sort()).toEqual(["App", "two"]);
    // The preloaded frames, and no other one.
    expect(viewsOf(host)).toHaveLength(2);
  });
});

it("a preloaded document is not shown for another one of the same registered view", async () => {
  const { src } = await served.sandbox.register({ server: "weather" });
  const host = await open();
  const [one = "", two = ""] = ["one", "two"].map((title) =>
    rawView(`document.title = "${title}"; start();`),
  );
  await host.evaluate(([address, html]) => page.warmAddress(address, html), [src, one] as const);
  await until(() => expect(viewsOf(host)).toHaveLength(1));
  await viewsOf(host)[0]?.waitForLoadState("load");
  const shown = await host.evaluate(([address, html]) => page.showAddress(address, html), [
    src,
    two,
  ] as const);
  expect(shown).toMatchObject(READY);
  const titles = await Promise.all(viewsOf(host).map((frame) => frame.title()));
  expect(titles).toContain("two");
  expect(titles).not.toContain("one");
});

describe.each([1, 2] as const)("an official client %i.x in the page", (version) => {
  it("is all that a page needs", async () => {
    const uri = "ui://weather/page.html";
    const listener = createServer().listen(0, "127.0.0.1");
    await once(listener, "listening");
    onTestFinished(() => {
      listener.close();
      listener.closeAllConnections();
    });
    const handle = toNodeHandler(
      createMcpHandler(() => {
        const server = new McpServer({ name: "weather", version: "1.0.0" });
        server.registerTool(
          "forecast",
          { inputSchema: z.object({}), _meta: { ui: { resourceUri: uri } } },
          async () => ({ content: [{ type: "text", text: "sunny" }] }),
        );
        server.registerResource("page", uri, { mimeType: UI_MIME_TYPE }, async () => ({
          contents: [
            {
              uri,
              mimeType: UI_MIME_TYPE,
              text: rawView(),
              _meta: { ui: { csp: { connectDomains: [API] } } },
            },
          ],
        }));
        return server;
      }),
    );
    listener.on("request", (request, response) => {
      response.setHeader("access-control-allow-origin", site.origin());
      response.setHeader("access-control-allow-headers", "*");
      response.setHeader("access-control-expose-headers", "*");
      if (request.method === "OPTIONS") response.end();
      else handle(request, response);
    });
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
    const host = await open();
    expect(
      await host.evaluate(([which, ...rest]) => page.showServer(which, ...rest), [
        version,
        url,
        sandbox,
      ] as const),
    ).toMatchObject(READY);
    const view = await viewOf(host);
    expect(
      await view.evaluate(() => raw.ask("tools/call", { name: "forecast", arguments: {} })),
    ).toMatchObject({
      content: [{ type: "text", text: "sunny" }],
    });
  });
});
