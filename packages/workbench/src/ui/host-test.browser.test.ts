/**
 * The host test interface, as an external test suite uses it: it queries nothing in our page, and clicks
 * only in the apps.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningGateway } from "@vitrine/gateway";
import { STYLE_VARIABLES } from "@vitrine/protocol";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LIMIT, sharedChromium } from "../../../../testing/browser.ts";
import { officialServer, PROBE_SERVER, startTestGateway } from "../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench } from "../../../../testing/gateway/workbench-page.ts";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
} from "../../../../testing/model/scripted-model.ts";
import type { ConversationMessage, HostTestApi } from "../model/host-test/host-test-api.ts";

declare const __mcpAppsHost: HostTestApi;

let folder: string;
let model: ScriptedModel;
let browser: Browser;
let gateway: RunningGateway;
let log: string[];
let page: Page;

const settings = (): Record<string, unknown> => ({
  mcpServers: {
    ...Object.fromEntries(
      ["debug", "basic-vanillajs", "budget-allocator"].map((name) => [
        name,
        {
          command: process.execPath,
          args: [officialServer(name), "--stdio", `--log-file=${join(folder, "server.log")}`],
          // None of them marks its tools as read-only. The debugger server records every event with one of
          // them.
          policy: { [name === "debug" ? "tools/call:debug-log" : "tools/call"]: "allow" },
        },
      ]),
    ),
    probe: { command: process.execPath, args: [PROBE_SERVER] },
  },
  model: { use: "local/scripted", providers: { local: { url: model.url, models: ["scripted"] } } },
});

/** A separate gateway, and its page. */
async function open(name: string, testMode: boolean) {
  const started = await startTestGateway(settings(), join(folder, name), builtWorkbench(), { testMode });
  const context = await browser.newContext();
  context.setDefaultTimeout(LIMIT);
  const opened = await context.newPage();
  await opened.goto(`${started.gateway.loginUrl()}#inspect`);
  return { ...started, page: opened };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-host-test-"));
  model = await startScriptedModel();
  browser = await sharedChromium();
  ({ gateway, log, page } = await open("driven", true));
  await page.waitForFunction(() => "__mcpAppsHost" in globalThis);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await page.evaluate(() => __mcpAppsHost.resetEnvironment());
  expect(model.unscripted).toEqual([]);
});

const conversation = () => page.evaluate(() => __mcpAppsHost.getConversation());
const context = () => page.evaluate(() => __mcpAppsHost.getConversationContext());
const send = (text: string) => page.evaluate((said) => __mcpAppsHost.sendMessage(said), text);
const confirm = (method: string, answer?: "allow" | "deny") =>
  page.evaluate(([which, said]) => __mcpAppsHost.confirmAction(said ?? "allow", { method: which }), [
    method,
    answer,
  ] as const);
const call = (name: string, input?: Record<string, unknown>) =>
  page.evaluate(([tool, given]) => __mcpAppsHost.callTool(tool, given), [name, input] as const);
const words = ({ content }: Pick<ConversationMessage, "content">): string =>
  content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");

/** Shows the app of a test suite; returns its frame, the state of its element, and its view. */
async function display(suite: string, input?: Record<string, unknown>) {
  const handle = await page.evaluateHandle(([name, given]) => __mcpAppsHost.displayTestApp(name, given), [
    suite,
    input,
  ] as const);
  const sandbox = await handle.evaluate((frame) => [...frame.sandbox]);
  const outer = await handle.contentFrame();
  let view: Frame | undefined;
  await expect.poll(() => (view = outer?.childFrames()[0])).toBeTruthy();
  if (!view) throw new Error("no view");
  return { handle, sandbox, view };
}

describe("displayTestApp", () => {
  it("S01, S02: gives the live frame: sandboxed, at an origin of its own, and it can be clicked in", async () => {
    const { handle, sandbox, view } = await display("basic-vanillajs");
    expect(sandbox.sort()).toEqual(["allow-forms", "allow-same-origin", "allow-scripts"]);
    const src = await handle.evaluate((frame) => frame.src);
    expect(new URL(src).origin).not.toBe(gateway.origin);
    await view.getByText(/\d{4}-\d\d-\d\dT/).waitFor();
    const before = (await gateway.api.audit.query({ user: "local" }, {})).length;
    await view.getByRole("button", { name: "Get Server Time" }).click();
    await expect
      .poll(async () => (await gateway.api.audit.query({ user: "local" }, {})).length)
      .toBeGreaterThan(before);
    expect(await conversation()).toMatchObject([
      { role: "tool", state: "done", call: { server: "basic-vanillajs", name: "get-time", by: "person" } },
    ]);
  });

  it("takes a tool's name and arguments; another call starts over", async () => {
    await display("basic-vanillajs/get-time");
    await display("debug-tool", { contentType: "text", delayMs: 0 });
    await expect
      .poll(conversation)
      .toMatchObject([{ call: { name: "debug-tool", arguments: { contentType: "text" } }, state: "done" }]);
  });

  it("lists the existing apps, when there is none of that name", async () => {
    await expect(display("nothing")).rejects.toThrow(
      /no app "nothing"; there are: .*basic-vanillajs\/get-time/,
    );
    // A model cannot show an app-only tool.
    await expect(display("debug-refresh")).rejects.toThrow(/no app "debug-refresh"/);
  });
});

describe("the model's input", () => {
  it("C02: has the tools that are for the model, as it is offered them, and no others", async () => {
    await display("debug");
    const { tools, system } = await context();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["debug-tool", "get-time", "get-budget-data"]));
    expect(names.filter((name) => /refresh|debug-log/.test(name))).toEqual([]);
    model.add(say("Yes."));
    await send("Are you there?");
    const asked = model.requests.at(-1)?.body;
    expect(asked?.tools?.map((tool) => tool.function.name)).toEqual(tools.map(({ offeredAs }) => offeredAs));
    expect(JSON.stringify(asked?.messages[0])).toContain(JSON.stringify(system).slice(1, 200));
  });

  it("I06: has an app's model context, before the next turn and in it; the last update counts", async () => {
    const { view } = await display("debug");
    const told = async () => JSON.stringify((await context()).messages);
    await view.locator("#context-text").fill("The first word");
    await view.locator("#update-context-text-btn").click();
    await expect.poll(told).toContain("The first word");
    await view.locator("#context-text").fill("The last word");
    await view.locator("#update-context-text-btn").click();
    await expect.poll(told).toContain("The last word");
    expect(await told()).not.toContain("The first word");
    model.add(say("I know."));
    await send("What is new?");
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("The last word");
    expect(await told()).toMatch(/The last word.*What is new\?.*I know\./);
    expect((await conversation()).map(words)).toEqual(expect.arrayContaining(["What is new?", "I know."]));
  });

  it("A01: has the tools of an app while it is open", async () => {
    await display("budget-allocator");
    const ofApps = async () => (await context()).tools.filter(({ app }) => app).map(({ name }) => name);
    await expect.poll(ofApps).not.toEqual([]);
    await page.evaluate(() => __mcpAppsHost.resetEnvironment());
    expect(await ofApps()).toEqual([]);
  });
});

describe("requests of an app to the user", () => {
  it("I05: a message is sent when it is allowed, and the model answers it", async () => {
    const { view } = await display("debug");
    model.add(say("I heard the app."));
    await view.locator("#message-text").fill("Hello, model");
    await view.locator("#send-message-text-btn").click();
    expect(await confirm("ui/message")).toMatchObject({ method: "ui/message", server: "debug" });
    await expect.poll(async () => (await conversation()).map(words)).toContain("I heard the app.");
    const said = (await conversation()).find((message) => words(message) === "Hello, model");
    expect(said).toMatchObject({ role: "user", from: { server: "debug" } });
  });

  it("I05: a message that is denied is not sent", async () => {
    const { view } = await display("debug");
    await view.locator("#message-text").fill("Never said");
    await view.locator("#send-message-text-btn").click();
    await confirm("ui/message", "deny");
    await expect.poll(() => view.locator("#event-log").textContent()).toMatch(/error|denied|-32/i);
    expect(JSON.stringify([await conversation(), await context()])).not.toContain("Never said");
  });

  it("I04: a link is opened when it is allowed", async () => {
    const { view } = await display("debug");
    await page.context().route("https://example.org/**", (route) => route.fulfill({ body: "there" }));
    await view.locator("#link-url").fill("https://example.org/where");
    await view.locator("#open-link-btn").click();
    const [tab, asked] = await Promise.all([page.context().waitForEvent("page"), confirm("ui/open-link")]);
    expect(asked.params).toMatchObject({ url: "https://example.org/where" });
    await tab.waitForURL("https://example.org/where");
    await tab.close();
  });
});

describe("as the user, and as the model", () => {
  it("sendMessage returns at a question, and the turn continues with its answer", async () => {
    model.add(callTool("debug__debug-tool", {}), say("There is the debugger."));
    await send("Debug.");
    expect(await confirm("tools/call")).toMatchObject({ server: "debug", params: { name: "debug-tool" } });
    await expect.poll(async () => (await conversation()).map(words)).toContain("There is the debugger.");
    expect(await conversation()).toContainEqual(
      expect.objectContaining({
        role: "tool",
        state: "done",
        call: expect.objectContaining({ by: "model", name: "debug-tool" }),
      }),
    );
  });

  it("callTool acts as the model: its entry, its policy, its arguments, and the model's history", async () => {
    expect(words(await call("get-time"))).toMatch(/\d{4}-\d\d-\d\dT/);
    expect(await conversation()).toMatchObject([{ role: "tool", call: { by: "model", name: "get-time" } }]);
    const { messages } = await context();
    expect(messages).toMatchObject([
      { role: "assistant", content: [{ type: "call", name: "basic-vanillajs__get-time" }] },
      { role: "tool", content: [{ type: "result", isError: false }] },
    ]);
    // The user has not decided about this one.
    const asked = call("debug__debug-tool", {});
    await confirm("tools/call", "deny");
    await expect(asked).rejects.toThrow(/has no result/);
    await expect(call("debug-tool", { contentType: 5 })).rejects.toThrow(/contentType/);
    // C02: it is only for apps.
    await expect(call("debug-refresh")).rejects.toThrow(/offered no tool "debug-refresh"/);
  });

  it("A01, A06: callTool reaches a tool of an app, when the user approves", async () => {
    await display("budget-allocator");
    const ofApp = async () => (await context()).tools.find(({ name }) => name === "set-total-budget")?.app;
    await expect.poll(ofApp).toMatchObject({ server: "budget-allocator" });
    const denied = call("set-total-budget", { amount: 654_321 });
    await confirm("tools/call", "deny");
    await expect(denied).rejects.toThrow(/has no result: .*user declined/);
    const done = call("set-total-budget", { amount: 123_456 });
    expect(await confirm("tools/call")).toMatchObject({ params: { arguments: { amount: 123_456 } } });
    await done;
    const asked = call("get-allocations");
    await confirm("tools/call");
    expect(words(await asked)).toContain("123456");
    expect((await conversation()).at(-1)).toMatchObject({ call: { app: { server: "budget-allocator" } } });
  });
});

describe("the environment", () => {
  it("X01, X02: changeHostContext reaches open and new apps", async () => {
    const { view } = await display("debug");
    const told = () => view.locator("#host-context-info").textContent();
    await page.evaluate(() => __mcpAppsHost.changeHostContext({ theme: "dark", locale: "pt-PT" }));
    await expect.poll(told).toMatch(/dark.*pt-PT/s);
    const { view: next } = await display("debug");
    await expect.poll(() => next.locator("#host-context-info").textContent()).toMatch(/dark.*pt-PT/s);
  });

  it("X01, X03: an app gets the page's style variables and fonts, and follows the theme with them", async () => {
    const { view } = await display("probe/probe");
    const read = async (id: string) => JSON.parse((await view.locator(id).textContent()) || "{}");
    const { styles } = await read("#context");
    expect(Object.keys(styles.variables)).toHaveLength(STYLE_VARIABLES.length);
    expect(styles.variables).toMatchObject({ "--color-background-primary": "light-dark(#ffffff, #141517)" });
    expect(await read("#computed")).toMatchObject({
      color: "rgb(27, 29, 33)",
      backgroundColor: "rgb(255, 255, 255)",
      fontWeight: "700",
      fontSize: "18px",
    });
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect((await read("#computed")).backgroundColor).toBe(background);
    // Its fonts are those of the machine: they load under the app's own policy, which allows no fonts.
    const loaded = await view.evaluate(async () => {
      const faces = await document.fonts.load('16px "Vitrine Sans"');
      return faces.map(({ family, status }) => [family.replaceAll('"', ""), status]);
    });
    expect(loaded).toEqual([["Vitrine Sans", "loaded"]]);
    await page.evaluate(() => __mcpAppsHost.changeHostContext({ theme: "dark" }));
    await expect
      .poll(() => read("#computed"))
      .toMatchObject({ color: "rgb(231, 232, 234)", backgroundColor: "rgb(20, 21, 23)" });
  });

  it("S12: the policy of every view is in the audit log, in the gateway's log and in the browser's console", async () => {
    const lines: string[] = [];
    page.on("console", (message) => lines.push(message.text()));
    await display("probe/probe");
    const policy = /Policy of ui:\/\/probe\/probe: default-src 'none'/;
    await expect.poll(() => lines.filter((line) => policy.test(line)).length).toBe(1);
    const rows = await gateway.api.audit.query({ user: "local" }, { newestFirst: true });
    expect(
      rows.find(({ method, target }) => method === "gateway/policy" && target === "ui://probe/probe"),
    ).toMatchObject({
      server: "probe",
      params: expect.stringContaining("default-src 'none'"),
    });
    expect(log.join("")).toContain("view policy");
  });

  it("changeHostContext refuses fields that this host cannot change", async () => {
    const change = page.evaluate(() => __mcpAppsHost.changeHostContext({ styles: {} } as never));
    await expect(change).rejects.toThrow(/cannot change styles, but: theme, displayMode/);
  });

  it("I07: changeHostContext puts no app into a mode that it does not declare", async () => {
    // It declares no modes, and therefore supports all of them.
    await display("probe/probe");
    const change = (wanted: object) =>
      page.evaluate(
        (context) =>
          __mcpAppsHost.changeHostContext(context).then(
            () => "changed",
            ({ code, message }) => `${code}: ${message}`,
          ),
        wanted,
      );
    expect(await change({ displayMode: "fullscreen" })).toBe("changed");
    await expect.poll(() => page.locator("mcp-app dialog:modal").count()).toBe(1);
    expect(await change({ displayMode: "inline" })).toBe("changed");
    const { view } = await display("inline-only");
    expect(await change({ displayMode: "fullscreen", locale: "pt-PT" })).toMatch(
      /^unsupported: .*is not shown in fullscreen.* have inline in common/,
    );
    expect(await page.locator("mcp-app dialog:modal").count()).toBe(0);
    expect(await change({ theme: 5 })).toMatch(/^invalid: theme must be/);
    expect(await change({ containerDimensions: { height: -5 } })).toMatch(
      /^invalid: containerDimensions.height/,
    );
    const told = JSON.parse((await view.locator("#context").textContent()) ?? "{}");
    expect(told).toMatchObject({ displayMode: "inline", locale: "en-US" });
  });

  it("resetEnvironment removes all earlier state", async () => {
    const { handle, view } = await display("debug");
    await page.evaluate(() => __mcpAppsHost.changeHostContext({ locale: "pt-PT" }));
    await view.locator("#send-message-text-btn").click();
    await page.evaluate(() => __mcpAppsHost.resetEnvironment());
    expect(await handle.evaluate((frame) => frame.isConnected)).toBe(false);
    expect(await conversation()).toEqual([]);
    expect(await context()).toMatchObject({ messages: [] });
    const { view: next } = await display("debug");
    await next.locator("#host-context-info").getByText("theme", { exact: false }).first().waitFor();
    expect(await next.locator("#host-context-info").textContent()).not.toContain("pt-PT");
    // No question is pending: the earlier one was denied.
    const waiting = page.evaluate(() =>
      Promise.race([
        __mcpAppsHost.confirmAction("deny", { method: "ui/message" }).then(({ method }) => method),
        new Promise((resolve) => setTimeout(() => resolve("nothing"), 1000)),
      ]),
    );
    expect(await waiting).toBe("nothing");
  });

  it("is reported in the log", () => {
    expect(log.join("")).toContain("test mode: any program in the page can answer questions on your behalf");
  });
});

it("does not exist without test mode, whatever the URL contains", async () => {
  const plain = await open("plain", false);
  try {
    const scripts: string[] = [];
    plain.page.on("request", (request) => scripts.push(request.url()));
    await plain.page.goto(`${plain.gateway.origin}/?test-mode=1&testMode=true#test-mode`);
    await plain.page.getByText("Get Time").first().waitFor();
    expect(await plain.page.evaluate(() => "__mcpAppsHost" in globalThis)).toBe(false);
    expect(scripts.filter((url) => url.includes("host-test"))).toEqual([]);
    expect(plain.log.join("")).not.toContain("test mode");
  } finally {
    await plain.page.context().close();
    await plain.gateway.close();
  }
});
