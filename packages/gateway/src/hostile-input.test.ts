/** What is JSON and still not what anybody would send: no server and no page may end the gateway, or a call hang. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Gateway } from "@vitrine/gateway";
import type { OpenedView } from "@vitrine/wire";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawPage } from "../../../testing/gateway/doors.ts";
import { startTestGateway } from "../../../testing/gateway/gateway-stage.ts";

const SERVER = fileURLToPath(new URL("../../../testing/gateway/hostile-server.mjs", import.meta.url));
let folder: string;
let gateway: Gateway;
let page: RawPage;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-hostile-"));
  const hostile = {
    command: process.execPath,
    args: [SERVER],
    isolation: "process",
    policy: { "tools/call": "allow" },
  };
  ({ gateway } = await startTestGateway({ mcpServers: { hostile } }, folder));
  page = openPage();
});
afterAll(async () => {
  page?.close();
  await gateway?.close(0);
  await rm(folder, { recursive: true, force: true });
});

const openPage = (): RawPage =>
  new RawPage({ origin: gateway.origin, token: gateway.token ?? "", over: "websocket" });
const call = (name: string, id?: string): Promise<unknown> =>
  page.ask(".", "gateway/call", { server: "hostile", name, arguments: {} }, id);

describe("a server", () => {
  it("that answers with an error nested too deep is heard without the nest", async () => {
    await expect(call("deep-error")).rejects.toMatchObject({ code: -32000, message: "x" });
  });

  it("whose error has no message that is a text is heard all the same", async () => {
    await expect(call("odd-error")).rejects.toMatchObject({ code: 1 });
  });

  it("that says what nobody asked for is passed over", async () => {
    await expect(call("unasked")).resolves.toMatchObject({ content: [] });
  });

  it("whose result is nested too deep does not spoil the page's other views", async () => {
    const opened = (await page.ask(".", "gateway/open", {
      server: "hostile",
      tool: "deep-result",
      arguments: {},
    })) as OpenedView;
    await expect
      .poll(() => page.heard.map(({ channel, message }) => [channel, message["method"]]))
      .toContainEqual([opened.view, "ui/notifications/tool-result"]);
    await expect(page.ask(".", "gateway/views", {})).resolves.toMatchObject({
      views: [{ view: opened.view, result: { content: [{ text: expect.stringContaining("too deep") }] } }],
    });
  });
});

describe("a page", () => {
  it("whose method is no text is told so, on its own channel and on that of no view", async () => {
    page.send("vNope", { id: 1, method: { toString: 1 } });
    page.send(".", { id: "odd.1", method: { toString: 1 } });
    await expect
      .poll(() => page.stray.map(({ message }) => message))
      .toContainEqual(expect.objectContaining({ id: "odd.1", error: expect.anything() }));
    await expect(page.ask(".", "gateway/servers", {})).resolves.toBeDefined();
  });

  it("that sends more values than anybody should make objects of is refused, unread", async () => {
    const many = Array.from({ length: 1_200_000 }, () => 0);
    await expect(
      page.ask(".", "gateway/call", { server: "hostile", name: "count", arguments: { many } }),
    ).rejects.toMatchObject({ data: { code: "too-large" } });
    const { view } = (await page.ask(".", "gateway/open", {
      server: "hostile",
      tool: "count",
    })) as OpenedView;
    await expect(page.ask(view, "tools/call", { name: "count", arguments: { many } })).rejects.toMatchObject({
      data: { code: "too-large" },
    });
    const rows = await gateway.api.audit.query({ user: "local" }, { view });
    expect(rows).toMatchObject([{ decision: "refused", reason: "too-large", method: "tools/call" }]);
  });

  it("that counts its requests 1, 2, 3 is not taken for another that does", async () => {
    const other = openPage();
    const ask = (from: RawPage) =>
      from.ask(".", "gateway/call", { server: "hostile", name: "count", arguments: {} }, "1");
    const texts = [await ask(page), await ask(other), await ask(page)].map((result) =>
      JSON.stringify(result),
    );
    expect(new Set(texts).size).toBe(3);
    other.close();
  });
});
