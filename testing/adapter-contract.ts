/**
 * The contract of framework adapters: one suite, run with a component of each framework.
 *
 * The component shows, by id: `status` (connecting, connected, or `error: …`), `input`, `partial` and `result`
 * (JSON or `none`), `theme`, `locale`, `mode`, `modes`, `tool` (idle, pending, a text, or `error: …`) and
 * `count`. It has the buttons `fullscreen` (asks for it and shows the answer in `granted`), `call` (calls
 * `search` with a query), `increment`, and `more`, which adds a component that subscribes only then and shows
 * `late-result`, `late-input`, `late-partial` and `late-theme`. `unmount()` is global.
 */
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Site, serveSite, sharedChromium } from "./browser.js";
import { HOST_PAGE, type MountOptions, RawHost, shows, viewPage } from "./raw-host.js";

const CONTEXT = {
  theme: "dark",
  locale: "de-DE",
  displayMode: "inline",
  availableDisplayModes: ["inline", "fullscreen"],
};
const text = (said: string) => ({ content: [{ type: "text", text: said }] });

/** Optional additions of a test file. */
export interface AdapterTestContext {
  /** Opens a host and shows the component in it. */
  open(
    options?: Partial<MountOptions> & {
      path?: string;
      /** View and host are of one site; Chromium's incognito windows block storage in others. */
      sameSite?: boolean;
    },
  ): ReturnType<typeof show>;
}

async function show(host: RawHost, options: MountOptions) {
  const view = await host.mount(options);
  return {
    host,
    view,
    click: (id: string) => view.evaluate((name) => document.getElementById(name)?.click(), id),
  };
}

/** Runs the suite. `scripts` makes the views' scripts by path; the component of the suite is at `/view`. */
export function describeAdapter(
  name: string,
  scripts: () => Promise<Record<string, string>>,
  more?: (context: AdapterTestContext) => void,
): void {
  describe(name, () => {
    let browser: Browser;
    let site: Site;
    let host: RawHost;

    beforeAll(async () => {
      const made = Object.entries(await scripts());
      const pages = made.map(([path, code]) => [path, viewPage(code, '<div id="root"></div>')] as const);
      [browser, site] = await Promise.all([
        sharedChromium(),
        serveSite({ "/": HOST_PAGE, ...Object.fromEntries(pages) }),
      ]);
      host = await RawHost.launch(browser);
    });
    afterAll(async () => {
      await browser?.close();
      await site?.close();
    });
    afterEach(() => expect(host.console).toEqual([]));

    const open: AdapterTestContext["open"] = async ({ path = "/view", sameSite, ...options } = {}) => {
      await host.open(site.origin(sameSite ? "host.app" : ""));
      const url = site.origin(sameSite ? "view.app" : "view") + path;
      return show(host, { url, context: CONTEXT, ...options });
    };

    it("connects once and shows it", async () => {
      const { host, view } = await open({ answers: { "ui/initialize": "hold" } });
      await host.waitFor("ui/initialize");
      await shows(view, "status", "connecting");
      await host.answer("ui/initialize", {
        result: { protocolVersion: "2026-01-26", hostInfo: {}, hostCapabilities: {}, hostContext: {} },
      });
      await shows(view, "status", "connected");
      await host.waitFor("ui/notifications/initialized");
      expect(await host.received("ui/initialize")).toMatchObject([
        { params: { appInfo: { name: "panel", version: "1.0.0" }, protocolVersion: "2026-01-26" } },
      ]);
    });

    it("shows an error when the host refuses", async () => {
      const { host, view } = await open({
        answers: { "ui/initialize": { error: { code: -32000, message: "not today" } } },
      });
      await shows(view, "status", "error: not today");
      expect(await host.received("ui/notifications/initialized")).toEqual([]);
    });

    it("shows partial input, then input, then the result", async () => {
      const { host, view } = await open();
      await shows(view, "status", "connected");
      await shows(view, "partial", "none");
      await host.notify("ui/notifications/tool-input-partial", { arguments: { q: "te" } });
      await shows(view, "partial", '{"q":"te"}');
      await shows(view, "input", "none");
      await host.notify("ui/notifications/tool-input", { arguments: { q: "tea" } });
      await shows(view, "input", '{"q":"tea"}');
      await shows(view, "partial", "none");
      await host.notify("ui/notifications/tool-result", text("green"));
      await shows(view, "result", JSON.stringify(text("green")));
    });

    it("shows a component that comes late what arrived before", async () => {
      const { host, view, click } = await open();
      await host.waitFor("ui/notifications/initialized");
      await host.notify("ui/notifications/tool-input-partial", { arguments: { q: "te" } });
      await host.notify("ui/notifications/tool-input", { arguments: { q: "tea" } });
      await host.notify("ui/notifications/tool-result", text("green"));
      await shows(view, "result", JSON.stringify(text("green")));
      await click("more");
      await shows(view, "late-result", JSON.stringify(text("green")));
      await shows(view, "late-input", '{"q":"tea"}');
      await shows(view, "late-partial", "none");
      await shows(view, "late-theme", "dark");
    });

    it("loses nothing that the host sends on the heels of the handshake", async () => {
      const { host, view } = await open({ answers: { "ui/initialize": "hold" } });
      await host.waitFor("ui/initialize");
      // In one task, before the view's framework had a chance to render.
      await host.at.evaluate(
        ([method, result]) => {
          const raw = (
            globalThis as unknown as { host: { post(m: object): void; received: { id: number }[] } }
          ).host;
          raw.post({ id: raw.received[0]?.id, result: { protocolVersion: "2026-01-26", hostContext: {} } });
          raw.post({ method: "ui/notifications/tool-input", params: { arguments: {} } });
          raw.post({ method, params: result });
        },
        ["ui/notifications/tool-result", text("early")] as const,
      );
      await shows(view, "result", JSON.stringify(text("early")));
      await shows(view, "input", "{}");
    });

    it("shows the host context from the handshake on, and its changes", async () => {
      const { host, view } = await open();
      await shows(view, "theme", "dark");
      await shows(view, "locale", "de-DE");
      await host.notify("ui/notifications/host-context-changed", { theme: "light" });
      await shows(view, "theme", "light");
      await shows(view, "locale", "de-DE");
      await host.notify("ui/notifications/host-context-changed", { locale: null });
      await shows(view, "locale", "none");
    });

    it("reads and requests the display mode", async () => {
      const { host, view, click } = await open({
        answers: { "ui/request-display-mode": { result: { mode: "fullscreen" } } },
      });
      await shows(view, "mode", "inline");
      await shows(view, "modes", "inline,fullscreen");
      await click("fullscreen");
      await shows(view, "granted", "fullscreen");
      expect(await host.received("ui/request-display-mode")).toMatchObject([
        { params: { mode: "fullscreen" } },
      ]);
      await host.notify("ui/notifications/host-context-changed", { displayMode: "fullscreen" });
      await shows(view, "mode", "fullscreen");
    });

    it("calls a tool: pending, result, error", async () => {
      const { host, view, click } = await open({ answers: { "tools/call": "hold" } });
      await shows(view, "status", "connected");
      await shows(view, "tool", "idle");
      await click("call");
      await shows(view, "tool", "pending");
      const [call] = await host.waitFor("tools/call");
      expect(call?.params).toMatchObject({ name: "search", arguments: { query: "tea" } });
      await host.answer("tools/call", { result: text("found") });
      await shows(view, "tool", "found");
      await host.answer("tools/call", { error: { code: -32000, message: "no server" } });
      await click("call");
      await shows(view, "tool", "error: no server");
      await host.answer("tools/call", { result: text("again") });
      await click("call");
      await shows(view, "tool", "again");
    });

    it("stays pending until the last of two calls is answered, and shows that one's answer", async () => {
      const { host, view, click } = await open({ answers: { "tools/call": "hold" } });
      await shows(view, "status", "connected");
      await click("call");
      await click("call");
      const [first, second] = await host.waitFor("tools/call", 2);
      await host.post({ id: first?.id, result: text("first") });
      await host.request("ping");
      await shows(view, "tool", "pending");
      await host.post({ id: second?.id, result: text("second") });
      await shows(view, "tool", "second");
    });

    it("shows the answer to the last call even if an earlier one is answered later", async () => {
      const { host, view, click } = await open({ answers: { "tools/call": "hold" } });
      await shows(view, "status", "connected");
      await click("call");
      await click("call");
      const [first, second] = await host.waitFor("tools/call", 2);
      await host.post({ id: second?.id, result: text("second") });
      await shows(view, "tool", "second");
      await host.post({ id: first?.id, result: text("first") });
      await host.request("ping");
      await shows(view, "tool", "second");
    });

    it("keeps its state across a reload of the frame", async () => {
      const context = { ...CONTEXT, "vitrine/instance": "one" };
      const { host, view, click } = await open({ context, sameSite: true });
      await shows(view, "status", "connected");
      await shows(view, "count", "0");
      await click("increment");
      await click("increment");
      await shows(view, "count", "2");
      await host.reload();
      await shows(view, "status", "connected");
      await shows(view, "count", "2");
    });

    it("closes the app when it unmounts (D21)", async () => {
      const { host, view } = await open();
      await shows(view, "status", "connected");
      const { length } = await host.waitFor("ui/notifications/size-changed");
      // An observer of our own sees the growth as the app does: then the app had its chance to report it.
      const grow = () =>
        new Promise<void>((resolve) => {
          const more = document.createElement("div");
          more.style.height = "1000px";
          new ResizeObserver(() => setTimeout(resolve, 50)).observe(more);
          document.body.append(more);
        });
      await view.evaluate(grow);
      await host.waitFor("ui/notifications/size-changed", length + 1);
      await view.evaluate(() => (globalThis as unknown as { unmount(): void }).unmount());
      // When this message has arrived, all earlier ones have too.
      const fence = (name: string): Promise<unknown> => {
        void view.evaluate((method) => parent.postMessage({ jsonrpc: "2.0", method }, "*"), name);
        return host.waitFor(name);
      };
      await fence("x/before");
      const before = await host.received();
      await view.evaluate(grow);
      await host.notify("ui/notifications/tool-result", text("nobody hears it"));
      await fence("x/after");
      expect((await host.received()).slice(0, -1)).toEqual(before);
    });

    more?.({ open });
  });
}
