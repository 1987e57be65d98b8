/** Serves and opens a host page with its views, for all interop tests. */
import type { Plugin } from "esbuild";
import type { Browser, BrowserContext, Frame, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import {
  bundle,
  inlineScript,
  LIMIT,
  type Page as Served,
  type Site,
  serveSite,
  sharedChromium,
} from "../browser.ts";

/** Replaces an import by another module, or by text (which begins with `export`). */
export function swapImports(swaps: Record<string, string>): Plugin {
  return {
    name: "swap-imports",
    setup(build) {
      build.onResolve({ filter: /^[^.]/ }, ({ path, resolveDir, pluginData }) => {
        const other = swaps[path];
        if (other === undefined || pluginData === "swapped") return undefined;
        if (other.startsWith("export ")) return { path, namespace: "swapped" };
        return build.resolve(other, { resolveDir, kind: "import-statement", pluginData: "swapped" });
      });
      build.onLoad({ filter: /.*/, namespace: "swapped" }, ({ path }) => ({ contents: swaps[path] ?? "" }));
    },
  };
}

/** An HTML page that runs a module of `testing/`. */
export async function pageOf(
  module: string,
  swaps: Record<string, string> = {},
  { before = "" }: { before?: string } = {},
): Promise<string> {
  const code = await bundle(`import "./testing/${module}";`, { plugins: [swapImports(swaps)] });
  return `<!doctype html><meta charset="utf-8"><title>${module}</title><body>${before}${inlineScript(code)}</body>`;
}

/** A host page with a view in it. */
export interface Scene {
  host: Page;
  view: Frame;
}

/** A browser and a site for one test file. */
export class Stage {
  readonly #browser: Browser;
  readonly #context: BrowserContext;
  readonly #site: Site;

  private constructor(browser: Browser, context: BrowserContext, site: Site) {
    this.#browser = browser;
    this.#context = context;
    this.#site = site;
    context.setDefaultTimeout(LIMIT);
  }

  static async open(pages: Record<string, Served>): Promise<Stage> {
    const site = await serveSite(pages);
    const browser = await sharedChromium();
    return new Stage(browser, await browser.newContext(), site);
  }

  /** The origin of views; never the host page's. */
  get viewOrigin(): string {
    return this.#site.origin("view");
  }

  /** Same as {@link open}, for one test: the page is closed when the test ends. */
  async openOnce(host: string, view: string, query?: Record<string, string>): Promise<Scene> {
    const scene = await this.open(host, view, query);
    onTestFinished(() => scene.host.close());
    return scene;
  }

  /** Opens a page without a view. */
  async openPage(path: string): Promise<Page> {
    const page = await this.#context.newPage();
    await page.goto(this.#site.origin() + path);
    return page;
  }

  /** Opens a host page with a view from the other origin. */
  async open(host: string, view: string, query: Record<string, string> = {}): Promise<Scene> {
    const page = await this.#context.newPage();
    const url = new URL(host, this.#site.origin());
    const viewUrl = this.viewOrigin + view;
    url.search = `${new URLSearchParams({ view: viewUrl, ...query })}`;
    const isView = (frame: Frame): boolean => frame.url() === viewUrl;
    await page.goto(`${url}`);
    const frame =
      page.frames().find(isView) ?? (await page.waitForEvent("framenavigated", { predicate: isView }));
    await frame.waitForLoadState("domcontentloaded");
    return { host: page, view: frame };
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#site.close();
  }
}
