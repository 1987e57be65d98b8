/** S03: hosts that do not know us send the document by `sandbox-resource-ready`. */
import type { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventLog } from "../../../testing/event-log.ts";
import type { RendererProps } from "../../../testing/interop/mcp-ui-host.tsx";
import { CONTEXT, RESULT } from "../../../testing/interop/scene.ts";
import { pageOf } from "../../../testing/interop/stage.ts";
import { SandboxStage, Shown, until } from "../../../testing/sandbox-stage.ts";
import type { ViewRegistration } from "./sandbox.js";

// In the pages. `log` is the host's or the view's, depending on where it is read.
declare const bridge: AppBridge;
declare const setProps: (changes: Partial<RendererProps>) => void;
declare const log: EventLog;
declare const callTool: (name: string, args: object) => Promise<unknown>;

const OFFICIAL = "@modelcontextprotocol/ext-apps/app-bridge";
const HOSTS = ["/official-1.7.5", "/official-2.0.4", "/mcp-ui"];
const VIEWS = ["/app-1.7.5", "/app-2.0.4", "/app-vitrine"];

let stage: SandboxStage;
beforeAll(async () => {
  const host = "interop/sandboxed-official-host.ts";
  const view = "interop/recording-view.ts";
  stage = await SandboxStage.open({
    pages: {
      "/official-1.7.5": await pageOf(host, { [OFFICIAL]: "ext-apps-1/app-bridge" }),
      "/official-2.0.4": await pageOf(host),
      "/mcp-ui": await pageOf("interop/mcp-ui-host.tsx"),
      "/app-1.7.5": await pageOf(view, { "@vitrine/view": "ext-apps-1" }),
      "/app-2.0.4": await pageOf(view, { "@vitrine/view": "@modelcontextprotocol/ext-apps" }),
      "/app-vitrine": await pageOf(view),
    },
  });
});
afterAll(() => stage?.close());

/** Opens a host page with an app that reports its connection. */
async function open(
  host: string,
  app: string,
  registration: Partial<ViewRegistration> = {},
): Promise<{ host: Page; view: Frame; shown: Shown }> {
  const registered = await stage.served.sandbox.register({ server: "test", ...registration });
  const query = new URLSearchParams({ view: registered.src, html: app });
  const page = await stage.openPage(`${stage.site.origin()}${host}?${query}`);
  const shown = new Shown(page, registered);
  const view = await shown.view();
  await connected(view);
  return { host: page, view, shown };
}

const connected = (view: Frame): Promise<void> =>
  until(async () => {
    // The document is replaced once, and again when it is reloaded.
    expect(await view.evaluate(() => "log" in globalThis && log.names())).toContain("connected");
  });

/** The policy of a document, from the violation that it is made to cause. */
const policyInForce = (view: Frame): Promise<string> =>
  view.evaluate(
    () =>
      new Promise<string>((resolve) => {
        document.addEventListener("securitypolicyviolation", (event) => resolve(event.originalPolicy));
        fetch("https://wished.example/").catch(() => {});
      }),
  );

describe.each(HOSTS)("in the host %s", (host) => {
  it.each(VIEWS)("S03: the app %s renders and shakes hands", async (app) => {
    const { view, shown } = await open(host, app);
    const [context] = await view.evaluate(() => log.values("connected"));
    expect(context).toMatchObject({ theme: CONTEXT.theme, locale: CONTEXT.locale });
    expect(await view.evaluate(() => origin)).toBe(shown.registered.viewOrigin);
    expect(await view.evaluate(() => document.compatMode)).toBe("CSS1Compat");
    const called = await view.evaluate(() => callTool("add", { a: 1 }));
    expect(called).toMatchObject({ content: [{ type: "text", text: "done" }] });
    expect(await shown.page.evaluate(() => log.values("error"))).toEqual([]);
  });

  it("attack B09: the policy is the registered one, whatever the message asks for", async () => {
    const meta = { csp: { connectDomains: ["https://api.example"] } };
    const { view, shown } = await open(host, "/app-2.0.4", { meta });
    const policy = await policyInForce(view);
    expect(policy).toBe(shown.registered.policy);
    expect(policy).toContain("connect-src https://api.example;");
    expect(policy).not.toContain("wished.example");
    const { sandbox, allow } = await (await shown.proxy()).evaluate(() => {
      const { sandbox, allow } = document.querySelector("iframe") as HTMLIFrameElement;
      return { sandbox: sandbox.value, allow };
    });
    expect([sandbox, allow]).toEqual(["allow-scripts allow-forms allow-same-origin", ""]);
    // S10: so nothing of it works.
    expect(await view.evaluate(() => window.open("https://wished.example/"))).toBeNull();
    expect(
      await view.evaluate(() => {
        try {
          if (top) top.location.href = "https://wished.example/";
          return "went";
        } catch (error) {
          return (error as Error).name;
        }
      }),
    ).toBe("SecurityError");
  });

  it("S03: location.reload() in the view comes back, connected", async () => {
    const { view } = await open(host, "/app-2.0.4");
    await view.evaluate(() => {
      Object.assign(globalThis, { before: true });
      location.reload();
    });
    await until(async () => expect(await view.evaluate(() => "before" in globalThis)).toBe(false));
    await connected(view);
  });
});

it.each(["/official-1.7.5", "/official-2.0.4"])("S07: %s delivers input and result", async (host) => {
  const { host: page, view } = await open(host, "/app-2.0.4");
  await page.evaluate(() => log.until("initialized"));
  await page.evaluate(async (result) => {
    await bridge.sendToolInput({ arguments: { city: "Rome" } });
    await bridge.sendToolResult(result);
  }, RESULT);
  expect(await view.evaluate(() => log.until("input"))).toEqual({ arguments: { city: "Rome" } });
  expect(await view.evaluate(() => log.until("result"))).toEqual(RESULT);
});

it("S07: @mcp-ui/client delivers input and result", async () => {
  const { host, view } = await open("/mcp-ui", "/app-2.0.4");
  await host.evaluate(() => setProps({ toolInput: { city: "Rome" } }));
  expect(await view.evaluate(() => log.until("input"))).toEqual({ arguments: { city: "Rome" } });
  await host.evaluate((toolResult) => setProps({ toolResult }), RESULT);
  expect(await view.evaluate(() => log.until("result"))).toEqual(RESULT);
});

it("S03: a document without a doctype keeps its quirks, and scripts in it run in order", async () => {
  const html = "<script>order = [1]</script><p>quirks</p><script>order.push(document.compatMode)</script>";
  const shown = await stage.show({}, { resource: { html } });
  await until(async () => {
    const view = await shown.view();
    expect(await view.evaluate(() => (globalThis as { order?: unknown }).order)).toEqual([1, "BackCompat"]);
  });
});

it("S03: a second document changes nothing, and is not passed to the view", async () => {
  const shown = await stage.show({}, { resource: { html: "<title>first</title>" } });
  await until(async () => {
    const view = await shown.view();
    expect(await view.evaluate(() => document.title)).toBe("first");
  });
  const view = await shown.view();
  await view.evaluate(() => {
    const heard: unknown[] = [];
    addEventListener("message", ({ data }) => heard.push(data));
    Object.assign(globalThis, { heard });
  });
  await shown.post({
    method: "ui/notifications/sandbox-resource-ready",
    params: { html: "<title>second</title>" },
  });
  await shown.post({ method: "last" });
  await until(async () =>
    expect(await view.evaluate(() => (globalThis as { heard?: unknown }).heard)).toEqual([
      { method: "last" },
    ]),
  );
  expect(await view.evaluate(() => document.title)).toBe("first");
});
