import { JsonText } from "@vitrine/protocol";
import type { OpenedView } from "@vitrine/wire";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket as NodeSocket } from "ws";
import { type Noted, SessionStage, type SessionStageOptions } from "../../../../testing/session-stage.ts";
import type { GatewayState } from "./connection.js";
import { connectGateway, type GatewayClient, type GatewayClientOptions } from "./gateway.js";

const Socket = NodeSocket as unknown as typeof WebSocket;
const LONG = { timeout: 60_000, interval: 20 };

/** A tab's storage across a reload. */
function tabStorage(entries: [string, string][] = []) {
  const map = new Map(entries);
  return {
    map,
    getItem: (name: string) => map.get(name) ?? null,
    setItem: (name: string, value: string) => void map.set(name, value),
    removeItem: (name: string) => void map.delete(name),
  };
}

const opened = (view: string, more: Partial<OpenedView> = {}): OpenedView => ({
  view,
  server: "weather",
  capabilities: { tools: {}, resources: { subscribe: true } },
  uri: "ui://weather/view",
  ...more,
});

let stages: SessionStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
  stages = [];
});

async function openStage(options?: SessionStageOptions): Promise<SessionStage> {
  const stage = await SessionStage.open(options);
  stages.push(stage);
  let views = 0;
  stage.answer = ({ method, params }) => (method === "gateway/open" ? opened(`v${++views}`) : params);
  return stage;
}

interface Page {
  gateway: GatewayClient;
  states: GatewayState[];
  storage: ReturnType<typeof tabStorage>;
}

function openPage(stage: SessionStage, options: Partial<GatewayClientOptions> = {}): Page {
  const states: GatewayState[] = [];
  const storage = tabStorage();
  const gateway = connectGateway({
    url: stage.url(),
    WebSocket: Socket,
    storage,
    onstate: (state) => states.push(state),
    ...options,
  });
  onTestFinished(() => gateway.close());
  return { gateway, states, storage };
}

const untilOpen = (page: Page, over: "websocket" | "http" = "websocket") =>
  vi.waitFor(() => expect(page.gateway.state).toMatchObject({ phase: "open", over }), LONG);

/** Calls a tool, and returns the outcome. */
const call = (gateway: GatewayClient, n: number) =>
  gateway.request("gateway/call", { server: "weather", name: `tool-${n}` }) as Promise<unknown>;

const callsOf = (noted: Noted[]): unknown[] =>
  noted.filter(({ method }) => method === "gateway/call").map(({ params }) => params["name"]);

describe.each(["websocket", "http"] as const)("over %s", (over) => {
  const stageOptions = async () => {
    const stage = await openStage();
    stage.letsSockets = over === "websocket";
    return stage;
  };

  it("sends requests and gets answers, even from before the connection is open", async () => {
    const stage = await stageOptions();
    const page = openPage(stage);
    expect(await call(page.gateway, 1)).toEqual({ server: "weather", name: "tool-1" });
    await untilOpen(page, over);
    expect(page.states.at(-1)).toEqual({ phase: "open", over, resumed: false });
    expect(stage.noted[0]?.id).toMatch(/^[a-z0-9]+\.1$/);
  });

  it("loses nothing and does nothing twice when the connection is reset again and again", async () => {
    const stage = await stageOptions();
    const page = openPage(stage);
    await untilOpen(page, over);
    const answers: Promise<unknown>[] = [];
    for (let n = 0; n < 200; n++) {
      answers.push(call(page.gateway, n));
      if (n % 50 === 25) {
        await vi.waitFor(() => expect(callsOf(stage.noted).length).toBeGreaterThan(n - 25), LONG);
        stage.reset();
        await vi.waitFor(() => expect(page.gateway.state.phase).toBe("open"), LONG);
      }
    }
    expect(await Promise.all(answers)).toEqual(
      Array.from({ length: 200 }, (_, n) => ({ server: "weather", name: `tool-${n}` })),
    );
    expect(callsOf(stage.noted)).toEqual(Array.from({ length: 200 }, (_, n) => `tool-${n}`));
    expect(stage.sessions).toHaveLength(1);
  });

  it("notices a connection that died silently, and continues over another", async () => {
    const stage = await stageOptions();
    const page = openPage(stage, { heartbeat: 500 });
    await untilOpen(page, over);
    stage.freeze();
    const answer = call(page.gateway, 1);
    await vi.waitFor(() => expect(page.states.map(({ phase }) => phase)).toContain("reconnecting"), LONG);
    await vi.waitFor(() => expect(page.states.at(-1)).toMatchObject({ phase: "open", resumed: true }), LONG);
    expect(await answer).toEqual({ server: "weather", name: "tool-1" });
    expect(callsOf(stage.noted)).toEqual(["tool-1"]);
  });

  it.runIf(over === "http")("notices a dead stream by missing beats, long before its heartbeat", async () => {
    const stage = await stageOptions();
    const page = openPage(stage, { heartbeat: 600_000, upgradeAfter: 600_000 });
    await untilOpen(page, over);
    stage.freeze();
    await vi.waitFor(() => expect(page.states.at(-1)).toMatchObject({ phase: "open", resumed: true }), LONG);
    expect(await call(page.gateway, 1)).toEqual({ server: "weather", name: "tool-1" });
  });

  it("continues after a reload: views live, and nothing of the old page comes to the new one", async () => {
    const stage = await stageOptions();
    const first = openPage(stage);
    const view = await first.gateway.openView({ server: "weather", tool: "forecast" });
    stage.answer = ({ method, params }) =>
      method === "gateway/views" ? { views: [opened("v1")] } : method === "tools/call" ? undefined : params;
    const cut = view.upstream.request("tools/call", { name: "slow" }).catch((error) => error);
    await vi.waitFor(() => expect(stage.noted.at(-1)?.method).toBe("tools/call"), LONG);
    const [session] = stage.sessions;

    const storage = tabStorage([...first.storage.map]);
    const second = openPage(stage, { storage });
    const [restored] = await second.gateway.restoreViews();
    expect(second.gateway.state).toMatchObject({ phase: "open", resumed: true });
    expect(stage.events).toContain("fresh ann");
    const heard: unknown[] = [];
    if (restored) restored.onnotice = (notice) => heard.push(notice);
    session?.send(
      "v1",
      JSON.stringify({ jsonrpc: "2.0", id: stage.noted.at(-1)?.id, result: { old: true } }),
    );
    const cancelled = { method: "ui/notifications/tool-cancelled", params: { reason: "x" } };
    session?.send("v1", JSON.stringify({ jsonrpc: "2.0", ...cancelled }));
    await vi.waitFor(() => expect(heard).toEqual([cancelled]), LONG);
    // The old page was taken over.
    expect(await cut).toMatchObject({ code: "closed" });
  });

  it("a duplicate of a tab takes the session over, and the first starts its own", async () => {
    const stage = await stageOptions();
    const ontakenover = vi.fn();
    const first = openPage(stage, { ontakenover });
    const view = await first.gateway.openView({ server: "weather", tool: "forecast" });
    const onclosed = vi.fn();
    view.onclosed = onclosed;
    const second = openPage(stage, { storage: tabStorage([...first.storage.map]) });
    await untilOpen(second, over);
    await vi.waitFor(() => expect(stage.sessions).toHaveLength(2), LONG);
    await untilOpen(first, over);
    expect(ontakenover).toHaveBeenCalledOnce();
    expect(onclosed).toHaveBeenCalledOnce();
    await call(first.gateway, 1);
    await call(second.gateway, 2);
    const [one, two] = stage.sessions;
    expect(
      stage.noted.filter(({ method }) => method === "gateway/call").map(({ session }) => session),
    ).toEqual([two?.id, one?.id]);
  });

  it("a page that was away during a takeover is notified when it comes back", async () => {
    const stage = await stageOptions();
    let isOffline = false;
    class Mine extends NodeSocket {
      constructor(url: URL) {
        super(isOffline ? "ws://127.0.0.1:1" : url);
      }
    }
    const first = openPage(stage, {
      WebSocket: Mine as unknown as typeof WebSocket,
      fetch: (...args) => (isOffline ? Promise.reject(new TypeError("offline")) : fetch(...args)),
    });
    await untilOpen(first, over);
    const copy = tabStorage([...first.storage.map]);
    isOffline = true;
    stage.reset();
    await vi.waitFor(() => expect(first.gateway.state.phase).toBe("reconnecting"), LONG);
    const second = openPage(stage, { storage: copy });
    await untilOpen(second, over);
    isOffline = false;
    await vi.waitFor(
      () => expect(first.gateway.state).toMatchObject({ phase: "open", resumed: false }),
      LONG,
    );
    await call(first.gateway, 1);
    await call(second.gateway, 2);
    expect(new Set(stage.noted.map(({ session }) => session)).size).toBe(2);
  });

  it("repeats unanswered requests, under the same keys, after the gateway was restarted", async () => {
    const before = await stageOptions();
    const page = openPage(before);
    const view = await page.gateway.openView({ server: "weather", tool: "forecast" });
    before.answer = () => undefined;
    const own = call(page.gateway, 1);
    const views = view.upstream.request("tools/call", { name: "cut-off" });
    await vi.waitFor(() => expect(before.noted).toHaveLength(3), LONG);
    const { port } = before;
    await before.close();
    const after = await SessionStage.open({ port });
    stages = [after];
    after.letsSockets = over === "websocket";
    after.answer = ({ method, params }) =>
      method === "gateway/open" ? opened("other") : { again: params["name"] };
    expect(await own).toEqual({ again: "tool-1" });
    expect(await views).toEqual({ again: "cut-off" });
    const keys = (noted: Noted[], name: string) => noted.find(({ params }) => params["name"] === name)?.id;
    for (const name of ["tool-1", "cut-off"]) expect(keys(after.noted, name)).toBe(keys(before.noted, name));
    expect(after.noted.find(({ params }) => params["name"] === "cut-off")?.channel).toBe("other");
    expect(after.abouts).toEqual([expect.objectContaining({ mayBeOld: true })]);
  });

  it("carries large messages, and gives large results as text", async () => {
    const stage = await stageOptions();
    const page = openPage(stage);
    const view = await page.gateway.openView({ server: "weather", tool: "forecast" });
    const large = "ü🙂\n\r\u2028".repeat(500_000);
    stage.answer = ({ method, params }) =>
      method === "tools/call" ? { content: [], echo: params["arguments"] } : params;
    const result = await view.upstream.request("tools/call", { name: "echo", arguments: { large } });
    expect(result).toBeInstanceOf(JsonText);
    expect((result as JsonText).parse()).toEqual({ content: [], echo: { large } });
  });
});

describe("a gateway", () => {
  it("is reached by HTTP where no WebSocket passes, and by WebSocket again when it does", async () => {
    const stage = await openStage();
    stage.letsSockets = false;
    const page = openPage(stage, { upgradeAfter: 200 });
    await untilOpen(page, "http");
    const early = call(page.gateway, 1);
    stage.letsSockets = true;
    await untilOpen(page, "websocket");
    await call(page.gateway, 2);
    await early;
    expect(page.states.at(-1)).toMatchObject({ resumed: true });
    expect(callsOf(stage.noted)).toEqual(["tool-1", "tool-2"]);
    expect(stage.sessions).toHaveLength(1);
    await vi.waitFor(() => expect(stage.http.size).toBe(0), LONG);
  });

  it("is not mistaken for another tab when the page changes its own connection and is notified late", async () => {
    const stage = await openStage();
    stage.letsSockets = false;
    class Late extends NodeSocket {
      override emit(event: string, ...args: unknown[]): boolean {
        if (event !== "message") return super.emit(event, ...args);
        setTimeout(() => super.emit(event, ...args), 300);
        return true;
      }
    }
    const ontakenover = vi.fn();
    const page = openPage(stage, {
      WebSocket: Late as unknown as typeof WebSocket,
      upgradeAfter: 100,
      ontakenover,
    });
    await untilOpen(page, "http");
    stage.letsSockets = true;
    await vi.waitFor(() => expect(stage.http.size).toBe(0), LONG);
    const answer = call(page.gateway, 1);
    await untilOpen(page, "websocket");
    expect(await answer).toEqual({ server: "weather", name: "tool-1" });
    expect(page.states.at(-1)).toMatchObject({ resumed: true });
    expect(ontakenover).not.toHaveBeenCalled();
    expect([stage.sessions.length, callsOf(stage.noted)]).toEqual([1, ["tool-1"]]);
  });

  it("is not mistaken for another tab when a new connection of the page breaks before its welcome", async () => {
    const stage = await openStage();
    stage.letsSockets = false;
    let broken = 0;
    class Broken extends NodeSocket {
      override emit(event: string, ...args: unknown[]): boolean {
        if (event !== "message") return super.emit(event, ...args);
        broken++;
        stage.letsSockets = false;
        this.terminate();
        return true;
      }
    }
    // The old connection reports the takeover after the new one broke.
    const late = () =>
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, to) =>
          new Promise((resolve) => setTimeout(resolve, 100)).then(() => to.enqueue(chunk)),
      });
    const ontakenover = vi.fn();
    const page = openPage(stage, {
      WebSocket: Broken as unknown as typeof WebSocket,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        return init?.method === "POST"
          ? response
          : new Response(response.body?.pipeThrough(late()), response);
      },
      upgradeAfter: 100,
      ontakenover,
    });
    await untilOpen(page, "http");
    stage.letsSockets = true;
    await vi.waitFor(() => expect(broken).toBe(1), LONG);
    await vi.waitFor(() => expect(page.states.at(-1)?.phase).toBe("reconnecting"), LONG);
    expect(await call(page.gateway, 1)).toEqual({ server: "weather", name: "tool-1" });
    expect(page.states.at(-1)).toMatchObject({ phase: "open", resumed: true });
    expect(ontakenover).not.toHaveBeenCalled();
    expect([stage.sessions.length, callsOf(stage.noted)]).toEqual([1, ["tool-1"]]);
  });

  it("that wants the user to sign in again is not dialled for ever", async () => {
    const stage = await openStage();
    const page = openPage(stage);
    await untilOpen(page);
    const pending = call(page.gateway, 1).then(
      () => call(page.gateway, 2),
      (error: unknown) => error,
    );
    stage.answer = () => undefined;
    stage.isAuthorized = false;
    stage.reset();
    await vi.waitFor(
      () => expect(page.gateway.state).toMatchObject({ phase: "closed", reason: "unauthorized" }),
      LONG,
    );
    await expect(call(page.gateway, 3)).rejects.toMatchObject({ code: "closed" });
    await pending.catch((error) => expect(error).toMatchObject({ code: "closed" }));
  });

  it("ends the session when the page says goodbye, and drops pending requests", async () => {
    const stage = await openStage();
    const page = openPage(stage);
    await untilOpen(page);
    stage.answer = () => undefined;
    const pending = call(page.gateway, 1);
    page.gateway.close();
    await expect(pending).rejects.toMatchObject({ code: "closed" });
    await vi.waitFor(() => expect(stage.registry.size).toBe(0), LONG);
    expect(page.storage.map.size).toBe(0);
  });

  it("that forgot the session sends views in conversations what they missed: input, result, and no running progress", async () => {
    const before = await openStage();
    const page = openPage(before);
    const call = { conversation: "c", item: "i" };
    const input = { city: "Rome" };
    const toolOf = (params: Record<string, unknown>) => ({
      name: `${params["tool"]}`,
      inputSchema: { type: "object" as const },
    });
    before.answer = ({ params }) =>
      opened(`v${params["tool"]}`, {
        call,
        tool: toolOf(params),
        ...(params["tool"] === "running" && { input }),
      });
    const told: unknown[] = [];
    const names = ["written", "ended", "taken", "running"];
    for (const tool of names) {
      const view = await page.gateway.openView({ server: "weather", tool, call });
      view.onnotice = ({ method, params }) => told.push([tool, method.split("/").at(-1), params]);
    }
    const { port } = before;
    await before.close();
    const after = await SessionStage.open({ port });
    stages = [after];
    const now: Record<string, object> = {
      ended: { result: { content: [] } },
      taken: { cancelled: "stopped" },
    };
    after.answer = ({ params }) =>
      opened(`w${params["tool"]}`, { call, input, tool: toolOf(params), ...now[`${params["tool"]}`] });
    await vi.waitFor(
      () => expect(after.noted.filter(({ method }) => method === "gateway/open")).toHaveLength(4),
      LONG,
    );
    const result = { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: [] } };
    for (const tool of ["running", "written"]) after.sessions[0]?.send(`w${tool}`, JSON.stringify(result));
    const of = (tool: string) => told.filter((each) => (each as string[])[0] === tool);
    await vi.waitFor(() => expect(told).toHaveLength(7), LONG);
    const inputOf = (tool: string) => [tool, "tool-input", { arguments: input }];
    expect(of("written")).toEqual([inputOf("written"), ["written", "tool-result", { content: [] }]]);
    expect(of("ended")).toEqual([inputOf("ended"), ["ended", "tool-result", { content: [] }]]);
    expect(of("taken")).toEqual([inputOf("taken"), ["taken", "tool-cancelled", { reason: "stopped" }]]);
    expect(of("running")).toEqual([["running", "tool-result", { content: [] }]]);
  });

  it("that was restarted is shown documents again, and ends calls whose answers are lost, but no others", async () => {
    const before = await openStage();
    const page = openPage(before);
    const input = { city: "Rome" };
    before.answer = ({ method, params }) =>
      method === "gateway/show"
        ? opened("d1", { server: "" })
        : opened(`v${params["tool"]}`, { input, narrow });
    const narrow = ["frame-domains" as const];
    const document = { name: "Recorded", html: "<p>", meta: { prefersBorder: true }, narrow };
    const shown = await page.gateway.showDocument(document);
    expect(before.noted.at(-1)).toMatchObject({ method: "gateway/show", params: document });
    const told: unknown[] = [];
    const open = async (tool: string) => {
      const view = await page.gateway.openView({ server: "weather", tool, arguments: input });
      view.onnotice = ({ method }) => told.push([tool, method]);
      return view;
    };
    await open("slow");
    const quick = await open("quick");
    const result = { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: [] } };
    before.sessions[0]?.send("vquick", JSON.stringify(result));
    await vi.waitFor(() => expect(quick.result).toBeDefined(), LONG);
    const { port } = before;
    await before.close();
    const after = await SessionStage.open({ port });
    stages = [after];
    after.answer = ({ method, id }) => opened(`${method}-${id}`.replace(/\W/g, "-"));
    await vi.waitFor(() => expect(told).toHaveLength(2), LONG);
    await vi.waitFor(() => expect(shown.opened.view).toMatch(/^gateway-show/), LONG);
    expect(after.noted.find(({ method }) => method === "gateway/show")?.params).toEqual(document);
    // As narrow as before.
    expect(after.noted.filter(({ method }) => method === "gateway/open")).toMatchObject(
      Array(2).fill({ params: { server: "weather", narrow } }),
    );
    expect(told).toEqual([
      ["quick", "ui/notifications/tool-result"],
      ["slow", "ui/notifications/tool-cancelled"],
    ]);
  });

  it("attack E01: that was restarted gets nothing of a view if it opens it at another server", async () => {
    const before = await openStage();
    const page = openPage(before);
    before.answer = ({ method }) =>
      method === "gateway/open" ? opened("v1", { identity: "ann" }) : undefined;
    const view = await page.gateway.openView({ server: "weather", tool: "show" });
    const call = view.upstream.request("tools/call", { name: "send", arguments: {} });
    call.catch(() => {});
    const { port } = before;
    await before.close();
    const after = await SessionStage.open({ port });
    stages = [after];
    after.answer = ({ method }) => (method === "gateway/open" ? opened("v2", { identity: "eve" }) : {});
    await expect(call).rejects.toThrow("another server has this name");
    const methods = () => after.noted.map(({ method }) => method);
    await vi.waitFor(() => expect(methods()).toEqual(["gateway/open", "gateway/close"]), LONG);
    expect(after.noted[0]?.params).toMatchObject({ server: "weather", identity: "ann" });
  });

  it("that was restarted closes a view again that was closed meanwhile", async () => {
    const before = await openStage();
    const page = openPage(before);
    before.answer = () => opened("v1");
    const view = await page.gateway.openView({ server: "weather", tool: "show" });
    const { port } = before;
    await before.close();
    const after = await SessionStage.open({ port });
    stages = [after];
    // The gateway is asked to open it again, and takes its time.
    let answer = (): void => {};
    after.answer = ({ id, method }, session) => {
      if (method !== "gateway/open") return {};
      answer = () => session.send(".", JSON.stringify({ jsonrpc: "2.0", id, result: opened("v2") }));
      return undefined;
    };
    await vi.waitFor(() => expect(after.noted.map(({ method }) => method)).toContain("gateway/open"), LONG);
    await view.close();
    answer();
    await vi.waitFor(
      () => expect(after.noted.at(-1)).toMatchObject({ method: "gateway/close", params: { view: "v2" } }),
      LONG,
    );
  });

  it("tells how far a call of the page's own has come", async () => {
    const stage = await openStage();
    const page = openPage(stage);
    stage.answer = ({ id }, session) => {
      const params = { progressToken: id, progress: 1, total: 2, message: "half" };
      session.send(".", JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params }));
      return { content: [] };
    };
    const heard: unknown[] = [];
    const wanted = { server: "weather", name: "forecast" };
    await page.gateway.request("gateway/call", wanted, { onprogress: (progress) => heard.push(progress) });
    expect(heard).toEqual([{ progress: 1, total: 2, message: "half" }]);
    // Under an id of the page, so that the page can request it again after a reload.
    await page.gateway.request("gateway/call", wanted, { id: "7-9.1" });
    expect(stage.noted.at(-1)).toMatchObject({ id: "7-9.1", method: "gateway/call", params: wanted });
  });

  it("asks the user, and withdraws a question", async () => {
    const stage = await openStage();
    const withdrawn = vi.fn();
    const page = openPage(stage, {
      onask: (question, signal) =>
        question.id === "q1"
          ? Promise.resolve({ answer: "allow" })
          : new Promise((_resolve, reject) =>
              signal.addEventListener("abort", () => {
                withdrawn();
                reject(signal.reason);
              }),
            ),
    });
    await untilOpen(page);
    const [session] = stage.sessions;
    const ask = (id: string) =>
      session?.send(".", JSON.stringify({ jsonrpc: "2.0", id, method: "gateway/ask", params: { id } }));
    ask("q1");
    ask("q2");
    session?.send(".", JSON.stringify({ jsonrpc: "2.0", method: "gateway/withdrawn", params: { id: "q2" } }));
    await vi.waitFor(() => expect(withdrawn).toHaveBeenCalledOnce(), LONG);
    await call(page.gateway, 1);
    expect(stage.noted.filter(({ id }) => /^q\d$/.test(`${id}`)).map(({ id }) => id)).toEqual(["q1"]);
  });

  it("tells its listeners, until they leave", async () => {
    const stage = await openStage();
    const page = openPage(stage);
    await untilOpen(page);
    const heard: unknown[] = [];
    const stop = page.gateway.on("gateway/changed", (params) => heard.push(params));
    const say = (server: string) =>
      stage.sessions[0]?.send(
        ".",
        JSON.stringify({ jsonrpc: "2.0", method: "gateway/changed", params: { server } }),
      );
    say("a");
    await vi.waitFor(() => expect(heard).toEqual([{ server: "a" }]), LONG);
    stop();
    say("b");
    await call(page.gateway, 1);
    expect(heard).toHaveLength(1);
  });

  it("refuses an app that floods its page, before its page has no memory left", async () => {
    const stage = await openStage();
    const page = openPage(stage);
    await untilOpen(page);
    stage.answer = () => undefined;
    const refused: unknown[] = [];
    for (let n = 0; n < 10_050; n++) call(page.gateway, n).catch((error) => refused.push(error.code));
    await vi.waitFor(() => expect(refused).toEqual(Array(50).fill(-32000)), LONG);
  });

  it("dials at least every three seconds while the gateway is away", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const dials: { kind: string; at: number }[] = [];
    const dial = (kind: string): void => void dials.push({ kind, at: Date.now() });
    class NoSocket extends EventTarget {
      onerror: (() => void) | undefined;
      constructor() {
        super();
        dial("websocket");
        queueMicrotask(() => this.onerror?.());
      }
      close() {}
    }
    const gateway = connectGateway({
      url: "http://gateway.test/",
      storage: tabStorage(),
      WebSocket: NoSocket as unknown as typeof WebSocket,
      fetch: () => {
        dial("http");
        return Promise.reject(new TypeError("no network"));
      },
    });
    onTestFinished(() => gateway.close());
    await vi.advanceTimersByTimeAsync(120_000);
    expect(new Set(dials.map(({ kind }) => kind))).toEqual(new Set(["websocket", "http"]));
    const times = [...dials.map(({ at }) => at), Date.now()];
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(3_000);
  });

  it("refuses a message that is larger than its limit, and continues", async () => {
    const stage = await openStage({ registry: { limits: { message: 200_000 } } });
    const page = openPage(stage);
    await untilOpen(page);
    const large = page.gateway.request("gateway/call", { server: "x".repeat(300_000), name: "n" });
    await expect(large).rejects.toMatchObject({ code: "send-failed" });
    await call(page.gateway, 1);
  });
});

describe("a view", () => {
  async function openView(more: Partial<OpenedView> = {}) {
    const stage = await openStage();
    const { answer } = stage;
    stage.answer = (...asked) => Object.assign(answer(...asked) as object, more);
    const page = openPage(stage);
    const view = await page.gateway.openView({ server: "weather", tool: "forecast" });
    const [session] = stage.sessions;
    if (!session) throw new Error("no session");
    const say = (message: object) => session.send("v1", JSON.stringify({ jsonrpc: "2.0", ...message }));
    const last = () => stage.noted.at(-1);
    return { stage, page, view, say, last };
  }

  it("that floods is refused in the page, and its neighbours and the page itself are not", async () => {
    const { stage, view, page } = await openView();
    const { upstream: other } = await page.gateway.openView({ server: "weather", tool: "forecast" });
    stage.answer = () => undefined;
    const refused: unknown[] = [];
    const ask = (upstream: typeof other) =>
      upstream
        .request("tools/call", { name: "x" })
        // Requests that are still open at the end of the test do not count.
        .catch(({ data }) => data && refused.push(data.code));
    for (let n = 0; n < 300; n++) void ask(view.upstream);
    await vi.waitFor(() => expect(refused).toEqual(Array(44).fill("rate-limited")), LONG);
    void ask(other);
    void page.gateway.request("gateway/servers", {}).catch(({ data }) => data && refused.push("the page"));
    await vi.waitFor(() => expect(stage.noted.length).toBeGreaterThanOrEqual(258), LONG);
    expect(refused).toHaveLength(44);
  });

  it("keeps messages until there is a listener", async () => {
    const stage = await openStage();
    const page = openPage(stage);
    const result = {
      method: "ui/notifications/tool-result",
      params: { content: [{ type: "text", text: "x".repeat(200_000) }] },
    };
    stage.answer = ({ params }, session) => {
      // Before the answer: channels do not wait for each other.
      session.send("v1", JSON.stringify({ jsonrpc: "2.0", ...result }));
      return opened("v1", { input: params });
    };
    const view = await page.gateway.openView({ server: "weather", tool: "forecast", arguments: { a: 1 } });
    const heard: unknown[] = [];
    view.onnotice = ({ method, params }) =>
      heard.push({ method, params: params instanceof JsonText ? params.parse() : params });
    await vi.waitFor(() => expect(heard).toEqual([result]), LONG);
  });

  it("receives progress of its own calls, and its server's notifications", async () => {
    const { stage, view, say, last } = await openView();
    stage.answer = () => undefined;
    const progress: unknown[] = [];
    const done = view.upstream.request(
      "tools/call",
      { name: "slow" },
      { onprogress: (each) => progress.push(each) },
    );
    await vi.waitFor(() => expect(last()?.method).toBe("tools/call"), LONG);
    const heard: unknown[] = [];
    view.upstream.listen((method, params) => heard.push([method, params]));
    const id = last()?.id;
    expect(last()?.params).toMatchObject({ _meta: { progressToken: id } });
    say({ method: "notifications/progress", params: { progressToken: id, progress: 1, total: 2 } });
    say({ method: "notifications/resources/updated", params: { uri: "file:///a" } });
    say({ method: "notifications/made-up", params: {} });
    say({ id, result: { content: [] } });
    expect(await done).toEqual({ content: [] });
    expect(progress).toEqual([{ progress: 1, total: 2 }]);
    await vi.waitFor(
      () => expect(heard).toEqual([["notifications/resources/updated", { uri: "file:///a" }]]),
      LONG,
    );
  });

  it("cancels a call", async () => {
    const { stage, view, last } = await openView();
    stage.answer = () => undefined;
    const controller = new AbortController();
    const cut = view.upstream.request("tools/call", { name: "slow" }, { signal: controller.signal });
    await vi.waitFor(() => expect(last()?.method).toBe("tools/call"), LONG);
    const id = last()?.id;
    controller.abort();
    await expect(cut).rejects.toMatchObject({ code: "aborted" });
    await vi.waitFor(
      () => expect(last()).toMatchObject({ method: "notifications/cancelled", params: { requestId: id } }),
      LONG,
    );
  });

  it("does not take an answer from another view's channel (attack C10)", async () => {
    const { stage, page, view, say, last } = await openView();
    const other = await page.gateway.openView({ server: "weather", tool: "other" });
    stage.answer = () => undefined;
    const answers: unknown[] = [];
    const done = other.upstream
      .request("tools/call", { name: "mine" })
      .then((result) => answers.push(result));
    await vi.waitFor(() => expect(last()?.channel).toBe("v2"), LONG);
    const id = last()?.id;
    say({ id, result: { forged: true } });
    view.upstream.request("tools/list", {}).catch(() => {});
    await vi.waitFor(() => expect(last()?.method).toBe("tools/list"), LONG);
    expect(answers).toEqual([]);
    stage.sessions[0]?.send("v2", JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } }));
    await done;
    expect(answers).toEqual([{ content: [] }]);
  });

  it("is guarded: the page's actions need a permit, are done as permitted, and their outcome is reported", async () => {
    const { stage, view, last } = await openView();
    stage.answer = () => ({ permit: 7, params: { url: "https://example.com/checked" } });
    const next = vi.fn(async () => ({}));
    const link = {
      view: "x",
      server: "weather",
      method: "ui/open-link" as const,
      params: { url: "https://example.com" },
    };
    await view.guard(link, next);
    expect(next).toHaveBeenCalledExactlyOnceWith({ ...link, params: { url: "https://example.com/checked" } });
    await vi.waitFor(
      () => expect(last()).toMatchObject({ method: "gateway/outcome", params: { permit: 7, outcome: "ok" } }),
      LONG,
    );
    const broken = vi.fn(async () => {
      throw Object.assign(new Error("no"), { code: "blocked" });
    });
    await expect(view.guard(link, broken)).rejects.toThrow("no");
    await vi.waitFor(
      () => expect(last()?.params).toEqual({ permit: 7, outcome: "failed", code: "blocked" }),
      LONG,
    );
  });

  it("is guarded: without a permit nothing is done", async () => {
    const { stage, view } = await openView();
    stage.answer = ({ id, channel }, session) => {
      session.send(
        channel,
        JSON.stringify({
          jsonrpc: "2.0",
          id,
          error: { code: -32000, message: "denied", data: { code: "denied" } },
        }),
      );
    };
    const next = vi.fn(async () => ({}));
    const message = { view: "x", server: "weather", method: "ui/message" as const, params: {} };
    await expect(view.guard(message, next)).rejects.toMatchObject({ code: -32000, data: { code: "denied" } });
    expect(next).not.toHaveBeenCalled();
  });

  it("asks the gateway nothing about sizes, and shows it log messages", async () => {
    const { stage, page, view } = await openView();
    const before = stage.noted.length;
    const next = vi.fn(async () => undefined);
    for (const method of ["ui/notifications/size-changed", "notifications/message", "tools/call"] as const) {
      await view.guard({ view: "x", server: "weather", method, params: {} }, next);
    }
    await call(page.gateway, 1);
    expect(next).toHaveBeenCalledTimes(3);
    expect(new Set(stage.noted.slice(before).map(({ method }) => method))).toEqual(
      new Set(["notifications/message", "gateway/call"]),
    );
  });

  it("receives the progress of its call, and keeps the last for late listeners until it is over", async () => {
    const { view, say } = await openView({ progress: { progress: 1 } });
    expect(view.progress).toEqual({ progress: 1 });
    say({ method: "gateway/progress", params: { progress: 1.5 } });
    await vi.waitFor(() => expect(view.progress).toEqual({ progress: 1.5 }), LONG);
    const heard: unknown[] = [];
    view.onprogress = (progress) => heard.push(progress);
    const params = { progress: 2, total: 3, message: "two" };
    say({ method: "gateway/progress", params });
    await vi.waitFor(() => expect(heard).toEqual([params]), LONG);
    expect(view.progress).toEqual(params);
    say({ method: "ui/notifications/tool-cancelled", params: {} });
    await vi.waitFor(() => expect(view.progress).toBeUndefined(), LONG);
  });

  it.each([{}, { input: {} }, { input: {}, result: { content: [] } }])(
    "receives its call's input and outcome once, however often they are sent, after %j",
    async (known) => {
      const { view, say } = await openView(known);
      const heard: string[] = [];
      view.onnotice = ({ method }) => heard.push(method.replace("ui/notifications/tool-", ""));
      for (let n = 0; n < 2; n++) {
        say({ method: "ui/notifications/tool-input", params: { arguments: {} } });
        say({ method: "ui/notifications/tool-result", params: { content: [] } });
      }
      const progress = vi.fn();
      view.onprogress = progress;
      say({ method: "gateway/progress", params: { progress: 1 } });
      await vi.waitFor(() => expect(progress).toHaveBeenCalled(), LONG);
      expect(heard).toEqual(["input", "result"].filter((each) => !(each in known)));
      expect(view.result).toEqual({ content: [] });
    },
  );

  it("cancels the call that it shows, and reports whether there was one", async () => {
    const { stage, view, last } = await openView();
    for (const cancelled of [true, false]) {
      stage.answer = () => ({ cancelled });
      expect(await view.cancel()).toBe(cancelled);
      expect(last()).toMatchObject({ channel: ".", method: "gateway/cancel", params: { view: "v1" } });
    }
  });

  it("that is closed waits for nothing, and tells the gateway", async () => {
    const { stage, view } = await openView();
    stage.answer = ({ method }) => (method === "gateway/close" ? {} : undefined);
    const pending = view.upstream.request("tools/call", { name: "slow" });
    const rejected = expect(pending).rejects.toMatchObject({ code: "closed" });
    await view.close();
    await rejected;
    expect(stage.noted.at(-1)).toMatchObject({ method: "gateway/close", params: { view: "v1" } });
  });
});
