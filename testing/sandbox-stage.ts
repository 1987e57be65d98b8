/**
 * A sandbox and a browser, with handwritten host pages that use plain `postMessage` or take the proxy's
 * port. They contain none of our host's code, so a mistake of ours cannot hide by being made on both sides.
 */
import type { SandboxedView, ViewRegistration } from "@vitrine/sandbox";
import { type ServedSandbox, type ServeSandboxOptions, serveSandbox } from "@vitrine/sandbox/node";
import type { Browser, Frame, Page } from "playwright-core";
import { onTestFinished, vi } from "vitest";
import {
  inlineScript,
  LIMIT,
  launchChromium,
  type Page as Served,
  type Site,
  serveSite,
  sharedChromium,
} from "./browser.ts";

/** A message as the host page received it. */
export interface Heard {
  method?: string;
  id?: unknown;
  params?: Record<string, unknown>;
  result?: unknown;
}

/** Options of the host page for showing a view. */
export interface Showing {
  src: string;
  origin: string;
  allow: string;
  /** Whether to take the port that the proxy offers, as our own host does. */
  port?: boolean;
  /** Answer to `sandbox-proxy-ready`. */
  resource?: Record<string, unknown>;
  /** The frame's `sandbox` attribute. */
  sandbox?: string;
}

/** Functions of the host page for the test. */
interface HostPage {
  heard: { message: Heard; isText: boolean; byPort: boolean }[];
  show(showing: Showing): void;
  post(message: unknown): void;
  /** Posts directly to the view's document, after everything that was posted before. */
  postLarge(text: string): void;
}
declare const host: HostPage;

/** Runs in the host's page. */
function hostPage(): void {
  const RESERVED = "ui/notifications/sandbox-";
  const frame = document.createElement("iframe");
  let showing: Showing;
  let port: MessagePort | undefined;
  let direct: MessagePort | undefined;
  let posted = 0;
  const hear = (data: unknown, ports: readonly MessagePort[], byPort: boolean): void => {
    const isText = typeof data === "string";
    const message: Heard = isText ? JSON.parse(data) : data;
    page.heard.push({ message, isText, byPort });
    if (message?.method === `${RESERVED}started`) {
      direct = ports[0];
      posted -= Number(message.params?.["before"]);
    }
    if (message?.method !== `${RESERVED}proxy-ready`) return;
    if (showing.port && ports[0]) {
      port = ports[0];
      port.onmessage = (event) => hear(event.data, event.ports, true);
      port.postMessage("");
    }
    if (showing.resource)
      frame.contentWindow?.postMessage(
        { jsonrpc: "2.0", method: `${RESERVED}resource-ready`, params: showing.resource },
        showing.origin,
      );
  };
  const page: HostPage = {
    heard: [],
    show: (options) => {
      showing = options;
      frame.setAttribute("sandbox", options.sandbox ?? "allow-scripts allow-same-origin allow-forms");
      frame.allow = options.allow;
      frame.src = options.src;
      document.body.append(frame);
    },
    post: (message) => {
      posted++;
      if (port) port.postMessage(JSON.stringify(message));
      else frame.contentWindow?.postMessage(message, showing.origin);
    },
    postLarge: (text) => direct?.postMessage({ after: posted, message: text }),
  };
  addEventListener("message", ({ source, origin, data, ports }) => {
    if (source === frame.contentWindow && origin === showing.origin) hear(data, ports, false);
  });
  Object.assign(globalThis, { host: page });
}

/** Waits for a condition, however slow the machine. */
export const until = <T>(look: () => Promise<T> | T): Promise<T> =>
  vi.waitFor(look, { timeout: LIMIT, interval: 50 });

/** A view in its host page. */
export class Shown {
  readonly page: Page;
  readonly registered: SandboxedView;

  constructor(page: Page, registered: SandboxedView) {
    this.page = page;
    this.registered = registered;
  }

  /** The end of the address of both pages. */
  get #address(): string {
    const { src } = this.registered;
    return src.slice(src.lastIndexOf("/"));
  }

  /** The view's frame, once its document has loaded. */
  view(): Promise<Frame> {
    return until(async () => {
      const frame = this.page
        .frames()
        .find((each) => each.parentFrame()?.parentFrame() && each.url().endsWith(this.#address));
      if (!frame || !(await frame.evaluate(() => document.readyState !== "loading")))
        throw new Error(`no view among ${this.page.frames().map((each) => each.url())}`);
      return frame;
    });
  }

  /** The proxy's frame. */
  proxy(): Promise<Frame> {
    return until(() => {
      const frame = this.page.frames().find((each) => each.parentFrame() === this.page.mainFrame());
      if (!frame) throw new Error("no proxy");
      return frame;
    });
  }

  post(message: unknown): Promise<void> {
    return this.page.evaluate((each) => host.post(each), message);
  }

  postLarge(text: string): Promise<void> {
    return this.page.evaluate((each) => host.postLarge(each), text);
  }

  heard(): Promise<HostPage["heard"]> {
    return this.page.evaluate(() => host.heard);
  }

  /** The messages of one method, filtered in the page because there may be thousands of others. */
  async #of(method: string): Promise<Heard[]> {
    return this.page.evaluate(
      (wanted) => host.heard.map(({ message }) => message).filter((message) => message?.method === wanted),
      method,
    );
  }

  /** The number of messages of a method. */
  count(method: string): Promise<number> {
    return this.page.evaluate(
      (wanted) => host.heard.filter(({ message }) => message?.method === wanted).length,
      method,
    );
  }

  /** Waits for a message of a method and returns it. */
  untilHeard(method: string): Promise<Heard> {
    return until(async () => {
      const [message] = await this.#of(method);
      if (!message) throw new Error(`no ${method}, only ${JSON.stringify(await this.reports())}`);
      return message;
    });
  }

  async reports(code?: string): Promise<Record<string, unknown>[]> {
    return (await this.#of("ui/notifications/sandbox-report"))
      .map(({ params = {} }) => params)
      .filter((params) => code === undefined || params["code"] === code);
  }

  /** Waits for a matching report and returns the first one. */
  untilReported(code: string): Promise<Record<string, unknown>> {
    return until(async () => {
      const [report] = await this.reports(code);
      if (!report) throw new Error(`no ${code} in ${JSON.stringify(await this.reports()).slice(0, 2000)}`);
      return report;
    });
  }
}

/** A browser, a site for host pages, and a sandbox. */
export class SandboxStage {
  readonly browser: Browser;
  readonly site: Site;
  readonly served: ServedSandbox;

  private constructor(browser: Browser, site: Site, served: ServedSandbox) {
    this.browser = browser;
    this.site = site;
    this.served = served;
  }

  static async open(
    options: Partial<ServeSandboxOptions> & { pages?: Record<string, Served>; args?: string[] } = {},
  ): Promise<SandboxStage> {
    const { pages, args, ...rest } = options;
    const page = `<!doctype html><title>Host</title><body>${inlineScript(`(${hostPage})()`)}`;
    const site = await serveSite({ "/": page, ...pages });
    const served = await serveSandbox({
      secret: "a secret of the tests, and only theirs",
      hosts: [site.origin()],
      port: 0,
      ...rest,
    });
    return new SandboxStage(args ? await launchChromium(args) : await sharedChromium(), site, served);
  }

  /** The same browser and host pages with another sandbox. Close its `served`. */
  static async beside(
    { browser, site }: SandboxStage,
    options: Partial<ServeSandboxOptions>,
  ): Promise<SandboxStage> {
    const secret = "another secret of the tests";
    const served = await serveSandbox({ secret, hosts: [site.origin()], port: 0, ...options });
    return new SandboxStage(browser, site, served);
  }

  /** Registers a view and shows it in a host page, for one test. */
  async show(
    view: Partial<ViewRegistration>,
    showing: Partial<Showing> & { host?: string } = {},
  ): Promise<Shown> {
    const registered = await this.served.sandbox.register({ server: "test", ...view });
    const { host: origin = this.site.origin(), ...rest } = showing;
    const page = await this.openPage(`${origin}/`);
    const { src, origin: proxy, allow } = registered;
    await page.evaluate((options) => host.show(options), { src, origin: proxy, allow, ...rest });
    return new Shown(page, registered);
  }

  /** Opens a URL in a new page, for one test. */
  async openPage(address: string): Promise<Page> {
    const context = await this.browser.newContext();
    context.setDefaultTimeout(LIMIT);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(address);
    return page;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.site.close();
    await this.served.close();
  }
}
