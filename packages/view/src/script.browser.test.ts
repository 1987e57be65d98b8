/** Pages with the runtime in a script element, as servers without a build step write them. */
import { createHash } from "node:crypto";
import { viewScript } from "@vitrine/view/script";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Page, type Site, serveSite, sharedChromium } from "../../../testing/browser.js";
import { HOST_PAGE, type MountOptions, RawHost, shows } from "../../../testing/raw-host.js";

const INFO = { name: "weather", version: "2.1.0" };
const HOSTILE = [
  "</script><script>alert(1)</script>",
  "<!-- <script> </script>",
  "--> ]]>",
  "\u2028\u2029",
  "\"quoted\" 'single' `back`",
  "\\ \\u003c/script>",
];

const page = (body: string): string => `<!doctype html><meta charset="utf-8"><title>view</title>${body}`;
const OWN = `
  const app = new vitrine.App();
  app.ontoolresult = ({ content }) => (document.getElementById("now").textContent = content[0].text);
  app.connect();
`;
const NOW = '<p id="now"></p>';
const hash = (script: string): string => `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
const policy = (scripts: string): Record<string, string> => ({
  "content-security-policy": `default-src 'none'; script-src ${scripts}; require-trusted-types-for 'script'`,
});

const pages: Record<string, Page> = {
  "/": HOST_PAGE,
  "/app": page(`${NOW}<script>${viewScript(INFO)}</script><script>${OWN}</script>`),
  "/head": page(`<script>${viewScript(INFO)}</script><script>new McpApp().connect()</script><body>${NOW}`),
  "/nonce": {
    body: page(`${NOW}<script nonce="n0">${viewScript(INFO)}</script><script nonce="n0">${OWN}</script>`),
    headers: policy("'nonce-n0'"),
  },
  "/hash": {
    body: page(`${NOW}<script>${viewScript(INFO)}</script><script>${OWN}</script>`),
    headers: policy(`${hash(viewScript(INFO))} ${hash(OWN)}`),
  },
};
HOSTILE.forEach((name, index) => {
  const script = viewScript({ name, version: name });
  pages[`/hostile${index}`] = page(`<script id="runtime">${script}</script><p id="after">after</p>`);
});

let browser: Browser;
let site: Site;
let host: RawHost;
beforeAll(async () => {
  [browser, site] = await Promise.all([sharedChromium(), serveSite(pages)]);
  host = await RawHost.launch(browser);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});
afterEach(() => expect(host.console).toEqual([]));

const mount = async (path: string, options: Partial<MountOptions> = {}) => {
  await host.open(site.origin());
  return host.mount({ url: site.origin("view") + path, context: { theme: "dark" }, ...options });
};

describe("the script of viewScript", () => {
  it.each([
    ["without a policy", "/app"],
    ["under a policy that has only its nonce", "/nonce"],
    ["under a policy that has only its hash", "/hash"],
  ])("runs %s, with the given name", async (_what, path) => {
    const view = await mount(path);
    const [hello] = await host.waitFor("ui/initialize");
    expect(hello?.params?.appInfo).toEqual(INFO);
    await host.waitFor("ui/notifications/initialized");
    await host.notify("ui/notifications/tool-result", { content: [{ type: "text", text: "Sunny" }] });
    await shows(view, "now", "Sunny");
    // The host's styles apply as well: they need no inline style attribute.
    expect(await view.evaluate(() => document.documentElement.style.colorScheme)).toBe("dark");
  });

  it("gives McpApp the name as well, and works from the head", async () => {
    await mount("/head");
    const [hello] = await host.waitFor("ui/initialize");
    expect(hello?.params?.appInfo).toEqual(INFO);
    await host.waitFor("ui/notifications/size-changed");
  });

  it("keeps the name of an app that has its own", async () => {
    const view = await mount("/app");
    const own = await view.evaluate(() => {
      type Globals = { vitrine: typeof import("./index.js") };
      const { App, View } = (globalThis as unknown as Globals).vitrine;
      return [App.prototype instanceof View, new App({ name: "a", version: "1" }) instanceof App];
    });
    expect(own).toEqual([true, true]);
  });

  it.each(HOSTILE.map((name, index) => [name, index] as const))(
    "cannot be escaped by the name %j",
    async (name, index) => {
      const view = await mount(`/hostile${index}`);
      const parsed = await view.evaluate(() => ({
        scripts: document.scripts.length,
        text: document.getElementById("runtime")?.textContent,
        after: document.getElementById("after")?.textContent,
        body: document.body.textContent?.trim(),
        info: (globalThis as unknown as { McpApp: { info: unknown } }).McpApp.info,
      }));
      expect(parsed).toEqual({
        scripts: 1,
        text: viewScript({ name, version: name }),
        after: "after",
        body: "after",
        info: { name, version: name },
      });
    },
  );
});
