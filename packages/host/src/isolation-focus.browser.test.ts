/**
 * Apps that take the focus with the help of a press, Tab or an input method; and users whom the guard must
 * not stop (attack E03).
 */
import type { Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HostApi } from "../../../testing/host/host-page.ts";
import { HostStage } from "../../../testing/host/host-stage.ts";
import { rawView } from "../../../testing/host/raw-view.ts";

declare const host: HostApi;

/** Takes the focus when the host sends a locale of `x-…`, and reports everything that it reads. */
const THIEF = `
  start();
  const fields = [...document.querySelectorAll("input, [contenteditable]")];
  const report = (data) => tell("notifications/message", { level: "info", data });
  for (const type of ["keydown", "beforeinput", "compositionstart", "compositionupdate", "input"])
    addEventListener(type, ({ key, data }) => report(key ?? data ?? type), true);
  const read = () => fields.map((field) => field.value ?? field.textContent).join();
  let was = read();
  setInterval(() => {
    const is = read();
    if (is !== was) report(is);
    was = is;
  }, 5);
  addEventListener("message", ({ data }) => {
    if (Object(data).params?.locale === "r") location.reload();
    if (Object(data).params?.locale === "f") {
      const ports = [0, 1, 2].map(() => new MessageChannel());
      const started = { jsonrpc: "2.0", method: "ui/notifications/sandbox-started", params: {} };
      parent.postMessage(started, "*", ports.map(({ port2 }) => port2));
      setTimeout(() => ports[2].port1.postMessage({ tab: false, at: Date.now() }), 50);
    }
    const [, field] = /^x-(.)/.exec(Object(data).params?.locale) ?? [];
    if (!field) return;
    window.focus();
    fields[field].focus();
  });
  /** Takes the focus back whenever it is lost. */
  globalThis.insist = (options) => addEventListener("blur", () => setTimeout(() => {
    window.focus();
    fields[0].focus();
  }), options);
  globalThis.block = (milliseconds) => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  };
`;
const BODY = `<input aria-label="Mine"><div contenteditable>\u200b</div><p style="height:80px;margin:0">Text</p>`;
const INNER = `<input aria-label='Inner'>`;

let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await HostStage.open();
  await stage.serve("thief", { html: rawView(THIEF, BODY) });
  await stage.serve("other", {
    html: rawView("start();", "<input aria-label='One'><input aria-label='Two'>"),
  });
  const frames = `<iframe srcdoc="${INNER}"></iframe><iframe sandbox="allow-scripts" srcdoc="${INNER}"></iframe>`;
  await stage.serve("framed", { html: rawView("start();", frames) });
  const slow = `start(); addEventListener("focusin", () => { const end = performance.now() + 200; while (performance.now() < end); });`;
  await stage.serve("slow", { html: rawView(slow, "<input aria-label='Mine'>") });
});
afterAll(() => stage.close());
beforeEach(async () => {
  page = await stage.openPage();
  await page.evaluate(() => {
    const input = document.createElement("input");
    input.ariaLabel = "Composer";
    document.body.prepend(input);
  });
});
afterEach(() => page.close());

const composer = () => page.getByLabel("Composer");
const read = (): Promise<unknown[]> => page.evaluate(() => host.log.values("log"));
/** Without a gesture in the app; `view.evaluate` would count as one. */
const steal = (field = 0): Promise<void> =>
  page.evaluate(
    (index) => host.app("thief").frame?.setContext({ locale: `x-${index}-${performance.now()}` }),
    field,
  );
const stateOf = (id: string): Promise<string | undefined> => page.evaluate((app) => host.app(app).state, id);
const type = async (text: string): Promise<void> => {
  for (const key of text) {
    await page.keyboard.press(key);
    await page.waitForTimeout(40);
  }
};
const SECRET = "correct-horse-battery";

describe("attack E03: an app that takes the focus reads nothing", () => {
  it("in a press that it was too busy to get before the user returned to the page", async () => {
    const view = await stage.mount(page, "thief");
    const text = await view.locator("p").boundingBox();
    if (!text) throw new Error("no text");
    // Playwright presses only once the app has handled the move, which is before it is busy.
    await page.mouse.move(text.x + 20, text.y + 20);
    await view.evaluate(() => {
      const input = document.querySelector("input");
      addEventListener("pointerdown", () => {
        input?.focus();
        // Keys reach the app before the host's messages do.
        Object(globalThis).block(300);
      });
      setTimeout(() => Object(globalThis).block(1500), 100);
    });
    await page.waitForTimeout(300);
    // Does not wait until the app has received it.
    const pressed = page.mouse.down();
    await page.waitForTimeout(200);
    await composer().evaluate((input: HTMLElement) => input.focus());
    for (let count = 0; count < 60; count++) {
      await page.keyboard.press("a");
      await page.waitForTimeout(40);
    }
    await pressed;
    expect(await read()).toEqual([]);
  });

  it("when it was too busy to learn that the user returned to the page", async () => {
    const view = await stage.mount(page, "thief");
    await view.evaluate(() => {
      const input = document.querySelector("input");
      setTimeout(() => {
        Object(globalThis).block(1500);
        window.focus();
        input?.focus();
        Object(globalThis).block(300);
      }, 100);
    });
    await page.waitForTimeout(300);
    await composer().evaluate((input: HTMLElement) => input.focus());
    for (let count = 0; count < 60; count++) {
      await page.keyboard.press("a");
      await page.waitForTimeout(40);
    }
    expect(await read()).toEqual([]);
  });

  it("when the page uses Tab itself, to complete a word", async () => {
    await stage.mount(page, "thief");
    await composer().evaluate((input: HTMLElement) =>
      input.addEventListener("keydown", (event) => event.key === "Tab" && event.preventDefault()),
    );
    await composer().click();
    await type("/ma");
    await page.keyboard.press("Tab");
    await steal();
    await page.waitForTimeout(200);
    await type(SECRET);
    expect(await read()).toEqual([]);
    expect(await composer().inputValue()).toContain(SECRET.slice(-10));
  });

  it("when it answers the loss of the focus by taking it back at once", async () => {
    const view = await stage.mount(page, "thief");
    await view.getByLabel("Mine").click();
    await page.waitForTimeout(600);
    await view.evaluate(() => Object(globalThis).insist());
    await composer().click();
    await page.waitForTimeout(100);
    await type(SECRET);
    expect(await read()).toEqual([]);
  });

  it("in a press that it got only after the user pressed another app", async () => {
    const view = await stage.mount(page, "thief");
    const other = await stage.mount(page, "other");
    const from = await view.locator("p").boundingBox();
    const to = await other.getByLabel("One").boundingBox();
    if (!from || !to) throw new Error("no boxes");
    await page.mouse.move(from.x + 20, from.y + 20);
    await view.evaluate(() => {
      const input = document.querySelector("input");
      addEventListener("pointerdown", () => setTimeout(() => input?.focus(), 100));
      setTimeout(() => Object(globalThis).block(1500), 100);
    });
    await page.waitForTimeout(300);
    const session = await page.context().newCDPSession(page);
    const sent: Promise<unknown>[] = [];
    // Does not wait until the busy app has received it.
    const press = (x: number, y: number): void => {
      for (const kind of ["mousePressed", "mouseReleased"] as const)
        sent.push(
          session.send("Input.dispatchMouseEvent", { type: kind, x, y, button: "left", clickCount: 1 }),
        );
    };
    press(from.x + 20, from.y + 20);
    await page.waitForTimeout(200);
    press(to.x + 5, to.y + 5);
    await page.waitForTimeout(200);
    expect(await other.evaluate(() => document.hasFocus())).toBe(true);
    for (let count = 0; count < 60; count++) {
      await page.keyboard.press("a");
      await page.waitForTimeout(40);
    }
    await Promise.all(sent);
    expect(await read()).toEqual([]);
  });

  it.each([
    [
      "Tab",
      async () => {
        await (await stage.viewOf(page, "thief")).locator("[contenteditable]").click();
        await page.keyboard.press("Tab");
      },
    ],
    [
      "Tab right after a press, unseen by a busy page,",
      async () => {
        await page.evaluate(
          () =>
            void setTimeout(() => {
              const end = performance.now() + 300;
              while (performance.now() < end);
            }, 75),
        );
        await (await stage.viewOf(page, "thief")).locator("[contenteditable]").click();
        await page.keyboard.press("Tab");
      },
    ],
    ["the page", () => page.evaluate(() => host.app("framed").shadowRoot?.querySelector("iframe")?.focus())],
  ])("after %s moved the focus into another app", async (_what, move) => {
    const view = await stage.mount(page, "thief");
    await stage.mount(page, "framed");
    await view.locator("p").click();
    await page.waitForTimeout(300);
    await move();
    await page.waitForTimeout(700);
    const before = (await read()).length;
    await steal();
    await type(SECRET);
    expect((await read()).slice(before)).toEqual([]);
  });

  it("with a press that it makes up after a reload", async () => {
    await stage.mount(page, "thief");
    await page.evaluate(() => host.app("thief").frame?.setContext({ locale: "r" }));
    await expect.poll(() => page.evaluate(() => host.log.values("thief ready").length)).toBe(2);
    await composer().click();
    await type("ab");
    await page.evaluate(() => host.app("thief").frame?.setContext({ locale: "f" }));
    await page.waitForTimeout(100);
    await steal();
    await type(SECRET);
    expect(await read()).toEqual([]);
  });

  it("after Tab moved the focus within another app", async () => {
    await stage.mount(page, "thief");
    const other = await stage.mount(page, "other");
    await other.getByLabel("One").click();
    await page.waitForTimeout(600);
    await page.keyboard.press("Tab");
    await page.waitForTimeout(100);
    await steal();
    await type(SECRET);
    expect(await read()).toEqual([]);
  });

  it.each([
    ["composes", "a field", 0],
    ["composes", "an editor", 1],
    ["inserts", "a field", 0],
    ["inserts", "an editor", 1],
  ])("when an input method %s text, in %s", async (how, _where, field) => {
    await stage.mount(page, "thief");
    const session = await page.context().newCDPSession(page);
    await composer().click();
    // Receives it late, like a busy page.
    await page.evaluate(() =>
      addEventListener("blur", () => {
        const end = performance.now() + 200;
        while (performance.now() < end);
      }),
    );
    await type("ab");
    await steal(field);
    const at = { selectionStart: 6, selectionEnd: 6 };
    if (how === "inserts") await session.send("Input.insertText", { text: "geheim" });
    else await session.send("Input.imeSetComposition", { text: "geheim", ...at });
    await page.waitForTimeout(500);
    expect(await read()).toEqual([]);
  });
});

it("attack E03: an app that takes the focus from a field that had it before there were apps gives it back", async () => {
  await composer().evaluate((input) => input.focus());
  await stage.mount(page, "thief");
  await steal();
  await page.waitForTimeout(300);
  await type(SECRET);
  expect(await composer().inputValue()).toBe(SECRET);
  expect(await read()).toEqual([]);
});

it("attack E03: an app that takes the focus for the tenth time is ended, however slowly it does so", async () => {
  await stage.mount(page, "thief");
  await composer().click();
  for (let times = 1; times <= 10; times++) {
    expect(await stateOf("thief")).toBe("ready");
    await page.evaluate((minutes) => {
      const { now } = Performance.prototype;
      performance.now = () => now.call(performance) + minutes * 60_000;
    }, times);
    await page.keyboard.press("a");
    await steal();
    await page.waitForTimeout(300);
    expect(await composer().evaluate((input) => document.activeElement === input)).toBe(true);
  }
  await expect.poll(() => stateOf("thief")).toBe("failed");
});

it("an app that the user presses has the focus, also if another app takes it back at once", async () => {
  const view = await stage.mount(page, "thief");
  const other = await stage.mount(page, "other");
  await view.getByLabel("Mine").click();
  await page.waitForTimeout(600);
  await view.evaluate(() => Object(globalThis).insist({ once: true }));
  await other.getByLabel("One").click();
  await expect.poll(() => other.evaluate(() => document.hasFocus()), { timeout: 5000 }).toBe(true);
  await type("ab");
  expect(await read()).toEqual([]);
});

describe("a user who presses in an app types there, while the page had the focus", () => {
  it("if the app is slow, right after typing in the page and after a pause", async () => {
    const view = await stage.mount(page, "slow");
    const mine = view.getByLabel("Mine");
    for (const pause of [0, 700, 100]) {
      await composer().click();
      await type("ab");
      await page.waitForTimeout(pause);
      await mine.click();
      await page.waitForTimeout(600);
      await type("x");
    }
    expect(await mine.inputValue()).toBe("xxx");
    expect(await stateOf("slow")).toBe("ready");
  });

  it.each([
    ["that the app fills", 0],
    ["of another origin", 1],
  ])("in a frame inside of the app %s", async (_whose, index) => {
    const view = await stage.mount(page, "framed");
    const inner = (view.childFrames()[index] as Frame).getByLabel("Inner");
    for (let times = 0; times < 3; times++) {
      await composer().click();
      await type("ab");
      // As long as the browser remembers the last press, and until the page has asked.
      await page.waitForTimeout(7000);
      await inner.click();
      await page.waitForTimeout(300);
      await type("x");
    }
    expect(await inner.inputValue()).toBe("xxx");
    expect(await stateOf("framed")).toBe("ready");
  });
});
