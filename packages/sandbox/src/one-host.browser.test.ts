/** All apps on one host, without a wildcard in DNS: the barriers that remain, and those that do not. */
import { Sandbox } from "@vitrine/sandbox";
import type { Frame } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inlineScript } from "../../../testing/browser.ts";
import { freePort } from "../../../testing/free-port.ts";
import { SandboxStage, type Shown, until } from "../../../testing/sandbox-stage.ts";

const APP = `<!doctype html><title>app</title><p>app</p>${inlineScript(`
  const noted = [];
  addEventListener("message", ({ data, origin }) => noted.push({ data, origin }));
`)}`;
declare const noted: { data: unknown; origin: string }[];

let stage: SandboxStage;
let origin: string;
beforeAll(async () => {
  const port = await freePort();
  origin = `http://sandbox.localhost:${port}`;
  stage = await SandboxStage.open({ port, origin });
});
afterAll(() => stage?.close());

/** The error name or the result of a function of the view. */
const outcome = (view: Frame, act: () => unknown): Promise<string> =>
  view.evaluate(`(async () => (${act})())().then(String, (error) => error.name)`);

/** Shows another app beside the first one, and returns its proxy and view. */
async function besides(shown: Shown, server: string, html = APP): Promise<[Frame, Frame]> {
  const { src, origin: proxy, allow } = await stage.served.sandbox.register({ server, html });
  const before = shown.page.frames().length;
  await shown.page.evaluate(
    (showing) => {
      const frame = document.createElement("iframe");
      frame.src = showing.src;
      document.body.append(frame);
    },
    { src, origin: proxy, allow },
  );
  await until(() => expect(shown.page.frames()).toHaveLength(before + 2));
  const [first, second] = shown.page.frames().slice(before) as [Frame, Frame];
  await second.waitForLoadState("load");
  return [first, second];
}

describe("one host for all apps", () => {
  it("S01: shows an app, which has no origin", async () => {
    const shown = await stage.show({ html: APP }, { port: true });
    const { src, viewOrigin, isolation } = shown.registered;
    expect(src).toMatch(new RegExp(`^${origin}/p/[a-z2-7]{26}/[a-z2-7]{52}$`));
    expect([viewOrigin, isolation, shown.registered.origin]).toEqual(["null", "shared", origin]);
    const view = await shown.view();
    expect(await view.evaluate(() => globalThis.origin)).toBe("null");
    await view.evaluate(() => parent.postMessage({ jsonrpc: "2.0", id: 1, method: "ping" }, "*"));
    await shown.untilHeard("ping");
    await shown.post({ jsonrpc: "2.0", id: 1, result: {} });
    await until(async () =>
      expect(await view.evaluate(() => noted)).toEqual([
        { data: { jsonrpc: "2.0", id: 1, result: {} }, origin },
      ]),
    );
  });

  it("S11: gives no app storage, cookies, or the document of another app or of a proxy", async () => {
    const shown = await stage.show({ html: APP, server: "one" });
    const view = await shown.view();
    await besides(shown, "two");
    expect(await outcome(view, () => localStorage.length)).toBe("SecurityError");
    expect(await outcome(view, () => document.cookie)).toBe("SecurityError");
    expect(
      await outcome(
        view,
        () =>
          new Promise((_, reject) => {
            const request = indexedDB.open("x");
            request.onerror = () => reject(request.error);
          }),
      ),
    ).toBe("SecurityError");
    expect(await outcome(view, () => parent.document.title)).toBe("SecurityError");
    expect(await outcome(view, () => top?.frames[1]?.document.title)).toBe("SecurityError");
    expect(await outcome(view, () => top?.frames[1]?.frames[0]?.document.title)).toBe("SecurityError");
  });

  it("attack: an app cannot lead its frame to the document of another app", async () => {
    const shown = await stage.show({ html: APP, server: "one" });
    const view = await shown.view();
    const other = await stage.served.sandbox.register({ server: "two", html: "<title>two</title>" });
    await view.evaluate(
      (address) => {
        location.href = address;
      },
      other.src.replace("/p/", "/v/"),
    );
    await shown.untilReported("navigated-away");
    expect(
      shown.page
        .frames()
        .some((frame) => frame.url().includes("/v/") && frame.url().endsWith(other.src.slice(-52))),
    ).toBe(false);
  });

  it("attack: an app that declares the sandbox as its frame source shows no proxy of another app", async () => {
    const other = await stage.served.sandbox.register({ server: "two", html: "<title>two</title>" });
    const meta = { csp: { frameDomains: [origin], resourceDomains: [origin], connectDomains: [origin] } };
    const shown = await stage.show({ html: APP, server: "one", meta });
    const view = await shown.view();
    await view.evaluate(
      (addresses) => {
        for (const src of addresses)
          document.body.append(Object.assign(document.createElement("iframe"), { src }));
      },
      [other.src, other.src.replace("/p/", "/v/")],
    );
    await until(() => expect(view.childFrames()).toHaveLength(2));
    await until(async () => {
      for (const frame of view.childFrames()) expect(frame.url()).toMatch(/^chrome-error:/);
    });
    // Nor does it read one.
    expect(
      await view.evaluate(
        (src) =>
          fetch(src).then(
            () => "read",
            (error) => error.name,
          ),
        other.src,
      ),
    ).toBe("TypeError");
  });

  it("a busy app does not stop the page", async () => {
    const shown = await stage.show({ html: APP, server: "one" });
    const view = await shown.view();
    const longest = shown.page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let last = performance.now();
          let most = 0;
          const timer = setInterval(() => {
            most = Math.max(most, performance.now() - last);
            last = performance.now();
          }, 10);
          setTimeout(() => {
            clearInterval(timer);
            resolve(most);
          }, 4000);
        }),
    );
    await view.evaluate(() => {
      setTimeout(() => {
        const end = performance.now() + 3000;
        while (performance.now() < end);
      });
    });
    expect(await longest).toBeLessThan(2000);
  });
});

describe("a sandbox of one host", () => {
  const secret = "a secret of sixteen bytes or more";
  const hosts = ["https://chat.example.com"];
  const one = (): Sandbox => new Sandbox({ secret, hosts, origin: "https://Sandbox.example.com:443" });

  it("knows its requests, and answers no other host or path", async () => {
    const sandbox = one();
    expect([sandbox.handles("sandbox.example.com"), sandbox.handles("SANDBOX.example.com")]).toEqual([
      true,
      true,
    ]);
    expect([sandbox.handles("chat.example.com"), sandbox.handles(null)]).toEqual([false, false]);
    const { src } = await sandbox.register({ server: "s", html: "<p>x" });
    const status = async (url: string): Promise<number> => (await sandbox.fetch(new Request(url))).status;
    expect(src.startsWith("https://sandbox.example.com/p/")).toBe(true);
    expect(await status(src)).toBe(200);
    expect(await status(src.replace("/p/", "/v/"))).toBe(200);
    expect(await status(src.replace("sandbox.", "other."))).toBe(403);
    const other = await sandbox.register({ server: "t", html: "<p>x" });
    const [, , label] = new URL(other.src).pathname.split("/");
    for (const path of [
      "/",
      "/x/",
      src.slice(-53),
      `/q/${label}/x`,
      `/p/${label}${src.slice(-53)}`,
      `${new URL(src).pathname}/`,
    ])
      expect(await status(`https://sandbox.example.com${path}`), path).toBe(404);
    expect(await sandbox.has({ src })).toBe(true);
    await sandbox.forget({ src });
    expect(await sandbox.has({ src })).toBe(false);
  });

  it("refuses an origin for an app, and itself as a host page", async () => {
    await expect(one().register({ server: "s", opaque: false })).rejects.toMatchObject({ code: "invalid" });
    const pageViews = { opaque: false };
    expect(() => new Sandbox({ secret, hosts, origin: "https://sandbox.example.com", pageViews })).toThrow(
      "a view needs a host of its own",
    );
    const origin = "https://sandbox.example.com";
    expect(() => new Sandbox({ secret, hosts: [origin], origin })).toThrow("an app's own origin");
    expect(() => new Sandbox({ secret, hosts: ["https://*.example.com"], origin })).toThrow(
      "an app's own origin",
    );
  });

  it("S09: grants no permission that an opaque view cannot have", async () => {
    const meta = { permissions: { camera: {}, clipboardWrite: {} } };
    const { permissions } = await one().register({ server: "s", meta, grant: () => true });
    expect(permissions).toEqual({ clipboardWrite: {} });
  });

  it.each([
    "",
    "sandbox.example.com",
    "https://sandbox.example.com/x",
    "https://*.example.com",
    "ftp://sandbox.example.com",
    "https://a b",
  ])("is not %j", (origin) => {
    expect(() => new Sandbox({ secret, hosts, origin })).toThrow("the sandbox's origin");
  });
});
