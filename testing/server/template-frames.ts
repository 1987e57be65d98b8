/**
 * Templates in plain frames of one page, as in the smallest host: many states in little time, without a
 * sandbox.
 */
import { buildCsp } from "@vitrine/protocol";
import { renderTemplate, TEMPLATES } from "@vitrine/server/templates";
import type { Frame, Page } from "playwright-core";
import { type Site, type Page as SitePage, serveSite, sharedChromium } from "../browser.ts";

type Json = Record<string, unknown>;

/** A host that shows views in frames and notifies them. */
interface Host {
  open(url: string, context: Json): Promise<void>;
  /** Notifies a view, and waits until it has handled the notification. */
  tell(url: string, what: string, params: object): Promise<void>;
}
declare const host: Host;

/** Runs in the host's page. Its frames are as narrow as phones. */
function beHost(): void {
  const posts = new Map<string, (message: object) => Promise<unknown>>();
  let last = 0;
  const open = async (url: string, hostContext: Json): Promise<void> => {
    const frame = document.createElement("iframe");
    frame.name = frame.src = url;
    frame.width = "320";
    frame.height = "700";
    const waiting = new Map<unknown, (value: unknown) => void>();
    const until = (what: unknown): Promise<unknown> => new Promise((resolve) => waiting.set(what, resolve));
    const post = (message: object): void =>
      frame.contentWindow?.postMessage({ jsonrpc: "2.0", ...message }, "*");
    const hostInfo = { name: "host", version: "1.0.0" };
    const initialized = {
      protocolVersion: "2026-01-26",
      hostInfo,
      hostCapabilities: { serverTools: {} },
      hostContext,
    };
    addEventListener("message", ({ source, data: { id, method } }) => {
      if (source !== frame.contentWindow) return;
      if (method && id !== undefined) post({ id, result: method === "ui/initialize" ? initialized : {} });
      else waiting.get(method ?? id)?.(undefined);
    });
    posts.set(url, (message) => {
      post(message);
      // Messages are handled in order: when this one is answered, the other was handled.
      const id = `ping ${++last}`;
      post({ id, method: "ping" });
      return until(id);
    });
    const ready = until("ui/notifications/initialized");
    document.body.append(frame);
    await ready;
  };
  const tell = async (url: string, what: string, params: object): Promise<void> => {
    await posts.get(url)?.({ method: `ui/notifications/${what}`, params });
  };
  Object.assign(globalThis, { host: { open, tell } satisfies Host });
}

/** A browser with one host page for all templates. */
export class TemplateFrames {
  readonly page: Page;
  readonly #site: Site;
  readonly #pages: Record<string, SitePage>;

  private constructor(page: Page, site: Site, pages: Record<string, SitePage>) {
    this.page = page;
    this.#site = site;
    this.#pages = pages;
  }

  static async open(): Promise<TemplateFrames> {
    const pages = {
      "/": `<!doctype html><title>host</title><link rel=icon href=data:,><body><script>(${beHost})()</script>`,
    };
    const site = await serveSite(pages);
    const browser = await sharedChromium();
    const page = await browser.newPage();
    await page.goto(site.origin());
    return new TemplateFrames(page, site, pages);
  }

  async close(): Promise<void> {
    await this.page.close();
    await this.#site.close();
  }

  /** Shows a template in a frame, and waits for its handshake. */
  async show(name: string, config: Json = {}): Promise<FramedTemplate> {
    const template = TEMPLATES[name];
    if (!template) throw new Error(`there is no template ${name}`);
    const url = `/${name}/${Object.keys(this.#pages).length}`;
    const { policy } = buildCsp({}, { frameAncestors: [this.#site.origin()] });
    this.#pages[url] = {
      body: renderTemplate(template, config as never),
      headers: { "content-security-policy": policy },
    };
    const context = { locale: "en", theme: "light" };
    await this.page.evaluate(([at, given]) => host.open(at, given), [url, context] as const);
    const frame = this.page.frame({ name: url });
    if (!frame) throw new Error(`${url} has no frame`);
    return new FramedTemplate(url, frame, this.page);
  }
}

/** A template in a frame. */
export class FramedTemplate {
  readonly frame: Frame;
  readonly #url: string;
  readonly #page: Page;

  constructor(url: string, frame: Frame, page: Page) {
    this.#url = url;
    this.frame = frame;
    this.#page = page;
  }

  /** Sends a host's notification, such as `tool-result`, and waits until the template has handled it. */
  async tell(what: string, params: object): Promise<void> {
    await this.#page.evaluate(([url, name, given]) => host.tell(url, name, given), [
      this.#url,
      what,
      params,
    ] as const);
  }

  /** The visible text, in one line. */
  async text(): Promise<string> {
    return (await this.frame.locator("body").allInnerTexts()).join().replace(/\s+/g, " ");
  }

  /** Its computed style. */
  look(): Promise<{ paper: string; ink: string; font: string; direction: string }> {
    return this.frame.evaluate(() => {
      const { backgroundColor, color, fontFamily, direction } = getComputedStyle(document.body);
      return { paper: backgroundColor, ink: color, font: fontFamily, direction };
    });
  }

  /** The number of running animations. */
  moving(): Promise<number> {
    return this.frame.evaluate(() => document.getAnimations().length);
  }

  async close(): Promise<void> {
    await this.#page.evaluate((url) => document.querySelector(`iframe[name="${url}"]`)?.remove(), this.#url);
  }
}
