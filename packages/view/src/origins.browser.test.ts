/** Origins that a view accepts messages from and runs on, under a third-party host. */
import type { Frame } from "playwright-core";
import { describe, expect, it } from "vitest";
import { appPage, connectApp, logOf } from "../../../testing/app-page.js";
import { viewPage } from "../../../testing/raw-host.js";
import type { App } from "./app.js";

declare const app: App;
declare const log: unknown[];

const RESULT = "ui/notifications/tool-result";
const text = (said: string) => ({ content: [{ type: "text", text: said }] });
const forged = { jsonrpc: "2.0", method: RESULT, params: text("forged") };

const page = appPage({
  // The host itself is sandboxed: its origin is opaque.
  "/framed-host":
    '<!doctype html><link rel="icon" href="data:,"><iframe sandbox="allow-scripts" src="/"></iframe>',
  // To the view, whether it is beside this frame or around it.
  "/forger": viewPage(`
    for (const frame of [parent, parent.frames[0]]) frame.postMessage(${JSON.stringify(forged)}, "*");
  `),
});

/** Connects, receives a result, calls a tool. */
async function works(view: Frame): Promise<void> {
  await connectApp(view);
  await view.evaluate(() => {
    app.ontoolresult = (result) => log.push(result.content);
  });
  await page.host.notify(RESULT, text("heard"));
  await page.heard();
  const { content } = await view.evaluate(() => app.callServerTool({ name: "a" }));
  expect([await logOf(view), content]).toEqual([[text("heard").content], text("called").content]);
}
const answers = { "tools/call": { result: text("called") } };

describe("a view works end to end", () => {
  it("on its own origin", async () => {
    await works(await page.open({ answers }));
    expect(await page.host.origins()).toEqual([page.site.origin("view")]);
  });

  it("on the host's origin", async () => {
    await works(await page.open({ answers, url: `${page.site.origin()}/view` }));
  });

  it("on an opaque origin: a sandbox without allow-same-origin", async () => {
    await works(await page.open({ answers, sandbox: "allow-scripts" }));
    expect(await page.host.origins()).toEqual(["null"]);
  });

  it("under a host with an opaque origin", async () => {
    await page.host.open(`${page.site.origin()}/framed-host`);
    const view = await page.host.mount({ url: `${page.site.origin("view")}/view`, answers });
    const origins = await view.evaluate(() => location.ancestorOrigins?.[0]);
    expect(origins).toBe("null");
    await works(view);
  });
});

describe("a view ignores messages", () => {
  const listen = async (): Promise<Frame> => {
    const view = await page.connect();
    await view.evaluate(() => {
      app.ontoolresult = (result) => log.push(result.content);
    });
    return view;
  };
  /** The forger has sent its message once its frame is loaded; the host's message comes after it. */
  const taken = async (view: Frame): Promise<unknown> => {
    await page.host.notify(RESULT, text("true"));
    await page.heard();
    return logOf(view);
  };
  const addForger = (url: string): Promise<void> =>
    new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.onload = () => resolve();
      frame.src = url;
      document.body.append(frame);
    });

  it.each(["evil", "view", ""])("from a sibling frame on origin %j", async (origin) => {
    const view = await listen();
    await page.host.at.evaluate(addForger, `${page.site.origin(origin)}/forger`);
    expect(await taken(view)).toEqual([text("true").content]);
  });

  it("from a frame inside it", async () => {
    const view = await listen();
    await view.evaluate(addForger, `${page.site.origin("evil")}/forger`);
    expect(await taken(view)).toEqual([text("true").content]);
  });

  it("of itself", async () => {
    const view = await listen();
    await view.evaluate((message) => {
      postMessage(message, "*");
      dispatchEvent(new MessageEvent("message", { data: message, origin: location.origin, source: window }));
    }, forged);
    expect(await taken(view)).toEqual([text("true").content]);
  });
});
