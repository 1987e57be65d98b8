/**
 * The host's side of a view, written by hand: a page that uses plain `postMessage`. It contains none of our
 * code, so a mistake of ours cannot hide by being made on both sides.
 */

import type { Browser, Frame, Page } from "playwright-core";
import { expect } from "vitest";
import { inlineScript, LIMIT } from "./browser.js";

/** A message on the wire. */
export interface WireMessage {
  jsonrpc: "2.0";
  id?: number | string | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** The host's answer to a request: a result, an error, or none yet. */
export type Answer = { result: unknown } | { error: { code: number; message: string } } | "hold";

/** Options for showing a view. */
export interface MountOptions {
  /** URL of the view's document. */
  url: string;
  /** The host context of the handshake. */
  context?: Record<string, unknown>;
  /** Answers by method, beside the default ones. */
  answers?: Record<string, Answer>;
  /** The frame's `sandbox` attribute; none by default. */
  sandbox?: string;
}

/** Functions of the host page for the test. */
interface HostPage {
  received: WireMessage[];
  origins: Set<string>;
  answers: Record<string, Answer>;
  mount(options: MountOptions): Promise<void>;
  reload(): Promise<void>;
  post(message: object): void;
  request(method: string, params: object): Promise<WireMessage>;
  release(method: string): void;
  waitFor(method: string, count: number): Promise<WireMessage[]>;
}
declare const host: HostPage;

/** Runs in the host's page. */
function hostPage(): void {
  const iframe = document.createElement("iframe");
  const watchers = new Set<() => void>();
  let nextId = 1000;
  const loaded = (): Promise<void> =>
    new Promise((resolve) => iframe.addEventListener("load", () => resolve(), { once: true }));
  const reply = (message: WireMessage, answer: Answer | undefined): void => {
    if (answer === "hold") return;
    const missing = { error: { code: -32601, message: "Method not found" } };
    page.post({ id: message.id, ...(answer ?? missing) });
  };
  const page: HostPage = {
    received: [],
    origins: new Set(),
    answers: {},
    mount: ({ url, context = {}, answers, sandbox }) => {
      const result = {
        protocolVersion: "2026-01-26",
        hostInfo: { name: "raw-host", version: "1.0.0" },
        hostCapabilities: { openLinks: {}, serverTools: {} },
        hostContext: context,
      };
      page.answers = { "ui/initialize": { result }, ping: { result: {} }, ...answers };
      if (sandbox !== undefined) iframe.setAttribute("sandbox", sandbox);
      iframe.src = url;
      const done = loaded();
      document.body.append(iframe);
      return done;
    },
    reload: () => {
      const done = loaded();
      // biome-ignore lint/correctness/noSelfAssign: this is how a frame of another origin is loaded anew.
      iframe.src = iframe.src;
      return done;
    },
    post: (message) => iframe.contentWindow?.postMessage({ jsonrpc: "2.0", ...message }, "*"),
    request: async (method, params) => {
      const id = nextId++;
      page.post({ id, method, params });
      const find = (): WireMessage | undefined =>
        page.received.find((message) => message.id === id && !message.method);
      for (;;) {
        const answer = find();
        if (answer) return answer;
        await new Promise<void>((resolve) => watchers.add(resolve));
      }
    },
    release: (method) => {
      const waiting = page.received.filter((message) => message.method === method);
      for (const message of waiting) reply(message, page.answers[method]);
    },
    waitFor: async (method, count) => {
      for (;;) {
        const found = page.received.filter((message) => message.method === method);
        if (found.length >= count) return found;
        await new Promise<void>((resolve) => watchers.add(resolve));
      }
    },
  };
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== iframe.contentWindow) return;
    page.origins.add(origin);
    page.received.push(data);
    const { method, id } = data as WireMessage;
    if (method && id !== undefined) reply(data, page.answers[method]);
    for (const wake of watchers) wake();
    watchers.clear();
  });
  Object.assign(globalThis, { host: page });
}

const HEAD = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">';

/** The host's document. Serve it, and open it with {@link RawHost.open}. */
export const HOST_PAGE = `${HEAD}<title>host</title>${inlineScript(`(${hostPage})()`)}`;

/** A view's document that ends with a script. */
export const viewPage = (code: string, body = ""): string =>
  `${HEAD}<title>view</title><body>${body}${inlineScript(code)}`;

/** The host page, from the test's side: one for all tests of a file; each test loads it again. */
export class RawHost {
  readonly page: Page;
  /** The host's frame: the main frame, unless the host is framed itself. */
  at: Frame;
  /** Console output of all frames, and uncaught errors. */
  readonly console: string[] = [];

  constructor(page: Page) {
    this.page = page;
    this.at = page.mainFrame();
    page.setDefaultTimeout(LIMIT);
    page.on("console", (message) => this.console.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => this.console.push(`uncaught: ${error.message}`));
  }

  static async launch(browser: Browser): Promise<RawHost> {
    return new RawHost(await browser.newPage());
  }

  /** Loads the host page again: `HOST_PAGE`, or a page with it in its only frame. */
  async open(url: string): Promise<this> {
    await this.page.goto(url);
    this.console.length = 0;
    const [inner = this.page.mainFrame()] = this.page.mainFrame().childFrames();
    this.at = inner;
    return this;
  }

  /** Shows a view and returns its loaded frame. */
  async mount(options: MountOptions): Promise<Frame> {
    await this.at.evaluate((given) => host.mount(given), options);
    const frame = this.at.childFrames().at(-1);
    if (!frame) throw new Error("the view has no frame");
    return frame;
  }
  /** Reloads the view's document in the same frame. */
  reload(): Promise<void> {
    return this.at.evaluate(() => host.reload());
  }

  notify(method: string, params: object = {}): Promise<void> {
    return this.at.evaluate((message) => host.post(message), { method, params });
  }
  /** Sends any value unchanged. */
  post(message: object): Promise<void> {
    return this.at.evaluate((given) => host.post(given), message);
  }
  /** Sends a request to the view and waits for the answer. */
  request(method: string, params: object = {}): Promise<WireMessage> {
    return this.at.evaluate(([name, given]) => host.request(name, given), [method, params] as const);
  }
  /** Answers a method from now on, including the pending requests. */
  async answer(method: string, answer: Answer): Promise<void> {
    await this.at.evaluate(
      ([name, given]) => {
        const held = host.answers[name] === "hold";
        host.answers[name] = given;
        if (held) host.release(name);
      },
      [method, answer] as const,
    );
  }

  /** Messages that the view has sent so far; only those of `method`, if given. */
  async received(method?: string): Promise<WireMessage[]> {
    const all = await this.at.evaluate(() => host.received);
    return method ? all.filter((message) => message.method === method) : all;
  }
  /** Waits until the view has sent so many messages of a method, and returns them. */
  waitFor(method: string, count = 1): Promise<WireMessage[]> {
    return this.at.evaluate(([name, least]) => host.waitFor(name, least), [method, count] as const);
  }
  /** The origins of the view's messages. */
  origins(): Promise<string[]> {
    return this.at.evaluate(() => [...host.origins]);
  }
}

/** Waits until an element of a view shows a text. */
export async function shows(frame: Frame, id: string, text: string): Promise<void> {
  const shown = await frame.evaluate(
    ([name, wanted]) =>
      new Promise<string | null | undefined>((resolve) => {
        const read = () => document.getElementById(name)?.textContent;
        const done = (): void => {
          observer.disconnect();
          clearTimeout(timer);
          resolve(read());
        };
        const check = (): void => {
          if (read() === wanted) done();
        };
        const observer = new MutationObserver(check);
        observer.observe(document, { subtree: true, childList: true, characterData: true });
        const timer = setTimeout(done, 60_000);
        check();
      }),
    [id, text] as const,
  );
  expect(shown, `#${id}`).toBe(text);
}
