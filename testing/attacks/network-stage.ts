/**
 * Runs attacks in one browser, each against its own target: in sandboxed apps beside an innocent app of
 * another server, and in uncontained pages.
 *
 * Contained pages start first and stay open. Once all traffic of the uncontained pages has arrived, a leak
 * of the contained ones would have had more than enough time; only then is it counted.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Relaxation } from "@vitrine/protocol";
import type { CDPSession, Page } from "playwright-core";
import type { HostApi } from "../host/host-page.ts";
import { HostStage } from "../host/host-stage.ts";
import { type RawView, rawView } from "../host/raw-view.ts";
import { attackPage } from "./attack-page.ts";
import { Collector, type Evidence, type Target } from "./collector.ts";
import { readLookups } from "./net-log.ts";
import type { NetworkCase } from "./network-cases.ts";

declare const host: HostApi;
declare const raw: RawView;

/** Where attacks run. */
export interface Scene {
  name: string;
  /** In an uncontained page. */
  free?: boolean;
  /** The targets are declared domains. */
  declared?: boolean;
  /** Without the header that closes the gaps of policies. */
  bare?: boolean;
  relax?: readonly Relaxation[];
  /** Cases whose reports reach the host; the stage waits for them. */
  reported?: (each: NetworkCase) => boolean;
}

/** Outcome of an attack. */
export interface Attempt {
  target: Target;
  /** Observations of its page; undefined if that page died first. */
  outcome: string | undefined;
  /** Policy violations that were reported to the host, as `directive address`. */
  reports: string[];
  /** The host saw it as ready, which it is before its first attack. */
  ready: boolean;
  /** Why the frame shows no app any more. */
  failure: string | undefined;
}

/** Everything of an attack that got out. */
export interface Leak extends Evidence {
  /** How often the secret's name was looked up. */
  lookups: number;
}

/** State of one app, as its page reports it. */
interface Heard {
  ready: boolean;
  outcomes: [string, string][] | undefined;
  reports: { code: string; directive?: string; blocked?: string }[];
  failure: { code: string } | undefined;
}

/** Milliseconds to wait for events that must happen, on any machine. */
const LIMIT = 60_000;
/** Milliseconds to wait for events that may or may not happen. */
const PATIENCE = 30_000;

/** A browser with a host page, a sandbox, and all targets of attacks. */
export class NetworkStage {
  readonly collector = new Collector();
  readonly stage: HostStage;
  /** Requests to the sandbox, as `status address`. */
  readonly sandboxed: string[] = [];
  /** Destinations of the host pages' frames. */
  readonly visited = new Set<string>();
  readonly #folder: string;
  readonly #bare = new Set<string>();
  readonly #own = new Set<Page>();
  /** Uncontained pages that have finished; the next document is loaded there. */
  readonly #idle: Page[] = [];
  readonly #sessions = new Map<Page, CDPSession>();
  readonly #restore = forgiveDetachedFrames();
  #lookups: readonly string[] = [];
  #count = 0;

  private constructor(stage: HostStage, folder: string) {
    this.stage = stage;
    this.#folder = folder;
    for (const page of stage.context.pages()) this.#own.add(page);
    const { sandbox } = stage.sandbox;
    const serve = sandbox.fetch.bind(sandbox);
    sandbox.fetch = async (request) => {
      const response = await serve(request);
      const { host, pathname, search } = new URL(request.url);
      this.sandboxed.push(`${response.status} ${request.headers.get("host") ?? host}${pathname}${search}`);
      if (this.#bare.has(pathname)) response.headers.delete("connection-allowlist");
      return response;
    };
  }

  static async open(): Promise<NetworkStage> {
    const folder = mkdtempSync(join(tmpdir(), "vitrine-attacks-"));
    const stage = await HostStage.open({
      profile: join(folder, "profile"),
      args: [`--log-net-log=${join(folder, "net.json")}`, "--allow-loopback-in-peer-connection"],
    });
    await stage.serve("victim", { html: rawView() });
    return new NetworkStage(stage, folder);
  }

  /** Opens a host page with the innocent app in it. */
  async openPage(): Promise<Page> {
    const page = await this.stage.openPage();
    this.#own.add(page);
    page.on("framenavigated", (frame) => this.visited.add(frame.url()));
    // All attackers of a page run, wherever they are in it.
    await page.evaluate(() => {
      host.budget.most = Number.POSITIVE_INFINITY;
    });
    await this.stage.mount(page, "victim");
    this.#sessions.set(page, await this.stage.context.newCDPSession(page));
    return page;
  }

  /** Runs attacks in one document, until the last has run to its end. */
  async run(page: Page, cases: readonly NetworkCase[], scene: Scene): Promise<Attempt[]> {
    const count = ++this.#count;
    const name = `${scene.name}-${count}`;
    const targets = await Promise.all(cases.map((_case, index) => this.collector.listen(`${name}-${index}`)));
    // All on one site, so that uncontained pages do not need a process each.
    const end = await this.collector.listen(`${count}.end`);
    const [{ clicked, removed } = {} as NetworkCase] = cases;
    const jobs = targets.map((at, index) => ({ at, attack: cases[index]?.attack ?? "" }));
    const html = attackPage(jobs, { end: end.http, clicked, removed });
    const heard = scene.free
      ? await this.#runFree(html, cases, targets, end)
      : await this.#runContained(page, name, html, cases, scene, targets, end);
    return targets.map((target) => ({
      target,
      outcome: heard.outcomes?.find(([secret]) => secret === target.secret)?.[1],
      reports: reportsOf(heard, cases.length === 1 ? "" : `${target.secret}.`),
      ready: heard.ready,
      failure: heard.failure?.code,
    }));
  }

  async #runContained(
    page: Page,
    name: string,
    html: string,
    cases: readonly NetworkCase[],
    { declared, bare, relax, reported }: Scene,
    targets: readonly Target[],
    end: Target,
  ): Promise<Heard> {
    const [{ clicked, removed, leaves, fatal } = {} as NetworkCase] = cases;
    const open = declared ? targets.flatMap(({ http }) => http) : [];
    const sockets = declared ? targets.flatMap(({ ws }) => ws) : [];
    const csp = {
      connectDomains: [end.http, ...open, ...sockets],
      resourceDomains: [end.http, ...open],
      frameDomains: [end.http, ...open],
    };
    // An app whose process ends has its own server, because it takes the other apps of its server with it.
    const server = fatal ? name : "attacker";
    const view = await this.stage.serve(name, { server, html, meta: { csp }, relax });
    if (!("src" in view)) throw view;
    if (bare) this.#bare.add(new URL(view.src).pathname);
    const session = this.#sessionOf(page);
    await evaluate(session, `host.mount(${JSON.stringify(name)})`);
    const hear = (): Promise<Heard> => evaluate(session, `(${hearing})(${JSON.stringify(name)})`);
    if (clicked) {
      await until(() => evaluate(session, `host.log.names("${name} ready").length > 0`));
      // A page in the background receives no click.
      await page.bringToFront();
      await (await this.stage.viewOf(page, name)).click("#go");
    }
    // The barrier: the page reports that all its code ran, or its process ends, for which the browser had to
    // try.
    const isOver = async (): Promise<unknown> => {
      const { outcomes, failure } = await hear();
      return outcomes || failure;
    };
    await until(isOver).catch(async () => {
      throw new Error(
        `${name} (${cases[0]?.title}) did not end: ${await evaluate(session, "host.log.names()")}`,
      );
    });
    if (removed) await evaluate(session, `host.app(${JSON.stringify(name)}).remove()`);
    const { outcomes } = await hear();
    // Also wait for its last request: it was allowed, and was sent after all the forbidden ones.
    if (outcomes && !(await this.#arrived(end))) throw new Error(`${name}: its last request did not arrive`);
    if (leaves && !bare) await until(async () => (await hear()).failure, PATIENCE).catch(() => {});
    // Resources that load on paint are blocked then, which may be after the page's last message.
    const awaited = targets.filter((_target, index) => reported?.(cases[index] as NetworkCase));
    const areReported = async (): Promise<boolean> => {
      const heard = await hear();
      return awaited.every(({ secret }) => reportsOf(heard, `${secret}.`).length > 0);
    };
    await until(areReported, PATIENCE).catch(() => {});
    return hear();
  }

  async #runFree(
    html: string,
    cases: readonly NetworkCase[],
    targets: readonly Target[],
    end: Target,
  ): Promise<Heard> {
    const [{ clicked, removed } = {} as NetworkCase] = cases;
    const page = this.#idle.pop() ?? (await this.stage.context.newPage());
    this.#own.add(page);
    this.collector.show(end, html);
    // Other pages may have opened since.
    await page.bringToFront();
    await page.goto(`${end.http}/page`);
    if (clicked) await page.click("#go");
    if (removed) {
      await page.waitForFunction(() => "outcomes" in globalThis, undefined, { timeout: LIMIT });
      await page.goto("about:blank");
    }
    await this.#arrived(end);
    const outcomes = await page
      .evaluate(() => Object(globalThis).outcomes as [string, string][] | undefined)
      // The page may have navigated away, as some attacks do.
      .catch(() => undefined);
    await this.settle(targets, cases);
    this.#idle.push(page);
    return { ready: true, outcomes, reports: [], failure: undefined };
  }

  #arrived(end: Target): Promise<boolean> {
    const { requests } = this.collector.evidence(end);
    return this.collector.until(() => requests.some((line) => line.startsWith("POST /end")), LIMIT);
  }

  /** Waits until traffic of each attack has arrived, as long as the browser may need. */
  async settle(targets: readonly Target[], cases: readonly NetworkCase[]): Promise<void> {
    // Attacks that show only in the log, or never, are not waited for.
    const awaited = targets.filter((_target, index) => !cases[index]?.gone && !cases[index]?.unseen);
    const isSeen = (target: Target): boolean => {
      const { requests, connections, packets } = this.collector.evidence(target);
      return requests.length + connections + packets > 0;
    };
    await this.collector.until(() => awaited.every(isSeen), PATIENCE);
  }

  /** Windows that the tests did not open. */
  get popups(): string[] {
    const pages = this.stage.context.pages().filter((page) => !this.#own.has(page));
    return pages.map((page) => page.url());
  }

  /** Whether the innocent app of a page is unchanged and still answers. */
  async victim(page: Page): Promise<string> {
    const view = await this.stage.viewOf(page, "victim");
    await view.evaluate(() => raw.ask("ping"));
    return `${page.url()} ${await view.evaluate(() => document.querySelector("p")?.textContent)}`;
  }

  /**
   * The same check for a page in which a process ended: its address, and the state of the app, which answers.
   */
  bystander(page: Page): Promise<string> {
    const words = '[location.href, host.app("victim").state].join(" ")';
    return evaluate(
      this.#sessionOf(page),
      `host.app("victim").bridge.ping({ timeout: ${LIMIT} }).then(() => ${words}, String)`,
    );
  }

  /** Runs code in a page without Playwright, for which a page is dead once a process of any of its frames is. */
  #sessionOf(page: Page): CDPSession {
    const session = this.#sessions.get(page);
    if (!session) throw new Error("not a page of this stage");
    return session;
  }

  /** Closes the browser, which ends its log. */
  async closeBrowser(): Promise<void> {
    await this.stage.closeBrowser();
    this.#lookups = readLookups(join(this.#folder, "net.json"));
  }

  /** Everything of an attack that got out; looked-up names are known once the browser is closed. */
  leak({ target }: Attempt): Leak {
    const name = new RegExp(`(^|[/.])${target.host}(:|$)`);
    const lookups = this.#lookups.filter((each) => name.test(each)).length;
    return { ...this.collector.evidence(target), lookups };
  }

  async close(): Promise<void> {
    await this.stage.close();
    this.collector.close();
    this.#restore();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The violations that name something. */
const reportsOf = ({ reports }: Heard, name: string): string[] =>
  reports
    .filter(({ code, blocked }) => code === "csp-violation" && `${blocked}`.includes(name))
    .map(({ directive, blocked }) => `${directive} ${blocked}`);

/** Splits a list into parts. */
export const parts = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_part, index) =>
    list.slice(index * size, (index + 1) * size),
  );

/** Runs in the host page. */
function hearing(id: string): Heard {
  const of = <T>(name: string): T[] =>
    (host.log.values(name) as (T & { id: string })[]).filter((value) => value.id === id);
  return {
    ready: host.log.names(`${id} ready`).length > 0,
    outcomes: of<{ data: [string, string][] }>("log")[0]?.data,
    reports: of("report"),
    failure: host.log.values(`${id} failed`)[0] as { code: string } | undefined,
  };
}

/**
 * Playwright throws in a promise of its own when a frame is removed whose process has ended. Returns a
 * function that turns this into an error again.
 */
function forgiveDetachedFrames(): () => void {
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason, promise) => {
    if (!`${reason}`.includes("Frame has been detached")) for (const each of listeners) each(reason, promise);
  });
  return () => {
    process.removeAllListeners("unhandledRejection");
    for (const each of listeners) process.on("unhandledRejection", each);
  };
}

async function evaluate<T>(session: CDPSession, expression: string): Promise<T> {
  const options = { expression, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", options);
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
}

async function until(look: () => Promise<unknown>, limit = LIMIT): Promise<void> {
  for (const end = Date.now() + limit; !(await look()); ) {
    if (Date.now() > end) throw new Error(`${look} was not so in ${limit} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
