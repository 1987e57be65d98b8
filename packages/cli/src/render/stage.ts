/**
 * The rendering environment: a gateway with at most one server, and a signed-in browser.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, type RunningGateway, readSettings, startGateway } from "@vitrine/gateway";
import { JsonText, readUiDocument } from "@vitrine/protocol";
import type { ServerSettings } from "@vitrine/servers";
import type { ServerCatalogue, ServerSummary } from "@vitrine/wire";
import { type RenderDocument, workbenchFolder } from "@vitrine/workbench";
import type { Browser, BrowserContext } from "playwright-core";
import { CliError } from "../exit.js";
import { withStray } from "../stray-lines.js";
import { launchBrowser } from "./browser.js";
import { type Closable, endAll } from "./ends.js";
import type { RenderPlan } from "./render-plan.js";

/** Options of {@link Stage}. */
export interface StageOptions {
  /** A shared browser: each stage gets its own context in it. */
  readonly browser?: Browser | undefined;
  /** The folder with the built pages. */
  readonly pages?: string | undefined;
}

const LOCAL = { user: "local" };
/** Milliseconds that the server gets to exit by itself. */
const GRACE = 1_000;

/** Opens the resources, and closes all of them in any state. */
export class Stage {
  readonly #plan: RenderPlan;
  readonly #options: StageOptions;
  readonly #settings: ServerSettings | undefined;
  /** Resources to close, last one first. */
  readonly #ends: Closable[] = [];
  readonly #gateway: Promise<RunningGateway>;
  #context: Promise<BrowserContext> | undefined;

  constructor(settings: ServerSettings | undefined, plan: RenderPlan, options: StageOptions = {}) {
    this.#plan = plan;
    this.#options = options;
    this.#settings = settings && patient(settings, plan);
    this.#gateway = this.#startGateway();
    this.#gateway.catch(() => {});
  }

  /** The server's name in the gateway. */
  get server(): string {
    return this.#settings?.name ?? "";
  }

  async origin(): Promise<string> {
    return (await this.#gateway).origin;
  }

  /**
   * Starts the server.
   *
   * @throws {CliError} with the server's stderr
   */
  async connect(): Promise<ServerSummary> {
    const gateway = await this.#gateway;
    const summary = await gateway.api.start(LOCAL, this.server);
    const { state, problem, garbage } = summary;
    if (state !== "ready") {
      const { code = "server-failed", message = `${this.server} does not start`, stderr } = problem ?? {};
      throw new CliError(code, withStray(message, garbage), { stderr });
    }
    return summary;
  }

  /** The server's catalogue, once it is ready. */
  async catalogue(): Promise<ServerCatalogue> {
    return (await this.#gateway).api.catalogue(LOCAL, this.server);
  }

  /** The UI document at an address; undefined if it cannot be read: the page reports why. */
  async document(uri: string): Promise<RenderDocument | undefined> {
    const gateway = await this.#gateway;
    const signal = AbortSignal.timeout(this.#plan.timeout);
    try {
      const read = await gateway.api.request(LOCAL, this.server, "resources/read", { uri }, { signal });
      const document = readUiDocument(read instanceof JsonText ? read.parse() : read, uri);
      return document.ok ? { html: document.html, meta: document.meta } : undefined;
    } catch {
      return undefined;
    }
  }

  /** The browser's context; the browser starts on first use. */
  context(): Promise<BrowserContext> {
    this.#context ??= this.#openContext();
    this.#context.catch(() => {});
    return this.#context;
  }

  /**
   * Closes the browser, the server and the gateway, and deletes their files, whatever fails. Returns messages
   * about failures.
   */
  async close(): Promise<string[]> {
    // A resource that is still opening can only be closed once it is open.
    await Promise.allSettled([this.#gateway, this.#context]);
    return endAll(this.#ends.splice(0).reverse());
  }

  async #startGateway(): Promise<RunningGateway> {
    const folder = mkdtemp(join(tmpdir(), "vitrine-render-"));
    this.#ends.push({
      what: "its files",
      end: async () => rm(await folder, { recursive: true, force: true }),
    });
    const dataFolder = await folder;
    // With its own key file, so that no keyring stores a key for a temporary folder.
    await writeFile(join(dataFolder, "secrets.key"), `${randomBytes(32).toString("base64url")}\n`, {
      mode: 0o600,
    });
    const settings = await readSettings("{}", {
      overrides: { listen: { port: 0 }, sandbox: { port: 0 }, dataFolder },
      servers: this.#settings ? [this.#settings] : [],
    });
    const gateway = startGateway(
      { ...settings, database: "sqlite::memory:", log: { ...settings.log, level: "silent" } },
      {
        log: createLog({ level: "silent" }),
        static: { folder: this.#options.pages ?? workbenchFolder },
      },
    );
    this.#ends.push({
      what: "the gateway",
      end: async () => (await gateway.catch(() => undefined))?.close(GRACE),
    });
    return gateway;
  }

  async #openContext(): Promise<BrowserContext> {
    const { browser: given } = this.#options;
    const { device, theme, locale, timeZone } = this.#plan;
    const launched = given ? Promise.resolve(given) : launchBrowser();
    if (!given)
      this.#ends.push({
        what: "the browser",
        end: async () => (await launched.catch(() => undefined))?.close(),
      });
    const { viewport, scale, isMobile } = device;
    const browser = await launched;
    const opened = browser.newContext({
      viewport,
      deviceScaleFactor: scale,
      isMobile,
      hasTouch: isMobile,
      colorScheme: theme,
      reducedMotion: "reduce",
      acceptDownloads: false,
      ...(locale !== undefined && { locale }),
      ...(timeZone !== undefined && { timezoneId: timeZone }),
    });
    this.#ends.push({
      what: "the browser's context",
      end: async () => (await opened.catch(() => undefined))?.close(),
    });
    const context = await opened;
    const gateway = await this.#gateway;
    // Signs in without loading the page.
    await context.request.get(gateway.loginUrl(), { maxRedirects: 0 });
    return context;
  }
}

/** Extra milliseconds for the server, so that the page times out first, with a better message. */
const LATER = 2_000;

/**
 * A server that starts on demand. Its timeouts are the given ones or those of its settings, but no longer
 * than the page waits.
 */
export function patient(
  settings: ServerSettings,
  { timeout, isTimeoutGiven }: Pick<RenderPlan, "timeout" | "isTimeoutGiven">,
): ServerSettings {
  const { limits } = settings;
  const within = (own: number, wanted: number): number => (isTimeoutGiven ? wanted : Math.min(own, wanted));
  return {
    ...settings,
    start: "lazy",
    limits: {
      ...limits,
      startTimeout: within(limits.startTimeout, timeout),
      timeout: within(limits.timeout, timeout + LATER),
    },
  };
}
