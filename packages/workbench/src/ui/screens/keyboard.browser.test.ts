/**
 * The main journey without a pointer: from the start over a new server, a model, a question and an app to the inspector and an
 * export. The focus is always visible, returns to where a dialog was opened, and never gets caught.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool, say } from "../../../../../testing/model/scripted-model.ts";
import { pause } from "../../../../../testing/pause.ts";
import { Keys } from "../../../../../testing/workbench/keys.ts";
import { ScreensStage } from "../../../../../testing/workbench/screens-stage.ts";

const SERVER = fileURLToPath(new URL("../../../../../testing/gateway/sdk-server.mjs", import.meta.url));
/** Longer than a question waits before an answer counts. */
const READ = 1_000;

let stage: ScreensStage;
let remote: ChildProcess;
let address = "";
let page: Page;
let keys: Keys;

beforeAll(async () => {
  remote = spawn(process.execPath, [SERVER, "both", "http"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: remote.stdout ?? process.stdin })) {
    address = `http://127.0.0.1:${line}/mcp`;
    break;
  }
  stage = await ScreensStage.open();
  ({ page } = stage);
  await page.setViewportSize({ width: 1280, height: 800 });
  keys = new Keys(page);
}, 120_000);
afterAll(async () => {
  await stage?.close();
  remote?.kill();
});

const button = (name: string | RegExp, at: Page | Locator = page): Locator =>
  at.getByRole("button", typeof name === "string" ? { name, exact: true } : { name });
const dialog = (): Locator => page.getByRole("dialog");
const message = (): Locator => page.getByRole("textbox", { name: "Message", exact: true });
const card = (): Locator => stage.workbench.card("Show the board");

describe("by keyboard alone", { retry: 0 }, () => {
  it("a server is added, and the focus returns to the button", async () => {
    await keys.press("Control+i");
    await page.getByRole("region", { name: "Inspector" }).waitFor({ state: "hidden" });
    const add = button("Add a server").last();
    await keys.tabTo(add);
    await keys.press("Enter");
    await dialog().waitFor();
    await keys.expectOn(dialog().getByRole("textbox").first());
    await keys.type(address);
    await keys.press("Enter");
    await dialog().getByText("Confirm in the terminal").waitFor();
    await stage.setup.allow();
    await dialog().waitFor({ state: "detached" });
    await keys.expectOn(add);
  });

  it("a model opens an app, and its question is answered", async () => {
    stage.model.add(
      callTool("board__show_board", {}),
      callTool("board__delete_card", { id: "3" }),
      say("Done."),
    );
    await keys.press("/");
    await keys.expectOn(message());
    await keys.type("Remove the third card");
    await keys.press("Enter");
    const question = page.getByRole("alertdialog");
    await keys.tabTo(button("Allow once", question));
    await pause(READ);
    await keys.press("Enter");
    // It deletes: the question is asked again, and the safe answer has the focus.
    await keys.expectOn(button("Back", question));
    await keys.press("Tab");
    await pause(READ);
    await keys.press("Enter");
    await question.waitFor({ state: "detached" });
    await page.getByRole("article").getByText("Done.").waitFor();
  });

  it("the app is used, and left", async () => {
    const app = await stage.workbench.appIn(card());
    const field = app.getByRole("textbox", { name: "New card" });
    await field.waitFor();
    await keys.press("/");
    await keys.tabTo(card().locator("mcp-app"), "Shift+Tab");
    await expect
      .poll(async () => {
        if (!(await keys.isOn(field))) await keys.press("Shift+Tab");
        return keys.isOn(field);
      })
      .toBe(true);
    await keys.type("By keys");
    expect(await field.inputValue()).toBe("By keys");
    await keys.tabTo(button("Close app: show_board"), "Shift+Tab");
  });

  it("the app is pinned, and the focus stays on the pin", async () => {
    await keys.tabTo(button("Pin: show_board"), "Shift+Tab");
    await keys.press("Enter");
    await page.locator("article[data-pinned]").waitFor();
    await keys.expectOn(button("Unpin: show_board"));
    await keys.press("Enter");
    await keys.expectOn(button("Pin: show_board"));
  });

  it("the inspector opens, and its tabs change with the arrows", async () => {
    await keys.press("Control+i");
    const inspector = page.getByRole("region", { name: "Inspector" });
    await keys.tabTo(inspector.getByRole("tab", { name: /^Messages/ }));
    await keys.press("ArrowRight");
    await keys.expectOn(inspector.getByRole("tab", { name: "Timeline" }));
    await keys.press("Control+i");
    await inspector.waitFor({ state: "hidden" });
  });

  it("the conversation is exported, and Escape leads back to the button", async () => {
    const conversations = button("Conversations");
    await keys.tabTo(conversations);
    await keys.press("Enter");
    await keys.tabTo(button(/^More about/, dialog()));
    await keys.press("Enter");
    await keys.expectOn(page.getByRole("menuitem", { name: "Rename…" }));
    const saved = page.waitForEvent("download");
    await keys.press("ArrowDown", "ArrowDown", "ArrowDown", "Enter");
    expect((await saved).suggestedFilename()).toMatch(/\.json$/);
    await keys.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await keys.expectOn(conversations);
  });

  it.each(["Control+k", "?"])("Escape closes the dialog of %s, and the focus returns", async (key) => {
    const before = button("Models");
    await keys.tabTo(before);
    await keys.press(key);
    await dialog().waitFor();
    await keys.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await keys.expectOn(before);
  });

  it("Find closes with Escape, and the focus returns", async () => {
    await keys.tabTo(button("Find"));
    await keys.press("Enter");
    const field = page.getByRole("searchbox", { name: "Find in this conversation" });
    await keys.expectOn(field);
    await keys.press("Escape");
    await field.waitFor({ state: "detached" });
    await keys.expectOn(button("Find"));
  });

  it("Tab leads around the page, through the app, and back to where it began", async () => {
    const first = button("Tools");
    await keys.tabTo(first);
    await keys.press("Tab");
    await keys.tabTo(first);
  });

  it("the focus was always visible", () => {
    expect([...keys.unseen]).toEqual([]);
  });
});
