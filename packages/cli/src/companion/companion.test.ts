/** The companion on a real gateway, with official servers and official clients, over HTTP. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AgentOptions,
  CompanionStage,
  TOKEN,
  textsOf,
} from "../../../../testing/cli/companion-stage.ts";

let stage: CompanionStage;
beforeAll(async () => {
  stage = await CompanionStage.open();
});
afterAll(() => stage?.close());

/** Tools and resources as an agent sees them; the SDK's older client sees the same. */
type Lists = Pick<
  Client,
  "listTools" | "listResources" | "readResource" | "callTool" | "listPrompts" | "getPrompt"
>;

const AGENTS: [string, (options?: AgentOptions) => Promise<Lists>][] = [
  ["the client of 2026", (options) => stage.agent({ ...options, generation: "2026" })],
  ["the client of 2026 as of 2025", (options) => stage.agent({ ...options, generation: "2025" })],
  ["the first client", (options) => stage.oldAgent(options) as unknown as Promise<Lists>],
];

const metaOf = (tools: { name: string; _meta?: unknown }[], name: string): unknown =>
  tools.find((tool) => tool.name === name)?._meta;

describe.each(AGENTS)("for an agent without views, %s", (_name, connect) => {
  it("lists the tools for the model, each once, without UI metadata (C02)", async () => {
    const agent = await connect();
    const { tools } = await agent.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["app_context", "clock__get-time", "shop__look", "lab__slow"]),
    );
    expect(names.filter((name) => name.startsWith("budget__")).length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => /^[\w-]{1,64}$/.test(name))).toBe(true);
    expect(names.some((name) => name.includes("inner"))).toBe(false);
    expect(JSON.stringify(tools)).not.toContain("resourceUri");
    const { resources } = await agent.listResources();
    expect(resources.some(({ uri }) => uri.startsWith("ui://"))).toBe(false);
    expect(resources.map(({ uri }) => uri)).toContain("vitrine://servers/shop/note%3A%2F%2F1");
  });

  it("answers with text, and tells where the app is", async () => {
    const agent = await connect();
    const [said, shown] = textsOf(await agent.callTool({ name: "clock__get-time", arguments: {} }));
    expect(said).toMatch(/\d{4}-\d\d-\d\d/);
    expect(shown).toMatch(
      /^App \d+ \(".+" of the server "clock"\) is ready, .*http:\/\/127\.0\.0\.1:\d+\/login\?code=\S+ \(the link works once\)/,
    );
    const [budget] = textsOf(await agent.callTool({ name: "budget__get-budget-data", arguments: {} }));
    expect(budget).toContain("Budget");
  });

  it("passes on prompts under unique names, and their links lead here", async () => {
    const agent = await connect();
    const { prompts } = await agent.listPrompts();
    const names = prompts.map(({ name }) => name);
    expect(names).toEqual(["shop__greet", expect.stringMatching(/^shop_two__greet_[0-9a-f]{8}$/)]);
    const { messages } = await agent.getPrompt({ name: "shop__greet", arguments: { who: "Ada" } });
    expect(messages.map(({ content }) => content)).toMatchObject([
      { type: "text", text: "Greet Ada" },
      { type: "resource_link", uri: "vitrine://servers/shop/note%3A%2F%2F1" },
    ]);
    await expect(agent.getPrompt({ name: "greet" })).rejects.toThrow(/there is no prompt "greet": list/);
  });

  it("refuses app-only tools as unknown", async () => {
    const agent = await connect();
    await expect(agent.callTool({ name: "shop__inner", arguments: {} })).rejects.toThrow(/there is no tool/);
    await expect(agent.callTool({ name: "look", arguments: {} })).rejects.toThrow(/there is no tool/);
    await expect(agent.callTool({ name: "app_7__x", arguments: {} })).rejects.toThrow(/is closed/);
  });
});

describe.each(AGENTS)("for an agent that shows views, %s", (_name, connect) => {
  it("lists all tools with their views under unique addresses, under both keys (R06)", async () => {
    const agent = await connect({ hasViews: true });
    const { tools } = await agent.listTools();
    const cart = (server: string) => ({
      ui: { resourceUri: `ui://${server}/shop/cart.html` },
      "ui/resourceUri": `ui://${server}/shop/cart.html`,
    });
    const second = tools.find(({ name }) => name.startsWith("shop_two__show_"))?.name ?? "";
    expect(metaOf(tools, "shop__show")).toMatchObject(cart("shop"));
    expect(metaOf(tools, second)).toMatchObject(cart("shop.two"));
    expect(metaOf(tools, "shop__inner")).toEqual({ ui: { visibility: ["app"] } });
  });

  it("reads every view at the address that its tool names, with its metadata", async () => {
    const agent = await connect({ hasViews: true });
    for (const [server, title] of [
      ["shop", "Cart of shop"],
      ["shop.two", "Cart of shop.two"],
    ]) {
      const uri = `ui://${server}/shop/cart.html`;
      const { contents } = await agent.readResource({ uri });
      expect(contents).toMatchObject([
        {
          uri,
          mimeType: "text/html;profile=mcp-app",
          text: expect.stringContaining(`<title>${title}</title>`),
          _meta: { ui: { prefersBorder: true } },
        },
      ]);
    }
    const { tools } = await agent.listTools();
    const { ui } = metaOf(tools, "clock__get-time") as { ui: { resourceUri: string } };
    const { contents } = await agent.readResource({ uri: ui.resourceUri });
    expect(contents).toMatchObject([
      { uri: ui.resourceUri, text: expect.stringMatching(/<!doctype html>/i) },
    ]);
  });

  it("lets apps call their tools, also by the names that they have on their own server (C03)", async () => {
    const agent = await connect({ hasViews: true });
    const { tools } = await agent.listTools();
    expect(metaOf(tools, "get-time")).toMatchObject({ ui: { visibility: ["app"] } });
    // Two servers have it, so the name is ambiguous.
    expect(tools.some(({ name }) => name === "look")).toBe(false);
    const [inner] = textsOf(await agent.callTool({ name: "shop__inner", arguments: { a: 1 } }));
    expect(JSON.parse(inner ?? "")).toMatchObject({ name: "inner", got: { a: 1 } });
    expect(textsOf(await agent.callTool({ name: "get-time", arguments: {} }))[0]).toMatch(/\d{4}-\d\d-\d\d/);
  });

  it("leaves the app to the client: no browser is mentioned", async () => {
    const agent = await connect({ hasViews: true });
    const before = stage.host.apps.length;
    const texts = textsOf(await agent.callTool({ name: "shop__show", arguments: {} }));
    expect(texts).toHaveLength(1);
    expect(stage.host.apps).toHaveLength(before);
  });
});

describe("an app that a client shows", () => {
  it("may do what the user allows in a browser; without a browser, the agent is notified", async () => {
    const agent = await stage.agent({ hasViews: true });
    const { tools } = await agent.listTools();
    // Only a view may call it, and it is not marked as read-only.
    const name = tools.find((tool) => tool.name.startsWith("shop_two__tidy_"))?.name ?? "";
    const refused = await agent.callTool({ name, arguments: {} });
    expect(refused.isError).toBe(true);
    expect(textsOf(refused)[0]).toMatch(
      /must allow tidy in a browser: let them open http:\S+, then call it again/,
    );
    const page = await stage.page();
    page.raw.answer = () => ({ answer: "allow" });
    expect((await agent.callTool({ name, arguments: {} })).isError).toBeUndefined();
    expect(page.raw.asked).toMatchObject([{ server: "shop.two", subject: "tidy" }]);
    page.raw.close();
  });
});

describe("calls", () => {
  it("report progress, and are cancelled at the server", async () => {
    const agent = await stage.agent();
    const steps: unknown[] = [];
    const onprogress = (progress: { progress: number }): void => void steps.push(progress.progress);
    const input = { name: "shop__look", arguments: { steps: 3, pause: 300 } };
    await agent.callTool(input, { onprogress } as never);
    expect(steps.at(-1)).toBe(3);
    const controller = new AbortController();
    const waiting = agent.callTool({ name: "shop__wait", arguments: {} }, {
      signal: controller.signal,
    } as never);
    const calls = (): string => readFileSync(join(stage.folder, "shop"), "utf8");
    await expect.poll(calls).toContain("tools/call wait");
    controller.abort();
    await expect(waiting).rejects.toThrow();
    await expect.poll(calls).toContain("wait cancelled");
  });

  it("pass on a server's own error, its data, and large results", async () => {
    const agent = await stage.agent();
    const failed = await agent.callTool({ name: "lab__fails", arguments: {} });
    expect(failed).toMatchObject({ isError: true, content: [{ text: "The printer is out of paper." }] });
    const { structuredContent } = await agent.callTool({ name: "lab__structured", arguments: {} });
    expect(structuredContent).toMatchObject({ planets: [{ name: "Earth" }, {}, {}] });
    const [big = ""] = textsOf(await agent.callTool({ name: "lab__big", arguments: { kilobytes: 3000 } }));
    expect(big.length).toBe(3000 * 1024);
  });

  it("report failures in a result that the agent can read", async () => {
    const agent = await stage.agent();
    const wrong = await agent.callTool({ name: "lab__slow", arguments: { seconds: "many" } });
    expect(wrong.isError).toBe(true);
    expect(textsOf(wrong)[0]).toMatch(/seconds/);
  });
});

describe("the HTTP endpoint", () => {
  const post = (headers: Record<string, string>, path = "") =>
    fetch(`${stage.url}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    }).then(({ status }) => status);
  const authorization = `Bearer ${TOKEN}`;

  it.each([
    ["no client without the token", {}, 401],
    ["no client with another token", { authorization: "Bearer a-token-that-nobody-knows" }, 401],
    ["no page, whatever it has", { authorization, origin: "http://localhost:3000" }, 403],
    ["no client with a guessed session", { authorization, "mcp-session-id": "guessed" }, 404],
    ["no client without a session", { authorization }, 400],
  ])("lets in %s", async (_who, headers, status) => {
    expect(await post(headers as Record<string, string>)).toBe(status);
  });

  it("is at one place", async () => {
    expect(await post({ authorization }, "/other")).toBe(404);
  });
});

describe("the user", () => {
  it("and their apps reach the agent: with the next result, by app_context, and while it waits", async () => {
    const agent = await stage.agent({ generation: "2025" });
    await agent.callTool({ name: "shop__show", arguments: {} });
    const page = await stage.page();
    const view = await page.open("shop", "show");
    const [, open] = textsOf(await agent.callTool({ name: "shop__show", arguments: {} }));
    expect(open).toMatch(/is open in the user's browser, at http:\/\/127\.0\.0\.1:\d+\/#conversation=/);
    const app = stage.host.apps.find(({ isOpen }) => isOpen)?.number ?? 0;
    expect(app).toBeGreaterThan(0);

    await page.context(view, "1 cherry");
    await page.context(view, "2 cherries");
    await page.say("Please pay.", view);
    await page.say("And hurry.");
    const texts = textsOf(await agent.callTool({ name: "shop__look", arguments: {} }));
    expect(texts).toHaveLength(2);
    expect(texts[1]).toBe(
      [
        "While you were away:",
        `- App ${app} ("show" of the server "shop") changed its context:\n  > 2 cherries`,
        `- App ${app} ("show" of the server "shop") wrote on the user's behalf:\n  > Please pay.`,
        "- The user wrote:\n  > And hurry.",
      ].join("\n"),
    );
    // Once.
    expect(textsOf(await agent.callTool({ name: "shop__look", arguments: {} }))).toHaveLength(1);

    const [apps, nothing] = textsOf(await agent.callTool({ name: "app_context", arguments: {} }));
    expect(apps).toContain(`App ${app} ("show" of the server "shop") is open.\nIt says:\n  > 2 cherries`);
    expect(nothing).toBe("Nothing new since your last call.");
    const waiting = agent.callTool({ name: "app_context", arguments: { wait: 60 } });
    await page.say("Now.", view);
    expect(textsOf(await waiting)[1]).toContain("> Now.");
    page.raw.close();
  });

  it("sees no model answer instead of the agent, and no message that there is no model", async () => {
    const page = await stage.page();
    await page.say("Is anybody there?");
    const { items } = await page.raw.request("conversation/open", { id: page.id });
    expect(items.some(({ kind }) => kind === "note" || kind === "model")).toBe(false);
    page.raw.close();
  });

  it("may use the tools of apps: they come and go with the app, and need approval first (A06)", async () => {
    const agent = await stage.oldAgent();
    let told = 0;
    agent.setNotificationHandler(
      (await import("@modelcontextprotocol/sdk/types.js")).ToolListChangedNotificationSchema,
      () => void told++,
    );
    await agent.callTool({ name: "shop__show", arguments: {} });
    const page = await stage.page();
    const view = await page.open("shop", "show");
    const called: unknown[] = [];
    page.raw.answers["conversation/app-tool"] = (params) => {
      called.push(params);
      return { content: [{ type: "text", text: "added" }] };
    };
    page.raw.answer = () => ({ answer: "deny" });
    await page.tools(view, [
      { name: "total", annotations: { readOnlyHint: true } },
      { name: "add", description: "Adds to the cart" },
    ]);
    await expect.poll(() => told).toBeGreaterThan(0);
    const { tools } = await agent.listTools();
    const total = tools.find(({ name }) => /^app_\d+__total$/.test(name))?.name ?? "";
    const add = total.replace("total", "add");
    expect(tools.find(({ name }) => name === add)?.description).toMatch(
      /^Offered by app \d+ \("show" of the server "shop"\), while it is open\. Adds to the cart$/,
    );
    expect(textsOf(await agent.callTool({ name: total, arguments: {} }))).toEqual(["added"]);
    expect(page.raw.asked).toEqual([]);
    const refused = await agent.callTool({ name: add, arguments: { item: "cherry" } });
    expect(refused.isError).toBe(true);
    expect(textsOf(refused)[0]).toMatch(/the user declined/);
    expect(page.raw.asked).toMatchObject([{ subject: "add" }]);
    page.raw.answer = () => ({ answer: "allow" });
    expect(textsOf(await agent.callTool({ name: add, arguments: { item: "cherry" } }))).toEqual(["added"]);
    expect(called).toMatchObject([{ name: "total" }, { name: "add", arguments: { item: "cherry" } }]);

    const before = told;
    await page.raw.closeView(view);
    await expect.poll(() => told).toBeGreaterThan(before);
    expect((await agent.listTools()).tools.some(({ name }) => name === add)).toBe(false);
    await expect(agent.callTool({ name: add, arguments: {} })).rejects.toThrow(/is closed/);
    const waited = await agent.callTool({ name: "app_context", arguments: { wait: 30 } });
    expect(textsOf(waited)[1]).toMatch(
      /App \d+ \("show" of the server "shop"\) was closed: its tools are gone/,
    );
    page.raw.close();
  });

  it("is announced to the subscribers of its resource", async () => {
    const agent = await stage.oldAgent();
    await agent.callTool({ name: "shop__show", arguments: {} });
    const page = await stage.page();
    const view = await page.open("shop", "show");
    const uri = `vitrine://apps/${stage.host.apps.findLast(({ isOpen }) => isOpen)?.number}`;
    const updated: string[] = [];
    agent.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void updated.push(params.uri),
    );
    expect((await agent.listResources()).resources.map((each) => each.uri)).toContain(uri);
    await agent.subscribeResource({ uri });
    await agent.subscribeResource({ uri: "ui://shop/shop/cart.html" });
    // A subscription without notifications is refused.
    await expect(agent.subscribeResource({ uri: "vitrine://apps/99" })).rejects.toThrow(
      /there is no resource/,
    );
    for (const uri of ["ui://shop/nonsense", "ui://Shop/shop/cart.html", "ui://shop/cart.html"])
      await expect(agent.subscribeResource({ uri })).rejects.toThrow(/read it again|there is no resource/);
    const plain = (await agent.listResources()).resources.find((each) => /^vitrine:.*servers/.test(each.uri));
    await expect(agent.subscribeResource({ uri: `${plain?.uri}` })).rejects.toThrow(/read it again/);
    await page.context(view, "3 cherries");
    await expect.poll(() => updated).toContain(uri);
    const { contents } = await agent.readResource({ uri });
    const [content] = contents as { text: string }[];
    expect(JSON.parse(content?.text ?? "")).toMatchObject({
      server: "shop",
      tool: "show",
      isOpen: true,
      context: { content: [{ text: "3 cherries" }], isStale: false },
    });
    page.raw.close();
    // Their browser is closed for good, and so is the app.
    await expect
      .poll(async () => JSON.stringify((await agent.readResource({ uri })).contents))
      .toContain('\\"isOpen\\": false');
  });

  it("is followed by clients of the newer generation too, which have no connection", async () => {
    const agent = await stage.agent();
    await agent.callTool({ name: "shop__show", arguments: {} });
    const page = await stage.page();
    const view = await page.open("shop", "show");
    const uri = `vitrine://apps/${stage.host.apps.findLast(({ isOpen }) => isOpen)?.number}`;
    const told: string[] = [];
    agent.setNotificationHandler("notifications/tools/list_changed", () => void told.push("tools"));
    agent.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void told.push(params.uri),
    );
    await agent.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
    await page.context(view, "4 cherries");
    await expect.poll(() => told).toContain(uri);
    await page.tools(view, [{ name: "total" }]);
    await expect.poll(() => told).toContain("tools");
    page.raw.close();
  });
});
