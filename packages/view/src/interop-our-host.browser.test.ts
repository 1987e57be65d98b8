/** T01–T03, T07: views from every SDK on our own protocol and lifecycle. */
import type { Frame, JSHandle, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { inlineScript } from "../../../testing/browser.ts";
import type { EventLog } from "../../../testing/event-log.ts";
import type { Mounted, MountOptions } from "../../../testing/interop/our-host.ts";
import { CONTEXT, HOST_INFO, RESULT } from "../../../testing/interop/scene.ts";
import { pageOf, Stage } from "../../../testing/interop/stage.ts";
import type { App } from "./app.js";

// In the pages. `log` is the host's or the view's, depending on where it is read.
declare const mount: (options: MountOptions) => Mounted;
declare const hosted: Mounted["hosted"];
declare const iframe: Mounted["iframe"];
declare const app: App;
declare const callTool: (name: string, args: object) => Promise<unknown>;
declare const log: EventLog;

const APP_INFO = { name: "recording-view", version: "1.2.3" };
const UNKNOWN = { name: "unknown", version: "0.0.0" };
/** Each kind of view: its page, the app info that the host gets, and whether it answers a teardown. */
const VIEWS = [
  { name: "our App", path: "/vitrine", info: APP_INFO, isApp: true },
  { name: "App of ext-apps 1.7.5", path: "/ext-apps-1", info: APP_INFO, isApp: true },
  { name: "App of ext-apps 2.0.4", path: "/ext-apps-2", info: APP_INFO, isApp: true },
  { name: "our McpApp", path: "/mcp-app", info: { name: "app", version: "0.0.0" } },
  { name: "a hand-written McpApp", path: "/hand-written", info: UNKNOWN },
  { name: "a raw client", path: "/raw", info: { name: "My App", version: "1.0.0" }, isRaw: true },
  {
    name: "a raw client of text",
    path: "/raw?text",
    info: { name: "My App", version: "1.0.0" },
    isRaw: true,
  },
];

/** A view in the host page. */
interface Scene {
  /** The page, with `hosted`, `iframe` and `log` of this view. */
  host: Pick<Page, "evaluate">;
  view: Frame;
}

let stage: Stage;
let page: Page;

/** Mounts a view in a shared host page: one page per view would take most of the test's time. */
async function openHost(path: string, options: Omit<MountOptions, "url"> = {}): Promise<JSHandle<Mounted>> {
  return page.evaluateHandle((options) => mount(options), { url: stage.viewOrigin + path, ...options });
}
/** The page, as the host of one mounted view. */
const hostOf = (mounted: JSHandle<Mounted>): Scene["host"] => ({
  evaluate: (async (work: () => unknown, argument?: unknown) => {
    await mounted.evaluate((mounted) => void Object.assign(globalThis, mounted));
    return page.evaluate(work, argument);
  }) as Page["evaluate"],
});
async function open(path: string, options?: Omit<MountOptions, "url">): Promise<Scene> {
  const mounted = await openHost(path, options);
  const element = await mounted.evaluateHandle(({ iframe }) => iframe);
  const frame = await element.contentFrame();
  if (!frame) throw new Error("no frame");
  await frame.waitForURL(stage.viewOrigin + path);
  return { host: hostOf(mounted), view: frame };
}

beforeAll(async () => {
  const post = (message: object): string =>
    inlineScript(`parent.postMessage(${JSON.stringify({ jsonrpc: "2.0", ...message })}, "*");`);
  const initialize = { id: 1, method: "ui/initialize", params: {} };
  stage = await Stage.open({
    "/host": await pageOf("interop/our-host.ts"),
    "/vitrine": await pageOf("interop/recording-view.ts"),
    "/ext-apps-1": await pageOf("interop/recording-view.ts", { "@vitrine/view": "ext-apps-1" }),
    "/ext-apps-2": await pageOf("interop/recording-view.ts", {
      "@vitrine/view": "@modelcontextprotocol/ext-apps",
    }),
    "/mcp-app": await pageOf("interop/mcp-app-view.ts"),
    "/hand-written": await pageOf("interop/mcp-app-view.ts", {
      "@vitrine/view/mcp-app": "./hand-written-mcp-app.ts",
    }),
    "/raw": await pageOf("interop/raw-view.ts"),
    "/silent": "<!doctype html><p>Nothing here ever speaks.</p>",
    "/half": `<!doctype html>${post(initialize)}`,
    "/hasty": `<!doctype html>${post({ id: 0, method: "tools/call", params: { name: "echo" } })}${post(initialize)}`,
  });
  page = await stage.openPage("/host");
});
afterAll(() => stage?.close());

describe.each(VIEWS)("on our host, $name", ({ path, info, isApp, isRaw }) => {
  const inOrder = (view: Scene["view"]) =>
    view.evaluate(() => log.names("partial", "input", "result", "cancelled"));

  describe("in a conversation", () => {
    let host: Scene["host"];
    let view: Scene["view"];

    beforeAll(async () => {
      ({ host, view } = await open(path));
      await view.evaluate(() => log.until("connected"));
    });
    afterAll(() => host?.evaluate(() => iframe.remove()));
    afterEach(async () => {
      await host.evaluate(() => log.clear());
      await view.evaluate(() => log.clear());
    });

    it("L01–L03, T01: completes the handshake", async () => {
      expect(await view.evaluate(() => log.until("connected"))).toMatchObject(CONTEXT);
      expect(await host.evaluate(() => hosted.app)).toMatchObject({
        protocolVersion: "2026-01-26",
        appInfo: info,
        appCapabilities: isApp ? { availableDisplayModes: ["inline", "fullscreen"] } : {},
      });
      // T02: the raw client never sends `initialized`, and calls a tool instead.
      await host.evaluate(
        (method) => log.until(method),
        isRaw ? "tools/call" : "ui/notifications/initialized",
      );
      expect(
        await host.evaluate(() => [hosted.phase, ...log.values("refused"), ...log.values("report")]),
      ).toEqual(["ready"]);
      if (isRaw) {
        expect(await view.evaluate(() => log.until("first-call"))).toMatchObject({
          structuredContent: { echo: { query: "initial" } },
        });
      }
      if (isApp) {
        expect(await view.evaluate(() => [app.getHostVersion(), app.getHostCapabilities()])).toEqual([
          HOST_INFO,
          // Only the capabilities that this host has (I13).
          { serverTools: { listChanged: false } },
        ]);
      }
    });

    it("L04–L06: receives partial input, input and result, in order; D9: never out of order", async () => {
      const refused = await host.evaluate((result) => {
        const codeOf = (send: () => void): unknown => {
          try {
            send();
            return "sent";
          } catch (error) {
            return (error as { code: unknown }).code;
          }
        };
        const early = codeOf(() => hosted.tell("ui/notifications/tool-result", result));
        hosted.tell("ui/notifications/tool-input-partial", { arguments: { city: "Ro" } });
        hosted.tell("ui/notifications/tool-input", { arguments: { city: "Rome" } });
        const late = codeOf(() => hosted.tell("ui/notifications/tool-input-partial", { arguments: {} }));
        hosted.tell("ui/notifications/tool-result", result);
        return [early, late];
      }, RESULT);
      expect(refused).toEqual(["out-of-order", "out-of-order"]);
      await view.evaluate((last) => log.until(last), isRaw ? "ui/toolResult" : "result");
      // T06: a view written from an early description also receives the early names.
      const early = ["ui/toolInput", "ui/toolResult"];
      expect(await view.evaluate((names) => log.names(...names), early)).toEqual(isRaw ? early : []);
      const entries = await view.evaluate(() => log.entries);
      expect(entries.filter(({ name }) => !early.includes(name))).toEqual([
        { name: "partial", value: { arguments: { city: "Ro" } } },
        { name: "input", value: { arguments: { city: "Rome" } } },
        { name: "result", value: RESULT },
      ]);
    });

    it("X02, D11: receives changes of the context, and removals from it", async () => {
      const { locale, ...rest } = CONTEXT;
      await host.evaluate((context) => hosted.setContext(context), { ...rest, theme: "dark" as const });
      // In JSON, only null can express a removal.
      const gone = path.endsWith("?text") ? null : undefined;
      expect(await view.evaluate(() => log.until("context"))).toEqual({ theme: "dark", locale: gone });
      if (isApp) {
        const context = await view.evaluate(() => app.getHostContext());
        expect(context).toMatchObject({ ...rest, theme: "dark" });
        expect(context?.locale).toBeUndefined();
      }
    });

    it("I01: calls a tool; a failing tool gives a result; a failed call rejects", async () => {
      expect(await view.evaluate(() => callTool("echo", { a: 1 }))).toEqual({
        content: [{ type: "text", text: "done" }],
        structuredContent: { echo: { a: 1 } },
      });
      expect(await view.evaluate(() => callTool("fail", {}))).toMatchObject({ isError: true });
      const refusal = await view.evaluate(() => callTool("throw", {}).catch(({ message }) => message));
      expect(refusal).toContain("boom");
    });

    if (isApp) {
      it("I12: receives the progress of a call", async () => {
        const heard = await view.evaluate(async () => {
          const heard: unknown[] = [];
          await app.callServerTool({ name: "progress" }, { onprogress: (progress) => heard.push(progress) });
          return heard;
        });
        expect(heard).toEqual([
          { progress: 1, total: 2, message: "step 1" },
          { progress: 2, total: 2, message: "step 2" },
        ]);
      });

      it("I12: cancels a call; the handler's signal aborts", async () => {
        const outcome = view.evaluate(() => {
          const controller = new AbortController();
          Object.assign(globalThis, { controller });
          return app.callServerTool({ name: "slow" }, { signal: controller.signal }).then(
            () => "answered",
            () => "rejected",
          );
        });
        await host.evaluate(() => log.until("call"));
        await view.evaluate("controller.abort()");
        expect(await outcome).toBe("rejected");
        await host.evaluate(() => log.until("aborted"));
      });

      it("A01–A03: offers a tool", async () => {
        const { tools } = await host.evaluate(() => hosted.ask("tools/list", {}));
        expect(tools).toMatchObject([{ name: "double", inputSchema: { required: ["n"] } }]);
        expect(
          await host.evaluate(() => hosted.ask("tools/call", { name: "double", arguments: { n: 21 } })),
        ).toMatchObject({ structuredContent: { doubled: 42 } });
      });
    }

    if (!isRaw) {
      it("L10: answers a ping", async () => {
        expect(await host.evaluate(() => hosted.ask("ping", {}))).toEqual({});
      });
    }
  });

  describe("with a tool call that ended before the view started", () => {
    let host: Scene["host"];
    let view: Scene["view"];

    beforeAll(async () => {
      // The raw client answers no request, so the test waits only briefly.
      ({ host, view } = await open(path, { early: true, limits: isRaw ? { teardown: 200 } : {} }));
    });
    afterAll(() => host?.evaluate(() => iframe.remove()));

    it("L11, D8: receives the queued messages, in order and once", async () => {
      expect(await view.evaluate(() => log.until("result"))).toEqual(RESULT);
      // A later answer: a duplicate would have arrived before it.
      await view.evaluate(() => callTool("echo", {}));
      expect(await inOrder(view)).toEqual(["input", "result"]);
      const [first] = await view.evaluate(() => log.entries);
      expect(first?.name).toBe("connected");
    });

    it("receives them again after a reload, in order and once", async () => {
      await host.evaluate(() => {
        iframe.src = `${iframe.src}`;
        return log.until("ui/initialize", 2);
      });
      expect(await view.evaluate(() => log.until("result"))).toEqual(RESULT);
      await view.evaluate(() => callTool("echo", {}));
      expect(await inOrder(view)).toEqual(["input", "result"]);
      expect(await host.evaluate(() => log.values("refused"))).toEqual([]);
    });

    it("L08: is torn down", async () => {
      const cause = await host.evaluate(async () => (await hosted.teardown("over"))?.code);
      expect(cause).toBe(isRaw ? "teardown-timeout" : undefined);
      expect(await host.evaluate(() => [hosted.phase, iframe.isConnected])).toEqual(["closed", false]);
    });
  });

  it("L07: receives the cancellation, and no result", async () => {
    const { host, view } = await open(path);
    await host.evaluate(() => {
      hosted.tell("ui/notifications/tool-input-partial", { arguments: { city: "Ro" } });
      hosted.tell("ui/notifications/tool-cancelled", { reason: "the user stopped it" });
    });
    expect(await view.evaluate(() => log.until("cancelled"))).toEqual({ reason: "the user stopped it" });
    await expect(
      host.evaluate((result) => hosted.tell("ui/notifications/tool-result", result), RESULT),
    ).rejects.toThrow("tool-result was not sent");
  });
});

describe("on our host, a view without a teardown handler", () => {
  it.each([
    ["our App", "/vitrine"],
    ["App of ext-apps 1.7.5", "/ext-apps-1"],
    ["App of ext-apps 2.0.4", "/ext-apps-2"],
  ])("D12: %s is removed anyway", async (_name, path) => {
    const { host, view } = await open(`${path}?no-teardown`);
    await view.evaluate(() => log.until("connected"));
    await host.evaluate(() => log.until("ui/notifications/initialized"));
    expect(await host.evaluate(async () => (await hosted.teardown("over"))?.code)).toBeUndefined();
    expect(await host.evaluate(() => [hosted.phase, iframe.isConnected])).toEqual(["closed", false]);
  });
});

describe("on our host, a view that does not start", () => {
  it.each([
    ["never speaks", "/silent", { initialize: 300 }, "initialize-timeout"],
    ["never says that it is ready", "/half", { initialized: 300 }, "initialized-timeout"],
  ])("L13: %s: the host gives up with the cause", async (_name, path, limits, code) => {
    const host = hostOf(await openHost(path, { limits }));
    expect(await host.evaluate(() => log.until("failed"))).toEqual({ code, message: expect.any(String) });
    expect(await host.evaluate(() => [hosted.phase, iframe.isConnected])).toEqual(["failed", false]);
  });

  it("calls before the handshake: the call is refused, the handshake succeeds", async () => {
    const host = hostOf(await openHost("/hasty"));
    await host.evaluate(() => log.until("ui/initialize"));
    expect(await host.evaluate(() => [hosted.phase, log.values("refused"), log.values("call")])).toEqual([
      "initializing",
      ["ui/initialize comes first"],
      [],
    ]);
  });
});
