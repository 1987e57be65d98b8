/**
 * A real gateway with its own page, and a browser.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLog, type GatewayOptions, RunningGateway, readSettings } from "@vitrine/gateway";
import type { BrowserContext, Frame, Page } from "playwright-core";
import { bundle, LIMIT, sharedChromium } from "../browser.ts";
import type { GatewayPageApi } from "./gateway-page.ts";

declare const host: GatewayPageApi;

/** The script of an official example server. */
export const officialServer = (name: string): string =>
  fileURLToPath(
    new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url),
  );

/** The script of a server whose apps show their host context. */
export const PROBE_SERVER = fileURLToPath(new URL("./probe-server.mjs", import.meta.url));

const PAGE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title><script type="module" src="/host.js"></script>';

/** Settings in the format of the file; ports and folders are filled in. */
export type StageSettings = Record<string, unknown>;

/** Starts a gateway on free ports, in a folder of its own. */
export async function startTestGateway(
  settings: StageSettings,
  folder: string,
  files?: string,
  options: Pick<GatewayOptions, "host" | "testMode" | "setup" | "detection"> = {},
): Promise<{ gateway: RunningGateway; log: string[] }> {
  const log: string[] = [];
  const read = await readSettings({
    listen: { port: 0 },
    sandbox: { port: 0 },
    dataFolder: folder,
    ...settings,
  });
  const stream = { write: (line: string) => void log.push(line) };
  const gateway = await RunningGateway.start(read, {
    log: createLog({ level: "info", stream }),
    ...(files !== undefined && { static: { folder: files } }),
    ...options,
  });
  return { gateway, log };
}

/** Writes the page that tests use, as files that a gateway can serve. */
export async function writePage(folder: string): Promise<void> {
  const script = await bundle('import "./testing/gateway/gateway-page.ts";', { format: "esm" });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "index.html"), PAGE);
  await writeFile(join(folder, "host.js"), script);
}

/** A gateway, and a browser that is signed in. */
export class GatewayStage {
  readonly context: BrowserContext;
  readonly log: string[];
  /** Problems in the pages' consoles. */
  readonly complaints: string[] = [];
  readonly #settings: StageSettings;
  readonly #folder: string;
  /** The folder that the gateway serves. */
  readonly #files: string;
  #gateway: RunningGateway;

  private constructor(
    gateway: RunningGateway,
    context: BrowserContext,
    log: string[],
    settings: StageSettings,
    folder: string,
    files: string,
  ) {
    this.#gateway = gateway;
    this.context = context;
    this.log = log;
    this.#settings = settings;
    this.#folder = folder;
    this.#files = files;
    context.setDefaultTimeout(LIMIT);
    context.on("console", (message) => message.type() === "error" && this.complaints.push(message.text()));
    context.on("weberror", (error) => this.complaints.push(`${error.error()}`));
  }

  /** @param page folder of a page to serve instead of the test page */
  static async open(
    settings: StageSettings,
    page?: string,
    options: Pick<GatewayOptions, "setup" | "detection"> = {},
  ): Promise<GatewayStage> {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-gateway-"));
    const files = page ?? join(folder, "page");
    if (page === undefined) await writePage(files);
    const { gateway, log } = await startTestGateway(settings, join(folder, "data"), files, options);
    const browser = await sharedChromium();
    return new GatewayStage(gateway, await browser.newContext(), log, settings, folder, files);
  }

  /** The folder of the gateway's own files. */
  get dataFolder(): string {
    return join(this.#folder, "data");
  }

  get gateway(): RunningGateway {
    return this.#gateway;
  }

  /** Stops the gateway and starts another one with the same addresses and files. */
  async restart(): Promise<void> {
    const { origin, sandboxPort } = this.#gateway;
    await this.#gateway.close();
    const places = { listen: { port: Number(new URL(origin).port) }, sandbox: { port: sandboxPort } };
    const { gateway, log } = await startTestGateway(
      { ...this.#settings, ...places },
      join(this.#folder, "data"),
      this.#files,
    );
    this.#gateway = gateway;
    this.log.push(...log);
  }

  /** Opens the page, signed in by a link; with `search`, in a browser that may be signed in already. */
  async openPage(context = this.context, search = ""): Promise<Page> {
    const page = await context.newPage();
    const { origin } = this.gateway;
    const isSignedIn = (await context.cookies(origin)).length > 0;
    if (!search || !isSignedIn) await page.goto(this.gateway.loginUrl());
    if (search) await page.goto(`${origin}/${search}`);
    await page.waitForFunction(() => "host" in globalThis);
    return page;
  }

  /** Opens a view, and waits until its app is ready. */
  async open(
    page: Page,
    id: string,
    server: string,
    tool: string,
    input: Record<string, unknown>,
  ): Promise<Frame> {
    const opened = await page.evaluate(
      ([...args]) => host.open(args[0], { server: args[1], tool: args[2], arguments: args[3] }),
      [id, server, tool, input] as const,
    );
    if (opened.problem) throw new Error(`${server}: ${opened.problem.message}`);
    const failure = await page.evaluate(
      (app) =>
        Promise.race([
          host.log.until(`${app} ready`).then(() => undefined),
          host.log.until(`${app} failed`).catch(() => undefined),
        ]),
      id,
    );
    if (failure) throw new Error(`${id} failed: ${JSON.stringify(failure)}`);
    return this.viewOf(page, id);
  }

  /** The view's frame. */
  async viewOf(page: Page, id: string): Promise<Frame> {
    const proxy = await page.locator(`#${id}`).locator("iframe").elementHandle();
    const [view] = (await proxy?.contentFrame())?.childFrames() ?? [];
    if (!view) throw new Error(`${id} has no view`);
    return view;
  }

  /** Rows of the audit log. */
  rows(query: Parameters<RunningGateway["api"]["audit"]["query"]>[1] = {}) {
    return this.gateway.api.audit.query({ user: "local" }, { limit: 1000, ...query });
  }

  async close(): Promise<void> {
    await this.context.close();
    await this.context.browser()?.close();
    await this.gateway.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
