/** The built workbench, as a user sees it: a real gateway under its own policy, real servers, a real browser. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningGateway } from "@vitrine/gateway";
import { workbenchFolder } from "@vitrine/workbench";
import axe from "axe-core";
import type { BrowserContext, Frame, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMIT, launchProfile } from "../../../../testing/browser.js";
import {
  officialServer,
  type StageSettings,
  startTestGateway,
} from "../../../../testing/gateway/gateway-stage.js";
import { type RawView, rawView } from "../../../../testing/host/raw-view.js";

const script = (path: string): string =>
  fileURLToPath(new URL(`../../../../testing/${path}.mjs`, import.meta.url));

declare const raw: RawView;

/** An app that declares its display modes. */
const FLOATING = rawView(
  'start({ availableDisplayModes: ["inline", "fullscreen", "pip"] });',
  "<p>Fresh bread</p>",
);

/**
 * A server whose start fails while there is a file `bakery-closed`, and whose UI cannot be read while there
 * is a file `bakery-empty`. Both block while there is a file `bakery-held`. Its starts are counted like
 * calls.
 */
const BAKERY = `
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const is = (name) => existsSync(join(process.argv[2], "bakery-" + name));
const ready = () =>
  new Promise((resolve) => {
    const timer = setInterval(() => is("held") || resolve(clearInterval(timer)), 20);
  });
const mimeType = "text/html;profile=mcp-app";
const uri = "ui://bakery/bread.html";
const tool = { name: "bread", title: "Bread", inputSchema: { type: "object" }, _meta: { ui: { resourceUri: uri } } };
const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "bakery", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": () => ({ content: [{ type: "text", text: "a loaf" }] }),
  "resources/list": () => ({ resources: [] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": async () => {
    await ready();
    return { contents: is("empty") ? [] : [{ uri, mimeType, text: ${JSON.stringify(FLOATING)} }] };
  },
};
appendFileSync(join(process.argv[2], "calls.log"), "bakery starts\\n");
if (is("closed")) {
  console.error("no flour");
  process.exit(1);
}
await ready();
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  void Promise.resolve(METHODS[method](params)).then((result) =>
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result })),
  );
}
`;

let folder: string;
let settings: StageSettings;
let gateway: RunningGateway;
let browser: BrowserContext;
let page: Page;
/** Errors and warnings of the page, such as policy violations. */
const complaints: string[] = [];

beforeAll(async () => {
  if (!existsSync(workbenchFolder)) throw new Error("build the workbench first: npm run build");
  folder = await mkdtemp(join(tmpdir(), "vitrine-workbench-"));
  const command = process.execPath;
  const isolation = "process";
  const mcpServers = {
    demo: { command, args: [script("gateway/demo-server"), folder], isolation },
    kinds: { command, args: [script("workbench/kinds-server"), folder], isolation },
    odd: { command, args: [script("workbench/odd-server")], isolation },
    bakery: { command, args: [join(folder, "bakery.mjs"), folder], isolation },
    budget: { command, args: [officialServer("budget-allocator"), "--stdio"], isolation },
  };
  await writeFile(join(folder, "bakery.mjs"), BAKERY);
  for (const how of ["closed", "empty"] as const) await turn(how, true);
  settings = { mcpServers };
  ({ gateway } = await startTestGateway(settings, join(folder, "data"), workbenchFolder));
  // Third-party frames may use storage, which some builds of the browser and private windows block.
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } };
  await mkdir(join(folder, "profile", "Default"), { recursive: true });
  await writeFile(join(folder, "profile", "Default", "Preferences"), JSON.stringify(preferences));
  browser = await launchProfile(join(folder, "profile"));
  browser.setDefaultTimeout(LIMIT);
  page = await browser.newPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(`${error}`));
  await page.goto(`${gateway.loginUrl()}#inspect`);
});

afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Number of calls of a tool, as counted by its server. */
const called = async (name: string): Promise<number> =>
  (await readFile(join(folder, "calls.log"), "utf8").catch(() => ""))
    .split("\n")
    .filter((line) => line === name).length;

/** Creates or removes a state file of the bakery. */
const turn = (how: "closed" | "empty" | "held", isSo: boolean): Promise<void> => {
  const file = join(folder, `bakery-${how}`);
  return isSo ? writeFile(file, "") : rm(file);
};

const button = (name: string | RegExp): Locator => page.getByRole("button", { name, exact: true });
const field = (name: string): Locator => page.locator(".tool-page").getByLabel(name);

/** Finds a tool by its name, and opens it. */
async function pick(title: string): Promise<void> {
  if (await button("All tools").isVisible()) await button("All tools").click();
  await page.getByRole("searchbox", { name: "Search tools" }).fill(title);
  await page.getByRole("option", { name: new RegExp(`^${title}( UI)?\\b`) }).click();
}

const run = (): Promise<void> => button("Run").click();

/** The last call of a tool. */
const card = (title: string): Locator => page.getByRole("article", { name: title, exact: true }).last();

/** The frame of the app in a card, once it has appeared. */
async function appIn(place: Locator): Promise<Frame> {
  const outer = await place.locator("mcp-app iframe").elementHandle();
  let view: Frame | undefined;
  await expect
    .poll(async () => (view = (await outer?.contentFrame())?.childFrames()[0]), { message: "no view" })
    .toBeTruthy();
  if (!view) throw new Error("no view");
  return view;
}

/** Serious axe findings in the page itself. */
async function axeFinds(): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await run.run(document, { iframes: false });
    return violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes.map((node) => node.html) }));
  });
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map((each) => JSON.stringify(each));
}

describe("servers and tools", () => {
  it("are all listed, with their contents, and found by their titles", async () => {
    await page.getByText("What would you like to do?").waitFor();
    // Apps that need no input are one click away.
    await page.locator(".start-app", { hasText: "Demo" }).waitFor();
    await page.getByRole("option", { name: /^Demo UI/ }).waitFor();
    await page.getByRole("option", { name: /^An app that is not there UI/ }).waitFor();
    await page.getByText("did not return ui://kinds/missing.html").waitFor();
    await page.getByRole("option", { name: /^Only for models model only/ }).waitFor();
    await page.getByRole("option", { name: /^Delete all notes destructive/ }).waitFor();
    expect(await axeFinds()).toEqual([]);
    await page.getByRole("searchbox", { name: "Search tools" }).fill("cake order");
    await expect
      .poll(() => page.getByRole("option").allInnerTexts())
      .toEqual([expect.stringMatching("Order a cake")]);
    await page.getByRole("searchbox", { name: "Search tools" }).fill("no such tool");
    await page.getByText("No tool has “no such tool”").waitFor();
  });

  it("C02: show tools that only apps may call, and do not call them", async () => {
    await page.getByRole("searchbox", { name: "Search tools" }).fill("apps");
    await page.getByRole("option", { name: /^Only for apps app only/ }).click();
    await page.getByText("Only apps of this server may call this tool").waitFor();
    expect(await button("Run").count()).toBe(0);
  });
});

describe("the form of a tool", () => {
  it("shows errors at the field, before anything is sent", async () => {
    await pick("Order a cake");
    await page.getByText("Who it is for: <b>no markup</b>.").waitFor();
    await run();
    await expect.poll(() => page.getByText("This is required.").count()).toBe(3);
    expect(await field("Name").evaluate((input) => input === document.activeElement)).toBe(true);
    expect(await axeFinds()).toEqual([]);
    await field("Name").fill("A");
    await run();
    await page.getByText("String is too short (1 < 2).").waitFor();
    expect(await called("order")).toBe(0);
  });

  it("sends every kind of input as the schema names it, with the defaults", async () => {
    await field("Name").fill("Ana");
    await page.locator("#argument_size").click();
    await page.getByRole("option", { name: "large" }).click();
    await page.locator("#argument_note__anyof_select").click();
    await page.getByRole("option", { name: "string" }).click();
    await page.locator("#argument_note").fill("ring twice");
    await button("Add to Tags").click();
    await page.locator("#argument_tags_0").fill("blue");
    await page.locator(".check", { hasText: "card" }).click();
    await field("Street").fill("Long Road 1");
    await page.locator("#argument_delivery__oneof_select").click();
    await page.getByRole("option", { name: "pickup" }).click();
    await field("Shop").fill("North");
    await field("Shop").press("Control+Enter");
    const sent = {
      name: "Ana",
      size: "large",
      count: 3,
      gift: true,
      note: "ring twice",
      tags: ["blue"],
      extras: ["card"],
      address: { street: "Long Road 1" },
      delivery: { by: "pickup", shop: "North" },
    };
    // JSON is shown as a tree.
    await card("Order a cake").getByRole("button", { name: "Show the source" }).click();
    const text = await card("Order a cake").locator(".block-text").textContent();
    expect(JSON.parse(`${text}`)).toEqual(sent);
    expect(await called("order")).toBe(1);
  });

  it("is kept in sync with the JSON below it, and shows the position of an error in it", async () => {
    const json = page.getByRole("textbox", { name: "Arguments as JSON" });
    expect(JSON.parse(await json.inputValue())).toMatchObject({ name: "Ana", tags: ["blue"] });
    await field("Name").fill("Anna");
    await expect.poll(async () => JSON.parse(await json.inputValue())).toMatchObject({ name: "Anna" });
    await json.fill('{"name": "Bo",\n "size": }');
    await page.getByText("This is not JSON: line 2, column 10").waitFor();
    // The form is unchanged, and neither is sent.
    expect(await field("Name").inputValue()).toBe("Anna");
    expect(await axeFinds()).toEqual([]);
    await run();
    expect(await json.evaluate((area) => area === document.activeElement)).toBe(true);
    await json.fill('{"name": "Bo", "size": "huge", "delivery": {"by": "pickup"}, "more": 1}');
    await run();
    await page.getByText("more: The tool has no such property.").waitFor();
    await page.getByText(/^size: This does not match any of/).waitFor();
    expect(await called("order")).toBe(1);
    const written = '{"name": "Bo", "size": "small", "delivery": {"by": "pickup"}}';
    await json.fill(written);
    await expect.poll(() => field("Name").inputValue()).toBe("Bo");
    await run();
    await expect.poll(() => called("order")).toBe(2);
    // As it was written, without the defaults that the form shows, and without traces of earlier attempts.
    await card("Order a cake").getByRole("button", { name: "Show the source" }).click();
    const sent = card("Order a cake").locator(".block-text");
    await expect.poll(async () => JSON.parse(`${await sent.textContent()}`)).toEqual(JSON.parse(written));
    expect([await json.inputValue(), await page.locator(".tool-page [aria-invalid=true]").count()]).toEqual([
      written,
      0,
    ]);
    // Changes in the form count from then on.
    await button("Add to Tags").click();
    await expect.poll(async () => JSON.parse(await json.inputValue()).count).toBe(3);
  });

  it("is beside its JSON where there is room", async () => {
    const places = async () => {
      const form = await page.locator(".tool-page form").boundingBox();
      const json = await page.getByRole("textbox", { name: "Arguments as JSON" }).boundingBox();
      if (!form || !json) throw new Error("one of them is not there");
      return json.x > form.x + form.width ? "beside" : json.y > form.y + form.height ? "below" : "over it";
    };
    expect(await places()).toBe("below");
    await page.setViewportSize({ width: 3000, height: 800 });
    await expect.poll(places).toBe("beside");
    await page.setViewportSize({ width: 1280, height: 800 });
    await button("JSON").click();
    await page.getByRole("textbox", { name: "Arguments as JSON" }).waitFor({ state: "hidden" });
    await button("JSON").click();
  });

  it("remembers the last arguments of a tool", async () => {
    await pick("Order a cake");
    expect(await field("Name").inputValue()).toBe("Bo");
    await button("Reset").click();
    expect(await field("Name").inputValue()).toBe("");
  });
});

describe("a call", () => {
  it("of a tool without an app shows every kind of content, and none of it as markup", async () => {
    await pick("Every kind of content");
    await run();
    const place = card("Every kind of content");
    await place.getByText("<img src=x onerror=alert(1)> is text").waitFor();
    await expect
      .poll(() => place.locator("img").evaluate((image) => (image as HTMLImageElement).naturalWidth))
      .toBe(10);
    await expect
      .poll(() => place.locator("audio").evaluate((sound) => (sound as HTMLAudioElement).readyState))
      .not.toBe(0);
    expect(await place.getByRole("link").allInnerTexts()).toEqual(["a link"]);
    await place.getByText("embedded text").waitFor();
    const saving = page.waitForEvent("download");
    await place.getByRole("button", { name: "Save a.bin, application/zip" }).click();
    expect((await saving).suggestedFilename()).toBe("a.bin");
  });

  it("attack E11: files are saved under clean names, and one of a program is called so", async () => {
    await pick("Every kind of content");
    await run();
    const place = card("Every kind of content");
    for (const [name, warning] of [
      ["readme_pdf .desktop", " (a program: it runs when it is opened)"],
      ["crontab", ""],
      ["fdp.exe", " (a program: it runs when it is opened)"],
    ]) {
      await place.getByText(`${name}${warning}, application/zip`).last().waitFor();
      const saving = page.waitForEvent("download");
      await place
        .getByRole("button", { name: `Save ${name}${warning}, application/zip`, exact: true })
        .last()
        .click();
      expect((await saving).suggestedFilename()).toBe(name);
    }
  });

  it("that reports a failure is readable", async () => {
    await pick("Fail");
    await run();
    await card("Fail").getByText("the oven is broken").waitFor();
    await card("Fail").getByText("failed", { exact: true }).waitFor();
  });

  it("shows its progress, and can be cancelled", async () => {
    await pick("Count slowly");
    await run();
    const bar = card("Count slowly").getByRole("progressbar");
    await expect.poll(() => bar.getAttribute("aria-valuetext")).toBe("50%");
    await card("Count slowly").getByText("counting").waitFor();
    await card("Count slowly").getByRole("button", { name: "Cancel" }).click();
    await card("Count slowly").getByText("cancelled").waitFor();
    await expect.poll(() => called("count cancelled")).toBe(1);
  });

  it("C07: of an app that cannot be shown explains why, and shows the answer as text", async () => {
    await pick("An app that is not there");
    await run();
    const place = card("An app that is not there");
    await place.getByText("This app cannot be shown").first().waitFor();
    await place.getByText("what the app would have shown").first().waitFor();
  });
});

describe("an app", () => {
  it("that is a static document is shown as one, with the answer beside it, and the inspector shows that", async () => {
    await pick("A static report");
    await run();
    const place = card("A static report");
    const view = await appIn(place);
    await view.getByText("All is well.").waitFor();
    await place.getByText("static document", { exact: true }).waitFor();
    await place.getByText("what the report is about").first().waitFor();
    await page.getByText("This is a static document").first().waitFor();
    expect(await place.getByText("app failed").count()).toBe(0);
  });

  it("that needs browser permissions waits for an answer, and its card shows that", async () => {
    await pick("Recorder");
    await run();
    const place = card("Recorder");
    await place.getByText("needs your answer").waitFor();
    await place.getByText(/Its app waits for your answer: it wants to use (camera|microphone)/).waitFor();
    for (const permission of ["camera", "microphone"]) {
      const question = page.getByRole("alertdialog").filter({ hasText: permission });
      await expect
        .poll(async () => {
          await question
            .getByRole("button", { name: "Deny", exact: true })
            .click({ timeout: 1000 })
            .catch(() => {});
          return question.count();
        })
        .toBe(0);
    }
    await place.getByText("needs your answer").waitFor({ state: "detached" });
    await appIn(place);
    // A denied action is asked again after a reload.
    await place.getByRole("button", { name: "Close app" }).click();
    await place.locator("mcp-app").waitFor({ state: "detached" });
  });
});

describe("a tool that is called by typing", () => {
  it("attack E08: a server's name refers to that server alone, also when it is down", async () => {
    const message = page.getByRole("textbox", { name: "Message" });
    await message.fill("/bakery bread ");
    await message.press("Enter");
    await page.getByText("The server “bakery” has no tool “bread” that can be called now").waitFor();
    expect(await called("bakery bread")).toBe(0);
    await message.fill("/kinds bakery bread {}");
    await message.press("Enter");
    await card("Not the bakery").getByText("not from the bakery").waitFor();
    await message.fill("");
  });
});

describe("a server that sends invalid data", () => {
  it("has its tools listed and called beside those of others, and its answers are shown as far as they go", async () => {
    await pick("untitled");
    await page.getByText("This tool takes no arguments.").waitFor();
    await pick("Without a schema");
    await page.getByText("This tool takes no arguments.").waitFor();
    await pick("Odd fields");
    await field("The title").fill("typed");
    await pick("Answer nothing");
    await run();
    await card("Answer nothing").getByText("The result is empty.").waitFor();
    await pick("Answer no list");
    await run();
    await card("Answer no list").getByText("as it is").waitFor();
    await card("Answer no list").getByText("done", { exact: true }).waitFor();
    await pick("Answer odd blocks");
    await run();
    await card("Answer odd blocks").getByText("odd:").first().waitFor();
    await card("Answer odd blocks").getByText("good text").waitFor();
    await pick("Odd app");
    await run();
    await (await appIn(card("Odd app"))).getByText("an odd app").waitFor();
  });

  it("and breaks a part of the page breaks no other: that part shows an error", async () => {
    const before = complaints.length;
    await pick("No form");
    const alert = page.getByRole("alert").filter({ hasText: "The form of this tool cannot be shown" });
    await alert.getByRole("button", { name: "Try again" }).click();
    await alert.waitFor();
    expect(await axeFinds()).toEqual([]);
    await card("Answer odd blocks").getByText("good text").waitFor();
    // React reports caught errors as well.
    complaints.length = before;
  });

  it("does not come back to break the page when it is reloaded", async () => {
    await page.reload();
    await card("Answer nothing").getByText("The result is empty.").waitFor();
    await (await appIn(card("Odd app"))).getByText("an odd app").waitFor();
  });
});

describe("an app", () => {
  it("is shown with its input and result, and its buttons work", async () => {
    await pick("Demo");
    await field("text").fill("hello");
    await run();
    const view = await appIn(card("Demo"));
    await view.getByText("shown hello").waitFor();
    await view.getByRole("button", { name: "read", exact: true }).click();
    await view.getByText('read: "read done"').waitFor();
    // The inspector shows it.
    await page.getByRole("region", { name: "Inspector" }).getByText("tools/call").first().waitFor();
  });

  it("follows the theme that is chosen", async () => {
    const view = await appIn(card("Demo"));
    for (const [name, theme] of [
      ["Dark", "dark"],
      ["Light", "light"],
    ] as const) {
      await page.getByRole("button", { name: /Theme/ }).click();
      await page.getByRole("option", { name, exact: true }).click();
      await expect.poll(() => view.evaluate("app.getHostContext().theme")).toBe(theme);
      const { backgroundColor } = await page.evaluate(() => ({ ...getComputedStyle(document.body) }));
      expect(backgroundColor).toBe(theme === "dark" ? "rgb(20, 21, 23)" : "rgb(255, 255, 255)");
      expect(await axeFinds(), name).toEqual([]);
    }
  });

  it("asks by the page, which takes no for an answer", async () => {
    const view = await appIn(card("Demo"));
    // So high that the question and the end of the list do not fit into the pane together.
    await view.evaluate(() => Object.assign(document.body.style, { minHeight: "620px" }));
    await expect
      .poll(async () => (await card("Demo").locator("mcp-app iframe").boundingBox())?.height)
      .toBeGreaterThan(600);
    // Below other content, with only its button visible; the question takes one more line above it.
    const undo = await card("Demo").evaluateHandle((element: HTMLElement) => {
      const facts = element.querySelector<HTMLElement>(".facts") as HTMLElement;
      element.style.marginTop = "600px";
      facts.style.width = "max-content";
      facts.style.width = `${facts.offsetWidth + 1}px`;
      return () => {
        for (const each of [element, facts]) each.removeAttribute("style");
      };
    });
    const destroy = view.getByRole("button", { name: "destroy" });
    const { y = 0, height = 0 } = (await destroy.boundingBox()) ?? {};
    await page.locator(".conversation-list").evaluate((list, bottom) => {
      list.scrollTop += bottom - list.getBoundingClientRect().bottom;
    }, y + height);
    await destroy.click();
    const prompt = card("Demo").getByRole("alertdialog", { name: "demo asks" });
    await prompt.getByText("Delete all notes (destroy)").waitFor();
    expect(await axeFinds()).toEqual([]);
    await card("Demo").getByText("needs your answer").waitFor();
    // Everything is still visible, also after the page reacts to the growth.
    const hidden = await prompt.evaluate(async (box) => {
      for (let frames = 0; frames < 5; frames++) await new Promise(requestAnimationFrame);
      const pane = document.querySelector(".conversation-list")?.getBoundingClientRect();
      const { top, bottom } = box.getBoundingClientRect();
      const pixels = (hidden: number): number => Math.max(0, Math.trunc(hidden));
      return pane && { above: pixels(pane.top - top), below: pixels(bottom - pane.bottom) };
    });
    expect(hidden).toEqual({ above: 0, below: 0 });
    await undo.evaluate((act) => act());
    const deny = prompt.getByRole("button", { name: "Deny" });
    // By keyboard. A key that comes too soon does not count as an answer.
    await expect
      .poll(async () => {
        if (await deny.count()) await deny.press("Enter");
        return deny.count();
      })
      .toBe(0);
    await view.getByText("destroy failed").waitFor();
    expect(await called("destroy")).toBe(0);
  });

  it("that cannot be shown explains why, and the fix, in its frame, and nothing twice", async () => {
    await pick("An app that is not there");
    await run();
    const broken = card("An app that is not there");
    await broken.getByText("app failed").waitFor();
    await broken.locator("mcp-app").getByText("What to do: Register a resource").waitFor();
    await broken.getByText("what the app would have shown").waitFor();
    for (const said of ["This app cannot be shown", "Register a resource", "what the app would have shown"])
      expect(await broken.getByText(said).count(), said).toBe(1);
    expect(await axeFinds()).toEqual([]);
  });

  it("speaks in the conversation, under its own name", async () => {
    const view = await appIn(card("Demo"));
    await view.getByRole("button", { name: "message" }).click();
    const allow = card("Demo").getByRole("button", { name: "Allow once" });
    await allow.waitFor();
    await expect
      .poll(async () => {
        // By keyboard: the list may still move. An early press does not count, and restarts the delay.
        const isReady = (await allow.and(page.locator("[aria-disabled=false]")).count()) > 0;
        if (isReady) await allow.press("Enter", { timeout: 10_000 }).catch(() => {});
        return allow.count();
      })
      .toBe(0);
    await page.getByRole("article", { name: "Demo says" }).getByText("hello").waitFor();
  });

  it("goes fullscreen and comes back with Esc, without restarting", async () => {
    const view = await appIn(card("Demo"));
    await view.evaluate(() => Object.assign(globalThis, { mark: "still there" }));
    const mode = (): Promise<string | null> =>
      card("Demo").locator("mcp-app dialog").getAttribute("data-mode");
    await view.getByRole("button", { name: "read", exact: true }).click();
    await view.evaluate("app.requestDisplayMode({ mode: 'fullscreen' })");
    await expect.poll(mode).toBe("fullscreen");
    await page.keyboard.press("Escape");
    await expect.poll(mode).toBe("inline");
    // Or by the page's own button, which has a label, and the focus afterwards.
    const larger = button("Full screen: show").last();
    await larger.focus();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    await page.getByRole("tooltip", { name: "Full screen" }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(mode).toBe("fullscreen");
    await page.keyboard.press("Escape");
    await expect.poll(mode).toBe("inline");
    expect(await larger.evaluate((each) => each === document.activeElement)).toBe(true);
    expect(await view.evaluate(() => (globalThis as { mark?: string }).mark)).toBe("still there");
  });

  it("in a corner leaves the header, menus and dialogs of the page in reach, and comes back with Esc", async () => {
    const view = await appIn(card("Demo"));
    const box = card("Demo").locator("mcp-app dialog");
    await view.getByRole("button", { name: "read", exact: true }).click();
    await view.evaluate("app.requestDisplayMode({ mode: 'pip' })");
    await expect.poll(() => box.getAttribute("data-mode")).toBe("pip");
    // At its maximum height.
    await view.evaluate(() => Object.assign(document.body.style, { minHeight: "2000px" }));
    const panes = await page.locator(".panes").boundingBox();
    const room = { top: (panes?.y ?? 0) + 8, bottom: (panes?.y ?? 0) + (panes?.height ?? 0) - 8 };
    await expect
      .poll(async () => {
        const { y = 0, height = 0 } = (await box.boundingBox()) ?? {};
        return { top: y, bottom: y + height };
      })
      .toEqual(room);
    const told = "app.getHostContext().containerDimensions.maxHeight";
    const { height } = (await box.locator("iframe").boundingBox()) ?? {};
    await expect
      .poll(async () => Math.abs(Number(await view.evaluate(told)) - Number(height)))
      .toBeLessThanOrEqual(1);
    await button("Recording").click();
    await page.getByRole("menuitem", { name: "Save a recording" }).click();
    // A press on the app would close the dialog instead: its backdrop is above.
    const dialog = page.getByRole("dialog", { name: "Save a recording" });
    await dialog.waitFor();
    expect(
      await page.evaluate(
        ([x = 0, y = 0]) => document.elementFromPoint(x, y)?.closest("mcp-app, .modal-shade")?.className,
        [1280 - 40, room.bottom - 40],
      ),
    ).toContain("modal-shade");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await view.evaluate(() => Object.assign(document.body.style, { minHeight: "" }));
    await box.getByRole("button", { name: "Close" }).focus();
    await page.keyboard.press("Escape");
    await expect.poll(() => box.getAttribute("data-mode")).toBe("inline");
  });

  it("is put into a display mode once: a user who leaves it is not brought back by another change", async () => {
    const view = await appIn(card("Demo"));
    const mode = (): Promise<string | null> =>
      card("Demo").locator("mcp-app dialog").getAttribute("data-mode");
    const theme = async (name: string, expected: string): Promise<void> => {
      await page.getByRole("banner").getByRole("button", { name: /Theme/ }).click();
      await page.getByRole("option", { name, exact: true }).click();
      await expect.poll(() => view.evaluate("app.getHostContext().theme")).toBe(expected);
    };
    await page.getByRole("tab", { name: "Context", exact: true }).click();
    await page
      .getByRole("region", { name: "Inspector" })
      .getByRole("button", { name: "Display mode" })
      .click();
    await page.getByRole("option", { name: "Full screen" }).click();
    await expect.poll(mode).toBe("fullscreen");
    await page.keyboard.press("Escape");
    await expect.poll(mode).toBe("inline");
    await theme("Dark", "dark");
    await theme("Light", "light");
    expect(await mode()).toBe("inline");
    expect(await view.evaluate("app.getHostContext().displayMode")).toBe("inline");
    await page.getByRole("tab", { name: /^Messages/ }).click();
  });

  it("can be one of several; the clicked one is inspected", async () => {
    await pick("Get Budget Data");
    await run();
    const budget = await appIn(card("Get Budget Data"));
    await budget.getByText("Budget Allocator").first().waitFor();
    const inspected = page.getByRole("region", { name: "Inspector" });
    await inspected.getByText("Get Budget Data").first().waitFor();
    await (await appIn(card("Demo"))).getByText("input").first().click();
    await expect.poll(() => card("Demo").getAttribute("data-selected")).toBe("true");
    // By keyboard: right after scrolling, a click may still go to the frame that was there before.
    await button("Close app: get-budget-data").press("Enter");
    await expect.poll(() => card("Get Budget Data").locator("mcp-app").count()).toBe(0);
    await (await appIn(card("Demo"))).getByText("shown hello").waitFor();
  });
});

describe("a server that is killed", () => {
  it("shows its stderr output, and starts again", async () => {
    await pick("Die");
    await run();
    await card("Die")
      .getByText(/killed|ended|SIGKILL/)
      .first()
      .waitFor();
    await button("All tools").click();
    await page.getByRole("searchbox", { name: "Search tools" }).fill("");
    // It is back soon, and the message stays.
    await button("Restart kinds").waitFor();
    await page.getByText(/^It ended at .*SIGKILL/).waitFor();
    const kinds = page.locator(".server", { has: button("Restart kinds") });
    await kinds.getByRole("button", { name: "Its stderr output" }).click();
    await page.getByRole("region", { name: "stderr of kinds" }).getByText("the oven caught fire").waitFor();
    expect(await axeFinds()).toEqual([]);
    await button("Run again: fail").last().click();
    await card("Fail").getByText("the oven is broken").waitFor();
  });
});

describe("a server that fails", () => {
  /** It waits before the next attempt, and is idle then. */
  const again = (): Locator => button(/^(Reconnect|Restart) bakery$/);
  const starts = (): Promise<number> => called("bakery starts");
  const bread = (): Locator => page.getByRole("option", { name: /^Bread UI/ });

  /** Presses until it counts: a server is not restarted twice in a second. */
  async function tryAgain(): Promise<void> {
    const before = await starts();
    await expect
      .poll(async () => {
        if (await again().isEnabled()) await again().click();
        return starts();
      })
      .toBeGreaterThan(before);
  }

  it("is retried when the user asks for it, and may take its time to start", async () => {
    const bakery = page.locator(".server", { has: again() });
    await bakery.getByRole("button", { name: "Its stderr output" }).click();
    await bakery.getByText("no flour").waitFor();
    await tryAgain();
    await expect.poll(() => again().isEnabled()).toBe(true);
    await bakery.getByText("no flour").waitFor();
    await turn("closed", false);
    await turn("held", true);
    await tryAgain();
    await bakery.getByText("starting…").waitFor();
    expect([await again().isDisabled(), await bread().count()]).toEqual([true, 0]);
    await turn("held", false);
    await bread().waitFor();
    await bakery.getByText("ready", { exact: true }).waitFor();
    await expect.poll(() => bakery.locator(".problem").count()).toBe(0);
  });

  it("does not delay a reload: the app that waits for it shows that, and appears when it is retried", async () => {
    await pick("Bread");
    await run();
    const frame = card("Bread").locator("mcp-app");
    const retry = frame.getByRole("button", { name: "Try again" });
    await retry.waitFor();
    await turn("empty", false);
    await turn("held", true);
    await page.reload();
    await frame.getByText("its document is being read from its server again").waitFor();
    await (await appIn(card("Demo"))).getByText("shown hello").waitFor();
    await turn("held", false);
    await expect
      .poll(async () => {
        await retry.click({ timeout: 1000 }).catch(() => {});
        return retry.isVisible();
      })
      .toBe(false);
    await (await appIn(card("Bread"))).getByText("Fresh bread").waitFor();
  });
});

it("an app that can float and fill the page has a button for each, and Esc leads back from both", async () => {
  const box = card("Bread").locator("mcp-app dialog");
  const mode = (): Promise<string | null> => box.getAttribute("data-mode");
  const told = async (): Promise<unknown> => {
    const view = await appIn(card("Bread"));
    return view.evaluate(
      () => raw.heard.findLast(({ params }) => params["displayMode"])?.params["displayMode"],
    );
  };
  for (const [name, expected] of [
    ["Floating", "pip"],
    ["Full screen", "fullscreen"],
  ] as const) {
    await button(`${name}: bread`).last().press("Enter");
    await expect.poll(mode).toBe(expected);
    await expect.poll(told).toBe(expected);
    await box.getByRole("button", { name: "Close" }).press("Escape");
    await expect.poll(mode).toBe("inline");
    await expect.poll(told).toBe("inline");
  }
  // An app without declared pip is not made to float.
  await button("Full screen: show").last().waitFor();
  expect(await button("Floating: show").count()).toBe(0);
});

describe("a reload", () => {
  it("loses the secrets of a call, and shows that", async () => {
    await pick("Pay");
    for (const [name, value] of [
      ["Shop", "North"],
      ["Pin", "s3cret-pin"],
      ["Key", "s3cret-key"],
    ] as const)
      await field(name).fill(value);
    await run();
    await card("Pay").getByText("paid with shop,pin,apiKey").waitFor();
    expect(await card("Pay").getByText("were not kept").count()).toBe(0);
    await page.reload();
    await card("Pay").getByText("Secret arguments are not kept across a reload").waitFor();
    await card("Pay").getByText("paid with shop,pin,apiKey").waitFor();
    expect(await card("Pay").getByRole("button", { name: "Run again" }).count()).toBe(0);
    await card("Pay").getByRole("button", { name: "Arguments" }).click();
    await card("Pay").getByText("North").waitFor();
    const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
    expect(stored).toContain("North");
    expect(stored).not.toContain("s3cret");
  });

  it("keeps the conversation, every app and calls under way; nothing is called twice", async () => {
    const view = await appIn(card("Demo"));
    await view.evaluate("app.state.set('kept by the app')");
    await writeFile(join(folder, "hold"), "");
    await pick("Slow demo");
    await run();
    await card("Slow demo").getByText("running").waitFor();
    await (await appIn(card("Slow demo"))).getByRole("button", { name: "read", exact: true }).waitFor();
    await expect.poll(() => called("show-slow")).toBe(1);
    const copies = await called("slow");
    await pick("Copy the notes");
    await run();
    await expect.poll(() => called("slow")).toBe(copies + 1);
    const shown = await called("show");
    const titles = await page.getByRole("article").getByRole("heading", { level: 3 }).allInnerTexts();
    const width = async (): Promise<number> => (await page.locator("#tools").boundingBox())?.width ?? 0;
    const before = await width();
    await page.getByRole("separator", { name: "Width of the tools" }).press("ArrowRight");
    await expect.poll(width).toBeGreaterThan(before);
    const widened = await width();

    await page.reload();
    await expect
      .poll(() => page.getByRole("article").getByRole("heading", { level: 3 }).allInnerTexts())
      .toEqual(titles);
    expect(Math.round(await width())).toBe(Math.round(widened));
    const again = await appIn(card("Demo"));
    await again.getByText("shown hello").waitFor();
    await again.getByText('{"text":"hello"}').waitFor();
    expect(await again.evaluate("app.state.get()")).toBe("kept by the app");
    await page.getByRole("article", { name: "Demo says" }).getByText("hello").waitFor();
    await card("Slow demo").getByText("running").waitFor();
    await card("Copy the notes").getByText("running").waitFor();
    await rm(join(folder, "hold"));
    await card("Slow demo").getByText("done", { exact: true }).waitFor();
    await (await appIn(card("Slow demo"))).getByText("show-slow done").waitFor();
    await card("Copy the notes").getByText("slow done").waitFor();
    expect([await called("show"), await called("show-slow"), await called("slow")]).toEqual([
      shown,
      1,
      copies + 1,
    ]);
  });
});

it("a call of a tool with an app is cancelled, and its app is notified", async () => {
  await writeFile(join(folder, "hold"), "");
  await pick("Slow demo");
  await run();
  const view = await appIn(card("Slow demo"));
  await view.getByRole("button", { name: "read", exact: true }).waitFor();
  await card("Slow demo").getByRole("button", { name: "Cancel" }).click();
  await card("Slow demo").getByText("cancelled", { exact: true }).waitFor();
  await view.getByText(/^cancelled: /).waitFor();
  await rm(join(folder, "hold"));
});

it("an app whose source has changed restarts, with the same call", async () => {
  const shown = await called("show");
  await (await appIn(card("Demo"))).getByText("shown hello").waitFor();
  await writeFile(join(folder, "edition"), "second edition");
  if (await button("All tools").isVisible()) await button("All tools").click();
  await button("Restart demo").click();
  const frames = card("Demo").frameLocator("mcp-app iframe").frameLocator("iframe");
  // A frame replaces another, and Playwright may still look into the old one.
  const edition = frames.getByText("second edition");
  await expect.poll(() => edition.isVisible().catch(() => false)).toBe(true);
  const view = await appIn(card("Demo"));
  await view.getByText("shown hello").waitFor();
  await view.getByText('{"text":"hello"}').waitFor();
  expect(await called("show")).toBe(shown);
});

describe("a phone", () => {
  it("starts with the conversation, and with JSON folded below the form", async () => {
    const phone = await browser.newPage();
    try {
      await phone.setViewportSize({ width: 390, height: 844 });
      await phone.goto(`${gateway.loginUrl()}#inspect`);
      await phone.getByText("What would you like to do?").waitFor();
      const panes = ["Tools", "Conversation", "Inspector"].map((name) => phone.getByRole("radio", { name }));
      expect(await Promise.all(panes.map((pane) => pane.isChecked()))).toEqual([false, true, false]);
      expect(await phone.getByRole("searchbox", { name: "Search tools" }).isVisible()).toBe(false);
      const isCut = ({ scrollWidth, clientWidth }: Element): boolean => scrollWidth > clientWidth;
      for (const each of await phone.locator(".header .choice-value").all())
        expect(await each.evaluate(isCut), `${await each.textContent()}`).toBe(false);
      await phone.getByRole("radio", { name: "Tools" }).click();
      await phone.getByRole("option", { name: /^Order a cake/ }).click();
      const json = phone.getByRole("button", { name: "JSON" });
      expect(await json.getAttribute("aria-expanded")).toBe("false");
      await json.click();
      await phone.getByRole("textbox", { name: "Arguments as JSON" }).waitFor();
      expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    } finally {
      await phone.close();
    }
  });

  it("shows one pane at a time, and no app restarts", async () => {
    const view = await appIn(card("Slow demo"));
    await view.evaluate(() => Object.assign(globalThis, { mark: "still there" }));
    await page.setViewportSize({ width: 390, height: 844 });
    const tools = page.getByRole("radio", { name: "Tools" });
    await tools.click();
    await pick("Only for models");
    expect(await axeFinds()).toEqual([]);
    await run();
    await card("Only for models").getByText("hello model").waitFor();
    expect(await axeFinds()).toEqual([]);
    await page.getByRole("radio", { name: "Inspector" }).click();
    expect(await card("Only for models").isVisible()).toBe(false);
    expect(await axeFinds()).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBe(390);
    expect(await view.evaluate(() => (globalThis as { mark?: string }).mark)).toBe("still there");
  });
});

it("the conversation is cleared only after a second confirmation", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const count = (): Promise<number> => page.getByRole("article").count();
  const before = await count();
  expect(before).toBeGreaterThan(1);
  await button("Clear the conversation").click();
  const question = page.getByRole("alertdialog", { name: "Clear the conversation?" });
  await question.getByText(`All ${before} entries are removed, and`).waitFor();
  expect(await axeFinds()).toEqual([]);
  await question.getByRole("button", { name: "Keep" }).click();
  await question.waitFor({ state: "hidden" });
  expect(await count()).toBe(before);
  await button("Clear the conversation").click();
  await question.getByRole("button", { name: "Clear" }).click();
  await expect.poll(count).toBe(0);
});

it("a page whose conversation another tab took over shows that, and continues with a new one", async () => {
  const alert = page.getByRole("alert").getByText("This conversation continues in another tab");
  await pick("Demo");
  await run();
  await (await appIn(card("Demo"))).getByText("shown").waitFor();
  expect(await alert.count()).toBe(0);
  // A window that a page opens starts with a copy of its session storage, like a duplicated tab.
  const [copy] = await Promise.all([
    browser.waitForEvent("page"),
    page.evaluate(() => void window.open(location.href)),
  ]);
  try {
    const taken = copy.getByRole("article", { name: "Demo", exact: true });
    await (await appIn(taken)).getByText("shown").waitFor();
    await alert.waitFor();
    expect(await copy.getByRole("alert").count()).toBe(0);
  } finally {
    await copy.close();
  }
  await page.bringToFront();
  await pick("Only for models");
  await run();
  await card("Only for models").getByText("hello model").waitFor();
  await page.reload();
  await card("Only for models").getByText("hello model").waitFor();
  expect(await alert.count()).toBe(0);
});

it("a page waits for a gateway that is gone, and shows that; it does not wait if the gateway does not know the browser", async () => {
  const kept = complaints.length;
  await page.setViewportSize({ width: 1280, height: 800 });
  const { origin, sandboxPort } = gateway;
  const status = page.getByRole("banner").getByRole("status");
  /**
   * Starts a gateway in its place. Pages wait ever longer for one, except when the browser reports that the
   * network is back.
   */
  const startAgain = async (data: string): Promise<void> => {
    const places = { listen: { port: Number(new URL(origin).port) }, sandbox: { port: sandboxPort } };
    ({ gateway } = await startTestGateway({ ...settings, ...places }, join(folder, data), workbenchFolder));
    await page.evaluate(() => void dispatchEvent(new Event("online")));
  };
  try {
    await gateway.close();
    await status.getByText(/^Reconnecting/).waitFor();
    // A short interruption needs no further message.
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.getByRole("alert").getByText("The gateway does not answer.").waitFor();
    expect(await axeFinds()).toEqual([]);
    await startAgain("data");
    await status.getByText(/^Connected/).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await gateway.close();
    await status.getByText(/^Reconnecting/).waitFor();
    await startAgain("data of another");
    await page.getByRole("alert").getByText("This browser is not signed in, or no longer.").waitFor();
    await status.getByText("Disconnected").waitFor();
    expect(await axeFinds()).toEqual([]);
  } finally {
    // The next test, and another attempt of this one, need a gateway that knows the browser.
    await gateway.close();
    await startAgain("data");
    await page.reload();
    await status.getByText(/^Connected/).waitFor();
    // The browser also reports the missing answers.
    complaints.length = kept;
  }
});

it("the page keeps to the gateway's policy, and nothing is thrown in it", () => {
  expect(complaints.filter((text) => !text.includes("ui://"))).toEqual([]);
});
