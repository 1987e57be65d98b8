/**
 * Two servers side by side in one page: an attacker, and a victim with secrets in every place where a page
 * can keep them. Also the same pages uncontained, with host page, proxies and views on one origin, where
 * attacks succeed.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Frame, Page } from "playwright-core";
import { type Site, serveSite } from "../browser.ts";
import { type FakeUpstream, fakeUpstream, tool, visibleTo } from "../fake-upstream.ts";
import type { HostApi } from "../host/host-page.ts";
import { HostStage, type TestApp } from "../host/host-stage.ts";
import { type RawView, rawView } from "../host/raw-view.ts";

declare const host: HostApi;
declare const raw: RawView;

/** The victim's secret. */
export const SECRET = "secret-of-the-victim";
/** The host page's secret. */
export const HOST_SECRET = "secret-of-the-host";

/** Stores the secret everywhere a page can store one, and sends it through a channel. */
const KEEP = `
  globalThis.secret = "${SECRET}";
  name = "victim-view";
  const request = (made, upgrade) => new Promise((resolve, reject) => {
    made.onupgradeneeded = () => upgrade(made.result);
    made.onsuccess = () => resolve(made.result);
    made.onerror = () => reject(made.error);
  });
  globalThis.kept = (async () => {
    localStorage.setItem("secret", secret);
    sessionStorage.setItem("secret", secret);
    document.cookie = "secret=" + secret + "; SameSite=None; Secure";
    const database = await request(indexedDB.open("secrets"), (made) => made.createObjectStore("all"));
    await request(database.transaction("all", "readwrite").objectStore("all").put(secret, "secret"));
    database.close();
    await (await caches.open("secrets")).put("/secret", new Response(secret));
    const files = await navigator.storage.getDirectory();
    const file = await (await files.getFileHandle("secret", { create: true })).createWritable();
    await file.write(secret);
    await file.close();
    navigator.locks.request(secret, () => new Promise(() => {}));
    globalThis.channel = new BroadcastChannel("secrets");
    channel.onmessage = ({ data }) => data === "ask" && channel.postMessage(secret);
    return "kept";
  })();
`;

const VICTIM = rawView(`${KEEP} kept.then(() => start());`, `<p id="secret">${SECRET}</p>`);
const ATTACKER = rawView(
  "start({ tools: {} });",
  '<p id="text">Attacker</p><input id="field"><button id="go">go</button>',
);
const SIBLING = rawView("start();", "<p>Another view of the victim's server</p>");

/**
 * Host page, proxies and views on one origin, without a policy, but cross-origin isolated so that they may
 * share memory.
 */
const FREE_PAGES = {
  "/": `<!doctype html><title>Host</title><p id="host">${HOST_SECRET}</p>
    <iframe src="/proxy-of-victim"></iframe><iframe src="/proxy-of-attacker"></iframe>`,
  "/proxy-of-victim": proxy("/victim"),
  "/proxy-of-attacker": proxy("/attacker"),
  "/victim": VICTIM,
  "/attacker": ATTACKER,
};

function proxy(src: string): string {
  // The attribute comes too late to take effect, and early enough to be removed.
  const late = 'document.querySelector("iframe").setAttribute("sandbox", "allow-scripts")';
  return `<!doctype html><title>Proxy</title><body><iframe src="${src}" onload='${late}'></iframe>`;
}

/** A page with both servers' apps. */
export interface Scene {
  page: Page;
  victim: Frame;
  attacker: Frame;
}

/** Options of {@link PageStage.open}. */
export interface PageStageOptions {
  /**
   * A separate full browser with a normal profile and these options; by default the browser that test files
   * share.
   */
  args?: readonly string[];
}

/** Everything that an attack must leave unchanged. */
export interface State {
  url: string;
  page: string;
  victim: string;
  answer: unknown;
  frames: string[];
  /** Windows, dialogs and downloads. */
  seen: string[];
}

/** A browser, a host page's site, a sandbox, and the two servers. */
export class PageStage {
  readonly stage: HostStage;
  readonly free: Site;
  readonly victimServer: FakeUpstream;
  readonly attackerServer: FakeUpstream;
  /** Calls that reached either server, as `server tool`. */
  readonly called: string[];
  readonly #folder: string;
  /** The page in which scenes are opened again, and whether it lost a process. */
  #renewed: { page: Page; isStruck: boolean } | undefined;

  private constructor(
    stage: HostStage,
    free: Site,
    servers: [FakeUpstream, FakeUpstream],
    called: string[],
    folder: string,
  ) {
    this.stage = stage;
    this.free = free;
    [this.victimServer, this.attackerServer] = servers;
    this.called = called;
    this.#folder = folder;
  }

  static async open({ args }: PageStageOptions = {}): Promise<PageStage> {
    const folder = mkdtempSync(join(tmpdir(), "vitrine-isolation-"));
    // Frames of other sites have storage here, as in most browsers: the origin keeps it apart. The user has
    // allowed notifications for the host page and for the uncontained page.
    const notifications = {
      "http://localhost:*,*": { setting: 1 },
      "http://free.localhost:*,*": { setting: 1 },
    };
    const profile = {
      cookie_controls_mode: 0,
      block_third_party_cookies: false,
      content_settings: { exceptions: { notifications } },
    };
    const preferences = { profile };
    mkdirSync(join(folder, "Default"));
    writeFileSync(join(folder, "Default", "Preferences"), JSON.stringify(preferences));
    const stage = await HostStage.open({
      ...(args && { profile: folder, args }),
      page: "./testing/attacks/isolation-page.ts",
    });
    const headers = {
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    };
    const pages = Object.entries(FREE_PAGES).map(([path, body]) => [path, { body, headers }] as const);
    const script = { body: "oninstall = () => skipWaiting();", type: "text/javascript" };
    const free = await serveSite({ ...Object.fromEntries(pages), "/sw.js": script });
    const called: string[] = [];
    const upstream = (server: string, tools: object[]): FakeUpstream =>
      fakeUpstream(
        {
          "tools/list": () => ({ tools }),
          "tools/call": ({ name }) => {
            called.push(`${server} ${name}`);
            return { content: [{ type: "text", text: `${name} of ${server}` }] };
          },
          "resources/list": () => ({ resources: [{ uri: `ui://${server}/orders.html`, name: "orders" }] }),
          "resources/templates/list": () => ({ resourceTemplates: [] }),
          "resources/read": ({ uri }) => ({ contents: [{ uri, text: `orders of ${server}` }] }),
          "prompts/list": () => ({ prompts: [] }),
        },
        server,
      );
    const read = { annotations: { readOnlyHint: true } };
    const servers: [FakeUpstream, FakeUpstream] = [
      upstream("victim", [
        tool("read_mail", { ...read, ...visibleTo("app") }),
        tool("pay", visibleTo("app")),
      ]),
      upstream("attacker", [
        tool("look", { ...read, ...visibleTo("app", "model") }),
        tool("change", visibleTo("app")),
        tool("model_only", { ...read, ...visibleTo("model") }),
        tool("app_only", { ...read, ...visibleTo("app") }),
      ]),
    ];
    const opened = new PageStage(stage, free, servers, called, folder);
    await opened.serve("victim", { html: VICTIM, upstream: servers[0] });
    await opened.serve("sibling", { html: SIBLING, server: "victim" });
    await opened.serve("attacker", { html: ATTACKER, upstream: servers[1] });
    return opened;
  }

  async serve(name: string, app: TestApp): Promise<void> {
    await this.stage.serve(name, app);
  }

  /** Opens the host page with both apps. A victim that is ready first has a window that others can find. */
  async openScene({ warm = false }: { warm?: boolean } = {}): Promise<Scene> {
    return this.#begin(await this.stage.openPage(), warm);
  }

  /**
   * Does the same in an existing page, with a new document: apps and guards start empty, for a fraction of
   * the cost of a new page. Playwright loses a page once a process of one of its frames ends; a new page is
   * opened then.
   */
  async renewScene(): Promise<Scene> {
    if (this.#renewed?.isStruck) await this.#renewed.page.close();
    if (this.#renewed && !this.#renewed.page.isClosed()) await this.show(this.#renewed.page);
    else {
      const renewed = { page: await this.stage.openPage(), isStruck: false };
      renewed.page.once("crash", () => {
        renewed.isStruck = true;
      });
      this.#renewed = renewed;
    }
    return this.#begin(this.#renewed.page);
  }

  /** Loads the host page in an existing page. */
  async show(page: Page): Promise<void> {
    await page.goto(this.stage.origin);
    await page.waitForFunction(() => "host" in globalThis);
  }

  async #begin(page: Page, warm = false): Promise<Scene> {
    await page.evaluate((secret) => {
      document.title = "Host";
      document.body.prepend(Object.assign(document.createElement("p"), { id: "host", textContent: secret }));
      localStorage.setItem("host", secret);
      Object.assign(document, { cookie: `host=${secret}` });
    }, HOST_SECRET);
    if (warm) {
      await page.evaluate(() => host.warm("victim"));
      const spare = await (await page.locator("body > div[hidden] iframe").elementHandle())?.contentFrame();
      await spare?.waitForLoadState("load");
      // The app reported that it is ready before this request is answered, and that report arrives before the
      // next.
      await spare?.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    }
    const victim = await this.stage.mount(page, "victim", { consent: "allow" });
    const attacker = await this.stage.mount(page, "attacker", { consent: "deny" });
    return { page, victim, attacker };
  }

  /** Opens the uncontained version, in an existing page or a new one. */
  async openFree(shown?: Page): Promise<Scene> {
    const page = shown ?? (await this.stage.context.newPage());
    await page.goto(`${this.free.origin("free")}/`);
    const at = (path: string): Frame => {
      const frame = page.frames().find((each) => each.url().endsWith(path));
      if (!frame) throw new Error(`no ${path}`);
      return frame;
    };
    const victim = at("/victim");
    await victim.evaluate(() => (globalThis as unknown as { kept: Promise<string> }).kept);
    return { page, victim, attacker: at("/attacker") };
  }

  /** Everything that must be unchanged when an attack is over. */
  async stateOf({ page, victim }: Scene, seen: readonly string[] = []): Promise<State> {
    return {
      url: page.url(),
      page: await page.evaluate(
        () => `${document.title} ${document.getElementById("host")?.outerHTML} ${document.cookie}`,
      ),
      victim: await victim.evaluate(
        () => `${origin} ${document.getElementById("secret")?.textContent} ${localStorage.getItem("secret")}`,
      ),
      answer: await victim.evaluate(() => raw.ask("tools/call", { name: "read_mail" })),
      frames: await page.evaluate(() =>
        ["victim", "attacker"].map((id) => {
          const frame = host.app(id).shadowRoot?.querySelector("iframe");
          return `${id} ${host.app(id).state} ${frame?.sandbox} ${frame?.allow}`;
        }),
      ),
      seen: [...seen],
    };
  }

  async close(): Promise<void> {
    await this.stage.close();
    await this.free.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const watched = new WeakMap<Page, string[]>();

/** Windows, dialogs and downloads that a page opens unasked from now on. */
export function watchPage(page: Page): string[] {
  const before = watched.get(page);
  if (before) {
    before.length = 0;
    return before;
  }
  const seen: string[] = [];
  watched.set(page, seen);
  page.on("popup", (other) => seen.push(`window ${other.url()}`));
  page.on("dialog", (dialog) => {
    seen.push(`dialog ${dialog.type()}`);
    void dialog.dismiss();
  });
  page.on("download", (download) => seen.push(`download ${download.url()}`));
  return seen;
}

/**
 * Result of an attack: `got …`, or the name of the error that stopped it. Resolves when its last line has
 * run.
 */
export async function outcome(frame: Frame, attack: () => unknown): Promise<string> {
  try {
    return `got ${await frame.evaluate(attack)}`;
  } catch (error) {
    return /\b([A-Z]\w*Error)\b/.exec((error as Error).message)?.[1] ?? (error as Error).message;
  }
}
