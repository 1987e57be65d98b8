/** Apps of other dialects through the whole product: a real server, gateway, sandbox and host in Chromium. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { GatewayRequests } from "@vitrine/wire";
import type { Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Site, serveSite } from "../../../testing/browser.js";
import type { GatewayPageApi } from "../../../testing/gateway/gateway-page.js";
import { GatewayStage, PROBE_SERVER } from "../../../testing/gateway/gateway-stage.js";

declare const host: GatewayPageApi;
/** Globals of the server's documents. */
declare const openai: Record<string, unknown> & {
  callTool(name: string, args?: object): Promise<{ result: string; structuredContent: unknown }>;
  sendFollowUpMessage(message: object): Promise<void>;
  setWidgetState(state: unknown): Promise<void>;
  requestDisplayMode(request: object): Promise<{ mode: string }>;
  requestModal(request: object): Promise<void>;
  requestClose(): Promise<void>;
  openExternal(link: object): Promise<void>;
  notifyIntrinsicHeight(height: unknown): Promise<void>;
  uploadFile(file: File): Promise<unknown>;
  getFileDownloadUrl(file: object): Promise<unknown>;
  setOpenInAppUrl(link: object): Promise<unknown>;
  requestCheckout(session: object): Promise<unknown>;
};
declare const seen: string[];
declare const told: unknown[];
declare const heard: { type: string; payload: { renderData: Record<string, unknown> } }[];
declare const act: (message: object) => Promise<{ type: string; payload: Record<string, unknown> }[]>;
declare const mode: Promise<{ mode: string }>;
declare const shown: Promise<void>;

const DOCS = readFileSync(new URL("../../../docs/views/dialects.md", import.meta.url), "utf8");
const SERVER = fileURLToPath(new URL("../../../testing/dialects/dialect-server.mjs", import.meta.url));

let stage: GatewayStage;
let site: Site;
let page: Page;
let count = 0;
/** The apps of the running test. */
const shownApps: string[] = [];
const newApp = (): string => {
  const id = `app${++count}`;
  shownApps.push(id);
  return id;
};

beforeAll(async () => {
  site = await serveSite({
    "/app": `<!doctype html><title>page</title><p>A page of the shop</p><script>
      const heard = [];
      addEventListener("message", ({ data }) => heard.push(data));
      parent.postMessage({ type: "ui-lifecycle-iframe-ready" }, "*");
      parent.postMessage({ type: "tool", messageId: "t", payload: { toolName: "refresh", params: { by: "page" } } }, "*");
    </script>`,
  });
  stage = await GatewayStage.open({
    mcpServers: {
      dialects: {
        command: process.execPath,
        args: [SERVER, `${site.origin("shop")}/app`],
        isolation: "process",
      },
      plain: { command: process.execPath, args: [PROBE_SERVER], isolation: "process" },
    },
  });
  page = await stage.openPage();
}, 120_000);
afterEach(async () => {
  for (const id of shownApps.splice(0)) await page.evaluate((each) => host.close(each), id);
});
afterAll(async () => {
  await stage?.close();
  await site?.close();
});

/** Opens a tool's app, which knows its result. */
async function open(tool: string, input = {}): Promise<{ view: Frame; id: string }> {
  const id = newApp();
  const view = await stage.open(page, id, "dialects", tool, input);
  return { view, id };
}

/** Calls a tool in a conversation, and shows the app that its result contains. */
async function openResult(
  tool: string,
  more: Partial<GatewayRequests["gateway/open"]["params"]> = {},
): Promise<{ view: Frame; id: string }> {
  const id = newApp();
  const opened = await page.evaluate(
    ([id, tool, more]) => host.openResult(id, { server: "dialects", tool, arguments: { of: tool } }, more),
    [id, tool, more] as const,
  );
  if (opened.problem) throw new Error(opened.problem.message);
  await page.evaluate((id) => host.log.until(`${id} ready`), id);
  return { view: await stage.viewOf(page, id), id };
}

const logged = (name: string): Promise<unknown[]> => page.evaluate((each) => host.log.values(each), name);
const last = async (name: string): Promise<unknown> => (await logged(name)).at(-1);
/** The error of a call that must be refused. */
const refused = (view: Frame, call: () => Promise<unknown>): Promise<string> =>
  view.evaluate(`(${call})().then(() => "no error", (error) => error.message)`);

/** The rows of a table of the document: the names in the first column, and what happens here. */
const rowsOf = (heading: string): { name: string; here: string }[] => {
  const [, table = ""] = DOCS.split(`| ${heading} | here | how |`);
  return table
    .split("\n\n", 1)
    .join("")
    .split("\n")
    .flatMap((line) => {
      const [, names = "", here = ""] = line.split("|").map((cell) => cell.trim());
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => ({ name, here }));
    });
};

describe("docs/views/dialects.md", () => {
  it("names the members of window.openai that exist, those that are refused, and no others", async () => {
    const { view } = await open("weather");
    const rows = rowsOf("member").filter(({ name }) => !name.startsWith("openai:"));
    const members = await view.evaluate(() =>
      Object.keys(openai).filter((name) => name !== "sendFollowupTurn"),
    );
    const documented = rows.filter(({ here }) => here !== "absent").map(({ name }) => name);
    expect(members.sort()).toEqual(documented.sort());
    const refusals = await view.evaluate(
      (names) =>
        Promise.all(
          names.map((name) =>
            (openai[name] as () => Promise<unknown>)().then(
              () => `${name}: no error`,
              ({ message }) => message,
            ),
          ),
        ),
      rows.filter(({ here }) => here === "refused").map(({ name }) => name),
    );
    expect(refusals).toHaveLength(4);
    for (const message of refusals) expect(message).toMatch(/^window\.openai\.\w+: this host /);
  });

  it("names the messages of mcp-ui that are answered, and those that are refused", async () => {
    const { view } = await openResult("cart");
    const rows = rowsOf("message of the document").filter(({ name }) => name !== "ui-lifecycle-iframe-ready");
    expect(rows.map(({ name }) => name)).toHaveLength(8);
    for (const { name, here } of rows) {
      const payload = {
        toolName: "refresh",
        prompt: "a",
        intent: "b",
        url: "https://a.example/",
        message: "c",
      };
      const answers = await view.evaluate(([type, payload]) => act({ type, payload }), [
        name,
        payload,
      ] as const);
      const isData = name === "ui-request-render-data";
      expect([name, answers[0]?.type]).toEqual([
        name,
        isData ? "ui-lifecycle-iframe-render-data" : "ui-message-received",
      ]);
      const { error } = answers.at(-1)?.payload ?? {};
      expect([name, error !== undefined]).toEqual([name, here === "refused"]);
    }
  });
});

describe("the ChatGPT Apps SDK", () => {
  it("T07: a widget gets input, output, metadata and surroundings", async () => {
    const { view, id } = await open("weather", { city: "Rome" });
    await expect
      .poll(() => view.evaluate(() => openai["toolOutput"]))
      .toEqual({ temperature: 21, city: "Rome" });
    expect(await view.locator("#now").textContent()).toBe("21");
    const globals = await view.evaluate(() => JSON.parse(JSON.stringify(openai)));
    expect(globals).toMatchObject({
      toolInput: { city: "Rome" },
      toolResponseMetadata: { station: "roof", "openai/widgetSessionId": expect.any(String) },
      widgetState: null,
      theme: expect.stringMatching(/^(light|dark)$/),
      displayMode: "inline",
      safeArea: { insets: { top: 0, right: 0, bottom: 0, left: 0 } },
      view: { mode: "inline", params: null },
      userAgent: { device: { type: "desktop" }, capabilities: { hover: expect.any(Boolean) } },
      locale: expect.any(String),
    });
    expect(await view.evaluate(() => seen)).toEqual(expect.arrayContaining(["toolInput", "toolOutput"]));
    await page.evaluate((id) => host.app(id).frame?.setContext({ theme: "dark" }), id);
    await expect.poll(() => view.evaluate(() => openai["theme"])).toBe("dark");
    expect(await view.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
  });

  it("T07: its metadata becomes the policy, the border and the callers of tools", async () => {
    const { id } = await open("weather");
    const place = await page.evaluate((id) => host.opened(id)?.place, id);
    expect(place).toMatchObject({
      csp: { connectDomains: ["https://api.example.com"], resourceDomains: ["https://cdn.example.com"] },
      dialects: ["apps-sdk"],
      prefersBorder: true,
    });
    expect(place?.policy).toContain("connect-src https://api.example.com;");
    const { tools } = await page.evaluate(() =>
      host.gateway.request("gateway/catalogue", { server: "dialects", for: "model" }),
    );
    expect(tools.map(({ name }) => name)).not.toContain("secret");
  });

  it("callTool: calls the server's tools that are for views, and no others", async () => {
    const { view } = await open("weather");
    expect(await view.evaluate(() => openai.callTool("refresh", { by: "hand" }))).toMatchObject({
      result: "fresh",
      structuredContent: { by: "hand", at: 2 },
      content: [{ type: "text", text: "fresh" }],
    });
    expect(await view.evaluate(() => told)).toEqual([{ name: "refresh", args: { by: "hand" } }]);
    expect(await view.evaluate(() => openai.callTool("fails"))).toMatchObject({ isError: true });
    expect(await view.evaluate(() => openai.callTool("secret"))).toMatchObject({ result: "only for views" });
    expect(await refused(view, () => openai.callTool("forecast"))).toContain('its visibility lacks "app"');
    // A tool with a template is not for views unless it says so.
    expect(await refused(view, () => openai.callTool("weather"))).toContain('its visibility lacks "app"');
    expect(await refused(view, () => openai.callTool("unknown"))).toContain('lists no tool "unknown"');
    const rows = await stage.rows({ decision: "refused" });
    expect(rows.map(({ target }) => target)).toEqual(
      expect.arrayContaining(["forecast", "weather", "unknown"]),
    );
  });

  it("sendFollowUpMessage, openExternal: ask the user, and report a refusal", async () => {
    const { view, id } = await open("weather");
    // Another test may have approved for the session.
    await stage.gateway.api.consents.revoke({ user: "local" }, { server: "dialects" });
    const answerWith = (answer: "allow" | "deny") =>
      page.evaluate((each) => host.answerWith({ answer: each, remember: "once" }), answer);
    try {
      await answerWith("deny");
      const link = () => openai.openExternal({ href: "https://no.example.com/" });
      expect(await refused(view, link)).not.toBe("no error");
      const message = () => openai.sendFollowUpMessage({ prompt: "no" });
      expect(await refused(view, message)).not.toBe("no error");
      await answerWith("allow");
      await view.evaluate(() =>
        openai.sendFollowUpMessage({ prompt: "And tomorrow?", scrollToBottom: false }),
      );
      const content = [{ type: "text", text: "And tomorrow?" }];
      expect(await last("message")).toMatchObject({ id, role: "user", content, server: "dialects" });
      await view.evaluate(() => openai.openExternal({ href: "https://example.com/a", redirectUrl: false }));
      expect(await last("open-link")).toMatchObject({ id, url: "https://example.com/a" });
    } finally {
      await page.evaluate(() => host.answerWith({ answer: "allow", remember: "session" }));
    }
    const script = await refused(view, () => openai.openExternal({ href: "javascript:alert(1)" }));
    expect(script).toContain("a link must begin with");
    expect(JSON.stringify(await logged("open-link"))).not.toContain("no.example.com");
    expect(JSON.stringify(await logged("message"))).not.toContain('"no"');
  });

  it("setWidgetState: is kept for the view, and the model sees its part", async () => {
    const { view, id } = await open("weather");
    const state = { modelContent: { city: "Oslo" }, privateContent: { key: "k" }, imageIds: [] };
    await view.evaluate((each) => openai.setWidgetState(each), state);
    expect(await view.evaluate(() => openai["widgetState"])).toEqual(state);
    expect(await last("model-context")).toMatchObject({ id, structuredContent: { city: "Oslo" } });
    expect(JSON.stringify(await logged("model-context"))).not.toContain("privateContent");
    await view.evaluate(() => openai.setWidgetState("plain words"));
    expect(await last("model-context")).toMatchObject({ content: [{ type: "text", text: "plain words" }] });
    await view.evaluate((each) => openai.setWidgetState(each), state);
    // The next document of the same view.
    await page.evaluate(async (id) => {
      const app = host.app(id);
      app.frame?.unmount();
      await app.frame?.mount();
    }, id);
    await expect
      .poll(async () => (await stage.viewOf(page, id)).evaluate(() => openai["widgetState"]))
      .toEqual(state);
    const again = await stage.viewOf(page, id);
    await expect.poll(() => again.evaluate(() => openai["toolOutput"])).toMatchObject({ temperature: 21 });
  });

  it("requestDisplayMode, requestModal: change the mode after a press, and back", async () => {
    const { view } = await open("weather");
    expect(await refused(view, () => openai.requestModal({ template: "ui://other" }))).toContain(
      "current template",
    );
    await view.locator("#open").click();
    expect(await view.evaluate(() => mode)).toEqual({ mode: "fullscreen" });
    await expect.poll(() => view.evaluate(() => openai["displayMode"])).toBe("fullscreen");
    expect(await view.evaluate(() => openai["view"])).toEqual({ mode: "fullscreen", params: null });
    expect(await view.evaluate(() => openai.requestDisplayMode({ mode: "inline" }))).toEqual({
      mode: "inline",
    });
    await view.locator("#modal").click();
    await view.evaluate(() => shown);
    expect(await view.evaluate(() => openai["view"])).toEqual({ mode: "modal", params: { id: 7 } });
    await view.evaluate(() => openai.requestClose());
    await expect.poll(() => view.evaluate(() => openai["view"])).toEqual({ mode: "inline", params: null });
  });

  it("requestClose: tells the host", async () => {
    const { view, id } = await open("weather");
    await page.evaluate(
      (id) => host.app(id).bridge?.on("teardown-requested", () => host.log.add("close", { id })),
      id,
    );
    await view.evaluate(() => openai.requestClose());
    await expect.poll(() => last("close")).toEqual({ id });
  });

  it("notifyIntrinsicHeight: sizes the frame, which is measured otherwise", async () => {
    const { view, id } = await open("weather");
    const height = () => page.evaluate((id) => host.app(id).getBoundingClientRect().height, id);
    await expect.poll(height).toBeGreaterThan(321);
    await view.evaluate(() => openai.notifyIntrinsicHeight(123));
    await expect.poll(height).toBeLessThan(200);
    await view.evaluate(() => openai.notifyIntrinsicHeight({ height: 456 }));
    await expect.poll(height).toBeGreaterThan(456);
    expect(await refused(view, () => openai.notifyIntrinsicHeight("tall"))).toContain("not a number");
  });

  it("files, payments and other places: are refused with the reason", async () => {
    const { view } = await open("weather");
    const file = await refused(view, () => openai.uploadFile(new File(["a"], "a.txt")));
    expect(file).toBe("window.openai.uploadFile: this host stores no files for apps");
    expect(await refused(view, () => openai.getFileDownloadUrl({ fileId: "1" }))).toContain(
      "stores no files",
    );
    expect(await refused(view, () => openai.setOpenInAppUrl({ href: "https://a.example" }))).toContain(
      "no button",
    );
    expect(await refused(view, () => openai.requestCheckout({}))).toContain("no payments");
    // Apps find out by its absence.
    expect(await view.evaluate(() => "selectFiles" in openai)).toBe(false);
  });

  it("an app that shakes hands itself does so alone, and still has window.openai", async () => {
    const { view, id } = await open("both");
    expect(await view.evaluate(() => openai.callTool("refresh", {}))).toMatchObject({ result: "fresh" });
    await expect.poll(() => view.evaluate(() => openai["toolOutput"])).toEqual({ text: "both" });
    // It declares no fullscreen.
    expect(await refused(view, () => openai.requestModal({ params: {} }))).toContain(
      "this host did not open it",
    );
    const methods = await view.evaluate(() => (heard as unknown[]).map(String));
    expect(methods.filter((each) => each === "1" || each.endsWith("tool-input"))).toEqual([
      "1",
      "ui/notifications/tool-input",
    ]);
    expect(await page.evaluate((id) => host.app(id).bridge?.app?.appInfo.name, id)).toBe("both");
    expect((await logged("odd")).filter((odd) => Object(odd).id === id)).toEqual([]);
  });

  it("attack: an app that replaces window.openai, or posts by itself, gets nothing more", async () => {
    const { view, id } = await open("weather");
    const answers = await view.evaluate(async () => {
      const ask = (method: string, params: object): Promise<unknown> =>
        new Promise((resolve) => {
          const own = `dialect-${Math.random()}`;
          addEventListener("message", ({ data }) => data?.id === own && resolve(data.error ?? data.result));
          parent.postMessage({ jsonrpc: "2.0", id: own, method, params }, "*");
        });
      Object.assign(window, { openai: { callTool: () => "mine" } });
      return Promise.all([
        ask("tools/call", { name: "forecast" }),
        ask("resources/read", { uri: "file:///etc/passwd" }),
        ask("ui/open-link", { url: "javascript:alert(1)" }),
        ask("roots/list", {}),
      ]);
    });
    expect(answers).toMatchObject([
      { message: expect.stringContaining("visibility") },
      { message: expect.stringContaining("does not name this resource") },
      { message: expect.stringContaining("a link must begin with") },
      { code: -32601 },
    ]);
    // Messages of others are none of the host's, and reserved ones are dropped.
    await view.evaluate(() => {
      const message = {
        jsonrpc: "2.0",
        method: "ui/notifications/tool-result",
        params: { structuredContent: "x" },
      };
      postMessage(message, "*");
      parent.postMessage(
        { jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params: {} },
        "*",
      );
    });
    await expect
      .poll(async () => (await logged("report")).filter((each) => Object(each).id === id))
      .toContainEqual(expect.objectContaining({ code: "reserved" }));
    expect(await view.evaluate(() => fetch("https://other.example.com/").then(String, String))).toContain(
      "TypeError",
    );
    expect(await view.evaluate(() => document.querySelectorAll("script[data-dialects]").length)).toBe(0);
  });

  it("every document has it when the imitated host does", async () => {
    const id = newApp();
    const opened = await page.evaluate(
      ([id]) => host.open(id, { server: "plain", tool: "probe", arguments: {}, dialects: ["apps-sdk"] }),
      [id] as const,
    );
    expect(opened.place?.dialects).toEqual(["apps-sdk"]);
    await page.evaluate((id) => host.log.until(`${id} ready`), id);
    const view = await stage.viewOf(page, id);
    await expect.poll(() => view.evaluate(() => typeof openai)).toBe("object");
    const other = newApp();
    const plain = await page.evaluate(
      ([id]) => host.open(id, { server: "plain", tool: "probe", arguments: {} }),
      [other] as const,
    );
    expect(plain.place?.dialects).toBeUndefined();
  });
});

describe("mcp-ui", () => {
  it("T07: a document in a result is shown, with its render data", async () => {
    const { view, id } = await openResult("cart");
    await expect
      .poll(() => view.evaluate(() => heard.at(-1)?.payload.renderData))
      .toMatchObject({
        currency: "EUR",
        toolInput: { of: "cart" },
        toolOutput: { content: [{ type: "text", text: "here" }, { type: "resource" }] },
        displayMode: "inline",
        locale: expect.any(String),
      });
    const [asked] = await view.evaluate(() => act({ type: "ui-request-render-data" }));
    expect(asked).toMatchObject({ type: "ui-lifecycle-iframe-render-data" });
    await expect
      .poll(() => page.evaluate((id) => host.app(id).getBoundingClientRect().height, id))
      .toBeGreaterThan(222);
  });

  it("actions: are MCP Apps to the host, and answered by their messageId", async () => {
    const { view, id } = await openResult("cart");
    const [received, response] = await view.evaluate(() =>
      act({ type: "tool", payload: { toolName: "refresh", params: { by: "cart" } } }),
    );
    expect(received?.type).toBe("ui-message-received");
    expect(response).toMatchObject({
      type: "ui-message-response",
      payload: { response: { structuredContent: { by: "cart", at: 2 } } },
    });
    const refusal = await view.evaluate(() => act({ type: "tool", payload: { toolName: "forecast" } }));
    expect(refusal[1]).toMatchObject({
      payload: { error: { message: expect.stringContaining("visibility") } },
    });
    await view.evaluate(() => act({ type: "prompt", payload: { prompt: "What else?" } }));
    expect(await last("message")).toMatchObject({
      id,
      role: "user",
      content: [{ type: "text", text: "What else?" }],
    });
    await view.evaluate(() => act({ type: "intent", payload: { intent: "buy", params: { n: 2 } } }));
    expect(await last("message")).toMatchObject({ content: [{ type: "text", text: 'buy {"n":2}' }] });
    await view.evaluate(() => act({ type: "link", payload: { url: "https://shop.example.com/" } }));
    expect(await last("open-link")).toMatchObject({ id, url: "https://shop.example.com/" });
    const script = await view.evaluate(() => act({ type: "link", payload: { url: "javascript:alert(1)" } }));
    expect(script[1]).toMatchObject({
      payload: { error: { message: expect.stringContaining("a link must begin with") } },
    });
    await view.evaluate(() => act({ type: "notify", payload: { message: "cart-updated" } }));
    await expect.poll(() => last("log")).toMatchObject({ id, level: "info", data: "cart-updated" });
    const data = await view.evaluate(() =>
      act({ type: "ui-request-data", payload: { requestType: "cards" } }),
    );
    expect(data[1]).toMatchObject({
      payload: { error: { message: "this host has no data of the type cards" } },
    });
    await view.evaluate(() => act({ type: "ui-size-change", payload: { height: 99 } }));
    await expect
      .poll(() => page.evaluate((id) => host.app(id).getBoundingClientRect().height, id))
      .toBeLessThan(150);
  });

  it("a document that never speaks is a static page", async () => {
    const { view, id } = await openResult("static");
    expect(await view.locator("h1").textContent()).toBe("Open all day");
    expect(await page.evaluate((id) => host.app(id).state, id)).toBe("ready");
  });

  it("text/uri-list: its page is shown in a frame, and acts like a document", async () => {
    const { view } = await openResult("page");
    await expect.poll(() => view.childFrames()[0]?.url()).toBe(`${site.origin("shop")}/app`);
    const [inner] = view.childFrames();
    await expect
      .poll(() => inner?.evaluate(() => heard.map(({ type }) => type)))
      .toEqual(expect.arrayContaining(["ui-lifecycle-iframe-render-data", "ui-message-response"]));
    expect(
      await inner?.evaluate(() => heard.find(({ type }) => type === "ui-message-response")),
    ).toMatchObject({
      payload: { response: { structuredContent: { by: "page", at: 2 } } },
    });
  });

  it("text/uri-list: a policy without frames shows a link to it instead", async () => {
    const { view, id } = await openResult("page", { narrow: ["frame-domains"] });
    const button = view.getByRole("button", { name: /^Open shop/ });
    await button.click();
    await expect.poll(() => last("open-link")).toMatchObject({ id, url: `${site.origin("shop")}/app` });
    expect(view.childFrames()).toEqual([]);
  });

  it("remote DOM is no HTML: the result stays as it is", async () => {
    await expect(openResult("dom")).rejects.toThrow('the tool "dom" has no UI');
  });
});
