/**
 * A blank view with the runtime in it, under a raw host: tests write the view's code as they go.
 *
 * In the view, `vitrine` is the package, `z` is zod, `log` is an array to write to, and `app` is the app that
 * {@link AppPage.connect} made; its errors are in the log.
 */
import type { Browser, Frame } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { bundle, type Page, type Site, serveSite, sharedChromium } from "./browser.js";
import { HOST_PAGE, type MountOptions, RawHost, viewPage } from "./raw-host.js";

declare const vitrine: typeof import("@vitrine/view");
declare const log: unknown[];

const LIBRARY = `
  import * as vitrine from "@vitrine/view";
  import { z } from "zod";
  Object.assign(globalThis, { vitrine, z, log: [] });
`;

/** Options of {@link AppPage.connect}. */
export interface ConnectOptions extends Partial<MountOptions> {
  /** Options of the app. */
  app?: { autoResize?: boolean; autoTheme?: boolean };
}

/** State shared by the tests of one file. */
export interface AppPage {
  readonly host: RawHost;
  readonly site: Site;
  /** Opens the host and a blank view in it. */
  open(options?: Partial<MountOptions>): Promise<Frame>;
  /** The same, with an app that is connected. */
  connect(options?: ConnectOptions): Promise<Frame>;
  /** Waits until the view has received everything that was sent to it. */
  heard(): Promise<void>;
}

/** Starts the browser of a file, and checks after each test that nothing was written to the console (D22). */
export function appPage(pages: Record<string, Page> = {}, wholeBrowser = false): AppPage {
  let browser: Browser;
  let site: Site;
  let host: RawHost;
  beforeAll(async () => {
    const view = viewPage(await bundle(LIBRARY));
    [browser, site] = await Promise.all([
      sharedChromium([], wholeBrowser),
      serveSite({ "/": HOST_PAGE, "/view": view, ...pages }),
    ]);
    host = await RawHost.launch(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });
  afterEach(() => expect(host.console).toEqual([]));

  const open: AppPage["open"] = async (options) => {
    await host.open(site.origin());
    return host.mount({ url: `${site.origin("view")}/view`, ...options });
  };
  return {
    get host() {
      return host;
    },
    get site() {
      return site;
    },
    open,
    connect: async ({ app, ...options } = {}) => {
      const view = await open(options);
      await connectApp(view, app);
      return view;
    },
    heard: async () => {
      await host.request("ping");
    },
  };
}

/** Makes an app in a blank view, and connects it. */
export function connectApp(view: Frame, options: ConnectOptions["app"] = {}): Promise<void> {
  return view.evaluate(async (given) => {
    const app = new vitrine.App({ name: "test", version: "1.0.0" }, {}, given);
    Object.assign(globalThis, { app });
    app.onerror = (error) => log.push(`${(error as { code?: unknown }).code}: ${error.message}`);
    await app.connect();
  }, options);
}

/** Lines that the view's code wrote to its log. */
export const logOf = (view: Frame): Promise<unknown[]> => view.evaluate(() => log);
