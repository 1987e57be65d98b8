/** The app's own behaviour, in a browser, under a third-party host. */
import { describe, expect, it } from "vitest";
import { appPage, connectApp, logOf } from "../../../testing/app-page.js";
import type { App } from "./app.js";

declare const vitrine: typeof import("./index.js");
declare const app: App;
declare const log: unknown[];

const INFO = { name: "test", version: "1.0.0" };
const INPUT = "ui/notifications/tool-input";
const PARTIAL = "ui/notifications/tool-input-partial";
const RESULT = "ui/notifications/tool-result";
const CONTEXT = "ui/notifications/host-context-changed";
const text = (said: string) => ({ content: [{ type: "text", text: said }] });

const page = appPage();

describe("events", () => {
  it.each(["on", "addEventListener", "property"] as const)(
    "reach a late listener added by %s",
    async (way) => {
      const view = await page.connect();
      await page.host.notify(PARTIAL, { arguments: { q: "t" } });
      await page.host.notify(INPUT, { arguments: { q: "tea" } });
      await page.host.notify(RESULT, text("green"));
      await page.host.notify("ui/notifications/tool-cancelled", { reason: "why not" });
      await page.heard();
      await view.evaluate((how) => {
        for (const event of ["toolinputpartial", "toolinput", "toolresult", "toolcancelled"] as const) {
          const hear = (params: unknown): void => void log.push([event, params]);
          if (how === "property") app[`on${event}`] = hear;
          else app[how](event, hear);
        }
        log.push("never synchronously");
      }, way);
      expect(await logOf(view)).toEqual([
        "never synchronously",
        ["toolinput", { arguments: { q: "tea" } }],
        ["toolresult", text("green")],
        ["toolcancelled", { reason: "why not" }],
      ]);
    },
  );

  it("reach a late listener for partial input while the input is not complete", async () => {
    const view = await page.connect();
    await page.host.notify(PARTIAL, { arguments: { q: "t" } });
    await page.host.notify(PARTIAL, { arguments: { q: "te" } });
    await page.heard();
    await view.evaluate(() => app.on("toolinputpartial", (params) => log.push(params)));
    expect(await logOf(view)).toEqual([{ arguments: { q: "te" } }]);
  });

  it("reach handler and listeners once each, in the order they were added", async () => {
    const view = await page.connect();
    await view.evaluate(() => {
      app.on("toolresult", () => log.push("first"));
      app.ontoolresult = () => log.push("handler");
      app.addEventListener("toolresult", () => log.push("last"));
    });
    await page.host.notify(RESULT, text("green"));
    await page.heard();
    expect(await logOf(view)).toEqual(["first", "handler", "last"]);
  });

  it("reach no replaced handler and no removed listener", async () => {
    const view = await page.connect();
    await view.evaluate(() => {
      const removed = (): void => void log.push("removed");
      app.ontoolresult = () => log.push("replaced");
      app.ontoolresult = () => log.push("handler");
      app.ontoolinput = () => log.push("unset");
      app.ontoolinput = undefined;
      app.on("toolresult", () => log.push("ended"))();
      app.addEventListener("toolresult", removed);
      app.removeEventListener("toolresult", removed);
    });
    await page.host.notify(INPUT, { arguments: {} });
    await page.host.notify(RESULT, text("green"));
    await page.heard();
    expect(await logOf(view)).toEqual(["handler"]);
  });

  it("from before are not replayed to a handler that is replaced immediately", async () => {
    const view = await page.connect();
    await page.host.notify(RESULT, text("green"));
    await page.heard();
    await view.evaluate(() => {
      const handler = (): void => void log.push("handler");
      app.ontoolresult = () => log.push("replaced");
      app.ontoolresult = handler;
      app.ontoolresult = handler;
    });
    expect(await logOf(view)).toEqual(["handler"]);
  });

  it("reach a function that is both handler and listener twice, and once after the handler is replaced", async () => {
    const view = await page.connect();
    await view.evaluate(() => {
      const both = (): void => void log.push("both");
      app.addEventListener("toolresult", both);
      app.ontoolresult = both;
      log.push(app.ontoolresult === both);
    });
    await page.host.notify(RESULT, text("green"));
    await page.heard();
    await view.evaluate(() => {
      app.ontoolresult = undefined;
    });
    await page.host.notify(RESULT, text("green"));
    await page.heard();
    expect(await logOf(view)).toEqual([true, "both", "both", "both"]);
  });

  it("from before are not replayed to a listener that is removed immediately", async () => {
    const view = await page.connect();
    await page.host.notify(RESULT, text("green"));
    await page.heard();
    await view.evaluate(() => {
      app.on("toolresult", () => log.push("removed"))();
      const listener = (): unknown => log.push("removed");
      app.addEventListener("toolresult", listener);
      app.removeEventListener("toolresult", listener);
    });
    expect(await logOf(view)).toEqual([]);
  });

  it("reach the other listeners when one throws, now or later (D19)", async () => {
    const view = await page.connect();
    await view.evaluate(() => {
      app.on("toolresult", () => {
        throw new Error("at once");
      });
      app.on("toolresult", async () => {
        throw new Error("later");
      });
      app.on("toolresult", () => log.push("heard"));
    });
    await page.host.notify(RESULT, text("green"));
    await page.heard();
    expect(await logOf(view)).toEqual([
      "heard",
      "listener-failed: Error: at once",
      "listener-failed: Error: later",
    ]);
  });

  it("from before are replayed, and a late listener that throws is reported (D19)", async () => {
    const view = await page.connect();
    await page.host.notify(RESULT, text("green"));
    await page.heard();
    await view.evaluate(() => {
      app.on("toolresult", () => {
        throw new Error("late");
      });
      app.on("toolresult", () => log.push("heard"));
    });
    const heard = await logOf(view);
    expect([heard, page.host.console.splice(0)]).toEqual([["heard", "listener-failed: Error: late"], []]);
  });

  it("carry the changed part of the context; getHostContext already returns the merged one (D10)", async () => {
    const view = await page.connect({ context: { theme: "dark", locale: "en" } });
    await view.evaluate(() => {
      app.onhostcontextchanged = (change) => log.push(change, app.getHostContext());
    });
    await page.host.notify(CONTEXT, { theme: "light" });
    await page.heard();
    expect(await logOf(view)).toEqual([{ theme: "light" }, { theme: "light", locale: "en" }]);
  });
});

describe("teardown", () => {
  it("is accepted without a handler (D12)", async () => {
    await page.connect();
    expect(await page.host.request("ui/resource-teardown")).toMatchObject({ result: {} });
  });

  it("waits for the handler, which gets the reason (D13)", async () => {
    const view = await page.connect();
    await view.evaluate(() => {
      app.onteardown = async (params) => {
        await new Promise((resolve) => Object.assign(globalThis, { saved: resolve }));
        log.push(params);
        return {};
      };
    });
    const answer = page.host.request("ui/resource-teardown", { reason: "the page closes" });
    // A later request is answered while this one still waits.
    await page.heard();
    expect((await page.host.received()).filter(({ id }) => id === 1000)).toEqual([]);
    await view.evaluate(() => (globalThis as unknown as { saved(): void }).saved());
    expect(await answer).toMatchObject({ result: {} });
    expect(await logOf(view)).toEqual([{ reason: "the page closes" }]);
  });

  it("is answered with an object, regardless of the handler's return value", async () => {
    const view = await page.connect();
    await view.evaluate(() => {
      app.onteardown = () => log.push("a number");
    });
    expect((await page.host.request("ui/resource-teardown")).result).toEqual({});
  });

  it("is refused when the handler throws", async () => {
    const view = await page.connect();
    await view.evaluate(() => {
      app.onteardown = () => {
        throw new Error("not saved");
      };
    });
    expect(await page.host.request("ui/resource-teardown")).toMatchObject({
      error: { code: -32603, message: "not saved" },
    });
  });
});

describe("connect", () => {
  const refusal = { code: -32000, message: "not today" };
  const attempt = (given: { timeout?: number }): Promise<unknown> =>
    new vitrine.App({ name: "test", version: "1" }).connect(undefined, given).then(
      () => "connected",
      (error) => error.code,
    );

  it("exchanges name and capabilities with the host", async () => {
    const view = await page.connect({ context: { locale: "en" } });
    expect(await page.host.received("ui/initialize")).toMatchObject([
      { params: { protocolVersion: "2026-01-26", appInfo: INFO, appCapabilities: {} } },
    ]);
    expect(
      await view.evaluate(() => [app.getHostVersion(), app.getHostCapabilities(), app.getHostContext()]),
    ).toEqual([{ name: "raw-host", version: "1.0.0" }, { openLinks: {}, serverTools: {} }, { locale: "en" }]);
  });

  it("rejects with no-host at the top level", async () => {
    await page.host.page.goto(`${page.site.origin("view")}/view`);
    expect(await page.host.page.evaluate(attempt, {})).toBe("no-host");
  });

  it("rejects with timeout when the host never answers", async () => {
    const view = await page.open({ answers: { "ui/initialize": "hold" } });
    expect(await view.evaluate(attempt, { timeout: 20 })).toBe("timeout");
  });

  it("rejects with the host's message when it refuses, and rejects the waiting requests too", async () => {
    const view = await page.open({ answers: { "ui/initialize": { error: refusal } } });
    const errors = await view.evaluate(async () => {
      const own = new vitrine.App({ name: "test", version: "1" });
      const outcomes = await Promise.allSettled([own.connect(), own.openLink({ url: "https://a.example" })]);
      return outcomes.map((outcome) => outcome.status === "rejected" && { ...outcome.reason });
    });
    expect(errors).toMatchObject([{ code: -32000 }, { code: -32000 }]);
  });

  it("works again after it failed", async () => {
    const view = await page.open({ answers: { "ui/initialize": { error: refusal } } });
    const first = await view.evaluate(() => {
      Object.assign(globalThis, { app: new vitrine.App({ name: "test", version: "1" }) });
      return app.connect().catch((error) => error.code);
    });
    expect(first).toBe(-32000);
    await page.host.answer("ui/initialize", { result: { protocolVersion: "2026-01-26", hostContext: {} } });
    await view.evaluate(() => app.connect());
    await page.host.waitFor("ui/notifications/initialized");
  });

  it("works again after close, even when closed in the middle of the handshake", async () => {
    const view = await page.open();
    const outcomes = await view.evaluate(async () => {
      const own = new vitrine.App({ name: "test", version: "1" });
      own.onerror = () => {}; // The answer to the first attempt still arrives.
      const settle = (attempt: Promise<void>): Promise<unknown> =>
        attempt.then(
          () => "connected",
          (error) => error.code,
        );
      const first = settle(own.connect());
      own.close();
      return Promise.all([first, settle(own.connect())]);
    });
    expect(outcomes).toEqual(["closed", "connected"]);
  });

  it("rejects with out-of-order the second time, before and after the first completes", async () => {
    const view = await page.open();
    const codes = await view.evaluate(async () => {
      const own = new vitrine.App({ name: "test", version: "1" });
      const first = own.connect();
      const during = await own.connect().catch((error) => error.code);
      await first;
      return [during, await own.connect().catch((error) => error.code)];
    });
    expect(codes).toEqual(["out-of-order", "out-of-order"]);
    expect(await page.host.received("ui/initialize")).toHaveLength(1);
  });

  it("reports another protocol version, and works (D14)", async () => {
    const result = { protocolVersion: "2030-01-01", hostInfo: {}, hostCapabilities: {}, hostContext: {} };
    const view = await page.connect({
      answers: { "ui/initialize": { result }, "ui/open-link": { result: {} } },
    });
    expect(await logOf(view)).toEqual(["unsupported: the host speaks 2030-01-01"]);
    expect(await view.evaluate(() => app.openLink({ url: "https://a.example" }))).toEqual({});
  });

  it("accepts a host that answers with only a version", async () => {
    const view = await page.connect({
      answers: { "ui/initialize": { result: { protocolVersion: "2026-01-26" } } },
    });
    expect(await view.evaluate(() => app.getHostContext() ?? "none")).toBe("none");
    await page.host.notify(CONTEXT, { theme: "dark" });
    await page.heard();
    expect(await view.evaluate(() => app.getHostContext())).toEqual({ theme: "dark" });
  });

  it("can start before the body exists", async () => {
    // The parser waits for the second script; the host answers in the meantime.
    const view = await page.open();
    const outcome = await view.evaluate(async () => {
      document.body.remove();
      const own = new vitrine.App({ name: "test", version: "1" });
      return own.connect().then(
        () => "connected",
        (error) => `${error}`,
      );
    });
    expect(outcome).toBe("connected");
  });
});

describe("calls", () => {
  it("made during the handshake are sent after it, in order", async () => {
    const done = { result: {} };
    const view = await page.open({
      answers: { "ui/initialize": "hold", "tools/call": done, "ui/open-link": done },
    });
    await view.evaluate(() => {
      const own = new vitrine.App({ name: "test", version: "1" }, {}, { autoResize: false });
      own.connect();
      own.callServerTool({ name: "one" });
      own.sendLog({ level: "info", data: "two" });
      own.openLink({ url: "https://three.example" });
      own.requestTeardown();
    });
    await page.host.waitFor("ui/initialize");
    expect(await page.host.received()).toHaveLength(1);
    await page.host.answer("ui/initialize", { result: { protocolVersion: "2026-01-26", hostContext: {} } });
    await page.host.waitFor("ui/notifications/request-teardown");
    expect((await page.host.received()).map(({ method }) => method)).toEqual([
      "ui/initialize",
      "ui/notifications/initialized",
      "tools/call",
      "notifications/message",
      "ui/open-link",
      "ui/notifications/request-teardown",
    ]);
  });

  it("before connect, after close and interrupted by close reject with closed", async () => {
    const view = await page.open({ answers: { "tools/call": "hold" } });
    const codes = await view.evaluate(async () => {
      const own = new vitrine.App({ name: "test", version: "1" });
      const attempts = (): Promise<unknown>[] =>
        [own.callServerTool({ name: "a" }), own.sendLog({ level: "info", data: "" })].map((attempt) =>
          attempt.then(
            () => "done",
            (error) => error.code,
          ),
        );
      const before = await Promise.all(attempts());
      await own.connect();
      own.onclose = () => log.push("closed");
      const [pending] = attempts();
      await own.close();
      return [...before, await pending, ...(await Promise.all(attempts()))];
    });
    expect(codes).toEqual(["closed", "closed", "closed", "closed", "closed"]);
    expect(await logOf(view)).toEqual(["closed"]);
  });

  it("are not answered by a response to an earlier, closed app in the same document", async () => {
    const view = await page.connect({ answers: { "tools/call": "hold" } });
    await view.evaluate(() => {
      app.callServerTool({ name: "old" }).catch(() => {});
    });
    const [old] = await page.host.waitFor("tools/call");
    await view.evaluate(() => app.close());
    await connectApp(view);
    await view.evaluate(() => {
      app.callServerTool({ name: "new" }).then((result) => log.push(result.content));
    });
    const [, fresh] = await page.host.waitFor("tools/call", 2);
    expect(fresh?.id).not.toBe(old?.id);
    await page.host.post({ id: old?.id, result: text("old") });
    await page.host.post({ id: fresh?.id, result: text("new") });
    await page.heard();
    expect(await logOf(view)).toEqual(["unknown-response: unknown-response", text("new").content]);
  });

  it("report progress, and are cancelled by their signal", async () => {
    const view = await page.connect({ answers: { "tools/call": "hold" } });
    await view.evaluate(() => {
      const controller = new AbortController();
      const onprogress = (progress: unknown): void => void log.push(progress);
      app
        .callServerTool({ name: "slow" }, { signal: controller.signal, onprogress })
        .catch((error) => log.push(error.code));
      Object.assign(globalThis, { controller });
    });
    const [call] = await page.host.waitFor("tools/call");
    expect(call?.params?._meta).toEqual({ progressToken: call?.id });
    await page.host.notify("notifications/progress", { progressToken: call?.id, progress: 1, total: 2 });
    await page.heard();
    await view.evaluate(() => (globalThis as unknown as { controller: AbortController }).controller.abort());
    const [cancelled] = await page.host.waitFor("notifications/cancelled");
    expect(cancelled?.params).toMatchObject({ requestId: call?.id });
    expect(await logOf(view)).toEqual([{ progress: 1, total: 2 }, "aborted"]);
  });

  it("resolve to the host's result, and reject with its code, message and data", async () => {
    const view = await page.connect({
      answers: { "tools/call": { result: { ...text("no"), isError: true } } },
    });
    const call = () =>
      app.callServerTool({ name: "a" }).catch(({ code, message, data }) => ({ code, message, data }));
    expect(await view.evaluate(call)).toEqual({ ...text("no"), isError: true });
    const error = { code: -32000, message: "no server", data: { retry: true } };
    await page.host.answer("tools/call", { error });
    expect(await view.evaluate(call)).toEqual(error);
  });
});

describe("every method sends its own message, with exactly its params", () => {
  const uri = { uri: "file:///a" };
  const content = [{ type: "text", text: "hi" }];
  const sampling = { messages: [], maxTokens: 10 };
  const resource = { type: "resource", resource: { uri: "file:///a", text: "a" } };
  const table: [name: string, method: string, params: object | undefined, sent?: object][] = [
    ["callServerTool", "tools/call", { name: "a", arguments: { b: 1 } }],
    ["listServerTools", "tools/list", { cursor: "2" }],
    ["listServerTools", "tools/list", undefined, {}],
    ["readServerResource", "resources/read", uri],
    ["listServerResources", "resources/list", { cursor: "2" }],
    ["listServerResources", "resources/list", undefined, {}],
    ["listServerResourceTemplates", "resources/templates/list", undefined, {}],
    ["subscribeServerResource", "resources/subscribe", uri],
    ["unsubscribeServerResource", "resources/unsubscribe", uri],
    ["listServerPrompts", "prompts/list", undefined, {}],
    ["getServerPrompt", "prompts/get", { name: "a", arguments: { b: "1" } }],
    ["sendMessage", "ui/message", { role: "user", content }],
    ["updateModelContext", "ui/update-model-context", { content, structuredContent: { a: 1 } }],
    ["openLink", "ui/open-link", { url: "https://a.example" }],
    ["sendOpenLink", "ui/open-link", { url: "https://a.example" }],
    ["downloadFile", "ui/download-file", { contents: [resource] }],
    ["requestDisplayMode", "ui/request-display-mode", { mode: "pip" }],
    ["createSamplingMessage", "sampling/createMessage", sampling],
    ["sendLog", "notifications/message", { level: "info", data: { a: 1 } }],
    ["sendSizeChanged", "ui/notifications/size-changed", { width: 1, height: 2 }],
    ["requestTeardown", "ui/notifications/request-teardown", undefined, {}],
    ["sendToolListChanged", "notifications/tools/list_changed", undefined, {}],
  ];

  it.each([["all of them", table]])("%s", async (_name, rows) => {
    const answers = Object.fromEntries(rows.map(([, method]) => [method, { result: { of: method } }]));
    const view = await page.connect({ answers, app: { autoResize: false } });
    // The last message of the handshake may still be in transit.
    await page.host.waitFor("ui/notifications/initialized");
    const before = (await page.host.received()).length;
    const results = await view.evaluate(async (calls) => {
      const methods = app as unknown as Record<string, (params?: object) => Promise<unknown>>;
      const back: unknown[] = [];
      for (const [name, , params] of calls) back.push((await methods[name]?.(params)) ?? "nothing");
      return back;
    }, rows);
    await page.heard();
    const sent = (await page.host.received()).slice(before, before + rows.length);
    const expected = rows.map(([, method, params, wire = params]) => ({ method, params: wire }));
    expect(
      sent.map(({ method, params }) => {
        const { _meta, ...own } = params ?? {};
        return { method, params: own };
      }),
    ).toEqual(expected);
    // Only tool calls request progress by default (D7).
    expect(sent.filter(({ params }) => params?._meta)).toMatchObject([{ method: "tools/call" }]);
    const isNotification = (method: string): boolean => method.includes("notifications/");
    expect(results).toEqual(rows.map(([, method]) => (isNotification(method) ? "nothing" : { of: method })));
    expect(sent.map(({ id }) => id === undefined)).toEqual(rows.map(([, method]) => isNotification(method)));
  });

  it("extension methods send theirs", async () => {
    const view = await page.connect({ answers: { "x/ask": { result: { ok: 1 } } } });
    const result = await view.evaluate(async () => {
      app.setRequestHandler("x/serve", (request: unknown) => ({ request }));
      app.setNotificationHandler("x/tell", (notification: unknown) => log.push(notification));
      await app.notification({ method: "x/say", params: { a: 1 } });
      return app.request({ method: "x/ask", params: { b: 2 } });
    });
    expect(result).toEqual({ ok: 1 });
    expect(await page.host.received("x/say")).toMatchObject([{ params: { a: 1 } }]);
    expect(await page.host.received("x/ask")).toMatchObject([{ params: { b: 2 } }]);
    await page.host.notify("x/tell", { c: 3 });
    expect((await page.host.request("x/serve", { d: 4 })).result).toEqual({
      request: { method: "x/serve", params: { d: 4 } },
    });
    expect(await logOf(view)).toEqual([{ method: "x/tell", params: { c: 3 } }]);
  });
});

describe("size", () => {
  it.each([[{}], [{ autoTheme: true }], [{ autoTheme: false }]])(
    "is reported unless switched off: not by %j (D18)",
    async (options) => {
      await page.connect({ app: options });
      await page.host.waitFor("ui/notifications/size-changed");
    },
  );

  it("is not reported with autoResize off, until requested", async () => {
    const view = await page.connect({ app: { autoResize: false } });
    await page.heard();
    expect(await page.host.received("ui/notifications/size-changed")).toEqual([]);
    await view.evaluate(() => void app.setupSizeChangedNotifications());
    await page.host.waitFor("ui/notifications/size-changed");
  });
});

describe("close", () => {
  it("releases every listener and observer of the document (D21)", async () => {
    const view = await page.open();
    await view.evaluate(() => {
      const held = new Set<unknown>();
      const { addEventListener, removeEventListener } = window;
      Object.assign(window, {
        addEventListener: (type: string, listener: EventListener, options?: boolean) => {
          held.add(listener);
          addEventListener.call(window, type, listener, options);
        },
        removeEventListener: (type: string, listener: EventListener, options?: boolean) => {
          held.delete(listener);
          removeEventListener.call(window, type, listener, options);
        },
      });
      for (const Observer of [ResizeObserver, MutationObserver]) {
        const { observe, disconnect } = Observer.prototype;
        Observer.prototype.observe = function (this: never, ...args: never) {
          held.add(this);
          (observe as () => void).apply(this, args);
        };
        Observer.prototype.disconnect = function (this: never) {
          held.delete(this);
          disconnect.call(this);
        };
      }
      Object.assign(globalThis, { held });
    });
    const held = () => view.evaluate(() => (globalThis as unknown as { held: Set<unknown> }).held.size);
    await connectApp(view);
    expect(await held()).toBeGreaterThan(2);
    await view.evaluate(() => app.close());
    expect(await held()).toBe(0);
  });
});

describe("the console", () => {
  it("stays empty through a whole session, so no secret leaks into it (D22)", async () => {
    const secret = { ...text("hush"), _meta: { token: "hush" }, structuredContent: { hush: 1 } };
    const view = await page.connect({
      context: { theme: "dark", locale: "en" },
      answers: { "tools/call": { result: secret }, "ui/open-link": { error: { code: -1, message: "no" } } },
    });
    await view.evaluate(() => {
      app.ontoolresult = () => {
        throw new Error("oops");
      };
    });
    await page.host.notify(PARTIAL, { arguments: { hush: 1 } });
    await page.host.notify(INPUT, { arguments: { hush: 1 } });
    await page.host.notify(RESULT, secret);
    await page.host.notify(CONTEXT, { theme: "light" });
    await page.host.notify("x/unknown", { hush: 1 });
    await page.host.post({ id: 77, result: { hush: 1 } });
    await page.host.post({ hush: 1 });
    await page.host.request("x/unknown", { hush: 1 });
    await view.evaluate(async () => {
      await app.callServerTool({ name: "a" });
      await app.openLink({ url: "https://a.example" }).catch(() => {});
    });
    await page.host.request("ui/resource-teardown");
    await view.evaluate(() => app.close());
    const errors = JSON.stringify(await logOf(view));
    expect(errors).toContain("oops");
    expect(errors).not.toContain("hush");
    expect(page.host.console).toEqual([]);
  });
});
