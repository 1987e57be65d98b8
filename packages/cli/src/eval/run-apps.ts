/**
 * The apps of a run, each in its own page of a headless browser.
 *
 * @module
 */
import type { CallItem, ConversationChange } from "@vitrine/wire";
import type { RenderPage } from "@vitrine/workbench";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { CliError } from "../exit.js";
import { drawingOf } from "../render/drawing.js";
import { drawn, viewFrame, visibleText, within } from "../render/view-frame.js";
import type { ShownApp } from "./evidence.js";

/** In the page; see `RenderPage`. */
declare const vitrineRender: RenderPage;

/** Options of {@link RunApps}. */
export interface RunAppsOptions {
  readonly browser: () => Promise<Browser>;
  readonly gateway: { readonly origin: string; loginUrl(): string };
  readonly conversation: string;
  /** Milliseconds for an app to start. */
  readonly timeout: number;
}

/** Milliseconds that a ready app gets to settle, and to answer. */
const REST = 3_000;
const ANSWER = 5_000;
/** Milliseconds for the recording of an app. */
const RECORDING = 30_000;

interface OpenedApp {
  readonly item: CallItem;
  /** Rejects if the browser failed. */
  readonly page: Promise<Page>;
}

/** Shows each call that has an app in it. */
export class RunApps {
  readonly #options: RunAppsOptions;
  readonly #apps = new Map<string, OpenedApp>();
  #context: Promise<BrowserContext> | undefined;

  constructor(options: RunAppsOptions) {
    this.#options = options;
  }

  /** Follows the conversation, and opens apps as the workbench does. */
  readonly changed = (changes: readonly ConversationChange[]): void => {
    for (const change of changes) {
      if (change.kind !== "item" || change.item.kind !== "call") continue;
      const { item } = change;
      // Before that, the arguments may turn out to be wrong.
      if (item.hasApp && !item.app && item.state !== "writing" && !this.#apps.has(item.id)) this.#open(item);
    }
  };

  /** All apps so far. */
  get shown(): ShownApp[] {
    return [...this.#apps.values()].map(shownApp);
  }

  /** Resolves when all apps are open and idle. */
  async settle(): Promise<void> {
    await Promise.all(
      [...this.#apps.values()].map(async ({ page }) => {
        const opened = await page.catch(() => undefined);
        await opened?.evaluate((limit) => vitrineRender.settle(limit), REST).catch(() => {});
        const frame = opened && viewFrame(opened);
        if (frame) await drawn(frame).catch(() => {});
      }),
    );
  }

  /** The recordings of the apps, by the entry of their call. An app that was never shown has none. */
  async recordings(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const [item, { page }] of this.#apps) {
      const recording = await within(RECORDING, recordingOf(page), undefined);
      if (recording !== undefined) found.set(item, recording);
    }
    return found;
  }

  async close(): Promise<void> {
    const context = await this.#context?.catch(() => undefined);
    await context?.close().catch(() => {});
  }

  #open(item: CallItem): void {
    const app: OpenedApp = { item, page: this.#show(item) };
    app.page.catch(() => {});
    this.#apps.set(item.id, app);
  }

  async #show({ id, server, tool }: CallItem): Promise<Page> {
    this.#context ??= this.#signIn();
    const { gateway, conversation, timeout } = this.#options;
    const page = await (await this.#context).newPage();
    await page.goto(`${gateway.origin}/render.html`);
    await page.evaluate((request) => vitrineRender.showCall(request), {
      conversation,
      item: id,
      server,
      tool,
      profile: "strict",
      device: "desktop" as const,
      mode: "inline" as const,
      timeout,
    });
    return page;
  }

  async #signIn(): Promise<BrowserContext> {
    const { browser, gateway } = this.#options;
    const context = await (await browser()).newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: "reduce",
      acceptDownloads: false,
    });
    // Signs in without loading the page.
    await context.request.get(gateway.loginUrl(), { maxRedirects: 0 });
    return context;
  }
}

/** The recording of an app, with what it shows. */
async function recordingOf(opening: Promise<Page>): Promise<string | undefined> {
  const page = await opening;
  const frame = viewFrame(page);
  const drawing = frame && (await drawingOf(page, frame, 0));
  const shown = drawing && { text: drawing.text ?? "", isDrawn: !drawing.lack };
  const trace = await page.evaluate((seen) => vitrineRender.trace(undefined, [], seen), shown);
  return trace && "recording" in trace ? trace.recording : undefined;
}

/**
 * An app for the expectations. If the browser fails, its methods reject with a {@link CliError}, because that says nothing about
 * the app.
 */
function shownApp({ item: { server, tool }, page }: OpenedApp): ShownApp {
  const opened = (): Promise<Page> =>
    page.catch((cause: unknown) => {
      throw broken(`${Object(cause).message ?? cause}`.split("\n", 1)[0] ?? "", cause);
    });
  return {
    server,
    tool,
    async problem() {
      const snapshot = (await opened()).evaluate(() => vitrineRender.snapshot());
      const seen = await within(ANSWER, snapshot, undefined);
      if (!seen) throw broken("its page does not respond");
      return seen.problem?.message;
    },
    async text() {
      const frame = viewFrame(await opened());
      return frame && (await visibleText(frame));
    },
    async has(role, name) {
      const frame = viewFrame(await opened());
      if (!frame) return false;
      // The file may name any role; an unknown one is found nowhere.
      const known = role as Parameters<typeof frame.getByRole>[0];
      const found = frame.getByRole(known, name === undefined ? {} : { name }).filter({ visible: true });
      return (await within(ANSWER, found.count(), 0)) > 0;
    },
  };
}

const broken = (why: string, cause?: unknown): CliError =>
  new CliError("browser-failed", `the browser failed: ${why}`, { cause });
