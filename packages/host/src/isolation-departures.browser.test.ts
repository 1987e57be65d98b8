/**
 * Hostile apps that try to leak data over the network (attacks.md, part A): those that leave their document,
 * open others, act on a click or on their end, or lose their process. See isolation-network.browser.test.ts.
 */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEPARTURES, type NetworkCase } from "../../../testing/attacks/network-cases.ts";
import {
  type Attempt,
  type Leak,
  NetworkStage,
  parts,
  type Scene,
} from "../../../testing/attacks/network-stage.ts";
import type { HostApi } from "../../../testing/host/host-page.ts";
import { type RawView, rawView } from "../../../testing/host/raw-view.ts";

declare const host: HostApi;
declare const raw: RawView;

const NOTHING: Leak = { requests: [], connections: 0, packets: 0, lookups: 0 };
const contained = new Map<NetworkCase, Attempt>();
const free = new Map<NetworkCase, Attempt>();
const declared = new Map<NetworkCase, Attempt>();
const bare = new Map<NetworkCase, Attempt>();

let stage: NetworkStage;
let victims: string[];
/** State of the innocent app after each possible end of another app's process. */
const bystanders: string[] = [];
let popups: string[];
/** Other observations before the browser was closed. */
const seen: { own?: Own; caches?: string[]; answered?: boolean } = {};

beforeAll(async () => {
  stage = await NetworkStage.open();
  const page = await stage.openPage();
  // Playwright loses a page once a process of one of its frames ends, so apps that end theirs have another
  // page.
  const struck = await stage.openPage();
  const run = async (on: Page, into: Map<NetworkCase, Attempt>, which: NetworkCase, scene: Scene) => {
    const [attempt] = await stage.run(on, [which], scene);
    if (attempt) into.set(which, attempt);
  };
  /** A few at a time, because a user has only one pointer. */
  const runAll = async (into: Map<NetworkCase, Attempt>, cases: readonly NetworkCase[], scene: Scene) => {
    const clicked = cases.filter((each) => each.clicked);
    const rest = cases.filter((each) => !each.clicked);
    for (const part of [...parts(clicked, 1), ...parts(rest, 6)])
      await Promise.all(
        part.map(async (each) => {
          const ends = each.fatal && !scene.bare && !scene.free;
          await run(ends ? struck : page, into, each, scene);
          if (ends) bystanders.push(await stage.bystander(struck));
        }),
      );
  };
  await runAll(contained, DEPARTURES, { name: "contained" });
  victims = [await stage.victim(page)];
  popups = stage.popups;
  seen.own = await requestsToItsOwnOrigin(page);
  seen.caches = await sharedCache(page);
  const opened = DEPARTURES.filter((each) => each.declared);
  await runAll(declared, opened, { name: "declared", declared: true });
  const leaking = DEPARTURES.filter(({ allowlist }) => allowlist);
  await runAll(bare, leaking, { name: "bare", bare: true });
  await runAll(free, DEPARTURES, { name: "free", free: true });
  seen.answered = await spinningNeighbour();
  await stage.closeBrowser();
}, 400_000);
afterAll(() => stage?.close());

const of = (attempts: Map<NetworkCase, Attempt>, which: NetworkCase): Attempt => {
  const attempt = attempts.get(which);
  if (!attempt) throw new Error(`${which.id} ${which.title} did not run`);
  return attempt;
};
const leakOf = (attempts: Map<NetworkCase, Attempt>, which: NetworkCase): Leak =>
  stage.leak(of(attempts, which));
const title = ({ id, title }: NetworkCase): string => `attack ${id}: ${title}`;

describe("an app that leaves", () => {
  for (const each of DEPARTURES)
    it(`${title(each)} gets nothing out`, () => {
      expect(leakOf(free, each)).not.toEqual(NOTHING);
      const { ready, outcome, failure } = of(contained, each);
      expect(ready).toBe(true);
      // It left, maybe before its last message was forwarded; or the browser ended it; or it ran to its end.
      if (each.leaves) expect(failure).toBe("navigated-away");
      else if (each.fatal && failure !== undefined) expect(failure).toBe("crashed");
      else expect({ failure, outcome }).toEqual({ failure: undefined, outcome: expect.any(String) });
      expect(leakOf(contained, each)).toEqual(NOTHING);
      if (each.declared) expect(leakOf(declared, each)).not.toEqual(NOTHING);
    });

  it("leaves the page, the innocent app and every other window as they were", () => {
    expect(victims).toEqual([`${stage.stage.origin}/ Raw`]);
    expect(popups).toEqual([]);
    const elsewhere = [...stage.visited].filter((url) => url.includes("contained"));
    expect(elsewhere).toEqual([]);
  });

  it("attack A15, A32, A33, A34, A47: the innocent app continues after another's process ended", () => {
    const fatal = DEPARTURES.filter((each) => each.fatal);
    expect(bystanders).toEqual(fatal.map(() => `${stage.stage.origin}/ ready`));
    // The control: where a process ends, the page notices, and did here.
    expect(fatal.map((each) => of(contained, each).failure)).toContain("crashed");
  });

  it("attack A23, A24, A25, A38: the host gets the blocked attempts", () => {
    const reportsOf = (id: string) =>
      DEPARTURES.filter((each) => each.id === id && !/own that goes/.test(each.title)).map((each) =>
        of(contained, each).reports.join(),
      );
    for (const reports of [...reportsOf("A23"), ...reportsOf("A24")]) expect(reports).toContain("frame-src");
    // Two policies block this: the proxy's reports first, and the view may be gone before it can report its
    // own.
    for (const reports of reportsOf("A25")) expect(reports).toMatch(/frame-src|form-action/);
    for (const reports of reportsOf("A38")) expect(reports).toContain("base-uri");
  });
});

describe("facts of this browser, on which docs/security.md depends", () => {
  for (const each of DEPARTURES.filter(({ allowlist }) => allowlist))
    it(`${title(each)}: leaks where Connection-Allowlist is not sent, though no request`, () => {
      const leak = leakOf(bare, each);
      expect(leak).not.toEqual(NOTHING);
      expect(leak.requests).toEqual([]);
    });
});

interface Own {
  registered: string;
  requests: string[];
  answers: string[];
}

/** An app requests all kinds of resources from its own origin, and from its neighbour's. */
async function requestsToItsOwnOrigin(page: Page): Promise<Own> {
  const neighbour = await stage.stage.serve("neighbour", { html: rawView() });
  if (!("src" in neighbour)) throw neighbour;
  const asked = stage.sandboxed.length;
  const script = `start().then(async () => {
    const settled = (element) => new Promise((resolve) => element.onload = element.onerror = () => resolve());
    const load = (tag, attributes) => {
      const element = Object.assign(document.createElement(tag), attributes);
      document.body.append(element);
      return settled(element);
    };
    const answers = [];
    await load("img", { src: "/own-image?secret" });
    await load("script", { src: "/own-script?secret" });
    await load("link", { rel: "stylesheet", href: "/own-style?secret" });
    await load("img", { src: "${new URL(neighbour.src).pathname}" });
    await load("img", { src: "${neighbour.src}" });
    answers.push(await fetch("/own-fetch?secret").catch(({ message }) => message));
    const [registered] = await Promise.allSettled([navigator.serviceWorker.register("/own-worker.js?secret")]);
    tell("notifications/message", { level: "info", data: { answers, registered: "" + registered.reason } });
  });`;
  await stage.stage.serve("asker", { html: rawView(script) });
  await stage.stage.mount(page, "asker");
  const found = await page.waitForFunction(
    () => (host.log.values("log") as { id: string; data: unknown }[]).find(({ id }) => id === "asker")?.data,
    undefined,
    { timeout: 60_000 },
  );
  const told = (await found.jsonValue()) as Omit<Own, "requests">;
  return { ...told, requests: stage.sandboxed.slice(asked).filter((line) => !line.startsWith("200")) };
}

/** Two apps load the same thing from a domain that both declare, one of them twice. */
async function sharedCache(page: Page): Promise<string[]> {
  const library = await stage.collector.listen("library");
  const csp = { resourceDomains: [library.http] };
  for (const name of ["first", "second"]) {
    await stage.stage.serve(name, { html: rawView(), meta: { csp } });
    const view = await stage.stage.mount(page, name);
    for (const _time of [1, 2])
      await view.evaluate(
        (src) =>
          new Promise<void>((resolve) => {
            const script = document.createElement("script");
            script.onload = script.onerror = () => resolve();
            script.src = src;
            document.body.append(script);
          }),
        `${library.http}/cached.js`,
      );
  }
  return stage.collector.evidence(library).requests;
}

/** An app that never yields its thread. Its neighbour still answers, or this never ends. */
async function spinningNeighbour(): Promise<boolean> {
  const page = await stage.openPage();
  await stage.stage.serve("spinner", { html: rawView() });
  const spinner = await stage.stage.mount(page, "spinner");
  await spinner.evaluate(() =>
    setTimeout(() => {
      for (;;);
    }),
  );
  await page.waitForFunction(() => host.log.names("spinner unresponsive").length > 0, undefined, {
    timeout: 60_000,
  });
  const view = await stage.stage.viewOf(page, "victim");
  await view.evaluate(() => raw.ask("ping"));
  await page.close();
  return true;
}

describe("shared state of apps", () => {
  it("attack A39: a request to the sandbox's own origin is answered with nothing, whatever it asks for", () => {
    const { requests = [] } = seen.own ?? {};
    expect(requests.map((line) => line.replace(/ v\.\w+\.localhost:\d+/, ""))).toEqual([
      "404/own-image?secret",
      "404/own-script?secret",
      "404/own-style?secret",
      // The URL of another server's app does not exist at this one's origin, and at its own it is out of
      // reach.
      expect.stringMatching(/^404\/[a-z2-7]{52}$/),
    ]);
    expect(seen.own?.answers).toEqual(["Failed to fetch"]);
  });

  it("attack A13: a service worker is not even asked for", () => {
    expect(seen.own?.registered).toMatch(/^(SecurityError|TypeError|InvalidStateError|NotSupportedError)/);
    expect(seen.own?.requests.join()).not.toContain("own-worker");
  });

  it("attack A45: a resource that one app loaded is not in the cache of another", () => {
    // Once for each app, though each asked twice.
    expect(seen.caches).toHaveLength(2);
  });

  it("attack A45: an app that uses all of its process's time uses none of another's", () => {
    expect(seen.answered).toBe(true);
  });
});
