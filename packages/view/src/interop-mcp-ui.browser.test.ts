/** T08: our views inside the React component of `@mcp-ui/client` 7.1.1, behind a sandbox proxy. */
import { readFileSync } from "node:fs";
import { viewScript } from "@vitrine/view/script";
import type { Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { inlineScript } from "../../../testing/browser.ts";
import type { EventLog } from "../../../testing/event-log.ts";
import type { RendererProps } from "../../../testing/interop/mcp-ui-host.tsx";
import { CONTEXT, HOST_CAPABILITIES, HOST_INFO, RESULT } from "../../../testing/interop/scene.ts";
import { pageOf, Stage } from "../../../testing/interop/stage.ts";
import type { App } from "./app.js";

// In the pages. `log` is the host's or the view's, depending on where it is read.
declare const setProps: (changes: Partial<RendererProps>) => void;
declare const teardown: () => unknown;
declare const app: App;
declare const log: EventLog;

let stage: Stage;

beforeAll(async () => {
  const proxy = new URL("../../../testing/interop/sandbox-proxy.html", import.meta.url);
  stage = await Stage.open({
    "/host": await pageOf("interop/mcp-ui-host.tsx"),
    "/proxy": readFileSync(proxy, "utf8"),
    "/module": await pageOf("interop/recording-view.ts"),
    "/script": await pageOf(
      "interop/recording-view.ts",
      { "@vitrine/view": "export const { App } = globalThis.vitrine;" },
      { before: inlineScript(viewScript({ name: "scripted", version: "9.9.9" })) },
    ),
  });
});
afterAll(() => stage?.close());

async function open(kind: string): Promise<{ host: Page; view: Frame }> {
  const { host, view: proxy } = await stage.open("/host", "/proxy", { html: `/${kind}` });
  const inside = (): Frame | undefined => proxy.childFrames()[0];
  const view = inside() ?? (await host.waitForEvent("frameattached", { predicate: () => !!inside() }));
  await view.waitForURL("about:srcdoc");
  await view.waitForFunction(() => "log" in globalThis, undefined, { polling: 20 });
  await view.evaluate(() => log.until("connected"));
  return { host, view };
}

describe.each(["module", "script"])("in @mcp-ui/client's AppRenderer, our App as a %s", (kind) => {
  let host: Page;
  let view: Frame;

  beforeAll(async () => {
    ({ host, view } = await open(kind));
  });
  afterAll(() => host?.close());
  afterEach(async () => {
    await host.evaluate(() => log.clear());
    await view.evaluate(() => log.clear());
  });

  it("L01–L03: completes the handshake; the component reports no error", async () => {
    const known = await view.evaluate(() => [
      app.getHostVersion(),
      app.getHostCapabilities(),
      app.getHostContext(),
    ]);
    expect(known).toEqual([HOST_INFO, HOST_CAPABILITIES, CONTEXT]);
    expect(await host.evaluate(() => log.values("error"))).toEqual([]);
  });

  it("L04–L06: receives partial input, input and result", async () => {
    await host.evaluate(() => setProps({ toolInputPartial: { arguments: { city: "Ro" } } }));
    await view.evaluate(() => log.until("partial"));
    await host.evaluate(() => setProps({ toolInput: { city: "Rome" } }));
    await view.evaluate(() => log.until("input"));
    await host.evaluate((toolResult) => setProps({ toolResult }), RESULT);
    await view.evaluate(() => log.until("result"));
    expect(await view.evaluate(() => log.entries)).toEqual([
      { name: "partial", value: { arguments: { city: "Ro" } } },
      { name: "input", value: { arguments: { city: "Rome" } } },
      { name: "result", value: RESULT },
    ]);
  });

  it("L07: receives the cancellation; the component passes no reason", async () => {
    await host.evaluate(() => setProps({ toolCancelled: true }));
    expect(await view.evaluate(() => log.until("cancelled"))).toEqual({});
  });

  it("X02, X03: a context change is merged and applied to the document", async () => {
    const theme = "dark" as const;
    await host.evaluate((hostContext) => setProps({ hostContext }), { ...CONTEXT, theme });
    expect(await view.evaluate(() => log.until("context"))).toEqual({ theme });
    expect(await view.evaluate(() => app.getHostContext())).toEqual({ ...CONTEXT, theme });
    expect(await view.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
  });

  it("I01: calls a tool; a failing tool gives a result; a failed call rejects with a number", async () => {
    expect(await view.evaluate(() => app.callServerTool({ name: "echo", arguments: { a: 1 } }))).toEqual({
      content: [{ type: "text", text: "done" }],
      structuredContent: { echo: { a: 1 } },
    });
    expect(await view.evaluate(() => app.callServerTool({ name: "fail" }))).toMatchObject({ isError: true });
    const refusal = await view.evaluate(() =>
      app.callServerTool({ name: "throw" }).catch(({ code, message }) => ({ code, message })),
    );
    expect(refusal).toEqual({ code: -32603, message: expect.stringContaining("boom") });
  });

  it("I12: receives progress, and cancels a call", async () => {
    const heard = await view.evaluate(async () => {
      const heard: unknown[] = [];
      await app.callServerTool({ name: "progress" }, { onprogress: (progress) => heard.push(progress) });
      return heard;
    });
    expect(heard).toEqual([{ progress: 1, total: 2 }]);
    await host.evaluate(() => log.clear());
    const outcome = view.evaluate(() => {
      const controller = new AbortController();
      Object.assign(globalThis, { controller });
      return app.callServerTool({ name: "slow" }, { signal: controller.signal }).catch(({ code }) => code);
    });
    await host.evaluate(() => log.until("call"));
    await view.evaluate("controller.abort()");
    expect(await outcome).toBe("aborted");
    await host.evaluate(() => log.until("aborted"));
  });

  it("I02: reads and lists resources, templates and prompts", async () => {
    const answers = await view.evaluate(() =>
      Promise.all([
        app.readServerResource({ uri: "demo://one" }),
        app.listServerResources(),
        app.listServerResourceTemplates(),
        app.listServerPrompts(),
      ]),
    );
    expect(answers).toEqual([
      { contents: [{ uri: "demo://one", text: "contents" }] },
      { resources: [{ uri: "demo://one", name: "one" }] },
      { resourceTemplates: [{ uriTemplate: "demo://{id}", name: "any" }] },
      { prompts: [{ name: "greet" }] },
    ]);
  });

  it("I04, I05, I08, I09: message, link, size, log", async () => {
    const text = { type: "text" as const, text: "hello" };
    await view.evaluate(async (text) => {
      await app.sendMessage({ role: "user", content: [text] });
      await app.openLink({ url: "https://example.com/" });
      await app.sendLog({ level: "info", data: "n" });
      document.body.appendChild(document.createElement("div")).style.height = "333px";
    }, text);
    await host.evaluate(() => log.until("size"));
    expect(await host.evaluate(() => log.entries.slice(0, 3))).toEqual([
      { name: "message", value: { role: "user", content: [text] } },
      { name: "open-link", value: { url: "https://example.com/" } },
      { name: "log", value: { level: "info", data: "n" } },
    ]);
  });

  // The component has no prop for these: they arrive at its fallback handler.
  it("I06, I10, D16: requests without a prop reach the component's fallback handler", async () => {
    await view.evaluate(async () => {
      await app.updateModelContext({ structuredContent: { page: 2 } });
      await app.listServerTools();
    });
    expect(await host.evaluate(() => log.values("fallback"))).toEqual([
      { method: "ui/update-model-context", params: { structuredContent: { page: 2 } } },
      { method: "tools/list", params: {} },
    ]);
  });

  it("L08: is torn down", async () => {
    await host.evaluate(() => teardown());
    expect(await view.evaluate(() => log.until("teardown"))).toEqual({});
  });

  it("D12: is torn down without a handler", async () => {
    await view.evaluate(() => {
      app.onteardown = undefined;
    });
    expect(await host.evaluate(() => teardown())).toEqual({});
  });
});
