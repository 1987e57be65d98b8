/**
 * A view as an author would write it for the official SDK. Tests run this file on both runtimes and compare
 * the results, so it uses as much of the surface as one view can.
 */
import {
  App,
  applyDocumentTheme,
  getDocumentTheme,
  PostMessageTransport,
} from "@modelcontextprotocol/ext-apps";
import * as z from "zod";
import { EventLog } from "../event-log.ts";

const log = new EventLog();
const app = new App(
  { name: "surface-view", version: "1.0.0" },
  { tools: { listChanged: true }, availableDisplayModes: ["inline", "fullscreen"] },
  { autoResize: false },
);

app.ontoolinput = (params) => log.add("input", params);
app.ontoolinputpartial = (params) => log.add("partial", params);
app.ontoolresult = (params) => log.add("result", params);
app.ontoolcancelled = (params) => log.add("cancelled", params);
app.onhostcontextchanged = (params) => {
  if (params.theme) applyDocumentTheme(params.theme);
  log.add("context", { ...params, merged: app.getHostContext(), document: getDocumentTheme() });
};
app.addEventListener("toolinput", (params) => log.add("input-listener", params));
const removed = (): void => log.add("removed-listener");
app.addEventListener("toolresult", removed);
app.removeEventListener("toolresult", removed);
app.onteardown = async () => {
  log.add("teardown");
  return { saved: true };
};
app.onclose = () => log.add("closed");

const tool = app.registerTool(
  "double",
  {
    title: "Double",
    description: "Doubles a number",
    inputSchema: z.object({ n: z.number().default(1) }),
    outputSchema: z.object({ doubled: z.number() }),
    annotations: { readOnlyHint: true },
    _meta: { own: 1 },
  },
  async ({ n }, { mcpReq }) => ({
    content: [{ type: "text", text: `${mcpReq.signal.aborted}` }],
    structuredContent: { doubled: 2 * n },
  }),
);
app.registerTool("plain", {}, () => ({ content: [] }));
app.registerTool("wrong", { outputSchema: z.object({ a: z.number() }) }, () => ({
  content: [],
  structuredContent: { a: "no number" } as never,
}));
app.registerTool("failing", {}, async () => {
  throw new Error("the tool failed");
});

app.setRequestHandler("x/ask", { params: z.object({ a: z.number().default(7) }) }, ({ a }) => ({ b: a + 1 }));
const Legacy = z.object({ method: z.literal("x/legacy"), params: z.object({ a: z.number().default(7) }) });
app.setRequestHandler(Legacy, ({ method, params }, { signal }) => ({
  method,
  ...params,
  is: signal.aborted,
}));
app.setNotificationHandler("x/tell", { params: z.object({ a: z.number().default(7) }) }, ({ a }) =>
  log.add("told", a),
);
app.setNotificationHandler("notifications/resources/list_changed", ({ method }) => log.add(method));

/** The outcome of a promise as text, independent of the runtime's error class. */
async function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch(({ code }: { code: unknown }) => ({
    rejected: typeof code === "number" && code < -32_000 ? code : "here",
  }));
}

/** Sends every request that a view can make, one after the other. */
async function askEverything(): Promise<Record<string, unknown>> {
  const text = { type: "text" as const, text: "hello" };
  const heard: unknown[] = [];
  const stop = new AbortController();
  const done: Record<string, unknown> = {
    host: [app.getHostVersion(), app.getHostCapabilities(), app.getHostContext()],
    call: await outcome(app.callServerTool({ name: "echo", arguments: { a: 1 } })),
    fail: await outcome(app.callServerTool({ name: "fail", arguments: {} })),
    throws: await outcome(app.callServerTool({ name: "throw", arguments: {} })),
    progress: await outcome(
      app.callServerTool({ name: "progress", arguments: {} }, { onprogress: (step) => heard.push(step) }),
    ),
    heard,
    tooSlow: await outcome(app.callServerTool({ name: "slow" }, { timeout: 50 })),
    read: await outcome(app.readServerResource({ uri: "demo://one" })),
    list: await outcome(app.listServerResources()),
    message: await outcome(app.sendMessage({ role: "user", content: [text] })),
    context: await outcome(app.updateModelContext({ content: [text], structuredContent: { page: 2 } })),
    link: await outcome(app.openLink({ url: "https://example.com/" })),
    oldLink: await outcome(app.sendOpenLink({ url: "http://example.com/" })),
    download: await outcome(
      app.downloadFile({ contents: [{ type: "resource_link", uri: "https://example.com/b", name: "b" }] }),
    ),
    mode: await outcome(app.requestDisplayMode({ mode: "fullscreen" })),
    sampled: await outcome(
      app.createSamplingMessage({ messages: [{ role: "user", content: text }], maxTokens: 9 }),
    ),
    custom: await outcome(
      app.request({ method: "x/echo", params: { a: 1 } }, z.object({ params: z.object({ a: z.number() }) })),
    ),
    wrong: await outcome(app.request({ method: "x/echo", params: { a: 1 } }, z.object({ b: z.number() }))),
    unknown: await outcome(app.request({ method: "prompts/get", params: { name: "greet" } }, z.object({}))),
    ping: await outcome(app.request({ method: "ping" }, z.object({}))),
  };
  const slow = outcome(app.callServerTool({ name: "slow", arguments: {} }, { signal: stop.signal }));
  await app.request({ method: "ping" }, z.object({})); // By its answer the call is at work.
  stop.abort();
  done.aborted = await slow;
  await app.sendLog({ level: "info", logger: "view", data: { n: 1 } });
  await app.sendSizeChanged({ width: 10, height: 20 });
  await app.notification({ method: "x/note", params: { a: 1 } });
  await app.requestTeardown();
  return done;
}

async function closeDown(): Promise<unknown> {
  await app.close();
  return outcome(app.callServerTool({ name: "echo", arguments: {} }));
}

Object.assign(globalThis, { app, tool, log, askEverything, closeDown });
app.connect(new PostMessageTransport(window.parent, window.parent)).then(() => log.add("connected"));
