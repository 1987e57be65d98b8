/**
 * The built workbench, driven as a user would: by the labels of its fields and buttons.
 */
import { existsSync } from "node:fs";
import { workbenchFolder } from "@vitrine/workbench";
import type { BrowserContext, Frame, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { LIMIT } from "../browser.ts";

/** The folder with the built workbench, for a gateway to serve. */
export function builtWorkbench(): string {
  if (!existsSync(workbenchFolder)) throw new Error("build the workbench first: npm run build");
  return workbenchFolder;
}

/** Finding elements by role and name is slow in a whole page, so it is not polled fast. */
export const SELDOM = { interval: 200 };

/** A tool, as shown in the list. */
export interface ListedTool {
  server: string;
  title: string;
}

/** The workbench in a browser tab. */
export class WorkbenchPage {
  readonly page: Page;
  /** Console problems and uncaught errors of the page, without those of apps. */
  readonly complaints: string[] = [];

  private constructor(page: Page, origin: string) {
    this.page = page;
    page.on("console", (message) => {
      if (message.type() === "error" && message.location().url.startsWith(origin))
        this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(`${error}`));
  }

  /** Opens the workbench by the link that signs in; in the mode of developers, unless the hash is another. */
  static async open(context: BrowserContext, loginUrl: string, hash = "#inspect"): Promise<WorkbenchPage> {
    context.setDefaultTimeout(LIMIT);
    const page = await context.newPage();
    await page.setViewportSize({ width: 1600, height: 1000 });
    const workbench = new WorkbenchPage(page, new URL(loginUrl).origin);
    await page.goto(`${loginUrl}${hash}`);
    await page.getByText("What would you like to do?").waitFor();
    return workbench;
  }

  get inspector(): Locator {
    return this.page.getByRole("region", { name: "Inspector" });
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** Finds a tool by the search box, and opens it. */
  async pick({ server, title }: ListedTool): Promise<void> {
    const back = this.button("All tools");
    if (await back.isVisible()) await back.click();
    await this.page.getByRole("searchbox", { name: "Search tools" }).fill(`${server} ${title}`);
    const found = this.page.getByRole("listbox", { name: `Tools of ${server}`, exact: true });
    const line = this.page.getByText(title, { exact: true });
    await found.getByRole("option").filter({ has: line }).click();
  }

  /** Writes into the fields of the tool's form. */
  async fill(values: Record<string, string>): Promise<void> {
    for (const [name, value] of Object.entries(values))
      await this.page.locator(".tool-page").getByLabel(name).fill(value);
  }

  /** Writes all arguments at once, beside the form. */
  async paste(values: Record<string, unknown>): Promise<void> {
    await this.page.getByRole("textbox", { name: "Arguments as JSON" }).fill(JSON.stringify(values));
  }

  /** Calls the open tool and returns its card. */
  async run(title: string): Promise<Locator> {
    await this.button("Run").click();
    return this.card(title);
  }

  /** The last call of a tool in the conversation. */
  card(title: string): Locator {
    return this.page.getByRole("article", { name: title, exact: true }).last();
  }

  /** The app in a card, once it has appeared. */
  async appIn(card: Locator): Promise<Frame> {
    const outer = await card.locator("mcp-app iframe").elementHandle();
    let view: Frame | undefined;
    await expect
      .poll(async () => (view = (await outer?.contentFrame())?.childFrames()[0]), { message: "no app" })
      .toBeTruthy();
    if (!view) throw new Error("no app");
    return view;
  }

  /** Approves every question, of an app or before there is one, as long as the page is open. */
  async agree(): Promise<void> {
    await this.#yes.or(this.#waiting).first().waitFor();
    await expect.poll(() => this.#agreeNow(), SELDOM).toBe(0);
  }

  /** Approves every question until something appears. An app may ask more than one question, in any order. */
  async agreeUntil(there: Locator): Promise<void> {
    await expect
      .poll(async () => {
        await this.#agreeNow();
        return there.isVisible();
      }, SELDOM)
      .toBe(true);
  }

  get #yes(): Locator {
    return this.page.getByRole("alertdialog").getByRole("button", { name: /for this session$/ });
  }

  /** Scrolls to a question that is off the screen. */
  get #waiting(): Locator {
    return this.page.getByRole("button", { name: "Answer", exact: true }).and(this.page.locator("mcp-app *"));
  }

  /** Approves the first question, if it accepts clicks; returns the number of questions, hidden ones included. */
  async #agreeNow(): Promise<number> {
    if (await this.#waiting.first().isVisible()) await this.#waiting.first().click();
    // A question accepts clicks after it has been in view for a moment. A click before that scrolls it and
    // restarts the wait.
    const ready = await this.#yes.evaluateAll((buttons) =>
      buttons.map((button) => button.getAttribute("aria-disabled") !== "true"),
    );
    if (ready[0]) await this.#yes.first().click();
    // A question that appeared under the pointer waits until it has left.
    else if (ready.length > 0) await this.page.mouse.move(0, 0);
    return ready.length + (await this.#waiting.count());
  }

  /** The number of messages of a method that the inspector lists for its app. */
  async countMessages(method: string): Promise<number> {
    await this.inspector.getByRole("tab", { name: /^Messages/ }).click();
    await this.inspector.getByRole("searchbox", { name: "Method" }).fill(method);
    const rows = this.inspector.getByRole("listbox", { name: "Messages" }).getByRole("option");
    // The list updates when typing pauses.
    await expect
      .poll(async () => (await rows.allInnerTexts()).filter((row) => !row.includes(method)))
      .toEqual([]);
    return rows.count();
  }

  /** Problems of the shown app in the inspector. */
  async noticed(): Promise<string[]> {
    await this.inspector.getByRole("tab", { name: /^Console/ }).click();
    await this.inspector.locator(".in-line, .in-none").first().waitFor();
    return this.inspector.locator(".in-line").filter({ hasText: "noticed by this page" }).allInnerTexts();
  }

  /** Sends a message in the conversation, or calls a tool by `/server tool {json}`. */
  async tell(text: string): Promise<void> {
    const message = this.page.getByRole("textbox", { name: "Message", exact: true });
    await message.fill(text);
    await message.press("Enter");
    await expect.poll(() => message.inputValue()).toBe("");
  }

  /** Opens the list of conversations. */
  async #conversations(): Promise<Locator> {
    const list = this.page.getByRole("dialog", { name: "Conversations" });
    // A click while an app is being inserted may be lost.
    await expect
      .poll(async () => {
        if (!(await list.isVisible())) await this.button("Conversations").click();
        return list.isVisible();
      })
      .toBe(true);
    return list;
  }

  /** Starts a new conversation. */
  async newConversation(): Promise<void> {
    const list = await this.#conversations();
    await list.getByRole("button", { name: "New", exact: true }).click();
    await list.waitFor({ state: "detached" });
    await this.page.getByText("What would you like to do?").waitFor();
  }

  /** Opens a conversation by its title. */
  async openConversation(title: RegExp): Promise<void> {
    const list = await this.#conversations();
    await list.getByRole("button", { name: title }).first().click();
    await list.waitFor({ state: "detached" });
  }

  /** Chooses the model. */
  async chooseModel(name: RegExp): Promise<void> {
    await this.page.getByRole("button", { name: /The model that answers/ }).click();
    await this.page.getByRole("option", { name }).click();
  }

  /** The last entry with an app. */
  get lastApp(): Locator {
    return this.page
      .getByRole("article")
      .filter({ has: this.page.locator("mcp-app") })
      .last();
  }

  /** Removes a call from the conversation, with its app. */
  async remove(card: Locator): Promise<void> {
    const button = await card
      .getByRole("button", { name: /^Remove .* from the conversation$/ })
      .elementHandle();
    // A click immediately after scrolling may hit the app that was there before.
    await expect
      .poll(async () => {
        await button?.click({ timeout: 1000 }).catch(() => {});
        return button?.evaluate((element) => element.isConnected);
      }, SELDOM)
      .toBe(false);
  }
}
