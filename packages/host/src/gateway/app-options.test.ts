/** A view of a gateway, as an `<mcp-app>` gets it. */
import { JsonText } from "@vitrine/protocol";
import type { OpenedView } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import type { AppFrameOptions } from "../frame/frame.js";
import { type AppPlace, gatewayApp, showView } from "./app-options.js";
import { Calls, portOf } from "./calls.js";
import { GatewayView } from "./view.js";

const place = {
  src: "http://p.l.localhost:1/",
  origin: "http://p.l.localhost:1",
  viewOrigin: "http://v.l.localhost:1",
  allow: "camera",
  policy: "",
  csp: {},
  permissions: {},
  relax: [],
};
const opened: OpenedView = {
  view: "v1",
  server: "weather",
  capabilities: {},
  uri: "ui://weather/view",
  tool: { name: "forecast", title: "Forecast", inputSchema: { type: "object" } },
  place,
};
const options = { info: { name: "page", version: "1.0.0" } };
const result = (text: string) => ({ content: [{ type: "text" as const, text }] });

const makeView = (more: Partial<OpenedView> = {}): GatewayView =>
  new GatewayView({ ...opened, ...more }, new Calls(() => {}), portOf("v1", true), {
    cancel: async () => ({ cancelled: false }),
    close: async () => {},
  });

/** An element that records its app's messages. */
function makePlace(): AppPlace & { told: unknown[] } {
  const told: unknown[] = [];
  return {
    told,
    app: undefined,
    bridge: {
      sendToolInputPartial: (input) => void told.push(["partial", input]),
      sendToolInput: (input) => void told.push(["input", input]),
      sendToolResult: (sent) => void told.push(["result", sent]),
      sendToolCancelled: (reason) => void told.push(["cancelled", reason]),
    },
  };
}

describe("gatewayApp", () => {
  it("returns the view's own server, guard and name, with the page's options", () => {
    const view = makeView();
    const handlers = { message: () => {} };
    const app = gatewayApp(view, { ...options, handlers, context: { theme: "dark" } });
    expect(app).toMatchObject({ title: "Forecast", instance: "v1", info: options.info });
    expect(app.upstream).toBe(view.upstream);
    expect(app.guard).toBe(view.guard);
    expect(app.handlers).toBe(handlers);
    expect(app.context).toEqual({ theme: "dark", toolInfo: { tool: opened.tool } });
  });

  it("a title that the page has comes first; a resource without a tool is called by its address", () => {
    expect(gatewayApp(makeView(), { ...options, title: "Mine" }).title).toBe("Mine");
    expect(gatewayApp(makeView({ tool: undefined }), options).title).toBe("ui://weather/view");
  });

  it("its name stays, and its place follows, when the gateway opened it again", async () => {
    const view = makeView();
    const app = gatewayApp(view, options);
    expect(await app.view).toEqual(place);
    view.reopened({ ...opened, view: "v2", place: { ...place, src: "http://other/" } });
    expect(await app.view).toMatchObject({ src: "http://other/" });
    expect([view.id, app.instance]).toEqual(["v1", "v1"]);
  });

  it("it is notified when the gateway reopened it, with the new state, unless it is closed", () => {
    const view = makeView();
    const heard: unknown[] = [];
    view.onreopened = () => heard.push(view.opened.hash);
    view.reopened({ ...opened, hash: "new" });
    view.ended("the view is closed");
    view.reopened({ ...opened, hash: "newer" });
    expect(heard).toEqual(["new"]);
  });

  it("C08: a view that cannot be shown explains why", async () => {
    const problem = { code: "bad-resource", message: "the server has no such resource" };
    const app = gatewayApp(makeView({ place: undefined, problem }), options);
    await expect(app.view).rejects.toMatchObject(problem);
  });
});

describe("showView", () => {
  it("sends the app the state of the call so far, and later changes", () => {
    const ends = { result: result("sunny"), cancelled: {} };
    for (const [end, params] of Object.entries(ends)) {
      const element = makePlace();
      const view = makeView({ input: { city: "Rome" } });
      showView(element, view, options);
      expect(element.told).toEqual([["input", { city: "Rome" }]]);
      view.receive(JSON.stringify({ jsonrpc: "2.0", method: `ui/notifications/tool-${end}`, params }));
      expect(element.told.slice(1)).toEqual([[end, end === "result" ? params : undefined]]);
    }
  });

  it("sends earlier messages once: the input, without the partial input before it, and the result", () => {
    const element = makePlace();
    const view = makeView({});
    const say = (what: string, params: object) =>
      view.receive(JSON.stringify({ jsonrpc: "2.0", method: `ui/notifications/tool-${what}`, params }));
    say("input-partial", { arguments: { city: "Ro" } });
    say("input", { arguments: { city: "Rome" } });
    say("result", result("sunny"));
    showView(element, view, options);
    expect(element.told).toEqual([
      ["input", { city: "Rome" }],
      ["result", result("sunny")],
    ]);
  });

  it("repeats what a page knew before it was reloaded", () => {
    const element = makePlace();
    showView(element, makeView({ input: {}, result: result("kept") }), options);
    expect(element.told).toEqual([
      ["input", {}],
      ["result", result("kept")],
    ]);
    const other = makePlace();
    showView(other, makeView({ input: {}, cancelled: "" }), options);
    expect(other.told).toEqual([
      ["input", {}],
      ["cancelled", ""],
    ]);
  });

  it("C07: the text of the result replaces an app that cannot be shown, also for a later result", () => {
    const shown = (view: GatewayView) => {
      const element = makePlace();
      showView(element, view, options);
      return () => (element.app as AppFrameOptions).fallback?.();
    };
    expect(shown(makeView({ result: result("first") }))()).toBe("first");
    const view = makeView({});
    const text = shown(view);
    const params = { content: [...result("later").content, { type: "text", text: "x".repeat(200_000) }] };
    view.receive(JSON.stringify({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params }));
    expect(view.result).toBeInstanceOf(JsonText);
    expect(text()).toMatch(/^later\nx/);
  });
});

describe("a view that is gone", () => {
  it("refuses requests instead of waiting for ever", async () => {
    const view = makeView();
    const waiting = view.upstream.request("tools/call", { name: "forecast" });
    view.ended("another tab took over");
    await expect(waiting).rejects.toMatchObject({ code: "closed", message: "another tab took over" });
    await expect(view.upstream.request("tools/call", { name: "forecast" })).rejects.toMatchObject({
      code: "closed",
      message: "another tab took over",
    });
  });
});
