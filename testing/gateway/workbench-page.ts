/**
 * The built workbench, driven as a person would: by what is written on its fields and buttons.
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

/** To find by role and name what a whole page has is much work for it: it is not asked all the time. */
export const SELDOM = { interval: 200 };

/** A tool, as the list has it. */
export interface ListedTool {
  server: string;
  title: string;
}

/** The workbench in a browser's tab. */
export class WorkbenchPage {
  readonly page: Page;
  /** What the page complained about in its console, and what was thrown in it; apps are not the page. */
  readonly complaints: string[] = [];

  private constructor(page: Page, origin: string) {
    this.page = page;
    page.on("console", (message) => {
      if (message.type() === "error" && message.location().url.startsWith(origin))
        this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(`${error}`));
  }

  /** Opens the workbench by the link that signs in. */
  static async open(context: BrowserContext, loginUrl: string): Promise<WorkbenchPage> {
    context.setDefaultTimeout(LIMIT);
    const page = await context.newPage();
    await page.setViewportSize({ width: 1600, height: 1000 });
    const workbench = new WorkbenchPage(page, new URL(loginUrl).origin);
    await page.goto(loginUrl);
    await page.getByText("Nothing has been called yet").waitFor();
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
    const back = this.button("‹ All tools");
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

  /** Calls the tool that is open; gives its card. */
  async run(title: string): Promise<Locator> {
    await this.button("Run").click();
    return this.card(title);
  }

  /** The last call of a tool in the conversation. */
  card(title: string): Locator {
    return this.page.getByRole("article", { name: title, exact: true }).last();
  }

  /** The app in a card, once it is there. */
  async appIn(card: Locator): Promise<Frame> {
    const outer = await card.locator("mcp-app iframe").elementHandle();
    let view: Frame | undefined;
    await expect
      .poll(async () => (view = (await outer?.contentFrame())?.childFrames()[0]), { message: "no app" })
      .toBeTruthy();
    if (!view) throw new Error("no app");
    return view;
  }

  /** Says yes to what is asked, by an app or before there is one, for as long as the page is open. */
  async agree(): Promise<void> {
    await this.#yes.or(this.#waiting).first().waitFor();
    await expect.poll(() => this.#agreeNow(), SELDOM).toBe(0);
  }

  /** Says yes to all that is asked until something is there: an app may ask more than one thing, in any order. */
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

  /** Leads to a question that the page has no room for. */
  get #waiting(): Locator {
    return this.page.getByRole("button", { name: "Answer", exact: true }).and(this.page.locator("mcp-app *"));
  }

  /** Says yes to the first question, if it takes a press; gives how many there were. */
  async #agreeNow(): Promise<number> {
    if (await this.#waiting.first().isVisible()) await this.#waiting.first().click();
    // It takes a press when it has been in view for a moment: whoever tries before scrolls it, and it has to wait again.
    const ready = await this.#yes.evaluateAll((buttons) =>
      buttons.map((button) => button.getAttribute("aria-disabled") !== "true"),
    );
    if (ready[0]) await this.#yes.first().click();
    return ready.length;
  }

  /** How many messages of a method the inspector lists for the app that it shows. */
  async countMessages(method: string): Promise<number> {
    await this.inspector.getByRole("tab", { name: /^Messages/ }).click();
    await this.inspector.getByRole("searchbox", { name: "Method" }).fill(method);
    const rows = this.inspector.getByRole("listbox", { name: "Messages" }).getByRole("option");
    // The list follows when whoever writes pauses.
    await expect
      .poll(async () => (await rows.allInnerTexts()).filter((row) => !row.includes(method)))
      .toEqual([]);
    return rows.count();
  }

  /** What the inspector says that the page noticed about the app that it shows. */
  async noticed(): Promise<string[]> {
    await this.inspector.getByRole("tab", { name: /^Console/ }).click();
    await this.inspector.locator(".in-line, .in-none").first().waitFor();
    return this.inspector.locator(".in-line").filter({ hasText: "noticed by this page" }).allInnerTexts();
  }

  /** Says something in the conversation, or calls a tool by `/server tool {json}`. */
  async tell(text: string): Promise<void> {
    const message = this.page.getByRole("textbox", { name: "Message", exact: true });
    await message.fill(text);
    await message.press("Enter");
    await expect.poll(() => message.inputValue()).toBe("");
  }

  /** The list of conversations, open. */
  async #conversations(): Promise<Locator> {
    const list = this.page.getByRole("dialog", { name: "Conversations" });
    // A press while an app comes into the page may be lost.
    await expect
      .poll(async () => {
        if (!(await list.isVisible())) await this.button("Conversations").click();
        return list.isVisible();
      })
      .toBe(true);
    return list;
  }

  /** Begins another conversation. */
  async newConversation(): Promise<void> {
    const list = await this.#conversations();
    await list.getByRole("button", { name: "New", exact: true }).click();
    await list.waitFor({ state: "detached" });
    await this.page.getByText("Nothing has been called yet").waitFor();
  }

  /** Opens a conversation by its title. */
  async openConversation(title: RegExp): Promise<void> {
    const list = await this.#conversations();
    await list.getByRole("button", { name: title }).first().click();
    await list.waitFor({ state: "detached" });
  }

  /** Chooses who answers. */
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

  /** Takes a call out of the conversation, and its app with it. */
  async remove(card: Locator): Promise<void> {
    const button = await card
      .getByRole("button", { name: /^Remove .* from the conversation$/ })
      .elementHandle();
    // Whoever scrolls there and presses at once may press the app that was there before.
    await expect
      .poll(async () => {
        await button?.click({ timeout: 1000 }).catch(() => {});
        return button?.evaluate((element) => element.isConnected);
      }, SELDOM)
      .toBe(false);
  }
}
