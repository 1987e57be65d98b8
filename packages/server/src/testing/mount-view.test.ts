/** Views in jsdom windows, with the test as their host. */
import { appServer, InputError, tool, view } from "@vitrine/server";
import { form } from "@vitrine/server/templates";
import { mountView, testServer } from "@vitrine/server/testing";
import { viewScript } from "@vitrine/view/script";
import { JSDOM, VirtualConsole } from "jsdom";
import { afterEach, describe, expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { mountViewExample } from "./mount-view.examples.js";

/** A window that writes nothing to this process's console. */
const newWindow = (): JSDOM["window"] =>
  new JSDOM("", { runScripts: "dangerously", virtualConsole: new VirtualConsole() }).window;

const runtime = `<script>${viewScript({ name: "shop", version: "1.0.0" })}</script>`;
const page = (script: string, type = ""): string =>
  `<!doctype html><title>Shop</title><p id="now">Waiting</p><p hidden>never</p><button>More</button>${runtime}
  <script${type}>const now = document.getElementById("now"), button = document.querySelector("button");${script}</script>`;

const shows = `
  const app = new vitrine.App();
  const show = (text) => { now.innerHTML = "<b></b>!"; now.firstChild.textContent = text; };
  app.ontoolinputpartial = (input) => show("Writing " + input.arguments.article);
  app.ontoolinput = (input) => show("Asking for " + input.arguments.article);
  app.ontoolresult = (result) => show(result.isError ? "Failed" : result.structuredContent.left + " left");
  app.ontoolcancelled = ({ reason }) => show("Cancelled: " + reason);
  app.onhostcontextchanged = ({ theme }) => theme && show(theme);
  app.onteardown = () => { app.updateModelContext({ content: [] }); return {}; };
  button.onclick = async () => {
    try {
      const { structuredContent, content } = await app.callServerTool({ name: "take", arguments: { count: 2 } });
      show(structuredContent ? structuredContent.left + " left" : content[0].text);
    } catch (error) { show("Refused: " + error.message); }
  };
  app.connect().then(() => show("Ready in " + app.getHostContext().toolInfo?.tool.name));`;

const article = z.object({ article: z.string() });
const left = z.object({ left: z.number() });
const shopView = view({ name: "shop", html: page(shows) });
const look = tool({ name: "look", input: article, output: left, view: shopView, run: () => ({ left: 9 }) });
const takeFor = (visibility: ("app" | "model")[]) =>
  tool({
    name: "take",
    visibility,
    input: z.object({ count: z.number() }),
    output: left,
    run: ({ count }) => ({ left: 9 - count }),
  });
const shop = appServer({ name: "shop", version: "1.0.0", tools: [look, takeFor(["app"])] });

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function mountLook(server = shop) {
  const tested = await testServer(server);
  const mounted = await mountView({ server: tested, tool: "look", window: newWindow() });
  open.push(
    () => mounted.close(),
    () => tested.close(),
  );
  return mounted;
}

async function mountHtml(html: string, more: { limit?: number } = {}) {
  const mounted = await mountView({ html, window: newWindow(), ...more });
  open.push(() => mounted.close());
  return mounted;
}

describe("a view of a server", () => {
  it("receives its tool's call, and a click calls the real tool", async () => {
    const mounted = await mountLook();
    expect(mounted.text).toBe("Ready in look! More");
    const { structuredContent } = await mounted.run({ article: "tea" });
    expectTypeOf(structuredContent).toEqualTypeOf<{ left: number } | undefined>();
    expectTypeOf(mounted.input).parameter(0).toEqualTypeOf<{ article: string }>();
    expectTypeOf(mounted.document).toEqualTypeOf<Document>();
    expect(mounted.text).toBe("9 left! More");
    mounted.document.querySelector("button")?.click();
    await mounted.settled();
    expect(mounted.text).toBe("7 left! More");
    expect(mounted.calls).toEqual([
      {
        name: "take",
        arguments: { count: 2 },
        result: expect.objectContaining({ structuredContent: { left: 7 } }),
      },
    ]);
    expect(mounted.problems).toEqual([]);
  });

  it("may call only tools for views", async () => {
    const mounted = await mountLook(
      appServer({ name: "shop", version: "1.0.0", tools: [look, takeFor(["model"])] }) as typeof shop,
    );
    mounted.document.querySelector("button")?.click();
    await mounted.settled();
    expect(mounted.text).toContain('Refused: "take" is not for views');
    expect(mounted.calls).toEqual([{ name: "take", arguments: { count: 2 } }]);
  });

  it("can be driven step by step, in the order of the protocol", async () => {
    const mounted = await mountLook();
    await mounted.partial({ article: "te" });
    expect(mounted.text).toContain("Writing te");
    expect(() => mounted.result({ structuredContent: { left: 1 } })).toThrow("the input comes first");
    await mounted.input({ article: "tea" });
    expect(mounted.text).toContain("Asking for tea");
    await mounted.context({ theme: "dark" });
    expect(mounted.text).toContain("dark");
    expect(mounted.document.documentElement.dataset.theme).toBe("dark");
    await mounted.cancel("too late");
    expect(mounted.text).toContain("Cancelled: too late");
    await mounted.close();
    expect(mounted.modelContext).toEqual({ content: [] });
  });

  it("mounts as in the example", () => mountViewExample(expect));
});

describe("a standalone document", () => {
  it("gets the test's answers, and its requests are recorded", async () => {
    const asks = `
      const app = new vitrine.App();
      app.connect();
      button.onclick = async () => {
        const text = (text) => ({ type: "text", text });
        await app.sendMessage({ role: "user", content: [text("hello")] });
        await app.updateModelContext({ content: [text("page 2")], structuredContent: { page: 2 } });
        await app.openLink({ url: "https://example.com/" });
        await app.openLink({ url: "javascript:alert(1)" }).catch(({ code }) => app.sendLog({ level: "info", data: code }));
        const { mode } = await app.requestDisplayMode({ mode: "fullscreen" });
        const resource = { uri: "file:///a.csv", mimeType: "text/csv", text: "a" };
        await app.downloadFile({ contents: [{ type: "resource", resource }] });
        const { content } = await app.callServerTool({ name: "take", arguments: { mode } });
        now.textContent = content[0].text;
        await app.sendSizeChanged({ width: 1, height: 2 });
        await app.requestTeardown();
      };`;
    const mounted = await mountView({
      html: page(asks),
      window: newWindow(),
      tools: { take: ({ mode }) => ({ content: [{ type: "text", text: `taken in ${mode}` }] }) },
    });
    open.push(() => mounted.close());
    mounted.document.querySelector("button")?.click();
    await mounted.settled();
    const { text, messages, modelContext, links, logs, downloads, hostContext, wantsToClose } = mounted;
    expect({ text, messages, modelContext, links, logs, downloads, wantsToClose }).toEqual({
      text: "taken in fullscreen More",
      messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
      modelContext: { content: [{ type: "text", text: "page 2" }], structuredContent: { page: 2 } },
      links: ["https://example.com/"],
      logs: [{ level: "info", data: -32602 }],
      downloads: [
        [{ type: "resource", resource: { uri: "file:///a.csv", mimeType: "text/csv", text: "a" } }],
      ],
      wantsToClose: true,
    });
    expect(mounted.sizes).toContainEqual({ width: 1, height: 2 });
    expect(hostContext.displayMode).toBe("fullscreen");
    expect(mounted.problems).toEqual([]);
  });

  it("may have a module script, with its own scope", async () => {
    const module = `${shows} await app.callServerTool; const parent = 1; now.append(" by a module");`;
    const mounted = await mountHtml(page(module, ' type="module"'));
    expect(mounted.text).toContain("Ready in");
    expect(mounted.problems).toEqual([]);
    const broken = mountHtml(page("throw new Error('no tea')", ' type="module"'), { limit: 50 });
    await expect(broken).rejects.toThrow("The app did not start. no tea");
  });

  it("distinguishes one that never starts, throws, or sends out of order", async () => {
    await expect(mountHtml("<p>static</p>", { limit: 20 })).rejects.toMatchObject({
      code: "timeout",
      message: "The app did not start.",
    });
    await expect(mountHtml("<script>nothing.there()</script>", { limit: 20 })).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("nothing is not defined"),
    });
    const odd = `parent.postMessage({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "x" } }, "*");
      parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized" }, "https://elsewhere.test");`;
    const mounted = await mountHtml(page(odd + shows));
    expect(mounted.problems.map(({ message }) => message)).toEqual(["tools/call: ui/initialize comes first"]);
  });

  it("gets its own window if the test brings none, and is awaited until it shows something", async () => {
    const later = page(`${shows} app.ontoolinput = () => setTimeout(() => show("Drawn later"), 50);`);
    const mounted = await mountView({ html: later });
    open.push(() => mounted.close());
    expectTypeOf(mounted.document).toEqualTypeOf<Document>();
    await mounted.input({ article: "tea" });
    expect(mounted.text).not.toContain("Drawn later");
    await mounted.shows("Drawn later");
    await mounted.shows(/Drawn\s+later/);
    await expect(mounted.shows("never", 50)).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining('The view shows "Drawn later! More", not never.'),
    });
  });

  it("that throws while it renders fails the wait, with the error", async () => {
    const mounted = await mountHtml(page(`${shows} app.ontoolresult = () => nothing.there();`));
    await mounted.input({ article: "tea" });
    await mounted.result({ structuredContent: { left: 1 } });
    await expect(mounted.shows("1 left", 50)).rejects.toThrow("A script threw: nothing is not defined.");
    expect(mounted.problems).toMatchObject([{ message: "nothing is not defined" }]);
  });

  it("works with fake timers", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const mounted = await mountHtml(page(shows));
    await mounted.input({ article: "tea" });
    expect(mounted.text).toContain("Asking for tea");
    await mounted.close();
  });
});

describe("the pages of templates", () => {
  const book = tool({
    name: "book",
    input: z.object({
      city: z.string(),
      nights: z.number().int().describe("How long?"),
      breakfast: z.boolean(),
    }),
    output: z.object({ city: z.string(), price: z.number() }),
    view: view({ name: "book", template: form, config: { title: "Book" } }),
    text: ({ city, price }) => `${city} for ${price}.`,
    run: ({ city, nights, breakfast }) => {
      if (nights > 7) throw new InputError({ nights: "A week at most." });
      return { city, price: nights * (breakfast ? 110 : 100) };
    },
  });

  it("are filled in and submitted: a form from the tool's own schema", async () => {
    const server = await testServer(appServer({ name: "hotel", version: "1.0.0", tools: [book] }));
    const mounted = await mountView({ server, tool: "book", window: newWindow() });
    open.push(
      () => mounted.close(),
      () => server.close(),
    );
    const field = (name: string): HTMLInputElement => {
      const found = mounted.document.querySelector<HTMLInputElement>(`[name="${name}"]`);
      if (!found) throw new Error(`no field ${name}`);
      return found;
    };
    await mounted.partial({ city: "Ber" });
    expect(field("city").value).toBe("Ber");
    const submit = async (): Promise<void> => {
      mounted.document.querySelector<HTMLElement>("form button")?.click();
      await mounted.settled();
    };
    field("city").value = "Berne";
    field("nights").value = "8";
    field("breakfast").checked = true;
    await submit();
    expect(field("nights").ariaInvalid).toBe("true");
    expect(mounted.text).toContain("A week at most.");
    field("nights").value = "2";
    await submit();
    expect(mounted.calls.map(({ arguments: given }) => given)).toEqual([
      { city: "Berne", nights: 8, breakfast: true },
      { city: "Berne", nights: 2, breakfast: true },
    ]);
    expect(mounted.text).toContain("Berne for 220.");
    expect(mounted.modelContext?.structuredContent).toEqual({ city: "Berne", nights: 2, breakfast: true });
    expect(mounted.messages).toHaveLength(1);
    expect(mounted.problems).toEqual([]);
  });
});
