/** A user sends requests written by hand to real servers of both protocol generations through a whole gateway. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningGateway } from "@vitrine/gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawPage } from "../../../testing/gateway/entry-points.js";
import { startTestGateway } from "../../../testing/gateway/gateway-stage.js";
import { type HttpServer, startHttpServer } from "../../../testing/gateway/http-server.js";
import { serveProgram } from "../../../testing/gateway/served-program.js";

const EXTRAS = fileURLToPath(new URL("../../../testing/gateway/extras-server.mjs", import.meta.url));
const TOKENS = { ann: "a".repeat(32), bea: "b".repeat(32) };
const program = (...args: string[]) => ({ command: process.execPath, args: [EXTRAS, ...args] });

let folder: string;
let gateway: RunningGateway;
let older: HttpServer;
const ends: (() => Promise<void>)[] = [];
const pages: RawPage[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-any-request-"));
  const modern = await serveProgram(EXTRAS, ["modern", "http"]);
  const legacy = await serveProgram(EXTRAS, ["legacy", "http"]);
  older = await startHttpServer();
  ends.push(modern.close, legacy.close, older.close);
  ({ gateway } = await startTestGateway(
    {
      users: Object.entries(TOKENS).map(([name, token]) => ({ name, token })),
      mcpServers: {
        legacy: program("legacy"),
        modern: program("modern"),
        "modern-http": { url: modern.url, oauth: false },
        http: { url: legacy.url, oauth: false },
        shared: { ...program("legacy"), stateless: true },
        "shared-older": { url: older.url, oauth: false, stateless: true },
        closed: { ...program("legacy"), policy: { "gateway/request": "deny" } },
        picky: {
          ...program("legacy"),
          policy: {
            "gateway/request:demo/echo": "deny",
            "tools/call:date": "deny",
            "resources/read:skill://daily/SKILL.md": "deny",
          },
        },
      },
    },
    join(folder, "data"),
  ));
}, 60_000);
afterAll(async () => {
  for (const page of pages) page.close();
  await gateway.close(0);
  for (const end of ends) await end();
  await rm(folder, { recursive: true, force: true });
});

async function open(user: keyof typeof TOKENS = "ann"): Promise<RawPage> {
  const page = new RawPage({ origin: gateway.origin, token: TOKENS[user], over: "websocket" });
  pages.push(page);
  await page.request("gateway/servers", {});
  return page;
}

/** The entries of the audit log, without their outcomes. */
const rows = async (method: string) =>
  (await gateway.api.audit.query({ user: "ann" }, { limit: 1000 })).filter(
    (row) => row.kind === "entry" && row.method === method,
  );

const refused = (code: string) => ({ data: { code } });

describe.each(["legacy", "modern", "modern-http", "http"])(
  "a request that is written by hand (%s)",
  (server) => {
    let page: RawPage;
    beforeAll(async () => {
      page = await open();
      await page.request("gateway/start", { server });
    }, 30_000);
    const send = (method: string, params?: Record<string, unknown>) =>
      page.request("gateway/request", { server, method, ...(params && { params }) });

    it("reaches the server with a method that the gateway does not know, and is recorded with it", async () => {
      const before = (await rows("demo/echo")).length;
      expect(await send("demo/echo", { a: [1, { b: null }] })).toMatchObject({
        said: { a: [1, { b: null }] },
      });
      const after = await rows("demo/echo");
      expect(after).toHaveLength(before + 1);
      expect(after.find((row) => row.server === server)).toMatchObject({
        actor: "host",
        decision: "allowed",
      });
    });

    it("gets the server's own error", async () => {
      await expect(send("demo/none")).rejects.toMatchObject({ code: -32601 });
      await expect(send("tools/list", { cursor: "wrong" })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining("no such cursor"),
      });
    });

    it("fetches one page of a list", async () => {
      expect(await send("tools/list")).toMatchObject({
        tools: [{ name: "apple" }, { name: "banana" }],
        nextCursor: "after-2",
      });
      const last = await send("tools/list", { cursor: "after-4" });
      expect(last).toMatchObject({ tools: [{ name: "elder" }] });
      expect(last).not.toHaveProperty("nextCursor");
    });

    it("calls a tool that the server lists for models, and no other", async () => {
      expect(await send("tools/call", { name: "date", arguments: {} })).toMatchObject({
        content: [{ text: "one date" }],
      });
      await expect(send("tools/call", { name: "secret" })).rejects.toMatchObject(refused("tool-unknown"));
    });

    it("has a result of limited size", async () => {
      await expect(send("demo/large")).rejects.toMatchObject(refused("server-too-large"));
    });
  },
);

describe("a request that is written by hand is refused", () => {
  // A user has a limited number of sessions.
  let page: RawPage;
  beforeAll(async () => {
    page = await open();
  });

  async function isRefused(server: string, method: string): Promise<void> {
    const before = (await rows(method.slice(0, 200))).length;
    const sent = page.request("gateway/request", { server, method, params: {} });
    await expect(sent).rejects.toMatchObject(refused("not-allowed"));
    const after = await rows(method.slice(0, 200));
    expect(after.length).toBeGreaterThan(before);
    expect(after.every(({ decision }) => decision === "refused")).toBe(true);
  }

  it.each([
    "initialize",
    "notifications/initialized",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "logging/setLevel",
    "tasks/list",
    "tasks/get",
    "sampling/createMessage",
    "roots/list",
    "ui/open-link",
    "gateway/restart",
    "app-tools/call",
    "",
    "a b",
    "a\nb",
    "x".repeat(201),
  ])("with the method %j, and recorded", (method) => isRefused("legacy", method));

  // At another server: refusals that follow each other too fast share a row.
  it.each(["audit/hold", "catalogue/changed", "server/replaced", "server/discover/more"])(
    "with the method %j of the audit log, and recorded",
    (method) => isRefused("modern", method),
  );

  it("but not with the method server/discover, which only reads", async () => {
    const sent = page.request("gateway/request", { server: "modern", method: "server/discover" });
    expect(await sent).toHaveProperty("capabilities");
  });

  it("if the operator denies all of them, or one method, or one tool", async () => {
    const send = (server: string, method: string, params = {}) =>
      page.request("gateway/request", { server, method, params });
    await expect(send("closed", "tools/list")).rejects.toMatchObject(refused("not-allowed"));
    await expect(send("picky", "demo/echo")).rejects.toMatchObject(refused("not-allowed"));
    await expect(send("picky", "tools/call", { name: "date" })).rejects.toMatchObject(refused("not-allowed"));
    expect(await send("picky", "tools/list")).toHaveProperty("tools");
  });

  it("if the operator denies one resource, whatever other params it has", async () => {
    const read = (uri: string, more = {}) =>
      page.request("gateway/request", {
        server: "picky",
        method: "resources/read",
        params: { uri, ...more },
      });
    const denied = "skill://daily/SKILL.md";
    await expect(read(denied)).rejects.toMatchObject(refused("not-allowed"));
    await expect(read(denied, { name: "x" })).rejects.toMatchObject(refused("not-allowed"));
    expect(await read("skill://picking/SKILL.md", { name: denied })).toHaveProperty("contents");
  });

  it("at a shared server, unless its method is known to affect nobody else", async () => {
    const send = (method: string) => page.request("gateway/request", { server: "shared", method });
    await expect(send("demo/echo")).rejects.toMatchObject(refused("server-shared"));
    expect(await send("tools/list")).toHaveProperty("tools");
    expect(await send("skills/list")).toHaveProperty("skills");
  });

  it.each([
    ["gateway/set-log-level", { level: "debug" }, "logging/setLevel"],
    ["gateway/request", { method: "demo/shared" }, "demo/shared"],
  ] as const)("at a shared server, and recorded: %s", async (asked, params, method) => {
    const sent = page.ask(".", asked, { server: "shared", ...params });
    await expect(sent).rejects.toMatchObject(refused("server-shared"));
    expect((await rows(method)).filter(({ server }) => server === "shared")).toMatchObject([
      { actor: "host", decision: "refused", reason: "server-shared" },
    ]);
  });

  it("if it is meant for another server, or one that the user does not have", async () => {
    const send = (at: { server: string; identity?: string }) =>
      page.ask(".", "gateway/request", { ...at, method: "demo/echo" });
    await expect(send({ server: "legacy", identity: "another" })).rejects.toMatchObject(
      refused("server-replaced"),
    );
    await expect(send({ server: "none" })).rejects.toMatchObject(refused("server-unknown"));
  });

  it("from a view", async () => {
    const { view } = await page.request("gateway/open", { server: "legacy", tool: "apple" });
    for (const method of ["gateway/request", "demo/echo"])
      await expect(page.ask(view, method, { method: "demo/echo" })).rejects.toMatchObject(
        refused("method-unknown"),
      );
  });
});

describe("a request that is written by hand, at a shared server", () => {
  it("has no progress token, which may be that of another user, and keeps the rest of `_meta`", async () => {
    const page = await open();
    const params = { a: 1, _meta: { progressToken: 1, "example.com/note": "kept" } };
    await page.request("gateway/request", { server: "shared-older", method: "skills/list", params });
    const sent = older.received.find(({ method }) => method === "skills/list")?.params;
    expect(sent).toMatchObject({ a: 1, _meta: { "example.com/note": "kept" } });
    expect(sent).not.toHaveProperty("_meta.progressToken");
  });
});

describe("a ping", () => {
  it("is recorded if it is written by hand, as it may carry anything", async () => {
    const page = await open();
    const before = (await rows("ping")).length;
    await page.request("gateway/ping", { server: "legacy" });
    expect(await rows("ping")).toHaveLength(before);
    await page.request("gateway/request", { server: "legacy", method: "ping", params: { a: "b" } });
    const after = await rows("ping");
    expect(after).toHaveLength(before + 1);
    expect(after.find(({ server }) => server === "legacy")).toMatchObject({
      actor: "host",
      decision: "allowed",
    });
  });
});

describe("a request that is written by hand, and cut off", () => {
  it("is not repeated, and may have run", async () => {
    const page = await open("bea");
    const sent = page.request("gateway/request", { server: "legacy", method: "demo/exit" });
    await expect(sent).rejects.toMatchObject({ data: { code: "server-exited", indeterminate: true } });
  });
});
