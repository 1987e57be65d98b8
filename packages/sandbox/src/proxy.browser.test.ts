/** The proxy page in a real browser: which windows it serves, which messages it relays, and which it keeps. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inlineScript, serveSite } from "../../../testing/browser.ts";
import { SandboxStage, type Shown, until } from "../../../testing/sandbox-stage.ts";

/** The record that the app below keeps of each message. */
interface Noted {
  data: unknown;
  origin: string;
  fromParent: boolean;
  ports: number;
}
declare const noted: Noted[];
/** Globals of the host page. */
declare const host: { post(message: unknown): void; show(showing: object): void };

/** An app that records its messages. */
const APP = `<!doctype html><title>app</title><p>app</p>${inlineScript(`
  const noted = [];
  addEventListener("message", ({ data, origin, source, ports }) =>
    noted.push({ data, origin, fromParent: source === parent, ports: ports.length }));
`)}`;

let stage: SandboxStage;
beforeAll(async () => {
  stage = await SandboxStage.open();
});
afterAll(() => stage?.close());

async function say(shown: Shown, message: unknown): Promise<void> {
  const view = await shown.view();
  await view.evaluate((each) => parent.postMessage(each, "*"), message);
}

async function untilNoted(shown: Shown, count = 1): Promise<Noted[]> {
  const view = await shown.view();
  return until(async () => {
    const found = await view.evaluate(() => noted);
    expect(found.length).toBeGreaterThanOrEqual(count);
    return found;
  });
}

describe.each([
  ["by postMessage", false],
  ["by the port", true],
])("a host that speaks %s", (_how, port) => {
  it("S01: host page, proxy and view have three origins, and none reaches into another", async () => {
    const shown = await stage.show({ html: APP }, { port });
    const [view, proxy] = [await shown.view(), await shown.proxy()];
    const origins = await Promise.all([shown.page, proxy, view].map((each) => each.evaluate(() => origin)));
    expect(origins).toEqual([stage.site.origin(), shown.registered.origin, shown.registered.viewOrigin]);
    expect(new Set(origins).size).toBe(3);
    const reach = (): string[] =>
      [() => parent.document, () => top?.document, () => frameElement?.tagName].map((look) => {
        try {
          return `${look()}`;
        } catch (error) {
          return (error as Error).name;
        }
      });
    // B01, B03: `frameElement` is null across origins.
    expect(await view.evaluate(reach)).toEqual(["SecurityError", "SecurityError", "undefined"]);
    expect((await proxy.evaluate(reach)).slice(0, 2)).toEqual(["SecurityError", "SecurityError"]);
  });

  it("S07: messages are relayed both ways, unchanged", async () => {
    const shown = await stage.show({ html: APP }, { port });
    const request = {
      jsonrpc: "2.0",
      id: 1,
      method: "ui/initialize",
      params: { deep: [{ a: "\u2028é🙂" }] },
    };
    // The port is in transit while the view may already send: earlier messages come without it.
    await expect
      .poll(async () => {
        await say(shown, { jsonrpc: "2.0", method: "ui/notifications/test" });
        return (await shown.heard()).at(-1)?.byPort;
      })
      .toBe(port);
    await say(shown, request);
    expect(await shown.untilHeard("ui/initialize")).toEqual(request);
    const answer = { jsonrpc: "2.0", id: 1, result: { text: "</script>\u2028" } };
    await shown.post(answer);
    expect(await untilNoted(shown)).toEqual([
      { data: answer, origin: shown.registered.origin, fromParent: true, ports: 0 },
    ]);
    const forms = (await shown.heard()).filter(({ message }) => message.method === "ui/initialize");
    expect(forms).toMatchObject([{ isText: port, byPort: port }]);
  });

  it("S07: the proxy invents no request, and relays nothing reserved to the view", async () => {
    const shown = await stage.show({ html: APP }, { port });
    await shown.view();
    for (const what of ["resource-ready", "proxy-ready", "other"])
      await shown.post({ jsonrpc: "2.0", method: `ui/notifications/sandbox-${what}`, params: { html: "x" } });
    await shown.post({ jsonrpc: "2.0", method: "ui/notifications/tool-input", params: {} });
    expect((await untilNoted(shown)).map(({ data }) => data)).toEqual([
      { jsonrpc: "2.0", method: "ui/notifications/tool-input", params: {} },
    ]);
    for (const { message } of await shown.heard()) {
      expect(message.id).toBeUndefined();
      expect(message.method).toMatch(/^ui\/notifications\/sandbox-/);
    }
  });

  it("T03: a view that speaks text is answered in text", async () => {
    const shown = await stage.show({ html: APP }, { port });
    await say(shown, JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" }));
    expect(await shown.untilHeard("ping")).toEqual({ jsonrpc: "2.0", id: 7, method: "ping" });
    await shown.post({ jsonrpc: "2.0", id: 7, result: {} });
    const [{ data } = {}] = await untilNoted(shown);
    expect(JSON.parse(`${data}`)).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
  });

  it("attack B04, B05: reserved methods of a view are dropped and reported", async () => {
    const shown = await stage.show({ html: APP }, { port });
    const forged = ["sandbox-resource-ready", "sandbox-proxy-ready", "sandbox-pong", "sandbox-"];
    for (const name of forged) {
      const message = {
        jsonrpc: "2.0",
        method: `ui/notifications/${name}`,
        params: { sandbox: "allow-popups" },
      };
      await say(shown, message);
      await say(shown, JSON.stringify({ ...message, id: 5 }));
    }
    await say(shown, { jsonrpc: "2.0", method: "last" });
    await shown.untilHeard("last");
    const reserved = (await shown.reports("reserved")).map(({ method }) => method);
    expect(reserved).toEqual(forged.flatMap((name) => Array(2).fill(`ui/notifications/${name}`)));
    const ready = (await shown.heard()).filter(({ message }) => /-ready$/.test(`${message.method}`));
    // Only the proxy's own message.
    expect(ready).toHaveLength(1);
    const proxy = await shown.proxy();
    expect(await proxy.evaluate(() => document.querySelector("iframe")?.sandbox.value)).toBe(
      "allow-scripts allow-forms allow-same-origin",
    );
  });

  it("S12: reports of a view about itself are marked as its own", async () => {
    const shown = await stage.show({ html: APP }, { port });
    const params = { code: "loaded", by: "proxy" };
    await say(shown, { jsonrpc: "2.0", method: "ui/notifications/sandbox-report", params });
    await until(async () =>
      expect(await shown.reports("loaded")).toContainEqual({ code: "loaded", by: "view" }),
    );
  });

  it("S08: messages of a frame inside the view, and of a window that is not the host, are ignored", async () => {
    const shown = await stage.show({ html: APP }, { port });
    const [view, proxy] = [await shown.view(), await shown.proxy()];
    await view.evaluate(() => {
      const inner = document.body.appendChild(document.createElement("iframe"));
      const { contentWindow } = inner as HTMLIFrameElement & {
        contentWindow: Window & { eval: typeof eval };
      };
      const script = contentWindow.document.createElement("script");
      script.text = 'parent.parent.postMessage({ jsonrpc: "2.0", method: "inner" }, "*")';
      contentWindow.document.body.append(script);
    });
    // The proxy's own window is neither its parent nor its frame.
    await proxy.evaluate(() => postMessage({ jsonrpc: "2.0", method: "self" }, "*"));
    // The right windows with wrong origins, as after a navigation that got through.
    await proxy.evaluate(() => {
      const frame = document.querySelector("iframe");
      const data = { jsonrpc: "2.0", method: "moved" };
      for (const source of [parent, frame?.contentWindow])
        for (const origin of ["https://attacker.example", "null", ""])
          dispatchEvent(new MessageEvent("message", { source: source ?? null, origin, data }));
    });
    await say(shown, { jsonrpc: "2.0", method: "last" });
    await shown.untilHeard("last");
    const methods = (await shown.heard()).map(({ message }) => message.method);
    expect(methods).not.toContain("inner");
    expect(methods).not.toContain("self");
    expect(methods).not.toContain("moved");
    expect(await view.evaluate(() => noted)).toEqual([]);
  });
});

it("D11: a key that was removed from the context is undefined in the view, not null", async () => {
  const shown = await stage.show({ html: APP }, { port: true });
  await shown.view();
  const method = "ui/notifications/host-context-changed";
  await shown.post({ jsonrpc: "2.0", method, params: { theme: "dark", toolInfo: null } });
  await untilNoted(shown);
  const view = await shown.view();
  const kinds = await view.evaluate(() => {
    return Object.entries(Object(noted[0]?.data).params).map(([key, value]) => `${key} ${typeof value}`);
  });
  expect(kinds).toEqual(["theme string", "toolInfo undefined"]);
});

describe("a large message", () => {
  const records = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `record ${id}`, tags: ["a", "b"] }));
  const params = { structuredContent: { records } };
  const text = JSON.stringify({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params });

  /** Messages of the view, with large data as text, which is transferred to the test many times faster. */
  const untilNotedAsText = async (shown: Shown, count: number): Promise<Noted[]> => {
    const view = await shown.view();
    return until(async () => {
      const found = await view.evaluate(() =>
        noted.map((each) => ({ ...each, data: JSON.stringify(each.data) })),
      );
      expect(found.length).toBeGreaterThanOrEqual(count);
      return found;
    });
  };

  it("S07, S08: goes directly to the view and arrives as one ordinary event, in order", async () => {
    const shown = await stage.show({ html: APP }, { port: true });
    await shown.untilHeard("ui/notifications/sandbox-started");
    await shown.view();
    await shown.post({ jsonrpc: "2.0", method: "before" });
    expect(text.length).toBeGreaterThan(1_000_000);
    await shown.postLarge(text);
    const heard = await untilNotedAsText(shown, 2);
    const whence = { origin: shown.registered.origin, fromParent: true, ports: 0 };
    expect(heard[0]).toEqual({ data: '{"jsonrpc":"2.0","method":"before"}', ...whence });
    expect(heard[1]?.data === text).toBe(true);
    expect(heard[1]).toMatchObject(whence);
    expect(heard).toHaveLength(2);
  });

  it("S08: has the proxy's origin even if it is the first message to the view", async () => {
    const shown = await stage.show({ html: APP }, { port: true });
    await shown.untilHeard("ui/notifications/sandbox-started");
    await shown.view();
    await shown.postLarge(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { a: "x".repeat(200_000) } }));
    const [first] = await untilNotedAsText(shown, 1);
    expect(first).toMatchObject({ origin: shown.registered.origin, fromParent: true });
  });

  it("S07: arrives too where the host speaks by postMessage", async () => {
    const shown = await stage.show({ html: APP });
    await shown.view();
    await shown.page.evaluate((each) => host.post(JSON.parse(each)), text);
    const [first] = await untilNotedAsText(shown, 1);
    expect(first?.data === text).toBe(true);
  });
});

describe("whom the proxy serves", () => {
  it("attack B16: a page that is not its host cannot frame it, nor the view", async () => {
    const shown = await stage.show({ html: APP }, { host: stage.site.origin("attacker"), port: true });
    const { src, viewOrigin } = shown.registered;
    const frame = await shown.proxy();
    await until(() => expect(frame.url()).toBe("chrome-error://chromewebdata/"));
    expect(await shown.heard()).toEqual([]);
    // The view's own document is not loaded either.
    const address = viewOrigin + new URL(src).pathname;
    const options = { src: address, origin: viewOrigin, allow: "" };
    const page = await stage.openPage(`${stage.site.origin("attacker")}/`);
    await page.evaluate((each) => host.show(each), options);
    await until(() => expect(page.frames()[1]?.url()).toBe("chrome-error://chromewebdata/"));
  });

  it("S02: neither page works in a separate tab", async () => {
    const { src, viewOrigin } = await stage.served.sandbox.register({ server: "test", html: APP });
    const page = await stage.openPage("about:blank");
    for (const address of [src, viewOrigin + new URL(src).pathname]) {
      const response = await page.goto(address);
      expect(response?.status()).toBe(404);
      expect(await page.evaluate(() => document.scripts.length)).toBe(0);
    }
  });

  it("S02: without headers it still refuses, in a tab and in a page of its own origin", async () => {
    const { src } = await stage.served.sandbox.register({ server: "test", html: APP });
    // The page on a site that adds no policy: only its script acts.
    const text = await (await stage.served.sandbox.fetch(new Request(src))).text();
    const site = await serveSite({ "/proxy": text, "/": '<iframe src="/proxy"></iframe>' });
    try {
      const page = await stage.openPage("about:blank");
      const errors: string[] = [];
      page.on("pageerror", ({ message }) => errors.push(message));
      await page.goto(`${site.origin("x")}/proxy`);
      await until(() => expect(errors).toEqual(["only inside its host"]));
      expect(page.frames()).toHaveLength(1);
      await page.goto(`${site.origin("x")}/`);
      await until(() => expect(errors).toHaveLength(2));
      expect(page.frames()).toHaveLength(2);
    } finally {
      await site.close();
    }
  });

  it("S02: a host that is named second is served as the first is", async () => {
    const others = await SandboxStage.beside(stage, { hosts: ["https://chat.example", stage.site.origin()] });
    const shown = await others.show({ html: APP }, { port: true });
    await say(shown, { jsonrpc: "2.0", method: "hello" });
    await shown.untilHeard("hello");
    await others.served.close();
  });

  it("S08: a sandbox with several hosts speaks to the one that shows it, and logs no error for the others", async () => {
    const hosts = ["https://chat.example", stage.site.origin(), "https://other.example"];
    const others = await SandboxStage.beside(stage, { hosts });
    const page = await stage.openPage(`${stage.site.origin()}/`);
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    const { src, origin, allow } = await others.served.sandbox.register({ server: "test", html: APP });
    await page.evaluate((options) => host.show(options), { src, origin, allow, port: true });
    await until(async () => expect(JSON.stringify(await page.evaluate("host.heard"))).toContain("loaded"));
    expect(said).toEqual([]);
    await others.served.close();
  });
});

describe("a page that is made ready before it is needed", () => {
  it("S03: runs nothing until it is shown", async () => {
    const registered = await stage.served.sandbox.register({ server: "test", html: APP });
    const shown = await stage.show({ html: APP }, { port: true, src: `${registered.src}#later` });
    await shown.untilHeard("ui/notifications/sandbox-proxy-ready");
    await shown.post({ jsonrpc: "2.0", method: "ui/notifications/sandbox-ping" });
    await shown.untilHeard("ui/notifications/sandbox-pong");
    const proxy = await shown.proxy();
    // Its document is shown as text.
    await shown.untilReported("loaded");
    const [view] = proxy.childFrames();
    expect(await view?.evaluate(() => document.querySelector("plaintext")?.textContent)).toBe(APP);
    expect(await view?.evaluate(() => document.scripts.length)).toBe(1);
    await shown.post({ jsonrpc: "2.0", method: "ui/notifications/sandbox-load" });
    await shown.post({ jsonrpc: "2.0", method: "ui/notifications/sandbox-load" });
    await until(async () => expect(await shown.reports("loaded")).toHaveLength(2));
    expect(proxy.childFrames()).toHaveLength(1);
    expect(await view?.evaluate(() => [document.querySelector("plaintext"), location.search])).toEqual([
      null,
      "",
    ]);
  });
});
