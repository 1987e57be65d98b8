/** A user sends requests written by hand to real servers of both protocol generations through a whole gateway. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningGateway } from "@vitrine/gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawPage } from "../../../testing/gateway/entry-points.js";
import { startTestGateway } from "../../../testing/gateway/gateway-stage.js";
import { serveProgram } from "../../../testing/gateway/served-program.js";

const EXTRAS = fileURLToPath(new URL("../../../testing/gateway/extras-server.mjs", import.meta.url));
const TOKENS = { ann: "a".repeat(32), bea: "b".repeat(32) };
const program = (...args: string[]) => ({ command: process.execPath, args: [EXTRAS, ...args] });

let folder: string;
let gateway: RunningGateway;
const ends: (() => Promise<void>)[] = [];
const pages: RawPage[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-any-request-"));
  const modern = await serveProgram(EXTRAS, ["modern", "http"]);
  const legacy = await serveProgram(EXTRAS, ["legacy", "http"]);
  ends.push(modern.close, legacy.close);
  ({ gateway } = await startTestGateway(
    {
      users: Object.entries(TOKENS).map(([name, token]) => ({ name, token })),
      mcpServers: {
        legacy: program("legacy"),
        modern: program("modern"),
        "modern-http": { url: modern.url, oauth: false },
        http: { url: legacy.url, oauth: false },
        shared: { ...program("legacy"), stateless: true },
        closed: { ...program("legacy"), policy: { "gateway/request": "deny" } },
        picky: {
          ...program("legacy"),
          policy: { "gateway/request:demo/echo": "deny", "tools/call:date": "deny" },
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
  ])("with the method %j, and recorded", async (method) => {
    const page = await open();
    const before = (await rows(method.slice(0, 200))).length;
    const sent = page.request("gateway/request", { server: "legacy", method, params: {} });
    await expect(sent).rejects.toMatchObject(refused("not-allowed"));
    const after = await rows(method.slice(0, 200));
    expect(after.length).toBeGreaterThan(before);
    expect(after.every(({ decision }) => decision === "refused")).toBe(true);
  });

  it("if the operator denies all of them, or one method, or one tool", async () => {
    const page = await open();
    const send = (server: string, method: string, params = {}) =>
      page.request("gateway/request", { server, method, params });
    await expect(send("closed", "tools/list")).rejects.toMatchObject(refused("not-allowed"));
    await expect(send("picky", "demo/echo")).rejects.toMatchObject(refused("not-allowed"));
    await expect(send("picky", "tools/call", { name: "date" })).rejects.toMatchObject(refused("not-allowed"));
    expect(await send("picky", "tools/list")).toHaveProperty("tools");
  });

  it("at a shared server, unless its method is known to affect nobody else", async () => {
    const page = await open();
    const send = (method: string) => page.request("gateway/request", { server: "shared", method });
    await expect(send("demo/echo")).rejects.toMatchObject(refused("server-shared"));
    expect(await send("tools/list")).toHaveProperty("tools");
    expect(await send("skills/list")).toHaveProperty("skills");
  });

  it("if it is meant for another server, or one that the user does not have", async () => {
    const page = await open();
    const send = (at: { server: string; identity?: string }) =>
      page.ask(".", "gateway/request", { ...at, method: "demo/echo" });
    await expect(send({ server: "legacy", identity: "another" })).rejects.toMatchObject(
      refused("server-replaced"),
    );
    await expect(send({ server: "none" })).rejects.toMatchObject(refused("server-unknown"));
  });

  it("from a view", async () => {
    const page = await open();
    const { view } = await page.request("gateway/open", { server: "legacy", tool: "apple" });
    for (const method of ["gateway/request", "demo/echo"])
      await expect(page.ask(view, method, { method: "demo/echo" })).rejects.toMatchObject(
        refused("method-unknown"),
      );
  });
});

describe("a request that is written by hand, and cut off", () => {
  it("is not repeated, and may have run", async () => {
    const page = await open("bea");
    const sent = page.request("gateway/request", { server: "legacy", method: "demo/exit" });
    await expect(sent).rejects.toMatchObject({ data: { code: "server-exited", indeterminate: true } });
  });
});
