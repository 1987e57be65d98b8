/**
 * Shared by browser tests: Chromium, pages served on loopback, and scripts bundled in memory.
 */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { type Browser, type BrowserContext, chromium, type LaunchOptions } from "playwright-core";
import { CHROMIUM_ARGS, findChromium, findHeadlessShell } from "../scripts/chromium.mjs";
import { atEndOfWorker } from "./browser-environment.ts";

/** Milliseconds to wait for events that must happen, even on a slow machine. */
export const LIMIT = 60_000;

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The Chromium of this worker, its launch options, and a function that closes it. */
let shared: { key: string; browser: Browser; end(): Promise<void> } | undefined;

/**
 * Launch options of every browser, because two with different options would be started in turn: WebGL
 * without a graphics card, and no access to the sites from which official apps load resources, so that
 * results are the same everywhere.
 */
const SHARED_ARGS = [
  "--enable-unsafe-swiftshader",
  "--host-resolver-rules=MAP *.github.io ~NOTFOUND, MAP unpkg.com ~NOTFOUND",
];

/** Path of the headless shell, if installed; looked up once. */
let shell: { path: string | undefined } | undefined;

/**
 * The Chromium that the files of a worker share, one file after another. Each file has its own contexts in
 * it; closing the browser in `afterAll` closes only these. A browser with other options is closed first.
 *
 * It is the headless shell, if there is one, unless a test wants the `whole` browser. The whole browser
 * blocks the storage of other sites in private windows, and reports pages that leave before they have
 * loaded.
 */
export async function sharedChromium(more: readonly string[] = [], whole = false): Promise<Browser> {
  const args = [...SHARED_ARGS, ...more];
  shell ??= { path: findHeadlessShell() };
  const executablePath = whole ? undefined : shell.path;
  const key = `${executablePath} ${args.join(" ")}`;
  if (shared?.key === key && shared.browser.isConnected()) return shared.browser;
  if (shared) await shared.end();
  else atEndOfWorker(async () => shared?.end());
  // A process for each site, as in ordinary browsers.
  const all = executablePath ? [...args, "--site-per-process"] : args;
  const browser = await launchChromium(all, { executablePath });
  shared = { key, browser, end: browser.close.bind(browser) };
  browser.close = async () => void (await Promise.all(browser.contexts().map((each) => each.close())));
  return browser;
}

/** Starts a separate Chromium, for tests that kill it or inspect it as a whole. Close it in `afterAll`. */
export function launchChromium(args: readonly string[] = [], more: LaunchOptions = {}): Promise<Browser> {
  const given = launching(args);
  return chromium.launch({ ...given, ...more, executablePath: more.executablePath ?? given.executablePath });
}

/** Starts Chromium with a normal profile. Contexts that are made later are private, and can do less. */
export function launchProfile(folder: string, args: readonly string[] = []): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, launching(args));
}

function launching(args: readonly string[]): { executablePath: string; args: string[] } {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("no Chromium: run `node scripts/chromium.mjs` first");
  return { executablePath, args: [...CHROMIUM_ARGS.map(withoutSpares), ...args] };
}

/** Chromium keeps a process ready for the next site: in tests it starts one for each context, which often ends unused. */
const withoutSpares = (arg: string): string =>
  arg.startsWith("--disable-features=") ? `${arg},SpareRendererForSitePerProcess` : arg;

/** Bundling options. */
interface BundleOptions {
  format?: "iife" | "esm";
  loader?: "ts" | "tsx";
  plugins?: Plugin[];
  minify?: boolean;
  /** Folders of packages, in place of the installed ones. */
  alias?: Record<string, string>;
}

/** Bundles of this worker, shared by test files. */
const bundles = new Map<string, Promise<string>>();

/** Bundles a module, given as text, for a page. Imports resolve from the repository's root. */
export function bundle(code: string, options: BundleOptions = {}): Promise<string> {
  // Two plugins with one name may do different things.
  if (options.plugins?.length) return bundleAnew(code, options);
  const key = JSON.stringify([code, options]);
  const made = bundles.get(key) ?? bundleAnew(code, options);
  bundles.set(key, made);
  return made;
}

async function bundleAnew(code: string, options: BundleOptions): Promise<string> {
  const result = await build({
    stdin: { contents: code, loader: options.loader ?? "ts", resolveDir: ROOT, sourcefile: "entry.ts" },
    bundle: true,
    write: false,
    format: options.format ?? "iife",
    target: "es2022",
    jsx: "automatic",
    minify: options.minify ?? false,
    // A page that is opened again for each test is parsed each time.
    minifyWhitespace: true,
    plugins: options.plugins ?? [],
    alias: options.alias ?? {},
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  const [file] = result.outputFiles;
  if (!file) throw new Error("esbuild made nothing");
  return file.text;
}

/** The answer to a path: HTML text, or any content with a type and headers. */
export type Page = string | { body: string; type?: string; headers?: Record<string, string> };

/** A web site on loopback. Every `*.localhost` name reaches it, so that one site has as many origins as needed. */
export interface Site {
  /** The origin under a given name: `site.origin("view")` is `http://view.localhost:PORT`. */
  origin(name?: string): string;
  close(): Promise<void>;
}

/** Serves pages by path, or by `host/path` where two hosts differ. */
export async function serveSite(pages: Record<string, Page>): Promise<Site> {
  const server: Server = createServer((request, response) => {
    const page = find(pages, request);
    if (page === undefined) {
      response.writeHead(404).end();
      return;
    }
    const {
      body,
      type = "text/html; charset=utf-8",
      headers = {},
    } = typeof page === "string" ? { body: page } : page;
    response.writeHead(200, { "content-type": type, ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: (name) => `http://${name ? `${name}.` : ""}localhost:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function find(pages: Record<string, Page>, request: IncomingMessage): Page | undefined {
  const { pathname, hostname } = new URL(request.url ?? "/", `http://${request.headers.host}`);
  return pages[hostname.replace(/\.?localhost$/, "") + pathname] ?? pages[pathname];
}

/** Text that is safe inside a script element. */
export const inlineScript = (code: string): string =>
  `<script>${code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--")}</script>`;

/** Text that is safe inside a module script element. */
export const inlineModule = (code: string): string =>
  inlineScript(code).replace("<script>", '<script type="module">');
