/** A page with more apps than may run: which are released, what they keep, and when they come back. */
import { RELEASE_KEY } from "@vitrine/protocol";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HostApi, MountOptions } from "../../../../testing/host/host-page.ts";
import { HostStage } from "../../../../testing/host/host-stage.ts";
import { type RawView, rawView } from "../../../../testing/host/raw-view.ts";

declare const host: HostApi;
declare const raw: RawView;

/** Pixels between two apps: each is far from the screen while another one is on it. */
const SPACE = 2500;
const RESULT = { content: [{ type: "text" as const, text: "Sunny" }] };

/** Stores the reason of its teardown, and has a field to type in. */
const STORES = rawView(
  `start();
  raw.answers["ui/resource-teardown"] = (params) => {
    sessionStorage.setItem("asked", params.reason);
    return {};
  };`,
  "<input>",
);
const declaring = (when: string): string =>
  rawView(`start({ experimental: { "${RELEASE_KEY}": { when: "${when}" } } });`, "<input>");

let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await HostStage.open();
  await stage.serve("plain", { html: STORES });
  await stage.serve("always", { html: declaring("always") });
  await stage.serve("never", { html: declaring("never") });
});
afterAll(() => stage.close());
beforeEach(async () => {
  page = await stage.freshPage();
  await page.evaluate(() => {
    host.budget.most = 1;
  });
});

/** Adds an app at the end of the page, without waiting for it. */
const add = (id: string, name = "plain", options: MountOptions = {}): Promise<void> =>
  page.evaluate(([app, given]) => host.mount(app, given), [name, { id, space: SPACE, ...options }] as const);
const until = (...names: string[]): Promise<unknown> =>
  page.evaluate((keys) => Promise.all(keys.map((key) => host.log.until(key))), names);
/** Scrolls to an app, and waits until the page has noticed it. */
const show = (id: string): Promise<void> =>
  page.evaluate((app) => {
    const element = host.app(app);
    element.scrollIntoView({ block: "center", behavior: "instant" });
    return new Promise((resolve) => {
      const observer = new IntersectionObserver(([change]) => {
        if (!change?.isIntersecting) return;
        observer.disconnect();
        // All observers of a page are told in one task.
        setTimeout(resolve);
      });
      observer.observe(element);
    });
  }, id);
const states = (...ids: string[]): Promise<string[]> =>
  page.evaluate((apps) => apps.map((app) => host.app(app).state), ids);
const frames = (): Promise<number> => page.locator("mcp-app iframe").count();

/** Types into the field of an app, and leaves it. */
async function type(id: string): Promise<void> {
  const view = await stage.viewOf(page, id);
  const focused = (): Promise<string | undefined> => page.evaluate(() => document.activeElement?.localName);
  await view.locator("input").click();
  // The page learns of it later than the app.
  await expect.poll(focused).toBe("mcp-app");
  await page.keyboard.type("typed");
  await page.mouse.click(600, 700);
  await expect.poll(focused).toBe("body");
}

/** Shows other apps until the page would have released the first one, were it allowed. */
async function scrollAway(...others: string[]): Promise<void> {
  for (const each of others) {
    await show(each);
    await until(`${each} ready`);
  }
}

describe("a page with many apps", () => {
  it("starts those on the screen and the nearest others, and the rest when they come near", async () => {
    for (const id of ["a", "b", "c", "d"]) await add(id);
    await until("a ready", "b ready", "c released", "d released");
    expect(await frames()).toBe(2);
    await show("d");
    await until("d ready", "b released");
    expect(await states("a", "b", "c", "d")).toEqual(["ready", "released", "released", "ready"]);
    expect(await frames()).toBe(2);
  });

  it("L11: gives a restored app its input and result again, and tells the host", async () => {
    await add("a", "plain", { input: { city: "Rome" }, result: RESULT });
    await until("a ready");
    for (const id of ["b", "c"]) await add(id);
    await scrollAway("b", "c");
    await until("a event released");
    expect(await page.evaluate(() => host.log.names("a event restored"))).toEqual([]);
    await page.evaluate(() => host.log.clear());
    await show("a");
    await until("a ready", "a event restored");
    const view = await stage.viewOf(page, "a");
    await view.waitForFunction(() => raw.heard.some(({ method }) => method.endsWith("tool-result")));
    const heard = await view.evaluate(() => raw.heard.map(({ method }) => method));
    expect(heard.filter((method) => method.includes("tool-"))).toEqual([
      "ui/notifications/tool-input",
      "ui/notifications/tool-result",
    ]);
  });

  it("L08: asks an app to store its state before it is released", async () => {
    await add("a");
    await until("a ready");
    for (const id of ["b", "c"]) await add(id);
    await scrollAway("b", "c");
    await until("a released");
    await page.evaluate(() => host.log.clear());
    await show("a");
    await until("a ready");
    const view = await stage.viewOf(page, "a");
    expect(await view.evaluate(() => sessionStorage.getItem("asked"))).toBe("far from the screen");
  });

  it("L08: releases an app that does not answer, after the time of a teardown", async () => {
    await stage.serve("silent", { html: rawView('delete raw.answers["ui/resource-teardown"]; start();') });
    await add("a", "silent", { options: { limits: { teardown: 300 } } });
    await until("a ready");
    for (const id of ["b", "c"]) await add(id);
    await scrollAway("b", "c");
    await until("a released");
  });

  it("sends a result that came meanwhile when the app is back", async () => {
    await add("a", "plain", { input: {} });
    await until("a ready");
    for (const id of ["b", "c"]) await add(id);
    await scrollAway("b", "c");
    await until("a released");
    await page.evaluate((result) => {
      host.app("a").bridge?.sendToolResult(result);
      host.app("a").frame?.setContext({ theme: "dark" });
      host.log.clear();
    }, RESULT);
    await show("a");
    await until("a ready");
    const view = await stage.viewOf(page, "a");
    const found = await view.waitForFunction(() =>
      raw.heard.find(({ method }) => method === "ui/notifications/tool-result"),
    );
    expect(await found.evaluate((message) => message?.params)).toEqual(RESULT);
  });
});

describe("the place of a released app", () => {
  /** Reports a small height first, and another one when it has the result. It stores something when it is released. */
  const growing = (height: string): string =>
    rawView(`start();
    tell("ui/notifications/size-changed", { height: 40 });
    raw.answers["ui/resource-teardown"] = () => {
      sessionStorage.setItem("was", "here");
      return {};
    };
    addEventListener("message", ({ data }) => {
      if (data.method === "ui/notifications/tool-result") tell("ui/notifications/size-changed", { height: ${height} });
    });`);

  it("keeps its height while it is gone, and while it starts again", async () => {
    await stage.serve("grows", { html: growing("700") });
    await add("a", "grows", { input: {}, result: RESULT });
    const heightOf = (): Promise<number> =>
      page.locator("#a [part=stage]").evaluate((element) => element.clientHeight);
    await expect.poll(heightOf).toBe(700);
    for (const id of ["b", "c"]) await add(id);
    await scrollAway("b", "c");
    await until("a released");
    expect(await heightOf()).toBe(700);
    // From now on every height that it is given.
    await page.evaluate(() => {
      const stageOf = host.app("a").shadowRoot?.querySelector("[part=stage]") as Element;
      new MutationObserver(() => host.log.add("height", stageOf.clientHeight)).observe(stageOf, {
        attributeFilter: ["style"],
      });
      host.log.clear();
    });
    await show("a");
    await until("a ready", "height");
    const isShown = (): Promise<string> =>
      page.locator("#a iframe").evaluate((iframe) => getComputedStyle(iframe).opacity);
    await expect.poll(isShown).toBe("1");
    expect(new Set(await page.evaluate(() => host.log.values("height")))).toEqual(new Set([700]));
  });

  it("takes another height of the app when it had time to draw", async () => {
    await stage.serve("shrinks", { html: growing('sessionStorage.getItem("was") ? 500 : 700') });
    await add("a", "shrinks", { input: {}, result: RESULT });
    const heightOf = (): Promise<number> =>
      page.locator("#a [part=stage]").evaluate((element) => element.clientHeight);
    await expect.poll(heightOf).toBe(700);
    for (const id of ["b", "c"]) await add(id);
    await scrollAway("b", "c");
    await until("a released");
    await show("a");
    await expect.poll(heightOf).toBe(500);
  });
});

describe("an app that is not released", () => {
  /** Shows the app, does something with it, and scrolls away. */
  async function leave(name: string, act: () => Promise<unknown>, options?: MountOptions): Promise<void> {
    await add("a", name, options);
    await until("a ready");
    await act();
    for (const id of ["b", "c"]) await add(id);
    await scrollAway("b", "c");
    // The page has released another one instead.
    await until("b released");
  }
  const nothing = async (): Promise<void> => {};

  it.each<[string, string, MountOptions | undefined]>([
    ["the attribute `keep`", "plain", { keep: true }],
    ["its own wish", "never", undefined],
  ])("because of %s", async (_why, name, options) => {
    await leave(name, nothing, options);
    await expect.poll(() => states("a", "b", "c")).toEqual(["ready", "released", "ready"]);
  });

  it("while it waits for an answer", async () => {
    await leave(
      "plain",
      async () => {
        const view = await stage.viewOf(page, "a");
        await view.evaluate(() => void raw.ask("ui/open-link", { url: "https://example.com/" }));
        await until("open-link");
      },
      { hangs: true, consent: "allow" },
    );
    await expect.poll(() => states("a", "b", "c")).toEqual(["ready", "released", "ready"]);
  });

  it("that the user has used, and that does not restore its state", async () => {
    await leave("plain", () => type("a"));
    await expect.poll(() => states("a", "b", "c")).toEqual(["ready", "released", "ready"]);
    const view = await stage.viewOf(page, "a");
    expect(await view.locator("input").inputValue()).toBe("typed");
  });

  it("while it is shown over the page", async () => {
    await leave("plain", () =>
      page.evaluate(() => {
        host.app("a").frame?.setDisplayMode("pip");
        // Its close button has the focus, which would be another reason.
        (host.app("a").shadowRoot?.activeElement as HTMLElement | null)?.blur();
      }),
    );
    await expect.poll(() => states("a", "b", "c")).toEqual(["ready", "released", "ready"]);
    await page.evaluate(() => host.app("a").frame?.setDisplayMode("inline"));
    await show("b");
    await until("a released");
  });

  it("while it has the focus", async () => {
    await leave("plain", async () => {
      await page.keyboard.press("Tab");
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("a");
    });
    await expect.poll(() => states("a", "b", "c")).toEqual(["ready", "released", "ready"]);
  });
});

describe("an app that the user has used", () => {
  it("is released ten seconds later if it restores its state", async () => {
    await add("a", "always");
    await until("a ready");
    const usedAfter = await page.evaluate(() => performance.now());
    await type("a");
    for (const id of ["b", "c"]) await add(id);
    await page.evaluate(() => {
      host.budget.most = 0;
      host.app("a").addEventListener("released", () => host.log.add("time", performance.now()));
    });
    await show("c");
    const time = (): Promise<unknown> =>
      page.evaluate(() => {
        // A busy browser may tell the page late that the app had the focus, which is another reason.
        if (document.activeElement?.id === "a") host.app("a").blur();
        return host.log.values("time")[0];
      });
    await expect.poll(time, { timeout: 60_000 }).toBeGreaterThan(usedAfter + 10_000);
  });
});

describe("a released app", () => {
  /** Adds `a`, which is released when this resolves. */
  async function release(): Promise<void> {
    await add("a");
    await until("a ready");
    for (const id of ["b", "c"]) await add(id);
    await scrollAway("b", "c");
    await until("a released");
    await page.evaluate(() => host.log.clear());
  }

  it("comes back for a request of the host, wherever it is", async () => {
    await release();
    await page.evaluate(() => host.app("a").bridge?.ping());
    expect(await states("a")).toEqual(["ready"]);
  });

  it("answers a request of the host that comes while it is released", async () => {
    await add("a");
    await until("a ready");
    await page.evaluate(() => {
      const { bridge } = host.app("a");
      bridge?.on("traffic", ({ message }) => {
        if (Object(message).method !== "ui/resource-teardown") return;
        queueMicrotask(() =>
          bridge.ping().then(
            () => host.log.add("answered"),
            () => host.log.add("refused"),
          ),
        );
      });
    });
    for (const id of ["b", "c"]) await add(id);
    await scrollAway("b", "c");
    await until("a released");
    const answers = (): Promise<string[]> => page.evaluate(() => host.log.names("answered", "refused"));
    await expect.poll(answers, { timeout: 60_000 }).toEqual(["answered"]);
  });

  it("is closed, and never comes back", async () => {
    await release();
    await page.evaluate(() => host.app("a").frame?.close());
    await show("a");
    await add("d", "plain", { place: "start" });
    await show("d");
    await until("d ready");
    expect(await states("a")).toEqual(["closed"]);
    expect(await page.locator("#a iframe").count()).toBe(0);
  });

  it("starts again in another place of the page", async () => {
    await release();
    await page.evaluate(() => {
      const app = host.app("a");
      app.remove();
      document.querySelector("#c")?.before(app);
    });
    await show("a");
    await until("a ready");
  });

  it("says in its place why it cannot come back", async () => {
    await release();
    await page.evaluate(() => {
      const frames = new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes)
            if (node instanceof HTMLIFrameElement) node.src = "http://gone.localhost:9/";
      });
      const stageOf = host.app("a").shadowRoot?.querySelector("[part=stage]");
      frames.observe(stageOf as Element, { childList: true });
    });
    await show("a");
    await until("a failed");
    expect(await page.locator("#a [part~=failure]").textContent()).toContain("Try again");
    // Or the next try would stay invisible.
    expect(await page.locator("#a [data-drawing]").count()).toBe(0);
  });
});

describe("the budget", () => {
  it("releases apps when it shrinks, and starts none that were released when it grows", async () => {
    await page.evaluate(() => {
      host.budget.most = 2;
    });
    for (const id of ["a", "b", "c"]) await add(id);
    await until("a ready", "b ready", "c ready");
    await page.evaluate(() => {
      host.budget.most = 0;
    });
    await until("b released", "c released");
    await page.evaluate(() => {
      host.budget.most = 8;
    });
    await add("d");
    await until("d ready");
    expect(await states("a", "b", "c", "d")).toEqual(["ready", "released", "released", "ready"]);
  });

  it("has room again when an app was closed", async () => {
    for (const id of ["a", "b", "c"]) await add(id);
    await until("b ready", "c released");
    await page.evaluate(() => host.app("b").frame?.close());
    await add("d");
    await until("d ready");
  });
});
