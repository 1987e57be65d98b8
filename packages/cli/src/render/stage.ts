/**
 * Where apps are rendered: a gateway with one server or none, and a browser that is signed in to it.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, type Gateway, readSettings, startGateway } from "@vitrine/gateway";
import { JsonText, readUiDocument } from "@vitrine/protocol";
import type { ServerSettings } from "@vitrine/servers";
import type { ServerCatalogue, ServerSummary } from "@vitrine/wire";
import { type RenderDocument, workbenchFolder } from "@vitrine/workbench";
import type { Browser, BrowserContext } from "playwright-core";
import { CliError } from "../exit.js";
import { withStray } from "../stray-lines.js";
import { launchBrowser } from "./browser.js";
import { type End, endAll } from "./ends.js";
import type { RenderPlan } from "./render-plan.js";

/** What a stage may be given. */
export interface StageOptions {
  /** A browser that stays: each stage has a context of its own in it. */
  readonly browser?: Browser | undefined;
  /** The folder with the built pages. */
  readonly pages?: string | undefined;
}

const LOCAL = { user: "local" };
/** Milliseconds that the server gets to end by itself. */
const GRACE = 1_000;

/** Opens what is needed, and closes all of it, in whatever state it is. */
export class Stage {
  readonly #plan: RenderPlan;
  readonly #options: StageOptions;
  readonly #settings: ServerSettings | undefined;
  /** What is to be undone, the last first. */
  readonly #ends: End[] = [];
  readonly #gateway: Promise<Gateway>;
  #context: Promise<BrowserContext> | undefined;

  constructor(settings: ServerSettings | undefined, plan: RenderPlan, options: StageOptions = {}) {
    this.#plan = plan;
    this.#options = options;
    this.#settings = settings && patient(settings, plan);
    this.#gateway = this.#startGateway();
    this.#gateway.catch(() => {});
  }

  /** The name under which the gateway knows the server. */
  get server(): string {
    return this.#settings?.name ?? "";
  }

  async origin(): Promise<string> {
    return (await this.#gateway).origin;
  }

  /**
   * Starts the server.
   *
   * @throws {CliError} with what the server wrote to stderr
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

  /** What the server offers, once it is there. */
  async catalogue(): Promise<ServerCatalogue> {
    return (await this.#gateway).api.catalogue(LOCAL, this.server);
  }

  /** The UI document at an address; undefined when it cannot be read: who shows it says why. */
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

  /** The browser's context; the browser is started when it is first asked for. */
  context(): Promise<BrowserContext> {
    this.#context ??= this.#openContext();
    this.#context.catch(() => {});
    return this.#context;
  }

  /**
   * Ends the browser, the server and the gateway, and takes their files away: each of them, whatever becomes of the
   * others. Returns what did not end, in words.
   */
  async close(): Promise<string[]> {
    // What is being opened can be closed only when it is open.
    await Promise.allSettled([this.#gateway, this.#context]);
    return endAll(this.#ends.splice(0).reverse());
  }

  async #startGateway(): Promise<Gateway> {
    const folder = mkdtemp(join(tmpdir(), "vitrine-render-"));
    this.#ends.push({
      what: "its files",
      end: async () => rm(await folder, { recursive: true, force: true }),
    });
    const dataFolder = await folder;
    // A key of its own beside it: no keyring has to keep one for a folder that is gone in a moment.
    await writeFile(join(dataFolder, "secrets.key"), `${randomBytes(32).toString("base64url")}\n`, {
      mode: 0o600,
    });
    const settings = await readSettings("{}", {
      overrides: { listen: { port: 0 }, sandbox: { port: 0 }, dataFolder },
      servers: this.#settings ? [this.#settings] : [],
    });
    const gateway = startGateway(
      { ...settings, database: "sqlite::memory:" },
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
    // Signed in without a page: the one that the link leads to is not needed.
    await context.request.get(gateway.loginUrl(), { maxRedirects: 0 });
    return context;
  }
}

/** Milliseconds that the server has longer than the page, which says better what was not answered. */
const LATER = 2_000;

/**
 * A server that is started when it is asked for. It has as long for everything as the person said, or else as its
 * settings say, but no longer than the page waits.
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
