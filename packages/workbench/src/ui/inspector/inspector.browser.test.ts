/** The inspector, under the gateway's own policy, with real apps. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningGateway } from "@vitrine/gateway";
import axe from "axe-core";
import type { Browser, Frame, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMIT, sharedChromium } from "../../../../../testing/browser.js";
import { officialServer, startTestGateway } from "../../../../../testing/gateway/gateway-stage.js";
import { type RawView, rawView } from "../../../../../testing/host/raw-view.js";
import { buildInspectorPage } from "../../../../../testing/workbench/inspector-folder.mjs";
import type { InspectorPageApi } from "../../../../../testing/workbench/inspector-page.js";
import { GRACE } from "../../model/diagnosis/diagnose-running.js";

declare const bench: InspectorPageApi;
declare const raw: RawView;

const TABS = [
  "Messages",
  "Timeline",
  "Policy",
  "Context",
  "Console",
  "Model context",
  "App tools",
  "Permissions",
  "Audit",
];
const mimeType = "text/html;profile=mcp-app";
const server = (name: string): string =>
  fileURLToPath(new URL(`../../../../../testing/gateway/${name}.mjs`, import.meta.url));

/** Tools with a UI each. */
const DOCUMENTS: Record<string, object> = {
  blocked: {
    mimeType,
    text: rawView(
      `fetch("https://api.example.com/rates").catch(() => {});
       fetch("https://api.example.com/more").catch(() => {});
       setTimeout(() => { try { eval("1") } catch {} });
       start().then(() => tell("ui/notifications/size-changed", { height: 80 }));`,
      '<p>Rates</p><img alt="" src="https://cdn.example.com/logo.png">',
    ),
    _meta: { ui: { csp: { connectDomains: ["https://known.example.com"] }, prefersBorder: true } },
  },
  framed: {
    mimeType,
    text: rawView(
      'start().then(() => tell("ui/notifications/size-changed", { height: 80 }));',
      '<iframe title="Map" src="https://maps.example.invalid/embed"></iframe>',
    ),
    _meta: { ui: { csp: { frameDomains: ["https://maps.example.invalid"] } } },
  },
  blank: { mimeType, text: rawView("throw new Error('nothing is there');") },
  unpainted: {
    mimeType,
    text: rawView(
      'start().then(() => tell("ui/notifications/size-changed", { height: 80 }));',
      "<style>body { display: none }</style>",
    ),
  },
  wrong: { mimeType: "text/html", text: rawView() },
  helpful: {
    mimeType,
    text: rawView(
      `const named = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
       const text = { type: "string" };
       const inputSchema = { type: "object", properties: { name: text }, required: ["name"] };
       raw.tools = [named("greet", { title: "Greet", description: "Says <b>hello</b>.", inputSchema })];
       answers["tools/list"] = () => ({ tools: raw.tools });
       answers["tools/call"] = ({ name, arguments: input }) =>
         name === "greet"
           ? { content: [{ type: "text", text: "hello " + input.name }], structuredContent: { to: input.name } }
           : { content: [{ type: "text", text: "there is no wall" }], isError: true };
       raw.add = () => {
         raw.tools = [...raw.tools, named("paint", { annotations: { destructiveHint: true } })];
         tell("notifications/tools/list_changed");
       };
       start({ tools: { listChanged: true } });`,
    ),
  },
  chatty: {
    mimeType,
    text: rawView(
      `const cyclic = { name: "ring" };
       cyclic.self = cyclic;
       Object.defineProperty(cyclic, "trap", { enumerable: true, get() { document.title = "ran"; throw 1; } });
       Object.freeze(console);
       console.log("hello %s", "there", { list: [1, "two"] });
       console.warn("careful");
       console.error(new Error("burnt"));
       console.info(cyclic, "<b>no markup</b>");
       start();`,
    ),
  },
};

let folder: string;
let gateway: RunningGateway;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-inspector-"));
  const files = join(folder, "page");
  await mkdir(files);
  await buildInspectorPage(files);
  const names = Object.keys(DOCUMENTS);
  const shop = {
    tools: names.map((name) => ({
      name,
      inputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
      _meta: { ui: { resourceUri: `ui://shop/${name}` } },
    })),
    documents: Object.fromEntries(names.map((name) => [`ui://shop/${name}`, DOCUMENTS[name]])),
    calls: join(folder, "calls.log"),
  };
  const command = process.execPath;
  const mcpServers = {
    demo: { command, args: [server("demo-server"), folder], isolation: "process" },
    shop: {
      command,
      args: [server("shop-server")],
      env: { SHOP: JSON.stringify(shop) },
      isolation: "process",
    },
    debug: { command, args: [officialServer("debug"), "--stdio"], isolation: "process" },
  };
  ({ gateway } = await startTestGateway(
    { mcpServers, sandbox: { port: 0, console: true } },
    join(folder, "data"),
    files,
  ));
  browser = await sharedChromium();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(LIMIT);
  page = await context.newPage();
  await page.goto(`${gateway.loginUrl()}#inspect`);
  await page.waitForFunction(() => "bench" in globalThis);
  await page.evaluate(() => bench.start());
});

afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Sets the profile of apps that are opened from then on. */
const choose = (id: string): Promise<void> =>
  page.evaluate(async (chosen) => {
    const { workbench } = bench;
    await workbench?.loadProfiles();
    const profile = workbench?.profiles.find((each) => each.id === chosen);
    if (workbench && profile) workbench.profile = profile;
  }, id);
const inspector = (): Locator => page.locator("#inspector");
/** A tab; its title may be followed by a number. */
const tab = (name: string): Promise<void> =>
  inspector()
    .getByRole("tab", { name: new RegExp(`^${name}[\\s\\d,]*$`) })
    .click();

/** Calls a tool, and waits until the inspector shows its app, which takes a moment. */
async function call(server: string, tool: string, input = {}): Promise<string> {
  const [before] = await inspector().locator(".in-panel > *").elementHandles();
  const id = await page.evaluate(([...args]) => bench.call(args[0], args[1], args[2]), [
    server,
    tool,
    input,
  ] as const);
  await before?.waitForElementState("hidden");
  return id;
}

/** The frame of the newest app, once it is ready. */
async function view(): Promise<Frame> {
  await inspector().getByText("ready", { exact: true }).waitFor();
  const iframe = await page.locator("#apps mcp-app").last().locator("iframe").elementHandle();
  const [found] = (await iframe?.contentFrame())?.childFrames() ?? [];
  if (!found) throw new Error("no view");
  return found;
}

/** Context changes that a raw view received, the last of each part. */
const changesTold = (app: Frame): Promise<Record<string, unknown>> =>
  app.evaluate(() =>
    Object.assign(
      {},
      ...raw.heard
        .filter(({ method }) => method.endsWith("host-context-changed"))
        .map(({ params }) => params),
    ),
  );

/** Answers a question. A click within its first moment counts for nothing. */
async function press(prompt: Locator, name: string): Promise<void> {
  await expect
    .poll(async () => {
      await prompt
        .getByRole("button", { name })
        .click({ timeout: 1000 })
        .catch(() => {});
      return prompt.count();
    })
    .toBe(0);
}

/** Accessibility problems for users of screen readers and keyboards, or with weak eyesight. */
async function axeFinds(): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await run.run("#inspector");
    return violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes.map((node) => node.html) }));
  });
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map((each) => JSON.stringify(each));
}

describe("the inspector", () => {
  it("explains the first step while there is nothing to inspect", async () => {
    await inspector().getByText("Nothing to inspect yet").waitFor();
    expect(await axeFinds()).toEqual([]);
  });

  it("shows every message, finds one by its JSON, and leads from a request to its answer", async () => {
    await call("demo", "show", { text: "words" });
    const app = await view();
    await app.getByRole("button", { name: "read", exact: true }).click();
    await app.getByText("read done").waitFor();
    const list = inspector().getByRole("listbox", { name: "Messages" });
    await list.getByRole("option").filter({ hasText: "ui/initialize" }).first().waitFor();
    await inspector().getByRole("searchbox", { name: "Search in JSON" }).fill('"name":"READ"');
    await expect.poll(() => list.getByRole("option").count()).toBe(1);
    const request = list.getByRole("option", { name: /from the app.*tools\/call.*request/ });
    await request.click();
    await inspector().getByRole("button", { name: "Go to the answer" }).click();
    const answer = list.getByRole("option", { name: /to the app.*tools\/call.*result/, selected: true });
    await answer.waitFor();
    await inspector().getByRole("region", { name: "The chosen message" }).getByText("read done").waitFor();
    expect(await list.getByRole("option", { name: "belongs to the selected one" }).textContent()).toContain(
      "tools/call",
    );
    // The keyboard continues from there.
    await list.focus();
    await page.keyboard.press("Home");
    await list.getByRole("option", { name: /ui\/initialize.*request/, selected: true }).waitFor();
    await inspector().getByRole("button", { name: "Close the message" }).click();
  });

  it("draws the life of an app", async () => {
    await tab("Timeline");
    const labels = await inspector().getByRole("listitem").allTextContents();
    const order = ["Opened", "Loading", "introduced itself", "is initialized", "result was sent"];
    const places = order.map((label) => labels.findIndex((text) => text.includes(label)));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it("shows the model's input", async () => {
    await (await view()).getByRole("button", { name: "context" }).click();
    await tab("Model context");
    await inspector().getByRole("region", { name: "Text for the model" }).getByText("should know").waitFor();
  });

  it("lists stored answers, and revokes them", async () => {
    await (await view()).getByRole("button", { name: "change" }).click();
    await press(page.getByRole("alertdialog"), "Always allow");
    await (await view()).getByText("change done").waitFor();
    await tab("Permissions");
    await inspector().getByText("allowed", { exact: true }).waitFor();
    await inspector()
      .getByRole("button", { name: /^Revoke tools\/call .*by apps$/ })
      .click();
    await inspector().getByText("None. Answers that allow").waitFor();
    expect(await gateway.api.consents.list({ user: "local" })).toEqual([]);
  });

  it("shows the gateway's records, the newest first", async () => {
    await tab("Audit");
    const rows = inspector().getByRole("group", { name: "Audit log" });
    await rows.getByText("change", { exact: true }).first().waitFor();
    const numbers = (await rows.locator(".mono").allTextContents()).map(Number);
    expect(numbers.length).toBeGreaterThan(3);
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
  });

  it("shows the trace id of each call beside its entry and its outcome, and copies it", async () => {
    await tab("Audit");
    const rows = inspector().getByRole("group", { name: "Audit log" });
    const [outcome] = await gateway.api.audit.query(
      { user: "local" },
      { server: "demo", outcome: "ok", newestFirst: true, limit: 1 },
    );
    const lines = rows.locator(".in-line");
    const ofEntry = lines.filter({ has: page.getByText(`${outcome?.of}`, { exact: true }) });
    const trace = await ofEntry.locator("code").last().textContent();
    expect(trace).toMatch(/^[0-9a-f]{32}$/);
    const [entry] = await gateway.api.audit.query({ user: "local" }, { trace: `${trace}` });
    expect(entry?.seq).toBe(outcome?.of);
    const ofOutcome = lines.filter({ hasText: `outcome of ${outcome?.of}` });
    expect(await ofOutcome.locator("code").last().textContent()).toBe(trace);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await ofEntry.getByRole("button", { name: "Copy the trace id" }).click();
    await ofEntry.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(trace);
  });

  it("S09: shows permissions that an app requested and did not get", async () => {
    const opened = call("demo", "record");
    for (const permission of ["camera", "microphone"]) {
      const prompt = page.getByRole("alertdialog").filter({ hasText: permission });
      await prompt.waitFor();
      await press(prompt, "Deny");
    }
    await opened;
    await tab("Permissions");
    await expect.poll(() => inspector().getByText("requested, but refused").count()).toBe(2);
    expect(await inspector().getByText("not requested").count()).toBe(2);
  });

  it("keeps its tabs in one row, with a sign where it continues, and the chosen one visible", async () => {
    await page.setViewportSize({ width: 900, height: 800 });
    await call("demo", "show", { text: "words" });
    await view();
    const row = inspector().getByRole("tablist");
    const box = async (place: Locator) => {
      const found = await place.boundingBox();
      if (!found) throw new Error("it is not there");
      return found;
    };
    for (const name of ["Messages", "Audit"]) {
      await tab(name);
      const { x, width, height } = await box(row);
      expect(height).toBeLessThan(40);
      const chosen = row.getByRole("tab", { selected: true });
      expect(await chosen.textContent()).toMatch(name);
      await expect.poll(async () => (await box(chosen)).x).toBeGreaterThanOrEqual(x);
      await expect
        .poll(async () => ((each) => each.x + each.width)(await box(chosen)))
        .toBeLessThanOrEqual(x + width);
      // They do not all fit in this window.
      const signs = inspector().locator(".in-more");
      const sides = () => signs.evaluateAll((all) => all.map((each) => each.classList[1]));
      await expect.poll(sides).toEqual([name === "Audit" ? "before" : "after"]);
    }
    // Also when another app is shown.
    await call("demo", "show", { text: "more words" });
    const audit = row.getByRole("tab", { selected: true });
    expect(await audit.textContent()).toMatch("Audit");
    // Its messages are counted in an earlier tab, which grows.
    await view();
    await expect.poll(() => row.getByRole("tab", { name: /^Messages/ }).textContent()).toMatch(/\d/);
    const { x, width } = await box(row);
    await expect
      .poll(async () => ((each) => each.x + each.width)(await box(audit)))
      .toBeLessThanOrEqual(x + width);
    await inspector().locator(".in-more.before").click();
    await expect.poll(() => row.evaluate(({ scrollLeft }) => scrollLeft)).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it("has heads above the columns of messages, each where its column is", async () => {
    await tab("Messages");
    const first = inspector().getByRole("listbox", { name: "Messages" }).getByRole("option").first();
    for (const [name, column] of [
      ["Time", ".in-time"],
      ["Chars", ".in-size"],
      ["Took", ".in-took"],
    ] as const) {
      const right = async (place: Locator): Promise<number> => {
        const { x = 0, width = 0 } = (await place.boundingBox()) ?? {};
        return Math.round(x + width);
      };
      const head = inspector().locator(".in-columns").getByText(name, { exact: true });
      expect(await right(head), name).toBe(await right(first.locator(column)));
    }
  });

  it("has no tab that axe finds something serious in", async () => {
    for (const name of TABS) {
      await tab(name);
      expect(await axeFinds(), name).toEqual([]);
    }
  });

  it("sends the app each changed row of the context, and keeps earlier changes", async () => {
    await call("shop", "helpful");
    const app = await view();
    await tab("Context");
    const editor = inspector().getByRole("region", { name: "Change the context" });
    const choose = (option: string) => async (row: string) => {
      await editor.getByRole("button", { name: row }).click();
      await page.getByRole("option", { name: option, exact: true }).click();
    };
    const write = (text: string) => async (row: string) => {
      const box = editor.getByRole("textbox", { name: row, exact: true });
      await box.fill(text);
      await box.press("Enter");
    };
    const insets = (top: number, right: number, bottom: number, left: number) => ({
      safeAreaInsets: { top, right, bottom, left },
    });
    for (const [row, act, told] of [
      ["Theme", choose("Dark"), { theme: "dark" }],
      ["Locale", write("de-CH"), { locale: "de-CH" }],
      ["Time zone", write("Asia/Tokyo"), { timeZone: "Asia/Tokyo" }],
      ["Platform", choose("Desktop"), { platform: "desktop" }],
      ["Touch", choose("Yes"), { deviceCapabilities: { touch: true } }],
      ["Hover", choose("No"), { deviceCapabilities: { touch: true, hover: false } }],
      ["Touch", choose("No"), { deviceCapabilities: { touch: false, hover: false } }],
      ["Hover", choose("Yes"), { deviceCapabilities: { touch: false, hover: true } }],
      ["Width", write("300"), { containerDimensions: { width: 300 } }],
      ["Height at most", write("321"), { containerDimensions: { width: 300, maxHeight: 321 } }],
      ["Fixed height", write("234"), { containerDimensions: { width: 300, height: 234 } }],
      ["top", write("1"), insets(1, 0, 0, 0)],
      ["right", write("2"), insets(1, 2, 0, 0)],
      ["bottom", write("3"), insets(1, 2, 3, 0)],
      ["left", write("4"), insets(1, 2, 3, 4)],
      ["Display mode", choose("Floating"), { displayMode: "pip" }],
      ["Display mode", choose("Inline"), { displayMode: "inline" }],
    ] as const) {
      await act(row);
      await expect.poll(() => changesTold(app), { message: row }).toMatchObject(told);
    }
    expect(await changesTold(app)).toMatchObject({
      theme: "dark",
      locale: "de-CH",
      timeZone: "Asia/Tokyo",
      platform: "desktop",
    });
    const { height, width } =
      (await page.locator("#apps mcp-app").last().locator("iframe").boundingBox()) ?? {};
    expect([width, height]).toEqual([300, 234]);
  });

  it("changes where the app believes it runs, at once", async () => {
    await call("shop", "blocked");
    const app = await view();
    await tab("Context");
    await inspector().getByRole("button", { name: "Theme" }).click();
    await page.getByRole("option", { name: "Dark" }).click();
    const zone = inspector().getByRole("textbox", { name: "Time zone" });
    await zone.fill("Nowhere/Town");
    await inspector().getByText("Write it like Europe/Berlin.").waitFor();
    await zone.fill("Asia/Tokyo");
    await zone.press("Enter");
    await inspector().getByRole("button", { name: "Mobile" }).click();
    const heard = (): Promise<Record<string, unknown>> => changesTold(app);
    await expect.poll(heard).toMatchObject({
      theme: "dark",
      timeZone: "Asia/Tokyo",
      platform: "mobile",
      deviceCapabilities: { touch: true, hover: false },
      safeAreaInsets: { top: 47, right: 0, bottom: 34, left: 0 },
      // A border on each side.
      containerDimensions: { width: 356, maxHeight: 600 },
    });
    expect(
      await page
        .locator("#apps mcp-app")
        .last()
        .evaluate(({ clientWidth }) => clientWidth),
    ).toBe(358);
    await inspector().getByRole("button", { name: "As this browser" }).first().click();
    await expect.poll(async () => (await heard())["platform"]).toBe("web");
  });

  it("shows blocked resources, and the declarations for them", async () => {
    await tab("Policy");
    const cards = inspector().getByRole("listitem");
    await cards.filter({ hasText: "connect-src blocked https://api.example.com" }).getByText("2 ×").waitFor();
    await cards.filter({ hasText: "img-src" }).getByText("csp.resourceDomains").waitFor();
    await cards.filter({ hasText: "eval" }).getByText('"unsafe-eval"').waitFor();
    await inspector().getByText("A site of its own").waitFor();
    const text = await inspector().getByRole("region", { name: "What to declare" }).textContent();
    expect(JSON.parse(text ?? "")).toEqual({
      _meta: {
        ui: {
          csp: {
            connectDomains: ["https://known.example.com", "https://api.example.com"],
            resourceDomains: ["https://cdn.example.com"],
          },
          prefersBorder: true,
        },
      },
    });
    expect(await axeFinds()).toEqual([]);
  });

  it("shows how the policy of an imitated host differs, with the source of each difference", async () => {
    const host = inspector().getByRole("region", { name: "The imitated host" });
    // In the strict profile there is nothing to report.
    expect(await host.count()).toBe(0);
    await choose("claude");
    await call("shop", "blocked");
    await tab("Policy");
    await host.getByText("everything in csp.frameDomains").waitFor();
    await host.getByText("img-src blob: and https://assets.claude.ai").waitFor();
    const sources = host.getByRole("listitem");
    // Its capabilities are as in the specification, and need no source.
    expect(await sources.getByRole("strong").allTextContents()).toEqual([
      "Display modes",
      "Height",
      "Blocked by its policy",
      "Allowed by its policy",
    ]);
    const policy = sources.filter({ hasText: "Blocked by its policy" });
    await policy.getByText(/^read on \d{4}-\d\d-\d\d$/).waitFor();
    await policy.getByText("which quote the policy in force").waitFor();
    const link = policy.getByRole("link");
    expect(await link.getAttribute("href")).toBe("https://github.com/anthropics/claude-ai-mcp/issues/40");
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(await axeFinds()).toEqual([]);
    await choose("goose");
    await call("shop", "blocked");
    await tab("Policy");
    await host.getByText("No difference").waitFor();
    expect(await sources.getByRole("strong").allTextContents()).toEqual(["Display modes", "Abilities"]);
    await choose("strict");
  });

  it("C08: a profile's policy is in force: the same app is blocked in one, which shows that, and not in another", async () => {
    const why = inspector().getByRole("region", { name: "About this app" });
    await call("shop", "framed");
    await why.getByText("profile-blocked").waitFor();
    await why.getByText('The profile "Vitrine, strict" blocks something').waitFor();
    await why.getByText("ui/open-link").waitFor();
    await tab("Policy");
    const card = inspector().getByRole("listitem").filter({ hasText: "frame-src blocked" });
    await card.getByText("csp.frameDomains declares https://maps.example.invalid").waitFor();
    const row = (name: string): Promise<string | null> =>
      inspector()
        .locator("dl > div")
        .filter({ has: page.locator("code").getByText(name, { exact: true }) })
        .locator("dd")
        .textContent();
    expect(await row("csp.frameDomains")).toBe("https://maps.example.invalid");
    expect(await row('blocked by the profile "Vitrine, strict"')).toBe("https://maps.example.invalid");
    expect(await row("frame-src")).toBe("'none'");
    expect(await axeFinds()).toEqual([]);
    await choose("spec");
    await call("shop", "framed");
    await tab("Policy");
    await expect.poll(() => row("frame-src")).toBe("https://maps.example.invalid");
    // Nothing is blocked, so there is nothing to report.
    await inspector().getByText("Nothing was blocked.").waitFor();
    expect(await why.count()).toBe(0);
    await choose("strict");
  });

  it("C08: explains why an app is blank, in the inspector, and below its frame or in it", async () => {
    await call("shop", "blank");
    const why = inspector().getByRole("region", { name: "Why is it blank?" });
    await why.getByText("script-error").waitFor();
    await why.getByText("nothing is there").waitFor();
    const line = page.locator("#apps .diagnosis-line");
    await line.getByText("script-error").waitFor();
    await tab("Console");
    await inspector().getByRole("log").getByText("nothing is there").waitFor();
    await call("shop", "wrong");
    await why.getByText("mime-type-wrong").waitFor();
    await why.getByText("text/html;profile=mcp-app").last().waitFor();
    const frame = page.locator("#apps mcp-app").last();
    await frame.getByText("What to do: Set the MIME type").waitFor();
    await frame.getByText("mime-type-wrong").waitFor();
    expect(await line.filter({ hasText: "mime-type-wrong" }).count()).toBe(0);
    expect(await axeFinds()).toEqual([]);
  });

  it("C08: calls an app blank that has drawn nothing, but not in a browser that cannot know", async () => {
    const open = async (): Promise<void> => {
      await call("shop", "unpainted");
      // Nothing is drawn off-screen.
      await page.locator("#apps mcp-app").last().scrollIntoViewIfNeeded();
    };
    const code = inspector().locator(".diagnosis").getByText("blank", { exact: true });
    await open();
    await code.waitFor();
    await page.locator("#apps .diagnosis-line").last().getByText("has drawn nothing").waitFor();
    // As in Firefox and WebKit.
    await page.evaluate(() => {
      const original = performance.getEntriesByName.bind(performance);
      performance.getEntriesByName = (name) => (name === "first-paint" ? [] : original(name));
    });
    await open();
    await view();
    await page.waitForTimeout(GRACE + 500);
    expect(await code.count()).toBe(0);
    await page.evaluate(() => Reflect.deleteProperty(performance, "getEntriesByName"));
  });

  describe("the console of an app", () => {
    const lines = (): Locator => inspector().getByRole("log");
    const line = (text: string | RegExp): Locator => lines().locator(".in-line").filter({ hasText: text });

    it("is read here with its levels and times, and still in the browser", async () => {
      const native: string[] = [];
      page.on("console", (message) => native.push(`${message.type()}: ${message.text()}`));
      await call("shop", "chatty");
      const app = await view();
      await tab("Console");
      await line('{name: "ring", self: (itself), trap: (getter)} <b>no markup</b>')
        .getByText("info")
        .waitFor();
      await line('hello there {list: [1, "two"]}').getByText("log", { exact: true }).waitFor();
      await line("careful").getByText("warning").waitFor();
      await line(/Error: burnt\s+at /)
        .getByText("error", { exact: true })
        .waitFor();
      expect(await lines().locator(".in-time").first().textContent()).toMatch(/^\d+\.\d{3} s$/);
      // No getter of the app was run, and the app cannot see that its console is replaced.
      expect(await app.title()).toBe("Raw");
      expect(native.filter((text) => /hello|careful|burnt/.test(text))).toHaveLength(3);
      await inspector().getByRole("tab", { name: "Console 4" }).waitFor();
      await inspector().getByRole("button", { name: "Level" }).click();
      await page.getByRole("option", { name: "Errors only" }).click();
      await expect.poll(() => lines().locator(".in-line").count()).toBe(1);
      await inspector().getByText("1 of 4").waitFor();
      await inspector().getByRole("button", { name: "Level" }).click();
      await page.getByRole("option", { name: "All levels" }).click();
    });

    it("has traces with where they were called, assertions that failed, and tables", async () => {
      const app = await view();
      await app.evaluate(() => {
        const { console: pen } = window;
        function bake(): void {
          pen.trace("on the way %s", "home");
        }
        bake();
        pen.assert(true, "all is well");
        pen.assert(false, "oven is %s", "cold");
        pen.table([{ cake: "plum" }, { cake: "apple" }]);
      });
      await line('[{cake: "plum"}, {cake: "apple"}]').getByText("log", { exact: true }).waitFor();
      await line("Assertion failed: oven is cold").getByText("error", { exact: true }).waitFor();
      // The first location is the app's own, and none is that of the script that records it.
      await line(/on the way home\s+at bake /)
        .getByText("log", { exact: true })
        .waitFor();
      expect(await line("all is well").count()).toBe(0);
    });

    it("is limited, whatever the app writes: the page and the app continue", async () => {
      const app = await view();
      const kept = () => page.evaluate(() => bench.workbench?.selected?.log.lines ?? []);
      const before = (await kept()).length;
      const seconds = await app.evaluate(() => {
        const begin = performance.now();
        // Endless, and forged.
        const { console: pen } = window;
        const log = pen.log.bind(pen);
        const proxy: object = new Proxy({}, { ownKeys: () => [`${log(proxy)}`] });
        log("endless", proxy);
        const forged = { code: "console", level: { toString: 1 }, text: { toString: 1 } };
        raw.tell("ui/notifications/sandbox-report", forged);
        for (let n = 0; n < 10_000; n++) log(`line ${n}`, "x".repeat(2000));
        raw.tell("ui/notifications/size-changed", { height: 123 });
        return (performance.now() - begin) / 1000;
      });
      const search = inspector().getByRole("searchbox", { name: "Search in the lines" });
      await search.fill("too fast");
      await line(/\d{4} lines came too fast and were dropped/).waitFor();
      await search.fill("line 900 ");
      await line(/^\S+ s\s*log\s*line 900 x+…/).waitFor();
      await search.fill('{"toString":1}');
      await expect.poll(() => lines().locator(".in-line").count()).toBe(1);
      // A thousand, a hundred for each second that it wrote, the forged one, and a notice that there were
      // more.
      const all = await kept();
      expect(all.length - before).toBeLessThanOrEqual(1000 + 100 * seconds + 2);
      expect(all.filter(({ text }) => text.startsWith("endless"))).toHaveLength(1);
      expect(Math.max(...all.map(({ text }) => text.length))).toBeLessThanOrEqual(1500);
      // The app's other messages arrived, and no flood limit was hit.
      expect(await page.evaluate(() => bench.workbench?.selected?.size)).toMatchObject({ height: 123 });
      expect(all.filter(({ from }) => from === "host")).toEqual([]);
      expect(await axeFinds()).toEqual([]);
      // Slow endless output is limited too: the oldest lines are dropped.
      const left = await page.evaluate(() => {
        const log = bench.workbench?.selected?.log;
        for (let n = 1; n <= 12_000; n++) log?.line({ level: "info", from: "console", text: `slow ${n}` });
        return { many: log?.lines.length, last: log?.lines.at(-1)?.text };
      });
      expect(left.many).toBeLessThanOrEqual(10_000);
      expect(left.last).toBe("slow 12000");
      await search.fill("slow 12000");
      await line("slow 12000").waitFor();
    });
  });

  it("A01, A03: lists the tools that an app offers, live, and calls them", async () => {
    await call("shop", "helpful");
    const app = await view();
    // The model is asked once, and later viewers see its first answer.
    const asked = (): Promise<number> =>
      app.evaluate(() => raw.heard.filter(({ method }) => method === "tools/list").length);
    await expect.poll(asked).toBe(1);
    await tab("App tools");
    const greet = inspector().getByRole("region", { name: "Greet" });
    await greet.getByText("Says <b>hello</b>.").waitFor();
    await greet.getByRole("button", { name: "Run" }).click();
    await greet.getByText("This is required.").waitFor();
    await greet.getByRole("textbox", { name: "name" }).fill("Ana");
    await greet.getByRole("button", { name: "Run" }).click();
    await greet.getByText("hello Ana", { exact: true }).waitFor();
    await greet.getByRole("textbox", { name: "Arguments as JSON" }).fill('{"name": "Bo"}');
    await greet.getByRole("button", { name: "Run" }).click();
    await greet.getByText("hello Bo", { exact: true }).waitFor();
    await greet.getByRole("button", { name: "Schema" }).click();
    await greet.getByText("inputSchema").waitFor();
    const paint = inspector().getByRole("region", { name: "paint" });
    expect(await paint.count()).toBe(0);
    await app.evaluate(() => (raw as RawView & { add(): void }).add());
    await paint.getByText("destructive").waitFor();
    await paint.getByRole("button", { name: "Run" }).click();
    await paint.getByText("there is no wall").waitFor();
    // Earlier lines stay.
    expect(await greet.getByText("hello Bo", { exact: true }).count()).toBe(1);
    expect(await axeFinds()).toEqual([]);
    // Another app is shown in the same tab.
    await call("shop", "blocked");
    await inspector().getByText("The app offers no tools.").waitFor();
  });

  it("inspects an official app", async () => {
    await call("debug", "debug-tool");
    await view();
    await tab("Messages");
    await inspector()
      .getByRole("option", { name: /tool-result/ })
      .first()
      .waitFor();
    // None of it needs anything that the page's own policy forbids.
    expect(await page.evaluate(() => bench.violations)).toEqual([]);
  });
});
