/**
 * A jsdom window as the frame of a view: it has a host as parent, and runs the document's scripts.
 *
 * @module
 */
import { recordOf, type Transport, VitrineError } from "@vitrine/protocol";
import { next } from "./real-time.js";

/**
 * A jsdom window that runs scripts and is still empty. Typed structurally, so that tests need no types of
 * jsdom.
 */
export interface ViewWindow {
  readonly document: {
    open(): unknown;
    write(html: string): unknown;
    close(): unknown;
    readonly body: { cloneNode(deep?: boolean): unknown } | null;
  };
}

/** A window created by {@link newWindow}. */
export interface JsdomWindow extends ViewWindow {
  readonly document: Document;
}

/** In a variable, so that bundlers do not require the package. */
const JSDOM_PACKAGE: string = "jsdom";

/**
 * Creates a jsdom window that runs scripts.
 *
 * @throws {VitrineError} `invalid` if jsdom is not installed
 */
export async function newWindow(): Promise<JsdomWindow> {
  type Jsdom = {
    JSDOM: new (html: string, options: { runScripts: "dangerously" }) => { window: JsdomWindow };
  };
  const { JSDOM }: Jsdom = await import(JSDOM_PACKAGE).catch((cause: unknown) => {
    const message =
      "mountView needs jsdom to create a window, but it is not installed: npm install --save-dev jsdom, or pass a window";
    throw new VitrineError("invalid", message, { cause });
  });
  return new JSDOM("", { runScripts: "dangerously" }).window;
}

/** The used part of a window, besides its document. */
interface Inside extends EventTarget {
  readonly document: ViewWindow["document"];
  readonly MessageEvent: typeof MessageEvent;
  readonly DOMParser: typeof DOMParser;
  readonly HTMLScriptElement?: { supports?(type: string): boolean };
  ResizeObserver?: unknown;
  reportError?: unknown;
  close?(): void;
}

/** The host's origin, as the view sees it. */
const HOST_ORIGIN = "https://host.test";

/** A no-op observer, which jsdom lacks: without a layout, sizes never change. */
class NoResizes {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

/** The frame of one view. */
export class ViewFrame implements Transport {
  readonly #window: Inside;
  readonly #parent = { postMessage: (message: unknown, to?: unknown) => this.#posted(message, to) };
  #receive: ((message: unknown) => void) | undefined;

  /** @param failed called for errors of scripts */
  constructor(window: ViewWindow, failed: (error: unknown) => void) {
    this.#window = window as unknown as Inside;
    Object.defineProperty(window, "parent", { value: this.#parent, configurable: true });
    this.#window.ResizeObserver ??= NoResizes;
    // The view's runtime reports listener errors with this function, which jsdom lacks.
    this.#window.reportError ??= failed;
    this.#window.addEventListener("error", (event) => failed((event as ErrorEvent).error ?? event));
  }

  /** Loads the document. */
  write(html: string): void {
    const { document } = this.#window;
    document.open();
    document.write(withoutModules(html, this.#window));
    document.close();
  }

  start(receive: (message: unknown) => void): void {
    this.#receive = receive;
  }

  #posted(message: unknown, to: unknown): void {
    // As between windows: delivers a copy, throws if it cannot be copied, and drops messages for other
    // origins.
    const data: unknown = structuredClone(message);
    const origin = typeof to === "string" ? to : recordOf(to)["targetOrigin"];
    if (origin === "*" || origin === HOST_ORIGIN) next(() => this.#receive?.(data));
  }

  send(message: unknown): void {
    const data: unknown = structuredClone(message);
    const source = this.#parent as unknown as Window;
    next(() => {
      if (!this.#receive) return;
      const { MessageEvent: Message } = this.#window;
      this.#window.dispatchEvent(new Message("message", { data, source, origin: HOST_ORIGIN }));
    });
  }

  close(): void {
    this.#receive = undefined;
  }

  /** Closes the window, and stops its timers. */
  remove(): void {
    this.close();
    this.#window.close?.();
  }
}

/**
 * jsdom does not run module scripts. A view's modules import nothing, so they run as functions once the
 * document is complete, as in a browser.
 */
function withoutModules(html: string, { DOMParser: Parser, HTMLScriptElement: Script }: Inside): string {
  if (!/<script[^>]+module/i.test(html) || Script?.supports?.("module")) return html;
  const parsed = new Parser().parseFromString(html, "text/html");
  for (const script of parsed.querySelectorAll('script[type="module"]')) {
    script.removeAttribute("type");
    script.textContent = `(async()=>{"use strict";${script.textContent}
})().catch((error)=>setTimeout(()=>{throw error}))`;
    parsed.body.append(script);
  }
  return `<!doctype html>${parsed.documentElement.outerHTML}`;
}

/** Inline elements: there is no gap around them. */
const INLINE =
  /^(a|abbr|b|bdi|bdo|cite|code|data|em|i|kbd|mark|q|s|small|span|strong|sub|sup|time|u|var|wbr)$/i;

/** The visible text of a document, without scripts. */
export function textOf({ body }: ViewWindow["document"]): string {
  const copy = body?.cloneNode(true) as HTMLElement | undefined;
  for (const each of copy?.querySelectorAll("script, style, template, [hidden]") ?? []) each.remove();
  for (const each of copy?.querySelectorAll("*") ?? []) {
    if (INLINE.test(each.tagName)) continue;
    each.before(" ");
    each.after(" ");
  }
  return (copy?.textContent ?? "").replace(/\s+/g, " ").trim();
}
