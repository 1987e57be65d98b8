/** All parts together: a real gateway with a real server, pages and programs. */
import { existsSync, renameSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EntryPoints, type RawPage, TRANSPORTS } from "../../../testing/gateway/entry-points.js";
import { startTestGateway } from "../../../testing/gateway/gateway-stage.js";
import { openStore } from "./store/open.js";

let gatewayEntry: EntryPoints;
/** Default settings of the server. */
const SHOP = { schemes: ["mcp-app"] };

/** Actions of the host endpoint: user, server, view, and the action. */
const opened: string[][] = [];

beforeAll(async () => {
  gatewayEntry = await EntryPoints.open(
    ["ann", "bea", "cal", "dee"],
    { shop: SHOP },
    {
      host: ({ user }, server) => ({
        handlers: { openLink: ({ url }, { view }) => void opened.push([user, server, view, url]) },
        initialize: () => ({ hostContext: { locale: `en-${user}` } }),
      }),
    },
  );
}, 60_000);
afterAll(() => gatewayEntry.close());

const open = async (page: RawPage, tool = "show"): Promise<string> =>
  (await page.request("gateway/open", { server: "shop", tool })).view;
const call = (page: RawPage, view: string, name: string, input: object = {}) =>
  page.ask(view, "tools/call", { name, arguments: input });
/** Controls the server, bypassing its views. */
const control = (input: object) =>
  gatewayEntry.post("ann", "/api/servers/shop/tools/call", { name: "control", arguments: input });
const forEver = () => new Promise<never>(() => {});

describe.each(TRANSPORTS)("a reloaded page (%s)", (over) => {
  const reload = (page: RawPage, answer?: RawPage["answer"]) => {
    const storage = page.storage.copy();
    page.leave();
    return gatewayEntry.page("ann", over, storage, answer);
  };

  it("gets the unanswered questions again, and the call continues", async () => {
    const page = await gatewayEntry.page("ann", over);
    page.answer = forEver;
    const view = await open(page);
    const before = gatewayEntry.calls.length;
    call(page, view, "change").catch(() => {});
    await expect.poll(() => page.asked).toHaveLength(1);
    const again = await reload(page, () => ({ answer: "allow" }));
    await expect.poll(() => again.asked).toEqual(page.asked);
    // Without the requests that the gateway makes to preload UIs.
    const calls = () => gatewayEntry.calls.slice(before).filter((each) => each.startsWith("tools/"));
    await expect.poll(calls).toEqual(["tools/call change"]);
  });

  it("finds its views, with the results that arrived meanwhile", async () => {
    const page = await gatewayEntry.page("ann", over);
    const input = { pause: 50, over };
    const { view } = await page.request("gateway/open", { server: "shop", tool: "show", arguments: input });
    const again = await reload(page);
    const views = async () => (await again.request("gateway/views", {})).views;
    await expect.poll(async () => (await views())[0]?.result).toBeDefined();
    expect(await views()).toMatchObject([{ view, input, tool: { name: "show" }, place: expect.anything() }]);
    expect(JSON.stringify((await views())[0]?.result)).toContain(over);
    await expect(call(again, view, "look")).resolves.toBeDefined();
  });
});

describe("a policy", () => {
  it("applies to a UI by its URI, also if its tool opened it, and after a reload", async () => {
    const own = await EntryPoints.open(["ann"], {
      shop: { policy: { "view:ui://shop/cart.html:tools/call": "deny", "tools/call": "allow" } },
    });
    try {
      const page = await own.page("ann", "websocket");
      const view = await open(page);
      await expect(call(page, view, "look")).rejects.toMatchObject({ data: { code: "not-allowed" } });
      const other = await open(page, "camera");
      await expect(call(page, other, "look")).resolves.toBeDefined();
      const storage = page.storage.copy();
      page.leave();
      const again = await own.page("ann", "websocket", storage);
      expect((await again.request("gateway/views", {})).views).toHaveLength(2);
      await expect(call(again, view, "look")).rejects.toMatchObject({ data: { code: "not-allowed" } });
    } finally {
      await own.close();
    }
  });
});

describe("a view", () => {
  let page: RawPage;
  beforeAll(async () => {
    page = await gatewayEntry.page("ann", "websocket");
  });

  it("cancels its calls at the server when it is closed", async () => {
    const view = await open(page);
    const before = gatewayEntry.calls.length;
    call(page, view, "wait").catch(() => {});
    await expect.poll(() => gatewayEntry.calls.slice(before)).toContain("tools/call wait");
    await page.closeView(view);
    await expect.poll(() => gatewayEntry.calls.slice(before)).toContain("wait cancelled");
  });

  it("answers an earlier key with its outcome after it was closed", async () => {
    const own = await gatewayEntry.page("ann", "websocket", undefined, () => ({ answer: "allow" }));
    const view = await open(own);
    const before = gatewayEntry.calls.length;
    const params = { name: "change", arguments: { to: 2, from: 1 } };
    const id = own.nextId();
    const result = await own.ask(view, "tools/call", params, id);
    await own.closeView(view);
    expect(await own.ask(view, "tools/call", params, id)).toEqual(result);
    const other = own.ask(view, "tools/call", { ...params, arguments: {} }, id);
    await expect(other).rejects.toMatchObject({ data: { code: "conflict" } });
    expect(gatewayEntry.calls.slice(before)).toEqual(["tools/call change"]);
  });

  it("cancels a call at the server", async () => {
    const view = await open(page);
    const before = gatewayEntry.calls.length;
    const id = page.nextId();
    page.ask(view, "tools/call", { name: "wait" }, id).catch(() => {});
    await expect.poll(() => gatewayEntry.calls.slice(before)).toContain("tools/call wait");
    page.cancel(view, id);
    await expect.poll(() => gatewayEntry.calls.slice(before)).toContain("wait cancelled");
    const ends = async () => (await gatewayEntry.rows("ann")).filter((row) => row.view === view && row.of);
    await expect.poll(ends).toMatchObject([{ outcome: "cancelled" }]);
  });

  it("is notified of its subscriptions only", async () => {
    const [view, other] = [await open(page), await open(page)];
    await page.ask(view, "resources/subscribe", { uri: "note://1" });
    await control({ updated: "note://1" });
    const updates = () => page.heard.filter(({ message }) => message["method"] === UPDATED);
    await expect.poll(() => updates()).toMatchObject([{ channel: view }]);
    await page.ask(view, "resources/unsubscribe", { uri: "note://1" });
    await control({ updated: "note://1" });
    await Promise.all([view, other].map((each) => call(page, each, "look")));
    expect(updates()).toHaveLength(1);
  });

  it("S09: has only the permissions that the user grants", async () => {
    page.answer = () => ({ answer: "deny" });
    const before = page.asked.length;
    const denied = await page.request("gateway/open", { server: "shop", tool: "camera" });
    expect(page.asked.slice(before)).toMatchObject([
      { method: "ui/permission", subject: "camera", server: "shop", view: denied.view },
    ]);
    expect(denied.place?.permissions).toEqual({});
    page.answer = () => ({ answer: "allow" });
    const granted = await page.request("gateway/open", { server: "shop", tool: "camera" });
    expect(granted.place?.permissions).toEqual({ camera: {} });
    const rows = await gatewayEntry.rows("ann");
    expect(rows.filter(({ kind, method }) => kind === "entry" && method === "ui/permission")).toMatchObject([
      { decision: "refused", reason: "denied", target: "camera" },
      { decision: "allowed", reason: "asked", target: "camera" },
    ]);
  });

  it("C08: reports why it cannot be shown", async () => {
    const problems = ["look", "broken"].map(
      async (tool) => (await page.request("gateway/open", { server: "shop", tool })).problem,
    );
    expect(await Promise.all(problems)).toMatchObject([
      { code: "no-ui", message: expect.stringContaining("look") },
      { code: expect.any(String), message: expect.stringContaining("text/plain") },
    ]);
  });

  it("T09: can have another scheme if the operator maps it", async () => {
    const mapped = await page.request("gateway/open", { server: "shop", tool: "mapped" });
    expect(mapped).toMatchObject({ uri: "mcp-app://shop/mapped.html", place: expect.anything() });
    expect(mapped.problem).toBeUndefined();
  });

  it("C02: is not opened for a tool that is hidden from the model, or for a missing tool or resource", async () => {
    const wanted = [{ tool: "inner" }, { tool: "gone" }, { uri: "ui://bank/cart.html" }, {}];
    const refused = wanted.map((each) =>
      page.request("gateway/open", { server: "shop", ...each }).catch((error: unknown) => error),
    );
    expect(await Promise.all(refused)).toMatchObject([
      { data: { code: "tool-not-visible" } },
      { data: { code: "tool-unknown" } },
      { data: { code: "resource-unknown" } },
      { code: -32602 },
    ]);
  });
});

describe("a call of the page itself", () => {
  let page: RawPage;
  beforeAll(async () => {
    page = await gatewayEntry.page("ann", "websocket");
  });
  const steps = [1, 2].map((progress) => ({ progress, total: 2, message: `step ${progress}` }));

  it("reports its progress with the page's own token", async () => {
    const params = {
      server: "shop",
      name: "look",
      arguments: { steps: 2 },
      _meta: { progressToken: "mine" },
    };
    await page.ask(".", "gateway/call", params);
    expect(page.notices("notifications/progress")).toEqual(
      steps.map((step) => ({ ...step, progressToken: "mine" })),
    );
  });

  it("that a view shows reports its progress on the view's channel, before its result", async () => {
    const wanted = { server: "shop", tool: "show", arguments: { steps: 2 } };
    const { view } = await page.request("gateway/open", wanted);
    const reported = () => page.heard.filter(({ channel }) => channel === view).map(({ message }) => message);
    await expect.poll(reported).toHaveLength(3);
    expect(reported()).toMatchObject([
      ...steps.map((params) => ({ method: "gateway/progress", params })),
      { method: "ui/notifications/tool-result" },
    ]);
  });

  it("that a view shows can be cancelled: at the server, in the view and in the record", async () => {
    const before = gatewayEntry.calls.length;
    const { view } = await page.request("gateway/open", { server: "shop", tool: "wait", arguments: {} });
    await expect.poll(() => gatewayEntry.calls.slice(before)).toContain("tools/call wait");
    expect(await page.request("gateway/cancel", { view })).toEqual({ cancelled: true });
    await expect.poll(() => gatewayEntry.calls.slice(before)).toContain("wait cancelled");
    const reported = page.heard.filter(({ channel }) => channel === view).map(({ message }) => message);
    expect(reported).toMatchObject([{ method: "ui/notifications/tool-cancelled" }]);
    const ends = async () => (await gatewayEntry.rows("ann")).filter((row) => row.view === view && row.of);
    // The server had received it, so it is unknown whether it had an effect.
    await expect.poll(ends).toMatchObject([{ outcome: "indeterminate", code: "aborted" }]);
    expect(await page.request("gateway/cancel", { view })).toEqual({ cancelled: false });
    await expect(
      (await gatewayEntry.page("bea", "http")).request("gateway/cancel", { view }),
    ).rejects.toMatchObject({ data: { code: "view-unknown" } });
  });
});

describe("a document without a server", () => {
  it("is shown in the sandbox, survives a reload, and cannot make requests", async () => {
    const page = await gatewayEntry.page("ann", "websocket");
    const document = { name: "Cart, recorded", html: "<!doctype html><title>Recorded</title>" };
    const shown = await page.request("gateway/show", document);
    expect(shown).toMatchObject({ server: "", uri: document.name, place: { permissions: {} } });
    const row = await gatewayEntry.lastRow("ann");
    const calls = gatewayEntry.calls.length;
    for (const [method, params] of [
      ["tools/call", { name: "look" }],
      ["ui/open-link", { url: "https://example.com/" }],
    ] as const)
      await expect(page.ask(shown.view, method, params)).rejects.toMatchObject({
        data: { code: "server-unknown" },
        message: expect.stringContaining("without its server"),
      });
    expect(await gatewayEntry.rows("ann", row)).toMatchObject([
      { view: shown.view, method: "tools/call", decision: "refused", reason: "server-unknown" },
      { view: shown.view, method: "ui/open-link", decision: "refused" },
    ]);
    expect(gatewayEntry.calls.slice(calls)).toEqual([]);
    const storage = page.storage.copy();
    page.leave();
    const again = await gatewayEntry.page("ann", "websocket", storage);
    expect(await again.request("gateway/views", {})).toEqual({ views: [shown] });
    await again.closeView(shown.view);
    expect(await again.request("gateway/views", {})).toEqual({ views: [] });
  });
});

describe("a restarted server", () => {
  const processOf = async (page: RawPage, view: string): Promise<string> =>
    /instance\W+([\w-]+)/.exec(JSON.stringify(await call(page, view, "look")))?.[1] ?? "";

  it("is another process, for its own user or for all; views continue, and pages are notified", async () => {
    const [ann, bea] = [await gatewayEntry.page("ann", "websocket"), await gatewayEntry.page("bea", "http")];
    const views = [await open(ann), await open(bea)] as const;
    const processes = () => Promise.all([processOf(ann, views[0]), processOf(bea, views[1])]);
    const first = await processes();
    expect(first.every((id) => id.length === 36)).toBe(true);
    const calls = gatewayEntry.calls.length;
    const changes = (page: RawPage) => page.notices("gateway/changed").length;
    const before = [changes(ann), changes(bea)] as const;
    const states = ann.notices("gateway/status").length;

    // Each restart ends pending calls, so it is recorded, and its rate is limited.
    const restart = () => ann.request("gateway/restart", { server: "shop" });
    expect(await Promise.allSettled([restart(), restart()])).toMatchObject([
      { value: { state: "ready" } },
      { reason: { data: { code: "rate-limited" } } },
    ]);
    const rows = await gatewayEntry.rows("ann");
    expect(rows.filter(({ method }) => method === "gateway/restart")).toMatchObject([
      { kind: "mark", user: "ann", server: "shop" },
    ]);
    const second = await processes();
    expect([second[0] === first[0], second[1] === first[1]]).toEqual([false, true]);
    await ann.request("gateway/catalogue", { server: "shop" });
    expect(gatewayEntry.calls.slice(calls)).toContain("resources/read ui://shop/cart.html");
    expect(
      ann
        .notices("gateway/status")
        .slice(states)
        .map(({ state }) => state),
    ).toEqual(["starting", "ready"]);
    expect(changes(ann)).toBeGreaterThan(before[0]);
    expect(changes(bea)).toBe(before[1]);

    await gatewayEntry.gateway.restart("shop");
    const third = await processes();
    expect([third[0] === second[0], third[1] === second[1]]).toEqual([false, false]);
    await expect.poll(() => changes(bea)).toBeGreaterThan(before[1]);
    await expect(gatewayEntry.gateway.restart("gone")).rejects.toMatchObject({
      data: { code: "server-unknown" },
    });
  });
});

const UPDATED = "notifications/resources/updated";

describe("changed settings", () => {
  let page: RawPage;
  beforeAll(async () => {
    page = await gatewayEntry.page("ann", "websocket");
  });

  it("apply to open views at once, both of the server and global ones", async () => {
    const view = await open(page);
    await call(page, view, "look");
    await gatewayEntry.update({ shop: SHOP }, { policy: { "tools/call:look": "deny" } });
    await expect(call(page, view, "look")).rejects.toMatchObject({ data: { code: "not-allowed" } });
    await gatewayEntry.update({ shop: { ...SHOP, policy: { "tools/call:café": "deny" } } });
    await expect(call(page, view, "café")).rejects.toMatchObject({ data: { code: "not-allowed" } });
    await expect(call(page, view, "look")).resolves.toBeDefined();
    await gatewayEntry.update({ shop: SHOP });
    await expect(call(page, view, "café")).resolves.toBeDefined();
  });

  it("notify pages of changed servers", async () => {
    const before = page.notices("gateway/changed").length;
    await gatewayEntry.update({ shop: SHOP, other: {} });
    await gatewayEntry.update({ shop: SHOP });
    await expect
      .poll(() => page.notices("gateway/changed").slice(before))
      .toEqual([{ server: "other" }, { server: "other" }]);
  });

  it("that remove a server cause a clear error; when it returns, its views continue", async () => {
    const view = await open(page);
    await gatewayEntry.update({});
    await expect(call(page, view, "look")).rejects.toMatchObject({
      code: -32050,
      data: { code: "server-unknown" },
      message: 'the server "shop" of this app no longer exists',
    });
    expect((await gatewayEntry.rows("ann")).at(-1)).toMatchObject({
      view,
      server: "shop",
      reason: "server-unknown",
    });
    await expect(page.request("gateway/call", { server: "shop", name: "look" })).rejects.toMatchObject({
      data: { code: "server-unknown" },
    });
    expect(await page.request("gateway/servers", {})).toEqual({ servers: [] });
    await gatewayEntry.update({ shop: SHOP });
    await expect(call(page, view, "look")).resolves.toBeDefined();
  });

  it("that require a restart are returned; changes of the audit log apply at once", async () => {
    const changed = { session: { perUser: 7 }, audit: { payloads: "arguments" } };
    expect(await gatewayEntry.update({ shop: SHOP }, changed)).toEqual(["session"]);
    await call(page, await open(page), "look", { a: "kept" });
    const kept = async () =>
      (await gatewayEntry.rows("ann")).findLast(({ kind }) => kind === "entry")?.params;
    expect(await kept()).toContain("kept");
    await gatewayEntry.update({ shop: SHOP });
  });
});

describe("pages are notified", () => {
  it("of the state of servers, and only of their user's", async () => {
    const [page, stranger] = [
      await gatewayEntry.page("ann", "websocket"),
      await gatewayEntry.page("bea", "http"),
    ];
    await gatewayEntry.update({ shop: { ...SHOP, limits: { timeout: 59_000 } } });
    await page.request("gateway/start", { server: "shop" });
    const states = (of: RawPage) => of.notices("gateway/status").map(({ state }) => state);
    await expect.poll(() => states(page)).toContain("ready");
    expect(page.notices("gateway/status").at(-1)).toMatchObject({ name: "shop", isolation: "process" });
    expect(states(stranger)).not.toContain("ready");
  });

  it("when the audit log fails and recovers: meanwhile no call is made", async () => {
    const page = await gatewayEntry.page("bea", "http");
    const file = join(gatewayEntry.folder, "data", "gateway.db");
    await page.request("gateway/call", { server: "shop", name: "look" });
    page.answer = forEver;
    const id = page.nextId();
    page.ask(".", "gateway/call", { server: "shop", name: "wait" }, id).catch(() => {});
    await expect.poll(() => gatewayEntry.calls.at(-1)).toBe("tools/call wait");
    const calls = gatewayEntry.calls.length;
    const waiting = () => gatewayEntry.metric('vitrine_queue_depth{queue="audit"}');
    renameSync(file, `${file}.away`);
    try {
      await expect(page.request("gateway/call", { server: "shop", name: "look" })).rejects.toMatchObject({
        data: { code: "audit-failed" },
      });
      await expect.poll(() => page.notices("gateway/alarm")).toMatchObject([{ active: true }]);
      expect(gatewayEntry.gateway.api.ready()).toMatchObject({ ok: false });
      expect(gatewayEntry.calls.slice(calls)).toEqual([]);
      // The outcome of the other call waits for the disk.
      page.cancel(".", id);
      await expect.poll(waiting).toBe(1);
    } finally {
      renameSync(`${file}.away`, file);
    }
    await expect.poll(waiting).toBe(0);
    await expect.poll(() => page.notices("gateway/alarm").at(-1)).toMatchObject({ active: false });
    expect(gatewayEntry.gateway.api.ready()).toEqual({ ok: true, problems: [] });
    await expect(page.request("gateway/call", { server: "shop", name: "look" })).resolves.toBeDefined();
  });
});

describe("the host endpoint", () => {
  const ask = (method: string, params: object, id: number | undefined = 1) =>
    gatewayEntry.post("ann", "/api/servers/shop/host", { jsonrpc: "2.0", method, params, ...(id && { id }) });

  it("answers a view's handshake with the available features", async () => {
    const params = {
      appInfo: { name: "app", version: "1" },
      appCapabilities: {},
      protocolVersion: "2026-01-26",
    };
    expect(await ask("ui/initialize", params)).toMatchObject({
      status: 200,
      body: {
        id: 1,
        result: { hostInfo: { name: "vitrine-gateway" }, hostCapabilities: { serverTools: {} } },
      },
    });
    expect(await ask("ui/initialize", params)).toMatchObject({
      body: { result: { hostCapabilities: { openLinks: {} }, hostContext: { locale: "en-ann" } } },
    });
    expect(await ask("ui/notifications/initialized", {}, 0)).toEqual({ status: 202, body: {} });
  });

  it("calls tools and reads resources through the guard, with a row for each", async () => {
    const row = await gatewayEntry.lastRow("ann");
    expect(await ask("tools/call", { name: "look", arguments: { a: 1 } })).toMatchObject({
      status: 200,
      body: { result: { content: [{ text: expect.stringContaining('"got":{"a":1}') }] } },
    });
    expect(await ask("resources/read", { uri: "note://1" })).toMatchObject({ status: 200 });
    const refused = { status: 403, body: { error: { code: -32000, data: { code: "tool-not-visible" } } } };
    expect(await ask("tools/call", { name: "secret" })).toMatchObject(refused);
    const entries = (await gatewayEntry.rows("ann", row)).filter(({ kind }) => kind === "entry");
    expect(entries).toMatchObject([
      { actor: "http", view: "host", target: "look", decision: "allowed" },
      { target: "note://1", decision: "allowed" },
      { target: "secret", decision: "refused" },
    ]);
  });

  const link = (user: string, view?: string) =>
    gatewayEntry.host(
      user,
      { id: 1, method: "ui/open-link", params: { url: `https://${user}.example/` } },
      view === undefined ? {} : { "vitrine-view": view },
    );

  it("performs allowed actions for the user, with an entry and an outcome", async () => {
    await gatewayEntry.update({ shop: SHOP }, { policy: { "ui/open-link": "allow" } });
    const before = [await gatewayEntry.lastRow("ann"), await gatewayEntry.lastRow("bea")];
    expect(await link("ann")).toMatchObject({ status: 200, body: { result: {} } });
    expect(await link("bea", "cart-1")).toMatchObject({ status: 200, body: { result: {} } });
    expect(opened.splice(0)).toEqual([
      ["ann", "shop", "host", "https://ann.example/"],
      ["bea", "shop", "cart-1", "https://bea.example/"],
    ]);
    for (const [index, [user, view]] of [
      ["ann", "host"],
      ["bea", "cart-1"],
    ].entries()) {
      const about = { user, actor: "http", view, server: "shop", method: "ui/open-link" };
      await expect
        .poll(() => gatewayEntry.rows(user ?? "", before[index]))
        .toMatchObject([
          { ...about, kind: "entry", decision: "allowed", reason: "policy", target: `${user}.example` },
          { ...about, kind: "outcome", outcome: "ok" },
        ]);
    }
    await gatewayEntry.update({ shop: SHOP });
  });

  it("asks in the newest connected page of the user, and in the next one when that is gone", async () => {
    const kinds = ["websocket", "websocket", "http"] as const;
    const pages: RawPage[] = [];
    for (const over of kinds) pages.push(await gatewayEntry.page("bea", over));
    const stranger = await gatewayEntry.page("dee", "websocket");
    const asked: number[][] = [];
    const link = async () => {
      await gatewayEntry.host("bea", {
        id: 1,
        method: "ui/open-link",
        params: { url: "https://bea.example/" },
      });
      asked.push([...pages, stranger].map((page) => page.asked.length));
    };
    await link();
    for (const at of [2, 1]) {
      const transports = () => gatewayEntry.metric(`vitrine_transports{kind="${kinds[at]}"}`);
      const before = transports();
      // Its session remains for a while, in case of a reload, but nobody looks at it.
      pages[at]?.leave();
      await expect.poll(transports).toBe(before - 1);
      await link();
    }
    expect(asked).toEqual([
      [0, 0, 1, 0],
      [0, 1, 1, 0],
      [1, 1, 1, 0],
    ]);
    pages[0]?.close();
    stranger.close();
  });

  it("asks in a page, and does nothing without one", async () => {
    const denied = { status: 403, body: { error: { code: -32000, data: { code: "denied" } } } };
    const refused = await link("cal");
    expect(refused).toMatchObject(denied);
    expect(JSON.stringify(refused)).toContain("no page is open to ask the user");
    const page = await gatewayEntry.page("cal", "websocket");
    expect(await link("cal")).toMatchObject(denied);
    expect(page.asked).toMatchObject([{ method: "ui/open-link", subject: "cal.example", server: "shop" }]);
    expect(opened).toEqual([]);
    const rows = await gatewayEntry.rows("cal");
    expect(rows).toMatchObject([
      { decision: "refused", reason: "denied" },
      { decision: "refused", reason: "denied" },
    ]);
    page.close();
  });

  it("has limits for each view of a program, by its name", async () => {
    await gatewayEntry.update(
      { shop: { ...SHOP, limits: { rates: { person: { burst: 1, perSecond: 0.001 } } } } },
      {
        policy: { "ui/open-link": "allow" },
      },
    );
    const statuses = [];
    for (const view of ["a", "a", "b"]) statuses.push((await link("cal", view)).status);
    expect(statuses).toEqual([200, 429, 200]);
    expect((await link("cal", "no name")).status).toBe(400);
    await gatewayEntry.update({ shop: SHOP });
  });

  it("records one row for each refused message", async () => {
    const row = await gatewayEntry.lastRow("ann");
    await ask("no/such", { name: "x" });
    await ask("no/such", {}, 0);
    await ask("ui/message", { role: "user", content: [] });
    await ask("tools/call", { name: 1 });
    await ask("ui/notifications/size-changed", { width: "wide" }, 0);
    await gatewayEntry.post("ann", "/api/servers/shop/host", [{ jsonrpc: "2.0", id: 1, method: "ping" }]);
    const about = { user: "ann", actor: "http", view: "host", server: "shop", decision: "refused" };
    expect(await gatewayEntry.rows("ann", row)).toMatchObject([
      { ...about, method: "no/such", target: "x", reason: "method-unknown" },
      { ...about, method: "no/such", reason: "invalid" },
      { ...about, method: "ui/message", reason: "method-unknown" },
      { ...about, method: "tools/call", reason: "invalid-params" },
      { ...about, method: "ui/notifications/size-changed", reason: "invalid" },
      { ...about, method: "", reason: "invalid" },
    ]);
  });

  it("refuses unsupported requests", async () => {
    expect(await ask("ui/message", { role: "user", content: [] })).toMatchObject({
      status: 404,
      body: { error: { code: -32601 } },
    });
    expect(await ask("tools/call", { name: 1 })).toMatchObject({
      status: 400,
      body: { error: { code: -32602, data: { field: "params.name" } } },
    });
    expect(await gatewayEntry.post("ann", "/api/servers/gone/host", {})).toMatchObject({ status: 404 });
  });
});

describe("metrics", () => {
  it("contain the sizes of all calls, and the number of waiting ones", async () => {
    const params = 'vitrine_call_bytes_sum{direction="params"}';
    const calls = 'vitrine_calls_total{server="shop",method="tools/call",outcome="ok"}';
    const before = { size: gatewayEntry.metric(params), count: gatewayEntry.metric(calls) };
    const input = { name: "look", arguments: { text: "x".repeat(1000) } };
    await gatewayEntry.post("bea", "/api/servers/shop/tools/call", input);
    await expect.poll(() => gatewayEntry.metric(calls)).toBe(before.count + 1);
    expect(gatewayEntry.metric(params)).toBe(before.size + JSON.stringify(input).length);
    const page = await gatewayEntry.page("bea", "websocket");
    const view = await open(page);
    page.answer = forEver;
    const waiting = () => gatewayEntry.metric('vitrine_queue_depth{queue="calls"}');
    const asked = call(page, view, "change");
    asked.catch(() => {});
    await expect.poll(waiting).toBe(1);
    await expect.poll(() => page.asked).toHaveLength(1);
    page.send(".", { id: page.asked[0]?.id, result: { answer: "deny" } });
    await expect(asked).rejects.toMatchObject({ data: { code: "denied" } });
    expect(waiting()).toBe(0);
  });
});

describe("further guarantees", () => {
  it("a changed tool description is logged and recorded, with both hashes", async () => {
    const marks = async () =>
      (await gatewayEntry.rows("ann")).filter(({ method }) => method === "catalogue/changed");
    await gatewayEntry.gateway.api.catalogue({ user: "ann" }, "shop");
    const before = (await marks()).length;
    await control({ description: "Changes everything" });
    await gatewayEntry.gateway.api.catalogue({ user: "ann" }, "shop");
    await expect
      .poll(async () => (await marks()).slice(before))
      .toMatchObject([{ kind: "mark", user: "ann", server: "shop", target: "change", reason: "changed" }]);
    const hashes = JSON.parse((await marks()).at(-1)?.params ?? "{}");
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(hashes).toEqual({ kind: "tool", before: hash, after: hash });
    expect(hashes.before).not.toBe(hashes.after);
    const reported = gatewayEntry.log.filter((line) => line.includes("changed: change"));
    expect(reported.map((line) => JSON.parse(line))).toMatchObject([
      { level: "warn", server: "shop", ...hashes },
    ]);
    await control({});
  });

  it("rows older than the retention are removed, and the chain continues", async () => {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-retention-"));
    await mkdir(join(folder, "data"));
    const file = join(folder, "data", "gateway.db");
    const day = 86_400_000;
    const entry = { user: "local", actor: "http", server: "shop", method: "tools/call" } as const;
    for (const [age, target] of [
      [3, "old"],
      [1, "new"],
    ] as const) {
      const store = await openStore(`sqlite:${file}`, { now: () => Date.now() - age * day });
      await store.audit.begin({ ...entry, target, decision: "refused", reason: "denied" });
      await store.close();
    }
    const { gateway } = await startTestGateway({ audit: { retentionDays: 2 } }, join(folder, "data"));
    try {
      const left = async () => {
        const rows = [];
        for await (const { kind, target } of gateway.api.audit.rows({ user: "local" }, {}))
          rows.push([kind, target]);
        return rows;
      };
      await expect.poll(left).toEqual([["entry", "new"]]);
      expect(await gateway.api.audit.verify({ user: "local" })).toMatchObject({ ok: true });
    } finally {
      await gateway.close(0);
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("an archive that cannot be written keeps old rows, and raises an alarm once; an old conversation expires", async () => {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-archive-"));
    const file = join(folder, "gateway.db");
    const day = 86_400_000;
    const store = await openStore(`sqlite:${file}`, { now: () => Date.now() - 401 * day });
    const call = { user: "local", actor: "http", server: "shop", method: "tools/call" } as const;
    await store.audit.begin({ ...call, decision: "refused", reason: "denied" });
    for (const [id, age] of [
      ["old", 31],
      ["new", 29],
    ] as const)
      await store.conversations.create("local", { id, title: id, startedAt: Date.now() - age * day });
    await store.close();
    await writeFile(join(folder, "archive"), "a file");
    const settings = { audit: { archive: join(folder, "archive") }, conversations: { retentionDays: 30 } };
    const first = await startTestGateway(settings, folder);
    try {
      const alarm = () => first.gateway.metrics.text();
      await expect.poll(alarm).toMatch(/^vitrine_retention_alarm 1$/m);
      expect(first.log.filter((line) => line.includes("no row is removed"))).toHaveLength(1);
      expect(await first.gateway.api.audit.query({ user: "local" }, {})).toHaveLength(1);
      expect((await first.gateway.conversations.list("local")).map(({ id }) => id)).toEqual(["new"]);
    } finally {
      await first.gateway.close(0);
    }
    await rm(join(folder, "archive"));
    const second = await startTestGateway(settings, folder);
    try {
      await expect.poll(() => readdir(join(folder, "archive")).catch(() => [])).toHaveLength(1);
      await expect.poll(() => second.gateway.api.audit.query({ user: "local" }, {})).toEqual([]);
    } finally {
      await second.gateway.close(0);
      await rm(folder, { recursive: true, force: true });
    }
  });
});

it("a revoked token ends the connections that it opened, and no others", async () => {
  const [page, other] = [await gatewayEntry.page("dee", "websocket"), await gatewayEntry.page("bea", "http")];
  const users = ["ann", "bea", "cal", "dee"].map((name) => ({
    name,
    token: name === "dee" ? "another-token-that-is-long-enough-0123456789" : gatewayEntry.tokenOf(name),
  }));
  const sessions = gatewayEntry.metric("vitrine_sessions");
  await gatewayEntry.update({ shop: SHOP }, { users });
  await expect.poll(() => page.state.phase).not.toBe("open");
  expect(gatewayEntry.metric("vitrine_sessions")).toBe(sessions - 1);
  expect(await gatewayEntry.post("dee", "/api/servers/shop/tools/call", { name: "look" })).toMatchObject({
    status: 401,
  });
  await expect(other.request("gateway/servers", {})).resolves.toBeDefined();
  expect(other.state.phase).toBe("open");
  page.close();
  await gatewayEntry.update({ shop: SHOP });
});

it("no request starts a program that the operator did not configure", async () => {
  const page = await gatewayEntry.page("bea", "websocket");
  await page.request("gateway/start", { server: "shop" });
  const made = join(gatewayEntry.folder, "made-by-a-request");
  const program = { command: "touch", args: [made], env: { PATH: process.env["PATH"] } };
  const processes = () => gatewayEntry.metric('vitrine_processes{driver="process"}');
  const before = processes();
  const post = async (path: string, body: object) => (await gatewayEntry.post("bea", path, body)).status;
  for (const path of ["start", "tools/call", "tools/list", "resources/read"])
    expect(await post(`/api/servers/shop/${path}`, { name: "look", uri: "note://1", ...program })).toBe(400);
  for (const server of [
    made,
    "/usr/bin/touch",
    "../../usr/bin/touch",
    `touch ${made}`,
    "npx",
    "__proto__",
    "",
  ]) {
    expect(await post(`/api/servers/${encodeURIComponent(server)}/start`, {})).toBe(404);
    const unknown = { data: { code: "server-unknown" } };
    const asks = [
      page.request("gateway/start", { server }),
      page.request("gateway/restart", { server }),
      page.request("gateway/open", { server, tool: "show" }),
      page.request("gateway/call", { server, name: "show" }),
      page.request("gateway/catalogue", { server }),
    ];
    for (const each of asks) await expect(each).rejects.toMatchObject(unknown);
  }
  // Members beside the server's name are ignored.
  await page.request("gateway/start", { server: "shop", ...program } as { server: string });
  expect(processes()).toBe(before);
  expect(existsSync(made)).toBe(false);
});

it("a gateway that is stopped while a server starts reports no error", async () => {
  const args = ["-e", "setInterval(() => {}, 1000)"];
  const silent = { command: process.execPath, args, isolation: "process", start: "eager" };
  const folder = await mkdtemp(join(tmpdir(), "vitrine-stopped-"));
  const { gateway, log } = await startTestGateway({ mcpServers: { silent } }, folder);
  await expect.poll(() => gateway.api.servers({ user: "local" })).toMatchObject([{ state: "starting" }]);
  await gateway.close(0);
  expect(log.filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

it("a closing gateway sends its pages to the next one with their pending calls, and refuses new requests", async () => {
  const own = await EntryPoints.open(["ann"]);
  const page = await own.page("ann", "websocket");
  const waiting = page.request("gateway/call", { server: "shop", name: "wait" });
  waiting.catch(() => {});
  await expect.poll(() => own.calls).toContain("tools/call wait");
  await own.gateway.close(0);
  await own.gateway.close();
  await expect.poll(() => page.state.phase).toBe("reconnecting");
  expect(() => own.gateway.api.servers({ user: "ann" })).toThrow("stopping");
  await own.close();
  // No other gateway came.
  await expect(waiting).rejects.toMatchObject({ code: "closed" });
});
