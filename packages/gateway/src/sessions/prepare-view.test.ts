import type { Question } from "@vitrine/guard";
import type { Narrowing, UiDocument } from "@vitrine/protocol";
import { MemoryRecords, Sandbox } from "@vitrine/sandbox";
import type { ServerSettings } from "@vitrine/servers";
import type { OpenedView } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import { memoryStore, NO_HEIRS, stageServer } from "../../../../testing/gateway/guard-stage.js";
import { gatewayGuard } from "../guard/gateway-guard.js";
import { AppOrigins } from "./app-origins.js";
import { prepareView } from "./prepare-view.js";
import { restoreView } from "./restore-view.js";

type Document = Extract<UiDocument, { ok: true }>;

const makeSandbox = (records?: MemoryRecords): Sandbox =>
  new Sandbox({
    secret: "a secret of a test's",
    origin: "http://{role}.{label}.localhost:8091",
    hosts: ["http://localhost:8090"],
    records,
  });
const sandbox = makeSandbox();

function setUp(document: Partial<Document> = {}, settings: Partial<ServerSettings> = {}) {
  const server = stageServer(settings);
  const asked: Question[] = [];
  const state = { answer: "allow" as "allow" | "deny", remember: "always" as "always" | "once", document };
  const read = async (): Promise<UiDocument> => ({
    ok: true,
    uri: "ui://shop/cart.html",
    html: "<p>Cart",
    meta: {},
    from: "content",
    dialects: [],
    problems: [],
    ...state.document,
  });
  const guard = gatewayGuard({
    server,
    user: "ann",
    store: memoryStore(),
    views: () => ({ session: "s1", tool: "show" }),
    settings: { policy: {}, strict: false, audit: { payloads: "none", redact: [] } },
    ask: (question) => {
      asked.push(question);
      return { answer: state.answer, remember: state.remember };
    },
  });
  const at = { server: Object.assign(server, { document: read }), guard };
  const prepare = (wanted: { tool?: string; uri?: string; narrow?: Narrowing[] } = { tool: "show" }) =>
    prepareView(new AppOrigins(sandbox, NO_HEIRS), "v1", at, wanted, new AbortController().signal);
  return { server, asked, state, at, prepare };
}

describe("prepareView", () => {
  it("returns the address and policy of a tool's view", async () => {
    const { prepare } = setUp({ meta: { prefersBorder: true } }, { relax: ["unsafe-eval"] });
    expect(await prepare()).toMatchObject({
      view: "v1",
      server: "shop",
      uri: "ui://shop/cart.html",
      tool: { name: "show" },
      place: { src: expect.stringContaining(".localhost:8091"), relax: ["unsafe-eval"], prefersBorder: true },
    });
  });

  it("applies the page's narrowing: the same app with two policies is two documents", async () => {
    const csp = {
      frameDomains: ["https://maps.example.com"],
      resourceDomains: ["http://localhost:5173", "https://cdn.example.com"],
    };
    const { prepare } = setUp({ meta: { csp } });
    const open = await prepare();
    const narrow = await prepare({ tool: "show", narrow: ["frame-domains", "insecure-resources"] });
    expect(open.place).toMatchObject({ csp });
    expect(open.place?.narrowed).toBeUndefined();
    expect(narrow).toMatchObject({
      narrow: ["frame-domains", "insecure-resources"],
      place: {
        csp: { resourceDomains: ["https://cdn.example.com"] },
        narrowed: { frameDomains: csp.frameDomains, resourceDomains: ["http://localhost:5173"] },
      },
    });
    expect(narrow.place?.policy).not.toMatch(/maps\.example|localhost:5173/);
    expect(narrow.place?.src).not.toBe(open.place?.src);
    expect(narrow.place?.viewOrigin).toBe(open.place?.viewOrigin);
    const served = await sandbox.fetch(
      new Request(`${narrow.place?.viewOrigin}/${narrow.place?.src.split("/").at(-1)}`, {
        headers: { host: new URL(narrow.place?.viewOrigin ?? "").host },
      }),
    );
    expect(served.headers.get("content-security-policy")).toBe(narrow.place?.policy);
    expect(served.headers.get("connection-allowlist")).toBe('(response-origin "https://cdn.example.com")');
  });

  it("opens a UI by its URI if the server lists it", async () => {
    const { prepare } = setUp();
    const opened = await prepare({ uri: "ui://shop/cart.html" });
    expect(opened.place).toBeDefined();
    expect(opened.tool).toBeUndefined();
    await expect(prepare({ uri: "ui://bank/cart.html" })).rejects.toMatchObject({
      data: { code: "resource-unknown" },
    });
  });

  it("C02: opens no tool that the model may not call, and no missing tool", async () => {
    const { prepare } = setUp();
    await expect(prepare({ tool: "inner" })).rejects.toMatchObject({ data: { code: "tool-not-visible" } });
    await expect(prepare({ tool: "Show" })).rejects.toMatchObject({ data: { code: "tool-unknown" } });
  });

  it("C07: reports that a tool has no UI", async () => {
    const { prepare } = setUp();
    expect(await prepare({ tool: "look" })).toMatchObject({ uri: "", problem: { code: "no-ui" } });
  });

  it("C08: reports what is wrong with a document or its metadata", async () => {
    const { prepare, server } = setUp({
      meta: { csp: { connectDomains: ["https://a.example; script-src *"] } },
    });
    const declared = await prepare();
    expect(declared).toMatchObject({ problem: { code: "bad-resource" } });
    expect(declared.place).toBeUndefined();
    server.document = async () => ({ ok: false, code: "content-missing", message: "there is none" });
    expect(await prepare()).toMatchObject({ problem: { code: "content-missing", message: "there is none" } });
  });

  it("S09: grants what the user allows, for exactly this UI", async () => {
    const { prepare, state, asked } = setUp({ meta: { permissions: { camera: {}, geolocation: {} } } });
    expect((await prepare()).place?.permissions).toEqual({ camera: {}, geolocation: {} });
    expect(asked.map(({ subject }) => subject)).toEqual(["camera", "geolocation"]);
    expect((await prepare()).place?.permissions).toEqual({ camera: {}, geolocation: {} });
    expect(asked).toHaveLength(2);
    state.answer = "deny";
    state.document = { ...state.document, html: "<p>Another cart" };
    expect((await prepare()).place?.permissions).toEqual({});
    expect(asked).toHaveLength(4);
  });

  it("S09: asks again for a UI with other declarations, and names its server", async () => {
    const { prepare, state, asked } = setUp({ meta: { permissions: { camera: {} } } });
    await prepare();
    expect(asked[0]?.reason).toBe('The app of "show" wants to use a feature of this browser: camera.');
    const csp = { connectDomains: ["https://evil.example"] };
    state.document = { meta: { permissions: { camera: {} }, csp } };
    await prepare();
    expect(asked.map(({ subject }) => subject)).toEqual(["camera", "camera"]);
  });

  it("S09: does not ask about a document that cannot be shown", async () => {
    const { prepare, asked } = setUp({
      meta: { permissions: { camera: {} }, csp: { connectDomains: ["https://a.example; script-src *"] } },
    });
    expect(await prepare()).toMatchObject({ problem: { code: "bad-resource" } });
    expect(asked).toEqual([]);
  });

  it("S09: does not ask about permissions that the operator has decided, or that are not requested", async () => {
    const { prepare, asked } = setUp(
      { meta: { permissions: { camera: {}, microphone: {} } } },
      { permissions: { camera: "allow", microphone: "deny", geolocation: "allow" } },
    );
    expect((await prepare()).place?.permissions).toEqual({ camera: {} });
    expect(asked).toEqual([]);
  });

  it("fails with the error of a server that does not start", async () => {
    const { prepare, server } = setUp();
    server.start = async () => {
      throw new Error("no such program");
    };
    await expect(prepare()).rejects.toThrow("no such program");
  });
});

describe("restoreView", () => {
  /** A view whose document was evicted. */
  async function lose(document: Partial<Document>, narrow?: Narrowing[]) {
    const stage = setUp(document);
    stage.state.remember = "once";
    const small = makeSandbox(new MemoryRecords(300));
    const { signal } = new AbortController();
    const opened = await prepareView(
      new AppOrigins(small, NO_HEIRS),
      "v1",
      stage.at,
      { tool: "show", narrow },
      signal,
    );
    const restore = () => restoreView(new AppOrigins(small, NO_HEIRS), () => stage.at, opened, signal);
    expect((await restore()).place).toBe(opened.place);
    await small.register({ server: "other", html: "x".repeat(300) });
    const isThere = async (view: OpenedView) => view.place !== undefined && (await small.has(view.place));
    expect(await isThere(opened)).toBe(false);
    return { ...stage, opened, restore, isThere };
  }

  it("registers it again: same address, same policy, without a question", async () => {
    const meta = { permissions: { camera: {} }, csp: { frameDomains: ["https://maps.example.com"] } };
    const { opened, restore, isThere, asked } = await lose({ meta }, ["frame-domains"]);
    const restored = await restore();
    expect(restored).toEqual(opened);
    expect(restored.place).toMatchObject({ permissions: { camera: {} }, narrowed: meta.csp });
    expect(await isThere(restored)).toBe(true);
    expect(asked).toHaveLength(1);
  });

  it("attack E01: requests nothing from another server that has taken the name", async () => {
    const { restore, at, asked } = await lose({ meta: { permissions: { camera: {} } } });
    let reads = 0;
    const other = stageServer({ identity: "another" });
    const document = async (): Promise<UiDocument> => {
      reads++;
      return { ok: false, code: "content-missing", message: "not here" };
    };
    at.server = Object.assign(other, { document });
    await expect(restore()).rejects.toMatchObject({ data: { code: "server-replaced" } });
    expect([reads, asked.length]).toEqual([0, 1]);
  });

  it("S09: treats a changed document as a new UI: it gets only permissions that the user grants again", async () => {
    const { opened, restore, isThere, asked, state } = await lose({ meta: { permissions: { camera: {} } } });
    state.document = { ...state.document, html: "<p>Another cart" };
    state.answer = "deny";
    const restored = await restore();
    expect(restored.view).toBe("v1");
    expect(restored.place?.src).not.toBe(opened.place?.src);
    expect(restored.place?.permissions).toEqual({});
    expect(await isThere(restored)).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it("knows that the document has changed before the user is asked", async () => {
    const { opened, restore, at, state } = await lose({ meta: { permissions: { camera: {} } } });
    const before = opened.hash;
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    const seen: unknown[] = [];
    at.guard.permission = async () => {
      seen.push(opened.hash);
      return true;
    };
    state.document = { ...state.document, html: "<p>Another cart" };
    const { hash } = await restore();
    expect(hash).not.toBe(before);
    expect(seen).toEqual([hash]);
  });

  it("is retried if it failed", async () => {
    const { opened, restore, isThere } = await lose({});
    const problem = { code: "load-failed", message: "its server did not start" };
    Object.assign(opened, { place: undefined, problem });
    const restored = await restore();
    expect(await isThere(restored)).toBe(true);
    expect(restored.problem).toBeUndefined();
  });

  it.each([
    ["content-missing", true],
    ["document-empty", true],
    ["no-ui", false],
    ["uri-invalid", false],
    ["bad-resource", false],
  ])("retries after %s: %s, depending on whether reading it again can fix that", async (code, isTried) => {
    const { opened, restore } = await lose({});
    Object.assign(opened, { place: undefined, problem: { code, message: "it was so" } });
    const restored = await restore();
    expect([restored.place !== undefined, restored.problem === undefined]).toEqual([isTried, isTried]);
  });

  it("S09: does not restore a permission that the operator has denied since", async () => {
    const { opened, restore, isThere, server } = await lose({
      meta: { permissions: { camera: {}, geolocation: {} } },
    });
    expect(opened.place?.permissions).toEqual({ camera: {}, geolocation: {} });
    Object.assign(server.settings, { permissions: { camera: "deny" } });
    const restored = await restore();
    expect(restored.place?.permissions).toEqual({ geolocation: {} });
    expect(await isThere(restored)).toBe(true);
    expect(await isThere(opened)).toBe(false);
  });

  it("S09: a view whose permission was revoked has no address while the user is asked again", async () => {
    const { opened, restore, at, state } = await lose({ meta: { permissions: { camera: {} } } });
    at.guard.consentsRevoked();
    const { permission } = at.guard;
    const places: unknown[] = [];
    at.guard.permission = (...args) => {
      places.push(opened.place);
      return permission.apply(at.guard, args);
    };
    state.answer = "deny";
    expect((await restore()).place?.permissions).toEqual({});
    expect(places).toEqual([undefined]);
  });

  it("S09: a permission that was allowed once ends with the view", async () => {
    const { restore, at, asked } = await lose({ meta: { permissions: { camera: {} } } });
    at.guard.closeView("v1");
    await restore();
    expect(asked).toHaveLength(2);
  });

  it("without a server is gone", async () => {
    const { opened, restore } = await lose({});
    Object.assign(opened, { server: "" });
    await expect(restore()).rejects.toMatchObject({ data: { code: "view-unknown" } });
    // Its problem stays known.
    Object.assign(opened, { place: undefined, problem: { code: "document-empty", message: "it is empty" } });
    expect(await restore()).toBe(opened);
  });

  it("C08: reports why it can no longer be shown", async () => {
    const { restore, server } = await lose({});
    server.document = async () => ({ ok: false, code: "content-missing", message: "there is none" });
    const restored = await restore();
    expect(restored.problem).toEqual({ code: "content-missing", message: "there is none" });
    expect(restored.place).toBeUndefined();
    server.start = async () => {
      throw new Error("no such program");
    };
    await expect(restore()).rejects.toThrow("no such program");
  });
});
