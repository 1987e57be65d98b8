/**
 * Apps that try to get an approval that the user did not mean to give (attack E02), with a real mouse,
 * keyboard and finger.
 */
import type { BrowserContextOptions, Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { fakeUpstream } from "../../../testing/fake-upstream.ts";
import type { HostApi } from "../../../testing/host/host-page.ts";
import { HostStage } from "../../../testing/host/host-stage.ts";
import { type RawView, rawView } from "../../../testing/host/raw-view.ts";

declare const host: HostApi;
declare const raw: RawView;

/** Sends a request on each press, like a game with fast clicks. */
const GAME = `
  start();
  globalThis.presses = 0;
  addEventListener("pointerdown", () => {
    presses++;
    ask("ui/open-link", { url: "https://evil.example/" + presses }).catch(() => {});
    ask("tools/call", { name: "wipe", arguments: {} }).catch(() => {});
  });
`;

let stage: HostStage;
let page: Page;
const called: string[] = [];
const tools = [
  { name: "wipe", inputSchema: { type: "object" }, annotations: { destructiveHint: true } },
  { name: "change", inputSchema: { type: "object" } },
];
beforeAll(async () => {
  stage = await HostStage.open();
  const answers = {
    "tools/list": () => ({ tools }),
    "tools/call": ({ name }: Record<string, unknown>) => {
      called.push(`${name}`);
      return { content: [] };
    },
  };
  const upstream = fakeUpstream(answers, "game");
  const body = "<p style='height:140px;margin:0'>Click!</p>";
  await stage.serve("game", { html: rawView(GAME, body), upstream });
  // Presses in it do not move the focus.
  const quiet = `start(); addEventListener("mousedown", (event) => event.preventDefault());`;
  await stage.serve("quiet", { html: rawView(quiet, body) });
});
afterAll(() => stage.close());
afterEach(async () => {
  called.length = 0;
  await page.close();
});

async function open(options?: BrowserContextOptions): Promise<Frame> {
  if (options) {
    const context = await stage.browser.newContext(options);
    page = await context.newPage();
    await page.goto(stage.origin);
    await page.waitForFunction(() => "host" in globalThis);
  } else page = await stage.openPage();
  return stage.mount(page, "game");
}
const opened = (): Promise<unknown[]> => page.evaluate(() => host.log.values("open-link"));
const prompt = () => page.getByRole("alertdialog");
const button = (name: string) => prompt().getByRole("button", { name, exact: true });
const isReady = (name: string) => expect.poll(() => button(name).getAttribute("aria-disabled")).toBe("false");
const ask = (view: Frame, method = "ui/open-link", params: object = { url: "https://example.com/" }) =>
  view
    .evaluate(([name, given]) => raw.ask(name, given).catch(({ data }) => data), [method, params] as const)
    .catch(() => "gone");
const middleOf = async (name: string): Promise<[number, number]> => {
  const box = await button(name).boundingBox();
  if (!box) throw new Error(`no button ${name}`);
  return [box.x + box.width / 2, box.y + box.height / 2];
};
/** Presses at the pointer's position, again and again. */
async function pressAgainAndAgain(times: number): Promise<void> {
  for (let count = 0; count < times; count++) {
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForTimeout(90);
  }
}

describe("attack E02: fast clicks in an app", () => {
  it.each([
    ["at its top", 8],
    ["in its middle", 70],
    ["at its end", 145],
  ])("approve nothing: %s", async (_where, offset) => {
    const view = await open();
    const app = await page.locator("#game iframe").boundingBox();
    await page.mouse.move(200, (app?.y ?? 0) + offset);
    await pressAgainAndAgain(30);
    // All of them reached the app: nothing came under the pointer, and the app did not move away from it.
    expect(await view.evaluate(() => Object(globalThis).presses)).toBe(30);
    expect(await page.locator("#game iframe").boundingBox()).toEqual(app);
    expect(await opened()).toEqual([]);
    expect(called).toEqual([]);
    // The control: a user who reads the question and approves is accepted.
    await isReady("Allow once");
    await button("Allow once").click();
    await expect.poll(opened).toHaveLength(1);
  });

  it("approve nothing where the app fills the window: a button leads to the question", async () => {
    const view = await open();
    await page.evaluate(() => host.app("game").frame?.setDisplayMode("fullscreen"));
    await page.mouse.move(640, 360);
    // On a busy machine the first press may come before the app fills the window.
    await expect.poll(() => view.evaluate(() => innerHeight)).toBeGreaterThan(500);
    await page.waitForTimeout(200);
    await pressAgainAndAgain(20);
    expect(await view.evaluate(() => Object(globalThis).presses)).toBe(20);
    expect(await prompt().count()).toBe(0);
    const answer = page.getByRole("button", { name: "Answer", exact: true });
    await answer.click();
    // It is not where the button was that led to it.
    const box = await prompt().boundingBox();
    const [x, y] = [1280 - 40, 20];
    expect(box && x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height).toBe(false);
    await isReady("Allow once");
    await button("Allow once").click();
    await expect.poll(opened).toHaveLength(1);
  });
});

describe("attack E02: presses on a question", () => {
  it("start its delay again, and a pointer that was there before it counted has to leave first", async () => {
    const view = await open();
    void ask(view);
    await prompt().waitFor();
    await page.mouse.move(...(await middleOf("Allow once")));
    await pressAgainAndAgain(25);
    expect(await opened()).toEqual([]);
    await isReady("Allow once");
    // Much later, but without a move: the pointer never came from elsewhere.
    await pressAgainAndAgain(1);
    expect(await opened()).toEqual([]);
    await prompt().getByText("Move the pointer off this question").waitFor();
    // The control: out, even if only into the app, and back.
    await isReady("Allow once");
    await page.mouse.move(200, 70);
    await page.mouse.move(...(await middleOf("Allow once")));
    await pressAgainAndAgain(1);
    await expect.poll(opened).toHaveLength(1);
  });

  it("elsewhere in the page start it again too", async () => {
    const view = await open();
    await page.mouse.move(1000, 600);
    void ask(view);
    await prompt().waitFor();
    await pressAgainAndAgain(12);
    expect(await button("Allow once").getAttribute("aria-disabled")).toBe("true");
    await isReady("Allow once");
  });

  it("one press is enough for a user who was typing elsewhere in the page", async () => {
    const view = await open();
    await page.evaluate(() => {
      const input = document.body.appendChild(document.createElement("input"));
      input.focus();
    });
    void ask(view);
    await page.keyboard.type("hello");
    await isReady("Allow once");
    await button("Allow once").click();
    await expect.poll(opened).toHaveLength(1);
  });

  it("two questions do not keep each other from being answered", async () => {
    const view = await open();
    const other = await stage.mount(page, "game", { id: "other" });
    void ask(view);
    void ask(other, "ui/open-link", { url: "https://example.org/" });
    await expect.poll(() => prompt().count()).toBe(2);
    // A question over an app waits until the page has seen the pointer.
    await page.mouse.move(1200, 700);
    for (const app of ["game", "other"]) {
      const allow = page.locator(`#${app}`).getByRole("button", { name: "Allow once" });
      await allow.click();
      await expect.poll(() => allow.count()).toBe(0);
    }
    expect(await opened()).toHaveLength(2);
  });

  it("a question that was moved under the pointer is not answered by a press", async () => {
    const view = await open();
    void ask(view);
    await isReady("Allow once");
    await page.mouse.move(900, 500);
    await prompt().evaluate((box: HTMLElement) => {
      const allow = box.querySelector("[part=agree]")?.getBoundingClientRect() ?? new DOMRect();
      const { left, top } = box.getBoundingClientRect();
      Object.assign(box.style, {
        left: `${left + 900 - allow.x - 5}px`,
        top: `${top + 500 - allow.y - 5}px`,
      });
    });
    await pressAgainAndAgain(12);
    expect(await opened()).toEqual([]);
  });
});

describe("attack E02: a user who chases something in an app", () => {
  it.each(["", " that reloaded itself"])("approves nothing with a press beside it%s", async (state) => {
    let view = await open();
    if (state) {
      await view.evaluate(() => location.reload());
      await expect.poll(() => page.evaluate(() => host.log.values("game ready").length)).toBe(2);
      view = await stage.viewOf(page, "game");
    }
    const app = await page.locator("#game iframe").boundingBox();
    const x = (app?.x ?? 0) + 200;
    await page.mouse.move(x, (app?.y ?? 0) + 70);
    await pressAgainAndAgain(1);
    void ask(view);
    await isReady("Allow once");
    // Twice a second, all in the app; then one that misses it.
    const miss = await middleOf("Allow once");
    for (let count = 0; count < 4; count++) {
      await page.waitForTimeout(400);
      await pressAgainAndAgain(1);
    }
    await page.mouse.move(...miss);
    await pressAgainAndAgain(1);
    expect(await opened()).toEqual([]);
    // The control: once the user has stopped.
    await page.mouse.move(1200, 700);
    await isReady("Allow once");
    await button("Allow once").click();
    await expect.poll(opened).toHaveLength(1);
  });
});

describe("attack E02: lasting or destructive approvals take a second press elsewhere", () => {
  it("always", async () => {
    const view = await open();
    const asked = ask(view);
    await isReady("Always allow example.com");
    await button("Always allow example.com").click();
    await pressAgainAndAgain(20);
    expect(await opened()).toEqual([]);
    await page.mouse.move(900, 600);
    await isReady("Yes, always allow example.com");
    await button("Yes, always allow example.com").click();
    expect(await asked).toEqual({});
    expect(await ask(view)).toEqual({});
  });

  it("back leads back, and nothing was agreed to", async () => {
    const view = await open();
    const asked = ask(view);
    await isReady("Always allow example.com");
    await button("Always allow example.com").click();
    await button("Back").click();
    await button("Deny").click();
    expect(await asked).toMatchObject({ code: "denied" });
  });

  it("a destructive tool, and no other", async () => {
    const view = await open();
    const asked = ask(view, "tools/call", { name: "wipe", arguments: {} });
    await isReady("Allow once");
    await button("Allow once").click();
    await button("Yes, run wipe").waitFor();
    expect(called).toEqual([]);
    await isReady("Yes, run wipe");
    await button("Yes, run wipe").click();
    await asked;
    expect(called).toEqual(["wipe"]);
    const other = ask(view, "tools/call", { name: "change", arguments: {} });
    await isReady("Allow once");
    await button("Allow once").click();
    await other;
    expect(called).toEqual(["wipe", "change"]);
  });
});

describe("attack E02: other ways to press", () => {
  it("a key counts on the focused button, pressed after the delay and not held from before", async () => {
    const view = await open();
    void ask(view);
    await prompt().waitFor();
    await button("Deny").focus();
    await page.keyboard.press("Tab");
    // Held down: the browser repeats it, also after the delay.
    for (let count = 0; count < 25; count++) {
      await page.keyboard.down("Enter");
      await page.waitForTimeout(40);
    }
    await page.keyboard.up("Enter");
    expect(await opened()).toEqual([]);
    await isReady("Allow once");
    await page.keyboard.press("Enter");
    await expect.poll(opened).toHaveLength(1);
    // The same for a second step.
    const asked = ask(view);
    await prompt().waitFor();
    await button("Always allow example.com").focus();
    await isReady("Always allow example.com");
    await page.keyboard.press("Space");
    await isReady("Yes, always allow example.com");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    expect(await asked).toEqual({});
  });

  it("a finger counts when it comes down after the delay", async () => {
    const view = await open({ hasTouch: true });
    void ask(view);
    await prompt().waitFor();
    const [x, y] = await middleOf("Allow once");
    for (let count = 0; count < 12; count++) {
      await page.touchscreen.tap(x, y);
      await page.waitForTimeout(90);
    }
    expect(await opened()).toEqual([]);
    await isReady("Allow once");
    await page.touchscreen.tap(x, y);
    await expect.poll(opened).toHaveLength(1);
    await page.context().close();
  });

  it("a pen counts like a mouse: it must come from elsewhere", async () => {
    const view = await open();
    const session = await page.context().newCDPSession(page);
    const pen = (type: "mousePressed" | "mouseReleased" | "mouseMoved", [x, y]: [number, number]) =>
      session.send("Input.dispatchMouseEvent", {
        type,
        x,
        y,
        button: "left",
        clickCount: 1,
        pointerType: "pen",
      });
    void ask(view);
    await prompt().waitFor();
    const spot = await middleOf("Allow once");
    const tap = async (): Promise<void> => {
      await pen("mousePressed", spot);
      await pen("mouseReleased", spot);
    };
    for (let count = 0; count < 8; count++) {
      await tap();
      await page.waitForTimeout(90);
    }
    await isReady("Allow once");
    await tap();
    expect(await opened()).toEqual([]);
    await isReady("Allow once");
    await pen("mouseMoved", [1200, 700]);
    await pen("mouseMoved", spot);
    await tap();
    await expect.poll(opened).toHaveLength(1);
  });

  it("an app stays where it is while its question is open", async () => {
    const view = await open();
    void ask(view);
    await prompt().waitFor();
    // A press in the app would let it fill the window.
    await view.locator("p").click();
    const mode = view.evaluate(() => raw.ask("ui/request-display-mode", { mode: "fullscreen" }));
    expect(await mode).toEqual({ mode: "inline" });
    await button("Deny").first().click();
  });
});

describe("attack E02: a question comes under a pointer or a key that the page did not see", () => {
  it("over an app in which the pointer rests, while another app asks", async () => {
    const view = await open();
    await stage.mount(page, "game", { id: "other" });
    // The only room is over the other app.
    await page.setViewportSize({ width: 1280, height: 420 });
    void ask(view);
    await prompt().waitFor();
    const [x, y] = await middleOf("Allow once");
    const app = await page.locator("#other iframe").boundingBox();
    expect(app && y > app.y && y < app.y + app.height).toBe(true);
    await button("Deny").click();
    await page.mouse.move(2, 2);
    await page.mouse.move(x, y);
    await page.waitForTimeout(300);
    void ask(view);
    await isReady("Allow once");
    expect(await middleOf("Allow once")).toEqual([x, y]);
    await pressAgainAndAgain(1);
    expect(await opened()).toEqual([]);
    // The control: the pointer leaves the question and comes back.
    await isReady("Allow once");
    await page.mouse.move(2, 2);
    await button("Allow once").click();
    await expect.poll(opened).toHaveLength(1);
  });

  it("right after the pointer came into the app that it lies over", async () => {
    const view = await open();
    await stage.mount(page, "quiet");
    await page.setViewportSize({ width: 1280, height: 420 });
    await page.mouse.move(2, 2);
    void ask(view);
    await prompt().waitFor();
    const spot = await middleOf("Allow once");
    await button("Deny").press("Enter");
    await page.mouse.move(2, 2);
    await page.mouse.move(...spot);
    // However slow the machine, the pointer arrived there a moment ago.
    await page.evaluate(() => {
      const { now } = Performance.prototype;
      performance.now = () => now.call(performance) - 10_000;
    });
    void ask(view);
    await isReady("Allow once");
    expect(await middleOf("Allow once")).toEqual(spot);
    await pressAgainAndAgain(1);
    expect(await opened()).toEqual([]);
  });

  it.each([
    ["was pressed last, also if that moved no focus", undefined],
    ["fills the window", "fullscreen"],
  ] as const)("nothing: it does not lie over another app that %s", async (_what, mode) => {
    const view = await open();
    const quiet = await stage.mount(page, "quiet");
    await page.setViewportSize({ width: 1280, height: 420 });
    if (mode) await page.evaluate((wanted) => host.app("quiet").frame?.setDisplayMode(wanted), mode);
    else await quiet.locator("p").click();
    await page.mouse.move(2, 2);
    void ask(view);
    await page.getByText("game asks").first().waitFor();
    await page.waitForTimeout(200);
    expect(await prompt().count()).toBe(0);
  });

  it("when the app that filled the window over it leaves, in a browser that does not report what is covered", async () => {
    const view = await open();
    // As in Firefox: IntersectionObserver without `isVisible`.
    await page.evaluate(() => {
      const Native = IntersectionObserver;
      globalThis.IntersectionObserver = class extends Native {
        constructor(act: IntersectionObserverCallback) {
          super(act);
        }
      };
    });
    await stage.mount(page, "quiet");
    await page.mouse.move(1200, 700);
    void ask(view);
    await isReady("Allow once");
    const spot = await middleOf("Allow once");
    await page.evaluate(() => host.app("quiet").frame?.setDisplayMode("fullscreen"));
    await page.waitForTimeout(700);
    await page.mouse.move(...spot);
    await page.waitForTimeout(300);
    await page.evaluate(() => host.app("quiet").frame?.setDisplayMode("inline"));
    await pressAgainAndAgain(1);
    await isReady("Allow once");
    await pressAgainAndAgain(1);
    expect(await opened()).toEqual([]);
    // The control: the pointer leaves the question and comes back.
    await page.mouse.move(1200, 700);
    await isReady("Allow once");
    await button("Allow once").click();
    await expect.poll(opened).toHaveLength(1);
  });

  it("when the app that filled the window over it leaves", async () => {
    const view = await open();
    await stage.mount(page, "game", { id: "other" });
    await page.mouse.move(1200, 700);
    void ask(view);
    await isReady("Allow once");
    const spot = await middleOf("Allow once");
    await page.evaluate(() => host.app("other").frame?.setDisplayMode("fullscreen"));
    await expect.poll(() => button("Allow once").getAttribute("aria-disabled")).not.toBe("false");
    await page.mouse.move(...spot);
    await page.evaluate(() => host.app("other").frame?.setDisplayMode("inline"));
    await isReady("Allow once");
    await pressAgainAndAgain(1);
    expect(await opened()).toEqual([]);
  });

  it("nothing: an app that asks does not scroll itself there", async () => {
    await open();
    await page.evaluate(() => {
      const space = document.createElement("div");
      space.style.height = "3000px";
      document.body.append(space);
    });
    const other = await stage.mount(page, "game", { id: "other", consent: "in page" });
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForTimeout(200);
    void ask(other);
    await prompt().waitFor();
    expect(await page.evaluate(() => scrollY)).toBe(0);
    expect(await prompt().evaluate((box) => box.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
  });

  it("by Tab out of an app, with Space right after it", async () => {
    const view = await open();
    await view.evaluate(() => document.body.append(document.createElement("input")));
    // Nothing in the page has the focus, so the app may take it.
    await view.locator("input").focus();
    void ask(view);
    await isReady("Always allow example.com");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Space");
    expect(await prompt().getByText("Yes, always").count()).toBe(0);
    await prompt().getByText("That press came too early").waitFor();
  });

  it("by a key that was pressed too early and released later", async () => {
    const view = await open();
    void ask(view);
    await prompt().waitFor();
    await button("Allow once").focus();
    await page.keyboard.down("Space");
    await isReady("Allow once");
    await page.keyboard.up("Space");
    await page.waitForTimeout(100);
    expect(await opened()).toEqual([]);
  });
});
