/**
 * Every screen of the built workbench and its states: compared with checked-in pictures, and checked by axe, in light, dark
 * and the user's own colours, from a phone to a large display.
 */
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { WorkbenchPage } from "../../../../../testing/gateway/workbench-page.ts";
import { say, unauthorized, waitFor } from "../../../../../testing/model/scripted-model.ts";
import { pause } from "../../../../../testing/pause.ts";
import { Album } from "../../../../../testing/pictures/album.ts";
import { redTexts } from "../../../../../testing/workbench/red-texts.ts";
import { ScreenCheck, type ScreenOptions } from "../../../../../testing/workbench/screen-check.ts";
import {
  ANSWER,
  APP_TABS,
  BROKEN,
  PASTED,
  QUESTIONS,
  SERVER_TABS,
} from "../../../../../testing/workbench/screen-samples.ts";
import { ScreensStage } from "../../../../../testing/workbench/screens-stage.ts";

const FOLDER = fileURLToPath(new URL("./pictures", import.meta.url));
const { VITRINE_PICTURES, VITRINE_PICTURES_FULL } = process.env;
const album = new Album(FOLDER, { renews: VITRINE_PICTURES === "renew", full: VITRINE_PICTURES_FULL });

const EVERYWHERE: ScreenOptions = { looks: ["light", "dark", "contrast"], widths: [320, 768, 2560] };
const SMALL: ScreenOptions = { widths: [320] };

/** Each failure is in red once, also beside the inspector that explains it. */
const FAILURES = [expect.stringContaining("The printer is out of paper."), "app failed"];

let stage: ScreensStage;
let workbench: WorkbenchPage;
let page: Page;
let check: ScreenCheck;

beforeAll(async () => {
  stage = await ScreensStage.open();
  ({ workbench, page } = stage);
  check = new ScreenCheck(page, album);
  await check.resize(1280);
}, 120_000);
afterAll(() => stage?.close());

const see = (name: string, options?: ScreenOptions): Promise<void> => check.see(name, options);
const button = (name: string | RegExp): Locator =>
  page.getByRole("button", typeof name === "string" ? { name, exact: true } : { name });
const dialog = (): Locator => page.getByRole("dialog").last();
const card = (title: string): Locator => workbench.card(title);
const inspector = (): Locator => workbench.inspector;
const conversation = (): Locator => page.getByRole("log", { name: "Conversation" });
const message = (): Locator => page.getByRole("textbox", { name: "Message", exact: true });
const tab = (name: string, at: Locator): Promise<void> =>
  at.getByRole("tab", { name: new RegExp(`^${name}`) }).click();

/** Lists only messages of a method: the number of others, such as pings, depends on the machine. */
async function onlyMessages(method: string): Promise<void> {
  await inspector().getByRole("searchbox", { name: "Method" }).fill(method);
  await expect
    .poll(async () => {
      const rows = await inspector().getByRole("option").allInnerTexts();
      return rows.length > 0 && rows.every((row) => row.includes(method));
    })
    .toBe(true);
}

/** Scrolls up, so that the conversation does not follow what grows. */
async function leaveEnd(): Promise<void> {
  await conversation().evaluate((log) => log.scrollBy(0, -80));
  await button("↓ Newest").waitFor();
}

/** Closes what is open over the page. */
async function closeAll(): Promise<void> {
  await expect
    .poll(async () => {
      await page.keyboard.press("Escape");
      return page.locator(".modal, .popover").count();
    })
    .toBe(0);
}

async function palette(text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await dialog().getByRole("searchbox").fill(text);
}

/** Milliseconds for a group: axe on a dozen pictures takes minutes on a machine with other work. */
const GROUP = 900_000;

describe("every screen looks as before, and axe finds nothing", { retry: 0, timeout: GROUP }, () => {
  // A group whose time is up would go on beside the next one, and write its pictures under the wrong names.
  beforeEach(({ signal }) => signal.addEventListener("abort", () => void page.close()));

  it("the empty page: inspecting, the tour of the first visit, and the start", async () => {
    await page.getByText("Show the board").first().waitFor();
    await see("inspect", EVERYWHERE);
    await page.evaluate(() => localStorage.clear());
    await page.goto(stage.setup.gateway.origin);
    await page.getByRole("complementary", { name: "Tour" }).waitFor();
    await see("tour", SMALL);
    await button("Skip the tour").click();
    await see("start", EVERYWHERE);
  });

  it.each(BROKEN)("a page with %s does not match its picture", async (_what, style) => {
    expect(await album.matches(page, "start")).toBe(true);
    await page.evaluate((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      document.adoptedStyleSheets.push(sheet);
    }, style);
    expect(await album.matches(page, "start")).toBe(false);
    await page.evaluate(() => void document.adoptedStyleSheets.pop());
  });

  it("tools, and the form of one", async () => {
    await button("Tools").click();
    await see("tools", SMALL);
    await page.getByRole("searchbox", { name: "Search tools" }).fill("broken");
    await see("tools-broken");
    await page.getByRole("searchbox", { name: "Search tools" }).fill("no such tool");
    await see("tools-none");
    await workbench.pick({ server: "lab", title: "Every kind of field" });
    await see("tool-form", SMALL);
    await button("Run").click();
    await see("tool-form-wrong");
    await button("All tools").click();
    await page.getByRole("searchbox", { name: "Search tools" }).fill("");
    await button("More about board").click();
    await see("server-menu");
    await closeAll();
    await button("Tools").click();
  });

  it("the palette, the shortcuts, permissions and the list of tools in the message field", async () => {
    await page.keyboard.press("Control+k");
    await see("palette", SMALL);
    await dialog().getByRole("searchbox").fill("no such thing");
    await see("palette-none");
    await closeAll();
    await conversation().focus();
    await page.keyboard.press("?");
    await see("shortcuts", SMALL);
    await closeAll();
    await palette("permissions");
    await page.keyboard.press("Enter");
    await see("permissions-none");
    await closeAll();
    await message().fill("/");
    await see("commands", SMALL);
    await message().fill("/lab no_such_tool {}");
    await message().press("Enter");
    await see("command-wrong");
    await message().fill("");
  });

  it("a conversation with a model: an answer that is written, done, and failed, beside an app", async () => {
    let finish = (): void => {};
    const half = new Promise<void>((resolve) => {
      finish = resolve;
    });
    stage.model.add([say("Here is **your board**.\n\n"), waitFor(half), say(ANSWER)]);
    await workbench.tell("What is left to do?");
    await page.getByText("Here is your board").waitFor();
    await see("answering");
    finish();
    await button("Stop").waitFor({ state: "detached" });
    await workbench.tell("/board show_board {}");
    const app = await workbench.appIn(card("Show the board"));
    await app.getByRole("textbox", { name: "New card" }).waitFor();
    await see("conversation", EVERYWHERE);
    await button("Pin: show_board").click();
    await see("pinned", { widths: [2560] });
    await button("Unpin: show_board").click();
    stage.model.add(unauthorized);
    await workbench.tell("And who does it?");
    await see("answer-failed");
  });

  it("questions of an app, and what was allowed", async () => {
    const app = await workbench.appIn(card("Show the board"));
    const act = (name: RegExp): Promise<void> => app.getByRole("button", { name }).first().click();
    // Away from its end: whether the list follows the app, which grows by a line, or waits for the question is a race.
    await leaveEnd();
    await act(/^Delete/);
    const question = page.getByRole("alertdialog");
    const once = question.getByRole("button", { name: /^Allow once/ });
    await expect.poll(() => once.getAttribute("aria-disabled")).toBe("false");
    await see("consent", EVERYWHERE);
    // By key: a press of the pointer counts only after it was seen to come from elsewhere.
    await once.focus();
    // The wait begins anew when the focus enters the question.
    await pause(1_000);
    await once.press("Enter");
    await see("consent-again");
    await question.getByRole("button", { name: "Back" }).click();
    await question.getByRole("button", { name: "Deny" }).click();
    await question.waitFor({ state: "detached" });
    await app.getByRole("textbox", { name: "New card" }).fill("Paint the door");
    await act(/^Add$/);
    // The question may be off the screen: a mark leads to it.
    const mark = page.locator("mcp-app").getByRole("button", { name: "Answer", exact: true });
    const remembered = question.getByRole("button", { name: /for this session$/ });
    await expect
      .poll(async () => {
        if (await mark.isVisible()) await mark.click();
        return remembered.isVisible();
      })
      .toBe(true);
    await see("consent-change");
    await workbench.agree();
    await app.getByText("Added").waitFor();
    await conversation().evaluate((log) => log.scrollTo(0, log.scrollHeight));
    await palette("permissions");
    await page.keyboard.press("Enter");
    await see("permissions", SMALL);
    await closeAll();
  });

  it("the list of conversations, and words in one", async () => {
    await button("Conversations").click();
    await see("conversations", SMALL);
    await dialog()
      .getByRole("button", { name: /^More about/ })
      .first()
      .click();
    await see("export");
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await see("conversation-delete");
    await button("Keep").click();
    await dialog().getByRole("searchbox").fill("no such words");
    await see("conversations-none");
    await closeAll();
    await button("Find").click();
    await page.getByRole("searchbox", { name: "Find in this conversation" }).fill("board");
    await see("find");
    // The first clears the field.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByRole("search").waitFor({ state: "detached" });
  });

  it("calls that run, fail, and apps that do not start", async () => {
    await workbench.newConversation();
    await workbench.tell("/lab fails {}");
    await card("A tool that fails").getByText("failed", { exact: true }).waitFor();
    await workbench.tell('/lab slow {"seconds": 600}');
    await card("A slow tool")
      .getByText(/of 600 seconds/)
      .waitFor();
    await workbench.tell("/kinds blank {}");
    await card("An app that is not there").getByText("app failed").waitFor();
    await see("failures", SMALL);
    expect.soft(await redTexts(page, "#conversation, #inspector")).toEqual(FAILURES);
    await button("Inspect").click();
    await see("failures-inspected");
    expect.soft(await redTexts(page, "#conversation, #inspector")).toEqual(FAILURES);
    await button("Inspect").click();
    await card("A slow tool").getByRole("button", { name: "Cancel" }).click();
    await workbench.newConversation();
    await workbench.tell("/lab text_only {}");
    await workbench.tell("/lab structured {}");
    await workbench.tell("/lab image {}");
    await see("results");
  });

  it("questions of servers", async () => {
    await workbench.newConversation();
    for (const [name, method, params] of QUESTIONS) {
      await workbench.tell(`/asking ask ${JSON.stringify({ method, params })}`).catch(() => {});
      const question = page.getByRole("alertdialog");
      await question.waitFor();
      await expect.poll(() => question.locator("[aria-disabled=true]").count()).toBe(0);
      await see(name, SMALL);
      await question.getByRole("button", { name: /^(Deny|Cancel)$/ }).click();
      await question.waitFor({ state: "detached" });
    }
  });

  it("models, and the settings of a conversation", async () => {
    await button("Models").click();
    await see("models", SMALL);
    await closeAll();
    await button("Settings of this conversation").click();
    await see("settings", SMALL);
    await closeAll();
  });

  it("dialogs for servers", async () => {
    await button("Tools").click();
    await button("Add a server").click();
    await see("add-address", SMALL);
    await tab("Command", dialog());
    await see("add-command", SMALL);
    await tab("Paste", dialog());
    await dialog().getByRole("textbox", { name: "JSON" }).fill(PASTED);
    await dialog().getByText("notes").first().waitFor();
    await see("add-paste");
    await tab("Import", dialog());
    await see("add-import");
    await tab("Paste", dialog());
    await dialog().getByRole("button", { name: "Add", exact: true }).click();
    await dialog().getByText("Confirm in the terminal").waitFor();
    await see("add-pending", SMALL);
    stage.setup.questions.at(-1)?.answer(false);
    await dialog()
      .getByText(/Declined/)
      .waitFor();
    await see("add-declined");
    await dialog().getByRole("button", { name: "Dismiss" }).click();
    await dialog().waitFor({ state: "detached" });
    for (const [name, item] of [
      ["server-edit", "Edit…"],
      ["server-log", "Logs"],
      ["server-remove", "Remove…"],
    ] as const) {
      await button(item === "Logs" ? "More about board" : "More about remote").click();
      await page.getByRole("menuitem", { name: item }).click();
      await see(name);
      await closeAll();
    }
    await button("Tools").click();
  });

  it("the inspector of an app", async () => {
    await workbench.newConversation();
    await workbench.tell("/board show_board {}");
    await button("Inspect").click();
    const app = await workbench.appIn(card("Show the board"));
    await app.getByRole("textbox", { name: "New card" }).waitFor();
    await onlyMessages("initialize");
    for (const name of APP_TABS) {
      await tab(name, inspector());
      await see(`app-${name.toLowerCase().replace(" ", "-")}`, name === "Messages" ? SMALL : {});
    }
    await tab("Messages", inspector());
    await inspector().getByRole("option").first().click();
    await see("app-message");
    await check.resize(320);
    await page.getByRole("radio", { name: "Inspector" }).click();
    await see("inspector-phone", { looks: ["light", "dark"] });
    await page.getByRole("radio", { name: "Conversation" }).click();
    await check.resize(1280);
  });

  it("the inspector of a server", async () => {
    await inspector().getByRole("radio", { name: "Server" }).click();
    await inspector()
      .getByRole("button", { name: /The server to inspect/ })
      .click();
    await page.getByRole("option", { name: "everything", exact: true }).click();
    for (const name of SERVER_TABS) {
      await tab(name, inspector());
      if (name === "Messages") await onlyMessages("resources/read");
      await see(`inspected-${name.toLowerCase()}`);
      if (name === "Resources") await inspector().getByRole("button", { name: "Read" }).first().click();
    }
    await inspector().getByRole("radio", { name: "App" }).click();
  });

  it("the grid, and recordings", async () => {
    await button("Grid").click();
    await page.getByRole("figure").nth(3).locator("mcp-app").waitFor();
    await see("grid", SMALL);
    await dialog().getByRole("button", { name: "Close" }).click();
    await button("Recording").click();
    await see("recording-menu");
    await page.getByRole("menuitem", { name: "Save a recording" }).click();
    await see("recording-save", SMALL);
    const saved = page.waitForEvent("download");
    await dialog().getByRole("button", { name: "Save" }).click();
    const file = await (await saved).path();
    await button("Recording").click();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("menuitem", { name: "Open a recording" }).click();
    await (await chooser).setFiles(file);
    await page.getByRole("region", { name: "Replay" }).waitFor();
    await see("replay", SMALL);
    await page.locator("input[type=file][accept='.jsonl']").setInputFiles({
      name: "notes.jsonl",
      mimeType: "application/jsonl",
      buffer: Buffer.from("no recording"),
    });
    await see("recording-wrong");
    await button("Dismiss").click();
  });

  it("a gateway that went away", async () => {
    await stage.setup.gateway.close(0);
    await page.getByText("The gateway does not answer").waitFor();
    await see("away", SMALL);
  });

  it("has no picture without a screen", async () => {
    expect(await album.leftovers()).toEqual([]);
  });
});
