/** Valid but unreasonable JSON: no server and no page may crash the gateway, or make a call hang. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningGateway } from "@vitrine/gateway";
import type { OpenedView } from "@vitrine/wire";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawPage } from "../../../testing/gateway/entry-points.ts";
import { startTestGateway } from "../../../testing/gateway/gateway-stage.ts";

const SERVER = fileURLToPath(new URL("../../../testing/gateway/hostile-server.mjs", import.meta.url));
let folder: string;
let gateway: RunningGateway;
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
  it("that answers with an error nested too deeply is passed on without the data", async () => {
    await expect(call("deep-error")).rejects.toMatchObject({ code: -32000, message: "x" });
  });

  it("whose error message is not a string is passed on nevertheless", async () => {
    await expect(call("odd-error")).rejects.toMatchObject({ code: 1 });
  });

  it("that sends unexpected messages is ignored", async () => {
    await expect(call("unasked")).resolves.toMatchObject({ content: [] });
  });

  it("whose result is nested too deeply does not affect other views of the page", async () => {
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
  it("whose method is not a string gets an error, on its own channel and on that of an unknown view", async () => {
    page.send("vNope", { id: 1, method: { toString: 1 } });
    page.send(".", { id: "odd.1", method: { toString: 1 } });
    await expect
      .poll(() => page.stray.map(({ message }) => message))
      .toContainEqual(expect.objectContaining({ id: "odd.1", error: expect.anything() }));
    await expect(page.ask(".", "gateway/servers", {})).resolves.toBeDefined();
  });

  it("that sends too many values is refused without parsing", async () => {
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

  it("that numbers its requests 1, 2, 3 is not confused with another one", async () => {
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
