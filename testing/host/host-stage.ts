/**
 * A small chat product for tests: a host page under a strict policy, its back end, and a sandbox, each on
 * its own origin. The apps are written by tests or come from official servers.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hostEndpoint, type Upstream } from "@vitrine/guard";
import { readUiDocument, type Tool, VitrineError } from "@vitrine/protocol";
import type { SandboxedView, ViewRegistration } from "@vitrine/sandbox";
import { type ServedSandbox, type ServeSandboxOptions, serveSandbox } from "@vitrine/sandbox/node";
import type { Browser, BrowserContext, Frame, Page } from "playwright-core";
import { bundle, LIMIT, launchProfile, sharedChromium } from "../browser.ts";
import type { HostApi, MountOptions, Served } from "./host-page.ts";

declare const host: HostApi;

/** An app, as its server would deliver it. */
export interface TestApp extends Omit<ViewRegistration, "server"> {
  server?: string;
  upstream?: Upstream;
  tool?: Tool;
}

/** Options of {@link HostStage.open}. */
export interface StageOptions {
  sandbox?: Partial<ServeSandboxOptions>;
  args?: readonly string[];
  /** A folder for a normal profile; without it the browser's window is private. */
  profile?: string;
  /** The module of the host page. */
  page?: string;
  /** Folders of packages of the host page, in place of the installed ones. */
  alias?: Record<string, string> | undefined;
}

/** A browser, a host page's site, and a sandbox. */
export class HostStage {
  readonly sandbox: ServedSandbox;
  readonly context: BrowserContext;
  readonly #site: Server;
  readonly #apps = new Map<string, TestApp & { server: string; view: SandboxedView | VitrineError }>();
  /** Failed requests of pages, to explain why an app failed. */
  readonly #troubles: string[] = [];
  /** The page of {@link freshPage}, and whether a process of it died. */
  #kept: Page | undefined;
  #isBroken = false;

  private constructor(sandbox: ServedSandbox, context: BrowserContext, site: Server) {
    this.sandbox = sandbox;
    this.context = context;
    this.#site = site;
    context.setDefaultTimeout(LIMIT);
  }

  static async open({
    sandbox: options,
    args,
    profile,
    page,
    alias = {},
  }: StageOptions = {}): Promise<HostStage> {
    const script = await bundle(`import "${page ?? "./testing/host/host-page.ts"}";`, { alias });
    let answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    const site = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const hosts = [`http://localhost:${(site.address() as AddressInfo).port}`];
    const sandbox = await serveSandbox({ secret: "a secret for tests only", port: 0, hosts, ...options });
    const context = profile
      ? await launchProfile(profile, args)
      : await (await sharedChromium(args)).newContext();
    const stage = new HostStage(sandbox, context, site);
    answer = (request, response) => stage.#answer(request, response, script);
    return stage;
  }

  get browser(): Browser {
    const browser = this.context.browser();
    if (!browser) throw new Error("this context has no browser of its own");
    return browser;
  }

  /** The host page's origin. */
  get origin(): string {
    return `http://localhost:${(this.#site.address() as AddressInfo).port}`;
  }

  /** Registers an app under a name; its server has the same name by default. */
  async serve(name: string, app: TestApp): Promise<SandboxedView | VitrineError> {
    const server = app.server ?? name;
    const view = await this.sandbox.sandbox
      .register({ ...app, server })
      .catch((error: VitrineError) => error);
    this.#apps.set(name, { ...app, server, view });
    return view;
  }

  /** Registers the app of a server's tool: reads, checks and registers its resource as a host would. */
  async serveTool(
    name: string,
    upstream: Upstream,
    tool: Tool,
    uri: string,
    registration: Pick<ViewRegistration, "relax" | "grant"> = {},
  ): Promise<SandboxedView | VitrineError> {
    const result = await upstream.request("resources/read", { uri });
    const document = readUiDocument(result, uri, { maxBytes: 20_000_000 });
    if (!document.ok) throw new VitrineError("bad-resource", document.message);
    const { html, meta } = document;
    return this.serve(name, { server: upstream.server, html, meta, upstream, tool, ...registration });
  }

  /** Opens the host page. */
  async openPage(): Promise<Page> {
    const page = await this.context.newPage();
    page.on("requestfailed", (request) =>
      this.#troubles.push(`${request.failure()?.errorText} ${request.url()}`),
    );
    page.on("response", (response) => {
      if (response.status() >= 400) this.#troubles.push(`${response.status()} ${response.url()}`);
    });
    await this.#load(page);
    return page;
  }

  /**
   * The host page, loaded again in the window of the last test. Nothing of that test is left, and a new
   * window takes longer than most tests. Opens a new window if a process of the old one died.
   */
  async freshPage(): Promise<Page> {
    if (this.#kept && !this.#isBroken) {
      const page = this.#kept;
      await page.setViewportSize(WINDOW);
      await page.emulateMedia({ colorScheme: null, reducedMotion: null, forcedColors: null });
      await page.mouse.move(0, 0);
      await this.#load(page);
      return page;
    }
    await this.#kept?.close();
    const page = await this.openPage();
    page.once("crash", () => {
      this.#isBroken = true;
    });
    this.#isBroken = false;
    this.#kept = page;
    return page;
  }

  async #load(page: Page): Promise<void> {
    await page.goto(this.origin);
    await page.waitForFunction(() => "host" in globalThis);
  }

  /** Adds an app to a page, and waits until it is ready. */
  async mount(page: Page, name: string, options: MountOptions = {}): Promise<Frame> {
    const id = options.id ?? name;
    await page.evaluate(([app, given]) => host.mount(app, given), [name, options] as const);
    // Reports the failure instead of waiting until the timeout.
    const failure = await page.evaluate(
      (app) =>
        Promise.race([
          host.log.until(`${app} ready`).then(() => undefined),
          host.log.until(`${app} failed`).catch(() => undefined),
        ]),
      id,
    );
    if (failure)
      throw new Error(`${id} failed: ${JSON.stringify(failure)}; ${this.#troubles.slice(-9).join(", ")}`);
    return this.viewOf(page, id);
  }

  /** The view's frame of a mounted app. */
  async viewOf(page: Page, id: string): Promise<Frame> {
    const proxy = await page.locator(`#${id}`).locator("iframe").elementHandle();
    const [view] = (await proxy?.contentFrame())?.childFrames() ?? [];
    if (!view) throw new Error(`${id} has no view`);
    return view;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, script: string): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", this.origin);
    const [, place = "", name = ""] = pathname.split("/").map(decodeURIComponent);
    const send = (type: string, body: string, headers = {}) =>
      response.writeHead(200, { "content-type": `${type}; charset=utf-8`, ...headers }).end(body);
    if (place === "") send("text/html", PAGE, { "content-security-policy": this.#policy() });
    else if (place === "host.js") send("text/javascript", script);
    else if (place === "apps") send("application/json", JSON.stringify(this.#describe(name)));
    else if (place === "rpc") await this.#relay(name, request, response);
    else response.writeHead(404).end();
  }

  /** The policy that a host page should have: frames of the sandbox only. */
  #policy(): string {
    const frames = this.#frameSources();
    return `default-src 'none'; script-src 'self'; connect-src 'self'; frame-src ${frames}; base-uri 'none'; form-action 'none'`;
  }

  #frameSources(): string {
    const origins = [...this.#apps.values()].flatMap(({ view }) => ("src" in view ? [view.origin] : []));
    return [...new Set([`http://*.localhost:${this.sandbox.port}`, ...origins])].join(" ");
  }

  #describe(name: string): Served {
    const app = this.#apps.get(name);
    if (!app) throw new Error(`no app ${name}`);
    const { server, upstream, tool, view } = app;
    return {
      server,
      capabilities: upstream?.capabilities ?? {},
      view: "src" in view ? view : { error: { code: `${view.code}`, message: view.message } },
      ...(tool && { tool }),
    };
  }

  async #relay(server: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const upstream = [...this.#apps.values()].find((app) => app.server === server && app.upstream)?.upstream;
    if (!upstream) return void response.writeHead(404).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const info = { name: "test back end", version: "1.0.0" };
    // The guard is in the page here, where it can ask the user.
    const answer = hostEndpoint({ info, upstream, guard: (call, next) => next(call) });
    const headers = { "content-type": `${request.headers["content-type"]}` };
    const body = Buffer.concat(chunks);
    const result = await answer(new Request(this.origin, { method: "POST", headers, body }));
    response
      .writeHead(result.status, Object.fromEntries(result.headers))
      .end(Buffer.from(await result.arrayBuffer()));
  }

  /** Closes only the browser. */
  async closeBrowser(): Promise<void> {
    await this.context.close();
    await this.context.browser()?.close();
  }

  async close(): Promise<void> {
    await this.closeBrowser();
    await this.sandbox.close();
    this.#site.closeAllConnections();
    await new Promise((resolve) => this.#site.close(resolve));
  }
}

/** Options of every new page in Playwright. */
const WINDOW = { width: 1280, height: 720 };

const PAGE =
  '<!doctype html><meta charset="utf-8"><title>Host</title><body><script src="/host.js" type="module"></script></body>';
