/**
 * The app of an official server in our host page. Its tool was called as a model would, and its view has the
 * input and the real result.
 */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { CallToolResult } from "@vitrine/protocol";
import type { ViewRegistration } from "@vitrine/sandbox";
import type { Frame, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { HostApi } from "./host-page.ts";
import type { HostStage } from "./host-stage.ts";
import { type OfficialServer, startOfficialServer } from "./official-servers.ts";
import { colours, decodePng, encodePng, type Picture } from "./picture.ts";

declare const host: HostApi;

/** Options for opening an app. */
export interface OpenOptions extends Pick<ViewRegistration, "relax"> {
  /** Arguments of the tool call. */
  input?: Record<string, unknown>;
  /** Arguments of the server's command line. */
  args?: string[];
  /** A running server, for several apps; its starter closes it. */
  server?: OfficialServer;
}

/** Reports of blocked actions that do no harm: zod checks whether it may use `eval`, and works without it. */
const PROBE = { code: "csp-violation", directive: "script-src", blocked: "eval" };
/** Folder of the pictures for the documentation. */
const PICTURES = fileURLToPath(new URL("../../docs/apps/", import.meta.url));
/** A long timeout, for slow machines. */
const longTimeout = { timeout: 30_000 };

/** An app in the stage's only page. Close it before the next one. */
export class OfficialApp {
  readonly name: string;
  readonly server: OfficialServer;
  readonly result: CallToolResult;
  readonly page: Page;
  readonly view: Frame;

  readonly #end: () => Promise<void>;

  private constructor(
    name: string,
    server: OfficialServer,
    result: CallToolResult,
    page: Page,
    view: Frame,
    end: () => Promise<void>,
  ) {
    this.#end = end;
    this.name = name;
    this.server = server;
    this.result = result;
    this.page = page;
    this.view = view;
  }

  static async open(stage: HostStage, name: string, options: OpenOptions = {}): Promise<OfficialApp> {
    const { input = {}, args = [], relax = [] } = options;
    const server = options.server ?? (await startOfficialServer(name, ...args));
    const end = options.server ? async () => {} : server.close;
    try {
      const result = await server.call(input);
      const { upstream, tool, uri } = server;
      const view = await stage.serveTool(name, upstream, tool, uri, { relax });
      if (!("src" in view)) throw view;
      const page = await stage.freshPage();
      // The element is 800 px wide between the page's margins.
      await page.setViewportSize({ width: 816, height: 1000 });
      const title = tool.title ?? tool.name;
      const frame = await stage.mount(page, name, { title, input, result, consent: "allow" });
      return new OfficialApp(name, server, result, page, frame, end);
    } catch (error) {
      await end();
      throw error;
    }
  }

  get element(): Locator {
    return this.page.locator(`#${this.name}`);
  }

  /** Events that the host logged under a name: `message`, `open-link`, `log` and so on. */
  heard(event: string): Promise<unknown[]> {
    return this.page.evaluate((key) => host.log.values(key), event);
  }

  /** Waits until the host has logged an event. */
  async hears(event: string, expected: object): Promise<void> {
    const wanted = expect.arrayContaining([expect.objectContaining(expected)]);
    await expect.poll(() => this.heard(event), longTimeout).toEqual(wanted);
  }

  /** Waits until the view's text contains all of these. */
  async shows(...texts: (string | RegExp)[]): Promise<void> {
    for (const text of texts) {
      const wanted = typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text);
      await expect.poll(() => this.text(), longTimeout).toEqual(wanted);
    }
  }

  /** The view's text, with normalized white space. */
  async text(): Promise<string> {
    return (await this.view.locator("body").allInnerTexts()).join().replace(/\s+/g, " ");
  }

  /** Waits until the server has received so many calls of a tool. */
  async calls(tool: string, count = 1): Promise<void> {
    const times = () => this.server.called.filter((name) => name === tool).length;
    await expect.poll(times, longTimeout).toBeGreaterThanOrEqual(count);
  }

  /** A screenshot of the app. */
  async picture(): Promise<Picture> {
    return decodePng(await this.#screenshot());
  }

  /** Waits until a screenshot has so many colours, none of them nearly everywhere: it is not blank. */
  async isDrawn(least = 20): Promise<void> {
    await expect
      .poll(async () => {
        const picture = await this.picture();
        const [[, most] = [0, 0], ...rest] = colours(picture);
        return most < picture.pixels.length * 0.995 ? rest.length + 1 : 0;
      }, longTimeout)
      .toBeGreaterThan(least);
  }

  /** Waits until it looks different from before. */
  async changes(before: Picture): Promise<void> {
    const same = async () => Buffer.compare(bytes(await this.picture()), bytes(before)) === 0;
    await expect.poll(same, longTimeout).toBe(false);
  }

  /** Performs an action, and waits until a canvas of the view shows other pixels. */
  async redraws(canvas: string, act: () => Promise<unknown>): Promise<void> {
    const pixels = () => this.view.locator(canvas).first().evaluate(readPixels);
    const before = await pixels();
    await act();
    await expect.poll(pixels, longTimeout).not.toBe(before);
  }

  /** Saves a picture for the documentation, if `SCREENSHOTS=1` is set. */
  async keepPicture(): Promise<void> {
    if (process.env["SCREENSHOTS"] !== "1") return;
    await this.page.mouse.move(0, 0);
    let png = await this.#screenshot();
    // Waits for charts to come to rest; endless animations are captured as they are.
    for (let left = 20; left > 0; left--) {
      await this.page.waitForTimeout(100);
      const next = await this.#screenshot();
      if (next.equals(png)) break;
      png = next;
    }
    const smaller = encodePng(decodePng(png));
    // A palette would put bands into gradients.
    await writeFile(`${PICTURES}${this.name}.png`, png.length < 60_000 ? png : smaller);
  }

  /**
   * Ends the app as a host does, which asks the view first (L08). Fails on invalid messages, script errors
   * or blocked actions along the way, except for the reports that are named here.
   */
  async close(...others: object[]): Promise<void> {
    try {
      await this.page.evaluate((id) => host.app(id).close("the test is over"), this.name);
      expect(await this.heard(`${this.name} closed`)).toHaveLength(1);
      expect(await this.heard("odd")).toEqual([]);
      const reports = (await this.heard("report")) as Record<string, unknown>[];
      const expected = [{ code: "loaded" }, { code: "painted" }, PROBE, ...others];
      const matches = (report: Record<string, unknown>) => (one: object) =>
        Object.entries(one).every(([key, value]) => report[key] === value);
      expect(reports.filter((report) => !expected.some(matches(report)))).toEqual([]);
      expect((await this.heard("audit")).filter((row) => Object(row).outcome === "refused")).toEqual([]);
    } finally {
      await this.#end();
    }
  }

  /** The visible part of the element. */
  async #screenshot(): Promise<Buffer> {
    const box = await this.element.boundingBox();
    if (!box) throw new Error(`${this.name} is not shown`);
    const { x, y, width } = box;
    const height = Math.min(box.height, (this.page.viewportSize()?.height ?? 0) - y);
    return this.page.screenshot({ clip: { x, y, width, height } });
  }
}

const bytes = ({ pixels }: Picture): Buffer => Buffer.from(pixels.buffer);

/** Runs in the view. */
function readPixels(canvas: Element): string {
  return (canvas as HTMLCanvasElement).toDataURL();
}
