/** Templates in our host, in a real browser, with a server behind them that records its requests. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { CallToolResult, HostContext, Tool } from "@vitrine/protocol";
import type { Frame, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { type FakeUpstream, fakeUpstream } from "../fake-upstream.ts";
import type { HostApi } from "../host/host-page.ts";
import { HostStage } from "../host/host-stage.ts";

declare const host: HostApi;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Options of a test for one app. */
export interface Shown {
  input?: Record<string, unknown>;
  /** Data of the result, or a whole result. */
  data?: unknown;
  result?: CallToolResult;
  /** The server's tools, by name. */
  tools?: Record<string, (args: Record<string, unknown>) => CallToolResult | Promise<CallToolResult>>;
  /** The tool whose view this is. */
  tool?: Tool;
  context?: Partial<HostContext>;
  width?: number;
}

/** The result of a tool that returned data. */
export const giving = (data: unknown): CallToolResult =>
  Array.isArray(data) || typeof data !== "object" || data === null
    ? { content: [{ type: "text", text: JSON.stringify(data) }] }
    : { content: [{ type: "text", text: "done" }], structuredContent: data as Record<string, unknown> };

/** The result of a tool that failed. */
export const failing = (text: string): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text }],
});

/** Accessibility problems in a frame, contrast included, as found by axe. */
export async function accessibilityProblems(view: Frame): Promise<string[]> {
  if (!(await view.evaluate(() => "axe" in globalThis))) await view.evaluate(AXE);
  return view.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      }
    ).axe.run({ resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}

/** The number of pixels by which a frame's content overflows to the side. */
export const overflow = (view: Frame): Promise<number> =>
  view.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** A browser with a host page for each app. */
export class TemplateStage {
  readonly #host: HostStage;
  /** Pages without an app, for reuse: opening a new one takes as long as the app. */
  readonly #free: Page[] = [];
  #count = 0;

  private constructor(stage: HostStage) {
    this.#host = stage;
  }

  static async open(): Promise<TemplateStage> {
    return new TemplateStage(await HostStage.open());
  }

  close(): Promise<void> {
    return this.#host.close();
  }

  /** Shows a document, with its tool's input and result. */
  async show(html: string, shown: Shown = {}): Promise<ShownTemplate> {
    const {
      input,
      data,
      result = data === undefined ? undefined : giving(data),
      tools = {},
      tool,
      context,
      width,
    } = shown;
    const id = `app${++this.#count}`;
    const calls: { name: string; arguments: Record<string, unknown> }[] = [];
    const upstream = fakeUpstream(
      {
        "tools/list": () => ({
          tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } })),
        }),
        "tools/call": (params) => {
          const { name = "", arguments: args = {} } = params as {
            name?: string;
            arguments?: Record<string, unknown>;
          };
          calls.push({ name, arguments: args });
          return tools[name]?.(args) ?? failing(`there is no tool ${name}`);
        },
      },
      id,
    );
    await this.#host.serve(id, { html, upstream, ...(tool && { tool }) });
    const page = this.#free.pop() ?? (await this.#host.openPage());
    await page.setViewportSize({ width: width ?? 1280, height: 800 });
    const view = await this.#host.mount(page, id, { consent: "allow", ...(context && { context }) });
    const made = new ShownTemplate(page, view, id, calls, upstream, () => this.#free.push(page));
    // As in every tool call: the input first, then one result.
    if (input || result) await made.input(input ?? {});
    if (result) await made.result(result);
    return made;
  }
}

/** A shown app. */
export class ShownTemplate {
  readonly page: Page;
  /** The app's own frame, for locators and clicks. */
  readonly view: Frame;
  /** Tool calls of the app, in order. */
  readonly calls: { name: string; arguments: Record<string, unknown> }[];
  readonly upstream: FakeUpstream;
  readonly #id: string;
  readonly #onclose: () => void;

  constructor(
    page: Page,
    view: Frame,
    id: string,
    calls: ShownTemplate["calls"],
    upstream: FakeUpstream,
    onclose: () => void,
  ) {
    this.#onclose = onclose;
    this.page = page;
    this.view = view;
    this.calls = calls;
    this.upstream = upstream;
    this.#id = id;
  }

  /** Sends the tool's arguments to the app. */
  async input(input: Record<string, unknown>): Promise<void> {
    await this.page.evaluate(([id, given]) => host.app(id).bridge?.sendToolInput(given), [
      this.#id,
      input,
    ] as const);
  }

  /** Sends the tool's result to the app, once. */
  async result(result: CallToolResult): Promise<void> {
    await this.page.evaluate(([id, given]) => host.app(id).bridge?.sendToolResult(given), [
      this.#id,
      result,
    ] as const);
  }

  /** Streams arguments to the app as a model writes them, without an end. */
  async partial(input: Record<string, unknown>): Promise<void> {
    await this.page.evaluate(([id, given]) => host.app(id).bridge?.sendToolInputPartial(given), [
      this.#id,
      input,
    ] as const);
  }

  async cancel(reason: string): Promise<void> {
    await this.page.evaluate(([id, why]) => host.app(id).bridge?.sendToolCancelled(why), [
      this.#id,
      reason,
    ] as const);
  }

  /** Events that the host logged: `message`, `model-context`, `download`, `open-link`, `report`, `odd`. */
  heard(event: string): Promise<Record<string, unknown>[]> {
    return this.page.evaluate(
      ([name, id]) =>
        (host.log.values(name) as Record<string, unknown>[]).filter((each) => each["id"] === id),
      [event, this.#id] as const,
    );
  }

  /**
   * Focuses an element of the app, and waits until the app gets keys: until the host has seen that the focus was taken from
   * nobody, the keys of an app that took it without a press are dropped.
   */
  async focus(element: Locator): Promise<void> {
    await element.focus();
    const heard = await this.view.evaluateHandle(() => {
      const keys = { shift: false };
      addEventListener("keydown", ({ key }) => (keys.shift ||= key === "Shift"), { capture: true });
      return keys;
    });
    await expect
      .poll(async () => {
        await this.page.keyboard.press("Shift");
        return heard.evaluate(({ shift }) => shift);
      })
      .toBe(true);
  }

  /** The visible text. */
  async text(): Promise<string> {
    return (await this.view.locator("body").allInnerTexts()).join().replace(/\s+/g, " ");
  }

  /** Fails on accessibility problems, contrast included. */
  async expectAccessible(): Promise<void> {
    expect(await accessibilityProblems(this.view)).toEqual([]);
  }

  /** Fails if the content overflows to the side. */
  async expectNoOverflow(): Promise<void> {
    expect(await overflow(this.view)).toBeLessThanOrEqual(0);
  }

  /** Closes the app; fails on unexpected messages or reports. */
  async close(): Promise<void> {
    const reports = (await this.heard("report")).filter(
      ({ code }) => code !== "loaded" && code !== "painted",
    );
    expect([await this.heard("odd"), reports]).toEqual([[], []]);
    await this.page.evaluate((id) => host.app(id).remove(), this.#id);
    await this.page.emulateMedia({ colorScheme: null, reducedMotion: null, forcedColors: null });
    this.#onclose();
  }
}
