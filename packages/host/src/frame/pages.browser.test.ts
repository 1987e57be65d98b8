/** Which pages can show apps, and what a page says that cannot. */
import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FrameFailure } from "@vitrine/host";
import { MemoryRecords, type SandboxedView, type ViewRegistration } from "@vitrine/sandbox";
import { type ServedSandbox, type ServeSandboxOptions, serveSandbox } from "@vitrine/sandbox/node";
import type { BrowserContext, Frame } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  bundle,
  inlineScript,
  launchProfile,
  type Page,
  type Site,
  serveSite,
  sharedChromium,
} from "../../../../testing/browser.ts";
import { rawView } from "../../../../testing/host/raw-view.ts";

/** How an app ended: its last state, and why it failed. */
interface Ended {
  state: string;
  failure?: FrameFailure;
}

declare const show: (view: SandboxedView) => Promise<Ended>;
declare const showByItself: (html: string, sandbox: string) => Promise<Ended>;

/** Runs in the host page. */
const HOST = `
  import "@vitrine/host/define";
  import { pageView } from "@vitrine/host/in-page";
  globalThis.showByItself = (html, sandbox) => show(pageView({ html }, { server: "test", sandbox }));
  globalThis.show = (view) => new Promise((resolve) => {
    const app = document.createElement("mcp-app");
    app.addEventListener("statechange", ({ detail: { state, failure } }) => {
      if (state === "ready" || state === "failed") resolve({ state, failure });
    });
    app.app = { info: { name: "test", version: "1" }, title: "Test", view };
    document.body.append(app);
  });
`;

let site: Site;
let context: BrowserContext;
let host: string;
beforeAll(async () => {
  host = `<!doctype html><meta charset="utf-8"><body>${inlineScript(await bundle(HOST))}`;
  const frames = (policy: string): Page => ({ body: host, headers: { "content-security-policy": policy } });
  site = await serveSite({
    "/": host,
    "/without-frame-src": frames("frame-src https://other.example"),
    "/isolated": {
      body: host,
      headers: {
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-embedder-policy": "require-corp",
      },
    },
    "/portal": `<!doctype html><iframe title="Chat"></iframe>`,
  });
  context = await (await sharedChromium()).newContext();
});
afterAll(async () => {
  await context?.close();
  await site?.close();
});

/** A sandbox for this test. */
async function serve(options: Partial<ServeSandboxOptions> = {}): Promise<ServedSandbox> {
  const served = await serveSandbox({
    secret: "a secret for tests only",
    hosts: [site.origin()],
    port: 0,
    ...options,
  });
  onTestFinished(() => served.close());
  return served;
}

const register = ({ sandbox }: ServedSandbox, more: Partial<ViewRegistration> = {}): Promise<SandboxedView> =>
  sandbox.register({ server: "test", html: rawView(), ...more });

/** The origins of a sandbox, as its pages know them. */
const patternOf = ({ port }: ServedSandbox): string => `http://{role}.{label}.localhost:${port}`;

/** A folder for this test. */
async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-page-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function fileOf(name: string, contents: string): Promise<{ url: string }> {
  const file = join(await temporary(), name);
  await writeFile(file, contents);
  return { url: pathToFileURL(file).href };
}

/** Opens a page, and shows the view there. */
async function showAt(url: string, view: SandboxedView): Promise<Ended> {
  const page = await context.newPage();
  onTestFinished(() => page.close());
  await page.goto(url);
  return page.evaluate((given) => show(given), view);
}

/** Shows the view in a chat inside of another page. */
async function showInside(outer: string, inner: string, view: SandboxedView): Promise<Ended> {
  const page = await context.newPage();
  onTestFinished(() => page.close());
  await page.goto(outer);
  await page.locator("iframe").evaluate((frame, src) => {
    (frame as HTMLIFrameElement).src = src;
  }, inner);
  const found = (): Frame | undefined => page.frames().find((frame) => frame.url() === inner);
  await expect.poll(async () => await found()?.evaluate(() => "show" in globalThis)).toBe(true);
  return (await found()?.evaluate((given) => show(given), view)) as Ended;
}

const READY = { state: "ready" };
const failed = (cause: string, detail: string) => ({
  state: "failed",
  failure: { code: "load-failed", cause, detail: expect.stringContaining(detail) },
});

describe("an app is shown", () => {
  it("by every subdomain of a wildcard, and by no other name", async () => {
    const port = new URL(site.origin()).port;
    const served = await serve({ hosts: [`http://*.acme.localhost:${port}`] });
    const view = await register(served);
    expect(await showAt(`${site.origin("one.acme")}/`, view)).toMatchObject(READY);
    expect(await showAt(`${site.origin("a.b.acme")}/`, view)).toMatchObject(READY);
    expect(await showAt(`${site.origin("acme")}/`, view)).toMatchObject(
      failed("not-a-host", "http://acme.localhost"),
    );
    expect(await showAt(`${site.origin("evilacme")}/`, view)).toMatchObject(failed("not-a-host", "evilacme"));
  });

  it("by the tenant's page that it was registered for, and by no other tenant's", async () => {
    const tenants = [site.origin("one"), site.origin("two")];
    const served = await serve({ hosts: async (origin) => tenants.includes(origin) });
    const view = await register(served, { host: tenants[0] });
    expect(await showAt(`${tenants[0]}/`, view)).toMatchObject(READY);
    expect(await showAt(`${tenants[1]}/`, view)).toMatchObject(failed("not-a-host", `${tenants[1]}`));
    await expect(register(served)).rejects.toMatchObject({ code: "invalid" });
    await expect(register(served, { host: site.origin("three") })).rejects.toMatchObject({ code: "invalid" });
  });

  it("in a chat that another site contains, if that site is an embedder", async () => {
    const [outer, inner] = [`${site.origin("portal")}/portal`, `${site.origin("chat")}/`];
    const hosts = [site.origin("chat")];
    const allowed = await serve({ hosts, embedders: [site.origin("portal")] });
    expect(await showInside(outer, inner, await register(allowed))).toMatchObject(READY);
    const strict = await serve({ hosts });
    expect(await showInside(outer, inner, await register(strict))).toMatchObject(
      failed("not-an-embedder", site.origin("portal")),
    );
    // An embedder does not show apps itself.
    expect(await showAt(`${site.origin("portal")}/`, await register(allowed))).toMatchObject(
      failed("not-a-host", site.origin("portal")),
    );
  });

  it("by a file, as in a desktop application", async () => {
    const { url } = await fileOf("chat.html", host);
    expect(await showAt(url, await register(await serve({ hosts: ["file:"] })))).toMatchObject(READY);
    expect(await showAt(url, await register(await serve()))).toMatchObject({ state: "failed" });
  });

  it("by a file that has the HTML, without a back end", async () => {
    const { url } = await fileOf("chat.html", host);
    const page = await context.newPage();
    onTestFinished(() => page.close());
    await page.goto(url);
    const shown = async (hosts: string[]): Promise<Ended> =>
      page.evaluate(([html, sandbox]) => showByItself(html, sandbox), [
        rawView(),
        patternOf(await serve({ hosts, pageViews: true })),
      ] as const);
    expect(await shown(["file:"])).toMatchObject(READY);
    expect(await shown([site.origin()])).toMatchObject({ state: "failed", failure: { code: "load-failed" } });
  });

  it("by the pages of one browser extension, and of no other", async () => {
    const [folder, profile] = await Promise.all([temporary(), temporary()]);
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const key = publicKey.export({ type: "spki", format: "der" });
    // Chromium writes the first half of the digest with the letters from a to p.
    const id = createHash("sha256")
      .update(key)
      .digest("hex")
      .slice(0, 32)
      .replace(/./g, (digit) => "abcdefghijklmnop"[Number.parseInt(digit, 16)] ?? "");
    const manifest = { manifest_version: 3, name: "Chat", version: "1", key: key.toString("base64") };
    await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
    await writeFile(join(folder, "chat.js"), await bundle(HOST));
    await writeFile(join(folder, "chat.html"), `<!doctype html><body><script src="chat.js"></script>`);
    const browser = await launchProfile(profile, [
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
    ]);
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.goto(`chrome-extension://${id}/chat.html`);
    const shownBy = async (hosts: string[]): Promise<[Ended, Ended]> => {
      const served = await serve({ hosts, pageViews: true });
      return [
        await page.evaluate((view) => show(view), await register(served)),
        await page.evaluate(([html, sandbox]) => showByItself(html, sandbox), [
          rawView(),
          patternOf(served),
        ] as const),
      ];
    };
    expect(await shownBy([`chrome-extension://${id}`])).toMatchObject([READY, READY]);
    const refused = failed("not-a-host", `chrome-extension://${id}`);
    expect(await shownBy([`chrome-extension://${"a".repeat(32)}`])).toMatchObject([refused, refused]);
    expect(await shownBy(["chrome-extension:"])).toMatchObject([READY, READY]);
  });

  it("by a page that is isolated from other origins", async () => {
    const isolated = `${site.origin()}/isolated`;
    expect(await showAt(isolated, await register(await serve({ embedderPolicy: true })))).toMatchObject(
      READY,
    );
    const page = await context.newPage();
    onTestFinished(() => page.close());
    await page.goto(isolated);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    expect(await showAt(isolated, await register(await serve()))).toMatchObject(
      failed("refused", "Cross-Origin-Embedder-Policy"),
    );
  });
});

describe("a page that cannot show an app says why", () => {
  it("its own policy blocks the sandbox", async () => {
    const view = await register(await serve());
    expect(await showAt(`${site.origin()}/without-frame-src`, view)).toMatchObject(
      failed("frame-src", view.origin),
    );
  });

  it("the sandbox does not allow it", async () => {
    const view = await register(await serve());
    const stranger = site.origin("stranger");
    expect(await showAt(`${stranger}/`, view)).toMatchObject(failed("not-a-host", stranger));
  });

  it("the sandbox has lost the view, or never had it", async () => {
    const records = new MemoryRecords();
    const view = await register(await serve({ records }));
    records.delete(new URL(view.src).pathname.slice(1));
    expect(await showAt(`${site.origin()}/`, view)).toMatchObject(
      failed("view-unknown", "register it again"),
    );
  });

  it("nothing answers at the sandbox's address", async () => {
    const served = await serve();
    const view = await register(served);
    await served.close();
    expect(await showAt(`${site.origin()}/`, view)).toMatchObject(failed("unreachable", view.origin));
  });
});
