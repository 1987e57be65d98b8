/** T08: our views inside the official `AppBridge`, 1.7.5 and 2.0.4, with all features of those hosts. */
import type { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import { viewScript } from "@vitrine/view/script";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { inlineScript } from "../../../testing/browser.ts";
import type { EventLog } from "../../../testing/event-log.ts";
import {
  CONTEXT,
  HOST_CAPABILITIES,
  HOST_INFO,
  RESULT,
  someVariables,
} from "../../../testing/interop/scene.ts";
import { pageOf, type Scene, Stage } from "../../../testing/interop/stage.ts";
import type { App } from "./app.js";
import type { RegisteredAppTool } from "./app-tools.js";

// In the pages. `log` is the host's or the view's, depending on where it is read.
declare const bridge: AppBridge;
declare const app: App;
declare const tool: RegisteredAppTool;
declare const log: EventLog;
declare const anySchema: unknown;

let stage: Stage;

beforeAll(async () => {
  const OFFICIAL = "@modelcontextprotocol/ext-apps/app-bridge";
  stage = await Stage.open({
    "/host-1.7.5": await pageOf("interop/official-host.ts", { [OFFICIAL]: "ext-apps-1/app-bridge" }),
    "/host-2.0.4": await pageOf("interop/official-host.ts"),
    "/module": await pageOf("interop/recording-view.ts"),
    "/script": await pageOf(
      "interop/recording-view.ts",
      { "@vitrine/view": "export const { App } = globalThis.vitrine;" },
      { before: inlineScript(viewScript({ name: "scripted", version: "9.9.9" })) },
    ),
  });
});
afterAll(() => stage?.close());

describe.each(["1.7.5", "2.0.4"])("in the official AppBridge %s", (version) => {
  describe.each(["module", "script"])("our App, as a %s", (kind) => {
    let host: Scene["host"];
    let view: Scene["view"];

    beforeAll(async () => {
      ({ host, view } = await stage.open(`/host-${version}`, `/${kind}`));
      await view.evaluate(() => log.until("connected"));
    });
    afterAll(() => host?.close());
    afterEach(async () => {
      await host.evaluate(() => log.clear());
      await view.evaluate(() => log.clear());
    });

    it("T08, L01: completes the handshake; each side knows the other's name", async () => {
      expect(await host.evaluate(() => log.until("initialized"))).toEqual({
        appInfo: { name: "recording-view", version: "1.2.3" },
        appCapabilities: { tools: { listChanged: true }, availableDisplayModes: ["inline", "fullscreen"] },
      });
      const known = await view.evaluate(() => [
        app.getHostVersion(),
        app.getHostCapabilities(),
        app.getHostContext(),
      ]);
      expect(known).toEqual([HOST_INFO, HOST_CAPABILITIES, CONTEXT]);
      expect(await view.evaluate(() => log.names("error"))).toEqual([]);
    });

    it("T08, L04, L05, L06: receives partial input, input and result, in order", async () => {
      await host.evaluate((result) => {
        bridge.sendToolInputPartial({ arguments: { city: "Ro" } });
        bridge.sendToolInputPartial({ arguments: { city: "Rome" } });
        bridge.sendToolInput({ arguments: { city: "Rome", days: 3 } });
        bridge.sendToolResult(result);
      }, RESULT);
      await view.evaluate(() => log.until("result"));
      expect(await view.evaluate(() => log.entries)).toEqual([
        { name: "partial", value: { arguments: { city: "Ro" } } },
        { name: "partial", value: { arguments: { city: "Rome" } } },
        { name: "input", value: { arguments: { city: "Rome", days: 3 } } },
        { name: "result", value: RESULT },
      ]);
    });

    it("D8: receives the input that the bridge sends before the handshake is over", async () => {
      const other = await stage.openOnce(`/host-${version}`, `/${kind}`, { early: "yes" });
      await other.view.evaluate(() => log.until("connected"));
      expect(await other.view.evaluate(() => log.entries.slice(0, 2))).toMatchObject([
        { name: "input", value: { arguments: { early: true } } },
        { name: "connected" },
      ]);
    });

    it("L07: receives the cancellation", async () => {
      await host.evaluate(() => bridge.sendToolCancelled({ reason: "the user stopped it" }));
      expect(await view.evaluate(() => log.until("cancelled"))).toEqual({ reason: "the user stopped it" });
    });

    it("a late listener still gets input and result", async () => {
      await host.evaluate((result) => {
        bridge.sendToolInput({ arguments: { late: true } });
        bridge.sendToolResult(result);
      }, RESULT);
      const late = await view.evaluate(async () => {
        await log.until("result");
        return Promise.all([
          new Promise((resolve) => app.addEventListener("toolinput", resolve)),
          new Promise((resolve) => app.addEventListener("toolresult", resolve)),
        ]);
      });
      expect(late).toEqual([{ arguments: { late: true } }, RESULT]);
    });

    it("X02, X03: a context change is merged and applied to the document", async () => {
      const looks = () =>
        view.evaluate(() => ({
          theme: document.documentElement.dataset.theme,
          scheme: document.documentElement.style.colorScheme,
          variable: getComputedStyle(document.documentElement).getPropertyValue("--color-text-primary"),
          fonts: [...document.querySelectorAll("style")].map(({ textContent }) => textContent).join(),
        }));
      expect(await looks()).toEqual({ theme: "light", scheme: "light", variable: "rgb(1, 2, 3)", fonts: "" });
      const styles = {
        variables: someVariables({ "--color-text-primary": "rgb(9, 9, 9)" }),
        css: { fonts: '@font-face { font-family: "Host"; src: local("Arial") }' },
      };
      await host.evaluate(
        ([context, styles]) => bridge.setHostContext({ ...context, theme: "dark", styles }),
        [CONTEXT, styles] as const,
      );
      expect(await view.evaluate(() => log.until("context"))).toEqual({ theme: "dark", styles });
      expect(await view.evaluate(() => app.getHostContext())).toEqual({ ...CONTEXT, theme: "dark", styles });
      expect(await looks()).toEqual({
        theme: "dark",
        scheme: "dark",
        variable: "rgb(9, 9, 9)",
        fonts: styles.css.fonts,
      });
    });

    it("I01: calls a tool and gets its result unchanged", async () => {
      const result = await view.evaluate(() => app.callServerTool({ name: "echo", arguments: { a: 1 } }));
      expect(result).toEqual({
        content: [{ type: "text", text: "done" }],
        structuredContent: { echo: { a: 1 } },
      });
      expect(await host.evaluate(() => log.values("call"))).toEqual([{ name: "echo", arguments: { a: 1 } }]);
    });

    it("a tool's failure resolves to a result; a handler's failure rejects with a number", async () => {
      expect(await view.evaluate(() => app.callServerTool({ name: "fail" }))).toEqual({
        isError: true,
        content: [{ type: "text", text: "it failed" }],
      });
      const refusal = await view.evaluate(() =>
        app.callServerTool({ name: "throw" }).catch(({ name, code, message }) => ({ name, code, message })),
      );
      expect(refusal).toEqual({
        name: "VitrineError",
        code: -32603,
        message: expect.stringContaining("boom"),
      });
    });

    // The bridge itself forwards no progress of a server (D5), but a handler can send its own: the SDK passes
    // it the request's token.
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
      const outcome = view.evaluate(async () => {
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
        { contents: [{ uri: "demo://one", mimeType: "text/plain", text: "contents" }] },
        { resources: [{ uri: "demo://one", name: "one" }] },
        { resourceTemplates: [{ uriTemplate: "demo://{id}", name: "any" }] },
        { prompts: [{ name: "greet" }] },
      ]);
      expect(await host.evaluate(() => log.values("read"))).toEqual([{ uri: "demo://one" }]);
    });

    it("D16: methods unknown to the bridge are refused with −32601 at once", async () => {
      const codes = await view.evaluate(() => {
        const codeOf = (answer: Promise<unknown>) => answer.catch(({ code }: { code: number }) => code);
        return Promise.all([
          codeOf(app.listServerTools()),
          codeOf(app.getServerPrompt({ name: "greet" })),
          codeOf(app.subscribeServerResource({ uri: "demo://one" })),
        ]);
      });
      expect(codes).toEqual([-32601, -32601, -32601]);
    });

    it("I04–I07, I10, I11: message, model context, link, download, display mode, sampling", async () => {
      const text = { type: "text" as const, text: "hello" };
      const file = { type: "resource" as const, resource: { uri: "file:///a.txt", text: "A" } };
      const sampling = { messages: [{ role: "user" as const, content: text }], maxTokens: 10 };
      const answers = await view.evaluate(
        ([text, file, sampling]) =>
          Promise.all([
            app.sendMessage({ role: "user", content: [text] }),
            app.updateModelContext({ content: [text], structuredContent: { page: 2 } }),
            app.openLink({ url: "https://example.com/" }),
            app.openLink({ url: "javascript:alert(1)" }),
            app.downloadFile({ contents: [file] }),
            app.requestDisplayMode({ mode: "fullscreen" }),
            app.createSamplingMessage(sampling),
          ]),
        [text, file, sampling] as const,
      );
      expect(answers).toEqual([
        {},
        {},
        {},
        { isError: true },
        {},
        { mode: "fullscreen" },
        { role: "assistant", model: "none", content: { type: "text", text: "sampled" } },
      ]);
      const names = ["message", "model-context", "open-link", "download", "sampling"];
      const heard = await host.evaluate((names) => names.map((name) => log.values(name)[0]), names);
      expect(heard).toEqual([
        { role: "user", content: [text] },
        { content: [text], structuredContent: { page: 2 } },
        { url: "https://example.com/" },
        { contents: [file] },
        sampling,
      ]);
    });

    it("I08, I09: reports its size, and writes to the log", async () => {
      await view.evaluate(() => {
        document.body.style.margin = "0";
        document.body.appendChild(document.createElement("div")).style.height = "333px";
        return app.sendLog({ level: "info", logger: "view", data: { n: 1 } });
      });
      expect(await host.evaluate(() => log.until("log"))).toEqual({
        level: "info",
        logger: "view",
        data: { n: 1 },
      });
      expect(await host.evaluate(() => log.until("size"))).toEqual({ width: 300, height: 333 });
    });

    it("A01–A03: offers a tool; the host lists it, calls it and is notified of changes", async () => {
      const { tools } = await host.evaluate(() => bridge.listTools({}));
      expect(tools).toMatchObject([
        {
          name: "double",
          description: "Doubles a number",
          inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
          outputSchema: { type: "object", properties: { doubled: { type: "number" } } },
          annotations: { readOnlyHint: true },
        },
      ]);
      const call = (n: unknown) =>
        host.evaluate(
          (n) =>
            bridge.callTool({ name: "double", arguments: { n } }).catch(({ code }: { code: number }) => code),
          n,
        );
      expect(await call(21)).toEqual({
        content: [{ type: "text", text: "42" }],
        structuredContent: { doubled: 42 },
      });
      expect(await call("not a number")).toBe(-32602);
      await view.evaluate(() => tool.disable());
      await host.evaluate(() => log.until("notifications/tools/list_changed"));
      expect(await host.evaluate(() => bridge.listTools({}))).toEqual({ tools: [] });
      expect(await call(1)).toBe(-32602);
    });

    it("L08: is torn down, with the reason the host gives", async () => {
      const reason = { reason: "the conversation was deleted" } as object; // The bridge's types have no reason (D13).
      expect(await host.evaluate((reason) => bridge.teardownResource(reason), reason)).toEqual({});
      expect(await view.evaluate(() => log.values("teardown"))).toEqual([reason]);
    });

    it("D12: is torn down without a handler", async () => {
      const other = await stage.openOnce(`/host-${version}`, `/${kind}?no-teardown`);
      await other.host.evaluate(() => log.until("initialized"));
      expect(await other.host.evaluate(() => bridge.teardownResource({}))).toEqual({});
    });

    it("L09: asks to be torn down", async () => {
      await view.evaluate(() => app.requestTeardown());
      await host.evaluate(() => log.until("request-teardown"));
    });

    it("L10: pings and is pinged", async () => {
      expect(await view.evaluate(() => app.request({ method: "ping" }))).toEqual({});
      await host.evaluate(() => log.until("ping"));
      // The older version also takes the result's schema: one that accepts anything.
      const pinged = await host.evaluate(() =>
        (bridge.request as (...args: unknown[]) => Promise<unknown>).call(
          bridge,
          { method: "ping" },
          anySchema,
        ),
      );
      expect(pinged).toEqual({});
    });
  });
});
