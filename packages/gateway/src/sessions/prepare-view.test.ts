import type { Question } from "@vitrine/host";
import type { UiDocument } from "@vitrine/protocol";
import { Sandbox } from "@vitrine/sandbox";
import { describe, expect, it } from "vitest";
import { memoryStore, stageServer } from "../../../../testing/gateway/guard-stage.js";
import type { ServerSettings } from "../config/config.js";
import { gatewayGuard } from "../guard/gateway-guard.js";
import { prepareView } from "./prepare-view.js";

type Document = Extract<UiDocument, { ok: true }>;

const sandbox = new Sandbox({
  secret: "a secret of a test's",
  origin: "http://{role}.{label}.localhost:8091",
  hosts: ["http://localhost:8090"],
});

function setUp(document: Partial<Document> = {}, settings: Partial<ServerSettings> = {}) {
  const server = stageServer(settings);
  const asked: Question[] = [];
  const state = { answer: "allow" as "allow" | "deny", document };
  const read = async (): Promise<UiDocument> => ({
    ...{
      ok: true,
      uri: "ui://shop/cart.html",
      html: "<p>Cart",
      meta: {},
      from: "content",
      problems: [],
      ...state.document,
    },
  });
  const guard = gatewayGuard({
    ...{ server, user: "ann", store: memoryStore(), views: () => ({ session: "s1", tool: "show" }) },
    settings: { policy: {}, strict: false, audit: { payloads: "none", redact: [] } },
    ask: (question) => {
      asked.push(question);
      return { answer: state.answer, remember: "always" };
    },
  });
  const at = { server: Object.assign(server, { document: read }), guard };
  const prepare = (wanted: { tool?: string; uri?: string } = { tool: "show" }) =>
    prepareView(sandbox, "v1", at, wanted, new AbortController().signal);
  return { server, asked, state, prepare };
}

describe("prepareView", () => {
  it("says where and how the view of a tool is shown", async () => {
    const { prepare } = setUp({ meta: { prefersBorder: true } }, { relax: ["unsafe-eval"] });
    expect(await prepare()).toMatchObject({
      ...{ view: "v1", server: "shop", uri: "ui://shop/cart.html", tool: { name: "show" } },
      place: { src: expect.stringContaining(".localhost:8091"), relax: ["unsafe-eval"], prefersBorder: true },
    });
  });

  it("opens a UI by its address, if the server names it", async () => {
    const { prepare } = setUp();
    const opened = await prepare({ uri: "ui://shop/cart.html" });
    expect(opened.place).toBeDefined();
    expect(opened.tool).toBeUndefined();
    await expect(prepare({ uri: "ui://bank/cart.html" })).rejects.toMatchObject({
      data: { code: "resource-unknown" },
    });
  });

  it("C02: opens no tool that the model may not call, and none that is not there", async () => {
    const { prepare } = setUp();
    await expect(prepare({ tool: "inner" })).rejects.toMatchObject({ data: { code: "tool-not-visible" } });
    await expect(prepare({ tool: "Show" })).rejects.toMatchObject({ data: { code: "tool-unknown" } });
  });

  it("C07: says of a tool without a UI that it has none", async () => {
    const { prepare } = setUp();
    expect(await prepare({ tool: "look" })).toMatchObject({ uri: "", problem: { code: "no-ui" } });
  });

  it("C08: says what is wrong with a document, or with what it declares", async () => {
    const { prepare, server } = setUp({
      meta: { csp: { connectDomains: ["https://a.example; script-src *"] } },
    });
    const declared = await prepare();
    expect(declared).toMatchObject({ problem: { code: "bad_resource" } });
    expect(declared.place).toBeUndefined();
    server.document = async () => ({ ok: false, code: "content-missing", message: "there is none" });
    expect(await prepare()).toMatchObject({ problem: { code: "content-missing", message: "there is none" } });
  });

  it("S09: grants what the person allows, for this very UI", async () => {
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

  it("S09: asks again for a UI that declares something else, and says whose it is", async () => {
    const { prepare, state, asked } = setUp({ meta: { permissions: { camera: {} } } });
    await prepare();
    expect(asked[0]?.reason).toBe('The app of "show" wants to use a feature of this browser: camera.');
    const csp = { connectDomains: ["https://evil.example"] };
    state.document = { meta: { permissions: { camera: {} }, csp } };
    await prepare();
    expect(asked.map(({ subject }) => subject)).toEqual(["camera", "camera"]);
  });

  it("S09: asks nobody about a document that cannot be shown", async () => {
    const { prepare, asked } = setUp({
      meta: { permissions: { camera: {} }, csp: { connectDomains: ["https://a.example; script-src *"] } },
    });
    expect(await prepare()).toMatchObject({ problem: { code: "bad_resource" } });
    expect(asked).toEqual([]);
  });

  it("S09: asks nobody about what the operator has decided, or what is not wanted", async () => {
    const { prepare, asked } = setUp(
      { meta: { permissions: { camera: {}, microphone: {} } } },
      { permissions: { camera: "allow", microphone: "deny", geolocation: "allow" } },
    );
    expect((await prepare()).place?.permissions).toEqual({ camera: {} });
    expect(asked).toEqual([]);
  });

  it("fails with what a server that does not start failed with", async () => {
    const { prepare, server } = setUp();
    server.start = async () => {
      throw new Error("no such program");
    };
    await expect(prepare()).rejects.toThrow("no such program");
  });
});
