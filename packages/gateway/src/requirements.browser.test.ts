/**
 * Requirements, proved on the product: a gateway with two servers, its page in a real browser, and
 * `<mcp-app>` with handwritten views. Nothing between a view and its server is replaced.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { OpenedView } from "@vitrine/wire";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { GatewayPageApi } from "../../../testing/gateway/gateway-page.ts";
import { GatewayStage } from "../../../testing/gateway/gateway-stage.ts";

declare const host: GatewayPageApi;
/** In the view. */
interface Message {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}
declare const heard: (Message | string)[];
declare const welcome: Message;
declare const early: Message;
declare function ask(method: string, params?: unknown, id?: unknown): Promise<Message>;
declare function say(method: string, params?: unknown): void;

const PROBE = fileURLToPath(new URL("../../../testing/gateway/bare-server.mjs", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "vitrine-probe-"));
const notes = join(folder, "notes");
const probe = (name: string) => ({
  command: process.execPath,
  args: [PROBE, name, notes],
  isolation: "process",
  policy: { "tools/call": "allow", "ui/message": "allow" },
});

let stage: GatewayStage;
let page: Page;
beforeAll(async () => {
  await writeFile(notes, "");
  stage = await GatewayStage.open({
    mcpServers: { one: probe("one"), two: probe("two"), lazy: { ...probe("lazy"), start: "lazy" } },
  });
  page = await stage.openPage();
});
afterAll(async () => {
  await stage?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await writeFile(notes, "");
});

let views = 0;
/** Opens the view of a tool, and waits until it is ready. */
const open = (tool: string, server = "one"): Promise<Frame> =>
  stage.open(page, `view-${++views}`, server, tool, { city: "Rome" });
/** The gateway's answer for a view, ready or not. */
const opened = (tool: string, server = "one"): Promise<OpenedView> =>
  page.evaluate(
    ([...wanted]) =>
      host.gateway.openView({ server: wanted[1], tool: wanted[0] }).then((view) => view.opened),
    [tool, server] as const,
  );
const reported = async (): Promise<string[]> => (await readFile(notes, "utf8")).split("\n").filter(Boolean);
/** The methods that a view received. */
const methods = (view: Frame): Promise<unknown[]> =>
  view.evaluate(() =>
    heard.map((each) => (typeof each === "string" ? JSON.parse(each) : each).method).filter(Boolean),
  );
const request = (view: Frame, method: string, params?: unknown): Promise<Message> =>
  view.evaluate(([name, given]) => ask(name, given), [method, params] as const);

describe("resources and tools", () => {
  it("R01 and C08: a link that is not a ui:// URI is a readable error, and the server is not asked", async () => {
    expect((await opened("elsewhere")).problem).toMatchObject({
      code: "uri-invalid",
      message: expect.stringContaining("must begin with ui://"),
    });
    expect(await reported()).not.toContain("one read https://example.com/app.html");
  });

  it("R02 and C08: another MIME type is a readable error", async () => {
    expect((await opened("typed")).problem).toMatchObject({
      code: "mime-type-wrong",
      message: expect.stringContaining("text/html"),
    });
  });

  it("R03: a document in base64 is shown as UTF-8, like one in text", async () => {
    for (const tool of ["plain", "blob"]) expect(await (await open(tool)).textContent("p")).toBe("Grüße");
  });

  it("R04 and C05: metadata of the listing is the fallback; that of the content replaces it as a whole", async () => {
    expect((await opened("listed")).place?.csp).toEqual({ connectDomains: ["https://list.example"] });
    expect((await opened("both")).place?.csp).toEqual({ connectDomains: ["https://content.example"] });
  });

  it("R05 and R06: an unlisted resource is found through its tool, also with the older key", async () => {
    expect(await (await open("flat")).textContent("p")).toBe("Grüße");
  });

  it("R07: an unreadable resource is an error with the server's message", async () => {
    expect((await opened("missing")).problem).toMatchObject({
      code: "content-missing",
      message: expect.stringContaining("no such file"),
    });
  });

  it("R09: policy metadata of a tool has no effect", async () => {
    const { place } = await opened("misplaced");
    expect(place?.csp).toEqual({});
    expect(place?.policy).not.toContain("tool.example");
  });

  it("S06: a declared value that would break out of its directive is refused, and the app is not shown", async () => {
    const { place, problem } = await opened("hostile");
    expect(place).toBeUndefined();
    expect(problem).toMatchObject({
      code: "bad-resource",
      message: expect.stringContaining("connectDomains"),
    });
  });
});

describe("the client side of the host", () => {
  it("C01: UI support is declared to a server, with the MIME type", async () => {
    await opened("plain", "lazy");
    const extension = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };
    expect(await reported()).toContain(`lazy initialize ${JSON.stringify(extension)}`);
  });

  it("C03: a model-only tool is refused, and never reaches the server", async () => {
    const view = await open("plain");
    await writeFile(notes, "");
    expect(await request(view, "tools/call", { name: "model_only", arguments: {} })).toMatchObject({
      error: { code: -32000, data: { code: "tool-not-visible" } },
    });
    expect(await reported()).toEqual([]);
  });

  it("C04: a call of a tool that both servers have reaches the view's own; tools of the other are refused", async () => {
    const view = await open("plain");
    await writeFile(notes, "");
    const call = { name: "both_kinds", arguments: {} };
    expect(await request(view, "tools/call", call)).toMatchObject({
      result: { content: [{ type: "text", text: "one both_kinds" }] },
    });
    expect(await request(view, "tools/call", { ...call, server: "two" })).toMatchObject({
      error: { code: -32000 },
    });
    expect(await request(view, "resources/read", { uri: "ui://two/plain" })).toMatchObject({
      error: { code: -32000, data: { code: "resource-unknown" } },
    });
    expect(await reported()).toEqual(["one call both_kinds"]);
  });

  it("C06: a document is read once for all its views, and again when the server reports a change", async () => {
    expect(await (await open("changing")).textContent("h1")).toBe("version 1");
    await writeFile(notes, "");
    const view = await open("changing");
    expect(await reported()).not.toContain("one read ui://one/changing");
    await request(view, "tools/call", { name: "update", arguments: {} });
    await expect.poll(async () => (await open("changing")).textContent("h1")).toBe("version 2");
  });
});

describe("lifecycle", () => {
  it("L02: an unknown version is answered with a supported one", async () => {
    const view = await open("newer");
    expect(await view.evaluate(() => welcome.result)).toMatchObject({
      protocolVersion: "2026-01-26",
      hostInfo: { name: "test host" },
      hostCapabilities: { serverTools: expect.anything() },
      hostContext: expect.anything(),
    });
  });

  it("L03, L04, L06 and L11: nothing is sent before initialized; then the input once, and the server's unchanged result", async () => {
    const view = await open("plain");
    await expect.poll(() => methods(view)).toContain("ui/notifications/tool-result");
    const calls = (await methods(view)).filter((each) => /tool-/.test(`${each}`));
    expect(calls).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-result"]);
    const [first, input, result] = await view.evaluate(() => [
      heard[0],
      ...heard.filter((each) => /tool-(input|result)$/.test(Object(each).method)),
    ]);
    expect(first).toMatchObject({ id: 1, result: expect.anything() });
    expect(input).toMatchObject({ params: { arguments: { city: "Rome" } } });
    expect(result).toMatchObject({
      params: { content: [{ text: "one plain" }], structuredContent: { a: 1 }, _meta: { own: true } },
    });
  });

  it("L07: a failed call is a cancellation with its reason, without a result", async () => {
    const view = await open("fails");
    await expect.poll(() => methods(view)).toContain("ui/notifications/tool-cancelled");
    expect(await methods(view)).not.toContain("ui/notifications/tool-result");
    const cancelled = await view.evaluate(() =>
      heard.find((each) => Object(each).method === "ui/notifications/tool-cancelled"),
    );
    expect(cancelled).toMatchObject({ params: { reason: expect.stringContaining("the kettle is broken") } });
  });

  it("L08: a view is asked to tear down, with a reason, and its frame is removed after its answer", async () => {
    const view = await open("plain");
    await page.evaluate((name) => host.close(name), `view-${views}`);
    // The view's last message, sent before its answer.
    expect(await page.evaluate(() => host.log.values("log").at(-1))).toMatchObject({
      data: "the test is over",
    });
    expect(view.isDetached()).toBe(true);
  });

  it("L10: ping is answered in both directions", async () => {
    const view = await open("plain");
    expect(await request(view, "ping")).toMatchObject({ result: {} });
    const answer = await page.evaluate((id) => host.app(id).bridge?.ping(), `view-${views}`);
    expect(answer).not.toBeInstanceOf(Error);
    expect(await methods(view)).toContain("ping");
  });

  it("L12: an unknown request gets −32601, invalid params −32602, and an unknown notification nothing", async () => {
    const view = await open("plain");
    expect(await request(view, "ui/no-such-thing", {})).toMatchObject({ error: { code: -32601 } });
    expect(await request(view, "tools/call", { arguments: {} })).toMatchObject({ error: { code: -32602 } });
    const before = await view.evaluate(() => heard.length);
    await view.evaluate(() => say("ui/notifications/no-such-thing", {}));
    await request(view, "ping");
    expect(await view.evaluate(() => heard.length)).toBe(before + 1);
  });
});

describe("interaction", () => {
  it("I01: a tool's result is returned unchanged", async () => {
    const { result } = await request(await open("plain"), "tools/call", { name: "app_only", arguments: {} });
    expect(result).toEqual({
      content: [{ type: "text", text: "one app_only" }],
      structuredContent: { a: 1 },
      _meta: { own: true },
    });
  });

  it("I03: a view gets only the tools that it may call", async () => {
    const { result } = await request(await open("plain"), "tools/list", {});
    const tools: unknown = result?.["tools"];
    const names = Array.isArray(tools) ? tools.map((tool) => Object(tool).name) : [];
    expect(names).toContain("app_only");
    expect(names).not.toContain("model_only");
  });

  it("I12: progress reaches the view, and a call that it cancels is cancelled at the server", async () => {
    const view = await open("plain");
    await view.evaluate(() => {
      ask("tools/call", { name: "slow", arguments: {}, _meta: { progressToken: "mine" } }, "call-1");
    });
    const progress = () =>
      view.evaluate(() => heard.find((each) => Object(each).method === "notifications/progress"));
    await expect.poll(progress).toMatchObject({
      params: { progressToken: "mine", progress: 1, total: 2, message: "half" },
    });
    await view.evaluate(() => say("notifications/cancelled", { requestId: "call-1" }));
    await expect.poll(reported).toContain("one cancelled");
  });
});

describe("tolerance", () => {
  it("T01 and T06: a view that sends clientInfo gets a complete answer, and notifications with the early names too", async () => {
    const view = await open("wild");
    expect(await view.evaluate(() => welcome.result)).toMatchObject({
      protocolVersion: expect.stringMatching(/^20/),
      hostContext: expect.anything(),
    });
    await expect
      .poll(() => methods(view))
      .toEqual(
        expect.arrayContaining([
          "ui/notifications/tool-input",
          "ui/toolInput",
          "ui/notifications/tool-result",
          "ui/toolResult",
        ]),
      );
  });

  it("T06: a view of a published revision gets none of them", async () => {
    const view = await open("plain");
    await expect.poll(() => methods(view)).toContain("ui/notifications/tool-result");
    expect(await methods(view)).not.toContain("ui/toolResult");
  });

  it("T02: a view that never sends initialized, and calls a tool, gets its result", async () => {
    const view = await open("eager");
    expect(await view.evaluate(() => early.result)).toMatchObject({ content: [{ text: "one both_kinds" }] });
    await expect.poll(() => methods(view)).toContain("ui/notifications/tool-result");
  });

  it("T03: a view that sends text gets answers as text", async () => {
    const view = await open("texts");
    await expect.poll(() => methods(view)).toContain("ui/notifications/tool-result");
    expect(await view.evaluate(() => heard.map((each) => typeof each))).not.toContain("object");
  });

  it("T04: a message with a single block, or another role, is accepted as one of the user", async () => {
    const view = await open("plain");
    const content = { type: "text", text: "one block" };
    expect(await request(view, "ui/message", { role: "assistant", content })).toMatchObject({ result: {} });
    const said = await page.evaluate(() => host.log.values("message").at(-1));
    expect(said).toMatchObject({ role: "user", content: [content] });
  });
});
