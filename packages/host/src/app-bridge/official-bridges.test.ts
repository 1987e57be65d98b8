/**
 * Runs one host script over the official bridges and ours, with real views of both generations: the messages compare equal,
 * and each difference has a test of its own.
 */

import { Client, InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { App as App2 } from "@modelcontextprotocol/ext-apps";
import { AppBridge as Official2 } from "@modelcontextprotocol/ext-apps/app-bridge";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/server";
import type { AuditRow } from "@vitrine/guard";
import { recordOf } from "@vitrine/protocol";
import { App as App1 } from "ext-apps-1";
import { AppBridge as Official1 } from "ext-apps-1/app-bridge";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { AppBridge } from "./app-bridge.js";
import { guardedServer } from "./default-guard.js";
import { LATEST_PROTOCOL_VERSION } from "./names.js";

const INFO = { name: "host", version: "1.0.0" };
const CAPABILITIES = {
  serverTools: {},
  serverResources: {},
  openLinks: {},
  downloadFile: {},
  message: {},
  updateModelContext: {},
  logging: {},
};
const CONTEXT = {
  theme: "dark" as const,
  displayMode: "inline" as const,
  availableDisplayModes: ["inline" as const, "fullscreen" as const],
};
const RESULT = { content: [{ type: "text" as const, text: "42" }], structuredContent: { answer: 42 } };
const TEXT = [{ type: "text" as const, text: "hi" }];

type AnyClient = Client | Client1;
/** The part that all three bridges have. */
type AnyBridge = AppBridge;
/** The part that the views of both generations have. */
type AnyApp = App2;

interface Entry {
  from: "host" | "view";
  message: Record<string, unknown>;
}

/** Every message in order, with ids by their order: each side counts from another number. */
function logOf(entries: readonly Entry[], side: Entry["from"]): unknown[] {
  const ids = new Map<string, number>();
  const label = (owner: string, id: unknown): string => {
    const key = `${owner} ${id}`;
    if (!ids.has(key)) ids.set(key, ids.size);
    return `${owner} ${ids.get(key)}`;
  };
  const labelled = entries.map(({ from, message }) => {
    const other = from === "host" ? "view" : "host";
    const { id, ...rest } = JSON.parse(JSON.stringify(message));
    if (rest.params?._meta?.progressToken !== undefined) rest.params._meta.progressToken = label(from, id);
    if (rest.params?.progressToken !== undefined)
      rest.params.progressToken = label(other, rest.params.progressToken);
    return {
      from,
      message: id === undefined ? rest : { id: label("method" in rest ? from : other, id), ...rest },
    };
  });
  return labelled.filter(({ from }) => from === side).map(({ message }) => message);
}

/** A pair of linked transports that records its messages. */
function recordedPair() {
  const entries: Entry[] = [];
  const [hostEnd, viewEnd] = InMemoryTransport.createLinkedPair();
  const record = (from: Entry["from"], end: InMemoryTransport): void => {
    const send = end.send.bind(end);
    end.send = (message, ...rest) => {
      entries.push({ from, message: message as unknown as Record<string, unknown> });
      return send(message, ...rest);
    };
  };
  record("host", hostEnd);
  record("view", viewEnd);
  return { entries, hostEnd, viewEnd };
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A real server behind a real client of one generation. */
async function serverOf(generation: 1 | 2): Promise<{ client: AnyClient; server: McpServer }> {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  server.registerTool(
    "forecast",
    { inputSchema: z.object({ city: z.string() }), annotations: { readOnlyHint: true } },
    ({ city }) => ({ content: [{ type: "text", text: `sunny in ${city}` }] }),
  );
  server.registerTool("erase", {}, () => ({ content: [{ type: "text", text: "erased" }] }));
  server.registerTool("secret", { _meta: { ui: { visibility: ["model"] } } }, () => ({ content: [] }));
  server.registerResource("rome", "weather://rome", {}, () => ({
    contents: [{ uri: "weather://rome", text: "sunny" }],
  }));
  server.registerPrompt("ask", {}, () => ({ messages: [] }));
  const [clientEnd, serverEnd] =
    generation === 1 ? Memory1.createLinkedPair() : InMemoryTransport.createLinkedPair();
  const client = generation === 1 ? new Client1(INFO) : new Client(INFO);
  await Promise.all([server.connect(serverEnd as never), client.connect(clientEnd as never)]);
  ends.push(() => client.close());
  return { client, server };
}

type Options = ConstructorParameters<typeof AppBridge>[3];
const BRIDGES = {
  "official 1": (client: AnyClient | null, options?: Options) =>
    new Official1(client as never, INFO, CAPABILITIES, options as never) as unknown as AnyBridge,
  "official 2": (client: AnyClient | null, options?: Options) =>
    new Official2(client as never, INFO, CAPABILITIES, options as never) as unknown as AnyBridge,
  ours: (client: AnyClient | null, options?: Options) => new AppBridge(client, INFO, CAPABILITIES, options),
};
const APPS = {
  "ext-apps 1": App1 as unknown as typeof App2,
  "ext-apps 2": App2,
};

function makeView(kind: keyof typeof APPS): AnyApp {
  const app = new APPS[kind](
    { name: "view", version: "1.0.0" },
    { tools: { listChanged: true }, availableDisplayModes: ["inline", "fullscreen"] },
    { autoResize: false },
  );
  app.registerTool("zoom", { description: "Zooms" }, () => ({ content: TEXT }));
  app.onteardown = () => ({});
  return app;
}

interface Scene {
  bridge: AnyBridge;
  app: AnyApp;
  entries: Entry[];
  did: unknown[];
  errors: Error[];
  start(): Promise<void>;
}

/** A bridge and a view, both connected by `start`. */
async function sceneOf(
  bridge: AnyBridge,
  kind: keyof typeof APPS,
  prepare: (bridge: AnyBridge) => void = () => {},
): Promise<Scene> {
  const { entries, hostEnd, viewEnd } = recordedPair();
  const app = makeView(kind);
  const did: unknown[] = [];
  const errors: Error[] = [];
  bridge.onerror = (error) => errors.push(error);
  prepare(bridge);
  await bridge.connect(hostEnd);
  ends.push(() => bridge.close());
  const ready = new Promise<void>((resolve) => bridge.addEventListener("initialized", () => resolve()));
  const start = async (): Promise<void> => {
    await app.connect(viewEnd as never);
    await ready;
  };
  return { bridge, app, entries, did, errors, start };
}

/** Everything that a host can do without a client. */
async function playHandlers(make: (typeof BRIDGES)["ours"], kind: keyof typeof APPS) {
  const did: unknown[] = [];
  const scene = await sceneOf(make(null, { hostContext: CONTEXT }), kind, (bridge) => {
    bridge.onmessage = async ({ content }) => {
      did.push(["message", content]);
      return {};
    };
    bridge.onopenlink = async ({ url }) => {
      did.push(["link", url]);
      return { isError: true };
    };
    bridge.ondownloadfile = async ({ contents }) => {
      did.push(["download", contents.length]);
      return {};
    };
    bridge.onupdatemodelcontext = async ({ structuredContent }) => {
      did.push(["context", structuredContent]);
      return {};
    };
    bridge.onrequestdisplaymode = async ({ mode }) => {
      bridge.setHostContext({ ...CONTEXT, displayMode: mode });
      return { mode };
    };
    bridge.oncalltool = async ({ name, arguments: args }, { mcpReq, ...extra }) => {
      did.push(["call", name, args]);
      if (name === "fail") throw Object.assign(new Error("it failed"), { code: -32001 });
      const { _meta = {}, notify = () => {} } = mcpReq ?? extra;
      const progressToken = _meta.progressToken;
      const send = mcpReq ? notify : extra.sendNotification;
      if (progressToken !== undefined)
        await send({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
      return RESULT;
    };
    bridge.onlistresources = async () => ({ resources: [{ uri: "a://b", name: "b" }] });
    bridge.onlistresourcetemplates = async () => ({ resourceTemplates: [] });
    bridge.onreadresource = async ({ uri }) => ({ contents: [{ uri, text: "read" }] });
    bridge.onlistprompts = async () => ({ prompts: [] });
    bridge.onsizechange = (size) => did.push(["size", size]);
    bridge.onloggingmessage = ({ data }) => did.push(["log", data]);
    bridge.onrequestteardown = () => did.push(["wants to go"]);
  });
  const { bridge, app, start } = scene;
  const heard: unknown[] = [];
  app.ontoolinputpartial = (params) => heard.push(params);
  app.ontoolinput = (params) => heard.push(params);
  app.ontoolresult = (params) => heard.push(params);
  app.onhostcontextchanged = (params) => heard.push(params);
  await start();
  await bridge.sendToolInputPartial({ arguments: { city: "R" } });
  await bridge.sendToolInput({ arguments: { city: "Rome" } });
  await bridge.sendToolResult(RESULT);
  bridge.setHostContext({ ...CONTEXT, theme: "light" });
  bridge.setHostContext({ ...CONTEXT, theme: "light" });
  await turn();
  const progress: unknown[] = [];
  await app.callServerTool(
    { name: "add", arguments: { a: 1 } },
    { onprogress: (step) => progress.push(step) },
  );
  await expect(app.callServerTool({ name: "fail" })).rejects.toThrow("it failed");
  await app.listServerResources();
  await app.readServerResource({ uri: "a://b" });
  await app.sendMessage({ role: "user", content: TEXT });
  await app.openLink({ url: "https://example.com/" });
  await app.downloadFile({ contents: [{ type: "resource", resource: { uri: "file:///a", text: "a" } }] });
  await app.updateModelContext({ structuredContent: { a: 1 } });
  await app.requestDisplayMode({ mode: "fullscreen" });
  await app.sendLog({ level: "info", data: "line" });
  await app.sendSizeChanged({ width: 1, height: 2 });
  await app.requestTeardown();
  await turn();
  const listed = await bridge.listTools({});
  const called = await bridge.callTool({ name: "zoom", arguments: {} });
  await bridge.sendToolListChanged();
  await bridge.sendResourceListChanged();
  await bridge.sendPromptListChanged();
  await bridge.sendHostContextChange({ locale: "de" });
  expect(bridge.getAppVersion()).toEqual({ name: "view", version: "1.0.0" });
  expect(await bridge.teardownResource({})).toEqual({});
  await turn();
  return { ...scene, did, heard, progress, listed, called };
}

/** Calls of a view that a bridge forwards to its client. */
async function playClient(make: (typeof BRIDGES)["ours"], kind: keyof typeof APPS, generation: 1 | 2) {
  const { client, server } = await serverOf(generation);
  const scene = await sceneOf(make(client, { hostContext: CONTEXT }), kind);
  const { app, bridge, start } = scene;
  await start();
  await bridge.sendToolInput({ arguments: {} });
  const called = await app.callServerTool({ name: "forecast", arguments: { city: "Rome" } });
  await app.readServerResource({ uri: "weather://rome" });
  await app.listServerResources();
  server.registerTool("late", {}, () => ({ content: [] }));
  await expect
    .poll(() => scene.entries.map(({ message }) => message["method"]))
    .toContain("notifications/tools/list_changed");
  await turn();
  return { ...scene, called };
}

describe.each(Object.keys(APPS) as (keyof typeof APPS)[])("a view of %s", (kind) => {
  it.each(["official 1", "official 2"] as const)(
    "gets the same messages from ours as from %s",
    async (name) => {
      const official = await playHandlers(BRIDGES[name], kind);
      const ours = await playHandlers(BRIDGES.ours, kind);
      expect(official.entries.length).toBeGreaterThan(35);
      expect(logOf(ours.entries, "host")).toEqual(logOf(official.entries, "host"));
      expect(logOf(ours.entries, "view")).toEqual(logOf(official.entries, "view"));
      const { did, heard, progress, listed, called } = official;
      expect(ours).toMatchObject({ did, heard, progress, listed, called });
      expect(did).toHaveLength(9);
      expect(ours.errors).toEqual([]);
    },
  );

  it.each([
    ["official 1", 1],
    ["official 2", 2],
  ] as const)("is forwarded to a client like by %s", async (name, generation) => {
    const official = await playClient(BRIDGES[name], kind, generation);
    const ours = await playClient(BRIDGES.ours, kind, generation);
    expect(logOf(ours.entries, "host")).toEqual(logOf(official.entries, "host"));
    expect(ours.called).toMatchObject({ content: [{ text: "sunny in Rome" }] });
  });
});

describe("where ours is stricter", () => {
  const open = async (options?: Options, generation: 1 | 2 = 2) => {
    const { client } = await serverOf(generation);
    const scene = await sceneOf(new AppBridge(client, INFO, CAPABILITIES, options), "ext-apps 2");
    await scene.start();
    return scene;
  };

  it.each([1, 2] as const)(
    "a tool for the model alone is refused, with a client of SDK %i",
    async (generation) => {
      const { app } = await open({}, generation);
      await expect(app.callServerTool({ name: "secret" })).rejects.toThrow("not for views");
    },
  );

  it("a tool with side effects needs the user, or a rule", async () => {
    const asked: string[] = [];
    const ask = ({ subject, server }: { subject: string; server: string }) => {
      asked.push(`${server}: ${subject}`);
      return { answer: "deny" as const };
    };
    const { app } = await open({ guard: { ask }, server: "Weather" });
    await expect(app.callServerTool({ name: "erase" })).rejects.toThrow("declined");
    expect(asked).toEqual(["Weather: erase"]);
    const allowed = await open({ guard: { policy: { "tools/call:erase": "allow" } } });
    expect(await allowed.app.callServerTool({ name: "erase" })).toMatchObject({
      content: [{ text: "erased" }],
    });
    const behind = await open({ guard: "behind-upstream" });
    expect(await behind.app.callServerTool({ name: "erase" })).toMatchObject({
      content: [{ text: "erased" }],
    });
  });

  it("all bridges of a client have one guard: nobody can be asked here, so the call is denied", async () => {
    const { app } = await open();
    await expect(app.callServerTool({ name: "erase" })).rejects.toThrow("nobody can be asked");
  });

  it("a handler of your own is behind the guard, too, wherever it was set", async () => {
    const { client } = await serverOf(2);
    const called: string[] = [];
    const { app, start } = await sceneOf(
      new AppBridge(client, INFO, CAPABILITIES),
      "ext-apps 2",
      (bridge) => {
        bridge.oncalltool = async ({ name }) => {
          called.push(name);
          return RESULT;
        };
      },
    );
    await start();
    expect(await app.callServerTool({ name: "forecast", arguments: {} })).toMatchObject(RESULT);
    await expect(app.callServerTool({ name: "secret" })).rejects.toThrow("not for views");
    expect(called).toEqual(["forecast"]);
  });

  it("a link that could run in the page never arrives", async () => {
    const links: string[] = [];
    const scene = await sceneOf(new AppBridge(null, INFO, CAPABILITIES), "ext-apps 2", (bridge) => {
      bridge.onopenlink = async ({ url }) => {
        links.push(url);
        return {};
      };
    });
    await scene.start();
    await expect(scene.app.openLink({ url: "javascript:alert(1)" })).rejects.toThrow("only http");
    await scene.app.openLink({ url: "https://example.com/" });
    expect(links).toEqual(["https://example.com/"]);
  });

  it("messages wait until the view is ready, in order", async () => {
    const scene = await sceneOf(new AppBridge(null, INFO, CAPABILITIES), "ext-apps 2");
    await scene.bridge.sendToolInput({ arguments: { a: 1 } });
    await scene.bridge.sendToolResult(RESULT);
    expect(scene.entries).toEqual([]);
    const heard: unknown[] = [];
    scene.app.ontoolinput = (params) => heard.push(params);
    scene.app.ontoolresult = (params) => heard.push(params);
    await scene.start();
    await expect.poll(() => heard).toEqual([{ arguments: { a: 1 } }, RESULT]);
  });

  it("a result before the input, and another input, are errors of the caller", async () => {
    const { bridge } = await open();
    await expect(bridge.sendToolResult(RESULT)).rejects.toMatchObject({ code: "out-of-order" });
    await bridge.sendToolInput({ arguments: { a: 1 } });
    await expect(bridge.sendToolInput({ arguments: { a: 2 } })).rejects.toMatchObject({
      code: "out-of-order",
    });
  });

  it("the same input again is sent once", async () => {
    const { bridge, entries } = await open();
    await bridge.sendToolInput({ arguments: { a: 1 } });
    await bridge.sendToolInput({ arguments: { a: 1 } });
    const inputs = entries.filter(({ message }) => message["method"] === "ui/notifications/tool-input");
    expect(inputs).toHaveLength(1);
  });

  it("a key that leaves the host context is removed in the view, too", async () => {
    const scene = await sceneOf(
      new AppBridge(null, INFO, CAPABILITIES, { hostContext: { theme: "dark", locale: "de" } }),
      "ext-apps 2",
    );
    await scene.start();
    scene.bridge.setHostContext({ theme: "dark" });
    await expect.poll(() => scene.app.getHostContext()).toEqual({ theme: "dark" });
  });

  it("a granted display mode reaches the host context", async () => {
    const { bridge, app, start } = await sceneOf(
      new AppBridge(null, INFO, CAPABILITIES),
      "ext-apps 2",
      (own) => {
        own.onrequestdisplaymode = async ({ mode }) => ({ mode });
      },
    );
    await start();
    expect(await app.requestDisplayMode({ mode: "fullscreen" })).toEqual({ mode: "fullscreen" });
    await expect.poll(() => app.getHostContext()?.displayMode).toBe("fullscreen");
    expect(bridge.transport).toBeDefined();
  });

  it("the words of an error in a handler stay here, unless it has a code of JSON-RPC", async () => {
    const { app, errors, start } = await sceneOf(
      new AppBridge(null, INFO, CAPABILITIES),
      "ext-apps 2",
      (own) => {
        own.oncalltool = async () => {
          throw new Error("the password is swordfish");
        };
      },
    );
    await start();
    await expect(app.callServerTool({ name: "a" })).rejects.toThrow(/^tools\/call failed$/);
    expect(errors.map(({ cause }) => (cause as Error).message)).toEqual(["the password is swordfish"]);
  });

  it("a flood of calls is refused", async () => {
    const { app, start } = await sceneOf(new AppBridge(null, INFO, CAPABILITIES), "ext-apps 2", (own) => {
      own.oncalltool = async () => RESULT;
    });
    await start();
    const calls = Array.from({ length: 200 }, () => app.callServerTool({ name: "a" }));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === "rejected").length).toBeGreaterThan(50);
  });
});

describe("members of the SDK's Protocol", () => {
  it("methods of extensions have handlers, a fallback, and limits", async () => {
    const bridge = new AppBridge(null, INFO, CAPABILITIES);
    bridge.setRequestHandler("x/clipboard", (request: { params: object }) => ({ got: request.params }));
    const schemas = { params: z.object({ n: z.number() }) };
    bridge.setRequestHandler("x/double", schemas, ({ n }: { n: number }) => ({ doubled: 2 * n }));
    bridge.setRequestHandler(
      z.object({ method: z.literal("x/old"), params: z.object({}) }),
      ({ method }: { method: string }, { requestId }: { requestId: unknown }) => ({ method, requestId }),
    );
    expect(() => bridge.setRequestHandler("x/clipboard", () => ({}))).toThrow("already registered");
    expect(() => bridge.setRequestHandler("ui/initialize", () => ({}))).toThrow("The bridge itself");
    const notified: unknown[] = [];
    bridge.setNotificationHandler("x/note", { params: z.object({}) }, (params) => notified.push(params));
    bridge.fallbackNotificationHandler = async (notification) => void notified.push(notification);
    const { app, start } = await sceneOf(bridge, "ext-apps 2");
    await start();
    const any = z.looseObject({});
    const ask = (method: string, params = {}) => app.request({ method, params } as never, any as never);
    expect(await ask("x/clipboard", { text: "a" })).toEqual({ got: { text: "a" } });
    expect(await ask("x/double", { n: 2 })).toEqual({ doubled: 4 });
    expect(await ask("x/old")).toMatchObject({ method: "x/old" });
    await expect(ask("x/none")).rejects.toThrow("Method not found");
    bridge.fallbackRequestHandler = async ({ method, params }) => ({ method, params });
    expect(await ask("x/none", { a: 1 })).toEqual({ method: "x/none", params: { a: 1 } });
    bridge.removeRequestHandler("x/double");
    expect(await ask("x/double", { n: 2 })).toMatchObject({ method: "x/double" });
    await app.notification({ method: "x/note", params: { a: 1 } } as never);
    await app.notification({ method: "x/other", params: { b: 1 } } as never);
    await expect.poll(() => notified).toEqual([{ a: 1 }, { method: "x/other", params: { b: 1 } }]);
  });

  it("a view cannot name a method of an extension so that it has no limits", async () => {
    const arrived: string[] = [];
    const { app, errors, start } = await sceneOf(
      new AppBridge(null, INFO, CAPABILITIES, { guard: { sizes: { params: { "*": 1000 } } } }),
      "ext-apps 2",
      (bridge) => {
        bridge.fallbackRequestHandler = async () => ({});
        bridge.fallbackNotificationHandler = async ({ method }) => void arrived.push(method);
      },
    );
    await start();
    const methods = ["toString", "constructor", "__proto__", "x/large"];
    const params = { a: "x".repeat(2000) };
    const cycle: unknown[] = [];
    cycle.push(cycle, cycle);
    for (const method of methods) await app.notification({ method, params } as never);
    for (const method of methods) await app.notification({ method, params: { a: cycle } } as never);
    await expect.poll(() => errors.length).toBe(2 * methods.length);
    expect(errors.every((error) => recordOf(recordOf(error)["data"])["code"] === "too-large")).toBe(true);
    for (const method of methods) {
      const asked = app.request({ method, params } as never, z.looseObject({}) as never);
      await expect(asked).rejects.toMatchObject({ data: { code: "too-large" } });
    }
    expect(arrived).toEqual([]);
    for (const method of methods) await app.notification({ method, params: { a: 1 } } as never);
    await expect.poll(() => arrived).toEqual(methods);
  });

  it("the guard's options for limits and records hold for extensions, too", async () => {
    const rows: AuditRow[] = [];
    const guard = {
      audit: { sink: (row: AuditRow) => void rows.push(row) },
      rates: { other: { burst: 2, perSecond: 0.001 } },
      sizes: { params: { "*": 100 } },
    };
    const bridge = new AppBridge(null, INFO, CAPABILITIES, { guard, server: "Weather" });
    bridge.setRequestHandler("x/clipboard", () => ({ ok: true }));
    const { app, start } = await sceneOf(bridge, "ext-apps 2");
    await start();
    const ask = (params: object) =>
      app.request({ method: "x/clipboard", params } as never, z.looseObject({}) as never);
    expect(await ask({ a: 1 })).toEqual({ ok: true });
    await expect(ask({ a: "x".repeat(200) })).rejects.toMatchObject({ data: { code: "too-large" } });
    await expect(ask({ a: 1 })).rejects.toMatchObject({ data: { code: "rate-limited" } });
    expect(rows).toMatchObject([
      { method: "x/clipboard", server: "Weather", outcome: "allowed" },
      { method: "x/clipboard", outcome: "refused", code: "too-large" },
      { method: "x/clipboard", outcome: "refused", code: "rate-limited" },
    ]);
  });

  it("requests of extensions may be sent as text", async () => {
    const bridge = new AppBridge(null, INFO, CAPABILITIES);
    bridge.setRequestHandler("x/double", { params: {} }, ({ n }: { n: number }) => ({ doubled: 2 * n }));
    bridge.fallbackRequestHandler = async ({ method }) => ({ method });
    const { hostEnd, viewEnd } = recordedPair();
    const answers = new Map<unknown, unknown>();
    // Answers to text are text, too.
    viewEnd.onmessage = (message) => {
      const { id, result } = JSON.parse(message as unknown as string);
      answers.set(id, result);
    };
    await viewEnd.start();
    await bridge.connect(hostEnd);
    ends.push(() => bridge.close());
    const send = (message: object) =>
      viewEnd.send(JSON.stringify({ jsonrpc: "2.0", ...message }) as unknown as JSONRPCMessage);
    const params = {
      appInfo: { name: "view", version: "1.0.0" },
      appCapabilities: {},
      protocolVersion: LATEST_PROTOCOL_VERSION,
    };
    await send({ id: 1, method: "ui/initialize", params });
    await expect.poll(() => answers.get(1)).toMatchObject({ hostInfo: INFO });
    await send({ method: "ui/notifications/initialized" });
    await send({ id: 2, method: "x/double", params: { n: 2 } });
    await send({ id: 3, method: "x/other", params: {} });
    await expect.poll(() => answers.size).toBe(3);
    expect(answers.get(2)).toEqual({ doubled: 4 });
    expect(answers.get(3)).toEqual({ method: "x/other" });
  });

  it.each([1, 2] as const)(
    "many bridges with rules, one after another, leave nothing at a client of SDK %i",
    async (generation) => {
      const { client } = await serverOf(generation);
      // The upstream that all bridges of this client and name share.
      const { upstream } = guardedServer(client, "Weather", "behind-upstream");
      let listeners = 0;
      const { listen } = upstream;
      upstream.listen = (listener) => {
        const stop = listen(listener);
        listeners++;
        return () => {
          stop();
          listeners--;
        };
      };
      const receivers = new Set<unknown>();
      const open: number[] = [];
      const left: number[] = [];
      for (let count = 0; count < 50; count++) {
        const options = { server: "Weather", guard: { policy: { "tools/call:erase": "allow" as const } } };
        const { bridge, app, start } = await sceneOf(
          new AppBridge(client, INFO, CAPABILITIES, options),
          "ext-apps 2",
        );
        await start();
        const erased = await app.callServerTool({ name: "erase" });
        expect(erased).toMatchObject({ content: [{ text: "erased" }] });
        receivers.add(client.transport?.onmessage);
        open.push(listeners);
        await bridge.close();
        left.push(listeners);
      }
      expect.soft(receivers.size).toBe(1);
      // The guard listens to tools and to resources, and the bridge to everything.
      expect.soft(new Set(open)).toEqual(new Set([3]));
      expect.soft(new Set(left)).toEqual(new Set([0]));
    },
  );

  it("pings go both ways", async () => {
    const bridge = new AppBridge(null, INFO, CAPABILITIES);
    const pings: unknown[] = [];
    bridge.onping = (params) => pings.push(recordOf(params));
    const { app, start } = await sceneOf(bridge, "ext-apps 2");
    await start();
    expect(await bridge.request({ method: "ping" }, z.object({}))).toEqual({});
    await expect(bridge.request({ method: "ping" }, z.object({ a: z.string() }))).rejects.toMatchObject({
      code: "invalid",
    });
    await app.request({ method: "ping" });
    expect(pings).toHaveLength(1);
  });

  it("a closed bridge can connect again, and starts afresh", async () => {
    const bridge = new AppBridge(null, INFO, CAPABILITIES);
    let closed = 0;
    bridge.onclose = () => closed++;
    const { start, bridge: same } = await sceneOf(bridge, "ext-apps 2");
    await start();
    await bridge.sendToolInput({ arguments: { a: 1 } });
    await expect(bridge.connect(recordedPair().hostEnd)).rejects.toThrow("already connected");
    await same.close();
    expect(closed).toBe(1);
    await expect(bridge.sendToolInput({ arguments: {} })).rejects.toThrow("Not connected");
    const again = await sceneOf(bridge, "ext-apps 1");
    await again.start();
    await bridge.sendToolInput({ arguments: { a: 1 } });
    expect(logOf(again.entries, "host")).toContainEqual(
      expect.objectContaining({ params: { arguments: { a: 1 } } }),
    );
  });

  it("a view that does not start within a limit is an error, and the bridge can connect again", async () => {
    const options = { limits: { initialize: 20 } };
    const { bridge, errors } = await sceneOf(new AppBridge(null, INFO, CAPABILITIES, options), "ext-apps 2");
    await expect.poll(() => errors).toMatchObject([{ code: "timeout", message: "The app did not start." }]);
    const again = await sceneOf(bridge, "ext-apps 2");
    await again.start();
  });

  it("a client that is not connected is an error", async () => {
    const bridge = new AppBridge(new Client(INFO), INFO, CAPABILITIES);
    await expect(bridge.connect(recordedPair().hostEnd)).rejects.toThrow("capabilities not available");
  });

  it("a view that does not finish in time is an error", async () => {
    const { bridge, app, start } = await sceneOf(new AppBridge(null, INFO, CAPABILITIES), "ext-apps 2");
    app.onteardown = () => new Promise(() => {});
    await start();
    await expect(bridge.teardownResource({}, { timeout: 20 })).rejects.toMatchObject({ code: "timeout" });
  });
});
