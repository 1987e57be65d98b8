/**
 * A window of jsdom as the frame of a view: it has a host for a parent, and runs what the document has of scripts.
 *
 * @module
 */
import { type Transport, VitrineError } from "@vitrine/protocol";
import { next } from "./real-time.js";

/** A window of jsdom that runs scripts and has shown nothing yet. Only what is used of it is asked for: tests need no types of jsdom. */
export interface ViewWindow {
  readonly document: {
    open(): unknown;
    write(html: string): unknown;
    close(): unknown;
    readonly body: { cloneNode(deep?: boolean): unknown } | null;
  };
}

/** A window that {@link newWindow} makes. */
export interface JsdomWindow extends ViewWindow {
  readonly document: Document;
}

/** The name in a variable: whoever bundles this need not have the package. */
const JSDOM_PACKAGE: string = "jsdom";

/**
 * A new window of jsdom that runs scripts.
 *
 * @throws {VitrineError} `invalid` when jsdom is not installed
 */
export async function newWindow(): Promise<JsdomWindow> {
  type Jsdom = {
    JSDOM: new (html: string, options: { runScripts: "dangerously" }) => { window: JsdomWindow };
  };
  const { JSDOM }: Jsdom = await import(JSDOM_PACKAGE).catch((cause: unknown) => {
    const message =
      "mountView makes a window with jsdom, which is not installed: npm install --save-dev jsdom, or give it a window";
    throw new VitrineError("invalid", message, { cause });
  });
  return new JSDOM("", { runScripts: "dangerously" }).window;
}

/** What is used of a window besides its document. */
interface Inside extends EventTarget {
  readonly document: ViewWindow["document"];
  readonly MessageEvent: typeof MessageEvent;
  readonly DOMParser: typeof DOMParser;
  readonly HTMLScriptElement?: { supports?(type: string): boolean };
  ResizeObserver?: unknown;
  reportError?: unknown;
  close?(): void;
}

/** Where the host is, as the view sees it. */
const HOST_ORIGIN = "https://host.test";

/** What the runtime of views needs, and jsdom has not: without a layout nothing ever changes its size. */
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

  /** @param failed hears what scripts throw */
  constructor(window: ViewWindow, failed: (error: unknown) => void) {
    this.#window = window as unknown as Inside;
    Object.defineProperty(window, "parent", { value: this.#parent, configurable: true });
    this.#window.ResizeObserver ??= NoResizes;
    // The view's runtime reports what an app's listener threw; jsdom has no such function.
    this.#window.reportError ??= failed;
    this.#window.addEventListener("error", (event) => failed((event as ErrorEvent).error ?? event));
  }

  /** Shows the document. */
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
    // As between windows: a copy, or an error for what cannot be copied; and nothing for somebody else.
    const data: unknown = structuredClone(message);
    const origin = typeof to === "string" ? to : (Object(to) as { targetOrigin?: string }).targetOrigin;
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

  /** Ends the window: its timers, above all. */
  remove(): void {
    this.close();
    this.#window.close?.();
  }
}

/**
 * jsdom leaves module scripts alone. Those of a view import nothing: they run as functions when the document is there, as
 * they would in a browser.
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

/** Elements within a line: there is no gap around them. */
const INLINE =
  /^(a|abbr|b|bdi|bdo|cite|code|data|em|i|kbd|mark|q|s|small|span|strong|sub|sup|time|u|var|wbr)$/i;

/** What is to be read in a document: without what is hidden, and without scripts. */
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
